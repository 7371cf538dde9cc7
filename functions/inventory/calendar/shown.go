package calendar

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
)

// IsFree tells whether Occupy would take a new plan, of which only Start, End and Gap matter.
func (c *Calendar) IsFree(want Entry, now time.Time) bool {
	at := moment.Of(now)
	if want = (Entry{Start: want.Start, End: want.End, Gap: want.Gap}); c.Closed || want.End <= want.Start || !c.knows(want, nil) {
		return false
	}
	for range c.conflicts(want, nil, at) {
		return false
	}
	return len(c.Entries) < Most || slices.ContainsFunc(c.Entries, func(e Entry) bool { return e.isOver(at) })
}

// IsIdle tells whether nothing has the item at any moment of a time. What was before Floor is not
// known any more, so the item was not idle then.
func (c *Calendar) IsIdle(start, end moment.Micros, now time.Time) bool {
	return start >= c.Floor && len(c.Within(start, end, now)) == 0
}

// Within returns the entries that have the item at some moment of a time, by their start. What is
// out has it until it is returned, and at least until now.
func (c *Calendar) Within(start, end moment.Micros, now time.Time) (list []Entry) {
	for _, e := range c.Entries {
		until := e.End // not e.until: what is shown is not shortened by Skew
		if e.Out {
			until = max(until, moment.Of(now))
		}
		if e.from() < until && e.from() < end && start < until {
			list = append(list, e)
		}
	}
	return list
}

// PointAt is the rental point at which the item will be at a moment, because a line that is planned or out brings it there until then: the
// last one of those that say where. It is 0 if none does; then the item is where it is now. What was returned has moved the item already,
// and may have been moved on since; a plan whose time has passed brings it nowhere any more.
func (c *Calendar) PointAt(start moment.Micros, now time.Time) (point int64) {
	var last Entry
	for _, e := range c.Entries {
		if e.Point != 0 && !e.Back && !e.isOver(moment.Of(now)) && e.End <= start && e.End >= last.End {
			last = e
		}
	}
	return last.Point
}

// IsOverdue tells whether a line should have been returned, and is still out.
func (e Entry) IsOverdue(now time.Time) bool { return e.isOverdue(moment.Of(now)) }

func (e Entry) isOverdue(now moment.Micros) bool { return e.Out && e.End < now }
