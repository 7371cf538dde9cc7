package pricing_test

import (
	"errors"
	"fmt"
	"testing"
	"time"
	_ "time/tzdata" // machines may have no time zone database

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

func amount(t testing.TB, s string) (a money.Amount) {
	t.Helper()
	if s == "" {
		return a
	}
	a, err := money.ParseAmount(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return a
}

// maybe is an amount, or nil for "".
func maybe(t testing.TB, s string) *money.Amount {
	t.Helper()
	if s == "" {
		return nil
	}
	a := amount(t, s)
	return &a
}

// moment reads a local time of a zone, or one with an offset.
func momentIn(t testing.TB, zone *time.Location, s string) time.Time {
	t.Helper()
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05.999999", "2006-01-02 15:04 -07:00"} {
		if at, err := time.ParseInLocation(layout, s, zone); err == nil {
			return at
		}
	}
	t.Fatalf("no time: %q", s)
	return time.Time{}
}

func load(t testing.TB, zone string) *time.Location {
	t.Helper()
	at, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

const (
	hour     = 3600
	day      = 24 * hour
	week     = 7 * day
	month    = 30 * day
	almaty   = "Asia/Almaty"      // always +05:00 in these years
	berlin   = "Europe/Berlin"    // 29 March 2026 has 23 hours, 25 October 25
	newYork  = "America/New_York" // 8 March 2026 has 23 hours, 1 November 25
	calendar = true
)

// row is a row of the golden table of lines. In the result, the units are before the colon, and what is after it is
// gross - discount = net.
type row struct {
	name                     string
	zone                     string
	duration                 moment.Seconds
	price                    string
	start, end               string
	calendar, once, sale     bool
	count                    int64
	percent, off, additional string
	want                     string
}

func lines() []row {
	const start, end = "2026-03-02 10:00", "2026-03-03 10:00"
	return []row{
		{name: "an hour", duration: hour, price: "700", start: start, end: "2026-03-02 11:00", want: "1: 700.00 - 0.00 = 700.00"},
		{name: "an hour and a second", duration: hour, price: "700", start: start, end: "2026-03-02 11:00:01", want: "2: 1400.00 - 0.00 = 1400.00"},
		{name: "an hour and a microsecond", duration: hour, price: "700", start: start, end: "2026-03-02 11:00:00.000001", want: "2: 1400.00 - 0.00 = 1400.00"},
		{name: "an hour between fractions of a second", duration: hour, price: "700", start: "2026-03-02 10:00:00.9", end: "2026-03-02 11:00:00.9", want: "1: 700.00 - 0.00 = 700.00"},
		{name: "less than an hour", duration: hour, price: "700", start: start, end: "2026-03-02 10:05", want: "1: 700.00 - 0.00 = 700.00"},
		{name: "a day by the hour", duration: hour, price: "700", start: start, end: end, want: "24: 16800.00 - 0.00 = 16800.00"},
		{name: "90 minutes", duration: 5400, price: "900", start: start, end: "2026-03-02 13:01", want: "3: 2700.00 - 0.00 = 2700.00"},
		{name: "a day", duration: day, price: "5000", start: start, end: end, want: "1: 5000.00 - 0.00 = 5000.00"},
		{name: "25 hours on a day tariff", duration: day, price: "5000", start: start, end: "2026-03-03 11:00", want: "2: 10000.00 - 0.00 = 10000.00"},
		{name: "a day and a second", duration: day, price: "5000", start: start, end: "2026-03-03 10:00:01", want: "2: 10000.00 - 0.00 = 10000.00"},
		{name: "an hour on a day tariff", duration: day, price: "5000", start: start, end: "2026-03-02 11:00", want: "1: 5000.00 - 0.00 = 5000.00"},
		{name: "three days", duration: day, price: "5000", start: start, end: "2026-03-05 10:00", want: "3: 15000.00 - 0.00 = 15000.00"},
		{name: "36 hours aren't whole days", duration: 36 * hour, price: "5000", start: start, end: "2026-03-05 10:00", want: "2: 10000.00 - 0.00 = 10000.00"},
		{name: "a week", duration: week, price: "30000", start: start, end: "2026-03-09 10:00", want: "1: 30000.00 - 0.00 = 30000.00"},
		{name: "a week and a day", duration: week, price: "30000", start: start, end: "2026-03-10 10:00", want: "2: 60000.00 - 0.00 = 60000.00"},
		{name: "a leap day counts", duration: day, price: "5000", start: "2028-02-28 10:00", end: "2028-03-01 10:00", want: "2: 10000.00 - 0.00 = 10000.00"},

		{name: "a month of 30 days", duration: month, price: "90000", start: "2026-03-02 10:00", end: "2026-04-01 10:00", want: "1: 90000.00 - 0.00 = 90000.00"},
		{name: "March is more than 30 days", duration: month, price: "90000", start: "2026-03-02 10:00", end: "2026-04-02 10:00", want: "2: 180000.00 - 0.00 = 180000.00"},
		{name: "March is a calendar month", duration: month, price: "90000", calendar: calendar, start: "2026-03-02 10:00", end: "2026-04-02 10:00", want: "1: 90000.00 - 0.00 = 90000.00"},
		{name: "a second more than a calendar month", duration: month, price: "90000", calendar: calendar, start: "2026-03-02 10:00", end: "2026-04-02 10:00:01", want: "2: 180000.00 - 0.00 = 180000.00"},
		{name: "from 31 January to the end of February", duration: month, price: "90000", calendar: calendar, start: "2026-01-31 10:00", end: "2026-02-28 10:00", want: "1: 90000.00 - 0.00 = 90000.00"},
		{name: "from 31 January to 1 March", duration: month, price: "90000", calendar: calendar, start: "2026-01-31 10:00", end: "2026-03-01 10:00", want: "2: 180000.00 - 0.00 = 180000.00"},
		{name: "from 31 January to the leap day", duration: month, price: "90000", calendar: calendar, start: "2028-01-31 10:00", end: "2028-02-29 10:00", want: "1: 90000.00 - 0.00 = 90000.00"},
		{name: "after a short month the day of the start counts again", duration: month, price: "90000", calendar: calendar, start: "2026-01-31 10:00", end: "2026-03-31 10:00", want: "2: 180000.00 - 0.00 = 180000.00"},
		{name: "28 days of February", duration: month, price: "90000", calendar: calendar, start: "2026-02-01 00:00", end: "2026-03-01 00:00", want: "1: 90000.00 - 0.00 = 90000.00"},
		{name: "a year of calendar months", duration: month, price: "90000", calendar: calendar, start: start, end: "2027-03-02 10:00", want: "12: 1080000.00 - 0.00 = 1080000.00"},
		{name: "a year of 30 days each", duration: month, price: "90000", start: start, end: "2027-03-02 10:00", want: "13: 1170000.00 - 0.00 = 1170000.00"},
		{name: "an hour on a month tariff", duration: month, price: "90000", calendar: calendar, start: start, end: "2026-03-02 11:00", want: "1: 90000.00 - 0.00 = 90000.00"},
		{name: "other durations are no calendar months", duration: 31 * day, price: "90000", calendar: calendar, start: "2026-02-01 00:00", end: "2026-03-04 00:00", want: "1: 90000.00 - 0.00 = 90000.00"},
		{name: "a week isn't a calendar month", duration: week, price: "30000", calendar: calendar, start: start, end: "2026-04-02 10:00", want: "5: 150000.00 - 0.00 = 150000.00"},
		{name: "a calendar month over spring", zone: berlin, duration: month, price: "900", calendar: calendar, start: "2026-03-15 10:00", end: "2026-04-15 10:00", want: "1: 900.00 - 0.00 = 900.00"},
		{name: "a calendar month over autumn", zone: berlin, duration: month, price: "900", calendar: calendar, start: "2026-10-15 10:00", end: "2026-11-15 10:00", want: "1: 900.00 - 0.00 = 900.00"},
		{name: "a calendar month is one of the company's zone", zone: newYork, duration: month, price: "900", calendar: calendar, start: "2026-02-01 02:00 +00:00", end: "2026-03-01 02:00 +00:00", want: "1: 900.00 - 0.00 = 900.00"},

		{name: "Berlin: a day of 23 hours", zone: berlin, duration: day, price: "100", start: "2026-03-28 10:00", end: "2026-03-29 10:00", want: "1: 100.00 - 0.00 = 100.00"},
		{name: "Berlin: 24 hours over spring", zone: berlin, duration: day, price: "100", start: "2026-03-28 10:00", end: "2026-03-29 11:00", want: "2: 200.00 - 0.00 = 200.00"},
		{name: "Berlin: a day of 25 hours", zone: berlin, duration: day, price: "100", start: "2026-10-24 10:00", end: "2026-10-25 10:00", want: "1: 100.00 - 0.00 = 100.00"},
		{name: "Berlin: a day of 25 hours and a second", zone: berlin, duration: day, price: "100", start: "2026-10-24 10:00", end: "2026-10-25 10:00:01", want: "2: 200.00 - 0.00 = 200.00"},
		{name: "Berlin: a week over autumn", zone: berlin, duration: week, price: "500", start: "2026-10-20 10:00", end: "2026-10-27 10:00", want: "1: 500.00 - 0.00 = 500.00"},
		{name: "Berlin: 30 days over spring", zone: berlin, duration: month, price: "900", start: "2026-03-15 10:00", end: "2026-04-14 10:00", want: "1: 900.00 - 0.00 = 900.00"},
		{name: "Berlin: hours are real in spring", zone: berlin, duration: hour, price: "10", start: "2026-03-28 10:00", end: "2026-03-29 10:00", want: "23: 230.00 - 0.00 = 230.00"},
		{name: "Berlin: hours are real in autumn", zone: berlin, duration: hour, price: "10", start: "2026-10-24 10:00", end: "2026-10-25 10:00", want: "25: 250.00 - 0.00 = 250.00"},
		{name: "Berlin: a skipped time, 24 hours", zone: berlin, duration: day, price: "100", start: "2026-03-28 02:30", end: "2026-03-29 03:30", want: "1: 100.00 - 0.00 = 100.00"},
		{name: "Berlin: a skipped time, a second more", zone: berlin, duration: day, price: "100", start: "2026-03-28 02:30", end: "2026-03-29 03:30:01", want: "2: 200.00 - 0.00 = 200.00"},
		{name: "Berlin: past a skipped time", zone: berlin, duration: day, price: "100", start: "2026-03-28 02:30", end: "2026-03-30 02:30", want: "2: 200.00 - 0.00 = 200.00"},
		{name: "Berlin: the first of two equal times", zone: berlin, duration: day, price: "100", start: "2026-10-24 02:30", end: "2026-10-25 02:30 +02:00", want: "1: 100.00 - 0.00 = 100.00"},
		{name: "Berlin: the second of two equal times", zone: berlin, duration: day, price: "100", start: "2026-10-24 02:30", end: "2026-10-25 02:30 +01:00", want: "1: 100.00 - 0.00 = 100.00"},
		{name: "Berlin: between two equal times", zone: berlin, duration: hour, price: "10", start: "2026-10-25 02:30 +02:00", end: "2026-10-25 02:30 +01:00", want: "1: 10.00 - 0.00 = 10.00"},
		{name: "Berlin: a year", zone: berlin, duration: day, price: "1", start: "2026-01-01 00:00", end: "2027-01-01 00:00", want: "365: 365.00 - 0.00 = 365.00"},
		{name: "New York: a day of 23 hours", zone: newYork, duration: day, price: "100", start: "2026-03-07 12:00", end: "2026-03-08 12:00", want: "1: 100.00 - 0.00 = 100.00"},
		{name: "New York: a day of 25 hours", zone: newYork, duration: day, price: "100", start: "2026-10-31 12:00", end: "2026-11-01 12:00", want: "1: 100.00 - 0.00 = 100.00"},
		{name: "New York: a day of 25 hours, told in UTC", zone: newYork, duration: day, price: "100", start: "2026-10-31 16:00 +00:00", end: "2026-11-01 17:00 +00:00", want: "1: 100.00 - 0.00 = 100.00"},
		{name: "New York: 26 hours over autumn", zone: newYork, duration: day, price: "100", start: "2026-10-31 12:00", end: "2026-11-01 13:00", want: "2: 200.00 - 0.00 = 200.00"},
		{name: "New York: a skipped time", zone: newYork, duration: day, price: "100", start: "2026-03-07 02:30", end: "2026-03-08 03:30", want: "1: 100.00 - 0.00 = 100.00"},
		{name: "Almaty: 25 hours are two days while Berlin has one", zone: almaty, duration: day, price: "100", start: "2026-10-24 10:00", end: "2026-10-25 11:00", want: "2: 200.00 - 0.00 = 200.00"},
		{name: "Almaty: half a year", zone: almaty, duration: day, price: "100", start: "2026-01-01 00:00", end: "2026-07-01 00:00", want: "181: 18100.00 - 0.00 = 18100.00"},
		{name: "Apia: a day that never was", zone: "Pacific/Apia", duration: day, price: "100", start: "2011-12-29 10:00", end: "2011-12-31 10:00", want: "1: 100.00 - 0.00 = 100.00"},

		{name: "a one-time payment", duration: day, once: true, price: "5000", start: start, end: "2026-03-09 10:00", want: "1: 5000.00 - 0.00 = 5000.00"},
		{name: "a tariff without duration", price: "5000", start: start, end: "2026-03-09 10:00", want: "1: 5000.00 - 0.00 = 5000.00"},
		{name: "a sale", duration: day, sale: true, price: "5000", start: start, end: "2026-03-09 10:00", want: "1: 5000.00 - 0.00 = 5000.00"},
		{name: "no time at all counts once", duration: day, price: "5000", start: start, end: start, want: "1: 5000.00 - 0.00 = 5000.00"},
		{name: "free of charge", duration: day, price: "0", start: start, end: "2026-03-09 10:00", want: "7: 0.00 - 0.00 = 0.00"},
		{name: "free of charge with discounts", duration: day, price: "0", start: start, end: end, percent: "10", off: "5", additional: "1", want: "1: 0.00 - 0.00 = 0.00"},
		{name: "three pieces", price: "399.99", count: 3, want: "1: 1199.97 - 0.00 = 1199.97"},
		{name: "three pieces for two days", duration: day, price: "100", count: 3, start: start, end: "2026-03-04 10:00", want: "2: 600.00 - 0.00 = 600.00"},
		{name: "no count is one", price: "100", count: 0, want: "1: 100.00 - 0.00 = 100.00"},

		{name: "percent", duration: day, price: "5000", start: start, end: end, percent: "10", want: "1: 5000.00 - 500.00 = 4500.00"},
		{name: "an amount", duration: day, price: "5000", start: start, end: end, off: "300", want: "1: 5000.00 - 300.00 = 4700.00"},
		{name: "percent, then an amount, then additional", duration: day, price: "5000", start: start, end: "2026-03-04 10:00", percent: "10", off: "300", additional: "50.50", want: "2: 10000.00 - 1350.50 = 8649.50"},
		{name: "additional alone", duration: day, price: "5000", start: start, end: end, additional: "0.01", want: "1: 5000.00 - 0.01 = 4999.99"},
		{name: "100 percent", duration: day, price: "5000", start: start, end: end, percent: "100", want: "1: 5000.00 - 5000.00 = 0.00"},
		{name: "more than the gross", duration: day, price: "5000", start: start, end: end, off: "6000", want: "1: 5000.00 - 5000.00 = 0.00"},
		{name: "together more than the gross", duration: day, price: "5000", start: start, end: end, percent: "60", off: "1500", additional: "1000", want: "1: 5000.00 - 5000.00 = 0.00"},
		{name: "more than 100 percent", duration: day, price: "5000", start: start, end: end, percent: "250", want: "1: 5000.00 - 5000.00 = 0.00"},
		{name: "half a cent of discount goes up", price: "0.05", percent: "10", want: "1: 0.05 - 0.01 = 0.04"},
		{name: "less than half a cent goes", price: "0.04", percent: "10", want: "1: 0.04 - 0.00 = 0.04"},
		{name: "a third of a percent", price: "100.01", percent: "0.33", want: "1: 100.01 - 0.33 = 99.68"},
		{name: "12.5 percent", price: "99.99", percent: "12.5", want: "1: 99.99 - 12.50 = 87.49"},
		{name: "percent of all pieces, rounded once", price: "0.05", count: 3, percent: "10", want: "1: 0.15 - 0.02 = 0.13"},
		{name: "discounts of the largest amounts", price: "10", percent: "100", off: "99999999999999.99", additional: "99999999999999.99", want: "1: 10.00 - 10.00 = 0.00"},

		{name: "11 years of a tariff of a second", duration: 1, price: "0.01", start: start, end: "2037-03-02 10:00", want: "347155200: 3471552.00 - 0.00 = 3471552.00"},
		{name: "11 years of days", zone: berlin, duration: day, price: "1", start: start, end: "2037-03-02 10:00", want: "4018: 4018.00 - 0.00 = 4018.00"},
		{name: "9,000 years of days", zone: newYork, duration: day, price: "1", start: "1000-01-01 00:00", end: "9999-12-31 00:00", want: "3287181: 3287181.00 - 0.00 = 3287181.00"},
		{name: "a duration of ages", duration: 106_751_991_167_300 * day, price: "1", start: start, end: "2037-03-02 10:00", want: "1: 1.00 - 0.00 = 1.00"},
		{name: "the largest amount", price: "99999999999999.99", want: "1: 99999999999999.99 - 0.00 = 99999999999999.99"},
		{name: "too much for its time", duration: 1, price: "1000000", start: start, end: "2037-03-02 10:00", want: "refused"},
		{name: "too much for its count", price: "2", count: 1 << 62, want: "refused"},
		{name: "too much discount", price: "99999999999999.99", percent: "101", want: "refused"},
	}
}

// TestLines is the golden table of the prices of lines.
func TestLines(t *testing.T) {
	if len(lines()) < 60 {
		t.Error("the table has lost rows")
	}
	for _, tt := range lines() {
		t.Run(tt.name, func(t *testing.T) {
			if tt.zone == "" {
				tt.zone = almaty
			}
			rules := pricing.Rules{Zone: load(t, tt.zone), CalendarMonths: tt.calendar}
			it := pricing.Item{
				Terms: pricing.Terms{Price: amount(t, tt.price), Duration: tt.duration, Once: tt.once}, Sale: tt.sale, Count: tt.count,
				Discount: pricing.Discount{Percent: maybe(t, tt.percent), Amount: maybe(t, tt.off)}, Additional: amount(t, tt.additional),
			}
			if tt.start != "" {
				it.Start, it.End = momentIn(t, rules.Zone, tt.start).UTC(), momentIn(t, rules.Zone, tt.end).UTC()
			}
			p, err := rules.Price(it)
			got := fmt.Sprintf("%d: %s - %s = %s", p.Units, p.Gross, p.Discount, p.Net)
			if errors.Is(err, money.ErrDigits) {
				got = "refused"
			} else if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A company without a zone has days of 24 hours.
func TestNoZone(t *testing.T) {
	at := time.Date(2026, 3, 28, 10, 0, 0, 0, time.UTC)
	p, err := pricing.Rules{}.Price(pricing.Item{
		Terms: pricing.Terms{Price: money.Whole(1), Duration: day}, Start: at, End: at.Add(25 * time.Hour),
	})
	if err != nil || p.Units != 2 {
		t.Errorf("%d, %v", p.Units, err)
	}
}
