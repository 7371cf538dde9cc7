package ledger

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
)

// How much of a posting was refunded lies in the posting itself, and is changed by the unit of
// work that makes, changes or removes a refund. So those that refund the same posting at the
// same time are decided one after the other, each on what is left then.

// Part is a part of a posting that is given back.
type Part struct {
	Of      int64
	Amount  money.Amount // above 0, whatever the sign of the posting
	Date    moment.Micros
	Comment *string
}

// Refund creates a refund of a posting: a posting of the opposite sign into the same account.
// What is wrong is reported at the fields "transaction" and "amount". Of what other records have
// posted only payments can be refunded. Whoever does that tells the order that was paid (Pays).
func Refund(ctx context.Context, w *record.Work, part Part) (*Posting, error) {
	of, err := Postings().Edit(ctx, w, part.Of)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, fault.Field("transaction", say.DoesNotExist(part.Of))
	}
	if err != nil {
		return nil, err
	}
	if of.RefundOf != nil {
		return nil, fault.Field("transaction", say.RefundOfRefund)
	}
	if of.Sort != SortPayment {
		if err := Free(of); err != nil {
			return nil, err
		}
	}
	p := &Posting{
		Account: of.Account, Amount: part.Amount, Type: of.Type, Date: part.Date, Sort: SortRefund, Request: of.Request, Client: of.Client,
		Comment: part.Comment, RefundOf: &part.Of,
	}
	if !of.Amount.IsNegative() {
		p.Amount = part.Amount.Neg()
	}
	if err := refunds(of, part.Amount, w.Errors("")); err != nil {
		return nil, err
	}
	return p, Post(ctx, w, "", p)
}

// Pays is the payment of an order that a posting refunds; nil if it refunds nothing, or anything else.
func Pays(ctx context.Context, w *record.Work, p *Posting) (*Posting, error) {
	if p.RefundOf == nil {
		return nil, nil
	}
	of, err := Postings().Read(ctx, w, *p.RefundOf)
	if err != nil || of.Sort != SortPayment || of.Request == nil {
		return nil, err
	}
	return of, nil
}

// refunding applies the rules about a posting that is a refund, or has refunds, to a change of it.
func refunding(ctx context.Context, w *record.Work, before, p *Posting, errs fault.FieldErrors) (err error) {
	var of *Posting
	if p.refundsAnotherAmount(before) {
		if of, err = Postings().Edit(ctx, w, *p.RefundOf); err != nil {
			return err
		}
	}
	return p.checkRefund(before, of, errs)
}

// unrefunded applies them to the end of a posting: what a refund took from another is given back
// to that one.
func unrefunded(ctx context.Context, w *record.Work, p *Posting) error {
	switch {
	case !p.Refunded.IsZero():
		return errRefunded
	case p.RefundOf == nil:
		return nil
	}
	of, err := Postings().Edit(ctx, w, *p.RefundOf)
	if err == nil {
		of.Refunded = of.Refunded.Sub(abs(p.Amount))
	}
	return err
}
