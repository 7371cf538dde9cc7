package calendar

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/say"
)

const (
	// Most is how many entries a calendar holds.
	Most = 200
	// Kept is how long an entry stays after its end.
	Kept = 31 * 24 * time.Hour
	// Forever is the end of an entry that does not end: a sale.
	Forever = moment.Last
)

// Skew is how much the clocks of two requests may differ.
const Skew = 5 * time.Second

// Entry is a time for which an item is occupied: by a line of an order, or by a block. It has
// either a Line or a Block, and at most one entry of a calendar has it.
type Entry struct {
	Line  int64
	Order int64 // the order of Line
	Block int64
	Start moment.Micros // included
	End   moment.Micros // excluded
	Out   bool          // handed out, and not returned yet
	Back  bool          // returned after a hand-out; only the calendar sets it
	// Gap is how long the item is kept free afterwards. It is the company's setting of the time when
	// the entry got its End: a later setting never makes two bookings conflict.
	Gap moment.Seconds
	// Late is when a line was returned that still had the item at the Start of this entry; only the
	// calendar sets it.
	Late moment.Micros
	// Point is the rental point at which the item of a line is returned; 0: it is not said.
	Point int64
}

// Calendar is the calendar of one item, as far as rules need it. The zero Calendar is open and
// empty. Its methods change it or refuse to; an error leaves it as it was.
type Calendar struct {
	Item    int64   // whose it is, for what it refuses
	Entries []Entry // by their start
	// Floor is the latest end of the entries that were dropped: what was before it is not known
	// here any more.
	Floor  moment.Micros
	Closed bool // it takes no entries; see Close

	changed bool
}

// ItemConflict is an entry that is in the way, as callers see it.
type ItemConflict struct {
	Line      *int64  `json:"line" nullable:"true" doc:"Id of the line of an order that has the item; null for a block"`
	Request   *int64  `json:"request" nullable:"true" doc:"Id of its order; null for a block"`
	Block     *int64  `json:"block" nullable:"true" doc:"Id of a block; null for a line"`
	Inventory int64   `json:"inventory" doc:"Id of the item"`
	StartAt   string  `json:"start_at" format:"date-time"`
	EndAt     *string `json:"end_at" nullable:"true" format:"date-time" doc:"Null for a sale, which does not end"`
	Overdue   bool    `json:"overdue" doc:"The item should have been returned, and is still out"`
}

// What the calendar refuses.
var (
	ErrReversed = fault.Field("end_at", say.PeriodEndNotAfterStart)
	ErrClosed   = fault.New(fault.Conflict, say.ItemClosed).Coded()
	ErrPast     = fault.New(fault.Conflict, say.ItemCalendarPast).Coded()
	ErrFull     = fault.New(fault.Conflict, say.ItemCalendarFull).Coded()
	ErrOverlap  = fault.New(fault.Conflict, say.ItemOccupied).Coded()
	ErrInUse    = fault.New(fault.Conflict, say.ItemInUse).Coded()
)

// Occupy adds an entry, or moves the one of the same line or block. An entry that is out, and
// was not before, is a hand-out. An entry keeps its Gap while its End stays.
func (c *Calendar) Occupy(want Entry, now time.Time) error {
	at := moment.Of(now)
	i := slices.IndexFunc(c.Entries, want.isSame)
	var was *Entry
	if i >= 0 {
		was = &c.Entries[i]
		want = want.replacing(*was)
	}
	switch {
	case want.End <= want.Start:
		return ErrReversed
	case was != nil && was.returnedAt(want.Point) == want:
		c.ReturnAt(want, want.Point)
		return nil
	case c.Closed:
		return ErrClosed
	}
	var conflicts []ItemConflict
	for e := range c.conflicts(want, was, at) {
		conflicts = append(conflicts, c.shown(e, at))
	}
	if conflicts != nil {
		return ErrOverlap.With("conflicts", conflicts)
	}
	if !c.knows(want, was) {
		return ErrPast
	}
	next := Calendar{Item: c.Item, Entries: slices.Clone(c.Entries), Floor: c.Floor, changed: true}
	if was != nil {
		next.Entries = slices.Delete(next.Entries, i, i+1)
	}
	if !next.makeRoom(at) {
		return ErrFull
	}
	next.Entries = append(next.Entries, want)
	next.sort()
	*c = next
	return nil
}

