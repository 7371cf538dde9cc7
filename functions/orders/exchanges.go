package orders

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Exchange is an exchange of an item as callers see it.
type Exchange struct {
	order.ShownExchange
	Tenant int64 `json:"tenant"`
}

// exchanges is the resource of the items that were swapped while they were out. Only a swap makes one, and nobody changes it.
func exchanges() resource.Resource[*order.Exchange, struct{}, Exchange] {
	return resource.Resource[*order.Exchange, struct{}, Exchange]{
		Kind: order.Exchanges(),
		Doc: "Items that were swapped for others while they were out. A swap makes one (…/requests/inventories/{id}/swap/), and it " +
			"never changes. `search` looks at the reason.",
		View: func(e *order.Exchange, _ resource.Viewer) Exchange {
			return Exchange{ShownExchange: e.Shown(), Tenant: int64(e.Tenant())}
		},
	}
}

func exchangeOperations(now func() time.Time) []web.Operation {
	res := exchanges()
	return []web.Operation{res.List(now), res.Read(now), swap(now)}
}

type swapBody struct {
	Inventory decode.Optional[int64]           `json:"inventory" required:"true" example:"2" doc:"Id of the item that takes the place"`
	Datetime  decode.Optional[decode.DateTime] `json:"datetime" nullable:"true" doc:"When it happened, now or past, after the hand-out; now, if it is left out. Not of a line whose item was not handed out"`
	Price     decode.Optional[order.SwapPrice] `json:"price" required:"true" example:"keep" doc:"keep: the rental costs what was agreed; new: from now on its share of what all of its time costs by the tariffs of the other item"`
	Reason    decode.Optional[string]          `json:"reason" required:"true" maxLength:"500" example:"The gearbox broke" doc:"For the exchange and the timeline"`
}

// swap is the operation that gives a rental another item.
func swap(now func() time.Time) web.Operation {
	return onLine(now, web.Operation{
		ID: "swap", Summary: "Swap the item of a rental",
		Doc: "A line whose item is out ends at datetime, and a new one with the same set_group goes on with the other item until " +
			"the planned end: an exchange names both. Both cost their shares, by seconds, of what the whole rental costs; so they do " +
			"after each later change of its end or its discounts, which are those of all its lines. A line whose item was not handed " +
			"out only gets the other one. 409: overlap with the conflicts of the other item, overdue (extend it first), swapped (the " +
			"line had ended by a swap), returned, status.",
	}, func(t *table.Tenant, in *swapBody) []table.Key {
		return []table.Key{order.SwapKey(t, in.Inventory.Value)}
	}, swapItem)
}

// swapItem gives a line of an order another item.
func swapItem(ctx context.Context, w *record.Work, o *order.Order, line int64, in *swapBody) error {
	if err := w.Errors("").Err(); err != nil {
		return err
	}
	s := order.Swap{Item: in.Inventory.Value, New: in.Price.Value == order.NewPrice, Reason: in.Reason.Value}
	decode.IntoMicros(in.Datetime, &s.At)
	return order.SwapItem(ctx, w, o, line, s)
}

// onLine declares an operation on an item line that changes its order. It is answered with the whole order. also are the keys of what it
// reads besides the line, in the same call.
func onLine[In any](now func() time.Time, op web.Operation, also func(t *table.Tenant, in *In) []table.Key,
	do func(ctx context.Context, w *record.Work, o *order.Order, line int64, in *In) error,
) web.Operation {
	res := orders(now)
	op.Path, op.ID = lines(now).Path()+"{id}/"+op.ID+"/", "order-lines-"+op.ID
	op.Method, op.Idempotent, op.Thorough, op.Faults = http.MethodPost, true, true, resource.Changing()
	op.Doc += " Answered with the whole order; If-Match is about the order."
	type input struct {
		ID      int64  `path:"id"`
		IfMatch string `header:"If-Match"`
		Body    In
	}
	return web.Op(op, func(ctx context.Context, r *web.Request, in *input) (*web.Reply[Order], error) {
		var of resource.Result[*order.Order]
		o := res.Outcome(ctx, r, &of, http.StatusOK)
		return o.After(resource.Scope(r, now).Do(ctx, o, func(w *record.Work) error {
			t := w.Scope().Table
			if in.ID < 1 || in.ID > table.MaxID {
				return fault.ErrNotFound
			}
			if err := w.Load(ctx, append(also(t, &in.Body), order.Lines().Key(t, in.ID))...); err != nil {
				return err
			}
			l, err := order.Lines().Read(ctx, w, in.ID)
			if err != nil {
				return err
			}
			rec, err := res.Edit(ctx, w, r, l.Order)
			if err != nil {
				return err
			}
			of = resource.Result[*order.Order]{Work: w, Record: rec}
			return do(ctx, w, rec, l.ID, &in.Body)
		}))
	})
}
