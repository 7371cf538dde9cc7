package order

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/record"
)

// Action is a step of an order: it is reserved, cancelled, or items of it are handed out or taken
// back.
type Action struct {
	Status Status  // Reserved, InRent (hand out), Cancelled or Completed (take back)
	Lines  []int64 // that are handed out or taken back; nil: all that can be
	At     *int64  // when it happened, in microseconds; nil: now
}

// Act takes an order a step further. A hand-out lies no farther back than items' calendars know for certain who had them. What is
// wrong with the action is reported at the fields "status", "order_inventories" and "datetime" of the body.
func Act(ctx context.Context, w *record.Work, o *Order, a Action) error {
	if !slices.Contains(o.Allowed(), a.Status) {
		return o.refuses("The order can't take this step in its status.")
	}
	errs := w.Errors("")
	at := a.check(w.Scope().Actor.At, errs)
	var err error
	if err := errs.Err(); err != nil && !a.Status.is(ofLines) {
		return err
	}
	switch a.Status {
	case Reserved:
		o.Status = Reserved
	case Cancelled:
		err = o.cancel(ctx, w)
	case InRent:
		err = o.handOut(ctx, w, a, at)
	case Completed:
		err = o.takeBack(ctx, w, a, at)
	case Request, Debtor: // no action leads there: see statuses
	}
	if err != nil {
		return err
	}
	if err := errs.Err(); err != nil {
		return err
	}
	return settle(ctx, w, o)
}

// cancel frees all items of an order.
func (o *Order) cancel(ctx context.Context, w *record.Work) error {
	t := w.Scope().Table
	keys := Around(t, o)
	for _, l := range o.Lines {
		keys = append(keys, t.Calendar(l.Item))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return err
	}
	o.Status = Cancelled
	for _, l := range o.Lines {
		if err := release(ctx, w, l.Item, l.ID); err != nil {
			return err
		}
	}
	return nil
}

// chosen are the lines that an action is about, of those in a state.
func (o *Order) chosen(ctx context.Context, w *record.Work, a Action, in State) ([]*Line, error) {
	errs := w.Errors("")
	ids := o.choose(a, in, errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	t := w.Scope().Table
	keys := append(Around(t, o), t.Company())
	for _, id := range ids {
		keys = append(keys, t.Calendar(o.Line(id).Item))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return nil, err
	}
	var list []*Line
	for _, id := range ids {
		l, err := below(Lines().Edit(ctx, w, id))
		if err != nil {
			return nil, err
		}
		if err := o.has(l, in); err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// handOut hands items of an order out. The calendar decides on each again, because the item may
// be late from the one before.
func (o *Order) handOut(ctx context.Context, w *record.Work, a Action, at int64) error {
	lines, err := o.chosen(ctx, w, a, Planned)
	if err != nil {
		return err
	}
	if len(lines) == 0 && len(o.Lines) > 0 {
		return o.refuses("All items of the order are handed out.")
	}
	var conflicts Conflicts
	o.Lines = slices.Clone(o.Lines)
	for _, l := range lines {
		err := calendar.Change(ctx, w, l.Item, func(c *calendar.Calendar) error {
			return l.handOut(c, a, at, w.Scope().Actor.At)
		})
		if err := conflicts.take(err); err != nil {
			return err
		}
		*o.Line(l.ID) = l.held()
	}
	o.begin(lines, at)
	return conflicts.or(nil)
}

// takeBack takes items of an order back, with a fee for each that is late. An order without item
// lines is completed by it.
func (o *Order) takeBack(ctx context.Context, w *record.Work, a Action, at int64) error {
	lines, err := o.chosen(ctx, w, a, Out)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		if len(o.Lines) > 0 {
			return o.refuses("No item of the order is out.")
		}
		o.end(at)
		return nil
	}
	of, err := company.Get(ctx, w)
	if err != nil {
		return err
	}
	zone, err := of.Zone()
	if err != nil {
		return err
	}
	rules := rulesOf(of.RentalRules(), zone)
	o.Lines = slices.Clone(o.Lines)
	for _, l := range lines {
		if at, err = o.takesBack(l, a, at, rules); err != nil {
			return err
		}
		err := calendar.Change(ctx, w, l.Item, func(c *calendar.Calendar) error {
			c.Return(calendar.Entry{Line: l.ID}, at)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
