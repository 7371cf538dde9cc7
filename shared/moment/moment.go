// Package moment has the two numbers that time is written in: when something happens (Micros), and
// how long it lasts (Seconds). They are stored, filtered by and answered as the plain integers that
// they are. As types of their own the compiler tells them from each other, and from ids and counts:
// nothing is added to a moment but a length of time (Add), and a time that is kept free can't stand
// where its end does.
//
//	free := line.End.Add(line.Buffer.Duration())
//
// What the compiler can't refuse is a plus or a minus between two moments, because they are of one
// type: a sum of two is always a mistake, and their difference is a plain number of microseconds.
//
// What never goes in here: zones, days and months, which follow from the clocks of a company; how a
// moment is written in an answer (shared/encode) or read from a body (shared/decode).
package moment

import (
	"math"
	"time"
)

// Micros is a moment: microseconds since the beginning of 1970 in UTC.
type Micros int64

// Last is the last moment that there is. What ends then never ends.
const Last Micros = math.MaxInt64

// Of is a moment as a number; a part of a microsecond is cut off.
func Of(at time.Time) Micros { return Micros(at.UnixMicro()) }

// Time is the moment as the library has it.
func (m Micros) Time() time.Time { return time.UnixMicro(int64(m)) }

// Add is the moment so much later, or earlier. It is never after Last.
func (m Micros) Add(d time.Duration) Micros {
	by := Micros(d.Microseconds())
	if by > 0 && m > Last-by {
		return Last
	}
	return m + by
}

// Seconds is a length of time in whole seconds.
type Seconds int64

// Duration is the time as the library has it, which ends after 292 years.
func (s Seconds) Duration() time.Duration { return time.Duration(s) * time.Second }
