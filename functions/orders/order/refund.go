package order

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// giveBack refunds what is overpaid for an order that the unit of work has settled.
func (o *Order) giveBack(ctx context.Context, w *record.Work) error {
	over := o.overpaid()
	if over.IsZero() {
		return nil
	}
	payments, err := o.payments(ctx, w)
	if err != nil {
		return err
	}
	list, err := refundsOf(over, payments)
	if err != nil {
		return err
	}
	if err := checkFits(list, payments, o.done(w)); err != nil {
		return err
	}
	for _, part := range list {
		of, err := ledger.Postings().Read(ctx, w, part.payment)
		if err != nil {
			return err
		}
		p, err := ledger.Refund(ctx, w, ledger.Part{Of: part.payment, Amount: part.amount, Date: moment.Of(w.Scope().Actor.At)})
		if err != nil {
			return err
		}
		if err := o.refund(part.amount, of.Day); err != nil {
			return err
		}
		w.Happened(WasRefunded{o.on(postedTo(p)...), part.amount})
	}
	return settle(ctx, w, o)
}

// done is how many operations the unit of work has on lines, the calendars of their items and service lines, or more.
func (o *Order) done(w *record.Work) (n int) {
	for _, l := range o.Lines {
		if Lines().Before(w, l.ID) != nil {
			n += 2
		}
	}
	for _, id := range o.Services {
		if ServiceLines().Before(w, id) != nil {
			n++
		}
	}
	return n
}

// payments are all payments for an order. Those that it does not keep are sought; as long as not all are found, none is refunded, because
// a newer one may be missing.
func (o *Order) payments(ctx context.Context, w *record.Work) ([]*ledger.Posting, error) {
	list, err := readPayments(ctx, w, o.Payments)
	if err != nil || o.accountsFor(list) {
		return list, err
	}
	ids, err := ledger.PaymentsOf(ctx, w.Scope(), o.ID)
	if err != nil {
		return nil, err
	}
	if len(ids) > mostSought {
		return nil, errManyPayments
	}
	list, err = readPayments(ctx, w, distinctIDs(append(ids, o.Payments...)))
	if err != nil || o.accountsFor(list) {
		return list, err
	}
	now, err := Kind().Get(ctx, w.Scope(), o.ID)
	if err == nil && now.Revision != Kind().Before(w, o.ID).Revision {
		err = table.ErrRevision // a payment was made or refunded after the order was read
	}
	if err == nil {
		err = errUnrefunded
	}
	return nil, err
}

// readPayments reads postings consistently, with one call for each hundred. Those that are gone are left out.
func readPayments(ctx context.Context, w *record.Work, ids []int64) (list []*ledger.Posting, err error) {
	var keys []table.Key
	for _, id := range ids {
		keys = append(keys, ledger.Postings().Key(w.Scope().Table, id))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return nil, err
	}
	for _, id := range ids {
		p, err := ledger.Postings().Read(ctx, w, id)
		if errors.Is(err, fault.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}
