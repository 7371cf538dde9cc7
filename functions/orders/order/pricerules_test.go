package order

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/functions/tenants/company"
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

func utc() pricing.Rules { return pricing.Rules{Zone: time.UTC} }

// A line takes the tariff that its caller names, or what was agreed on, or the cheapest one that is offered for its time.
func TestPricesOfLines(t *testing.T) {
	day, hourly := rated(1, 1000, 24), rated(2, 100, 1)
	priced := lasting(5, 1, 9, 12).with(func(l *Line) {
		l.Tariff, l.Cost, l.Duration, l.Price, l.Group = to[int64](2), money.Whole(100), 3600, money.Whole(300), to[int64](4)
	})
	for _, tt := range []struct {
		name   string
		draft  *Draft
		agreed Agreed
		of     offer
		want   string // tariff, its price and seconds, price and discount
		errs   string
	}{
		{"the cheapest, for hours", added(lasting(0, 1, 9, 12)), Agreed{}, grouped(day, hourly), "2 100.00/3600: 300.00 -0.00", "[]"},
		{"the cheapest, for a day", added(lasting(0, 1, 0, 24)), Agreed{}, grouped(day, hourly), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"what is not published is not taken", added(lasting(0, 1, 9, 12)), Agreed{}, grouped(day, unpublished(hourly)), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"but where it is named", added(lasting(0, 1, 9, 12).with(naming(2))), Agreed{}, grouped(day, unpublished(hourly)), "2 100.00/3600: 300.00 -0.00", "[]"},
		{"what is negative is not taken", added(lasting(0, 1, 9, 12)), Agreed{}, grouped(day, rated(2, -1, 1)), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"nor where it is named", added(lasting(0, 1, 9, 12).with(naming(2))), Agreed{}, grouped(rated(2, -1, 1)), "2 -1.00/3600: 0.00 -0.00", "[tarif: The price of the tariff is negative, which an order does not take.]"},
		{"one of another group", added(lasting(0, 1, 9, 12).with(naming(3))), Agreed{}, grouped(day), "3 0.00/0: 0.00 -0.00", "[tarif: Invalid pk \"3\" - object does not exist.]"},
		{"one, without a group", added(lasting(0, 1, 9, 12).with(naming(3))), Agreed{}, forSale(5), "3 0.00/0: 0.00 -0.00", "[tarif: Invalid pk \"3\" - object does not exist.]"},
		{"none is offered", added(lasting(0, 1, 9, 12)), Agreed{}, grouped(unpublished(day)), "- 0.00/0: 0.00 -0.00", "[tarif: The item's group has no published tariff: name a tariff or a price.]"},
		{"no group", added(lasting(0, 1, 9, 12)), Agreed{}, forSale(5), "- 0.00/0: 0.00 -0.00", "[tarif: The item's group has no published tariff: name a tariff or a price.]"},
		{"no item", added(lasting(0, 1, 9, 12)), Agreed{}, offer{}, "- 0.00/0: 0.00 -0.00", "[]"},
		{"a price that was agreed on", added(lasting(0, 1, 9, 12)), Agreed{Cost: to(money.Whole(70))}, grouped(day), "- 70.00/0: 70.00 -0.00", "[]"},
		{"for an hour", added(lasting(0, 1, 9, 12)), Agreed{Cost: to(money.Whole(70)), Duration: to[moment.Seconds](3600)}, grouped(day), "- 70.00/3600: 210.00 -0.00", "[]"},
		{"instead of the tariff's", added(lasting(0, 1, 9, 12).with(naming(2))), Agreed{Cost: to(money.Whole(70))}, grouped(hourly), "2 70.00/3600: 210.00 -0.00", "[]"},
		{"a sale", added(sold(0, 1, 9)), Agreed{}, forSale(5), "- 5.00/0: 5.00 -0.00", "[]"},
		{"a sale without a price", added(sold(0, 1, 9)), Agreed{}, grouped(day), "- 0.00/0: 0.00 -0.00", "[tarif: The item has no sell_price: name a tariff or a price.]"},
		{"a sale at a negative price", added(sold(0, 1, 9)), Agreed{}, forSale(-5), "- 0.00/0: 0.00 -0.00", "[tarif: The item has no sell_price: name a tariff or a price.]"},
		{"another end keeps the terms", changed(priced, priced.with(func(l *Line) { l.End = hour(14) })), Agreed{}, offer{item: grouped().item}, "2 100.00/3600: 500.00 -0.00", "[]"},
		{"another tariff", changed(priced, priced.with(naming(1))), Agreed{}, grouped(day, hourly), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"another tariff, sent back with the price of the one before", changed(priced, priced.with(naming(1))), Agreed{Cost: to(money.Whole(100)), Duration: to[moment.Seconds](3600)}, grouped(day, hourly), "1 1000.00/86400: 1000.00 -0.00", "[]"},
		{"another tariff, with another price", changed(priced, priced.with(naming(1))), Agreed{Cost: to(money.Whole(90))}, grouped(day, hourly), "1 90.00/86400: 90.00 -0.00", "[]"},
		{"a sale instead of a rental", changed(priced, priced.with(func(l *Line) { l.Type, l.End = Sale, 0 })), Agreed{}, forSale(5), "- 5.00/0: 5.00 -0.00", "[]"},
		{"a sale at a tariff that is named anew", changed(priced, priced.with(func(l *Line) { l.Type, l.End, l.Tariff = Sale, 0, to[int64](1) })), Agreed{}, grouped(day), "1 1000.00/86400: 1000.00 -0.00", "[]"},
	} {
		errs := fault.FieldErrors{}
		tt.draft.Agreed, tt.of.discount = tt.agreed, tt.draft.Line.Discount
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
		agreed Agreed
		line   *Line
		want   string
	}{
		"nothing":          {Agreed{}, back, ""},
		"the same price":   {Agreed{Cost: to(money.Whole(100))}, back, ""},
		"another price":    {Agreed{Cost: to(money.Whole(90))}, back, "returned"},
		"another duration": {Agreed{Duration: to[moment.Seconds](7200)}, back, "returned"},
		"a discount":       {Agreed{}, back.with(func(l *Line) { l.Additional = money.Whole(5) }), ""},
	} {
		d := changed(back, tt.line.with(func(*Line) {}))
		d.Agreed = tt.agreed
		if got := refusal(d.priceBy(utc(), offer{item: grouped().item}, fault.FieldErrors{})); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestPricesOfServices(t *testing.T) {
	of := func(list ...tariff.Tariff) *service.Service {
		return &service.Service{Meta: record.Meta{ID: 1}, Name: "Delivery", Price: money.Whole(40), Tariffs: list}
	}
	negative := of()
	negative.Price = money.Whole(-1)
	line := func(id, service, count int64) *ServiceLine {
		return &ServiceLine{Meta: record.Meta{ID: id}, Service: service, Count: count}
	}
	tariffed := func(l *ServiceLine, id int64) *ServiceLine {
		l.Tariff = &id
		return l
	}
	priced := line(5, 1, 2)
	priced.Tariff, priced.Cost, priced.Title = to[int64](2), money.Whole(10), "As it was"
	kept := *priced
	kept.Count = 3
	elsewhere := *priced
	elsewhere.Service, elsewhere.Tariff = 9, nil
	for _, tt := range []struct {
		name  string
		draft *ServiceDraft
		of    serviceOffer
		want  string
		title string
		errs  string
	}{
		{"its own price", &ServiceDraft{Line: line(0, 1, 3)}, serviceOffer{service: of()}, "- 40.00/0: 120.00 -0.00", "Delivery", "[]"},
		{"the lowest tariff", &ServiceDraft{Line: line(0, 1, 3)}, serviceOffer{service: of(rated(1, 30, 0), rated(2, 20, 24), unpublished(rated(3, 5, 0)))}, "2 20.00/86400: 60.00 -0.00", "Delivery", "[]"},
		{"one that is named", &ServiceDraft{Line: tariffed(line(0, 1, 1), 3)}, serviceOffer{service: of(rated(1, 30, 0), unpublished(rated(3, 5, 0)))}, "3 5.00/0: 5.00 -0.00", "Delivery", "[]"},
		{"one that is not there", &ServiceDraft{Line: tariffed(line(0, 1, 1), 8)}, serviceOffer{service: of(rated(1, 30, 0))}, "8 0.00/0: 0.00 -0.00", "Delivery", "[tarif: Invalid pk \"8\" - object does not exist.]"},
		{"what was agreed on", &ServiceDraft{Line: line(0, 1, 2), Agreed: Agreed{Cost: to(money.Whole(7))}}, serviceOffer{service: of(rated(1, 30, 0))}, "- 7.00/0: 14.00 -0.00", "Delivery", "[]"},
		{"a negative price", &ServiceDraft{Line: line(0, 1, 1)}, serviceOffer{service: negative}, "- -1.00/0: 0.00 -0.00", "Delivery", "[service: The price of the service is negative, which an order does not take.]"},
		{"no service", &ServiceDraft{Line: line(0, 1, 1)}, serviceOffer{}, "- 0.00/0: 0.00 -0.00", "", "[]"},
		{"another count keeps the terms", &ServiceDraft{Line: &kept, before: priced}, serviceOffer{service: of(rated(2, 99, 0))}, "2 10.00/0: 30.00 -0.00", "As it was", "[]"},
		{"another service", &ServiceDraft{Line: &elsewhere, before: priced}, serviceOffer{service: of()}, "- 40.00/0: 80.00 -0.00", "Delivery", "[]"},
		{"a discount", &ServiceDraft{Line: line(0, 1, 1)}, serviceOffer{service: of(), discount: &Reduction{ID: 3, Amount: to(money.Whole(15))}}, "- 40.00/0: 40.00 -15.00", "Delivery", "[]"},
	} {
		errs := fault.FieldErrors{}
		tt.draft.priceBy(utc(), tt.of, errs)
		if got := terms(&tt.draft.Line.Terms); got != tt.want || tt.draft.Line.Title != tt.title || wrong(errs) != tt.errs {
			t.Errorf("%s: %s, %q, %s; want %s", tt.name, got, tt.draft.Line.Title, wrong(errs), tt.want)
		}
	}
}

func TestTakesDiscount(t *testing.T) {
	was := &ServiceLine{Service: 1}
	for name, tt := range map[string]struct {
		draft ServiceDraft
		want  bool
	}{
		"new":                                {ServiceDraft{Line: &ServiceLine{Service: 1}}, true},
		"new, with a discount":               {ServiceDraft{Line: &ServiceLine{Service: 1}, DiscountSent: true}, false},
		"the same service":                   {ServiceDraft{Line: &ServiceLine{Service: 1}, before: was}, false},
		"another service":                    {ServiceDraft{Line: &ServiceLine{Service: 2}, before: was}, true},
		"another service, without any of it": {ServiceDraft{Line: &ServiceLine{Service: 2}, before: was, DiscountSent: true}, false},
	} {
		if got := tt.draft.takesDiscount(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestRulesOf(t *testing.T) {
	for _, tt := range []struct {
		settings company.Rental
		want     pricing.Rules
	}{
		{company.Rental{LateGrace: 60, LateStep: 600, Month: company.CalendarMonths}, pricing.Rules{Zone: time.UTC, CalendarMonths: true, LateGrace: 60, LateStep: 600}},
		{company.Rental{Month: company.DayMonths, Buffer: 5}, pricing.Rules{Zone: time.UTC}},
	} {
		if got := rulesOf(tt.settings, time.UTC); got != tt.want {
			t.Errorf("%+v: %+v", tt.settings, got)
		}
	}
}
