package orders

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// referralBody is what callers send for a referral that is there.
type referralBody struct {
	Agent  decode.Optional[int64]        `json:"agent" nullable:"true" example:"1" doc:"Id of an agent"`
	Amount decode.Optional[money.Amount] `json:"amount" minimum:"0" example:"1500.00"`
}

// newReferralBody is what callers send for a new referral.
type newReferralBody struct {
	Request decode.Optional[int64]        `json:"request" required:"true" example:"1" doc:"Id of the order, which never changes"`
	Agent   decode.Optional[int64]        `json:"agent" nullable:"true" example:"1" doc:"Id of an agent"`
	Amount  decode.Optional[money.Amount] `json:"amount" required:"true" minimum:"0" example:"1500.00"`
}

// Referral is a referral as callers see it.
type Referral struct {
	order.ShownReferral
	RequestStatus order.Status `json:"request_status" doc:"The status of the order, as it is now"`
}

func referrals() resource.Resource[*order.Referral, referralBody, Referral] {
	return resource.Resource[*order.Referral, referralBody, Referral]{
		Kind: order.Referrals(), Join: joinReferrals,
		Doc:  "What agents get for having brought orders. One that was paid stays as it is: 409 with the code paid.",
		View: func(r *order.Referral, _ resource.Viewer) Referral { return Referral{ShownReferral: r.Shown()} },
		Apply: func(r *order.Referral, in *referralBody, _ fault.FieldErrors) {
			in.Agent.IntoNullable(&r.Agent)
			in.Amount.Into(&r.Amount)
		},
		Changed: func(ctx context.Context, w *record.Work, r *order.Referral, _ *referralBody) error {
			return order.ChangeReferral(ctx, w, r)
		},
		Gone: order.DropReferral,
	}
}

func referralOperations(now func() time.Time) []web.Operation {
	res := referrals()
	return []web.Operation{
		res.List(now), createReferral(now), res.Read(now), res.Update(now), res.Patch(now), res.Delete(now), payReferral(now),
		takeReferralBack(now),
	}
}

// createReferral is the operation that makes a referral.
func createReferral(now func() time.Time) web.Operation {
	res := referrals()
	return web.Op(web.Operation{
		ID: "referrals-create", Method: http.MethodPost, Path: res.Path(), Status: http.StatusCreated, Idempotent: true, Thorough: true,
		MakesRecords: true, Summary: "Create a referral", Doc: "It is pending until it is paid. An order has at most 50.",
	}, func(ctx context.Context, r *web.Request, in *struct{ Body newReferralBody }) (*web.Reply[Referral], error) {
		var made resource.Result[*order.Referral]
		o := res.Outcome(ctx, r, &made, http.StatusCreated)
		return o.After(resource.Scope(r, now).Do(ctx, o, func(w *record.Work) error {
			made = resource.Result[*order.Referral]{Work: w, Record: new(order.Referral)}
			order.Referrals().Create(w, "", made.Record)
			in.Body.Agent.IntoNullable(&made.Record.Agent)
			in.Body.Amount.Into(&made.Record.Amount)
			of, err := orderOf(ctx, w, in.Body.Request, &made.Record.Order, true)
			if err != nil {
				return err
			}
			return order.Refer(ctx, w, of, made.Record)
		}))
	})
}

type payReferralBody struct {
	Account decode.Optional[int64] `json:"account" nullable:"true" doc:"The company's default account, if it is left out"`
}

// payReferral is the operation that pays a referral.
func payReferral(now func() time.Time) web.Operation {
	return resource.Action(referrals(), now, web.Operation{
		ID: "pay", Role: tenant.Manager, Resource: scope.Finance, Summary: "Pay a referral",
		Doc: "Posts its amount as an expense of the kind referral, once: paying a paid one changes nothing. That of a cancelled order " +
			"can't be paid: 409 with the code status; nor one without an agent: 409 with the code agent.",
	}, func(ctx context.Context, w *record.Work, r *order.Referral, in *payReferralBody) error {
		if err := w.Errors("").Err(); err != nil {
			return err
		}
		var account *int64
		in.Account.IntoNullable(&account)
		return order.PayReferral(ctx, w, r, account)
	})
}

// takeReferralBack is the operation that takes the payout of a referral back.
func takeReferralBack(now func() time.Time) web.Operation {
	return resource.Action(referrals(), now, web.Operation{
		ID: "take-back", Role: tenant.Manager, Resource: scope.Finance, Summary: "Take the payout of a referral back",
		Doc: "The referral is pending again, and its amount returns to the account that it was paid from, by a posting of the kind " +
			"referral of this moment. Taking a pending one back changes nothing.",
	}, func(ctx context.Context, w *record.Work, r *order.Referral, _ *struct{}) error {
		if err := w.Errors("").Err(); err != nil {
			return err
		}
		return order.TakeReferralBack(ctx, w, r)
	})
}

// joinReferrals adds to referrals the statuses of their orders, as they are now.
func joinReferrals(ctx context.Context, w *record.Work, recs []*order.Referral, views []Referral) error {
	keys := make([]table.Key, len(recs))
	for i, r := range recs {
		keys[i] = w.Scope().Table.Record(kinds.Order, r.Order)
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	for i, r := range recs {
		o, err := order.Kind().Read(ctx, w, r.Order)
		switch {
		case err == nil:
			views[i].RequestStatus = o.Status
		case errors.Is(err, fault.ErrNotFound): // deleted since the list was read, and the referral with it
			views[i].RequestStatus = order.Cancelled
		default:
			return err
		}
	}
	return nil
}
