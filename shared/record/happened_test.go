package record_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// packed is an event of a box.
type packed struct {
	event.On
	Pieces int `json:"pieces" doc:"How many."`
}

func (packed) Name() event.Name { return "test_box.packed" }

// log is the log of the shelf's company.
func (s *shelf) log() eventlog.Log {
	return eventlog.Of(s.scope("log").Table, func() time.Time { return s.clock })
}

// events gives all events their numbers, and returns them as "test_box.updated 1 2 [name]": name, id, revision, data.
func (s *shelf) events() (list []string) {
	s.t.Helper()
	if _, err := s.log().Sequence(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	entries, _, err := s.log().Read(s.t.Context(), 0)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, fmt.Sprintf("%s %d %d %s", e.Name, e.ID, e.Revision, e.Data))
	}
	return list
}

// A change that nobody says anything of is created, updated or deleted.
func TestEventsByThemselves(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "a"}, &box{Name: "b"})
	step := func(decide func(w *record.Work) error) {
		t.Helper()
		s.clock = s.clock.Add(time.Second)
		if err := s.do(s.scope("step"), decide); err != nil {
			t.Fatal(err)
		}
	}
	step(func(w *record.Work) error {
		return edit(t.Context(), w, 1, func(b *box) { b.Name, b.Tag = "c", "t" })
	})
	step(func(w *record.Work) error { return edit(t.Context(), w, 1, func(*box) {}) }) // no change
	step(func(w *record.Work) error { return boxes().Remove(t.Context(), w, 2) })
	step(func(w *record.Work) error { notes().Create(w, "", &note{Text: "x"}); return nil }) // it has no history
	want := []string{
		"test_box.created 1 1 ", "test_box.created 2 1 ", `test_box.updated 1 2 {"fields":["name","tag"]}`, "test_box.deleted 2 2 ",
	}
	if got := s.events(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a verb says replaces updated, and stands behind created and deleted.
func TestEventsOfVerbs(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	pack := func(w *record.Work, id int64, pieces int) {
		w.Happened(packed{event.Of(id, event.Ref{Kind: "cli", ID: 5}, event.Ref{Kind: "cli"}), pieces})
	}
	if err := s.do(s.scope("a"), func(w *record.Work) error {
		boxes().Create(w, "", &box{Name: "a"}, &box{Name: "b"})
		if err := w.Number(t.Context()); err != nil {
			return err
		}
		pack(w, 2, 3)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.do(s.scope("b"), func(w *record.Work) error {
		pack(w, 1, 4)
		pack(w, 1, 5)
		if err := edit(t.Context(), w, 2, func(b *box) { b.Name = "d" }); err != nil {
			return err
		}
		return edit(t.Context(), w, 1, func(b *box) { b.Name = "c" })
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"test_box.created 1 1 ", "test_box.created 2 1 ", `test_box.packed 2 1 {"pieces":3}`,
		`test_box.updated 2 2 {"fields":["name"]}`, `test_box.packed 1 2 {"pieces":4}`, `test_box.packed 1 2 {"pieces":5}`,
	}
	if got := s.events(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	entries, _, err := s.log().Read(t.Context(), 0)
	if err != nil || !slices.Equal(entries[2].Concerns, []string{"client:5"}) {
		t.Errorf("%+v, %v", entries[2], err)
	}
	history, err := audit.Between(t.Context(), s.scope("h").Table, boxKind, 1, 1, 2)
	if err != nil || len(history) != 2 || len(history[0].Events) != 2 || string(history[0].Events[1].Data) != `{"pieces":5}` ||
		history[0].Events[1].Revision != 2 || history[1].Events == nil || len(history[1].Events) != 0 {
		t.Errorf("%+v, %v", history, err)
	}
	// About a record that stays as it is nothing can be said: nothing would decide its place in the order.
	for name, decide := range map[string]func(w *record.Work) error{
		"unwritten": func(w *record.Work) error {
			pack(w, 1, 6)
			return edit(t.Context(), w, 2, func(b *box) { b.Name = "e" })
		},
		"unchanged": func(w *record.Work) error { pack(w, 1, 6); return edit(t.Context(), w, 1, func(*box) {}) },
		"large": func(w *record.Work) error {
			w.Happened(long{event.Of(1), strings.Repeat("x", event.MaxData)})
			return edit(t.Context(), w, 1, func(b *box) { b.Name = "f" })
		},
		"nobody's": func(w *record.Work) error {
			w.Happened(strange{event.Of(1)})
			return edit(t.Context(), w, 1, func(b *box) { b.Name = "f" })
		},
	} {
		if err := s.do(s.scope(name), decide); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got := s.events(); !slices.Equal(got, want) {
		t.Errorf("after errors %q", got)
	}
}

type long struct {
	event.On
	Text string `json:"text"`
}

func (long) Name() event.Name { return "test_box.long" }

type strange struct{ event.On }

func (strange) Name() event.Name { return "nothing.happened" }

// A clock that is behind, and a lock that a dead process leaves, let no revision come before the one that it follows: also those of a
// record that was removed.
func TestStampsRise(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	kept := boxes()
	kept.Unique = nil
	var want []string
	do := func(decide func(w *record.Work) error) {
		t.Helper()
		if err := s.do(s.scope(fmt.Sprint(len(want))), decide); err != nil {
			t.Fatal(err)
		}
		s.clock = s.clock.Add(-time.Minute)
	}
	do(func(w *record.Work) error { kept.Create(w, "", &box{Name: "a"}); return nil })
	for n := range 3 {
		do(func(w *record.Work) error {
			b, err := kept.Edit(t.Context(), w, 1)
			if err == nil {
				b.Name = fmt.Sprint(n)
			}
			return err
		})
	}
	do(func(w *record.Work) error { return kept.Remove(t.Context(), w, 1) })
	for n := range 3 {
		do(func(w *record.Work) error {
			b, err := kept.EditRemoved(t.Context(), w, 1)
			if err == nil {
				b.Text, b.Name = fmt.Sprint(n), fmt.Sprint(n)
			}
			return err
		})
	}
	for n, e := range s.events() {
		if !strings.Contains(e, fmt.Sprintf(" 1 %d ", n+1)) {
			t.Errorf("event %d is %q", n+1, e)
		}
	}
	if n := len(s.events()); n != 8 {
		t.Errorf("%d events", n)
	}
}
