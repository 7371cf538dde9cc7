package row

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// TestAccrue: an amount is spread over days by their seconds, to the cent.
func TestAccrue(t *testing.T) {
	for _, tt := range []struct {
		name, zone, from, until string
		cents                   int64
		want                    string
	}{
		{"within a day", "Asia/Almaty", "2026-03-02T05:00:00Z", "2026-03-02T15:00:00Z", 100, "03-02 1.00"},
		{"to midnight", "Asia/Almaty", "2026-03-02T05:00:00Z", "2026-03-02T19:00:00Z", 100, "03-02 1.00"},
		{"over midnight", "Asia/Almaty", "2026-03-02T18:00:00Z", "2026-03-02T21:00:00Z", 100, "03-02 0.33, 03-03 0.67"},
		{"three days", "Asia/Almaty", "2026-03-02T07:00:00Z", "2026-03-04T07:00:00Z", 6000_00, "03-02 1500.00, 03-03 3000.00, 03-04 1500.00"},
		{"half a cent goes up", "UTC", "2026-03-02T00:00:00Z", "2026-03-06T00:00:00Z", 2, "03-02 0.01, 03-03 0.00, 03-04 0.01, 03-05 0.00"},
		{"no length", "UTC", "2026-03-02T05:00:00Z", "2026-03-02T05:00:00Z", 100, "03-02 1.00"},
		{"a day of 23 hours", "Europe/Berlin", "2026-03-27T23:00:00Z", "2026-03-30T22:00:00Z", 71_00, "03-28 24.00, 03-29 23.00, 03-30 24.00"},
		{"a day of 25 hours", "Europe/Berlin", "2026-10-23T22:00:00Z", "2026-10-26T23:00:00Z", 73_00, "10-24 24.00, 10-25 25.00, 10-26 24.00"},
		{"a day that begins at 1:00", "Africa/Cairo", "2026-04-22T22:00:00Z", "2026-04-25T21:00:00Z", 71_00, "04-23 24.00, 04-24 23.00, 04-25 24.00"},
		{"a day that begins twice", "America/Havana", "2026-10-31T04:00:00Z", "2026-11-03T05:00:00Z", 73_00, "10-31 24.00, 11-01 25.00, 11-02 24.00"},
		{"a day that was left out", "Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-31T10:00:00Z", 48_00, "12-29 24.00, 12-30 0.00, 12-31 24.00"},
	} {
		dates, of := accrue(cents(tt.cents), at(tt.from), at(tt.until), zone(tt.zone))
		var got []string
		for _, d := range dates {
			got = append(got, fmt.Sprintf("%s %s", d[5:], of[d]))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, s, tt.want)
		}
	}
}

// TestAccrueForYears: of a time of more days than a line has rows, days stand together, evenly.
func TestAccrueForYears(t *testing.T) {
	from := at("2026-01-01T00:00:00Z")
	for _, tt := range []struct{ days, steps, least, most int }{{1, 1, 1, 1}, {367, 367, 1, 1}, {368, 367, 1, 2}, {3653, 367, 9, 10}} {
		until := from.Add(time.Duration(tt.days) * 24 * time.Hour)
		dates, of := accrue(cents(int64(tt.days)), from, until, time.UTC)
		if len(dates) != tt.steps || dates[0] != "2026-01-01" {
			t.Errorf("%d days have %d steps from %s", tt.days, len(dates), dates[0])
		}
		for _, d := range dates {
			if n := int(of[d].Cents()); n < tt.least || n > tt.most {
				t.Errorf("%d days: %d at %s", tt.days, n, d)
			}
		}
	}
}

