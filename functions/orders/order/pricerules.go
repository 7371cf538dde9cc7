package order

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/nullable"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
)

// rulesOf are the rules by which a company prices.
func rulesOf(settings company.Rental, zone *time.Location) pricing.Rules {
	return pricing.Rules{
		Zone: zone, CalendarMonths: settings.Month == company.CalendarMonths,
		LateGrace: settings.LateGrace, LateStep: settings.LateStep,
	}
}

// offer is what the price of an item line follows from besides itself.
type offer struct {
	item     *item.Item   // nil if it is not there
	group    *group.Group // of the item; nil if it has none, and where the line keeps its terms
	discount *Reduction   // of the line, complete
}

// serviceOffer is what the price of a service line follows from besides itself.
type serviceOffer struct {
	service  *service.Service // nil if it is not there
	discount *Reduction       // of the line, complete: its own or that of its service
}

// hasNewTerms tells whether a line has other terms than before: it is new, or its caller wants another tariff. What a rental
// costs is no price of a sale, so it has other terms where its type is another one, too.
func (d *Draft) hasNewTerms() bool {
	return d.before == nil || !nullable.Same(d.before.Tariff, d.Line.Tariff) || d.before.Type != d.Line.Type
}

// choosesTerms tells whether new terms can be chosen: they depend on the line's time, so nothing may be wrong with that.
func (d *Draft) choosesTerms(errs fault.FieldErrors) bool {
	return d.hasNewTerms() && !errs.Has("start_at") && !errs.Has("end_at")
}

// priceBy gives an item line its terms and its price. What is wrong with what was sent is added to errs; what the line does not let
// change any more is returned.
func (d *Draft) priceBy(rules pricing.Rules, of offer, errs fault.FieldErrors) (err error) {
	l, before, newTerms := d.Line, d.before, d.hasNewTerms()
	if of.item != nil && (before == nil || before.Item != l.Item) {
		l.Group = of.item.Group
	}
	if before != nil && before.Type != l.Type && nullable.Same(before.Tariff, l.Tariff) {
		l.Tariff = nil
	}
	if of.item != nil && d.choosesTerms(errs) {
		d.tariff(of, rules, errs)
	}
	var terms *Terms
	if before != nil {
		terms = &before.Terms
	}
	d.Agreed.apply(&l.Terms, terms, newTerms)
	if before != nil && before.state() == Returned && (before.Cost.Cmp(l.Cost) != 0 || before.Duration != l.Duration) {
		return errReturned // its late fee followed from them
	}
	l.Discount = of.discount
	if of.item == nil || len(errs) > 0 {
		return nil
	}
	if d.Price, err = rules.Price(l.priced()); err != nil {
		errs.Add("price", err.Error())
		return nil
	}
	l.Price, l.PriceDiscount = d.Price.Gross, d.Price.Discount
	return nil
}

// tariff gives a line the terms of the tariff that was asked for; if none was, of the cheapest one
// of the item's group, or of the item's own price where it is sold.
func (d *Draft) tariff(of offer, rules pricing.Rules, errs fault.FieldErrors) {
	l := d.Line
	switch {
	case l.Tariff != nil:
		if of.group == nil || !l.takes(of.group.Tariffs, *l.Tariff, errs) {
			errs.Add("tarif", fault.BadReference(*l.Tariff))
		}
	case d.Cost != nil:
		l.Terms = d.Agreed.terms(l.Terms)
	case l.Type == Sale && of.item.SellPrice != nil && !of.item.SellPrice.IsNegative():
		l.Terms = Terms{Discount: l.Discount, Additional: l.Additional, Cost: *of.item.SellPrice}
	case l.Type == Sale:
		errs.Add("tarif", "The item has no sell_price: name a tariff or a price.")
	default:
		if of.group == nil || !l.takesCheapest(rules, of.group.Tariffs) {
			errs.Add("tarif", "The item's group has no published tariff: name a tariff or a price.")
		}
	}
}

// takesDiscount tells whether a line takes the discount of its service: it is new, or has another
// service than before, and its caller said nothing of a discount.
func (d *ServiceDraft) takesDiscount() bool {
	return !d.DiscountSent && (d.before == nil || d.before.Service != d.Line.Service)
}

// hasNewTerms tells whether a service line has other terms than before.
func (d *ServiceDraft) hasNewTerms() bool {
	return d.before == nil || !nullable.Same(d.before.Tariff, d.Line.Tariff) || d.before.Service != d.Line.Service
}

