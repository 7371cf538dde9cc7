package order

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
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
	if a.Lines != nil && (a.Status == Reserved || a.Status == Cancelled) {
		errs.Add("order_inventories", "This step is of the whole order.")
	}
	at := moment(a.At, w.Scope().Actor.At, errs, "datetime")
	if first := w.Scope().Actor.At.Add(-calendar.Kept); a.Status == InRent && at < first.UnixMicro() {
		errs.Add("datetime", "Ensure this value is at most 31 days back, not before "+encode.Instant(first.Truncate(time.Second))+".")
	}
	var err error
	if err := errs.Err(); err != nil && a.Status != InRent && a.Status != Completed {
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
	errs, ids := w.Errors(""), distinctIDs(a.Lines)
	if ids == nil {
		ids = o.In(in)
		if in == Planned {
			ids = o.firstOfEach(ids)
		}
		if in == Out { // what was sold does not come back
			ids = slices.DeleteFunc(ids, func(id int64) bool { return o.Line(id).End == 0 })
		}
		if len(ids) > AtOnce {
			errs.Add("order_inventories", fmt.Sprintf("Name the lines, at most %d in a call: there are %d.", AtOnce, len(ids)))
			return nil, errs.Err()
		}
	}
	if len(ids) > AtOnce {
		errs.Add("order_inventories", fmt.Sprintf("Ensure this field has no more than %d elements.", AtOnce))
		return nil, errs.Err()
	}
	t := w.Scope().Table
	keys := append(Around(t, o), t.Company())
	for i, id := range ids {
		l := o.Line(id)
		if l == nil {
			errs.AddAt("order_inventories."+strconv.Itoa(i), fault.BadReference(id))
			continue
		}
		keys = append(keys, t.Calendar(l.Item))
	}
	if err := errs.Err(); err != nil {
		return nil, err
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
		if !o.Fits(l) {
			return nil, table.ErrRevision
		}
		if l.state() != in || in == Out && l.Type == Sale {
			return nil, o.refuses(fmt.Sprintf("The item of line %d is not where this step needs it.", id))
		}
		list = append(list, l)
	}
	return list, nil
}

// firstOfEach returns, of the lines that want the same item, the one that wants it first.
func (o *Order) firstOfEach(ids []int64) []int64 {
	first := map[int64]*Held{}
	for _, id := range ids {
		if l := o.Line(id); first[l.Item] == nil || l.Start < first[l.Item].Start {
			first[l.Item] = l
		}
	}
	return slices.DeleteFunc(ids, func(id int64) bool { return first[o.Line(id).Item].ID != id })
}

func distinctIDs(ids []int64) (list []int64) {
	for _, id := range ids {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
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
			when := at
			if a.At == nil {
				when = c.HandOutAt(w.Scope().Actor.At)
			}
			if l.Type == Rental && when >= l.End {
				return fault.Field("datetime", fmt.Sprintf("The end of line %d is not after this: extend it first.", l.ID))
			}
			l.FactStart = &when
			return c.Occupy(l.entry(), w.Scope().Actor.At)
		})
		if err := conflicts.take(err); err != nil {
			return err
		}
		*o.Line(l.ID) = l.held()
		if o.FactStart == nil || l.FactStart != nil && *l.FactStart < *o.FactStart {
			o.FactStart = l.FactStart
		}
	}
	if o.FactStart == nil {
		o.FactStart = &at
	}
	o.Status = InRent
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
		if o.FactStart != nil {
			at = max(at, *o.FactStart)
		}
		o.Status, o.FactEnd = Completed, &at
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
		if a.At == nil {
			at = max(at, *l.FactStart) // another machine's clock may be ahead
		} else if at < *l.FactStart {
			return fault.Field("datetime", fmt.Sprintf("Line %d was handed out after this.", l.ID))
		}
		when := at
		o.count(l, money.Amount.Sub)
		l.FactEnd = &when
		if l.LateFee, err = rules.LateFee(l.priced().Terms, false, time.UnixMicro(l.End), time.UnixMicro(when)); err != nil {
			return errTooMuch
		}
		o.count(l, money.Amount.Add)
		err := calendar.Change(ctx, w, l.Item, func(c *calendar.Calendar) error {
			c.Return(calendar.Entry{Line: l.ID}, when, w.Scope().Actor.At)
			return nil
		})
		if err != nil {
			return err
		}
		*o.Line(l.ID) = l.held()
		if o.FactEnd == nil || when > *o.FactEnd {
			o.FactEnd = &when
		}
	}
	return nil
}
