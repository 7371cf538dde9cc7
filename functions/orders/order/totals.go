package order

import (
	"context"
	"errors"
	"slices"

	"github.com/tenantry/tenantry/shared/nullable"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// AllFees are the late fees of the lines, and the fees.
func (o *Order) AllFees() money.Amount {
	sum := o.LateFees
	for _, f := range o.Fees {
		sum = sum.Add(f.Amount)
	}
	return sum
}

// Owed is what is still to be paid; negative if too much was.
func (o *Order) Owed() money.Amount { return o.Price.Add(o.AllFees()).Sub(o.PaidAmount) }

// PaymentStatus tells how much of the order is paid.
func (o *Order) PaymentStatus() PaymentStatus {
	switch owed := o.Owed(); {
	case !owed.IsNegative() && !owed.IsZero() && !o.PaidAmount.IsZero():
		return PartlyPaid
	case !owed.IsNegative() && !owed.IsZero():
		return Unpaid
	}
	return Paid
}

// errTooMuch is the fault if a total of an order would have too many digits.
var errTooMuch = fault.Field(fault.NonField, "The totals of the order: "+fault.BadDigits)

// settle makes an order of the unit of work consistent after a change: its totals follow from the
// sums of its lines, an order whose items are all back is completed, and a completed one is a
// debtor's exactly while something is owed. When the unit of work ends, the difference is added
// to the sums of the client.
func settle(ctx context.Context, w *record.Work, o *Order) error {
	if _, err := o.sumUp(); err != nil {
		return err
	}
	if o.Status == InRent && len(o.Lines) > 0 && !slices.ContainsFunc(o.Lines, Held.isOpen) {
		o.Status = Completed
		if now := w.Scope().Actor.At.UnixMicro(); o.FactEnd == nil { // it sold, and rented nothing out
			o.FactEnd = &now
		}
	}
	if o.Status.is(over) {
		o.Status = Completed
		if owed := o.Owed(); !owed.IsNegative() && !owed.IsZero() {
			o.Status = Debtor
		}
	}
	return o.tellClient(ctx, w, false)
}

// Charge adds a fee to an order.
func Charge(ctx context.Context, w *record.Work, o *Order, f Fee) (*Fee, error) {
	if err := o.refusesMoney(); err != nil {
		return nil, err
	}
	if _, err := money.Total(o.Price, o.AllFees(), f.Amount, o.PaidAmount); err != nil {
		return nil, errTooMuch // before a number is used up
	}
	made, err := Fees().Add(ctx, w, o, func(to *Fee) error {
		*to = f
		return nil
	})
	if err != nil {
		return nil, err
	}
	return made, settle(ctx, w, o)
}

// errOwned refuses to change a fee that is a traffic penalty, and to delete the order that has it.
var errOwned = fault.New(fault.Conflict, "The fee is a traffic penalty: only the penalty's charge can be taken back.").With("code", "owned")

// Charged does what goes with a change or the end of a fee of an order; was is the fee before.
func Charged(ctx context.Context, w *record.Work, o *Order, was *Fee) error {
	if was.Penalty != nil {
		return errOwned
	}
	if err := o.refusesMoney(); err != nil {
		return err
	}
	return settle(ctx, w, o)
}

// Uncharge takes a fee that is a traffic penalty out of an order. A cancelled order lets it go, too: it could not be
// deleted otherwise.
func Uncharge(ctx context.Context, w *record.Work, o *Order, fee int64) error {
	if err := Fees().Remove(o, fee); err != nil {
		return err
	}
	return settle(ctx, w, o)
}

// ownsPenalty tells whether a traffic penalty is charged to an order.
func (o *Order) ownsPenalty() bool {
	return slices.ContainsFunc(o.Fees, func(f Fee) bool { return f.Penalty != nil })
}

// sumUp gives an order its totals, which follow from the sums of its lines.
func (o *Order) sumUp() (pricing.Totals, error) {
	gross, err := money.Total(o.GrossInventory, o.GrossService)
	if err != nil {
		return pricing.Totals{}, errTooMuch
	}
	totals, err := pricing.Order(pricing.Sums{
		Inventory: o.GrossInventory, Services: o.GrossService, LineDiscounts: o.LineDiscounts, Net: gross.Sub(o.LineDiscounts),
		Fees: o.AllFees(),
	}, o.conditions())
	if err != nil {
		return totals, errTooMuch
	}
	o.PriceDiscount, o.Tax, o.Price = totals.Discount, totals.Tax, totals.Price
	if _, err := money.Total(o.Price, o.AllFees(), o.PaidAmount); err != nil {
		return totals, errTooMuch
	}
	return totals, nil
}

// isOpen tells whether the order waits for the item of a line: a rental that is not back, or a sale
// that was not handed out.
func (l Held) isOpen() bool {
	if l.End == 0 {
		return l.State != Out
	}
	return l.State != Returned
}

// standing is what an order adds to the sums of its client.
func (o *Order) standing() map[string]money.Amount {
	sums := map[string]money.Amount{}
	if o == nil || !o.Status.Counts() {
		return sums
	}
	sums[client.OrdersCount] = money.Whole(1)
	sums[client.OrdersAmount] = o.Price.Add(o.AllFees())
	sums[client.OrdersPaid] = o.PaidAmount
	if owed := o.Owed(); o.Status.is(handedOut) && !owed.IsNegative() {
		sums[client.OrdersDebt] = owed
	}
	return sums
}

// told says, within a unit of work, that the sums of an order's client are being seen to.
type told struct {
	removed bool // the unit of work removes the order
}

// missClient tells whether the client that an order had was deleted since. An order that is
// completed or cancelled doesn't keep its client from that. It then keeps the id, and adds to no
// sums any more.
func (o *Order) missClient(ctx context.Context, w *record.Work) (gone bool, err error) {
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

// tellClient adds, when the unit of work ends, what changed of an order to the sums of its client.
// removed says that the unit of work removes the order.
func (o *Order) tellClient(ctx context.Context, w *record.Work, removed bool) error {
	gone, err := o.missClient(ctx, w)
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
		if before := Kind().Before(w, o.ID); before != nil && before.Client != nil && !gone {
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
