package order

import (
	"context"

	"github.com/tenantry/tenantry/functions/clients/discount"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
)

// pricingRules are the company's settings for rentals, and the rules by which it prices, which follow from them.
func pricingRules(ctx context.Context, w *record.Work) (settings company.Rental, rules pricing.Rules, err error) {
	of, err := company.Get(ctx, w)
	if err != nil {
		return settings, rules, err
	}
	zone, err := of.Zone()
	if err != nil {
		return settings, rules, err
	}
	settings = of.RentalRules()
	return settings, rulesOf(settings, zone), nil
}

// price gives lines of an order their prices, and writes nothing: what it works out is in the drafts. What is wrong with
// a line is reported at its path.
func price(ctx context.Context, w *record.Work, o *Order, c Changes, rules pricing.Rules) error {
	for _, d := range c.Lines {
		d.Line.Client = o.Client
		errs := w.Errors(d.Path)
		of, err := d.readOffer(ctx, w, errs)
		if err != nil {
			return err
		}
		if err := d.priceBy(rules, of, errs); err != nil {
			return err
		}
	}
	for _, d := range c.Services {
		d.Line.Client = o.Client
		of, err := d.readOffer(ctx, w)
		if err != nil {
			return err
		}
		d.priceBy(rules, of, w.Errors(d.Path))
	}
	var err error
	o.Discount, err = completed(ctx, w, o.Discount)
	return err
}

// readOffer reads what the price of an item line follows from. load has read it before.
func (d *Draft) readOffer(ctx context.Context, w *record.Work, errs fault.FieldErrors) (of offer, err error) {
	if of.item, err = find(ctx, w, item.Kind(), d.Line.Item); err != nil {
		return of, err
	}
	if of.item != nil && of.item.Group != nil && d.choosesTerms(errs) {
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
