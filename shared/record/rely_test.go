package record_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A record that a decision relies on is unchanged when the transaction runs: where another
// request changed it meanwhile, the decision is made anew.
func TestRely(t *testing.T) {
	nothing := func(context.Context, *record.Work) error { return nil }
	rename := func(id int64, name string) func(ctx context.Context, w *record.Work) error {
		return func(ctx context.Context, w *record.Work) error {
			return edit(ctx, w, id, func(b *box) { b.Name = name })
		}
	}
	for _, tt := range []struct {
		name      string
		meanwhile func(ctx context.Context, w *record.Work) error // what another request does after the first read
		also      func(ctx context.Context, w *record.Work) error // what the decision does to the record it relies on
		tries     int
		conflict  bool
	}{
		{"nobody changes it", nothing, nothing, 1, false},
		{"another changes it", rename(1, "shut"), nothing, 2, true},
		{"another changes it, and it is edited without a change", rename(1, "shut"), rename(1, "open"), 2, true},
		{"another changes a third one", rename(3, "shut"), nothing, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf(t, tabletest.Faults{})
			s.put(&box{Name: "open"}, &box{}, &box{})
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
				return errors.Join(
					s.do(s.scope("b"), func(w *record.Work) error { return tt.meanwhile(t.Context(), w) }),
					tt.also(t.Context(), w),
					edit(t.Context(), w, 2, func(b *box) { b.Name = "put into 1" }),
				)
			})
			f, ok := fault.As(err)
			if conflict := ok && f.Code == fault.Conflict; conflict != tt.conflict || err != nil && !conflict || tries != tt.tries {
				t.Errorf("%d tries, %v", tries, err)
			}
			b, err := boxes().Get(t.Context(), s.scope("read"), 2)
			if err != nil || (b.Name == "put into 1") == tt.conflict {
				t.Errorf("box 2 is %q, %v", b.Name, err)
			}
			s.check()
		})
	}
}

// A change to a record that is relied on but not edited would be lost: it is a mistake that shows.
func TestChangeOfWhatIsOnlyReliedOn(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	err := s.do(s.scope("a"), func(w *record.Work) error {
		b, err := boxes().Rely(t.Context(), w, 1)
		if err == nil {
			b.Name = "lost"
		}
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "only relied on") {
		t.Errorf("changed what it relies on: %v", err)
	}
}

// A number that a lost race left is used by the next try.
func TestNumbersAreKeptFromTryToTry(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	made, tries := &box{}, 0
	err := s.do(s.scope("a"), func(w *record.Work) error {
		tries++
		if w.Try() != tries {
			t.Errorf("try %d calls itself %d", tries, w.Try())
		}
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

// Ids that were reserved before are used first, by each try anew; where they are too few, more are reserved.
func TestNumbersThatWereReserved(t *testing.T) {
	for _, tt := range []struct {
		boxes, reservations int
		want                string
	}{{1, 0, "[1]"}, {2, 0, "[1 2]"}, {3, 1, "[1 2 3]"}} {
		t.Run(fmt.Sprint(tt.boxes), func(t *testing.T) {
			s := newShelf(t, tabletest.Faults{})
			scope, client := s.process(1)
			k := boxes().Kind.Code
			first, err := scope.Listing(k).Reserve(t.Context(), 2)
			if err != nil {
				t.Fatal(err)
			}
			scope.Numbers = map[kinds.Code][]int64{k: {first, first + 1}}
			before, ids := client.Calls()["UpdateItem"], []int64(nil)
			err = s.do(scope, func(w *record.Work) error {
				ids = nil
				made := make([]*box, tt.boxes)
				for i := range made {
					made[i] = &box{}
				}
				boxes().Create(w, "", made...)
				if err := w.Number(t.Context()); err != nil {
					return err
				}
				for _, b := range made {
					ids = append(ids, b.ID)
				}
				if w.Try() == 1 {
					return table.ErrRevision
				}
				return nil
			})
			if err != nil || fmt.Sprint(ids) != tt.want || client.Calls()["UpdateItem"]-before != tt.reservations {
				t.Errorf("%v, %d more reservations, %v", ids, client.Calls()["UpdateItem"]-before, err)
			}
			s.check()
		})
	}
}

// What a decision needs next is read in the call that checks what it has done so far.
func TestCheckReadsWhatIsNeededNext(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "outer"}, &box{Name: "other"})
	scope, client := s.process(1)
	err := s.do(scope, func(w *record.Work) error {
		other := boxes().Key(w.Scope().Table, 2)
		boxes().Create(w, "", &box{Name: "inner", In: 1})
		if err := w.Check(t.Context(), other); err != nil {
			return err
		}
		item, err := w.Item(t.Context(), other)
		if calls := client.Calls(); calls["BatchGetItem"] != 1 || calls["GetItem"] != 0 || item.Text("n") != "other" {
			t.Errorf("the calls %v read %v", calls, item)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	s.check()
}

// A request that loses every race is told to try again, and never that something is wrong with
// it.
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

// A clock that is behind does not take a record back in time: each change is later than the one before.
func TestClocksThatAreBehind(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	s.clock = s.clock.Add(-time.Minute)
	if err := s.do(
		s.scope("late"), func(w *record.Work) error { return edit(t.Context(), w, 1, func(b *box) { b.Name = "a" }) },
	); err != nil {
		t.Fatal(err)
	}
	b, err := boxes().Get(t.Context(), s.scope("read"), 1)
	if err != nil || b.Updated != moment.Of(recordtest.Start)+1 || b.Created != moment.Of(recordtest.Start) {
		t.Errorf("changed at %s, made at %s, %v", b.UpdatedAt(), b.CreatedAt(), err)
	}
}
