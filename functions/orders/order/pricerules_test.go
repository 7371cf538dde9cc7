package order

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// rated is a tariff that is offered: a price for some hours, or for any time.
func rated(id, price, hours int64) tariff.Tariff {
	t := tariff.Tariff{Element: record.Element{ID: id}, Name: to(fmt.Sprintf("T%d", id)), Price: money.Whole(price), Published: true}
	if hours != 0 {
		t.Duration = to(moment.Seconds(hours * 3600))
	}
	return t
}

// unpublished is a tariff that a line takes only when it is named.
func unpublished(t tariff.Tariff) tariff.Tariff {
	t.Published = false
	return t
}

// grouped is an item of a group with tariffs.
func grouped(list ...tariff.Tariff) offer {
	return offer{item: &item.Item{Meta: record.Meta{ID: 1}, Group: to[int64](4)}, group: &group.Group{Tariffs: list}}
}

// forSale is an item without a group that is sold at a price.
func forSale(price int64) offer {
	return offer{item: &item.Item{Meta: record.Meta{ID: 1}, SellPrice: to(money.Whole(price))}}
}

// with is a line after a change of it.
func (l *Line) with(change func(l *Line)) *Line {
	changed := *l
	change(&changed)
	return &changed
}

// naming makes a line one whose caller names a tariff.
func naming(id int64) func(l *Line) { return func(l *Line) { l.Tariff = &id } }

// terms are a line's tariff, with the price and the seconds of it, and the prices that follow.
func terms(t *Terms) string {
	id := "-"
	if t.Tariff != nil {
		id = fmt.Sprint(*t.Tariff)
	}
	return fmt.Sprintf("%s %s/%d: %s -%s", id, t.Cost, t.Duration, t.Price, t.PriceDiscount)
}

func utc() pricer { return pricer{rules: pricing.Rules{Zone: time.UTC}} }

