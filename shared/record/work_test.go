package record_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A unit of work that could not be found to have happened is a mistake, which
// shows before anything is written.
func TestEveryUnitOfWorkCanBeProven(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	scope, client := s.process(1)
	err := s.do(scope, func(w *record.Work) error {
		return add(t.Context(), w, 1, record.Addition{Name: "a", By: money.Whole(1)})
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
			return add(t.Context(), w, 1, record.Addition{Name: "a", By: money.Whole(1)})
		})
		if (err == nil) != happen {
			t.Errorf("appended: %v, told: %v", happen, err)
		}
	}
	// So are entries that are as they were set, or gone as they were removed.
	for _, happen := range []bool{true, false, true, false} {
		entries := func() int {
			has, err := boxes().Entries(t.Context(), s.scope("read").Reading(), 1)
			if err != nil {
				t.Fatal(err)
			}
			return len(has)
		}
		had := entries()
		client.Deafen(happen)
		err = s.do(scope, func(w *record.Work) error {
			if _, err := boxes().Read(t.Context(), w, 1); err != nil {
				return err
			}
			if had > 0 {
				return boxes().RemoveEntry(t.Context(), w, 1, 15)
			}
			return boxes().SetEntry(t.Context(), w, 1, 15, record.Entry{At: 7, Amount: money.Whole(2)}, errFull)
		})
		if has := entries(); (err == nil) != happen || (has != had) != happen {
			t.Errorf("%d entries became %d: %v, told: %v", had, has, happen, err)
		}
	}
	// So is a message, of which each attempt leaves another.
	for _, happen := range []bool{true, false} {
		client.Deafen(happen)
		err = s.do(scope, func(w *record.Work) error {
			if _, err := w.SendAt("record.test", happen, s.clock.Add(time.Minute)); err != nil {
				return err
			}
			return add(t.Context(), w, 1, record.Addition{Name: "a", By: money.Whole(1)})
		})
		if (err == nil) != happen {
			t.Errorf("sent: %v, told: %v", happen, err)
		}
	}
	if sums, err := boxes().Sums(t.Context(), s.scope("read").Reading(), 1); err != nil || fmt.Sprint(sums) != "map[a:2.00]" {
		t.Errorf("%v, %v", sums, err)
	}
	if _, err := notes().Edit(t.Context(), s.scope("edit").Reading(), 1); err == nil {
		t.Error("a record that is only appended was changed")
	}
}

// A record that was edited before it goes is archived as it was: nothing tells of the
// edit.
func TestEditedAndThenRemoved(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "a", Tag: "t"})
	err := s.do(s.scope("end"), func(w *record.Work) error {
		return errors.Join(edit(t.Context(), w, 1, func(b *box) { b.Name, b.Tag = "b", "u" }), boxes().Remove(t.Context(), w, 1))
	})
	var b box
	sc := s.scope("read")
	if gone := sc.Table.Get(t.Context(), sc.Table.Archive("zb", 1), &b); err != nil || gone != nil || b.Name != "a" || b.Tag != "t" {
		t.Errorf("%v, %v, archived %+v", err, gone, b)
	}
	s.check()
}

// Two Go types for one record within a unit of work would write it twice.
func TestTwoTypesOfOneRecord(t *testing.T) {
	type other struct {
		record.Meta
		Name string `dynamo:"n"`
	}
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	others := &record.Kind[*other]{Kind: boxKind}
	err := s.do(s.scope("a"), func(w *record.Work) error {
		if err := edit(t.Context(), w, 1, func(b *box) { b.Name = "b" }); err != nil {
			return err
		}
		_, err := others.Edit(t.Context(), w, 1)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "is there as a") {
		t.Errorf("%v", err)
	}
	// And a kind that shows nothing would have an empty history.
	err = s.do(s.scope("b"), func(w *record.Work) error {
		o, err := others.Edit(t.Context(), w, 1)
		if err == nil {
			o.Name = "c"
		}
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "shows nothing") {
		t.Errorf("%v", err)
	}
}

// A message alone needs no proof, and whoever carries it out leaves it no more.
func TestArm(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	scope := s.scope("a")
	armed := func(request string) bool {
		t.Helper()
		scope.Actor.Request = request
		if err := s.do(scope, func(w *record.Work) error { w.Arm("record.test", "1"); return nil }); err != nil {
			t.Fatal(err)
		}
		k := scope.Table.Message("k#record.test#1")
		err := scope.Table.Get(t.Context(), k, &outbox.Message{})
		if err == nil {
			err = scope.Table.Delete(k).Run(t.Context())
		}
		if err != nil && !errors.Is(err, table.ErrNotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	if !armed("a") || armed("k#record.test#1") || !armed("k#record.test#2") {
		t.Error("a message is armed by whoever carries it out, or by nobody")
	}
}

// Numbers of a decision's own rise, and a further attempt gets the same ones again.
func TestNext(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	var got []int64
	for attempts := range 2 {
		failed := false
		err := s.do(s.scope("a"), func(w *record.Work) error {
			for range 2 {
				n, err := w.Next(t.Context(), "zn")
				if err != nil {
					return err
				}
				got = append(got, n)
			}
			if attempts == 1 && !failed {
				failed = true
				return table.ErrRevision
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(got) != "[1 2 3 4 3 4]" {
		t.Errorf("%v", got)
	}
}

// What is left for the end knows the ids, and does not run if anything is wrong.
func TestFinally(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "a"})
	ran := 0
	for _, in := range []int64{99, 1} {
		err := s.do(s.scope("one"), func(w *record.Work) error {
			b := &box{In: in}
			w.Finally(func(ctx context.Context) error {
				n, err := w.Next(ctx, "zn")
				b.Text, ran = fmt.Sprint(b.ID, n), ran+1
				return err
			})
			boxes().Create(w, "", b)
			return nil
		})
		if (err == nil) != (in == 1) {
			t.Errorf("%d: %v", in, err)
		}
	}
	b, err := boxes().Get(t.Context(), s.scope("read"), 2)
	if err != nil || ran != 1 || b.Text != "2 1" {
		t.Errorf("%v, ran %d times: %+v", err, ran, b)
	}
	failed := errors.New("no")
	err = s.do(s.scope("one"), func(w *record.Work) error {
		w.Finally(func(context.Context) error { return failed })
		return edit(t.Context(), w, 1, func(b *box) { b.Tag = "c" })
	})
	if b, getErr := boxes().Get(t.Context(), s.scope("read"), 1); !errors.Is(err, failed) || getErr != nil || b.Tag != "a" {
		t.Errorf("%v, %v, %+v", err, getErr, b)
	}
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
