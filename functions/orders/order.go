package orders

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// orderBody is what callers send for an order that is there.
type orderBody struct {
	Client      decode.Optional[int64]           `json:"client" nullable:"true" example:"1"`
	RentStart   decode.Optional[decode.DateTime] `json:"rent_start" nullable:"true" example:"2027-03-01T09:00:00Z" doc:"The start of item lines that name none. Another one moves the rentals that have exactly the time of the order, at most 30; of those that are out only the end moves. 400 if none moves. An order with item lines has the time of these."`
	RentEnd     decode.Optional[decode.DateTime] `json:"rent_end" nullable:"true" example:"2027-03-04T09:00:00Z" doc:"The end of rental lines that name none; see rent_start"`
	Status      decode.Optional[order.Status]    `json:"status" default:"0" doc:"A new order is 0 request or 1 reserved. It changes by POST …/action/ alone: any other value than the present one is refused."`
	Hold        decode.Optional[moment.Seconds]  `json:"hold" nullable:"true" minimum:"0" maximum:"2678400" doc:"For how many seconds from now a request without payments and deposits has its items: it is cancelled then. null and 0: without end. Left out of a new request: as the rental settings say"`
	UniqueID    decode.Optional[string]          `json:"unique_id" nullable:"true" maxLength:"64" doc:"Unique among the company's orders. Left out of a new order or null: its id, or such as 17-1 where another order was given that"`
	Discount    decode.Optional[int64]           `json:"discount" nullable:"true" doc:"Id of a discount, which takes effect as it is now"`
	Point       decode.Optional[int64]           `json:"rental_point" nullable:"true"`
	PointReturn decode.Optional[int64]           `json:"rental_point_return" nullable:"true" doc:"Where its items are returned: they move there then. It changes for at most 30 that are to come back (409, code too_many_lines)."`
	TaxPercent  decode.Optional[money.Amount]    `json:"tax_percent" minimum:"0" maximum:"100" doc:"Of the price after all discounts. Left out of a new order: that of the rental settings"`
	TaxIncluded decode.Optional[bool]            `json:"tax_included" doc:"The tax is inside the prices, and not added to them. Left out of a new order: as the rental settings say"`
	Additional  decode.Optional[money.Amount]    `json:"additional_discount" minimum:"0" default:"0.00"`
	Extra       decode.Optional[decode.JSON]     `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key order are checked."`
}

// newOrderBody is what callers send for a new order: also its lines.
type newOrderBody struct {
	orderBody
	Inventories decode.Optional[[]newLine]    `json:"inventories" maxItems:"30" example:"[{\"inventory\":1}]" doc:"Item lines"`
	Services    decode.Optional[[]newService] `json:"services" maxItems:"10" doc:"Service lines"`
}

// Order is an order as callers see it.
type Order struct {
	order.Shown
	Deposits         []order.ShownDeposit `json:"deposits"`
	Fees             []order.ShownFee     `json:"penalties" doc:"Fees"`
	OrderInventories []int64              `json:"order_inventories" doc:"Ids of the item lines"`
	OrderServices    []int64              `json:"order_services" doc:"Ids of the service lines"`
	Inventories      []Line               `json:"inventories" nullable:"true" doc:"The item lines; null in a list"`
	Services         []ServiceLine        `json:"services" nullable:"true" doc:"The service lines; null in a list"`
	Tenant           int64                `json:"tenant"`

	to resource.Viewer
}

type orderResource = resource.Resource[*order.Order, orderBody, Order]

func orders(now func() time.Time) orderResource {
	return orderResource{
		Kind: order.Kind(), Apply: applyOrder, View: viewOrder, Whole: withLines,
		Doc: "`search` finds orders by their unique_id, or by the name of their client as it is now: all words are in the one, " +
			"or all in the other. " +
			"`start_at` and `end_at` find the orders whose planned time is not over before the one, and begins before the other.",
		Changed: amendOrder,
		Gone:    order.Erase, Filters: []resource.Filter{inTime(), ofItem(now), byClient(now)},
	}
}

// amendOrder does what goes with a change of an order's own fields.
func amendOrder(ctx context.Context, w *record.Work, o *order.Order, in *orderBody) error {
	if in.Status.Set && !in.Status.Null && in.Status.Value != o.Status {
		w.Errors("").Add("status", say.OrderStatusByAction)
	}
	var to order.Times
	decode.IntoMicros(in.RentStart, &to.Start)
	decode.IntoMicros(in.RentEnd, &to.End)
	return order.Amend(ctx, w, o, to, in.hold())
}

func orderOperations(now func() time.Time) []web.Operation {
	res := orders(now)
	return explained([]web.Operation{
		res.List(now), createOrder(now), quote(now), res.Read(now), res.Update(now), res.Patch(now), res.Delete(now), act(now), pay(now),
		whatIf(now), timeline(now),
	}, map[string]string{
		http.MethodDelete: "Its lines and referrals go with it. Only a request (0) or a cancelled order (3) can be deleted, " +
			"else it is 409 with the code status; and only if no money paid for it is left (paid, refund it first), no deposit " +
			"(deposit), and no referral was paid (referral_paid). A cancelled order that owes fees is deleted by managers (else 403).",
	})
}

// hold is for how long a caller wants a request held; nil if nothing was said.
func (in *orderBody) hold() *moment.Seconds {
	var seconds moment.Seconds
	if in.Hold.Into(&seconds); !in.Hold.Set && !in.Hold.Null {
		return nil
	}
	return &seconds
}

