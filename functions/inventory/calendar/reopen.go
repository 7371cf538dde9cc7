package calendar

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
)

// Reopen makes the entry of a line what it was before its item came back, which is out, or before its item was handed out, which is not.
// done is when that was told. What has taken the item since is in the way, also if the item is overdue by now; what waited for it then
// waits again. An entry that the calendar has dropped is the past.
func (c *Calendar) Reopen(want Entry, done moment.Micros, now time.Time) error {
	i := slices.IndexFunc(c.Entries, want.isSame)
	switch {
	case i < 0:
		return ErrPast
	case c.Closed:
		return ErrClosed
	}
	at, was := moment.Of(now), c.Entries[i]
	want.Gap, want.Back, want.Late = was.Gap, false, 0
	if !want.Out {
		want.Late = c.waitsUntil(want)
	}
	var conflicts []ItemConflict
	for _, e := range c.Entries {
		if !e.isSame(want) && e.hinders(want, was, done, at) {
			conflicts = append(conflicts, c.shown(e, at))
		}
	}
	if conflicts != nil {
		return ErrOverlap.With("conflicts", conflicts)
	}
	next := Calendar{Item: c.Item, Entries: slices.Clone(c.Entries), Floor: c.Floor, changed: true}
	next.Entries[i] = want
	for j := range next.Entries {
		if e := &next.Entries[j]; j != i && was.Back && e.isPlanned() && e.Late == was.End {
			e.Late = next.waitsUntil(*e)
		}
	}
	next.sort()
	*c = next
	return nil
}

// isPlanned tells whether an entry was not handed out yet.
func (e Entry) isPlanned() bool { return !e.Out && !e.Back }

// waitsUntil is until when something planned waits for what came back late; 0 if it doesn't.
func (c *Calendar) waitsUntil(of Entry) (late moment.Micros) {
	for _, b := range c.Entries {
		if b.Back && !b.isSame(of) && b.Start < b.End && of.Start < b.End && b.Start < of.End {
			late = max(late, b.End)
		}
	}
	return late
}

// hinders tells whether an entry is in the way of another one that becomes again what is wanted; was is what that one is now,
// since done.
func (e Entry) hinders(want, was Entry, done, now moment.Micros) bool {
	switch {
	case want.Out && e.isPlanned() && e.Start < was.End && was.Start < e.End:
		return false // it waited for the return
	case want.Out && (e.Out || e.Back && e.Start < e.End && want.Start < e.End):
		return true
	case !want.Out && e.from() < want.from(): // the time that is kept free after it was asked when both were planned
		return e.until(now) > want.from() && e.from() < e.until(now) && want.from() < want.End
	}
	// What had begun when the item came back waited, if that was after the planned end.
	since := e.Start >= done && e.from() < want.until(now) && want.Start < e.End && e.from() < e.End
	return since || meet(want, want.End, e, e.until(now))
}
