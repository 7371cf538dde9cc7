package order

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Referral is what an agent gets for having brought an order, as it is stored.
type Referral struct {
	record.Meta
	Order   int64          `dynamo:"q"`
	Agent   *int64         `dynamo:"ag,omitempty"`
	Amount  money.Amount   `dynamo:"s"` // not negative
	Status  ReferralStatus `dynamo:"st"`
	Changed moment.Micros  `dynamo:"sc"` // when it got its status
	Posting *int64         `dynamo:"po,omitempty"`
}

// ToldReferral is what the history sees of a referral.
type ToldReferral struct {
	ID     int64          `json:"id"`
	Agent  *int64         `json:"agent"`
	Amount money.Amount   `json:"amount"`
	Status ReferralStatus `json:"status"`
	Paid   *money.Amount  `json:"paid,omitempty"` // the amount, once it is paid
}

// Referrals is the kind of referrals.
func Referrals() *record.Kind[*Referral] { return declaredReferrals.Get(declareReferrals) }

var declaredReferrals record.Declared[*Referral]

func declareReferrals() record.Kind[*Referral] {
	return record.Kind[*Referral]{
		Kind: kinds.Of(kinds.Referral), Shown: func(r *Referral) any { return r.told() },
		Parent: func(r *Referral) record.Parent {
			return record.Parent{Kind: kinds.Order, ID: r.Order, List: "referrals"}
		},
		Columns: []column.Column[*Referral]{
			column.Reference("request", "q", func(r *Referral) *int64 { return &r.Order }).Doc("Id of an order"),
			column.Reference("agent", "a", func(r *Referral) *int64 { return r.Agent }).Doc("Id of an agent"),
			column.Choice("status", "o", func(r *Referral) *ReferralStatus { return &r.Status }),
		},
		References: func(r *Referral) []record.Reference {
			if r.Agent == nil {
				return nil
			}
			return []record.Reference{{Field: "agent", Kind: kinds.Agent, ID: *r.Agent}}
		},
	}
}

func (r *Referral) told() ToldReferral {
	t := ToldReferral{ID: r.ID, Agent: r.Agent, Amount: r.Amount, Status: r.Status}
	if r.Status == ReferralPaid {
		paid := r.Amount
		t.Paid = &paid
	}
	return t
}

// ShownReferral is what callers see of a referral, besides the status of its order.
type ShownReferral struct {
	ID        int64          `json:"id"`
	CreatedAt string         `json:"created_at" format:"date-time"`
	Request   int64          `json:"request" doc:"Id of the order"`
	Status    ReferralStatus `json:"status" doc:"{values}"`
	ChangedAt string         `json:"status_changed_at" format:"date-time"`
	Agent     *int64         `json:"agent" nullable:"true" doc:"Id of an agent"`
	Amount    money.Amount   `json:"amount"`
}

// Shown returns what callers see of a referral.
func (r *Referral) Shown() ShownReferral {
	return ShownReferral{
		ID: r.ID, CreatedAt: r.CreatedAt(), Request: r.Order, Status: r.Status, ChangedAt: encode.Instant(r.Changed.Time()),
		Agent: r.Agent, Amount: r.Amount,
	}
}

// MaxReferrals is how many referrals an order has at most.
const MaxReferrals = 50

var (
	errReferral = fault.New(fault.Conflict, say.OrderReferralPaid).Coded()
	errGiven    = fault.New(fault.Conflict, say.ReferralPaidStays).Coded()
	errNobody   = fault.New(fault.Conflict, say.ReferralWithoutAgent).Coded()
)

// Refer does what goes with a new referral of the unit of work: it is pending, and its order holds
// its id.
func Refer(ctx context.Context, w *record.Work, o *Order, r *Referral) error {
	if err := o.checkReferral(); err != nil {
		return err
	}
	r.Order, r.Status, r.Changed = o.ID, ReferralPending, r.Created
	if err := w.Number(ctx); err != nil {
		return err
	}
	o.Referrals = append(slices.Clip(o.Referrals), r.ID)
	w.Happened(ReferralCreated{o.onReferral(r), r.about()})
	return nil
}

