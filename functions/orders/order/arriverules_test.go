package order

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/fault"
)

// Whose calendars say where an item is returned: those of the rentals that are not back, of an order that is open.
func TestToReturn(t *testing.T) {
	lines := []Held{{ID: 1, End: 5}, {ID: 2, End: 5, State: Out}, {ID: 3, End: 5, State: Returned}, {ID: 4}, {ID: 5, State: Out}}
	for status, want := range map[Status]string{
		Request: "1 2 ", Reserved: "1 2 ", InRent: "1 2 ", Cancelled: "", Completed: "", Debtor: "",
	} {
		got := ""
		for _, h := range (&Order{Status: status, Lines: lines}).toReturn() {
			got += fmt.Sprint(h.ID, " ")
		}
		if got != want {
			t.Errorf("status %d: %q, want %q", status, got, want)
		}
	}
}

// How many lines an order may have that is to be returned elsewhere.
func TestCheckReturns(t *testing.T) {
	rentals := func(n int) (list []Held) {
		for i := range n {
			list = append(list, Held{ID: int64(i + 1), End: 5})
		}
		return list
	}
	back := append(rentals(30), Held{ID: 31, End: 5, State: Returned})
	for _, tt := range []struct {
		name    string
		o       *Order
		client  *int64 // of before
		refused bool
	}{
		{"none", &Order{}, nil, false},
		{"30", &Order{Lines: rentals(30)}, nil, false},
		{"31", &Order{Lines: rentals(31)}, nil, true},
		{"31, of a cancelled order", &Order{Lines: rentals(31), Status: Cancelled}, nil, false},
		{"31, one is back", &Order{Lines: back}, nil, false},
		{"30 and another client", &Order{Lines: rentals(30), Services: make([]int64, 26)}, to(int64(3)), false},
		{"30, another client and many services", &Order{Lines: rentals(30), Services: make([]int64, 27)}, to(int64(3)), true},
		{"30 and many services", &Order{Lines: rentals(30), Services: make([]int64, 50)}, nil, false},
	} {
		err := tt.o.checkReturns(&Order{Client: tt.client})
		var f *fault.Error
		if (err != nil) != tt.refused || err != nil && (!errors.As(err, &f) || f.Members["code"] != "too_many_lines") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Which returns leave a message that moves the item.
func TestMayMove(t *testing.T) {
	mine := calendar.Entry{Line: 5, Start: hour(5), End: hour(7), Back: true, Point: 2}
	back := func(point int64) calendar.Entry {
		return calendar.Entry{Line: 4, Start: hour(1), End: hour(3), Back: true, Point: point}
	}
	planned := calendar.Entry{Line: 6, Start: hour(8), End: hour(9), Point: 3}
	for _, tt := range []struct {
		name    string
		is      *int64
		entries []calendar.Entry
		want    bool
	}{
		{"it is at no point", nil, []calendar.Entry{mine}, true},
		{"it is elsewhere", to(int64(1)), []calendar.Entry{mine}, true},
		{"it is there", to(int64(2)), []calendar.Entry{mine}, false},
		{"it is there, and was returned there before", to(int64(2)), []calendar.Entry{back(2), mine}, false},
		{"it is there, and was returned anywhere before", to(int64(2)), []calendar.Entry{back(0), mine}, false},
		{"it is there, and was returned elsewhere before", to(int64(2)), []calendar.Entry{back(1), mine}, true},
		{"it is there, and will be elsewhere", to(int64(2)), []calendar.Entry{mine, planned}, false},
		{"its own return was elsewhere before it was undone", to(int64(2)), []calendar.Entry{{Line: 5, Back: true, Point: 1}}, false},
	} {
		if got := (arrival{Line: 5}).mayMove(2, tt.is, &calendar.Calendar{Entries: tt.entries}); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// A return that was undone moves nothing, also where the item came back again since.
func TestHoldsTheReturn(t *testing.T) {
	a := arrival{Line: 5, Item: 1, Revision: 12}
	for _, tt := range []struct {
		name string
		line *Line
		want bool
	}{
		{"back", &Line{Item: 1, Return: &Done{Revision: 12}}, true},
		{"out again", &Line{Item: 1}, false},
		{"back again, at the same moment", &Line{Item: 1, Return: &Done{Revision: 14}}, false},
		{"another item", &Line{Item: 2, Return: &Done{Revision: 12}}, false},
	} {
		if got := a.holds(tt.line); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
