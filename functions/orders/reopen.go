package orders

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Reopened is an order of which a line was reopened, and what stays.
type Reopened struct {
	Order
	Stays []order.Stay `json:"stays" doc:"What was done since that does not go with it, the newest first: at most 50 documents, and what the 50 last changes of the order refunded, and gave back or kept of deposits. Documents may lag a second behind."`
}

// reopen is the operation that undoes a hand-out or a return.
func reopen(now func() time.Time) web.Operation {
	res := orders(now)
	return web.Op(web.Operation{
		ID: "order-lines-reopen", Method: http.MethodPost, Path: lines(now).Path() + "{id}/reopen/", Role: tenant.Manager,
		Idempotent: true, Thorough: true, Faults: resource.Changing(), Summary: "Undo the return or the hand-out of an item",
		Doc: "At most 24 hours after it was told (409 with the code too_late, also for what was told before this operation was there). " +
			"The return of a line whose item is back is undone: the item is out again, for the price that the line had, without a " +
			"late fee. The hand-out of one whose item is out is undone: the line is planned as it was; what was changed since " +
			"stays, and is priced for its time. The calendar, the services that follow the time, the status, the times and the " +
			"debt of the order follow. 409 says what is in the way: item_booked with conflicts, what has taken the item since; " +
			"swapped, a swap ended or began the line so; referral, an agent was paid for the order, of a hand-out and of the " +
			"return that completed it; status, the item was not handed out; closed, it is out of use. Answered with the whole " +
			"order. If-Match is about the order.",
	}, func(ctx context.Context, r *web.Request, in *struct {
		ID      int64  `path:"id"`
		IfMatch string `header:"If-Match"`
		Body    struct{}
	},
	) (*web.Reply[Reopened], error) {
		var of resource.Result[*order.Order]
		var stays []order.Stay
		o := web.OutcomeOf(r, func() (*web.Reply[Reopened], error) {
			whole, err := res.Reply(ctx, r, of, http.StatusOK)
			if err != nil {
				return nil, err
			}
			return &web.Reply[Reopened]{Status: whole.Status, Header: whole.Header, Body: &Reopened{Order: *whole.Body, Stays: stays}}, nil
		})
		return o.After(resource.Scope(r, now).Do(ctx, o, func(w *record.Work) error {
			l, err := order.Lines().Read(ctx, w, in.ID)
			if err != nil {
				return err
			}
			rec, err := res.Edit(ctx, w, r, l.Order)
			if err != nil {
				return err
			}
			of = resource.Result[*order.Order]{Work: w, Record: rec}
			stays, err = order.Reopen(ctx, w, rec, l.ID)
			return err
		}))
	})
}

// reopenLine undoes the return or the hand-out of a line of an order.
func reopenLine(ctx context.Context, w *record.Work, o *order.Order, line int64, _ *struct{}) error {
	_, err := order.Reopen(ctx, w, o, line)
	return err
}
