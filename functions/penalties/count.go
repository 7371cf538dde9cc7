package penalties

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// PenaltyCount says what of a company's penalties is not paid.
type PenaltyCount struct {
	Count          int64        `json:"count" doc:"Penalties that are not paid"`
	Amount         money.Amount `json:"amount" doc:"What they come to; one without an amount counts as 0"`
	DiscountCount  int64        `json:"discount_count" doc:"Those of them whose discount has not expired"`
	DiscountAmount money.Amount `json:"discount_amount" doc:"What these come to, before the discount, whose size the registry does not say"`
	DiscountEnds   *string      `json:"discount_expires_at" nullable:"true" format:"date-time" doc:"When the first of these discounts expires"`
}

// count declares the operation that counts what is not paid.
func count(now func() time.Time) web.Operation {
	res := penalties()
	return web.Op(web.Operation{
		ID: "penalties-count", Method: http.MethodGet, Path: res.Path() + "count/", Query: res.Finder().Params(),
		Draws:   true,
		Summary: "Count unpaid penalties",
		Doc:     "Takes the filters and the `search` of the list. It may lag a second behind changes.",
	}, func(ctx context.Context, r *web.Request, _ *countInput) (PenaltyCount, error) {
		q, err := res.Finder().Query(ctx, r)
		if err != nil {
			return PenaltyCount{}, err
		}
		o, err := penalty.Unpaid(ctx, resource.Scope(r, now), q)
		return PenaltyCount{
			Count: o.Count, Amount: o.Amount, DiscountCount: o.DiscountCount, DiscountAmount: o.DiscountAmount,
			DiscountEnds: encode.Moment(o.DiscountEnds),
		}, err
	})
}

type countInput struct {
	Search string `query:"search"`
}
