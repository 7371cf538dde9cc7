package order

import (
	"context"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// TakeDeposit posts a deposit for an order, and keeps it in the order. What is wrong is reported at
// the fields of a Payment.
func TakeDeposit(ctx context.Context, w *record.Work, o *Order, p Payment) (*Deposit, error) {
	if err := o.checkCounts(); err != nil {
		return nil, err
	}
	posting, err := o.take(ctx, w, ledger.SortDeposit, p)
	if err != nil {
		return nil, err
	}
	d, err := Deposits().Add(ctx, w, o, func(d *Deposit) error {
		d.Amount, d.Account, d.Type, d.Date, d.Comment = p.Amount, posting.Account, p.Type, posting.Date, p.Comment
		d.Posting = posting.ID
		return nil
	})
	if err == nil {
		o.liftHold()
		w.Happened(DepositReceived{o.onDeposit(d), d.about(d.Amount)})
	}
	return d, err
}

// ChangeDeposit does what goes with a change of a deposit by the unit of work; was is the deposit before.
func ChangeDeposit(w *record.Work, o *Order, was, is *Deposit) error {
	of, err := differing(was.Shown(), is.Shown())
	if err == nil && len(of.Fields) > 0 {
		w.Happened(DepositUpdated{o.onDeposit(is), is.about(is.Amount), of})
	}
	return err
}

// DropDeposit does what goes with the end of a deposit, which the caller removes from its order in
// the same unit of work: its posting goes.
func DropDeposit(ctx context.Context, w *record.Work, o *Order, d *Deposit) error {
	if err := d.checkWhole(); err != nil {
		return err
	}
	w.Happened(DepositRemoved{o.onDeposit(d), d.about(d.Amount)})
	return ledger.Unpost(ctx, w, d.Posting)
}

// Return is how much of a deposit is given back, and how much is kept.
type Return struct {
	Amount   *money.Amount // nil: all that is left
	Withhold money.Amount
	Date     *moment.Micros // nil: now
	Comment  *string
}

// ReturnDeposit gives a deposit of an order back, or a part of it. What is withheld becomes a
// payment. What is wrong is reported at the fields "amount", "withhold" and "date" of the body.
func ReturnDeposit(ctx context.Context, w *record.Work, o *Order, id int64, r Return) error {
	d, err := Deposits().Find(o, id)
	if err != nil {
		return err
	}
	if err := o.checkWithhold(r); err != nil {
		return err
	}
	errs := w.Errors("")
	amount := r.split(d, errs)
	at := happened(r.Date, w.Scope().Actor.At, errs, "date")
	if err := errs.Err(); err != nil {
		return err
	}
	if _, err := o.accountOf(ctx, w, &d.Account, ShownKeys(w.Scope().Table, o)...); err != nil {
		return err
	}
	postings := o.returnPostings(d, amount, r, at)
	ledger.Postings().Create(w, "", postings...)
	for _, p := range postings {
		if err := ledger.Posted(ctx, w, p); err != nil {
			return err
		}
		if p.Sort == ledger.SortPayment {
			o.collect(p.Day, p.Amount)
			o.keepPayment(p.ID)
		}
	}
	_, err = Deposits().Change(w, o, id, func(d *Deposit) error {
		d.Returned, d.Withheld = d.Returned.Add(amount), d.Withheld.Add(r.Withhold)
		return nil
	})
	if err != nil {
		return err
	}
	if !amount.IsZero() {
		w.Happened(DepositReturned{o.onDeposit(d), d.about(amount)})
	}
	if !r.Withhold.IsZero() {
		w.Happened(DepositWithheld{o.onDeposit(d), d.about(r.Withhold)})
		w.Happened(WasPaid{o.onDeposit(d), r.Withhold})
	}
	return settle(ctx, w, o)
}
