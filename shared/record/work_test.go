package record_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/history"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A box has a tag that is unique, may be in another box, which it holds, and has
// sums beside it. A note is appended and never changed.
type box struct {
	record.Meta
	Name string `dynamo:"n"`
	Tag  string `dynamo:"t,omitempty"`
	In   int64  `dynamo:"i,omitempty"`
	Text string `dynamo:"tx,omitempty"`
}

type note struct {
	record.Meta
	Text string `dynamo:"t"`
}

var (
	boxKind  = kinds.Kind{Code: "zb", Name: "test_box", Label: "Box", Many: "boxes", Unique: []string{"tag"}, Sums: true}
	noteKind = kinds.Kind{Code: "zn", Name: "test_note", Label: "Note", Many: "notes"}
)

func boxes() record.Kind[box] {
	return record.Kind[box]{
		Kind: boxKind, Name: func(b *box) string { return b.Name },
		Shown:  func(b *box) any { return map[string]any{"name": b.Name, "tag": b.Tag, "in": b.In} },
		Unique: func(b *box) []record.Unique { return []record.Unique{{Name: "tag", Value: b.Tag, Field: "tag"}} },
		References: func(b *box) []record.Reference {
			if b.In == 0 {
				return nil
			}
			return []record.Reference{{Field: "in", Kind: "zb", ID: b.In, Hold: true}}
		},
	}
}

func notes() record.Kind[note] { return record.Kind[note]{Kind: noteKind, AppendOnly: true} }

func TestBoxes(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[box]{
		Kind: boxes(), Kinds: []kinds.Kind{boxKind},
		New:    func(n int) *box { return &box{Name: "box", Tag: fmt.Sprint("tag", n)} },
		Change: func(b *box, n int) { b.Tag = fmt.Sprint("other", n, b.ID) },
	})
}

// shelf is a company with boxes, and processes that work on it.
type shelf struct {
	t     testing.TB
	world *tabletest.World
	name  string
	clock time.Time
}

func newShelf(t testing.TB, faults tabletest.Faults) *shelf {
	t.Helper()
	s := &shelf{t: t, clock: recordtest.Start}
	s.world, s.name = tabletest.NewFaulty(t, faults)
	return s
}

// scope is a process's view of the company, on behalf of a request.
func (s *shelf) scope(request string) record.Scope {
	c := table.OpenWith(enginetest.Client(s.t), s.name, boxKind, noteKind)
	return record.Scope{
		Table: table.Of(c, 7), Actor: history.Actor{User: 1, Request: request, At: s.clock}, Now: func() time.Time { return s.clock },
	}
}

func (s *shelf) process(seed uint64) (record.Scope, *tabletest.Client) {
	client, scope := s.world.Client(seed), s.scope(fmt.Sprint("request-", seed))
	scope.Table = table.Of(table.OpenWith(client, s.name, boxKind, noteKind), 7)
	return scope, client
}

func (s *shelf) do(scope record.Scope, decide func(w *record.Work) error) error {
	return scope.Do(s.t.Context(), nil, decide)
}

func (s *shelf) put(b ...*box) {
	s.t.Helper()
	if err := s.do(s.scope("put"), func(w *record.Work) error { boxes().Create(w, "", b...); return nil }); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) check() {
	s.t.Helper()
	for _, problem := range recordtest.Problems(context.Background(), boxes(), s.scope("check")) {
		s.t.Error(problem)
	}
}

func edit(ctx context.Context, w *record.Work, id int64, change func(b *box)) error {
	b, err := boxes().Edit(ctx, w, id)
	if err == nil {
		change(b)
	}
	return err
}

// Two records swap a unique value: what one leaves and the other takes is one
// operation.
func TestValuesMoveWithinAUnitOfWork(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "a"}, &box{Tag: "b"}, &box{Tag: "c"})
	err := s.do(s.scope("swap"), func(w *record.Work) error {
		boxes().Create(w, "", &box{In: 2}) // so that there is something to look up
		return errors.Join(
			edit(t.Context(), w, 1, func(b *box) { b.Tag = "b" }), edit(t.Context(), w, 2, func(b *box) { b.Tag = "a" }), boxes().Remove(t.Context(), w, 3))
	})
	if err != nil {
		t.Fatal(err)
	}
	s.check()
	err = s.do(s.scope("take"), func(w *record.Work) error {
		boxes().Create(w, "", &box{Tag: "c"})
		return nil
	})
	if err != nil {
		t.Errorf("a value that was left: %v", err)
	}
	s.check()
}

