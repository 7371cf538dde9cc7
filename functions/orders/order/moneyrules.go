package order

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
)

// What is refused about refunds.
var (
	errErased = fault.New(fault.Conflict, say.OrderPaidIsDeleted).Coded()
	errUnpaid = fault.New(fault.Conflict, say.OrderPaidLess).Coded()
)

// errOwned refuses to change a fee that is a traffic penalty, and to delete the order that has it.
var errOwned = fault.New(fault.Conflict, say.FeeIsTrafficPenalty).Coded()

// errSplit keeps a deposit from being deleted.
var errSplit = fault.New(fault.Conflict, say.DepositInParts).Coded()

// posting is a posting of an order, which is changed in finance by refunds alone.
func (o *Order) posting(sort ledger.Sort, account int64, amount money.Amount, comment *string) *ledger.Posting {
	return &ledger.Posting{
		Account: account, Amount: amount, Sort: sort, Request: &o.ID, Client: o.payer(), Comment: comment, Owned: true,
	}
}

// payer is the client of an order, unless it was deleted.
func (o *Order) payer() *int64 {
	if o.ClientGone {
		return nil
	}
	return o.Client
}

// receipt is the posting of money that comes in for an order; what is wrong with that is reported.
func (o *Order) receipt(sort ledger.Sort, account int64, p Payment, now time.Time, errs fault.FieldErrors) *ledger.Posting {
	if !errs.Has("amount") && (p.Amount.IsNegative() || p.Amount.IsZero()) {
		errs.Add("amount", say.OrderAmountNotAboveZero)
	}
	posting := o.posting(sort, account, p.Amount, p.Comment)
	posting.Type, posting.Date = p.Type, happened(p.Date, now, errs, "date")
	return posting
}

// payout is the posting of what an agent gets for an order, or gives back: it is not the client's money.
func (o *Order) payout(account int64, amount money.Amount, at moment.Micros) *ledger.Posting {
	p := o.posting(ledger.SortReferral, account, amount, nil)
	p.Client, p.Date = nil, at
	return p
}

// checkReferral refuses a referral that an order does not take.
func (o *Order) checkReferral() error {
	if err := o.checkCounts(); err != nil {
		return err
	}
	if len(o.Referrals) >= MaxReferrals {
		return fault.Field(fault.NonField, say.OrderMaxReferrals(MaxReferrals))
	}
	return nil
}

// refund lowers what was paid for an order by a payment of a day; a negative amount raises it.
func (o *Order) refund(by money.Amount, day decode.Date) error {
	if by.IsNegative() {
		o.collect(day, by.Neg())
		return nil
	}
	o.uncollect(day, by)
	if o.PaidAmount = o.PaidAmount.Sub(by); o.PaidAmount.IsNegative() {
		return errUnpaid // its payments and refunds add up to what was paid, so this does not happen
	}
	return nil
}

// checkFee refuses a fee that an order does not take.
func (o *Order) checkFee(f Fee) error {
	if f.Penalty != nil && !o.Status.Counts() {
		return o.checkCounts()
	}
	if err := o.checkTakesMoney(); err != nil {
		return err
	}
	if _, err := money.Total(o.Price, o.AllFees(), f.Amount, o.PaidAmount); err != nil {
		return errTooMuch
	}
	return nil
}

// checkFeeChange refuses a change or the end of a fee that stays as it was; is is nil at its end. What a cancelled order owes is lowered by
// those alone who may also cancel it for less.
func (o *Order) checkFeeChange(was, is *Fee, role tenant.Role) error {
	if was.Penalty != nil {
		return errOwned
	}
	if err := o.checkTakesMoney(); err != nil {
		return err
	}
	if o.OwesFees && (is == nil || is.Amount.Cmp(was.Amount) < 0) && !mayWaive(role) {
		return fault.ErrForbidden
	}
	return nil
}

// checkWhole refuses to remove a deposit of which something was returned or kept.
func (d *Deposit) checkWhole() error {
	if !d.Returned.IsZero() || !d.Withheld.IsZero() {
		return errSplit
	}
	return nil
}

// checkWithhold refuses to keep a part of a deposit for an order that takes no money. For a cancelled one, at most what it owes is kept.
func (o *Order) checkWithhold(r Return) error {
	if r.Withhold.IsZero() || o.Status.Counts() {
		return nil
	}
	owed := o.debt()
	if owed.IsZero() {
		return o.statusFault(say.OrderCancelledOwesNothing)
	}
	if r.Withhold.Cmp(owed) > 0 {
		return fault.Field("withhold", say.WithheldAboveDebt(owed.String()))
	}
	return nil
}

// split tells how much is given back, and reports what is wrong with that or with what is withheld.
func (r Return) split(d *Deposit, errs fault.FieldErrors) money.Amount {
	if errs.Has("amount") || errs.Has("withhold") {
		return money.Amount{}
	}
	left, amount := d.Left(), money.Amount{}
	if r.Withhold.Cmp(left) > 0 {
		errs.Add("withhold", say.DepositLessLeft(left.String()))
		return amount
	}
	if amount = left.Sub(r.Withhold); r.Amount != nil {
		amount = *r.Amount
	}
	both := amount.Add(r.Withhold)
	switch {
	case left.IsZero():
		errs.Add("amount", say.DepositNothingLeft)
	case both.Cmp(left) > 0:
		errs.Add("amount", say.DepositLessLeft(left.Sub(r.Withhold).String()))
	case both.IsZero():
		errs.Add("amount", say.DepositNothingNamed)
	}
	return amount
}

// returnPostings are the postings by which an amount of a deposit is given back, and what is withheld becomes a payment.
func (o *Order) returnPostings(d *Deposit, amount money.Amount, r Return, at moment.Micros) []*ledger.Posting {
	postings := []*ledger.Posting{
		o.posting(ledger.SortDeposit, d.Account, amount.Neg(), r.Comment),
		o.posting(ledger.SortDeposit, d.Account, r.Withhold.Neg(), r.Comment),
		o.posting(ledger.SortPayment, d.Account, r.Withhold, r.Comment),
	}
	for _, p := range postings {
		p.Type, p.Date = d.Type, at
	}
	return slices.DeleteFunc(postings, func(p *ledger.Posting) bool { return p.Amount.IsZero() })
}
