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
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

func at(text string) moment.Micros {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return moment.Of(at)
}

func zone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

func cents(n int64) money.Amount {
	a, err := money.Whole(n).Ratio(1, 100)
	if err != nil {
		panic(err)
	}
	return a
}

// line is an item line of a price, less a discount, that begins at a time.
func line(id, price, less int64, start string) *order.Line {
	return &order.Line{
		Meta: record.Meta{ID: id}, Terms: order.Terms{Price: cents(price), PriceDiscount: cents(less)}, Item: 70 + id, Start: at(start),
	}
}

// of is an order that was made on the first of March, with the lines.
func of(price, paid int64, lines ...*order.Line) *order.Order {
	o := &order.Order{Meta: record.Meta{ID: 5, Created: at("2026-03-01T12:00:00Z")}, Price: cents(price), PaidAmount: cents(paid)}
	for _, l := range lines {
		o.Lines = append(o.Lines, order.Held{ID: l.ID, Item: l.Item, Start: l.Start})
		o.LateFees = o.LateFees.Add(l.LateFee)
	}
	return o
}

// cancelled is an order that was cancelled for two fees, 120.00 in all.
func cancelled(made func(func(o *order.Order)) *order.Order, paid int64) *order.Order {
	return made(func(o *order.Order) {
		o.Status, o.OwesFees, o.PaidAmount = order.Cancelled, true, cents(paid)
		o.Fees = []order.Fee{
			{Element: record.Element{ID: 8, Created: at("2026-03-09T19:00:00Z")}, Amount: cents(100_00)},
			{Element: record.Element{ID: 9, Created: at("2026-03-09T05:00:00Z")}, Amount: cents(20_00)},
		}
	})
}