// What is wrong stands where it was sent, all of it in one fault.
func TestWhatIsWrongIsSaidAtOnce(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "a"})
	err := s.do(s.scope("bad"), func(w *record.Work) error {
		w.Errors("").Add("name", fault.Required)
		boxes().Create(w, "data.1", &box{Tag: "a", In: 9})
		boxes().Create(w, "data.2", &box{Tag: "x"})
		boxes().Create(w, "data.3", &box{Tag: "x"})
		w.InStep("data", 5)
		return nil
	})
	f, ok := fault.As(err)
	want := `map[data:[map[] map[in:[Invalid pk "9" - object does not exist.] tag:[This field must be unique.]] map[] ` +
		`map[tag:[This field must be unique.]] map[]] name:[This field is required.]]`
	if !ok || fmt.Sprint(f.Fields) != want {
		t.Errorf("got  %v\nwant %s", f.Fields, want)
	}
	b := &box{Tag: "b"}
	s.put(b)
	if b.ID != 2 {
		t.Errorf("what was refused took a number: the next is %d", b.ID)
	}
}

// A number that a lost race left is used by the next try.
func TestNumbersAreKeptFromTryToTry(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	made, tries := &box{}, 0
	err := s.do(s.scope("a"), func(w *record.Work) error {
		tries++
		if err := edit(t.Context(), w, 1, func(b *box) { b.Name += "x" }); err != nil {
			return err
		}
		made = &box{}
		boxes().Create(w, "", made)
		if tries == 1 { // another is faster
			return s.do(s.scope("b"), func(w *record.Work) error { return edit(t.Context(), w, 1, func(b *box) { b.Name = "b" }) })
		}
		return nil
	})
	if err != nil || tries != 2 || made.ID != 2 {
		t.Errorf("%d tries, number %d, %v", tries, made.ID, err)
	}
	b, err := boxes().Get(t.Context(), s.scope("read"), 1)
	if err != nil || b.Name != "bx" {
		t.Errorf("%q, %v: decided on what was not there any more", b.Name, err)
	}
	s.check()
}

// What a decision relies on is as it was when the transaction runs.
func TestRely(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "open"}, &box{})
	tries := 0
	err := s.do(s.scope("a"), func(w *record.Work) error {
		tries++
		lid, err := boxes().Rely(t.Context(), w, 1)
		if err != nil {
			return err
		}
		if lid.Name != "open" {
			return fault.New(fault.Conflict, "It is shut.")
		}
		if err := s.do(s.scope("b"), func(w *record.Work) error { return edit(t.Context(), w, 1, func(b *box) { b.Name = "shut" }) }); err != nil {
			return err
		}
		return edit(t.Context(), w, 2, func(b *box) { b.Name = "put into 1" })
	})
	if f, ok := fault.As(err); !ok || f.Code != fault.Conflict || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

// Whoever is never fast enough is told to come again, and never that anything is
// in the way.
func TestLastingContentionIsUnavailable(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	n := 0
	err := s.do(s.scope("slow"), func(w *record.Work) error {
		if err := edit(t.Context(), w, 1, func(b *box) { b.Name = "slow" }); err != nil {
			return err
		}
		n++
		return s.do(s.scope(fmt.Sprint("fast", n)), func(w *record.Work) error {
			return edit(t.Context(), w, 1, func(b *box) { b.Name = fmt.Sprint("fast", n) })
		})
	})
	if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable || f.RetryAfter <= 0 || n < 5 {
		t.Errorf("%d tries, %v", n, err)
	}
	s.check()
}

// A clock that is behind does not take a record back in time.
func TestClocksThatAreBehind(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	s.clock = s.clock.Add(-time.Minute)
	if err := s.do(s.scope("late"), func(w *record.Work) error { return edit(t.Context(), w, 1, func(b *box) { b.Name = "a" }) }); err != nil {
		t.Fatal(err)
	}
	b, err := boxes().Get(t.Context(), s.scope("read"), 1)
	if err != nil || b.Updated != recordtest.Start.UnixMicro() || b.Created != b.Updated {
		t.Errorf("changed at %s, made at %s, %v", b.UpdatedAt(), b.CreatedAt(), err)
	}
}

// What does not fit a transaction is refused before it is sent.
func TestTooMuchForOneTransaction(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	scope, client := s.process(1)
	for name, fill := range map[string]func(w *record.Work){
		"too many": func(w *record.Work) {
			for n := range 34 {
				boxes().Create(w, "", &box{Tag: fmt.Sprint(n)})
			}
		},
		"too large": func(w *record.Work) {
			for range 14 {
				boxes().Create(w, "", &box{Text: strings.Repeat("x", 380<<10)})
			}
		},
	} {
		err := s.do(scope, func(w *record.Work) error { fill(w); return nil })
		if !errors.Is(err, table.ErrTooLarge) || client.Calls()["TransactWriteItems"] != 0 {
			t.Errorf("%s: %v, %v", name, err, client.Calls())
		}
	}
	err := s.do(scope, func(w *record.Work) error {
		for n := range 33 {
			boxes().Create(w, "", &box{Tag: fmt.Sprint(n)})
		}
		return nil
	})
	if err != nil {
		t.Errorf("what just fits: %v", err)
	}
	s.check()
}

