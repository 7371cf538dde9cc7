package order

import (
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/nullable"

	"github.com/tenantry/tenantry/functions/clients/discount"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
)

// pricer prices the lines of one order.
type pricer struct {
	w     *record.Work
	rules pricing.Rules
}

// line prices an item line.
func (p pricer) line(ctx context.Context, d *Draft) error {
	l, errs, before := d.Line, p.w.Errors(d.Path), d.before
	it, err := find(ctx, p.w, item.Kind(), l.Item)
	if err != nil {
		return err
	}
	if it != nil && (before == nil || before.Item != l.Item) {
		l.Group = it.Group
	}
	if before != nil && before.Type != l.Type && nullable.Same(before.Tariff, l.Tariff) {
		l.Tariff = nil // what a rental costs is no price of a sale
	}
	isNew := before == nil || !nullable.Same(before.Tariff, l.Tariff) || before.Type != l.Type
	if isNew && it != nil && !errs.Has("start_at") && !errs.Has("end_at") {
		if err := p.tariff(ctx, d, it, errs); err != nil {
			return err
		}
	}
	var terms *Terms
	if before != nil {
		terms = &before.Terms
	}
	d.Agreed.apply(&l.Terms, terms, isNew)
	if before != nil && before.state() == Returned && (before.Cost.Cmp(l.Cost) != 0 || before.Duration != l.Duration) {
		return errReturned // its late fee followed from them
	}
	if err := reduce(ctx, p.w, &l.Discount); err != nil {
		return err
	}
	if it == nil || len(errs) > 0 {
		return nil
	}
	if d.Price, err = p.rules.Price(l.priced()); err != nil {
		errs.Add("price", err.Error())
		return nil
	}
	l.Price, l.PriceDiscount = d.Price.Gross, d.Price.Discount
	return nil
}

// tariff gives a line the terms of the tariff that was asked for; if none was, of the cheapest one
// of the item's group, or of the item's own price where it is sold.
func (p pricer) tariff(ctx context.Context, d *Draft, it *item.Item, errs fault.FieldErrors) error {
	l := d.Line
	var of *group.Group
	var err error
	if it.Group != nil {
		if of, err = find(ctx, p.w, group.Kind(), *it.Group); err != nil {
			return err
		}
	}
	switch {
	case l.Tariff != nil:
		if of == nil || !l.takes(of.Tariffs, *l.Tariff, errs) {
			errs.Add("tarif", fault.BadReference(*l.Tariff))
		}
	case d.Cost != nil:
		l.Terms = d.Agreed.terms(l.Terms)
	case l.Type == Sale && it.SellPrice != nil && !it.SellPrice.IsNegative():
		l.Terms = Terms{Discount: l.Discount, Additional: l.Additional, Cost: *it.SellPrice}
	case l.Type == Sale:
		errs.Add("tarif", "The item has no sell_price: name a tariff or a price.")
	default:
		if of == nil || !l.takesCheapest(p.rules, of.Tariffs) {
			errs.Add("tarif", "The item's group has no published tariff: name a tariff or a price.")
		}
	}
	return nil
}

// service prices a service line.
func (p pricer) service(ctx context.Context, d *ServiceDraft) error {
	l, errs, before := d.Line, p.w.Errors(d.Path), d.before
	of, err := find(ctx, p.w, service.Kind(), l.Service)
	if err != nil {
		return err
	}
	isNew := before == nil || !nullable.Same(before.Tariff, l.Tariff) || before.Service != l.Service
	if isNew && of != nil {
		l.Title, l.Type = of.Name, of.Type
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
	if of != nil && d.takesDiscount() {
		if l.Discount, err = current(ctx, p.w, of.Discount); err != nil {
			return err
		}
	}
	var terms *Terms
	if before != nil {
		terms = &before.Terms
	}
	d.Agreed.apply(&l.Terms, terms, isNew)
	if err := reduce(ctx, p.w, &l.Discount); err != nil {
		return err
	}
	if of == nil || len(errs) > 0 {
		return nil
	}
	it := l.priced()
	it.Count, it.Timeless = l.Count, true
	if d.Price, err = p.rules.Price(it); err != nil {
		errs.Add("price", err.Error())
		return nil
	}
	l.Price, l.PriceDiscount = d.Price.Gross, d.Price.Discount
	return nil
}

// reduce completes a discount that was named by its id alone.
func reduce(ctx context.Context, w *record.Work, r **Reduction) error {
	if *r == nil || (*r).Percent != nil || (*r).Amount != nil {
		return nil
	}
	of, err := find(ctx, w, discount.Kind(), (*r).ID)
	if err != nil || of == nil {
		return err
	}
	*r = &Reduction{ID: of.ID, Percent: of.Percent, Amount: of.Amount}
	return nil
}

// current is a discount as it is now; nil for none, and for one that was deleted.
func current(ctx context.Context, w *record.Work, id *int64) (*Reduction, error) {
	if id == nil {
		return nil, nil
	}
	of, err := find(ctx, w, discount.Kind(), *id)
	if err != nil || of == nil {
		return nil, err
	}
	return &Reduction{ID: of.ID, Percent: of.Percent, Amount: of.Amount}, nil
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
	i := rules.Cheapest(terms, time.UnixMicro(l.Start), time.UnixMicro(l.End))
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
func (a Agreed) apply(t, before *Terms, isNew bool) {
	sentBack := isNew && before != nil
	if a.Cost != nil && !(sentBack && a.Cost.Cmp(before.Cost) == 0) {
		t.Cost = *a.Cost
	}
	if a.Duration != nil && !(sentBack && *a.Duration == before.Duration) {
		t.Duration = *a.Duration
	}
}
