package pricing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

func offered(id, price int64, duration moment.Seconds) pricing.Offered {
	return pricing.Offered{ID: id, Terms: pricing.Terms{Price: money.Whole(price), Duration: duration}}
}

// rental is the tariffs of the golden rows: an hour, a day, a week and a month.
func rental() []pricing.Offered {
	return []pricing.Offered{offered(1, 2000, hour), offered(2, 15000, day), offered(3, 91000, week), offered(4, 330000, month)}
}

func percent(p int64) *money.Amount {
	a := money.Whole(p)
	return &a
}

// march is some days of March 2026.
func march(first, last int) *pricing.Season {
	return &pricing.Season{First: pricing.Date{Year: 2026, Month: 3, Day: first}, Last: pricing.Date{Year: 2026, Month: 3, Day: last}}
}

func nauryz() pricing.Rule {
	return pricing.Rule{ID: 1, Name: "Nauryz", Ordering: 1, Percent: percent(20), Season: march(21, 22)}
}

// long is a rule for rentals of a week and more.
func long(p int64) pricing.Rule {
	return pricing.Rule{ID: 7, Name: "Week", Ordering: 1, Percent: percent(p), AtLeast: 7 * day}
}

// parts are told as "1×4 1×2": units and id.
func parts(list []pricing.Part) string {
	var told []string
	for _, p := range list {
		told = append(told, fmt.Sprintf("%d×%d", p.Units, p.ID))
	}
	return strings.Join(told, " ")
}

const (
	monday   = "2026-03-02 10:00"
	saturday = "2026-03-21 00:00" // the first day of Nauryz
	friday   = "2026-03-20 00:00"
)