// A unit of work that could not be found to have happened is a mistake, which
// shows before anything is written.
func TestEveryUnitOfWorkCanBeProven(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	scope, client := s.process(1)
	err := s.do(scope, func(w *record.Work) error {
		boxes().Add(w, 1, record.Sum{Name: "a", By: money.Whole(1)})
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "could not be found to have happened") || client.Writes() != 0 {
		t.Errorf("%v, %v", err, client.Calls())
	}
	// A record that only this request can have appended is proof.
	for _, happen := range []bool{true, false} {
		scope, client = s.process(2)
		scope.Actor.Request = fmt.Sprint("deaf", happen)
		client.Deafen(happen)
		err = s.do(scope, func(w *record.Work) error {
			notes().Create(w, "", &note{Text: "a"})
			boxes().Add(w, 1, record.Sum{Name: "a", By: money.Whole(1)})
			return nil
		})
		if (err == nil) != happen {
			t.Errorf("appended: %v, told: %v", happen, err)
		}
	}
	if sums, err := boxes().Sums(t.Context(), s.scope("read").Reading(), 1); err != nil || fmt.Sprint(sums) != "map[a:1.00]" {
		t.Errorf("%v, %v", sums, err)
	}
	if _, err := notes().Edit(t.Context(), s.scope("edit").Reading(), 1); err == nil {
		t.Error("a record that is only appended was changed")
	}
}

// Sixteen who add to one sum lose nothing, and none takes what is not there.
func TestSumsUnderContention(t *testing.T) {
	s := newShelf(t, tabletest.Locks())
	s.put(&box{}, &box{}) // the second only makes revisions
	none, refused := money.Amount{}, fault.New(fault.Conflict, "There is no more.")
	var taken, failed atomic.Int64
	fill := s.scope("fill")
	if err := s.do(fill, func(w *record.Work) error {
		notes().Create(w, "", &note{})
		boxes().Add(w, 1, record.Sum{Name: "a", By: money.Whole(7)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for n := range 16 {
		scope, _ := s.process(uint64(n))
		wait.Go(func() {
			err := s.do(scope, func(w *record.Work) error {
				notes().Create(w, "", &note{})
				// Two additions of one unit of work are one.
				boxes().Add(w, 1, record.Sum{Name: "a", By: money.Whole(-3), Least: &none, Refused: refused}, record.Sum{Name: "b", By: money.Whole(1)})
				boxes().Add(w, 1, record.Sum{Name: "a", By: money.Whole(2)})
				return nil
			})
			switch {
			case err == nil:
				taken.Add(1)
			case errors.Is(err, refused):
				failed.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	sums, err := boxes().Sums(t.Context(), s.scope("read").Reading(), 1)
	if err != nil || taken.Load() != 7 || failed.Load() != 9 || fmt.Sprint(sums) != "map[a:0.00 b:7.00]" {
		t.Errorf("%d have taken, %d were refused, %v, %v", taken.Load(), failed.Load(), sums, err)
	}
}

// Nothing goes that is held, and nothing holds what is gone, whoever is faster.
func TestHoldsAndEnds(t *testing.T) {
	s := newShelf(t, tabletest.Locks())
	for round := range 20 {
		outer := &box{}
		s.put(outer)
		var made, removed error
		var wait sync.WaitGroup
		a, _ := s.process(uint64(2 * round))
		b, _ := s.process(uint64(2*round + 1))
		inner := &box{In: outer.ID}
		wait.Go(func() {
			made = s.do(a, func(w *record.Work) error {
				inner = &box{In: outer.ID}
				boxes().Create(w, "", inner)
				return nil
			})
		})
		wait.Go(func() {
			removed = s.do(b, func(w *record.Work) error { return boxes().Remove(t.Context(), w, outer.ID) })
		})
		wait.Wait()
		f, _ := fault.As(errors.Join(made, removed))
		if (made == nil) == (removed == nil) || f == nil {
			t.Fatalf("round %d: made %v, removed %v", round, made, removed)
		}
		if removed == nil {
			if fmt.Sprint(f.Fields) != fmt.Sprintf(`map[in:[Invalid pk "%d" - object does not exist.]]`, outer.ID) {
				t.Errorf("what holds what is gone: %v", made)
			}
			continue
		}
		if f.Code != fault.Conflict || fmt.Sprint(f.Members["held_by"]) != "map[test_box:1]" {
			t.Errorf("what is held: %v, %v", removed, f.Members)
		}
		// Let go, it can go; both at once, too.
		if err := s.do(s.scope("end"), func(w *record.Work) error {
			return errors.Join(boxes().Remove(t.Context(), w, inner.ID), boxes().Remove(t.Context(), w, outer.ID))
		}); err != nil {
			t.Errorf("both at once: %v", err)
		}
	}
	s.check()
}

// A record of another version than its readers know is not guessed at.
func TestVersions(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	scope := s.scope("read")
	for v, readable := range map[int]bool{0: true, 1: true, 2: false} {
		u := scope.Table.Update(boxes().Key(scope.Table, 1)).Set("v", v)
		if err := u.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := boxes().Get(t.Context(), scope, 1); (err == nil) != readable {
			t.Errorf("version %d: %v", v, err)
		}
	}
}
