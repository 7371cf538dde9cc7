package order

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// AllFees are the late fees of the lines, and the fees.
func (o *Order) AllFees() money.Amount {
	sum := o.LateFees
	for _, f := range o.Fees {
		sum = sum.Add(f.Amount)
	}
	return sum
}

// Due is what is to be paid in all: the price and the fees. A cancelled order that owes its fees owes them alone.
func (o *Order) Due() money.Amount {
	if o.OwesFees {
		return o.AllFees()
	}
	return o.Price.Add(o.AllFees())
}

// Owed is what is still to be paid; negative if too much was.
func (o *Order) Owed() money.Amount { return o.Due().Sub(o.PaidAmount) }

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
var errTooMuch = fault.Field(fault.NonField, say.OrderTotalsWrong(say.TooManyDigits))

// include takes lines into the sums of an order, and into what it holds of them.
func (o *Order) include(c Changes) {
	o.Lines, o.Services, o.Timed = slices.Clone(o.Lines), slices.Clone(o.Services), slices.Clone(o.Timed)
	for _, d := range c.Lines {
		if d.before != nil {
			o.count(d.before, money.Amount.Sub)
		}
		o.count(d.Line, money.Amount.Add)
		if d.before != nil {
			*o.Line(d.Line.ID) = d.Line.held()
		} else {
			o.Lines = append(o.Lines, d.Line.held())
		}
	}
	for _, d := range c.Services {
		if d.before != nil {
			o.countService(d.before, money.Amount.Sub)
		} else {
			o.Services = append(o.Services, d.Line.ID)
		}
		o.countService(d.Line, money.Amount.Add)
		o.Timed = slices.DeleteFunc(o.Timed, func(id int64) bool { return id == d.Line.ID })
		if d.Line.follows() {
			o.Timed = append(o.Timed, d.Line.ID)
		}
	}
}

// count adds a line to the sums of its order, or takes it out of them.
func (o *Order) count(l *Line, by func(a, b money.Amount) money.Amount) {
	o.GrossInventory, o.LineDiscounts = by(o.GrossInventory, l.Price), by(o.LineDiscounts, l.PriceDiscount)
	o.LateFees, o.AgreedBelow = by(o.LateFees, l.LateFee), by(o.AgreedBelow, l.below())
}

func (o *Order) countService(l *ServiceLine, by func(a, b money.Amount) money.Amount) {
	o.GrossService, o.LineDiscounts = by(o.GrossService, l.Price), by(o.LineDiscounts, l.PriceDiscount)
	o.AgreedBelow = by(o.AgreedBelow, l.below())
}

// exclude takes lines out of the sums of an order, and out of what it holds of them.
func (o *Order) exclude(lines []*Line, services []*ServiceLine) {
	held := make([]Held, 0, len(o.Lines))
	for _, h := range o.Lines {
		if !slices.ContainsFunc(lines, func(l *Line) bool { return l.ID == h.ID }) {
			held = append(held, h)
		}
	}
	o.Lines = held
	for _, l := range lines {
		o.count(l, money.Amount.Sub)
	}
	gone := func(id int64) bool {
		return slices.ContainsFunc(services, func(l *ServiceLine) bool { return l.ID == id })
	}
	o.Services = slices.DeleteFunc(slices.Clone(o.Services), gone)
	o.Timed = slices.DeleteFunc(slices.Clone(o.Timed), gone)
	for _, l := range services {
		o.countService(l, money.Amount.Sub)
	}
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

// conclude completes an order whose items are all back. A completed one is a debtor's exactly while something is owed.
func (o *Order) conclude(now time.Time) {
	if o.Status.is(traitCloses) && len(o.Lines) > 0 && !slices.ContainsFunc(o.Lines, Held.isOpen) {
		o.Status = Completed
		if at := moment.Of(now); o.FactEnd == nil { // it sold, and rented nothing out
			o.FactEnd = &at
		}
	}
	if o.Status.is(traitOver) {
		o.Status = Completed
		if owed := o.Owed(); !owed.IsNegative() && !owed.IsZero() {
			o.Status = Debtor
		}
	}
}

// isOpen tells whether the order waits for the item of a line: a rental that is not back, or a sale
// that was not handed out.
func (l Held) isOpen() bool {
	if l.End == 0 {
		return l.State != Out
	}
	return l.State != Returned
}

// standing is what an order adds to the sums of its client: a cancelled one, what it owes of its fees.
func (o *Order) standing() map[string]money.Amount {
	sums := map[string]money.Amount{}
	if o == nil {
		return sums
	}
	if o.OwesFees {
		sums[client.OrdersDebt] = o.debt()
	}
	if !o.Status.Counts() {
		return sums
	}
	sums[client.OrdersCount] = money.Whole(1)
	sums[client.OrdersAmount] = o.Price.Add(o.AllFees())
	sums[client.OrdersPaid] = o.PaidAmount
	if owed := o.Owed(); o.Status.is(traitHandedOut) && !owed.IsNegative() {
		sums[client.OrdersDebt] = owed
	}
	return sums
}
