package order

import (
	"context"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
)

// The statuses of a referral.
const (
	ReferralPaid    int64 = 0
	ReferralPending int64 = 1
)

// Referral is what an agent gets for having brought an order, as it is stored.
type Referral struct {
	record.Meta
	Order   int64        `dynamo:"q"`
	Agent   *int64       `dynamo:"ag,omitempty"`
	Amount  money.Amount `dynamo:"s"` // not negative
	Status  int64        `dynamo:"st"`
	Changed int64        `dynamo:"sc"` // when it got its status, in microseconds
	Posting *int64       `dynamo:"po,omitempty"`
}

// ToldReferral is what the history sees of a referral.
type ToldReferral struct {
	ID     int64        `json:"id"`
	Agent  *int64       `json:"agent"`
	Amount money.Amount `json:"amount"`
	Status int64        `json:"status"`
}

// Referrals is the kind of referrals.
func Referrals() record.Kind[Referral] {
	return record.Kind[Referral]{
		Kind: kinds.Of(kinds.Referral), Shown: func(r *Referral) any { return ToldReferral{r.ID, r.Agent, r.Amount, r.Status} },
		Parent: func(r *Referral) record.Parent {
			return record.Parent{Kind: kinds.Order, ID: r.Order, List: "referrals"}
		},
		Columns: []column.Column[Referral]{
			column.Reference("request", "q", func(r *Referral) *int64 { return &r.Order }).For(column.Equal | column.In).
				Doc("Id of an order"),
			column.Reference("agent", "a", func(r *Referral) *int64 { return r.Agent }).For(column.Equal).Doc("Id of an agent"),
			column.Choice("status", "o", func(r *Referral) *int64 { return &r.Status }, ReferralPaid, ReferralPending).
				For(column.Equal).Doc("0 paid, 1 pending"),
		},
		References: func(r *Referral) []record.Reference {
			if r.Agent == nil {
				return nil
			}
			return []record.Reference{{Field: "agent", Kind: kinds.Agent, ID: *r.Agent}}
		},
	}
}

// errReferral is what keeps an order with a paid referral from being deleted.
var errReferral = fault.New(fault.Conflict, "A referral of the order was paid.").With("code", "referral_paid")

// eraseReferrals removes the referrals of an order that is removed.
func (o *Order) eraseReferrals(ctx context.Context, w *record.Work) error {
	for _, id := range o.Referrals {
		r, err := Referrals().Read(ctx, w, id)
		if err != nil {
			return err
		}
		if r.Status == ReferralPaid {
			return errReferral
		}
		if err := Referrals().Remove(ctx, w, id); err != nil {
			return err
		}
	}
	return nil
}