// Return ends a line that is out. It refuses nothing, because it tells what happened; an end
// before the line was handed out counts as the moment of the hand-out. Entries of the time that the
// line still had the item wait until then. Only Line and Block of the entry matter: they say which it is.
func (c *Calendar) Return(of Entry, end moment.Micros) {
	i := slices.IndexFunc(c.Entries, of.isSame)
	if i < 0 || !c.Entries[i].Out {
		return
	}
	c.Entries, c.changed = slices.Clone(c.Entries), true
	back := &c.Entries[i]
	back.Out, back.Back, back.End = false, true, max(end, back.Start)
	for j := range c.Entries {
		if e := &c.Entries[j]; j != i && !e.Out && !e.Back && e.Start < back.End && back.Start < e.End {
			e.Late = max(e.Late, back.End)
		}
	}
	c.sort()
}

// ReturnAt says at which rental point the item of a line is returned; 0: that is not said any more. It is in nobody's way, so it refuses
// nothing. Only Line and Block of the entry matter.
func (c *Calendar) ReturnAt(of Entry, point int64) {
	i := slices.IndexFunc(c.Entries, of.isSame)
	if i < 0 || c.Entries[i].Point == point {
		return
	}
	c.Entries, c.changed = slices.Clone(c.Entries), true
	c.Entries[i].Point = point
}

// HandOutAt is the moment of a hand-out that takes place now. A request whose clock is ahead may have
// returned another line at a moment that is still to come.
func (c *Calendar) HandOutAt(now time.Time) moment.Micros {
	at := moment.Of(now)
	out, latest := at, at.Add(Skew)
	for _, e := range c.Entries {
		if e.Back && e.End > at && e.End <= latest {
			out = max(out, e.End)
		}
	}
	return out
}

// Release removes the entry of a line or a block, if there is one. Only Line and Block of the entry matter.
func (c *Calendar) Release(of Entry) {
	if i := slices.IndexFunc(c.Entries, of.isSame); i >= 0 {
		c.Entries, c.changed = slices.Delete(slices.Clone(c.Entries), i, i+1), true
	}
}

// Close closes the calendar of an item that goes out of use. It refuses to while a line of an
// order needs the item, now or later. What was sold and handed out leaves the company, and does not
// keep the item in use. Blocks stay, for when the item returns.
func (c *Calendar) Close(now time.Time) error {
	var lines []ItemConflict
	at := moment.Of(now)
	for _, e := range c.Entries {
		if e.Line != 0 && !e.isOver(at) && !(e.Out && e.End == Forever) {
			lines = append(lines, c.shown(e, at))
		}
	}
	if lines != nil {
		return ErrInUse.With("conflicts", lines)
	}
	c.changed = c.changed || !c.Closed
	c.Closed = true
	return nil
}

// CloseAndClear closes the calendar of an item that is deleted, and empties it.
func (c *Calendar) CloseAndClear(now time.Time) error {
	if err := c.Close(now); err != nil {
		return err
	}
	c.changed = c.changed || len(c.Entries) > 0
	c.Entries = nil
	return nil
}

// Open opens the calendar of an item that returns to use.
func (c *Calendar) Open() {
	c.changed = c.changed || c.Closed
	c.Closed = false
}

// IsChanged tells whether the calendar is another one than was read.
func (c *Calendar) IsChanged() bool { return c.changed }

// knows tells whether the calendar still knows what was at the time of an entry. Of an entry that
// moves, that is asked only of the time that it did not have before.
func (c *Calendar) knows(want Entry, was *Entry) bool {
	if want.Start >= c.Floor {
		return true
	}
	return was != nil && was.Start <= want.Start && (was.Out || min(want.End, c.Floor) <= was.End)
}

