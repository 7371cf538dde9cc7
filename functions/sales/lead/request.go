package lead

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// errRequest is the fault if a lead has an order already.
var errRequest = fault.New(fault.Conflict, say.LeadHasOrder).Coded()

// MakeOrder makes a new order of the unit of work the order of a lead, which has only one. The
// lead keeps the id of an order that is deleted, until it gets another one.
func MakeOrder(ctx context.Context, w *record.Work, l *Lead, o *order.Order) error {
	if there, err := isThere(ctx, w, l.Request); err != nil {
		return err
	} else if there {
		return errRequest.With("request", *l.Request)
	}
	if err := l.makesFor(ctx, w, o); err != nil {
		return err
	}
	// It has no items to hold yet, and a cancelled one would keep the lead from another.
	if err := order.Arrange(ctx, w, o, order.Changes{NoTaxPercent: true, NoTaxIncluded: true, Hold: new(moment.Seconds)}); err != nil {
		return err
	}
	l.Request = &o.ID
	return nil
}

// makesFor reports it if an order that is made of a lead has another client than the lead. The check
// of references reports a client that does not exist.
func (l *Lead) makesFor(ctx context.Context, w *record.Work, o *order.Order) error {
	errs := w.Errors("")
	if l.fits(o) || errs.Has("client") || *o.Client < 1 || *o.Client > table.MaxID {
		return nil
	}
	_, err := client.Kind().Read(ctx, w, *o.Client)
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	errs.Add("client", say.LeadOfOtherClient)
	return err
}

// isThere tells whether an order is there: not, if a lead names none, or if it was deleted.
func isThere(ctx context.Context, w *record.Work, id *int64) (bool, error) {
	if id == nil {
		return false, nil
	}
	_, err := order.Kind().Read(ctx, w, *id)
	if errors.Is(err, fault.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// keepsOrder reports it if a lead that has an order loses it, or gets another one.
func (l *Lead) keepsOrder(ctx context.Context, w *record.Work, before *Lead, errs fault.FieldErrors) error {
	if !l.parts(before) || errs.Has("request") {
		return nil
	}
	there, err := isThere(ctx, w, before.Request)
	if there {
		errs.Add("request", say.LeadHasOrder)
	}
	return err
}

// fits tells whether a lead can have an order: not one of another client. A lead or an order that
// names no client fits any.
func (l *Lead) fits(o *order.Order) bool {
	return l.Client == nil || o.Client == nil || *l.Client == *o.Client
}

// sharesClient reports it if a lead gets the order of another client, or another client than its
// order has. The client of an order may change: a lead that names both of them as before is not
// asked again.
func (l *Lead) sharesClient(ctx context.Context, w *record.Work, before *Lead, errs fault.FieldErrors) error {
	if !l.pairs(before) || errs.Has("request") || errs.Has("client") {
		return nil
	}
	o, err := order.Kind().Read(ctx, w, *l.Request)
	switch {
	case errors.Is(err, fault.ErrNotFound): // it was deleted, or the check of references reports it
		return nil
	case err != nil:
		return err
	case l.fits(o):
		return nil
	}
	if isNew(before, l, func(l *Lead) *int64 { return l.Request }) {
		errs.Add("request", say.LeadOrderOfOtherClient)
	} else {
		errs.Add("client", say.LeadHasOrderOfOtherClient)
	}
	return nil
}

// pairs tells whether a lead names a client and an order together that it did not name before.
func (l *Lead) pairs(before *Lead) bool {
	return l.Request != nil && l.Client != nil && (isNew(before, l, func(l *Lead) *int64 { return l.Request }) ||
		isNew(before, l, func(l *Lead) *int64 { return l.Client }))
}

// parts tells whether a lead no longer names the order that it named before.
func (l *Lead) parts(before *Lead) bool {
	return before != nil && before.Request != nil && (l.Request == nil || *l.Request != *before.Request)
}
