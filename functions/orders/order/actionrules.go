package order

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// check reports what is wrong with an action, whatever the order is, and returns when it happened.
func (a Action) check(now time.Time, errs fault.FieldErrors) (at moment.Micros) {
	if a.Lines != nil && !a.Status.is(traitOfLines) {
		errs.Add("order_inventories", say.StepOfWholeOrder)
	}
	if a.Early != "" && a.Status != Completed {
		errs.Add("early", say.StepTakesNothingBack)
	}
	if a.Refund && a.Status != Completed {
		errs.Add("refund", say.StepTakesNothingBack)
	}
	if a.Status != Cancelled {
		if a.Fee != nil {
			errs.Add("fee", say.StepNotCancellation)
		}
		if a.NoShow {
			errs.Add("no_show", say.StepNotCancellation)
		}
	}
	at = happened(a.At, now, errs, "datetime")
	if first := now.Add(-calendar.Kept); a.Status == InRent && at < moment.Of(first) {
		errs.Add("datetime", say.HandOutTooLongAgo(first.Truncate(time.Second)))
	}
	return at
}

// choose returns the lines that an action is about: those that it names, or all that are in a state. It reports what is
// wrong with them.
func (o *Order) choose(a Action, in State, errs fault.FieldErrors) []int64 {
	ids := distinctIDs(a.Lines)
	if ids == nil {
		ids = o.In(in)
		if in == Planned {
			ids = o.firstOfEach(ids)
		}
		if in == Out { // what was sold does not come back
			ids = slices.DeleteFunc(ids, func(id int64) bool { return o.Line(id).End == 0 })
		}
		if len(ids) > AtOnce {
			errs.Add("order_inventories", say.LinesToName(AtOnce, len(ids)))
		}
		return ids
	}
	if len(ids) > AtOnce {
		errs.Add("order_inventories", say.TooManyItems(AtOnce))
		return ids
	}
	for i, id := range ids {
		if o.Line(id) == nil {
			errs.AddAt("order_inventories."+strconv.Itoa(i), say.DoesNotExist(id))
		}
	}
	return ids
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

// checkState refuses a line whose item is not where an action needs it.
func (o *Order) checkState(l *Line, in State) error {
	if !o.Holds(l) {
		return table.ErrRevision
	}
	if l.state() != in || in == Out && l.Type == Sale {
		return o.statusFault(say.LineInWrongState(l.ID))
	}
	return nil
}

// handOut hands the item of a line out, if its calendar lets it go: at the moment that the action names, or as soon as
// the item is back by now. It is returned at a rental point, if that is not 0.
func (l *Line) handOut(c *calendar.Calendar, a Action, at moment.Micros, point int64, now time.Time) error {
	if a.At == nil {
		at = c.HandOutAt(now)
	}
	if l.Type == Rental && at >= l.End {
		return fault.Field("datetime", say.LineEndNotAfter(l.ID))
	}
	l.FactStart = &at
	return c.Occupy(l.entry(point), now)
}

// startRent puts an order in rent, since its earliest hand-out; one without item lines, since at.
func (o *Order) startRent(lines []*Line, at moment.Micros) {
	for _, l := range lines {
		if o.FactStart == nil || l.FactStart != nil && *l.FactStart < *o.FactStart {
			o.FactStart = l.FactStart
		}
	}
	if o.FactStart == nil {
		o.FactStart = &at
	}
	o.Status = InRent
}

// returnLine takes the item of a line back, with a fee if it is late, or at the price that early says, and returns when: not before it was
// handed out. others are the other parts of its rental.
func (o *Order) returnLine(l *Line, others []*Line, a Action, at moment.Micros, p pricer) (when moment.Micros, err error) {
	if a.At == nil {
		at = max(at, *l.FactStart) // another machine's clock may be ahead
	} else if at < *l.FactStart {
		return at, fault.Field("datetime", say.LineHandedOutAfter(l.ID))
	}
	for _, part := range append([]*Line{l}, others...) {
		o.count(part, money.Amount.Sub)
	}
	l.FactEnd = &at
	if err = p.comesBack(l, others, cmp.Or(a.Early, p.settings.Early)); err != nil {
		return at, errTooMuch
	}
	if l.LateFee, err = p.lateFee(l, at); err != nil {
		return at, errTooMuch
	}
	for _, part := range append([]*Line{l}, others...) {
		o.count(part, money.Amount.Add)
		*o.Line(part.ID) = part.held()
	}
	if o.FactEnd == nil || at > *o.FactEnd {
		o.FactEnd = &at
	}
	return at, nil
}

// complete completes an order that has no item lines.
func (o *Order) complete(at moment.Micros) {
	if o.FactStart != nil {
		at = max(at, *o.FactStart)
	}
	o.Status, o.FactEnd = Completed, &at
}
