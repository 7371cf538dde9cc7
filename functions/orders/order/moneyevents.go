package order

import (
	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/event"
)

// The events of what is owed and paid for an order.
type (
	// WasPaid says that money was paid for an order, a deposit was kept, or a refund was taken back.
	WasPaid struct {
		event.On
		Amount money.Amount `json:"amount" doc:"By how much what was paid rose."`
	}

	// WasRefunded says that a payment for an order was refunded.
	WasRefunded struct {
		event.On
		Amount money.Amount `json:"amount" doc:"By how much what was paid fell."`
	}

	// WasIndebted says that something is owed for an order that is completed.
	WasIndebted struct {
		event.On
		Debt money.Amount `json:"debt" doc:"What is owed."`
	}

	// WasSettled says that nothing is owed any more for an order that is completed.
	WasSettled struct{ event.On }
)

// FeeTold is what an event tells of a fee.
type FeeTold struct {
	Fee     int64        `json:"fee" doc:"Id of the fee."`
	Amount  money.Amount `json:"amount" doc:"What the client is charged."`
	Penalty *int64       `json:"penalty" nullable:"true" doc:"Id of the traffic penalty that it charges."`
}

// The events of fees.
type (
	// FeeAdded says that an order was charged with a fee.
	FeeAdded struct {
		event.On
		FeeTold
	}

	// FeeUpdated says that a fee was changed.
	FeeUpdated struct {
		event.On
		FeeTold
		event.UpdatedData
	}

	// FeeRemoved says that a fee was taken out of its order.
	FeeRemoved struct {
		event.On
		FeeTold
	}
)

// DepositTold is what an event tells of a deposit.
type DepositTold struct {
	Deposit int64        `json:"deposit" doc:"Id of the deposit."`
	Amount  money.Amount `json:"amount" doc:"What was left, or now was given back or kept of it."`
}

// The events of deposits.
type (
	// DepositReceived says that a client left a deposit.
	DepositReceived struct {
		event.On
		DepositTold
	}

	// DepositUpdated says that a deposit was changed.
	DepositUpdated struct {
		event.On
		DepositTold
		event.UpdatedData
	}

	// DepositReturned says that a deposit, or a part of it, was given back.
	DepositReturned struct {
		event.On
		DepositTold
	}

	// DepositWithheld says that a deposit, or a part of it, was kept, and became a payment.
	DepositWithheld struct {
		event.On
		DepositTold
	}

	// DepositRemoved says that a deposit was taken out of its order.
	DepositRemoved struct {
		event.On
		DepositTold
	}
)

// ReferralTold is what an event tells of a referral.
type ReferralTold struct {
	Referral int64        `json:"referral" doc:"Id of the referral."`
	Agent    *int64       `json:"agent" nullable:"true" doc:"Id of the agent."`
	Amount   money.Amount `json:"amount" doc:"What the agent gets."`
}

// The events of referrals.
type (
	// ReferralCreated says that an agent is to get something for having brought an order.
	ReferralCreated struct {
		event.On
		ReferralTold
	}

	// ReferralUpdated says that a referral was changed.
	ReferralUpdated struct {
		event.On
		ReferralTold
		event.UpdatedData
	}

	// ReferralWasPaid says that the agent has got the amount of a referral.
	ReferralWasPaid struct {
		event.On
		ReferralTold
	}

	// ReferralReversed says that the payout of a referral was taken back.
	ReferralReversed struct {
		event.On
		ReferralTold
	}

	// ReferralRemoved says that a referral was taken out of its order.
	ReferralRemoved struct {
		event.On
		ReferralTold
	}
)

// Name is order.paid.
func (WasPaid) Name() event.Name { return "order.paid" }

// Name is order.refunded.
func (WasRefunded) Name() event.Name { return "order.refunded" }

// Name is order.indebted.
func (WasIndebted) Name() event.Name { return "order.indebted" }

// Name is order.settled.
func (WasSettled) Name() event.Name { return "order.settled" }

// Name is order.fee.added.
func (FeeAdded) Name() event.Name { return "order.fee.added" }

