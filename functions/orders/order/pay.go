package order

import (
	"context"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Payment is money that a client pays, or leaves as a deposit.
type Payment struct {
	Amount  money.Amount // above 0
	Account *int64       // nil: the company's default account
	Type    *int64       // one of the account's types
	Date    *int64       // microseconds; nil: now
	Comment *string
}

// Pay posts a payment for an order. More than is owed is taken too. What is wrong is reported at
// the fields "amount", "account", "type" and "date" of the body.
func Pay(ctx context.Context, w *record.Work, o *Order, p Payment) error {
	if o.Status == Cancelled {
		return o.refuses("The order is cancelled.")
	}
	if _, err := o.post(ctx, w, ledger.SortPayment, p); err != nil {
		return err
	}
	o.PaidAmount = o.PaidAmount.Add(p.Amount)
	return settle(ctx, w, o)
}

// post posts money of an order. A posting of an order is changed in finance by refunds alone.
func (o *Order) post(ctx context.Context, w *record.Work, sort string, p Payment) (*ledger.Posting, error) {
	errs := w.Errors("")
	if p.Amount.IsNegative() || p.Amount.IsZero() {
		errs.Add("amount", "Ensure this value is greater than 0.")
	}
	at := moment(p.Date, w.Scope().Actor.At, errs, "date")
	account, err := o.accountFor(ctx, w, p.Account)
	if err != nil {
		return nil, err
	}
	posting := &ledger.Posting{
		Account: account, Amount: p.Amount, Type: p.Type, Date: at, Sort: sort, Request: &o.ID, Client: o.payer(), Comment: p.Comment,
		Owned: true,
	}
	if p.Type != nil {
		if err := ledger.Typed(ctx, w, posting, errs); err != nil {
			return nil, err
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return posting, ledger.Post(ctx, w, "", posting)
}

// accountFor is the account that money goes through: the one that was named, or the default one.
func (o *Order) accountFor(ctx context.Context, w *record.Work, named *int64) (int64, error) {
	if named != nil {
		return *named, nil
	}
	id, err := ledger.Default(ctx, w)
	if err == nil && id == 0 {
		return 0, fault.Field("account", "The company has no account yet.")
	}
	return id, err
}

// payer is the client of an order, unless it was deleted.
func (o *Order) payer() *int64 {
	if o.ClientGone {
		return nil
	}
	return o.Client
}

// Refunded lowers what was paid for an order, because a payment of it was refunded. A negative
// amount raises it: a refund was taken back, or made smaller.
func Refunded(ctx context.Context, w *record.Work, id int64, by money.Amount) error {
	o, err := Kind().Edit(ctx, w, id)
	if err != nil {
		return err
	}
	o.PaidAmount = o.PaidAmount.Sub(by)
	return settle(ctx, w, o)
}
