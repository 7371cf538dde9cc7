package penalty

// Reason says why a penalty belongs to no order.
type Reason string

// The reasons.
const (
	NoTime  Reason = "no_time"  // when it happened is not known
	NoCar   Reason = "no_car"   // no item has the number of the car, or its tech passport
	TwoCars Reason = "two_cars" // several items have the tech passport
	Nobody  Reason = "nobody"   // no order had the car at that moment
	Two     Reason = "two"      // several orders had planned to have it
	Pending Reason = "pending"  // somebody had it, and the penalty will be theirs within seconds
	Frozen  Reason = "frozen"   // it stays as it is, because it is noted or charged
)

// had is a line of an order that may have had a car at a moment.
type had struct {
	order, line int64
	client      *int64
	start       int64  // microseconds, as all times here
	end         *int64 // nil: it had the car for ever, as far as is known
	actual      bool   // it was handed out, so the times are those that happened
	live        bool   // its order is not cancelled
}

// holds tells whether the line had the car at a moment. The end is not a part of its time, so that
// of two rentals that follow each other only one has it.
func (h had) holds(at int64) bool { return h.live && h.start <= at && (h.end == nil || at < *h.end) }

// who says which of some lines had a car at a moment. A line that was handed out had it from then
// until it came back, whatever was planned. A line that was not has it as planned, if no other line
// really had it. If two lines say so, nobody is believed.
func who(at int64, lines []had) (one *had, why Reason) {
	for _, actual := range []bool{true, false} {
		var found []*had
		for i, h := range lines {
			if h.actual == actual && h.holds(at) {
				found = append(found, &lines[i])
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], ""
		default:
			return nil, Two
		}
	}
	return nil, Nobody
}

// settled tells whether lines that begin earlier can't change what who says: a line that was handed out
// keeps all that begin before it from being out later.
func settled(lines []had) bool {
	for _, h := range lines {
		if h.actual && h.live {
			return true
		}
	}
	return false
}
