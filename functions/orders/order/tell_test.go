package order

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/record"
)

// Only what has begun by now, and somebody else has, is told to penalties.
func TestMoved(t *testing.T) {
	const now = 1_000
	order := func(status Status, client int64, lines ...Held) *Order {
		return &Order{Meta: record.Meta{ID: 7}, Status: status, Client: &client, Lines: lines}
	}
	began, later := Held{ID: 1, Item: 5, Start: 900, End: 2_000}, Held{ID: 2, Item: 6, Start: 1_500, End: 2_000}
	out := began
	out.State = Out
	another := began
	another.Item = 8
	early := began
	early.Start = 100
	for _, c := range []struct {
		name          string
		before, after *Order
		want          string
	}{
		{"a new one that begins later", nil, order(Request, 3, later), ""},
		{"a new one that began", nil, order(Request, 3, began, later), "900:5"},
		{"nothing about its lines", order(Request, 3, began), order(Reserved, 3, began), ""},
		{"handed out", order(Reserved, 3, began, later), order(InRent, 3, out, later), "900:5"},
		{"another item", order(Request, 3, began), order(Request, 3, another), "900:5,8"},
		{"another start", order(Request, 3, began), order(Request, 3, early), "100:5"},
		{"another client", order(Request, 3, began, another), order(Request, 4, began, another), "900:5,8"},
		{"cancelled", order(Request, 3, began, later), order(Cancelled, 3, began, later), "900:5"},
		{"deleted", order(Request, 3, began), nil, "900:5"},
		{"deleted when it was cancelled", order(Cancelled, 3, began), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := moved(c.before, c.after, now); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if since, items, err := ParseMoved("900:5,8"); err != nil || since != 900 || !slices.Equal(items, []int64{5, 8}) {
		t.Error(since, items, err)
	}
	for _, wrong := range []string{"", "900", "900:", "a:5", "900:5,", "900:x"} {
		if _, _, err := ParseMoved(wrong); err == nil {
			t.Errorf("%q was read", wrong)
		}
	}
}

// The place of a line below its item tells its order, and the lines until a moment are found.
func TestPlaces(t *testing.T) {
	l := Line{Order: 17, Item: 5, Start: 1_700_000_000_000_000}
	at := Lines().Below(&l).At
	if id, err := OrderAt(record.Place{At: at}); err != nil || id != 17 {
		t.Error(id, err)
	}
	if _, err := OrderAt(record.Place{At: record.At(l.Start)}); err == nil {
		t.Error("a place without an order has one")
	}
	if until := Until(l.Start).To; at > until || until > record.At(l.Start+1) {
		t.Errorf("%q is not until %q", at, until)
	}
}
