package order

import (
	"cmp"
	"slices"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/say"
)

// Times are the times that a caller wants for a whole order; nil: as it is.
type Times struct{ Start, End *moment.Micros }

// differing are the times that an order does not have already.
func (t Times) differing(o *Order) Times {
	start, end := o.Time()
	if t.Start != nil && start != nil && *t.Start == *start {
		t.Start = nil
	}
	if t.End != nil && end != nil && *t.End == *end {
		t.End = nil
	}
	return t
}

// rents tells whether an order has rentals, whose time is its own.
func (o *Order) rents() bool {
	return slices.ContainsFunc(o.Lines, func(h Held) bool { return h.End != 0 })
}

// planned is when a line was to begin.
func (h Held) planned() moment.Micros {
	if h.Plan != 0 {
		return h.Plan
	}
	return h.Start
}

// plan is the planned time of an order's rentals, whatever is priced.
func (o *Order) plan() (all span) {
	for _, h := range o.Lines {
		if h.End != 0 {
			all.widen(h.planned(), h.End)
		}
	}
	return all
}

// moving are the lines that get another time with their order: those that have exactly its time. One that is out gets another end alone,
// and one that is back stays.
func (o *Order) moving(to Times) (ids []int64) {
	all := o.plan()
	for _, h := range o.Lines {
		if h.End != all.end || cmp.Or(h.Began, h.planned()) != all.start || h.State == Returned || h.State == Out && to.End == nil {
			continue
		}
		ids = append(ids, h.ID)
	}
	return ids
}

// check reports what is wrong with a time that lines of an order are to have.
func (t Times) check(o *Order, ids []int64, errs fault.FieldErrors) {
	field, all := "rent_end", o.plan()
	if t.End == nil {
		field = "rent_start"
	}
	if t.Start != nil {
		all.start = *t.Start
	}
	if t.End != nil {
		all.end = *t.End
	}
	switch {
	case errs.Has("rent_start") || errs.Has("rent_end"):
	case len(ids) == 0:
		errs.Add(field, say.OrderNoLineMoves)
	case len(ids) > AtOnce:
		errs.Add(field, say.OrderTooManyLinesMove(AtOnce, len(ids)))
	case all.end <= all.start && slices.ContainsFunc(ids, func(id int64) bool { return o.Line(id).State == Planned }):
		errs.Add(field, say.OrderMoveBackwards)
	case all.end > all.start.Add(Longest):
		errs.Add(field, say.OrderMoveTooLong)
	}
}

// keepTime keeps for an order with rentals the time that it will have, of which its caller wants a part to differ: a half that was sent is
// not compared with what was sent long ago. A time that it has already changes nothing.
func (o *Order) keepTime(before *Order, differs Times) {
	start, end := before.Time()
	if differs == (Times{}) {
		start, end = before.RentStart, before.RentEnd
	}
	if differs.Start == nil && o.RentStart != nil {
		o.RentStart = start
	}
	if differs.End == nil && o.RentEnd != nil {
		o.RentEnd = end
	}
}

// give moves a line.
func (t Times) give(l *Line) {
	if t.Start != nil && l.state() == Planned {
		l.Start = *t.Start
	}
	if t.End != nil {
		l.End = *t.End
	}
}