// A line takes the tariff that its caller names, or what was agreed on, or the cheapest one that is offered for its time.
func TestPricesOfLines(t *testing.T) {
	day, hourly := rated(1, 1000, 24), rated(2, 100, 1)
	priced := lasting(5, 1, 9, 12).with(func(l *Line) {
		l.Tariff, l.Cost, l.Duration, l.Price, l.Group = to[int64](2), money.Whole(100), 3600, money.Whole(300), to[int64](4)
	})
	for _, tt := range []struct {
		name   string
		draft  *Draft
		agreed Asked
		of     offer
		want   string // tariff, its price and seconds, price and discount
		errs   string
	}{
		{"the cheapest, for hours", added(lasting(0, 1, 9, 12)), Asked{}, grouped(day, hourly), "2 100.00/3600: 300.00 -0.00", "[]"},
		{"the cheapest, for a day", added(lasting(0, 1, 0, 24)), Asked{}, grouped(day, hourly), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"what is not published is not taken", added(lasting(0, 1, 9, 12)), Asked{}, grouped(day, unpublished(hourly)), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"but where it is named", added(lasting(0, 1, 9, 12).with(naming(2))), Asked{}, grouped(day, unpublished(hourly)), "2 100.00/3600: 300.00 -0.00", "[]"},
		{"what is negative is not taken", added(lasting(0, 1, 9, 12)), Asked{}, grouped(day, rated(2, -1, 1)), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"nor where it is named", added(lasting(0, 1, 9, 12).with(naming(2))), Asked{}, grouped(rated(2, -1, 1)), "2 -1.00/3600: 0.00 -0.00", "[tarif: The price of the tariff is negative, which an order does not take.]"},
		{"one of another group", added(lasting(0, 1, 9, 12).with(naming(3))), Asked{}, grouped(day), "3 0.00/0: 0.00 -0.00", "[tarif: Invalid pk \"3\" - object does not exist.]"},
		{"one, without a group", added(lasting(0, 1, 9, 12).with(naming(3))), Asked{}, forSale(5), "3 0.00/0: 0.00 -0.00", "[tarif: Invalid pk \"3\" - object does not exist.]"},
		{"none is offered", added(lasting(0, 1, 9, 12)), Asked{}, grouped(unpublished(day)), "- 0.00/0: 0.00 -0.00", "[tarif: The item's group has no published tariff: name a tariff or a price.]"},
		{"no group", added(lasting(0, 1, 9, 12)), Asked{}, forSale(5), "- 0.00/0: 0.00 -0.00", "[tarif: The item's group has no published tariff: name a tariff or a price.]"},
		{"no item", added(lasting(0, 1, 9, 12)), Asked{}, offer{}, "- 0.00/0: 0.00 -0.00", "[]"},
		{"a price that was agreed on", added(lasting(0, 1, 9, 12)), Asked{Cost: to(money.Whole(70))}, grouped(day), "- 70.00/0: 70.00 -0.00", "[]"},
		{"for an hour", added(lasting(0, 1, 9, 12)), Asked{Cost: to(money.Whole(70)), Duration: to[moment.Seconds](3600)}, grouped(day), "- 70.00/3600: 210.00 -0.00", "[]"},
		{"instead of the tariff's", added(lasting(0, 1, 9, 12).with(naming(2))), Asked{Cost: to(money.Whole(70))}, grouped(hourly), "2 70.00/3600: 210.00 -0.00", "[]"},
		{"a sale", added(sold(0, 1, 9)), Asked{}, forSale(5), "- 5.00/0: 5.00 -0.00", "[]"},
		{"a sale without a price", added(sold(0, 1, 9)), Asked{}, grouped(day), "- 0.00/0: 0.00 -0.00", "[tarif: The item has no sell_price: name a tariff or a price.]"},
		{"a sale at a negative price", added(sold(0, 1, 9)), Asked{}, forSale(-5), "- 0.00/0: 0.00 -0.00", "[tarif: The item has no sell_price: name a tariff or a price.]"},
		{"another end keeps the terms", changed(priced, priced.with(func(l *Line) { l.End = hour(14) })), Asked{}, offer{item: grouped().item}, "2 100.00/3600: 500.00 -0.00", "[]"},
		{"another tariff", changed(priced, priced.with(naming(1))), Asked{}, grouped(day, hourly), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"another tariff, sent back with the price of the one before", changed(priced, priced.with(naming(1))), Asked{Cost: to(money.Whole(100)), Duration: to[moment.Seconds](3600)}, grouped(day, hourly), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"another tariff, with another price", changed(priced, priced.with(naming(1))), Asked{Cost: to(money.Whole(90))}, grouped(day, hourly), "1 90.00/86400: 90.00 -0.00", "[]"},
		{"a sale instead of a rental", changed(priced, priced.with(func(l *Line) { l.Type, l.End = Sale, 0 })), Asked{}, forSale(5), "- 5.00/0: 5.00 -0.00", "[]"},
		{"a sale at a tariff that is named anew", changed(priced, priced.with(func(l *Line) { l.Type, l.End, l.Tariff = Sale, 0, to[int64](1) })), Asked{}, grouped(day), "1 1000.00/86400: 1000.00 -0.00", "[]"},
	} {
		errs := fault.FieldErrors{}
		tt.draft.Asked, tt.of.discount = tt.agreed, tt.draft.Line.Discount
		err := tt.draft.priceBy(utc(), tt.of, errs)
		if got := terms(&tt.draft.Line.Terms); err != nil || wrong(errs) != tt.errs || got != tt.want {
			t.Errorf("%s: %s, %v, %s; want %s", tt.name, got, err, wrong(errs), tt.want)
		}
	}
}

// A line whose time is wrong gets no tariff, and one with any error no price.
func TestNoPriceOfWhatIsWrong(t *testing.T) {
	for field, chooses := range map[string]bool{"start_at": false, "end_at": false, "inventory": true} {
		errs, d := fault.FieldErrors{}, added(lasting(0, 1, 9, 12))
		errs.Add(field, "wrong")
		if err := d.priceBy(utc(), grouped(rated(2, 100, 1)), errs); err != nil || d.choosesTerms(errs) != chooses || (d.Line.Tariff != nil) != chooses {
			t.Errorf("%s: %v, tariff %v", field, err, d.Line.Tariff)
		}
		if len(errs) != 1 || !d.Line.Price.IsZero() {
			t.Errorf("%s: %s, price %s", field, wrong(errs), d.Line.Price)
		}
	}
}

