package order

import (
	"time"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/say"
)

// Longest is how long a rental may be.
const Longest = 10 * 366 * 24 * time.Hour

// errorsAt returns the errors at a path of the body, to add to them.
type errorsAt func(path string) fault.FieldErrors

// setTimes gives the item lines of a call their times, and reports what is wrong with these, or with that of a
// new order. buffer is how long the company keeps an item free after a rental.
func (o *Order) setTimes(drafts []*Draft, buffer moment.Seconds, now time.Time, at errorsAt) {
	if o.ID == 0 {
		o.checkTime(at(""))
	}
	for _, d := range drafts {
		o.fillTime(d.Line, now)
		d.Line.checkTime(at(d.Path))
		d.Line.startAtHandOut()
	}
	overlaps(drafts, buffer, at)
}

// stays tells whether a line has its item from the same moment on as before.
func (d *Draft) stays() bool {
	return d.before != nil && d.before.Item == d.Line.Item && d.before.from() == d.Line.from()
}

// moves tells whether a line is new, or has another time, or another item, than before.
func (d *Draft) moves() bool { return !d.stays() || d.renews() }

// renews tells whether a line is kept free afterwards as the company wishes now: it is new, or has
// another end, or another item, than before.
func (d *Draft) renews() bool {
	return d.before == nil || d.before.Item != d.Line.Item || d.before.End != d.Line.End
}

// fillTime gives a rental that names no start or no end that of the order. A sale has no end, and begins now if it names no start.
func (o *Order) fillTime(l *Line, now time.Time) {
	if l.Type == Sale {
		if l.End = 0; l.Start == 0 {
			l.Start = moment.Of(now)
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
	for field, at := range map[string]*moment.Micros{"rent_start": o.RentStart, "rent_end": o.RentEnd} {
		switch {
		case at == nil:
		case *at == 0:
			errs.Add(field, NoMoment)
		case !ledger.ValidDate(at.Time()):
			errs.Add(field, ledger.BadDate)
		}
	}
	if o.RentStart != nil && o.RentEnd != nil && *o.RentEnd <= *o.RentStart && !errs.Has("rent_start") && !errs.Has("rent_end") {
		errs.Add("rent_end", say.OrderEndNotAfterStart)
	}
}

// NoMoment is the message of a moment that no order and no line can begin or end at: what is 0 has not been sent.
const NoMoment = say.LineMomentMissing

// checkTime reports what is wrong with the time of a line, besides what was reported before.
func (l *Line) checkTime(errs fault.FieldErrors) {
	switch {
	case errs.Has("start_at"):
	case l.Start == 0:
		errs.Add("start_at", say.Required)
	case !ledger.ValidDate(l.Start.Time()):
		errs.Add("start_at", ledger.BadDate)
	}
	if l.Type == Sale {
		return
	}
	switch {
	case errs.Has("end_at"):
	case l.End == 0:
		errs.Add("end_at", say.Required)
	case errs.Has("start_at"):
	case l.End <= l.from():
		errs.Add("end_at", say.LineEndNotAfterStart)
	case l.End > l.Start.Add(Longest):
		errs.Add("end_at", say.LineTooLong)
	}
}

// startAtHandOut makes the plan of a line begin when its item was handed out, if it has got an end before it
// was to begin.
func (l *Line) startAtHandOut() {
	if l.Type == Rental && l.state() == Out && l.End <= l.Start {
		l.Start = l.from()
	}
}

// overlaps reports lines of one call that want the same item at the same time, or too soon after each
// other. Lines that have their times already are not asked again.
func overlaps(drafts []*Draft, buffer moment.Seconds, errs errorsAt) {
	for i, a := range drafts {
		for _, b := range drafts[:i] {
			if a.Line.Item == b.Line.Item && a.Line.Item != 0 && (a.moves() || b.moves()) && a.Line.meets(b.Line, buffer) {
				errs(a.Path).Add("inventory", say.LineItemTwice)
				break
			}
		}
	}
}

// meets tells whether the times of two lines overlap, or are less than the buffer apart, as they have to be after a
// rental.
func (l *Line) meets(other *Line, buffer moment.Seconds) bool {
	if other.from() < l.from() {
		l, other = other, l
	}
	until := l.until()
	if l.Type == Rental && other.state() == Planned {
		until = until.Add(buffer.Duration())
	}
	return other.from() < until
}

// until is when a line gives its item up.
func (l *Line) until() moment.Micros {
	switch {
	case l.FactEnd != nil:
		return *l.FactEnd
	case l.Type == Sale:
		return calendar.Forever
	}
	return l.End
}

// entry is the line in the calendar of its item. A rental is returned at a rental point, if that is not 0.
func (l *Line) entry(point int64) calendar.Entry {
	e := calendar.Entry{
		Line: l.ID, Order: l.Order, Start: l.from(), End: l.until(), Out: l.state() == Out,
		Gap: l.Buffer,
	}
	if l.Type == Rental {
		e.Point = point
	}
	return e
}

// happened is a time that a caller names for what happened: now or past. A clock that is a little
// ahead of ours is believed.
func happened(at *moment.Micros, now time.Time, errs fault.FieldErrors, field string) moment.Micros {
	if at == nil {
		return moment.Of(now)
	}
	switch {
	case !ledger.ValidDate(at.Time()):
		errs.Add(field, ledger.BadDate)
	case *at > moment.Of(now.Add(time.Minute)):
		errs.Add(field, say.MomentInFuture(now.Truncate(time.Second)))
	}
	return min(*at, moment.Of(now))
}