// ChangeReferral does what goes with a change of a referral by the unit of work.
func ChangeReferral(ctx context.Context, w *record.Work, r *Referral) error {
	if r.Status == ReferralPaid {
		return errGiven
	}
	o, err := Kind().Edit(ctx, w, r.Order) // its history tells the change
	if err != nil {
		return err
	}
	of, err := differing(Referrals().Before(w, r.ID).told(), r.told())
	if err == nil && len(of.Fields) > 0 {
		w.Happened(ReferralUpdated{o.onReferral(r), r.about(), of})
	}
	return err
}

// DropReferral does what goes with the end of a referral, which the caller removes in the same unit
// of work.
func DropReferral(ctx context.Context, w *record.Work, r *Referral) error {
	if r.Status == ReferralPaid {
		return errGiven
	}
	o, err := Kind().Edit(ctx, w, r.Order)
	if err == nil {
		o.Referrals = slices.DeleteFunc(slices.Clone(o.Referrals), func(id int64) bool { return id == r.ID })
		w.Happened(ReferralRemoved{o.onReferral(r), r.about()})
	}
	return err
}

// PayReferral posts what an agent gets for a referral, out of an account or the default one. A
// referral is paid once: paying a paid one changes nothing. An amount of 0 is not posted.
func PayReferral(ctx context.Context, w *record.Work, r *Referral, account *int64) error {
	switch {
	case r.Status == ReferralPaid:
		return nil
	case r.Agent == nil:
		return errNobody
	}
	t := w.Scope().Table
	if err := w.Load(ctx, append(toPost(t, account), Kind().Key(t, r.Order))...); err != nil {
		return err
	}
	o, err := Kind().Edit(ctx, w, r.Order)
	if err != nil {
		return err
	}
	if err := o.checkCounts(); err != nil {
		return err
	}
	r.Status, r.Changed = ReferralPaid, moment.Of(w.Scope().Actor.At)
	w.Happened(ReferralWasPaid{o.onReferral(r), r.about()})
	if r.Amount.IsZero() {
		return nil
	}
	from, err := accountFor(ctx, w, account)
	if err != nil {
		return err
	}
	p := o.payout(from, r.Amount.Neg(), r.Changed)
	if err := ledger.Post(ctx, w, "", p); err != nil {
		return err
	}
	r.Posting = &p.ID
	return nil
}

// TakeReferralBack takes the payout of a referral back: the referral is pending again, and the
// amount returns to the account that it was paid from by a posting of its own, because what was paid
// stays in the statements of its day. Taking a pending one back changes nothing.
func TakeReferralBack(ctx context.Context, w *record.Work, r *Referral) error {
	if r.Status == ReferralPending {
		return nil
	}
	t := w.Scope().Table
	keys := []table.Key{Kind().Key(t, r.Order), t.Company()}
	if r.Posting != nil {
		keys = append(keys, ledger.Postings().Key(t, *r.Posting))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	o, err := Kind().Edit(ctx, w, r.Order) // its history tells the change
	if err != nil {
		return err
	}
	w.Happened(ReferralReversed{o.onReferral(r), r.about()})
	posting := r.Posting
	r.Status, r.Changed, r.Posting = ReferralPending, moment.Of(w.Scope().Actor.At), nil
	if posting == nil { // an amount of 0 was not posted
		return nil
	}
	paid, err := stillThere(ledger.Postings().Read(ctx, w, *posting))
	if err != nil {
		return err
	}
	return ledger.Post(ctx, w, "", o.payout(paid.Account, paid.Amount.Neg(), r.Changed))
}

// eraseReferrals removes the referrals of an order that is removed.
func (o *Order) eraseReferrals(ctx context.Context, w *record.Work) error {
	for _, id := range o.Referrals {
		r, err := stillThere(Referrals().Read(ctx, w, id))
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
