package order

import (
	"context"

	"github.com/tenantry/tenantry/functions/clients/discount"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// books are price books by their numbers.
type books map[int64]pricebook.Book

// pricer is what prices follow from besides the lines themselves.
type pricer struct {
	settings company.Rental
	rules    pricing.Rules
	now      pricebook.Book // by which lines with new terms are priced
	books    books          // by which the other ones are
	point    *int64         // the rental point of the order
	span     span           // the time of the order, which service lines follow
}

// newPricer reads how a company prices, and the price books of lines that are there. point is the rental point of the order. Whoever
// prices new terms reads the book of today besides.
func newPricer(ctx context.Context, w *record.Work, point *int64, lines ...*Line) (p pricer, err error) {
	of, err := company.Get(ctx, w)
	if err != nil {
		return p, err
	}
	zone, err := of.Zone()
	if err != nil {
		return p, err
	}
	p = pricer{settings: of.RentalRules(), books: books{}, point: point}
	p.rules = pricebook.RulesOf(p.settings, zone)
	var keys []table.Key
	for _, l := range lines {
		if l != nil && l.Place != nil {
			keys = append(keys, pricebook.KeyOf(w.Scope().Table, l.Place.Book))
		}
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return p, err
	}
	for _, l := range lines {
		if l == nil || l.Place == nil {
			continue
		}
		if p.books[l.Place.Book], err = pricebook.Read(ctx, w, l.Place.Book); err != nil {
			return p, err
		}
	}
	return p, nil
}

// today reads the price book of today, if item lines of a call have, or may get, new terms.
func (p *pricer) today(ctx context.Context, w *record.Work, c Changes) (err error) {
	if len(c.Lines) == 0 {
		return nil
	}
	p.now, err = pricebook.Now(ctx, w)
	p.books[p.now.Number] = p.now
	return err
}

// limit is how many percent the caller of a unit of work may take off prices.
func (p pricer) limit(w *record.Work) int64 { return p.settings.MaxDiscount.Of(w.Scope().Role) }

// price gives lines of an order their prices, and writes nothing: what it works out is in the drafts. What is wrong with
// a line is reported at its path.
func price(ctx context.Context, w *record.Work, o *Order, c Changes, p pricer) error {
	limit := p.limit(w)
	for _, d := range c.Lines {
		d.Line.Client = o.Client
		errs := w.Errors(d.Path)
		of, err := d.readOffer(ctx, w)
		if err != nil {
			return err
		}
		if err := d.priceBy(p, of, errs); err != nil {
			return err
		}
		before := termsOf(d.before)
		if d.goesElsewhere() {
			before = nil // what was given was given for something else
		}
		checkDiscount(before, &d.Line.Terms, limit, errs)
	}
	if err := keepParts(c.Lines, p); err != nil {
		return errTooMuch
	}
	for _, d := range c.Services {
		d.Line.Client = o.Client
		errs := w.Errors(d.Path)
		of, err := d.readOffer(ctx, w)
		if err != nil {
			return err
		}
		d.priceBy(p, of, errs)
		before := serviceTermsOf(d.before)
		if d.before != nil && d.before.Service != d.Line.Service {
			before = nil // what was given was given for something else
		}
		checkDiscount(before, &d.Line.Terms, limit, errs)
	}
	var err error
	o.Discount, err = completed(ctx, w, o.Discount)
	return err
}

// PriceOf explains the price of an item line, by what it was agreed by.
func PriceOf(ctx context.Context, w *record.Work, id int64) (*Line, pricing.Price, error) {
	l, err := Lines().Read(ctx, w, id)
	if err != nil {
		return nil, pricing.Price{}, err
	}
	p, err := newPricer(ctx, w, nil, l)
	if err != nil {
		return nil, pricing.Price{}, err
	}
	price, err := p.priceOf(l, true)
	return l, price, err
}

// readOffer reads what the price of an item line follows from. load has read it before.
func (d *Draft) readOffer(ctx context.Context, w *record.Work) (of offer, err error) {
	if of.item, err = find(ctx, w, item.Kind(), d.Line.Item); err != nil {
		return of, err
	}
	if d.Class != nil && d.Class.known && d.Line.nameless {
		of.item = d.Class.item()
	}
	if of.item != nil && of.item.Group != nil {
		if of.group, err = find(ctx, w, group.Kind(), *of.item.Group); err != nil {
			return of, err
		}
	}
	of.discount, err = completed(ctx, w, d.Line.Discount)
	return of, err
}

// readOffer reads what the price of a service line follows from. load has read it before.
func (d *ServiceDraft) readOffer(ctx context.Context, w *record.Work) (of serviceOffer, err error) {
	if of.service, err = find(ctx, w, service.Kind(), d.Line.Service); err != nil {
		return of, err
	}
	switch {
	case of.service == nil || !d.takesDiscount():
		of.discount, err = completed(ctx, w, d.Line.Discount)
	case of.service.Discount != nil:
		of.discount, err = current(ctx, w, *of.service.Discount)
	}
	return of, err
}

// completed returns a discount with what it gives. A discount that was named by its id alone is read as it is now; if it doesn't exist, it
// is returned as it was named, because the check of references reports it.
func completed(ctx context.Context, w *record.Work, r *Reduction) (*Reduction, error) {
	if r == nil || r.Percent != nil || r.Amount != nil {
		return r, nil
	}
	now, err := current(ctx, w, r.ID)
	if err != nil || now == nil {
		return r, err
	}
	return now, nil
}

// current is a discount as it is now; nil for one that was deleted.
func current(ctx context.Context, w *record.Work, id int64) (*Reduction, error) {
	of, err := find(ctx, w, discount.Kind(), id)
	if err != nil || of == nil {
		return nil, err
	}
	return &Reduction{ID: of.ID, Percent: of.Percent, Amount: of.Amount}, nil
}
