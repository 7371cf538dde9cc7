package order

import (
	"slices"

	"github.com/tenantry/tenantry/shared/nullable"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// What an order refuses.
var (
	errOut      = fault.New(fault.Conflict, say.LineHandedOut).Coded()
	errReturned = fault.New(fault.Conflict, say.LineReturned).Coded()
)

// statusFault is the fault for what an order can't do in its status. It tells to which statuses an
// action may bring it.
func (o *Order) statusFault(detail say.Message) error {
	return fault.New(fault.Conflict, detail).With("code", "status").With("status", o.Status).With("allowed", o.Allowed())
}

// takesMoney tells whether payments and fees are still taken: not of an order that was cancelled without owing anything.
func (o *Order) takesMoney() bool { return o.Status.Counts() || o.OwesFees }

// checkTakesMoney refuses money of an order that doesn't take any.
func (o *Order) checkTakesMoney() error {
	if o.takesMoney() {
		return nil
	}
	return o.checkCounts()
}

// checkCounts refuses what a cancelled order, the only one that does not count, does not take, even if it owes something: deposits,
// referrals and traffic penalties.
func (o *Order) checkCounts() error {
	if o.Status.Counts() {
		return nil
	}
	return o.statusFault(say.OrderCancelled)
}

// Allowed are the statuses that an action may be about: those that follow, as far as the order has items for them.
func (o *Order) Allowed() []Status {
	allowed := []Status{}
	for _, next := range statuses[o.Status].next {
		switch {
		case next == InRent && o.Status == InRent && len(o.In(Planned)) == 0:
		case next == Completed && len(o.Lines) > 0 && !slices.ContainsFunc(o.Lines, Held.isOut):
		default:
			allowed = append(allowed, next)
		}
	}
	return allowed
}

// isOut tells whether the item of a line can be taken back.
func (l Held) isOut() bool { return l.State == Out && l.End != 0 }

// checkChanges refuses changes of lines that the order does not take as it is.
func (o *Order) checkChanges(c Changes) error {
	if !o.IsOpen() {
		return o.statusFault(say.OrderOver)
	}
	more, moreServices := 0, 0
	for _, d := range c.Lines {
		if d.before == nil {
			more++
			continue
		}
		if !o.Holds(d.before) {
			return table.ErrRevision
		}
		if err := d.before.checkChange(d.Line); err != nil {
			return err
		}
	}
	for _, d := range c.Services {
		switch {
		case d.Line.ID == 0:
			moreServices++
		case !slices.Contains(o.Services, d.Line.ID):
			return table.ErrRevision
		}
	}
	if len(o.Lines)+more > MaxLines {
		return errTooManyLines
	}
	if len(o.Services)+moreServices > MaxServices {
		return fault.Field(fault.NonField, say.OrderMaxServiceLines(MaxServices))
	}
	return nil
}

// checkChange refuses to change what a line can't change once its item was handed out, or is back.
func (l *Line) checkChange(to *Line) error {
	moved := l.Start != to.Start || l.Item != to.Item || l.Type != to.Type
	switch l.state() {
	case Out:
		if moved {
			return errOut
		}
	case Returned:
		if moved || l.End != to.End || !nullable.Same(l.Tariff, to.Tariff) {
			return errReturned
		}
	case Planned:
	}
	return nil
}

// checkRemoval refuses to remove lines that the order does not let go as it is: what was handed out stays. A cancelled order
// may be too large to be deleted at once, so lines of it can go, too.
func (o *Order) checkRemoval(lines []*Line, services []*ServiceLine) error {
	if o.Status.is(traitOver) {
		return o.statusFault(say.OrderCompleted)
	}
	for _, l := range services {
		if !slices.Contains(o.Services, l.ID) {
			return table.ErrRevision
		}
	}
	for _, l := range lines {
		if !o.Holds(l) {
			return table.ErrRevision
		}
		if l.state() != Planned {
			return fault.New(fault.Conflict, say.LineOutStays(l.ID)).Coded().With("line", l.ID)
		}
	}
	return nil
}

// What keeps an order from being deleted.
var (
	errPaid     = fault.New(fault.Conflict, say.OrderPaid).Coded()
	errDeposits = fault.New(fault.Conflict, say.OrderHasDeposit).Coded()
	errLines    = fault.New(fault.Conflict, say.OrderTooLargeToDelete).Coded()
)

// checkErasure refuses to delete an order. Only a request and a cancelled order can
// be, and only if no money of it is left. One that owes fees is deleted by those who may waive them.
func (o *Order) checkErasure(role tenant.Role) error {
	if !o.Status.is(traitErasable) {
		return o.statusFault(say.OrderNotDeletable)
	}
	if !o.PaidAmount.IsZero() {
		return errPaid
	}
	if o.ownsPenalty() {
		return errOwned
	}
	for _, d := range o.Deposits {
		if left := d.Left(); !left.IsZero() {
			return errDeposits
		}
	}
	if o.OwesFees && !o.debt().IsZero() && !mayWaive(role) {
		return fault.ErrForbidden
	}
	calendars := len(o.Lines)
	if !o.Status.Counts() {
		calendars = 0
	}
	if 2*(len(o.Lines)+len(o.Services)+len(o.Referrals))+calendars > mostRemoved {
		return errLines
	}
	return nil
}

// ownsPenalty tells whether a traffic penalty is charged to an order.
func (o *Order) ownsPenalty() bool {
	return slices.ContainsFunc(o.Fees, func(f Fee) bool { return f.Penalty != nil })
}
