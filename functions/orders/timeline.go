package orders

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// timeline is the operation that tells what happened to an order.
func timeline(now func() time.Time) web.Operation {
	type input struct {
		ID       int64  `path:"id"`
		Page     string `query:"page"`
		PageSize string `query:"pageSize"`
	}
	return web.Op(web.Operation{
		ID: "orders-timeline", Method: http.MethodGet, Path: orders(now).Path() + "{id}/timeline/",
		Summary: "List what happened to an order",
		Doc: "Newest first: an entry for each change of the order and of what belongs to it, with everything that happened at once, and " +
			"one for each of the newest 300 things that happened to its documents and its traffic penalties. These may lag a few seconds " +
			"behind changes. A document that was there before its events were kept is one entry, with where each signature is.",
	}, func(ctx context.Context, r *web.Request, in *input) (web.List[order.Moment], error) {
		var none web.List[order.Moment]
		p, err := r.PageOf()
		if err != nil {
			return none, err
		}
		t, err := order.TimelineOf(ctx, resource.Scope(r, now), in.ID)
		if err != nil {
			return none, err
		}
		moments, err := t.Page(ctx, p.Offset(t.Count()), p.Size)
		if err != nil {
			return none, err
		}
		return web.Envelope(r, p, t.Count(), moments)
	})
}