func TestRowsOfAnOrder(t *testing.T) {
	const morning, night = "2026-03-02T05:00:00Z", "2026-03-02T20:00:00Z" // of Almaty, the second is the third of March
	two := func() []*order.Line {
		return []*order.Line{line(1, 300_00, 0, morning), line(2, 200_00, 100_00, night)}
	}
	type case_ struct {
		name     string
		order    *order.Order
		lines    []*order.Line
		services []*order.ServiceLine
		want     string
	}
	of2 := func(change func(o *order.Order)) *order.Order {
		o := of(400_00, 0, two()...)
		change(o)
		return o
	}
	for _, tt := range []case_{
		{"nothing in it", of(0, 0), nil, nil, "2026-03-01 request 0.00/0.00"},
		{"planned, and nothing in it", func() *order.Order {
			o, start := of(0, 0), at(night)
			o.RentStart = &start
			return o
		}(), nil, nil, "2026-03-03 request 0.00/0.00"},
		{"paid, and nothing in it", of(0, 700), nil, nil, "2026-03-01 request 0.00/7.00, 2026-03-01 service 0.00/7.00"},
		{
			"two lines", of(400_00, 0, two()...), two(), nil,
			"2026-03-02 request 400.00/0.00, 2026-03-02 inventory 300.00/0.00, 2026-03-03 inventory 100.00/0.00",
		},
		{
			"the order's discount", of(200_01, 0, two()...), two(), nil,
			"2026-03-02 request 200.01/0.00, 2026-03-02 inventory 150.01/0.00, 2026-03-03 inventory 50.00/0.00",
		},
		{
			"paid in part", of2(func(o *order.Order) { o.PaidAmount = cents(10) }), two(), nil,
			"2026-03-02 request 400.00/0.10, 2026-03-02 inventory 300.00/0.08, 2026-03-03 inventory 100.00/0.02",
		},
		{
			"paid too much", of2(func(o *order.Order) { o.PaidAmount = cents(500_00) }), two(), nil,
			"2026-03-02 request 400.00/500.00, 2026-03-02 inventory 300.00/375.00, 2026-03-03 inventory 100.00/125.00",
		},
		{
			"cancelled", of2(func(o *order.Order) { o.PaidAmount, o.Status = cents(100_00), order.Cancelled }), two(), nil,
			"2026-03-02 request 0.00/100.00, 2026-03-02 inventory 0.00/75.00, 2026-03-03 inventory 0.00/25.00",
		},
		{
			"cancelled, and paid less than its fees", cancelled(of2, 60_00), two(), nil,
			"2026-03-02 request 120.00/60.00, 2026-03-02 inventory 0.00/0.00, 2026-03-03 inventory 0.00/0.00, " +
				"2026-03-10 penalty 100.00/50.00, 2026-03-09 penalty 20.00/10.00",
		},
		{
			"cancelled, and paid more than its fees", cancelled(of2, 160_00), two(), nil,
			"2026-03-02 request 120.00/160.00, 2026-03-02 inventory 0.00/30.00, 2026-03-03 inventory 0.00/10.00, " +
				"2026-03-10 penalty 100.00/100.00, 2026-03-09 penalty 20.00/20.00",
		},
		{"cancelled with fees before they were owed", func() *order.Order {
			o := cancelled(of2, 60_00)
			o.OwesFees = false
			return o
		}(), two(), nil, "2026-03-02 request 0.00/60.00, 2026-03-02 inventory 0.00/34.62, 2026-03-03 inventory 0.00/11.53, " +
			"2026-03-10 penalty 0.00/11.54, 2026-03-09 penalty 0.00/2.31"},
		{"cancelled without lines, and paid more than its fees", cancelled(func(change func(o *order.Order)) *order.Order {
			o := of(0, 0)
			change(o)
			return o
		}, 240_00), nil, nil, "2026-03-01 request 120.00/240.00, 2026-03-10 penalty 100.00/200.00, 2026-03-09 penalty 20.00/40.00"},
		{"cancelled, and its fees were taken out of it", func() *order.Order {
			o := cancelled(of2, 4_00)
			o.Fees = nil
			return o
		}(), two(), nil, "2026-03-02 request 0.00/4.00, 2026-03-02 inventory 0.00/3.00, 2026-03-03 inventory 0.00/1.00"},
		{
			"all of it discounted", of2(func(o *order.Order) { o.Price, o.PaidAmount = cents(0), cents(400) }), two(), nil,
			"2026-03-02 request 0.00/4.00, 2026-03-02 inventory 0.00/3.00, 2026-03-03 inventory 0.00/1.00",
		},
		{
			"for free", of(0, 100, line(1, 0, 0, morning), line(2, 0, 0, morning)),
			[]*order.Line{line(1, 0, 0, morning), line(2, 0, 0, morning)},
			nil,
			"2026-03-02 request 0.00/1.00, 2026-03-02 inventory 0.00/0.50, 2026-03-02 inventory 0.00/0.50",
		},
		{"late, and a fee", func() *order.Order {
			o := of2(func(o *order.Order) { o.LateFees, o.PaidAmount = cents(50_00), cents(550_00) })
			o.Fees = []order.Fee{{Element: record.Element{ID: 8, Created: at("2026-03-09T19:00:00Z")}, Amount: cents(100_00)}}
			return o
		}(), func() []*order.Line {
			list := two()
			list[1].LateFee = cents(50_00)
			return list
		}(), nil, "2026-03-02 request 550.00/550.00, 2026-03-02 inventory 300.00/300.00, 2026-03-03 inventory 150.00/150.00, " +
			"2026-03-10 penalty 100.00/100.00"},
		{"a sale and services", of(600_00, 0, line(1, 300_00, 0, night)), func() []*order.Line {
			l := line(1, 300_00, 0, night)
			l.Type = order.Sale
			return []*order.Line{l}
		}(), func() (list []*order.ServiceLine) {
			for n := range int64(6) {
				list = append(list, &order.ServiceLine{Meta: record.Meta{ID: n + 1}, Service: n + 1, Type: service.Type(n), Terms: order.Terms{Price: cents(50_00)}})
			}
			return list
		}(), "2026-03-03 request 600.00/0.00, 2026-03-03 sale 300.00/0.00, 2026-03-03 delivery 50.00/0.00, 2026-03-03 service 50.00/0.00, " +
			"2026-03-03 delivery 50.00/0.00, 2026-03-03 delivery 50.00/0.00, 2026-03-03 workshop 50.00/0.00, 2026-03-03 service 50.00/0.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range rowsOf(tt.order, tt.lines, tt.services, zone("Asia/Almaty")) {
				got = append(got, fmt.Sprintf("%s %s %s/%s", r.Date, r.Type(), r.Prediction, r.Profit))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("got\n%s\nwant\n%s", s, tt.want)
			}
		})
	}
}

// TestDays: a day begins when the clocks of the company say so, also where one is an hour longer, and one begins at 1:00.
func TestDays(t *testing.T) {
	for _, tt := range []struct{ at, zone, want string }{
		{"2026-03-02T18:59:59Z", "Asia/Almaty", "2026-03-02"},
		{"2026-03-02T19:00:00Z", "Asia/Almaty", "2026-03-03"},
		{"2026-03-28T22:59:59Z", "Europe/Berlin", "2026-03-28"},
		{"2026-03-28T23:00:00Z", "Europe/Berlin", "2026-03-29"},
		{"2026-03-29T21:59:59Z", "Europe/Berlin", "2026-03-29"}, // of 23 hours
		{"2026-03-29T22:00:00Z", "Europe/Berlin", "2026-03-30"},
		{"2026-10-25T22:59:59Z", "Europe/Berlin", "2026-10-25"}, // of 25 hours
		{"2026-10-25T23:00:00Z", "Europe/Berlin", "2026-10-26"},
		{"2026-04-23T21:59:59Z", "Africa/Cairo", "2026-04-23"},
		{"2026-04-23T22:00:00Z", "Africa/Cairo", "2026-04-24"}, // at 1:00
		{"9999-12-31T23:00:00Z", "Asia/Almaty", "9999-12-31"},
		{"0001-01-01T00:00:00Z", "America/New_York", "0001-01-01"},
	} {
		if got := dayOf(at(tt.at), zone(tt.zone)); string(got) != tt.want {
			t.Errorf("%s in %s: %s, want %s", tt.at, tt.zone, got, tt.want)
		}
	}
}