// What a line takes from its item and its discount, and what stays.
func TestWhatALineTakes(t *testing.T) {
	half := &Reduction{ID: 3, Percent: to(money.Whole(50))}
	of := grouped(rated(2, 100, 1))
	of.discount = half
	d := added(lasting(0, 1, 9, 12).with(func(l *Line) { l.Discount = &Reduction{ID: 3} }))
	if err := d.priceBy(utc(), of, fault.FieldErrors{}); err != nil || d.Line.Discount != half || terms(&d.Line.Terms) != "2 100.00/3600: 300.00 -150.00" || d.Price.Net.Cmp(money.Whole(150)) != 0 {
		t.Errorf("a discount: %s, net %s, %v", terms(&d.Line.Terms), d.Price.Net, err)
	}
	was := lasting(5, 1, 9, 12).with(func(l *Line) { l.Group = to[int64](9) })
	for name, tt := range map[string]struct {
		draft *Draft
		want  int64
	}{
		"a new line":     {added(lasting(0, 1, 9, 12)), 4},
		"the same item":  {changed(was, was.with(func(*Line) {})), 9},
		"another item":   {changed(was, was.with(func(l *Line) { l.Item = 2 })), 4},
		"another tariff": {changed(was, was.with(naming(2))), 9},
	} {
		if err := tt.draft.priceBy(utc(), of, fault.FieldErrors{}); err != nil || *tt.draft.Line.Group != tt.want {
			t.Errorf("%s: group %d, %v", name, *tt.draft.Line.Group, err)
		}
	}
}

