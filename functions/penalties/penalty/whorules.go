package penalty

import (
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/moment"
)

// Reason says why a penalty belongs to no order.
type Reason string

// Callers read these values.
const (
	ReasonNoTime  Reason = "no_time"  // when it happened is not known
	ReasonNoCar   Reason = "no_car"   // no item has the number of the car, or its tech passport
	ReasonTwoCars Reason = "two_cars" // several items have the tech passport
	ReasonNobody  Reason = "nobody"   // no order had the car at that moment
	ReasonTwo     Reason = "two"      // several orders had the car, or had planned to, at that moment
	ReasonPending Reason = "pending"  // somebody had it, and the penalty will be theirs within seconds
	ReasonFrozen  Reason = "frozen"   // it stays as it is, because it is noted or charged
)

// Values is for enum.Type.
func (Reason) Values() []enum.Value {
	return enum.Named(ReasonNoTime, ReasonNoCar, ReasonTwoCars, ReasonNobody, ReasonTwo, ReasonPending, ReasonFrozen)
}

// use is a line of an order that may have had a car at a moment.
type use struct {
	order, line int64
	client      *int64
	start       moment.Micros
	end         *moment.Micros // nil: it had the car for ever, as far as is known
	actual      bool           // it was handed out, so the times are those that happened
	live        bool           // its order is not cancelled
}

// covers tells whether the line had the car at a moment. The end is not a part of its time, so that
// of two rentals that follow each other only one has it.
func (u use) covers(at moment.Micros) bool {
	return u.live && u.start <= at && (u.end == nil || at < *u.end)
}

// who says which of some lines had a car at a moment. A line that was handed out had it from then
// until it came back, whatever was planned. A line that was not has it as planned, if no other line
// really had it. If two lines say so, nobody is believed.
func who(at moment.Micros, lines []use) (one *use, why Reason) {
	for _, actual := range []bool{true, false} {
		var found []*use
		for i, h := range lines {
			if h.actual == actual && h.covers(at) {
				found = append(found, &lines[i])
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], ""
		default:
			return nil, ReasonTwo
		}
	}
	return nil, ReasonNobody
}

// decides tells whether lines that begin earlier can't change what who says: a line that was handed out
// keeps all that begin before it from being out later.
func decides(lines []use) bool {
	for _, h := range lines {
		if h.actual && h.live {
			return true
		}
	}
	return false
}
