package lead

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
)

// has is what a lead is told that has an order already.
const has = "The lead has an order already."

// errRequest is the fault if a lead has an order already.
var errRequest = fault.New(fault.Conflict, has).With("code", "request")

// MakeOrder makes a new order of the unit of work the order of a lead, which has only one. The
// lead keeps the id of an order that is deleted, until it gets another one.
func MakeOrder(ctx context.Context, w *record.Work, l *Lead, o *order.Order) error {
	if there, err := isThere(ctx, w, l.Request); err != nil {
		return err
	} else if there {
		return errRequest.With("request", *l.Request)
	}
	if err := order.Arrange(ctx, w, o, order.Changes{}); err != nil {
		return err
	}
	l.Request = &o.ID
	return nil
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
		errs.Add("request", has)
	}
	return err
}

// parts tells whether a lead no longer names the order that it named before.
func (l *Lead) parts(before *Lead) bool {
	return before != nil && before.Request != nil && (l.Request == nil || *l.Request != *before.Request)
}