// TestRentals is the golden table of rentals that cost the cheapest sum, and of price rules. The numbers are those of the rows that
// all implementations of these prices agree on; others have none.
func TestRentals(t *testing.T) {
	named := offered(4, 330000, month)
	listed := pricing.Rule{ID: 1, Name: "Nauryz", Ordering: 1, Season: march(21, 22), Prices: []pricing.ListPrice{
		{Tariff: 2, Price: money.Whole(20000)}, {Tariff: 3, Price: money.Whole(120000)},
	}}
	three := pricing.Rule{ID: 9, Name: "Long", Minimum: 3 * day}
	for _, tt := range []struct {
		row        int
		name       string
		zone       string
		calendar   bool
		start, end string
		offer      []pricing.Offered
		named      *pricing.Offered
		rules      []pricing.Rule
		count      int64
		want       string // parts: gross
	}{
		{row: 1, name: "a month and a day", start: monday, end: "2026-04-02 10:00", want: "1×4 1×2: 345000.00"},
		{row: 2, name: "a week and an hour", start: monday, end: "2026-03-09 11:00", want: "1×3 1×1: 93000.00"},
		{row: 3, name: "six days and an hour are a week", start: monday, end: "2026-03-08 11:00", want: "1×3: 91000.00"},
		{row: 4, name: "eight hours are a day", start: monday, end: "2026-03-02 18:00", want: "1×2: 15000.00"},
		{row: 5, name: "from 31 January to 1 March", calendar: true, start: "2026-01-31 10:00", end: "2026-03-01 10:00", want: "1×4 1×2: 345000.00"},
		{row: 6, name: "from 31 January to 31 March", calendar: true, start: "2026-01-31 10:00", end: "2026-03-31 10:00", want: "2×4: 660000.00"},
		{row: 7, name: "a day of 23 hours and an hour", zone: berlin, start: "2026-03-28 10:00", end: "2026-03-29 11:00", want: "1×2 1×1: 17000.00"},
		{row: 8, name: "a tariff for any time", offer: append(rental(), offered(9, 300000, 0)), start: monday, end: "2026-04-02 10:00", want: "1×9: 300000.00"},
		{row: 9, name: "a tariff that is named", named: &named, start: monday, end: "2026-04-02 10:00", want: "2 units: 660000.00"},
		{row: 10, name: "a season on 2 of 5 days", start: friday, end: "2026-03-25 00:00", rules: []pricing.Rule{nauryz()}, want: "5×2: 81000.00"},
		{row: 11, name: "two seasons side by side don't compound", start: saturday, end: "2026-03-31 00:00", rules: []pricing.Rule{
			{ID: 1, Ordering: 1, Percent: percent(20), Season: march(21, 25)}, {ID: 2, Ordering: 2, Percent: percent(20), Season: march(26, 30)},
		}, want: "1×3 3×2: 163200.00"},
		{row: 12, name: "two seasons that overlap do", start: saturday, end: "2026-03-26 00:00", rules: []pricing.Rule{
			{ID: 2, Ordering: 2, Percent: percent(-10), Season: march(22, 23)}, {ID: 1, Ordering: 1, Percent: percent(20), Season: march(21, 22)},
		}, want: "5×2: 77700.00"},
		{row: 13, name: "167 hours are seven days", zone: berlin, start: "2026-03-25 10:00", end: "2026-04-01 10:00", rules: []pricing.Rule{long(-10)}, want: "1×3: 81900.00"},
		{row: 14, name: "a minimum of three days", start: "2026-03-22 00:00", end: "2026-03-23 00:00", rules: []pricing.Rule{three, nauryz()}, want: "3×2 until 2026-03-25 00:00: 48000.00"},
		{row: 15, name: "a price list for 2 of 5 days", start: friday, end: "2026-03-25 00:00", rules: []pricing.Rule{listed}, want: "5×2: 85000.00"},
		{row: 26, name: "three insurances for three days", offer: []pricing.Offered{offered(7, 1500, day)}, count: 3, start: monday, end: "2026-03-05 10:00", want: "3×7: 13500.00"},

		{name: "fewer units of equal sums", offer: []pricing.Offered{offered(1, 10, day), offered(2, 20, 2*day)}, start: monday, end: "2026-03-04 10:00", want: "1×2: 20.00"},
		{
			name: "more of the longest of equal sums", start: monday, end: "2026-03-06 10:00",
			offer: []pricing.Offered{offered(1, 10, day), offered(2, 20, 2*day), offered(3, 30, 3*day)}, want: "1×3 1×1: 40.00",
		},
		{
			name: "fewer units of equal days", start: monday, end: "2026-03-08 10:00",
			offer: []pricing.Offered{offered(1, 10, day), offered(2, 25, 3*day), offered(3, 30, 4*day)}, want: "2×2: 50.00",
		},
		{
			name: "fewer units of equal days and hours", start: monday, end: "2026-03-07 10:00",
			offer: []pricing.Offered{offered(1, 10, day), offered(2, 21, 60*hour), offered(3, 22, 3*day)}, want: "2×2: 42.00",
		},
		{
			name: "more of the longest of equal days and hours", start: monday, end: "2026-03-04 22:00",
			offer: []pricing.Offered{offered(1, 10, day), offered(2, 10, 36*hour)}, want: "2×2: 20.00",
		},
		{
			name: "the lowest id of equal calendar months", calendar: true, start: monday, end: "2026-05-02 10:00",
			offer: []pricing.Offered{offered(3, 10, month), offered(2, 10, month), offered(1, 11, month)}, want: "2×2: 20.00",
		},
		{name: "the lowest id of equal tariffs", offer: []pricing.Offered{offered(5, 10, day), offered(2, 10, day)}, start: monday, end: "2026-03-04 10:00", want: "2×2: 20.00"},
		{name: "any time before an equal day", offer: []pricing.Offered{offered(1, 10, day), offered(2, 10, 0)}, start: monday, end: "2026-03-03 10:00", want: "1×2: 10.00"},
		{name: "an odd duration stands alone", offer: []pricing.Offered{offered(1, 1, 1000), offered(2, 100, day)}, start: monday, end: "2026-03-03 10:10", want: "87×1: 87.00"},
		{name: "an odd duration fills no gap", offer: []pricing.Offered{offered(1, 3, 1000), offered(2, 100, day)}, start: monday, end: "2026-03-03 10:10", want: "2×2: 200.00"},
		{name: "no time is the cheapest unit", start: monday, end: monday, want: "1×1: 2000.00"},
		{
			name: "the first twelve take part", start: monday, end: "2026-03-03 10:00", want: "1×2: 50.00",
			offer: append([]pricing.Offered{offered(20, 1, day)}, slices.Repeat([]pricing.Offered{offered(2, 50, day)}, 12)...),
		},
		{name: "more than 400 days begin with the longest", offer: []pricing.Offered{offered(1, 1, day), offered(2, 100, month)}, start: "2026-01-01 00:00", end: "2027-03-01 00:00", want: "1×2 394×1: 494.00"},
		{name: "400 days don't", offer: []pricing.Offered{offered(1, 1, day), offered(2, 100, month)}, start: "2026-01-01 00:00", end: "2027-02-05 00:00", want: "400×1: 400.00"},
		{name: "more than 400 days with calendar months", calendar: true, offer: []pricing.Offered{offered(1, 1, day), offered(2, 100, month)}, start: "2026-01-01 00:00", end: "2027-03-08 00:00", want: "1×2 400×1: 500.00"},
		{name: "more than 400 days by hours", offer: []pricing.Offered{offered(1, 1, hour), offered(2, 100, 36*hour)}, start: "2026-01-01 00:00", end: "2027-02-05 01:00", want: "1×2 9565×1: 9665.00"},
		{name: "9,000 years", zone: newYork, offer: rental(), start: "1000-01-01 00:00", end: "9999-12-31 00:00", want: "109572×4 3×3: 36159033000.00"},
		{name: "a duration of ages", offer: []pricing.Offered{offered(1, 7, 106_751_991_167_300*day)}, start: monday, end: "2037-03-02 10:00", want: "1×1: 7.00"},
		{name: "no sum is an amount", offer: []pricing.Offered{offered(1, 99_999_999_999_999, hour)}, start: monday, end: "2026-03-02 12:00", want: "refused"},
		{name: "the one that is an amount", offer: []pricing.Offered{offered(1, 99_999_999_999_999, hour), offered(2, 99_999_999_999_999, day)}, start: monday, end: "2026-03-02 12:00", want: "1×2: 99999999999999.00"},
		{name: "a rule that makes it no amount", offer: []pricing.Offered{offered(1, 99_999_999_999_999, day)}, start: friday, end: saturday, rules: []pricing.Rule{{Percent: percent(1)}}, want: "refused"},

		{name: "a minimum looks at the time without it", start: monday, end: "2026-03-03 10:00", rules: []pricing.Rule{
			{Minimum: 2 * day, Below: 2 * day}, {Minimum: 5 * day, AtLeast: 2 * day},
		}, want: "2×2 until 2026-03-04 10:00: 30000.00"},
		{name: "a percentage looks at the time that is priced", start: monday, end: "2026-03-03 10:00", rules: []pricing.Rule{
			{Minimum: 2 * day}, {Percent: percent(10), AtLeast: 2 * day}, {Percent: percent(50), Below: 2 * day},
		}, want: "2×2 until 2026-03-04 10:00: 33000.00"},
		{name: "a minimum that doesn't hold at the start", start: friday, end: saturday, rules: []pricing.Rule{
			{Minimum: 2 * day, Season: march(21, 22)},
		}, want: "1×2: 15000.00"},
		{name: "the highest minimum", start: friday, end: saturday, rules: []pricing.Rule{{Minimum: 3 * day}, {Minimum: 2 * day}}, want: "3×2 until 2026-03-23 00:00: 45000.00"},
		{name: "minus 100 percent", start: friday, end: saturday, rules: []pricing.Rule{{Percent: percent(-100)}}, want: "1×2: 0.00"},
		{name: "the first list has a second", start: saturday, end: "2026-03-22 00:00", rules: []pricing.Rule{
			{ID: 2, Ordering: 2, Prices: []pricing.ListPrice{{Tariff: 2, Price: money.Whole(1)}}},
			{ID: 1, Ordering: 1, Hours: &pricing.Hours{To: 12 * hour}, Prices: []pricing.ListPrice{{Tariff: 2, Price: money.Whole(10000)}}},
		}, want: "1×2: 5000.50"},
		{name: "a list of a tariff that is named", named: &named, start: monday, end: "2026-04-01 10:00", rules: []pricing.Rule{
			{Prices: []pricing.ListPrice{{Tariff: 4, Price: money.Whole(1000)}}},
		}, want: "1 units: 1000.00"},
		{name: "no time at all takes what holds then", start: friday, end: friday, rules: []pricing.Rule{{Percent: percent(50)}}, want: "1×1: 3000.00"},
		{name: "at night where clocks are put back", zone: berlin, start: "2026-10-25 00:00", end: "2026-10-25 04:00", offer: []pricing.Offered{offered(1, 500, 5*hour)}, rules: []pricing.Rule{
			{Percent: percent(100), Hours: &pricing.Hours{From: 5 * hour / 2, To: 3 * hour}}, // twice half an hour
		}, want: "1×1: 600.00"},
		{name: "at night where clocks are put forward", zone: berlin, start: "2026-03-29 00:00", end: "2026-03-29 06:00", offer: []pricing.Offered{offered(1, 500, 5*hour)}, rules: []pricing.Rule{
			{Percent: percent(100), Hours: &pricing.Hours{From: 23 * hour, To: 5 * hour / 2}}, // two hours
		}, want: "1×1: 700.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.zone == "" {
				tt.zone = almaty
			}
			r := pricing.Rules{Zone: load(t, tt.zone), CalendarMonths: tt.calendar}
			it := pricing.Item{Offer: tt.offer, Rules: tt.rules, Count: tt.count, Start: momentIn(t, r.Zone, tt.start), End: momentIn(t, r.Zone, tt.end)}
			if tt.named != nil {
				it.Terms, it.Tariff = tt.named.Terms, tt.named.ID
			} else if it.Offer == nil {
				it.Offer = rental()
			}
			p, err := r.Price(it)
			got := "refused"
			if err == nil {
				got = parts(p.Parts)
				if tt.named != nil {
					got = fmt.Sprintf("%d units", p.Units)
				}
				if !p.End.Equal(it.End) {
					got += " until " + p.End.In(r.Zone).Format("2006-01-02 15:04")
				}
				got += ": " + p.Gross.String()
			}
			if got != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
			if err == nil && sum(p.Steps).Cmp(p.Net) != 0 {
				t.Errorf("the steps don't add up to %s: %q", p.Net, told(p.Steps))
			}
		})
	}
}

