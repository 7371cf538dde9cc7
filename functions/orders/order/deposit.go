package order

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// TakeDeposit posts a deposit for an order, and keeps it in the order. What is wrong is reported at
// the fields of a Payment.
func TakeDeposit(ctx context.Context, w *record.Work, o *Order, p Payment) (*Deposit, error) {
	if err := o.refusesMoney(); err != nil {
		return nil, err
	}
	posting, err := o.take(ctx, w, ledger.SortDeposit, p)
	if err != nil {
		return nil, err
	}
	return Deposits().Add(ctx, w, o, func(d *Deposit) error {
		d.Amount, d.Account, d.Type, d.Date, d.Comment = p.Amount, posting.Account, p.Type, posting.Date, p.Comment
		d.Posting = posting.ID
		return nil
	})
}

// errSplit keeps a deposit from being deleted.
var errSplit = fault.New(fault.Conflict, "A part of the deposit was returned or withheld.").With("code", "returned")

// DropDeposit does what goes with the end of a deposit, which the caller removes from its order in
// the same unit of work: its posting goes.
func DropDeposit(ctx context.Context, w *record.Work, d *Deposit) error {
	if !d.Returned.IsZero() || !d.Withheld.IsZero() {
		return errSplit
	}
	return ledger.Unpost(ctx, w, d.Posting)
}

// Return is how much of a deposit is given back, and how much is kept.
type Return struct {
	Amount   *money.Amount // nil: all that is left
	Withhold money.Amount
	Date     *int64 // microseconds; nil: now
	Comment  *string
}

// ReturnDeposit gives a deposit of an order back, or a part of it. What is withheld becomes a
// payment. What is wrong is reported at the fields "amount", "withhold" and "date" of the body.
func ReturnDeposit(ctx context.Context, w *record.Work, o *Order, id int64, r Return) error {
	d, err := Deposits().Find(o, id)
	if err != nil {
		return err
	}
	if !r.Withhold.IsZero() && !o.Status.Counts() {
		return o.refuses("The order is " + o.Status.name() + ": its deposits are returned whole.")
	}
	errs := w.Errors("")
	amount := r.split(d, errs)
	at := moment(r.Date, w.Scope().Actor.At, errs, "date")
	if err := errs.Err(); err != nil {
		return err
	}
	if _, err := o.opens(ctx, w, &d.Account, Around(w.Scope().Table, o)...); err != nil {
		return err
	}
	postings := []*ledger.Posting{
		o.posting(ledger.SortDeposit, d.Account, amount.Neg(), r.Comment),
		o.posting(ledger.SortDeposit, d.Account, r.Withhold.Neg(), r.Comment),
		o.posting(ledger.SortPayment, d.Account, r.Withhold, r.Comment),
	}
	postings = slices.DeleteFunc(postings, func(p *ledger.Posting) bool { return p.Amount.IsZero() })
	ledger.Postings().Create(w, "", postings...)
	for _, p := range postings {
		p.Type, p.Date = d.Type, at
		if err := ledger.Posted(ctx, w, p); err != nil {
			return err
		}
	}
	_, err = Deposits().Change(w, o, id, func(d *Deposit) error {
		d.Returned, d.Withheld = d.Returned.Add(amount), d.Withheld.Add(r.Withhold)
		return nil
	})
	if err != nil {
		return err
	}
	o.PaidAmount = o.PaidAmount.Add(r.Withhold)
	return settle(ctx, w, o)
}

// split tells how much is given back, and reports what is wrong with that or with what is withheld.
func (r Return) split(d *Deposit, errs fault.FieldErrors) money.Amount {
	if errs.Has("amount") || errs.Has("withhold") {
		return money.Amount{}
	}
	left, amount := d.Left(), money.Amount{}
	if r.Withhold.Cmp(left) > 0 {
		errs.Add("withhold", "At most "+left.String()+" is left of the deposit.")
		return amount
	}
	if amount = left.Sub(r.Withhold); r.Amount != nil {
		amount = *r.Amount
	}
	both := amount.Add(r.Withhold)
	switch {
	case left.IsZero():
		errs.Add("amount", "Nothing is left of the deposit.")
	case both.Cmp(left) > 0:
		errs.Add("amount", "At most "+left.Sub(r.Withhold).String()+" is left of the deposit.")
	case both.IsZero():
		errs.Add("amount", "Ensure this value is greater than 0, or withhold is.")
	}
	return amount
}
