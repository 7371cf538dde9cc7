package order

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/nullable"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// settle makes an order of the unit of work consistent after a change: its totals follow from the
// sums of its lines, an order whose items are all back is completed, and a completed one is a
// debtor's exactly while something is owed. When the unit of work ends, the difference is added
// to the sums of the client.
func settle(ctx context.Context, w *record.Work, o *Order) error {
	o.liftHold()
	if _, err := o.sumUp(); err != nil {
		return err
	}
	o.conclude(w.Scope().Actor.At)
	return o.tellClient(ctx, w, false)
}

// Charge adds a fee to an order.
func Charge(ctx context.Context, w *record.Work, o *Order, f Fee) (*Fee, error) {
	if err := o.checkFee(f); err != nil {
		return nil, err // before a number is used up
	}
	made, err := o.addFee(ctx, w, f)
	if err != nil {
		return nil, err
	}
	return made, settle(ctx, w, o)
}

// addFee puts a fee into an order, and says so.
func (o *Order) addFee(ctx context.Context, w *record.Work, f Fee) (*Fee, error) {
	made, err := Fees().Add(ctx, w, o, func(to *Fee) error {
		*to = f
		return nil
	})
	if err == nil {
		w.Happened(FeeAdded{o.onFee(made), made.about()})
	}
	return made, err
}

// Charged does what goes with a change or the end of a fee of an order: was is the fee before, and is is nil at its end.
func Charged(ctx context.Context, w *record.Work, o *Order, was, is *Fee) error {
	if err := o.checkFeeChange(was, is, w.Scope().Role); err != nil {
		return err
	}
	if err := o.sayFee(w, was, is); err != nil {
		return err
	}
	return settle(ctx, w, o)
}

// Uncharge takes a fee that is a traffic penalty out of an order. A cancelled order lets it go, too: it could not be
// deleted otherwise.
func Uncharge(ctx context.Context, w *record.Work, o *Order, fee int64) error {
	was, err := Fees().Find(o, fee)
	if err != nil {
		return err
	}
	if err := o.sayFee(w, was, nil); err != nil {
		return err
	}
	if err := Fees().Remove(o, fee); err != nil {
		return err
	}
	return settle(ctx, w, o)
}

// told says, within a unit of work, that the sums of an order's client are being seen to.
type told struct {
	removed bool // the unit of work removes the order
}

// noteClientGone sets ClientGone if the client that the order had is deleted by now, and tells whether it is. An order
// whose status holds its client keeps that from being deleted, and is not asked. One whose client is gone keeps the id,
// and adds to no sums any more.
func (o *Order) noteClientGone(ctx context.Context, w *record.Work) (gone bool, err error) {
	before := Kind().Before(w, o.ID)
	if before == nil || before.Client == nil || before.holdsClient() {
		return false, nil
	}
	_, err = client.Kind().Read(ctx, w, *before.Client)
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		return false, err
	}
	if gone = err != nil; nullable.Same(before.Client, o.Client) {
		o.ClientGone = gone
	}
	return gone, nil
}

// tellClient adds, when the unit of work ends, what changed of an order to the sums of its client,
// and says whether it came to its end. removed says that the unit of work removes the order.
func (o *Order) tellClient(ctx context.Context, w *record.Work, removed bool) error {
	gone, err := o.noteClientGone(ctx, w)
	if err != nil {
		return err
	}
	first := false
	is, err := record.Once(w, Kind().Key(w.Scope().Table, o.ID), func() (*told, error) {
		first = true
		return &told{}, nil
	})
	if err != nil {
		return err
	}
	is.removed = is.removed || removed
	if !first {
		return nil
	}
	w.Finally(func(context.Context) error {
		before := Kind().Before(w, o.ID)
		if !is.removed {
			o.sayEnd(w, before)
		}
		if before != nil && before.Client != nil && !gone {
			addTo(w, *before.Client, before.standing(), money.Amount.Neg)
		}
		if o.Client != nil && !o.ClientGone && !is.removed {
			addTo(w, *o.Client, o.standing(), func(a money.Amount) money.Amount { return a })
		}
		return nil
	})
	return nil
}

func addTo(w *record.Work, id int64, sums map[string]money.Amount, sign func(money.Amount) money.Amount) {
	for name, by := range sums {
		if !by.IsZero() {
			client.Kind().AddToSums(w, id, record.Addition{Name: name, By: sign(by)})
		}
	}
}