func applyOrder(o *order.Order, in *orderBody, _ fault.FieldErrors) {
	in.Client.IntoNullable(&o.Client)
	decode.IntoMicros(in.RentStart, &o.RentStart)
	decode.IntoMicros(in.RentEnd, &o.RentEnd)
	in.UniqueID.IntoNullable(&o.UniqueID)
	intoReduction(in.Discount, &o.Discount)
	in.Point.IntoNullable(&o.Point)
	in.PointReturn.IntoNullable(&o.PointReturn)
	in.TaxPercent.Into(&o.TaxPercent)
	in.TaxIncluded.Into(&o.TaxIncluded)
	in.Additional.Into(&o.Additional)
	record.ExtraInto(o, in.Extra, &o.Extra)
}

// intoReduction writes a discount that was sent to a record. One that the record has already stays
// as it was given.
func intoReduction(in decode.Optional[int64], to **order.Reduction) {
	switch {
	case in.Null:
		*to = nil
	case in.Set && (*to == nil || (*to).ID != in.Value):
		*to = &order.Reduction{ID: in.Value}
	}
}

func viewOrder(o *order.Order, to resource.Viewer) Order {
	v := Order{
		Shown: o.Shown(), Deposits: []order.ShownDeposit{}, Fees: []order.ShownFee{}, OrderInventories: []int64{},
		OrderServices: append([]int64{}, o.Services...), Tenant: int64(o.Tenant()), to: to,
	}
	for i := range o.Deposits {
		v.Deposits = append(v.Deposits, o.Deposits[i].Shown())
	}
	for i := range o.Fees {
		v.Fees = append(v.Fees, o.Fees[i].Shown())
	}
	for _, l := range o.Lines {
		v.OrderInventories = append(v.OrderInventories, l.ID)
	}
	return v
}

// withLines adds the lines to the view of one order.
func withLines(ctx context.Context, w *record.Work, o *order.Order, v *Order) error {
	held, services, err := order.LoadShown(ctx, w, o)
	if err != nil {
		return err
	}
	v.Inventories, v.Services = []Line{}, []ServiceLine{}
	for _, l := range held {
		v.Inventories = append(v.Inventories, viewLine(l, v.to))
	}
	for _, l := range services {
		v.Services = append(v.Services, viewService(l, v.to))
	}
	return joinLines(ctx, w, held, v.Inventories)
}

// createOrder is the operation that makes an order, with its lines.
func createOrder(now func() time.Time) web.Operation {
	res := orders(now)
	return web.Op(web.Operation{
		ID: "orders-create", Method: http.MethodPost, Path: res.Path(), Status: http.StatusCreated, Idempotent: true, Thorough: true,
		MakesRecords: true, Faults: []fault.Code{fault.Conflict}, Summary: "Create an order",
		Doc: "Also with its lines, all or nothing: an item that is not free is 409 with the conflicts. A line that names no tariff gets " +
			"the published one of its item's group that costs least for its time; a sale without one costs the item's sell_price.",
	}, func(ctx context.Context, r *web.Request, in *struct{ Body newOrderBody }) (*web.Reply[Order], error) {
		var made resource.Result[*order.Order]
		o := res.Outcome(ctx, r, &made, http.StatusCreated)
		return o.After(order.Numbered(in.Body.UniqueID, func(again int64) error {
			return resource.Scope(r, now).Do(ctx, o, func(w *record.Work) error {
				made = resource.Result[*order.Order]{Work: w, Record: new(order.Order)}
				order.Kind().Create(w, "", made.Record)
				made.Record.Again = again
				return order.Arrange(ctx, w, made.Record, fillNew(w, made.Record, &in.Body))
			})
		}))
	})
}

// fillNew writes what was sent to a new order, and makes its lines in the unit of work.
func fillNew(w *record.Work, o *order.Order, in *newOrderBody) order.Changes {
	applyOrder(o, &in.orderBody, w.Errors(""))
	o.CreatedBy = actor(w)
	if in.Status.Into(&o.Status); !o.Status.IsFirst() {
		w.Errors("").Add("status", say.OrderStatusNotFirst)
		o.Status = order.Request // so that all else that is wrong is found too
	}
	c := draftsOf(w, in)
	c.Hold = in.hold()
	c.NoTaxPercent, c.NoTaxIncluded = !in.TaxPercent.Set, !in.TaxIncluded.Set
	return c
}

// draftsOf are the lines that come with a new order.
func draftsOf(w *record.Work, in *newOrderBody) (c order.Changes) {
	for i := range in.Inventories.Value {
		l, path := new(order.Line), fmt.Sprintf("inventories.%d", i)
		if isNone(w, path) {
			continue
		}
		order.Lines().Create(w, path, l)
		in.Inventories.Value[i].apply(l)
		c.Lines = append(c.Lines, in.Inventories.Value[i].draft(w, l, path))
	}
	for i := range in.Services.Value {
		l, path := new(order.ServiceLine), fmt.Sprintf("services.%d", i)
		if isNone(w, path) {
			continue
		}
		order.ServiceLines().Create(w, path, l)
		in.Services.Value[i].apply(l)
		c.Services = append(c.Services, in.Services.Value[i].draft(w, l, path))
	}
	return c
}

// isNone tells whether an element of a list of the body is no object: that is all that is told of it.
func isNone(w *record.Work, path string) bool { return w.Errors(path).Has(fault.NonField) }

// actor is the user who changes something.
func actor(w *record.Work) *int64 {
	if id := w.Scope().Actor.User; id != 0 {
		return &id
	}
	return nil
}