// TestLateRentals is the golden table of lateness where it costs what the longer rental would.
func TestLateRentals(t *testing.T) {
	const after = 3 * 24 * time.Hour
	cent := func(n int64) *money.Amount { a := money.Whole(n); return &a }
	of := func(n int64) *int64 { return &n }
	tariffs := pricing.Rules{LateByTariffs: true}
	for _, tt := range []struct {
		row   int
		name  string
		rules pricing.Rules
		item  pricing.Item
		days  int
		late  time.Duration
		want  string
	}{
		{row: 17, name: "three days on a month, pro rata", days: 30, late: after, want: "32541.67"},
		{row: 18, name: "three days on a month", rules: tariffs, days: 30, late: after, want: "45000.00"},
		{row: 19, name: "within the grace", rules: tariffs, days: 1, late: time.Hour, want: "0.00"},
		{row: 19, name: "past the grace all of it counts", rules: tariffs, days: 1, late: 2 * time.Hour, want: "4000.00"},
		{row: 20, name: "a bound for each day", rules: pricing.Rules{LateByTariffs: true, LatePercent: of(150), LateDayCap: cent(20000)}, days: 30, late: after, want: "60000.00"},
		{row: 21, name: "never less than nothing", rules: tariffs, item: pricing.Item{Rules: []pricing.Rule{long(-20)}}, days: 6, late: 24 * time.Hour, want: "0.00"},

		{name: "half", rules: pricing.Rules{LateByTariffs: true, LatePercent: of(50)}, days: 30, late: after, want: "22500.00"},
		{name: "nothing of it", rules: pricing.Rules{LateByTariffs: true, LatePercent: of(0)}, days: 30, late: after, want: "0.00"},
		{name: "pro rata is rounded once", rules: pricing.Rules{LatePercent: of(200)}, days: 30, late: after, want: "65083.33"},
		{name: "a begun day has the whole bound", rules: pricing.Rules{LateDayCap: cent(1000)}, days: 30, late: 24*time.Hour + time.Second, want: "2000.00"},
		{name: "a bound above it", rules: pricing.Rules{LateDayCap: cent(20000)}, days: 30, late: after, want: "32541.67"},
		{name: "a bound that is no amount for all the days", rules: pricing.Rules{LateDayCap: cent(99_999_999_999_999)}, days: 30, late: after, want: "32541.67"},
		{name: "discounts don't count", rules: tariffs, item: pricing.Item{Discount: pricing.Discount{Percent: percent(50)}, Additional: money.Whole(5)}, days: 30, late: after, want: "45000.00"},
		{name: "a sale", rules: tariffs, item: pricing.Item{Sale: true}, days: 1, late: after, want: "0.00"},
		{name: "before the end that was priced", rules: tariffs, item: pricing.Item{Rules: []pricing.Rule{{Minimum: 4 * day}}}, days: 1, late: after, want: "0.00"},
		{name: "after the end that was priced", rules: tariffs, item: pricing.Item{Rules: []pricing.Rule{{Minimum: 2 * day}}}, days: 1, late: after, want: "30000.00"},
		{name: "a minimum of short rentals is what was priced", rules: tariffs, item: pricing.Item{Rules: []pricing.Rule{{Minimum: 3 * day, Below: 2 * day}, {Minimum: 5 * day, AtLeast: 3 * day}}}, days: 1, late: after, want: "30000.00"},
		{name: "pro rata, after the end that was priced", item: pricing.Item{Rules: []pricing.Rule{{Minimum: 3 * day}}}, days: 1, late: after, want: "10541.67"},
		{name: "a tariff that is named", rules: tariffs, item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(5000), Duration: day}, Tariff: 5}, days: 1, late: 2 * time.Hour, want: "5000.00"},
		{name: "paid once", rules: tariffs, item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(5000), Duration: day, Once: true}, Tariff: 5}, days: 1, late: after, want: "0.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, it := tt.rules, tt.item
			r.Zone, r.LateGrace, r.LateStep = load(t, almaty), hour, hour
			if it.Tariff == 0 {
				it.Offer, it.Terms = rental(), pricing.Terms{Price: money.Whole(330000), Duration: month}
			}
			it.Start = momentIn(t, r.Zone, monday)
			it.End = it.Start.AddDate(0, 0, tt.days)
			fee, err := r.LateFee(it, it.End.Add(tt.late))
			if err != nil || fee.String() != tt.want {
				t.Errorf("got %s, %v, want %s", fee, err, tt.want)
			}
		})
	}
}

