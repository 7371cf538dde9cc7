package order

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
)

// Action is a step of an order: it is reserved, cancelled, or items of it are handed out or taken
// back.
type Action struct {
	Status Status         // Reserved, InRent (hand out), Cancelled or Completed (take back)
	Lines  []int64        // that are handed out or taken back; nil: all that can be
	At     *moment.Micros // when it happened; nil: now
	Early  company.Early  // what becomes of prices where items come back early; empty: as the settings say
	Refund bool           // of a return: what is overpaid then is given back
	Fee    *money.Amount  // of a cancellation, instead of what the settings say; not negative
	NoShow bool           // of a cancellation: nobody came for the items

	lapsed *moment.Micros // of a cancellation: when the hold ended because of which it is one
}

// Act takes an order a step further. A hand-out lies no farther back than items' calendars know for certain who had them. What is
// wrong with the action is reported at the fields "status", "order_inventories", "early", "refund", "datetime", "fee" and
// "no_show" of the body.
func Act(ctx context.Context, w *record.Work, o *Order, a Action) error {
	if !slices.Contains(o.Allowed(), a.Status) {
		return o.statusFault(say.OrderStepImpossible)
	}
	if a.Refund && a.Status == Completed && !mayRefund(w.Scope().Role) {
		return fault.ErrForbidden
	}
	if a.Status == Reserved && o.hasLapsed(w.Scope().Actor.At) {
		return errLapsed
	}
	errs := w.Errors("")
	at := a.check(w.Scope().Actor.At, errs)
	if err := errs.Err(); err != nil && !a.Status.is(traitOfLines) {
		return err // of the others, editChosen returns it together with what is wrong with their lines
	}
	if err := o.step(ctx, w, a, at); err != nil {
		return err
	}
	if err := settle(ctx, w, o); err != nil || !a.Refund {
		return err
	}
	return o.giveBack(ctx, w)
}

// step does what an action is about.
func (o *Order) step(ctx context.Context, w *record.Work, a Action, at moment.Micros) error {
	switch a.Status {
	case Reserved:
		o.Status = Reserved
		w.Happened(WasReserved{o.on()})
	case Cancelled:
		return o.cancel(ctx, w, a)
	case InRent:
		return o.handOut(ctx, w, a, at)
	case Completed:
		return o.takeBack(ctx, w, a, at)
	case Request, Debtor: // no action leads there: see statuses
	}
	return nil
}

// cancel frees all items of an order, and charges what that costs. From now on the order owes its fees alone.
func (o *Order) cancel(ctx context.Context, w *record.Work, a Action) error {
	t := w.Scope().Table
	keys := append(ShownKeys(t, o), t.Company())
	for _, l := range o.Lines {
		keys = append(keys, t.Calendar(l.Item))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return err
	}
	of, err := company.Get(ctx, w)
	if err != nil {
		return err
	}
	fee, err := o.cancellation(a, of.RentalRules(), w.Scope().Actor.At, w.Scope().Role)
	if err != nil {
		return err // before a number is used up
	}
	o.Status = Cancelled
	for _, l := range o.Lines {
		if err := l.release(ctx, w); err != nil {
			return err
		}
	}
	w.Happened(WasCancelled{o.on(), encode.Moment(a.lapsed)})
	if !fee.Amount.IsZero() {
		if _, err := o.addFee(ctx, w, fee); err != nil {
			return err
		}
	}
	o.OwesFees = !o.AllFees().IsZero()
	return nil
}

