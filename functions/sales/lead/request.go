package lead

import (
	"context"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
)

// errRequest is the fault if a lead has an order already.
var errRequest = fault.New(fault.Conflict, "The lead has an order already.").With("code", "request")

// MakeOrder makes a new order of the unit of work the order of a lead, which has only one. The
// lead keeps its id, also if the order is deleted.
func MakeOrder(ctx context.Context, w *record.Work, l *Lead, o *order.Order) error {
	if l.Request != nil {
		return errRequest.With("request", *l.Request)
	}
	if err := order.Arrange(ctx, w, o, order.Changes{}); err != nil {
		return err
	}
	l.Request = &o.ID
	return nil
}
