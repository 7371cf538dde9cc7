package record_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A spot is a record of a kind that is registered, whose events concern the records that it names.
type spot struct {
	record.Meta
	Name string `dynamo:"n"`
	City string `dynamo:"ci"`
	Seen int    `dynamo:"s"` // by nobody
	Of   []event.Ref
}

func spots() *record.Kind[*spot] {
	return &record.Kind[*spot]{
		Kind:     kinds.Of(kinds.RentalPoint),
		Shown:    func(p *spot) any { return map[string]any{"name": p.Name, "city": p.City} },
		Concerns: func(p *spot) []event.Ref { return p.Of },
	}
}

// concerned gives all events their numbers, and returns what each concerns, with the event as events does.
func (s *shelf) concerned() (list []string) {
	s.t.Helper()
	list = s.events()
	entries, _, err := s.log().Read(s.t.Context(), 0)
	if err != nil {
		s.t.Fatal(err)
	}
	for i, e := range entries {
		list[i] += fmt.Sprint(" ", e.Concerns)
	}
	return list
}

// What comes by itself concerns what the record names, before and after: each once, orders first, at most five.
func TestConcerned(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	client := func(id int64) event.Ref { return event.Ref{Kind: kinds.Client, ID: id} }
	order := event.Ref{Kind: kinds.Order, ID: 9}
	change := func(of ...event.Ref) {
		t.Helper()
		if err := s.do(s.scope("change"), func(w *record.Work) error {
			p, err := spots().Edit(t.Context(), w, 1)
			if err == nil {
				p.Name, p.Of = p.Name+"x", of
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.do(s.scope("make"), func(w *record.Work) error {
		spots().Create(w, "", &spot{Name: "a", Of: []event.Ref{client(1), {Kind: kinds.Client}, order, client(1)}})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	change(client(2))
	change(client(2), client(3), client(4), client(5), client(6), client(7))
	change(order)
	change()
	if err := s.do(s.scope("remove"), func(w *record.Work) error { return spots().Remove(t.Context(), w, 1) }); err != nil {
		t.Fatal(err)
	}
	const updated = `rental_point.updated 1 %d {"fields":["name"]} %s`
	want := []string{
		"rental_point.created 1 1  [order:9 client:1]",
		fmt.Sprintf(updated, 2, "[order:9 client:2 client:1]"),
		fmt.Sprintf(updated, 3, "[client:2 client:3 client:4 client:5 client:6]"),
		fmt.Sprintf(updated, 4, "[order:9 client:2 client:3 client:4 client:5]"),
		fmt.Sprintf(updated, 5, "[order:9]"),
		"rental_point.deleted 1 6  []",
	}
	if got := s.concerned(); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// moved says that a spot is in another city.
type moved struct {
	event.On
	To string `json:"to"`
}

func (moved) Name() event.Name { return "rental_point.moved" }

// movedAlone is moved, of what tells nothing else.
type movedAlone struct{ moved }

func (movedAlone) Tells() []string { return []string{"city"} }

// What a verb says replaces the event updated, unless it tells only a part of what has changed.
func TestUpdatedBesideWhatIsSaid(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	if err := s.do(s.scope("make"), func(w *record.Work) error { spots().Create(w, "", &spot{}); return nil }); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		name, city string
		say        []event.Event
		want       []string
	}{
		{"a", "b", nil, []string{`updated {"fields":["city","name"]}`}},
		{"a", "b", nil, []string{`updated {"fields":[]}`}}, // the revision rises, so somebody is told
		{"b", "c", []event.Event{moved{event.Of(1), "c"}}, []string{`moved {"to":"c"}`}},
		{"b", "d", []event.Event{movedAlone{moved{event.Of(1), "d"}}}, []string{`moved {"to":"d"}`}},
		{"c", "e", []event.Event{movedAlone{moved{event.Of(1), "e"}}}, []string{`updated {"fields":["name"]}`, `moved {"to":"e"}`}},
		{
			"d", "f",
			[]event.Event{moved{event.Of(1), "f"}, movedAlone{moved{event.Of(1), "f"}}},
			[]string{`moved {"to":"f"}`, `moved {"to":"f"}`},
		},
	} {
		before := s.concerned()
		if err := s.do(s.scope(fmt.Sprint("change", i)), func(w *record.Work) error {
			p, err := spots().Edit(t.Context(), w, 1)
			if err != nil {
				return err
			}
			p.Name, p.City, p.Seen = c.name, c.city, i
			for _, e := range c.say {
				w.Happened(e)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, e := range c.want {
			name, data, _ := strings.Cut(e, " ")
			want = append(want, fmt.Sprintf("rental_point.%s 1 %d %s []", name, i+2, data))
		}
		if got := s.concerned()[len(before):]; !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
}
