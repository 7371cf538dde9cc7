package sales

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/sales/lead"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// requestBody is what callers may send for the order of a lead. The rest of an order, and its
// lines, are sent to the order itself.
type requestBody struct {
	Client      decode.Optional[int64]           `json:"client" nullable:"true" example:"1" doc:"The lead's client, if it is left out. Another one is refused, unless the lead has none"`
	RentStart   decode.Optional[decode.DateTime] `json:"rent_start" nullable:"true" example:"2027-03-01T09:00:00Z" doc:"For item lines that name no start"`
	RentEnd     decode.Optional[decode.DateTime] `json:"rent_end" nullable:"true" example:"2027-03-04T09:00:00Z" doc:"For rental lines that name no end"`
	UniqueID    decode.Optional[string]          `json:"unique_id" nullable:"true" maxLength:"64" doc:"Unique among the company's orders. Left out of a new order or null: its id, or such as 17-1 where another order was given that"`
	Point       decode.Optional[int64]           `json:"rental_point" nullable:"true"`
	PointReturn decode.Optional[int64]           `json:"rental_point_return" nullable:"true"`
	Extra       decode.Optional[decode.JSON]     `json:"extra" nullable:"true" doc:"Of the order: any JSON of at most 16 KB; the custom fields of the key order are checked."`
}

// apply writes what was sent to the new order of a lead.
func (in *requestBody) apply(o *order.Order, l *lead.Lead) {
	o.Client = l.Client
	in.Client.IntoNullable(&o.Client)
	decode.IntoMicros(in.RentStart, &o.RentStart)
	decode.IntoMicros(in.RentEnd, &o.RentEnd)
	in.UniqueID.IntoNullable(&o.UniqueID)
	in.Point.IntoNullable(&o.Point)
	in.PointReturn.IntoNullable(&o.PointReturn)
	record.ExtraInto(o, in.Extra, &o.Extra)
}

// makeOrder is the operation that makes an order of a lead.
func makeOrder(now func() time.Time) web.Operation {
	res := leads(now)
	type input struct {
		ID      int64  `path:"id"`
		IfMatch string `header:"If-Match"`
		Body    requestBody
	}
	return web.Op(web.Operation{
		ID: "leads-request", Method: http.MethodPost, Path: res.Path() + "{id}/request/", Status: http.StatusCreated, Idempotent: true,
		Resource: scope.Orders, // whoever may not make orders makes none by a lead
		Thorough: true, MakesRecords: true, Faults: resource.Changing(), Summary: "Make an order of a lead",
		Doc: "The order is a request of the lead's client. The answer is the lead, whose request is the order's id, and Location is the " +
			"address of the order. A lead that has an order already is 409 with the code request and the order's id; where " +
			"that order was " +
			"deleted, a new one is made.",
	}, func(ctx context.Context, r *web.Request, in *input) (*web.Reply[Lead], error) {
		var made resource.Result[*lead.Lead]
		o := web.OutcomeOf(r, func() (*web.Reply[Lead], error) {
			reply, err := res.Reply(ctx, r, made, http.StatusCreated)
			if err == nil {
				reply.Header["Location"] = r.BaseURL + order.Kind().Kind.One(*made.Record.Request)
			}
			return reply, err
		})
		return o.After(order.Numbered(in.Body.UniqueID, func(again int64) error {
			return resource.Scope(r, now).Do(ctx, o, func(w *record.Work) error {
				l, err := res.Edit(ctx, w, r, in.ID)
				if err != nil {
					return err
				}
				made = resource.Result[*lead.Lead]{Work: w, Record: l}
				next := new(order.Order)
				order.Kind().Create(w, "", next)
				next.Again = again
				if in.Body.apply(next, l); w.Scope().Actor.User != 0 {
					user := w.Scope().Actor.User
					next.CreatedBy = &user
				}
				return lead.MakeOrder(ctx, w, l, next)
			})
		}))
	})
}
