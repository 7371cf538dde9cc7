package order

import (
	"errors"
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
)

// Longest is how long a rental may be.
const Longest = 10 * 366 * 24 * time.Hour

// What an order refuses.
var (
	errOut = fault.New(fault.Conflict, "The item of the line was handed out: only its end, its price and its extra can change.").
		With("code", "out")
	errReturned = fault.New(fault.Conflict, "The item of the line was taken back: its time and its tariff can't change.").
			With("code", "returned")
)

// refuses is the fault for what an order can't do in its status. It tells to which statuses an
// action may bring it.
func (o *Order) refuses(detail string) error {
	return fault.New(fault.Conflict, detail).With("code", "status").With("status", o.Status).With("allowed", o.Allowed())
}

// refusesMoney is the fault of an order that doesn't count; nil for any other.
func (o *Order) refusesMoney() error {
	if o.Status.Counts() {
		return nil
	}
	return o.refuses("The order is " + o.Status.name() + ".")
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

// gives gives a line that names no time the time of the order; a sale begins now then.
func (o *Order) gives(l *Line, now time.Time) {
	if l.Type == Sale {
		if l.End = 0; l.Start == 0 {
			l.Start = now.UnixMicro()
		}
		return
	}
	start, end := o.Time()
	if l.Start == 0 && start != nil {
		l.Start = *start
	}
	if l.End == 0 && end != nil {
		l.End = *end
	}
}

// checkTime reports what is wrong with the time that was sent for an order.
func (o *Order) checkTime(errs fault.FieldErrors) {
	for field, at := range map[string]*int64{"rent_start": o.RentStart, "rent_end": o.RentEnd} {
		if at != nil && !ledger.ValidDate(time.UnixMicro(*at)) {
			errs.Add(field, ledger.BadDate)
		}
	}
	if o.RentStart != nil && o.RentEnd != nil && *o.RentEnd <= *o.RentStart && !errs.Has("rent_start") && !errs.Has("rent_end") {
		errs.Add("rent_end", "Ensure this value is after rent_start.")
	}
}

// check reports what is wrong with the time of a line.
func (l *Line) check(errs fault.FieldErrors) {
	if l.Start == 0 {
		errs.Add("start_at", fault.Required)
	} else if !ledger.ValidDate(time.UnixMicro(l.Start)) {
		errs.Add("start_at", ledger.BadDate)
	}
	if l.Type == Sale {
		return
	}
	switch {
	case l.End == 0:
		errs.Add("end_at", fault.Required)
	case errs.Has("start_at") || errs.Has("end_at"):
	case l.End <= l.from():
		errs.Add("end_at", "Ensure this value is after the start.")
	case l.End-l.Start > Longest.Microseconds():
		errs.Add("end_at", "Ensure this value is at most 10 years after the start.")
	}
}

// follow makes the plan of a line begin when its item was handed out, if it has got an end before it
// was to begin.
func (l *Line) follow() {
	if l.Type == Rental && l.state() == Out && l.End <= l.Start {
		l.Start = l.from()
	}
}

// overlaps reports lines of one call that want the same item at the same time, or too soon after each
// other. Lines that have their times already are not asked again.
func overlaps(w *record.Work, drafts []*Draft, buffer int64) {
	for i, a := range drafts {
		for _, b := range drafts[:i] {
			if a.Line.Item == b.Line.Item && a.Line.Item != 0 && (a.moves(w) || b.moves(w)) && a.Line.meets(b.Line, buffer) {
				w.Errors(a.Path).Add("inventory", "Another line of this call has the item at this time.")
				break
			}
		}
	}
}

// meets tells whether the times of two lines overlap, or are less than so many seconds apart, as they
// have to be after a rental.
func (l *Line) meets(other *Line, buffer int64) bool {
	if other.from() < l.from() {
		l, other = other, l
	}
	until := l.until()
	if l.Type == Rental && other.state() == Planned {
		until += buffer * int64(time.Second/time.Microsecond)
	}
	return other.from() < until
}

// until is when a line gives its item up.
func (l *Line) until() int64 {
	switch {
	case l.FactEnd != nil:
		return *l.FactEnd
	case l.Type == Sale:
		return calendar.Forever
	}
	return l.End
}

// entry is the line in the calendar of its item.
func (l *Line) entry() calendar.Entry {
	return calendar.Entry{
		Line: l.ID, Order: l.Order, Start: l.from(), End: l.until(), Out: l.state() == Out,
		Gap: l.Buffer * int64(time.Second/time.Microsecond),
	}
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

// or is the error of a call with these conflicts, or another one.
func (c Conflicts) or(err error) error {
	if err != nil || len(c) == 0 {
		return err
	}
	return calendar.ErrOverlap.With("conflicts", []calendar.ItemConflict(c))
}

// moment is a time that a caller names for what happened: now or past. A clock that is a little
// ahead of ours is believed.
func moment(at *int64, now time.Time, errs fault.FieldErrors, field string) int64 {
	if at == nil {
		return now.UnixMicro()
	}
	switch {
	case !ledger.ValidDate(time.UnixMicro(*at)):
		errs.Add(field, ledger.BadDate)
	case *at > now.Add(time.Minute).UnixMicro():
		errs.Add(field, "Ensure this value is not after now, "+encode.Instant(now.Truncate(time.Second))+".")
	}
	return min(*at, now.UnixMicro())
}
