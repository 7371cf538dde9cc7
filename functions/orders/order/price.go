package order

import (
	"context"

	"github.com/tenantry/tenantry/functions/clients/discount"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
)

// price gives lines of an order their times and prices, and writes nothing: what it works out is in the drafts. What
// is wrong with a line is reported at its path. It returns the rules that it priced by.
func price(ctx context.Context, w *record.Work, o *Order, c Changes) (company.Rental, error) {
	if err := load(ctx, w, o, c); err != nil {
		return company.Rental{}, err
	}
	of, err := company.Get(ctx, w)
	if err != nil {
		return company.Rental{}, err
	}
	settings := of.RentalRules()
	zone, err := of.Zone()
	if err != nil {
		return settings, err
	}
	o.times(c.Lines, settings.Buffer, w.Scope().Actor.At, w.Errors)
	rules := rulesOf(settings, zone)
	for _, d := range c.Lines {
		d.Line.Client = o.Client
		errs := w.Errors(d.Path)
		found, err := d.find(ctx, w, errs)
		if err != nil {
			return settings, err
		}
		if err := d.priceBy(rules, found, errs); err != nil {
			return settings, err
		}
	}
	for _, d := range c.Services {
		d.Line.Client = o.Client
		found, err := d.find(ctx, w)
		if err != nil {
			return settings, err
		}
		d.priceBy(rules, found, w.Errors(d.Path))
	}
	o.Discount, err = completed(ctx, w, o.Discount)
	return settings, err
}

// find reads what the price of an item line follows from. load has read it before.
func (d *Draft) find(ctx context.Context, w *record.Work, errs fault.FieldErrors) (of offer, err error) {
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

// find reads what the price of a service line follows from. load has read it before.
func (d *ServiceDraft) find(ctx context.Context, w *record.Work) (of serviceOffer, err error) {
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

// completed is a discount that was given. One that was named by its id alone is the one that there is now; if there is none, it stays as it
// was named, because the check of references reports that.
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
