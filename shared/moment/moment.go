// Package moment has the two numbers that time is stored in: when something happens (Micros), and
// how long it lasts (Seconds). The table and the search have them as plain integers. As types of
// their own the compiler tells them from each other, and from ids and counts: a time that is kept
// free can't stand where its end does, and only Add puts the two together.
//
//	free := line.End.Add(line.Buffer.Duration())
//
// The compiler still takes a bare number (line.End + 900 is 900 microseconds later), and a plus or a
// minus between two moments, because they are of one type. Their difference is a number of
// microseconds, and nothing else is ever added to a moment.
//
// What never goes in here: zones, days and months, which follow from the clocks of a company; how a
// moment is written in an answer (shared/encode) or read from a body (shared/decode); when the table
// itself sweeps an item, which it wants in Unix seconds.
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

// Duration is the time as the library has it. Of more than 292 years it is wrong.
func (s Seconds) Duration() time.Duration { return time.Duration(s) * time.Second }