// TestRowsComeToTheOrder: without its own row, the rows of any order come to what it costs and to what was paid for it.
func TestRowsComeToTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.OneOf(rapid.Just[int64](0), rapid.Int64Range(0, 100), rapid.Int64Range(0, 1_000_000_000))
		amount := func(name string) int64 { return amounts.Draw(t, name) }
		var lines []*order.Line
		for n := range rapid.Int64Range(0, 5).Draw(t, "lines") {
			l := line(n+1, 0, 0, "2026-03-02T05:00:00Z")
			l.PriceDiscount = cents(amount("discount"))
			l.Price, l.LateFee = l.PriceDiscount.Add(cents(amount("net"))), cents(amount("late"))
			lines = append(lines, l)
		}
		var services []*order.ServiceLine
		for n := range rapid.Int64Range(0, 4).Draw(t, "services") {
			services = append(services, &order.ServiceLine{Meta: record.Meta{ID: n + 1}, Type: service.Type(n), Terms: order.Terms{Price: cents(amount("price"))}})
		}
		price := amount("order's price")
		if len(lines)+len(services) == 0 {
			price = 0
		}
		o := of(price, amount("paid"), lines...)
		for n := range rapid.Int64Range(0, 3).Draw(t, "fees") {
			o.Fees = append(o.Fees, order.Fee{Element: record.Element{ID: n + 1}, Amount: cents(amount("fee"))})
		}
		o.Status = rapid.SampledFrom([]order.Status{order.Request, order.Cancelled, order.Debtor}).Draw(t, "status")
		if o.Status == order.Cancelled && o.LateFees.IsZero() { // nothing of it was handed out, so nothing was late
			o.OwesFees = rapid.Bool().Draw(t, "owes its fees")
		}
		prediction, profit, seen := money.Amount{}, money.Amount{}, map[int64]bool{}
		rows := rowsOf(o, lines, services, time.UTC)
		for _, r := range rows {
			if seen[r.ID] {
				t.Fatalf("two rows have the id %d", r.ID)
			}
			if seen[r.ID] = true; r.Prediction.IsNegative() || r.Profit.IsNegative() {
				t.Fatalf("%s is %s and %s", r.Type(), r.Prediction, r.Profit)
			}
			if r.Type() != Request {
				prediction, profit = prediction.Add(r.Prediction), profit.Add(r.Profit)
			}
		}
		want := o.Price.Add(o.AllFees())
		if o.Status == order.Cancelled {
			if want = (money.Amount{}); o.OwesFees {
				want = o.AllFees()
			}
		}
		if prediction.Cmp(want) != 0 || profit.Cmp(o.PaidAmount) != 0 {
			t.Fatalf("they come to %s and %s, want %s and %s", prediction, profit, want, o.PaidAmount)
		}
		if rows[0].Prediction.Cmp(want) != 0 || rows[0].Profit.Cmp(o.PaidAmount) != 0 {
			t.Fatalf("the order's own is %s and %s, want %s and %s", rows[0].Prediction, rows[0].Profit, want, o.PaidAmount)
		}
	})
}

func TestPackedIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := slices.Compact(slices.Sorted(slices.Values(rapid.SliceOf(rapid.Int64Range(1, 999_999_999_999)).Draw(t, "ids"))))
		got, err := unpack(pack(ids))
		if err != nil || !slices.Equal(got, ids) && len(ids) > 0 {
			t.Fatalf("%v become %v, %v", ids, got, err)
		}
	})
	if _, err := unpack([]byte{0x80}); err == nil {
		t.Error("half of an id is read")
	}
}

// TestEntries: the index tells lists of a row all that they are filtered and ordered by.
func TestEntries(t *testing.T) {
	point := int64(999_999_999_999)
	for _, r := range []Row{
		{Meta: record.Meta{ID: 1}, Letter: "i", Date: "2026-03-02"},
		{Meta: record.Meta{ID: 999_999_999_999}, Letter: "v", Date: lastDay, Point: &point, Prediction: money.Most(), Profit: money.Most()},
		{Meta: record.Meta{ID: 2}, Letter: "p", Date: firstDay, Prediction: cents(5)},
	} {
		placed := Kind().Below(&r)
		if got, err := entryOf(record.Place{ID: r.ID, At: placed.At}); err != nil || got != r.entry() {
			t.Errorf("%s is read as %+v, %v", placed.At, got, err)
		}
		if len(placed.At) > 64 {
			t.Errorf("%s is too long", placed.At)
		}
	}
	for _, at := range []string{"", "2026-03-02:i:0:0", "2026-03-02:i:0:x:0"} {
		if _, err := entryOf(record.Place{At: at}); err == nil {
			t.Errorf("%q is read", at)
		}
	}
	if sources > perSource {
		t.Error("two rows would have one id")
	}
	for _, of := range Types() {
		if typeOf(of.letter()) != of {
			t.Errorf("%s and %s have one letter", of, typeOf(of.letter()))
		}
	}
}