// editChosen edits the lines that an action is about, of those in a state.
func (o *Order) editChosen(ctx context.Context, w *record.Work, a Action, in State) ([]*Line, error) {
	errs := w.Errors("")
	ids := o.choose(a, in, errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	t := w.Scope().Table
	keys := append(ShownKeys(t, o), t.Company())
	for _, id := range ids {
		keys = append(keys, t.Calendar(o.Line(id).Item))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return nil, err
	}
	var list []*Line
	for _, id := range ids {
		l, err := stillThere(Lines().Edit(ctx, w, id))
		if err != nil {
			return nil, err
		}
		if err := o.checkState(l, in); err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// handOut hands items of an order out. The calendar decides on each again, because the item may
// be late from the one before.
func (o *Order) handOut(ctx context.Context, w *record.Work, a Action, at moment.Micros) error {
	lines, err := o.editChosen(ctx, w, a, Planned)
	if err != nil {
		return err
	}
	if len(lines) == 0 && len(o.Lines) > 0 {
		return o.statusFault(say.OrderAllHandedOut)
	}
	p, err := earlyPricer(ctx, w, o, lines)
	if err != nil {
		return err
	}
	var conflicts Conflicts
	var c Changes
	o.Lines = slices.Clone(o.Lines)
	for _, l := range lines {
		err := calendar.Change(ctx, w, l.Item, func(c *calendar.Calendar) error {
			return l.handOut(c, a, at, o.returnPoint(), w.Scope().Actor.At)
		})
		if err := conflicts.take(err); err != nil {
			return err
		}
		before := Lines().Before(w, l.ID)
		moved, err := o.startLine(l, p)
		if err != nil {
			return err
		}
		l.HandOut = l.done(before, o.Revision, w.Scope().Actor.At)
		if moved {
			c.Lines = append(c.Lines, l.besides(before))
		}
		w.Happened(o.handOutOf(l))
	}
	was := o.Status
	if o.startRent(lines, at); was != InRent {
		w.Happened(WasStarted{o.on(), encode.Moment(o.FactStart)})
	}
	if err := o.refuse(conflicts); err != nil || len(c.Lines) == 0 {
		return err
	}
	if err := o.sayArranged(w, c); err != nil {
		return err
	}
	return o.follow(ctx, w, p.unbounded(), 2*len(lines))
}

// earlyPricer is what items are priced by whose hand-out is early. Nothing more is read where that is free.
func earlyPricer(ctx context.Context, w *record.Work, o *Order, lines []*Line) (p pricer, err error) {
	of, err := company.Get(ctx, w) // which editChosen has read
	if err != nil || of.RentalRules().EarlyStart != company.EarlyStartCharged {
		return p, err
	}
	return newPricer(ctx, w, o.Point, lines...)
}

// takeBack takes items of an order back, with a fee for each that is late. An order without item
// lines is completed by it.
func (o *Order) takeBack(ctx context.Context, w *record.Work, a Action, at moment.Micros) error {
	lines, err := o.editChosen(ctx, w, a, Out)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		if len(o.Lines) > 0 {
			return o.statusFault(say.OrderNoneOut)
		}
		o.complete(at)
		return nil
	}
	others, err := o.partsOfAll(ctx, w, lines)
	if err != nil {
		return err
	}
	if 2*len(lines)+len(slices.Concat(others...)) > mostAtOnce {
		return errTooManyReturns
	}
	p, err := newPricer(ctx, w, o.Point, slices.Concat(append(others, lines)...)...)
	if err != nil {
		return err
	}
	o.Lines = slices.Clone(o.Lines) // Edit copies shallowly: what was before has the same slice
	var repriced []*Draft
	for i, l := range lines {
		if at, err = o.returnLine(l, others[i], a, at, p); err != nil { // none comes back before one of the same call that is earlier in it
			return err
		}
		err := calendar.Change(ctx, w, l.Item, func(c *calendar.Calendar) error {
			c.ReturnAt(calendar.Entry{Line: l.ID}, o.returnPoint())
			c.Return(calendar.Entry{Line: l.ID}, at)
			return nil
		})
		if err != nil {
			return err
		}
		w.Happened(o.returnOf(l))
		l.Return = l.done(Lines().Before(w, l.ID), o.Revision, w.Scope().Actor.At)
		for _, part := range append([]*Line{l}, others[i]...) {
			if before := Lines().Before(w, part.ID); !before.costsLike(part) {
				part.Return = part.done(before, o.Revision, w.Scope().Actor.At)
				repriced = append(repriced, part.besides(before))
			}
		}
	}
	if err := o.bringTo(ctx, w, lines); err != nil {
		return err
	}
	if err := o.sayArranged(w, Changes{Lines: repriced}); err != nil {
		return err
	}
	return o.follow(ctx, w, p.unbounded(), 2*len(lines)+len(slices.Concat(others...)))
}