// Name is order.fee.updated.
func (FeeUpdated) Name() event.Name { return "order.fee.updated" }

// Name is order.fee.removed.
func (FeeRemoved) Name() event.Name { return "order.fee.removed" }

// Name is order.deposit.received.
func (DepositReceived) Name() event.Name { return "order.deposit.received" }

// Name is order.deposit.updated.
func (DepositUpdated) Name() event.Name { return "order.deposit.updated" }

// Name is order.deposit.returned.
func (DepositReturned) Name() event.Name { return "order.deposit.returned" }

// Name is order.deposit.withheld.
func (DepositWithheld) Name() event.Name { return "order.deposit.withheld" }

// Name is order.deposit.removed.
func (DepositRemoved) Name() event.Name { return "order.deposit.removed" }

// Name is order.referral.created.
func (ReferralCreated) Name() event.Name { return "order.referral.created" }

// Name is order.referral.updated.
func (ReferralUpdated) Name() event.Name { return "order.referral.updated" }

// Name is order.referral.paid.
func (ReferralWasPaid) Name() event.Name { return "order.referral.paid" }

// Name is order.referral.reversed.
func (ReferralReversed) Name() event.Name { return "order.referral.reversed" }

// Name is order.referral.removed.
func (ReferralRemoved) Name() event.Name { return "order.referral.removed" }

// onFee says of which order an event of a fee is.
func (o *Order) onFee(f *Fee) event.On {
	return o.on(event.Ref{Kind: kinds.Fee, ID: f.ID}, event.To(kinds.Penalty, f.Penalty))
}

// onDeposit says of which order an event of a deposit is.
func (o *Order) onDeposit(d *Deposit) event.On {
	return o.on(event.Ref{Kind: kinds.Deposit, ID: d.ID}, event.Ref{Kind: kinds.Account, ID: d.Account})
}

// onReferral says of which order an event of a referral is.
func (o *Order) onReferral(r *Referral) event.On {
	return o.on(event.Ref{Kind: kinds.Referral, ID: r.ID}, event.To(kinds.Agent, r.Agent))
}

// postedTo are the account and the transaction of a posting.
func postedTo(p *ledger.Posting) []event.Ref {
	return []event.Ref{{Kind: kinds.Account, ID: p.Account}, {Kind: kinds.Transaction, ID: p.ID}}
}

// about is what an event tells of a fee.
func (f *Fee) about() FeeTold { return FeeTold{Fee: f.ID, Amount: f.Amount, Penalty: f.Penalty} }

// about is what an event tells of a deposit, and an amount of it.
func (d *Deposit) about(amount money.Amount) DepositTold {
	return DepositTold{Deposit: d.ID, Amount: amount}
}

// about is what an event tells of a referral.
func (r *Referral) about() ReferralTold {
	return ReferralTold{Referral: r.ID, Agent: r.Agent, Amount: r.Amount}
}

// sayFee says that a fee was changed. If is is nil, it says that the fee was removed.
func (o *Order) sayFee(w *record.Work, was, is *Fee) error {
	if is == nil {
		w.Happened(FeeRemoved{o.onFee(was), was.about()})
		return nil
	}
	of, err := differing(was.Shown(), is.Shown())
	if err == nil && len(of.Fields) > 0 {
		w.Happened(FeeUpdated{o.onFee(is), is.about(), of})
	}
	return err
}

// sayEnd says that an order was completed by the unit of work, and whether something is owed for it from now on, or no longer is.
func (o *Order) sayEnd(w *record.Work, before *Order) {
	if before == nil || !o.Status.is(traitOver) {
		return
	}
	if !before.Status.is(traitOver) {
		w.Happened(WasCompleted{o.on(), encode.Moment(o.ended()), o.debt()})
	}
	switch {
	case o.Status == Debtor && before.Status != Debtor:
		w.Happened(WasIndebted{o.on(), o.debt()})
	case o.Status == Completed && before.Status == Debtor:
		w.Happened(WasSettled{o.on()})
	}
}
