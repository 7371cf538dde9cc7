package order

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Payment is money that a client pays, or leaves as a deposit.
type Payment struct {
	Amount  money.Amount   // above 0
	Account *int64         // nil: the company's default account
	Type    *int64         // one of the account's types
	Date    *moment.Micros // nil: now
	Comment *string
}

// Pay posts a payment for an order. More than is owed is taken too. What is wrong is reported at
// the fields "amount", "account", "type" and "date" of the body.
func Pay(ctx context.Context, w *record.Work, o *Order, p Payment) error {
	if err := o.checkTakesMoney(); err != nil {
		return err
	}
	posting, err := o.take(ctx, w, ledger.SortPayment, p, ShownKeys(w.Scope().Table, o)...)
	if err != nil {
		return err
	}
	w.Happened(WasPaid{o.on(postedTo(posting)...), p.Amount})
	o.collect(posting.Day, p.Amount)
	o.keepPayment(posting.ID)
	return settle(ctx, w, o)
}

// take posts money that comes in for an order. also is what the answer needs besides, and is read
// in the same call.
func (o *Order) take(ctx context.Context, w *record.Work, sort ledger.Sort, p Payment, also ...table.Key) (*ledger.Posting, error) {
	if o.hasLapsed(w.Scope().Actor.At) {
		return nil, errLapsed
	}
	account, err := o.accountOf(ctx, w, p.Account, also...)
	if err != nil {
		return nil, err
	}
	errs := w.Errors("")
	posting := o.receipt(sort, account, p, w.Scope().Actor.At, errs)
	if p.Type != nil {
		if err := ledger.Typed(ctx, w, posting, errs); err != nil {
			return nil, err
		}
	}
	if a, err := find(ctx, w, ledger.Accounts(), account); err != nil {
		return nil, err
	} else if a == nil {
		errs.Add("account", say.DoesNotExist(account))
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return posting, ledger.Post(ctx, w, "", posting)
}

// toPost are the keys of what a posting needs to know of its account: the one that was named, or
// the default one.
func toPost(t *table.Tenant, named *int64) []table.Key {
	switch {
	case named == nil:
		return []table.Key{t.Company(), ledger.Register(t)}
	case valid(*named):
		return []table.Key{t.Company(), t.Record(kinds.Account, *named)}
	}
	return []table.Key{t.Company()}
}

// accountFor is the account that money goes through: the one that was named, or the default one.
func accountFor(ctx context.Context, w *record.Work, named *int64) (int64, error) {
	if named != nil {
		return *named, nil
	}
	id, err := ledger.Default(ctx, w)
	if err == nil && id == 0 {
		return 0, fault.Field("account", say.CompanyWithoutAccount)
	}
	return id, err
}

// accountOf finds the account that money of an order's client goes through, and finds out whether the
// client is still there.
func (o *Order) accountOf(ctx context.Context, w *record.Work, named *int64, also ...table.Key) (int64, error) {
	t := w.Scope().Table
	keys := append(toPost(t, named), also...)
	if o.Client != nil {
		keys = append(keys, t.Record(kinds.Client, *o.Client))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return 0, err
	}
	if _, err := o.noteClientGone(ctx, w); err != nil {
		return 0, err
	}
	return accountFor(ctx, w, named)
}

// Refunded lowers what was paid for an order, because a payment of it was refunded. A negative
// amount raises it: a refund was taken back, or made smaller. of is the payment, and refund the posting that refunds it.
func Refunded(ctx context.Context, w *record.Work, of, refund *ledger.Posting, by money.Amount) error {
	o, err := Kind().Edit(ctx, w, *of.Request)
	if errors.Is(err, fault.ErrNotFound) {
		return errErased
	}
	if err != nil {
		return err
	}
	if err := o.refund(by, of.Day); err != nil {
		return err
	}
	if by.IsNegative() {
		w.Happened(WasPaid{o.on(postedTo(refund)...), by.Neg()})
	} else {
		w.Happened(WasRefunded{o.on(postedTo(refund)...), by})
	}
	return settle(ctx, w, o)
}