// priceBy gives a service line its terms and its price.
func (d *ServiceDraft) priceBy(rules pricing.Rules, of serviceOffer, errs fault.FieldErrors) {
	l, newTerms := d.Line, d.hasNewTerms()
	if newTerms && of.service != nil {
		l.Title, l.Type = of.service.Name, of.service.Type
		d.tariff(of.service, errs)
	}
	var terms *Terms
	if d.before != nil {
		terms = &d.before.Terms
	}
	d.Agreed.apply(&l.Terms, terms, newTerms)
	l.Discount = of.discount
	if of.service == nil || len(errs) > 0 {
		return
	}
	it := l.priced()
	it.Count, it.Timeless = l.Count, true
	var err error
	if d.Price, err = rules.Price(it); err != nil {
		errs.Add("price", err.Error())
		return
	}
	l.Price, l.PriceDiscount = d.Price.Gross, d.Price.Discount
}

// tariff gives a service line the terms of the tariff that was asked for; if none was, of the one with the lowest
// price, or of the service's own price.
func (d *ServiceDraft) tariff(of *service.Service, errs fault.FieldErrors) {
	l := d.Line
	switch {
	case l.Tariff != nil:
		if !l.takes(of.Tariffs, *l.Tariff, errs) {
			errs.Add("tarif", fault.BadReference(*l.Tariff))
		}
	case d.Cost != nil:
		l.Terms = d.Agreed.terms(l.Terms)
	case !l.takesCheapestOnce(of.Tariffs):
		l.Terms = Terms{Discount: l.Discount, Additional: l.Additional, Cost: of.Price}
		if of.Price.IsNegative() {
			errs.Add("service", "The price of the service is negative, which an order does not take.")
		}
	}
}

// take gives a line the terms of a tariff.
func (t *Terms) take(of tariff.Tariff) {
	*t = Terms{
		Tariff: &of.ID, Name: of.Name, Cost: of.Price, Once: of.OneTime, Discount: t.Discount, Additional: t.Additional,
	}
	if of.Duration != nil {
		t.Duration = *of.Duration
	}
}

// takes gives a line the terms of the tariff with an id, and tells whether there is one. A tariff
// whose price is negative is reported.
func (t *Terms) takes(list []tariff.Tariff, id int64, errs fault.FieldErrors) bool {
	i := slices.IndexFunc(list, func(of tariff.Tariff) bool { return of.ID == id })
	if i < 0 {
		return false
	}
	if list[i].Price.IsNegative() {
		errs.Add("tarif", "The price of the tariff is negative, which an order does not take.")
	}
	t.take(list[i])
	return true
}

// offered are the tariffs that a line may take by itself.
func offered(list []tariff.Tariff) (of []tariff.Tariff, terms []pricing.Terms) {
	for _, t := range list {
		if !t.Published || t.Price.IsNegative() {
			continue
		}
		one := pricing.Terms{Price: t.Price, Once: t.OneTime}
		if t.Duration != nil {
			one.Duration = *t.Duration
		}
		of, terms = append(of, t), append(terms, one)
	}
	return of, terms
}

// takesCheapest gives a rental the terms of the tariff that costs least for its time; false if
// none is offered.
func (l *Line) takesCheapest(rules pricing.Rules, list []tariff.Tariff) bool {
	of, terms := offered(list)
	i := rules.Cheapest(terms, l.Start.Time(), l.End.Time())
	if i < 0 {
		return false
	}
	l.take(of[i])
	return true
}

// takesCheapestOnce gives a service line the terms of the tariff with the lowest price; false if
// none is offered.
func (l *ServiceLine) takesCheapestOnce(list []tariff.Tariff) bool {
	of, _ := offered(list)
	if len(of) == 0 {
		return false
	}
	l.take(slices.MinFunc(of, func(a, b tariff.Tariff) int { return a.Price.Cmp(b.Price) }))
	return true
}

// terms returns the terms of a line that has an agreed price instead of a tariff.
func (a Agreed) terms(were Terms) Terms {
	t := Terms{Discount: were.Discount, Additional: were.Additional, Cost: *a.Cost}
	if a.Duration != nil {
		t.Duration = *a.Duration
	}
	return t
}

// apply replaces the price and the duration of a tariff by what was agreed on. A caller who sends a
// whole line back with another tariff means the price of that one, and not the price that was read.
func (a Agreed) apply(t, before *Terms, newTerms bool) {
	sentBack := newTerms && before != nil
	if a.Cost != nil && !(sentBack && a.Cost.Cmp(before.Cost) == 0) {
		t.Cost = *a.Cost
	}
	if a.Duration != nil && !(sentBack && *a.Duration == before.Duration) {
		t.Duration = *a.Duration
	}
}