// The late fee of a line that is back followed from what it costs, which therefore stays. Its discounts may change.
func TestAReturnedLineKeepsItsCost(t *testing.T) {
	back := lasting(5, 1, 9, 12).handedOut(9).takenBack(12).with(func(l *Line) { l.Cost, l.Duration = money.Whole(100), 3600 })
	for name, tt := range map[string]struct {
		agreed Asked
		line   *Line
		want   string
	}{
		"nothing":          {Asked{}, back, ""},
		"the same price":   {Asked{Cost: to(money.Whole(100))}, back, ""},
		"another price":    {Asked{Cost: to(money.Whole(90))}, back, "returned"},
		"another duration": {Asked{Duration: to[moment.Seconds](7200)}, back, "returned"},
		"a discount":       {Asked{}, back.with(func(l *Line) { l.Additional = money.Whole(5) }), ""},
	} {
		d := changed(back, tt.line.with(func(*Line) {}))
		d.Asked = tt.agreed
		if got := refusal(d.priceBy(utc(), offer{item: grouped().item}, fault.FieldErrors{})); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A line is combined, or has one tariff, as its caller says; who says nothing gets what is usual, and who sends back what was read
// changes nothing.
func TestWhatIsCombined(t *testing.T) {
	yes, no := to(true), to(false)
	combined := &Terms{Tariff: to[int64](2), Cost: money.Whole(100), Duration: 3600, Offer: []Offered{{ID: 2, Cost: money.Whole(100), Duration: 3600}}}
	alone := &Terms{Tariff: to[int64](2), Cost: money.Whole(100), Duration: 3600}
	two, three, none := Terms{Tariff: to[int64](2)}, Terms{Tariff: to[int64](3)}, Terms{}
	for _, tt := range []struct {
		name   string
		asked  Asked
		before *Terms
		sent   Terms
		isNew  bool // of a line that was there
		usual  bool // what is usual decides
		want   bool
	}{
		{"a new line", Asked{}, nil, none, true, true, true},
		{"a new line with a tariff", Asked{}, nil, two, true, false, false},
		{"with a tariff, combined", Asked{Combined: yes}, nil, two, true, false, true},
		{"without, not combined", Asked{Combined: no}, nil, none, true, false, false},
		{"at an agreed price", Asked{Cost: to(money.Whole(5))}, nil, none, true, false, false},
		{"the same tariff", Asked{}, combined, two, false, false, true},
		{"the same tariff, as it was read", Asked{Combined: yes}, combined, two, false, false, true},
		{"that tariff alone", Asked{Combined: no}, combined, two, true, false, false},
		{"another tariff", Asked{}, combined, three, true, false, false},
		{"another tariff, and the rest as it was read", Asked{Combined: yes}, combined, three, true, false, false},
		{"no tariff", Asked{}, combined, none, true, true, true},
		{"today's prices", Asked{Reprice: true}, combined, two, true, false, true},
		{"today's prices of one tariff", Asked{Reprice: true}, alone, two, true, false, false},
		{"one tariff, as it was read", Asked{Combined: no}, alone, two, false, false, false},
		{"combined from now on", Asked{Combined: yes}, alone, two, true, false, true},
		{"another tariff and combined", Asked{Combined: yes}, alone, three, true, false, true},
	} {
		for _, usual := range []bool{true, false} {
			want := tt.want
			if tt.usual {
				want = usual
			}
			if got := tt.asked.combines(tt.before, &tt.sent, usual); got != want {
				t.Errorf("%s, usually %t: %t", tt.name, usual, got)
			}
		}
		if isNew := tt.before == nil || tt.asked.isNew(tt.before, &tt.sent); isNew != tt.isNew {
			t.Errorf("%s: has other terms: %t", tt.name, isNew)
		}
	}
}

// A line that nobody prices anew costs what it did, whatever the company has set since; its discounts count on that.
func TestAPriceIsKept(t *testing.T) {
	was := lasting(5, 1, 9, 12).with(func(l *Line) { l.Cost, l.Duration, l.Price = money.Whole(100), 3600, money.Whole(777) })
	for name, tt := range map[string]struct {
		asked  Asked
		change func(l *Line)
		want   string
	}{
		"nothing":         {Asked{}, func(*Line) {}, "- 100.00/3600: 777.00 -0.00"},
		"a discount":      {Asked{}, func(l *Line) { l.Additional = money.Whole(7) }, "- 100.00/3600: 777.00 -7.00"},
		"what was read":   {Asked{Cost: to(money.Whole(100)), Duration: to[moment.Seconds](3600)}, func(*Line) {}, "- 100.00/3600: 777.00 -0.00"},
		"another end":     {Asked{}, func(l *Line) { l.End = hour(13) }, "- 100.00/3600: 400.00 -0.00"},
		"another price":   {Asked{Cost: to(money.Whole(50))}, func(*Line) {}, "- 50.00/3600: 150.00 -0.00"},
		"another tariff":  {Asked{}, naming(2), "2 90.00/3600: 270.00 -0.00"},
		"today's tariffs": {Asked{Reprice: true}, func(*Line) {}, "2 90.00/3600: 270.00 -0.00"},
	} {
		d := changed(was, was.with(tt.change))
		d.Asked = tt.asked
		of := grouped(rated(2, 90, 1))
		of.discount = d.Line.Discount
		if err := d.priceBy(utc(), of, fault.FieldErrors{}); err != nil || terms(&d.Line.Terms) != tt.want || d.Price.Net.Cmp(d.Line.Price.Sub(d.Line.PriceDiscount)) != 0 {
			t.Errorf("%s: %s, net %s, %v; want %s", name, terms(&d.Line.Terms), d.Price.Net, err, tt.want)
		}
	}
}

// A line that stays as it was shows the tariff that it did, though the clocks of the company are other ones since: one that is back could
// not be changed at all otherwise.
func TestKeptLinesShowWhatTheyDid(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	of := func(id, price int64, d moment.Seconds) Offered {
		return Offered{ID: id, Cost: money.Whole(price), Duration: d}
	}
	was := &Line{Meta: record.Meta{ID: 5}, Item: 1}
	was.Offer = []Offered{of(1, 2000, 3600), of(2, 15000, pricing.Day), of(3, 91000, 7*pricing.Day)}
	was.Start = moment.Of(time.Date(2026, 10, 22, 10, 0, 0, 0, berlin)) // 6 days there, and an hour more elsewhere
	was.End = moment.Of(time.Date(2026, 10, 28, 10, 0, 0, 0, berlin))
	price, err := pricer{rules: pricing.Rules{Zone: berlin}}.priceOf(was, false)
	if err != nil {
		t.Fatal(err)
	}
	was.worth(price, false)
	was.FactStart, was.FactEnd = &was.Start, &was.End
	now := *was
	errs := fault.FieldErrors{}
	if err := (&Draft{Line: &now, before: was}).priceBy(utc(), grouped(), errs); err != nil || len(errs) > 0 {
		t.Error(err, wrong(errs))
	}
	if got := terms(&now.Terms); got != "2 15000.00/86400: 90000.00 -0.00" {
		t.Error(got)
	}
}
