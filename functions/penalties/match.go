package penalties

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// PenaltyMatch says whom a penalty belongs to, or why to nobody.
type PenaltyMatch struct {
	Item   *int64          `json:"inventory" nullable:"true" doc:"Id of the inventory item that the car is"`
	Order  *int64          `json:"request" nullable:"true" doc:"Id of the order that had the car"`
	Line   *int64          `json:"line" nullable:"true" doc:"Id of the item line of that order"`
	Client *int64          `json:"client" nullable:"true" doc:"Id of the client of that order"`
	Frozen bool            `json:"frozen" doc:"It is noted or charged, and stays as it is"`
	Reason *penalty.Reason `json:"reason" nullable:"true" doc:"Why there is no order; null if there is one"`
	Detail *say.Message    `json:"detail" nullable:"true" doc:"The same in words"`
}

// words say why a penalty belongs to no order.
func words(why penalty.Reason) say.Message {
	switch why {
	case penalty.ReasonNoTime:
		return say.PenaltyNoTime
	case penalty.ReasonNoCar:
		return say.PenaltyNoCar
	case penalty.ReasonTwoCars:
		return say.PenaltyTwoCars
	case penalty.ReasonNobody:
		return say.PenaltyNobody
	case penalty.ReasonTwo:
		return say.PenaltyTwoOrders
	case penalty.ReasonPending:
		return say.PenaltyPending
	case penalty.ReasonFrozen:
		return say.PenaltyFrozen
	}
	return ""
}

// match is the operation that says whom a penalty belongs to.
func match(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "penalties-match", Method: http.MethodGet, Path: penalties().Path() + "{id}/match/",
		Summary: "Read whom a penalty belongs to",
		Doc: "Its car is the active inventory item with its number (Latin and Cyrillic letters that look alike, spaces and case " +
			"aside), else the only one with its tech passport. It belongs to the order whose line had that item at the moment of the " +
			"violation: from the hand-out to the return; as planned, if it was not handed out. When an order or a car changes, the " +
			"penalty is matched again within seconds, unless it is noted or charged.",
	}, func(ctx context.Context, r *web.Request, in *struct {
		ID int64 `path:"id"`
	},
	) (PenaltyMatch, error) {
		w := resource.Scope(r, now).Reading()
		p, err := penalty.Kind().Read(ctx, w, in.ID)
		if err != nil {
			return PenaltyMatch{}, err
		}
		m, err := penalty.MatchOf(ctx, w, p)
		if err != nil {
			return PenaltyMatch{}, err
		}
		shown := PenaltyMatch{Item: m.Item, Order: m.Order, Line: m.Line, Client: m.Client, Frozen: p.IsFrozen()}
		if m.Why != "" {
			detail := words(m.Why)
			shown.Reason, shown.Detail = &m.Why, &detail
		}
		return shown, nil
	})
}

type chargeBody struct {
	Amount decode.Optional[money.Amount] `json:"amount" nullable:"true" doc:"Above 0; that of the penalty, if it is left out"`
}

// charges are the operations that add a penalty to its order as a fee, and take it back.
func charges(now func() time.Time) []web.Operation {
	res := penalties()
	type removal struct {
		ID      int64  `path:"id"`
		IfMatch string `header:"If-Match"`
	}
	return []web.Operation{
		resource.Action(res, now, web.Operation{
			ID: "charge", Summary: "Charge a penalty to its order",
			Doc: "Adds it as a fee to the order that it belongs to, once: then it is 409 with the code charged. Without an order it is " +
				"409 with the code unmatched; if the order is cancelled, with the code status. It stays with that order from then on. " +
				"`paid` does not change: it says whether the penalty was paid to the state.",
		}, func(ctx context.Context, w *record.Work, p *penalty.Penalty, in *chargeBody) error {
			var amount *money.Amount
			in.Amount.IntoNullable(&amount)
			return penalty.Charge(ctx, w, p, amount)
		}),
		web.Op(web.Operation{
			ID: "penalties-uncharge", Method: http.MethodDelete, Path: res.Path() + "{id}/charge/", Status: http.StatusNoContent,
			Faults: resource.Changing(), Summary: "Take the charge of a penalty back",
			Doc: "Removes the fee from the order. Then the penalty belongs again to whoever had the car. If it is not charged, it is 404.",
		}, func(ctx context.Context, r *web.Request, in *removal) (web.None, error) {
			return web.None{}, resource.Scope(r, now).Do(ctx, nil, func(w *record.Work) error {
				p, err := res.Edit(ctx, w, r, in.ID)
				if err != nil {
					return err
				}
				return penalty.Uncharge(ctx, w, p)
			})
		}),
	}
}
