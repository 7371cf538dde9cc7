package order

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
)

// Which lines move with their order: those that have exactly its time, and are not back.
func TestLinesThatMove(t *testing.T) {
	hours := func(start, end int64) (to Times) {
		if start != 0 {
			to.Start = new(moment.Micros)
			*to.Start = hour(start)
		}
		if end != 0 {
			to.End = new(moment.Micros)
			*to.End = hour(end)
		}
		return to
	}
	all := func(lines ...*Line) *Order {
		o := &Order{Status: InRent}
		for _, l := range lines {
			o.Lines = append(o.Lines, l.held())
		}
		return o
	}
	const none = "No line of the order has exactly its time and can be moved: change the lines."
	many := &Order{Status: Reserved}
	for n := range int64(AtOnce + 1) {
		many.Lines = append(many.Lines, lasting(n+1, n+1, 10, 20).held())
	}
	for _, tt := range []struct {
		name  string
		o     *Order
		to    Times
		moved []int64
		wrong string
	}{
		{"the only one", all(lasting(1, 1, 10, 20)), hours(11, 21), []int64{1}, ""},
		{"not one that begins later", all(lasting(1, 1, 10, 20), lasting(2, 2, 11, 20)), hours(9, 0), []int64{1}, ""},
		{"not one that ends earlier", all(lasting(1, 1, 10, 20), lasting(2, 2, 10, 19)), hours(0, 30), []int64{1}, ""},
		{"not a sale", all(lasting(1, 1, 10, 20), sold(2, 2, 10)), hours(0, 30), []int64{1}, ""},
		{"one that is out, at its end", all(lasting(1, 1, 10, 20).handedOut(9)), hours(0, 30), []int64{1}, ""},
		{"one that is out keeps its start", all(lasting(1, 1, 10, 20).handedOut(11)), hours(9, 0), nil, "rent_start: " + none},
		{"one that is back", all(lasting(1, 1, 10, 20).handedOut(10).takenBack(15)), hours(0, 30), nil, "rent_end: " + none},
		{"none has both", all(lasting(1, 1, 10, 15), lasting(2, 2, 15, 20)), hours(9, 30), nil, "rent_end: " + none},
		{"reversed", all(lasting(1, 1, 10, 20)), hours(20, 0), []int64{1}, "rent_start: Ensure that rent_end is after rent_start."},
		{"too long", all(lasting(1, 1, 10, 20)), hours(0, 11*366*24), []int64{1}, "rent_end: Ensure that rent_end is at most 10 years after rent_start."},
		{"after an early hand-out, before the start", all(lasting(1, 1, 10, 20).handedOut(2)), hours(0, 3), []int64{1}, ""},
		{"31", many, hours(11, 0), many.In(Planned), "rent_start: At most 30 lines are moved in a call, " +
			"and 31 have exactly the order's time: change the lines."},
	} {
		errs := fault.FieldErrors{}
		moved := tt.o.moving(tt.to)
		tt.to.check(tt.o, moved, errs)
		if fmt.Sprint(moved) != fmt.Sprint(tt.moved) || wrong(errs) != "["+tt.wrong+"]" {
			t.Errorf("%s: %v moved, %q", tt.name, moved, wrong(errs))
		}
	}
}

// What an order keeps of the time that is sent for it.
func TestTimeThatAnOrderKeeps(t *testing.T) {
	before := &Order{RentStart: to(hour(1)), RentEnd: to(hour(2)), Lines: []Held{lasting(1, 1, 10, 20).held()}}
	for _, tt := range []struct {
		name       string
		sent       Times
		start, end *moment.Micros
	}{
		{"nothing", Times{}, to(hour(1)), to(hour(2))},
		{"the time that it has", Times{to(hour(10)), to(hour(20))}, to(hour(1)), to(hour(2))},
		{"another start", Times{Start: to(hour(11))}, to(hour(11)), to(hour(20))},
		{"another end", Times{End: to(hour(21))}, to(hour(10)), to(hour(21))},
		{"the start that it has, and another end", Times{to(hour(10)), to(hour(21))}, to(hour(10)), to(hour(21))},
		{"both", Times{to(hour(5)), to(hour(6))}, to(hour(5)), to(hour(6))},
	} {
		o := *before
		if tt.sent.Start != nil {
			o.RentStart = tt.sent.Start
		}
		if tt.sent.End != nil {
			o.RentEnd = tt.sent.End
		}
		o.keepTime(before, tt.sent.differing(before))
		if *o.RentStart != *tt.start || *o.RentEnd != *tt.end {
			t.Errorf("%s: %v to %v", tt.name, o.RentStart.Time(), o.RentEnd.Time())
		}
	}
}
