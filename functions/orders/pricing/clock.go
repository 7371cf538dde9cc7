package pricing

import (
	"math"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
)

// unitsOf is how many times a rental takes a tariff, at least once.
func (r Rules) unitsOf(t Terms, start, end time.Time) int64 {
	if t.anyTime() {
		return 1
	}
	return r.units(t.Duration, start, end)
}

// units is how many times a rental takes a tariff of that duration, at least once. A part counts
// as a whole.
func (r Rules) units(duration moment.Seconds, start, end time.Time) int64 {
	elapsed := seconds(start, end)
	switch {
	case elapsed <= 0:
		return 1
	case duration == Month && r.CalendarMonths:
		return r.months(start, end)
	case duration%Day != 0:
		return int64((elapsed-1)/duration + 1)
	}
	return r.days(duration, elapsed, start, end)
}

// seconds is the time from one moment to another; a part of a second counts as a whole. A
// time.Duration would end after 292 years.
func seconds(start, end time.Time) moment.Seconds {
	n := moment.Seconds(end.Unix() - start.Unix())
	if end.Nanosecond() > start.Nanosecond() {
		n++
	}
	return n
}

// clocks is more than the clocks of a zone were ever put back or forward at once.
const clocks = 2 * Day

// days counts a duration of whole days on the clocks of the company: a unit ends when they show
// the time of the start again.
func (r Rules) days(duration, elapsed moment.Seconds, start, end time.Time) int64 {
	if duration >= elapsed+clocks {
		return 1
	}
	wall, days := r.wall(start), int(duration/Day)
	n := int64(max(elapsed/duration-clocks/Day, 1)) // its predecessor, if there is one, ended before the end
	for r.moment(wall.AddDate(0, 0, int(n)*days)).Before(end) {
		n++
	}
	return n
}

// months counts calendar months on the clocks of the company. A month that is shorter than the day
// of the start ends a unit on its last day.
func (r Rules) months(start, end time.Time) int64 {
	from, to := r.wall(start), r.wall(end)
	n := max((to.Year()-from.Year())*12+int(to.Month()-from.Month())-1, 1)
	for r.moment(addMonths(from, n)).Before(end) {
		n++
	}
	return int64(n)
}

// addMonths is the same day n months later, or the last day of that month if it is shorter.
func addMonths(t time.Time, n int) time.Time {
	first := t.AddDate(0, n, 1-t.Day())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

// wall is what the clocks of the company show at a moment, as a time in UTC, in which all days are
// alike.
func (r Rules) wall(at time.Time) time.Time {
	c := r.clock()
	return at.UTC().Add(c.offset(at.Unix()).Duration())
}

// moment is when the clocks of the company show a time.
func (r Rules) moment(wall time.Time) time.Time {
	c := r.clock()
	return time.Unix(c.moment(wall.Unix()), int64(wall.Nanosecond())).UTC()
}

// plus is the end of a length of time. Whole days count on the clocks, as those of a tariff do.
func (r Rules) plus(start time.Time, length moment.Seconds) time.Time {
	if length%Day != 0 {
		return start.Add(length.Duration())
	}
	return r.moment(r.wall(start).AddDate(0, 0, int(length/Day)))
}

// clock is the clocks of a company, in seconds since 1970. It keeps the time around the last moment that it was asked for in which
// the clocks were not changed, because a search asks for many moments that are close to each other.
type clock struct {
	zone         *time.Location
	since, until int64
	ahead        moment.Seconds
}

func (r Rules) clock() clock {
	if r.Zone == nil {
		return clock{zone: time.UTC}
	}
	return clock{zone: r.Zone}
}

// offset is how far the clocks are ahead of UTC at a moment.
func (c *clock) offset(at int64) moment.Seconds {
	if at >= c.since && at < c.until {
		return c.ahead
	}
	t := time.Unix(at, 0).In(c.zone)
	_, ahead := t.Zone()
	c.since, c.until, c.ahead = math.MinInt64, math.MaxInt64, moment.Seconds(ahead)
	since, until := t.ZoneBounds()
	if !since.IsZero() {
		c.since = since.Unix()
	}
	if !until.IsZero() {
		c.until = until.Unix()
	}
	return c.ahead
}

// wall is what the clocks show at a moment, as the seconds of a time in UTC.
func (c *clock) wall(at int64) int64 { return at + int64(c.offset(at)) }

// moment is when the clocks show a time. If they show it twice, it is the second moment. If they
// skip it, it is when they would have shown it, had they not been put forward. So the price is
// never higher because of such a night, and a longer rental is never cheaper.
func (c *clock) moment(wall int64) int64 {
	a, b := wall-int64(c.offset(wall-int64(clocks/2))), wall-int64(c.offset(wall+int64(clocks/2)))
	if a > b {
		a, b = b, a
	}
	if a != b && c.wall(a) == wall && c.wall(b) != wall {
		return a
	}
	return b
}
