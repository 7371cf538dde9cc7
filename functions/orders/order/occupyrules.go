package order

import (
	"errors"
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
)

// wish is what an item line of a call asks of the calendar of an item: to give up the time that it has there, or to have
// the item for its own time.
type wish struct {
	of       *Draft
	item     int64
	releases bool
	number   int64 // of the line in the plan; see provisional
}

// wishesOf are what the item lines of a call ask of calendars, in the order in which it is done. Lines that get another
// item, or begin at another time among others of this item, give up what they had; then those that stay change their
// ends; then the rest takes what is free. What stays keeps its entry, and so all that the calendar knows of it; a line
// whose time does not change asks for nothing.
func wishesOf(drafts []*Draft) []wish {
	lines := map[int64]int{}
	for _, d := range drafts {
		lines[d.Line.Item]++
	}
	list := make([]wish, 0, len(drafts))
	for _, d := range drafts {
		was := d.before
		if was == nil || d.stays() || was.Item == d.Line.Item && lines[was.Item] == 1 {
			continue
		}
		list = append(list, wish{of: d, item: was.Item, releases: true, number: was.ID})
	}
	for _, stays := range []bool{true, false} {
		for i, d := range drafts {
			if d.Line.state() == Returned || !valid(d.Line.Item) || d.stays() != stays || stays && !d.renews() {
				continue
			}
			one := wish{of: d, item: d.Line.Item, number: d.Line.ID}
			if one.number == 0 {
				one.number = provisional(i)
			}
			list = append(list, one)
		}
	}
	return list
}

// provisional is the number in a plan of the draft at i, as long as its line has no id: -1, -2 and so on.
func provisional(i int) int64 { return -int64(i) - 1 }

// plan is what the item lines of a call make of calendars. It is decided on copies before any line gets its id, so that
// what is refused uses up none.
type plan struct {
	pricer    pricer                       // by which the lines were priced
	calendars map[int64]*calendar.Calendar // by item; the plan changes them
	changed   []int64                      // the items whose calendars it changes, in the order in which it does
	conflicts Conflicts                    // of all lines
	point     int64                        // where the order's items are returned; see returnPoint
}

// fulfil changes the calendars of a plan as lines wish. buffer is how long the company keeps an item free after a
// rental. What is in the way of a line is in its draft, too; an error is anything else that a calendar refuses.
func (p *plan) fulfil(wishes []wish, buffer moment.Seconds, now time.Time) error {
	for _, one := range wishes {
		c := p.calendars[one.item]
		if one.releases {
			c.Release(calendar.Entry{Line: one.number})
		} else if err := p.occupy(c, one, buffer, now); err != nil {
			return err
		}
		if c.IsChanged() && !slices.Contains(p.changed, one.item) {
			p.changed = append(p.changed, one.item)
		}
	}
	return nil
}

// occupy enters a line into its planned calendar, with the company's buffer if its end or its item is new. What is in its way goes into
// the draft and into the plan.
func (p *plan) occupy(c *calendar.Calendar, one wish, buffer moment.Seconds, now time.Time) error {
	d := one.of
	if d.Line.Type == Rental && d.renews() {
		d.Line.Buffer = buffer
	}
	entry := d.Line.entry(p.point)
	entry.Line = one.number
	d.Conflicts = nil
	if err := d.Conflicts.take(c.Occupy(entry, now)); err != nil {
		return err
	}
	p.conflicts = append(p.conflicts, d.Conflicts...)
	return nil
}

// numbered is the planned calendar of an item, with the numbers that the lines have got since.
func (p *plan) numbered(item int64, drafts []*Draft) calendar.Calendar {
	c := *p.calendars[item]
	c.Entries = slices.Clone(c.Entries)
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Line < 0 {
			l := drafts[-e.Line-1].Line
			e.Line, e.Order = l.ID, l.Order
		}
	}
	return c
}

// Conflicts are what is in the way of the lines of a call.
type Conflicts []calendar.ItemConflict

// take takes the conflicts out of the error of a calendar. Any other error is returned.
func (c *Conflicts) take(err error) error {
	f, ok := fault.As(err)
	if !ok || !errors.Is(err, calendar.ErrOverlap) {
		return err
	}
	list, _ := f.Members["conflicts"].([]calendar.ItemConflict)
	*c = append(*c, list...)
	return nil
}

// err is calendar.ErrOverlap with the conflicts; nil if there are none.
func (c Conflicts) err() error {
	if len(c) == 0 {
		return nil
	}
	return calendar.ErrOverlap.With("conflicts", []calendar.ItemConflict(c))
}