// makeRoom drops what has been over for long, and, if the calendar is full, as much of what is
// over as one more entry needs, the earliest end first. It is false if there is no room.
func (c *Calendar) makeRoom(now moment.Micros) bool {
	oldest := now.Add(-Kept)
	over := slices.DeleteFunc(slices.Clone(c.Entries), func(e Entry) bool { return !e.isOver(now) })
	slices.SortFunc(over, func(a, b Entry) int { return cmp.Compare(a.End, b.End) })
	for _, e := range over {
		if e.End > oldest && len(c.Entries) < Most {
			break
		}
		c.Entries = slices.DeleteFunc(c.Entries, e.isSame)
		c.Floor = max(c.Floor, e.End)
	}
	return len(c.Entries) < Most
}

// sort puts the entries into the order of their times.
func (c *Calendar) sort() {
	slices.SortFunc(c.Entries, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
}

// isSame tells whether two entries are of the same line or block.
func (e Entry) isSame(other Entry) bool { return e.Line == other.Line && e.Block == other.Block }

// isOver tells whether an entry is of the past: what is out is not, however late it is.
func (e Entry) isOver(now moment.Micros) bool { return !e.Out && e.End <= now }

// returnedAt is an entry whose item is returned at another rental point.
func (e Entry) returnedAt(point int64) Entry {
	e.Point = point
	return e
}

// replacing is an entry as it is wanted, with what it keeps of the one that it replaces.
func (e Entry) replacing(was Entry) Entry {
	e.Late, e.Back = 0, false
	if e.Start == was.Start && !e.Out {
		e.Late, e.Back = was.Late, was.Back && e.End == was.End
	}
	if e.End == was.End {
		e.Gap = was.Gap
	}
	return e
}

// conflicts are the entries that are in the way of one that is wanted; was is the one that it
// replaces. If that one begins at the same moment and has the item from then on, what begins
// earlier is not asked: the calendar already has both. No two can be out at the same moment, so a
// hand-out that is told later is not from before another one came back.
func (c *Calendar) conflicts(want Entry, was *Entry, now moment.Micros) iter.Seq[Entry] {
	handOut := want.Out && (was == nil || !was.Out)
	stays := !handOut && was != nil && was.Start == want.Start && was.from() < was.End
	return func(yield func(Entry) bool) {
		for _, e := range c.Entries {
			if e.isSame(want) || stays && e.from() < want.from() {
				continue
			}
			both := handOut && (e.Out || e.Back && e.Start < e.End && want.Start < e.End)
			if (both || meet(want, want.until(now), e, e.until(now))) && !yield(e) {
				return
			}
		}
	}
}

// meet tells whether two entries conflict, each with the end that counts for the other. The time
// that is kept free after the first one is not asked of a block, of what was handed out, because the
// item was back then, and of what has waited for a late return.
func meet(a Entry, aEnd moment.Micros, b Entry, bEnd moment.Micros) bool {
	if aEnd <= a.from() || bEnd <= b.from() {
		return false
	}
	if b.from() < a.from() {
		a, aEnd, b = b, bEnd, a
	}
	if b.Block == 0 && !b.Out && !b.Back && b.Late <= b.Start {
		aEnd = aEnd.Add(a.Gap.Duration())
	}
	return b.from() < aEnd
}

// from is when an entry begins to have the item.
func (e Entry) from() moment.Micros { return max(e.Start, e.Late) }

// until is when an entry stops having the item, for others that want it later: what is out past its
// end will be back at any moment.
func (e Entry) until(now moment.Micros) moment.Micros {
	if e.Out {
		return max(e.End, now.Add(-Skew))
	}
	return e.End
}

// shown is an entry that is in the way, as callers see it.
func (c *Calendar) shown(e Entry, now moment.Micros) ItemConflict {
	shown := ItemConflict{
		Inventory: c.Item, StartAt: encode.Instant(e.Start.Time()), Overdue: e.isOverdue(now),
	}
	if e.Block != 0 {
		shown.Block = &e.Block
	} else {
		shown.Line, shown.Request = &e.Line, &e.Order
	}
	if e.End != Forever {
		end := encode.Instant(e.End.Time())
		shown.EndAt = &end
	}
	return shown
}