// TestUsesOfPrices is the golden rows of what follows from prices: an order, an early return and a swap.
func TestUsesOfPrices(t *testing.T) {
	r := pricing.Rules{Zone: load(t, almaty)}
	price := func(offer []pricing.Offered, start string, lasts time.Duration, rules ...pricing.Rule) money.Amount {
		at := momentIn(t, r.Zone, start)
		p, err := r.Price(pricing.Item{Offer: offer, Rules: rules, Start: at, End: at.Add(lasts)})
		if err != nil {
			t.Fatal(err)
		}
		return p.Gross
	}
	lower := func(a, b money.Amount) money.Amount {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	}
	const d = 24 * time.Hour
	start := momentIn(t, r.Zone, friday)
	line, err := r.Price(pricing.Item{
		Offer: rental(), Rules: []pricing.Rule{nauryz()}, Discount: pricing.Discount{Percent: percent(10)}, Start: start, End: start.Add(5 * d),
	})
	if err != nil {
		t.Fatal(err)
	}
	order, err := pricing.Order(
		pricing.Sums{Inventory: line.Gross, LineDiscounts: line.Discount, Net: line.Net},
		pricing.Conditions{Discount: pricing.Discount{Amount: percent(900)}, TaxPercent: money.Whole(12)},
	)
	if err != nil {
		t.Fatal(err)
	}
	dearer := []pricing.Offered{offered(5, 20000, day), offered(6, 450000, month)}
	for _, tt := range []struct {
		row       int
		name      string
		got, want string
	}{
		{16, "an order with a tax", fmt.Sprint(line.Gross, line.Net, order.Net, order.Price), "81000.00 72900.00 72000.00 80640.00"},
		{22, "back early", lower(price(rental(), monday, 7*d), price(rental(), monday, 3*d+2*time.Hour)).String(), "49000.00"},
		{22, "back early, never dearer", lower(price(rental(), monday, 7*d, long(-20)), price(rental(), monday, 6*d, long(-20))).String(), "72800.00"},
		{23, "swapped", fmt.Sprint(price(rental(), monday, 31*d).Spread(money.Whole(10), money.Whole(21))), "[111290.32 233709.68]"},
		{23, "swapped, then longer", fmt.Sprint(price(rental(), monday, 33*d).Spread(money.Whole(10), money.Whole(23))), "[113636.36 261363.64]"},
		{24, "swapped for a dearer one", fmt.Sprint(
			price(rental(), monday, 30*d).Spread(money.Whole(10), money.Whole(20))[0], price(dearer, monday, 30*d).Spread(money.Whole(10), money.Whole(20))[1],
		), "110000.00 300000.00"},
	} {
		if tt.got != tt.want {
			t.Errorf("%d, %s: %s, want %s", tt.row, tt.name, tt.got, tt.want)
		}
	}
}