// TestByDay shows an order whose lines and money are on different days: 200.00 of the 600.00 that it costs are of days that are not known.
func TestByDay(t *testing.T) {
	back := at("2026-03-05T09:00:00Z")
	l := line(1, 480_00, 0, "2026-03-02T05:00:00Z")
	l.End, l.FactEnd, l.LateFee = at("2026-03-04T05:00:00Z"), &back, cents(20_00)
	sale := line(2, 100_00, 0, "2026-03-03T05:00:00Z")
	sale.Type = order.Sale
	o := of(580_00, 600_00, l, sale)
	o.Collected = []order.Collected{{Day: "2026-02-20", Amount: cents(300_00)}, {Day: "2026-03-03", Amount: cents(100_00)}}
	rows := rowsOf(o, []*order.Line{l, sale}, nil, zone("Asia/Almaty"))
	var got []string
	for _, s := range byDay(rows[1:], o, []*order.Line{l, sale}, nil, zone("Asia/Almaty")) {
		for _, r := range append([]Row{s.base}, s.steps...) {
			got = append(got, fmt.Sprintf("%d %s %s %s/%s", r.ID, r.Date, r.Type(), r.Prediction, r.Profit))
		}
	}
	want := []string{
		"9 2026-03-02 inventory 140.00/166.67", "3214 2026-03-03 inventory 240.00/83.33", "3222 2026-03-04 inventory 100.00/0.00",
		"6142 2026-02-20 inventory 0.00/250.00", "6150 2026-03-05 inventory 20.00/0.00",
		"17 2026-03-03 sale 100.00/50.00", "9342 2026-02-20 sale 0.00/50.00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestBothWaysAreEqual: of any order, the rows of each line by days come to its one row, and those of a day to what was collected on it.
func TestBothWaysAreEqual(t *testing.T) {
	zones := []string{"UTC", "Asia/Almaty", "Europe/Berlin", "America/Havana", "Africa/Cairo"}
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.OneOf(rapid.Just[int64](0), rapid.Int64Range(0, 100), rapid.Int64Range(0, 1_000_000_000))
		amount := func(name string) int64 { return amounts.Draw(t, name) }
		moments := func(name string) moment.Micros {
			return at("2026-01-01T00:00:00Z").Add(time.Duration(rapid.IntRange(0, 400*86400).Draw(t, name)) * time.Second)
		}
		long := func(name string) time.Duration {
			most := rapid.SampledFrom([]int{86400, 20 * 86400, 3660 * 86400}).Draw(t, name)
			return time.Duration(rapid.IntRange(1, most).Draw(t, name)) * time.Second
		}
		var lines []*order.Line
		for n := range rapid.Int64Range(0, 4).Draw(t, "lines") {
			l := line(n+1, 0, 0, "2026-03-02T05:00:00Z")
			l.Start, l.PriceDiscount = moments("start"), cents(amount("discount"))
			l.Price, l.LateFee = l.PriceDiscount.Add(cents(amount("net"))), cents(amount("late"))
			if l.End = l.Start.Add(long("length")); rapid.Bool().Draw(t, "back") {
				back := l.Start.Add(long("out"))
				l.FactEnd = &back
			}
			switch rapid.IntRange(0, 5).Draw(t, "sort") {
			case 0:
				l.Type, l.End = order.Sale, 0
			case 1:
				l.PricedFrom, l.PricedUntil = l.Start.Add(-time.Hour), l.End.Add(30*time.Hour)
			}
			lines = append(lines, l)
		}
		var services []*order.ServiceLine
		for n := range rapid.Int64Range(0, 3).Draw(t, "services") {
			s := &order.ServiceLine{Meta: record.Meta{ID: n + 1}, Type: service.Type(n), Terms: order.Terms{Price: cents(amount("price"))}}
			if s.Timed = rapid.Bool().Draw(t, "timed"); s.Timed && rapid.Bool().Draw(t, "known") {
				start := moments("service")
				s.Priced = &order.Priced{Start: start, End: start.Add(long("service"))}
			}
			services = append(services, s)
		}
		price := amount("order's price")
		if len(lines)+len(services) == 0 {
			price = 0
		}
		o := of(price, amount("paid on days that are not known"), lines...)
		collected := map[decode.Date]int64{}
		for range rapid.IntRange(0, order.MaxCollected).Draw(t, "payments") {
			day, n := dayOf(moments("paid at"), time.UTC), amount("paid")
			if _, there := collected[day]; !there {
				collected[day] = n
				o.Collected, o.PaidAmount = append(o.Collected, order.Collected{Day: day, Amount: cents(n)}), o.PaidAmount.Add(cents(n))
			}
		}
		for n := range rapid.Int64Range(0, 3).Draw(t, "fees") {
			o.Fees = append(o.Fees, order.Fee{Element: record.Element{ID: n + 1, Created: moments("fee")}, Amount: cents(amount("fee"))})
		}
		o.Status = rapid.SampledFrom([]order.Status{order.Request, order.Cancelled, order.Debtor}).Draw(t, "status")
		if o.Status == order.Cancelled && o.LateFees.IsZero() {
			o.OwesFees = rapid.Bool().Draw(t, "owes its fees")
		}
		in := zone(rapid.SampledFrom(zones).Draw(t, "zone"))
		want := rowsOf(o, lines, services, in)[1:]
		seen, onDay := map[int64]bool{}, map[decode.Date]money.Amount{}
		for i, s := range byDay(rowsOf(o, lines, services, in)[1:], o, lines, services, in) {
			prediction, profit, dates := money.Amount{}, money.Amount{}, map[decode.Date]bool{}
			for _, r := range append([]Row{s.base}, s.steps...) {
				if seen[r.ID] || dates[r.Date] || r.Type() != want[i].Type() || r.Source != want[i].Source {
					t.Fatalf("row %d of %s at %s: %v", r.ID, r.Type(), r.Date, s)
				}
				if seen[r.ID], dates[r.Date] = true, true; r.Prediction.IsNegative() || r.Profit.IsNegative() {
					t.Fatalf("%s at %s is %s and %s", r.Type(), r.Date, r.Prediction, r.Profit)
				}
				prediction, profit, onDay[r.Date] = prediction.Add(r.Prediction), profit.Add(r.Profit), onDay[r.Date].Add(r.Profit)
			}
			if len(s.steps) >= perLine || s.base.ID != want[i].ID || prediction.Cmp(want[i].Prediction) != 0 || profit.Cmp(want[i].Profit) != 0 {
				t.Fatalf("%d rows of %s come to %s and %s, want %s and %s", 1+len(s.steps), want[i].Type(), prediction, profit, want[i].Prediction, want[i].Profit)
			}
			var ids []int64
			for _, r := range s.steps {
				ids = append(ids, r.ID)
			}
			if found, err := s.base.stepsOf(); err != nil || !slices.Equal(found, ids) {
				t.Fatalf("the steps %v are found as %v, %v", ids, found, err)
			}
		}
		unknown := map[decode.Date]bool{}
		rest := o.PaidAmount
		for _, n := range collected {
			rest = rest.Sub(cents(n))
		}
		for _, r := range byDay(rowsOf(o, lines, services, in)[1:], o, lines, services, in) {
			unknown[r.base.Date] = !rest.IsZero()
		}
		for day, n := range collected {
			if len(want) > 0 && !unknown[day] && onDay[day].Cmp(cents(n)) != 0 {
				t.Fatalf("%s were collected on %s, and rows say %s", cents(n), day, onDay[day])
			}
		}
	})
}

// TestIDsOfSteps: each step has an id of its own, and a line whose steps would have none has one row.
func TestIDsOfSteps(t *testing.T) {
	seen := map[int64]bool{}
	for id := range int64(4) {
		for source := range sources {
			for _, n := range []int{1, 2, mostSteps, perLine - 1} {
				step := stepID(idOf(source, id), n)
				if seen[step] || numberOf(step) != int64(n) || step%perSource < sources {
					t.Errorf("step %d of %d, %d is %d", n, source, id, step)
				}
				seen[step] = true
			}
		}
	}
	if perLine != 400 || ofOtherStep >= perSource {
		t.Error("a line has another number of rows, or two rows would have one id")
	}
	l := line(312_500_000, 100_00, 0, "2026-03-02T05:00:00Z")
	l.End = at("2026-03-09T05:00:00Z")
	o := of(100_00, 0, l)
	if sets := byDay(rowsOf(o, []*order.Line{l}, nil, time.UTC)[1:], o, []*order.Line{l}, nil, time.UTC); len(sets[0].steps) != 0 ||
		sets[0].base.Prediction.Cmp(cents(100_00)) != 0 {
		t.Errorf("%v", sets)
	}
}
