package record_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

func TestBoxes(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*box]{
		Kind: boxes(), Kinds: []kinds.Kind{boxKind},
		New:    func(n int) *box { return &box{Name: "box", Tag: fmt.Sprint("tag", n)} },
		Change: func(b *box, n int) { b.Tag = fmt.Sprint("other", n, b.ID) },
	})
}

// Two records swap a unique value: what one leaves and the other takes is one
// operation.
func TestValuesMoveWithinAUnitOfWork(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "a"}, &box{Tag: "b"}, &box{Tag: "c"})
	err := s.do(s.scope("swap"), func(w *record.Work) error {
		boxes().Create(w, "", &box{In: 2}) // so that there is something to look up
		return errors.Join(
			edit(t.Context(), w, 1, func(b *box) { b.Tag = "b" }),
			edit(t.Context(), w, 2, func(b *box) { b.Tag = "a" }),
			boxes().Remove(t.Context(), w, 3),
		)
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

// A value has one owner, whenever in a decision its records get it.
func TestOneOwnerWithinAUnitOfWork(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "z"})
	err := s.do(s.scope("a"), func(w *record.Work) error {
		b, err := boxes().Edit(t.Context(), w, 1)
		if err != nil {
			return err
		}
		boxes().Create(w, "data", &box{Tag: "x"})
		if err := w.Number(t.Context()); err != nil {
			return err
		}
		b.Tag = "x"
		return nil
	})
	if f, ok := fault.As(err); !ok || fmt.Sprint(f.Fields) != "map[data:map[tag:[This field must be unique.]]]" {
		t.Errorf("%v", err)
	}
	s.check()
}

// A value that is released after ids were given out is free, at the first try and after a lost
// race.
func TestAValueIsFreeAtTheEnd(t *testing.T) {
	for _, race := range []bool{false, true} {
		s := newShelf(t, tabletest.Faults{})
		s.put(&box{Tag: "t"}, &box{})
		tries := 0
		err := s.do(s.scope("a"), func(w *record.Work) error {
			tries++
			boxes().Create(w, "", &box{Tag: "t", In: 2})
			if err := w.Number(t.Context()); err != nil {
				return err
			}
			if err := edit(t.Context(), w, 2, func(b *box) { b.Name += "x" }); err != nil {
				return err
			}
			if race && tries == 1 {
				if err := s.do(
					s.scope("b"), func(w *record.Work) error { return edit(t.Context(), w, 2, func(b *box) { b.Name = "y" }) },
				); err != nil {
					return err
				}
			}
			return boxes().Remove(t.Context(), w, 1)
		})
		if err != nil || (tries == 2) != race {
			t.Errorf("%d tries, %v", tries, err)
		}
		s.check()
	}
}

// The limit on the number of records is checked when everything is decided.
func TestMost(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	k := boxes()
	k.Most = 2
	err := s.do(s.scope("a"), func(w *record.Work) error {
		for range 3 {
			k.Create(w, "", &box{})
			if err := w.Number(t.Context()); err != nil {
				return err
			}
		}
		return nil
	})
	if f, ok := fault.As(err); !ok || fmt.Sprint(f.Fields) != "map[non_field_errors:[There can be at most 2 boxes.]]" {
		t.Errorf("three of two: %v", err)
	}
	s.put(&box{}, &box{})
	err = s.do(s.scope("b"), func(w *record.Work) error {
		k.Create(w, "", &box{})
		return k.Remove(t.Context(), w, 4)
	})
	if err != nil {
		t.Errorf("one for another: %v", err)
	}
	s.check()
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
		for n := range 32 {
			boxes().Create(w, "", &box{Tag: fmt.Sprint(n)})
		}
		// Three operations each, the counters and the events: these make a hundred.
		return errors.Join(w.Send("box.full", nil), w.Send("box.full", nil))
	})
	if err != nil {
		t.Errorf("what just fits: %v", err)
	}
	s.check()
}

// A rehearsal refuses what a unit of work would refuse, also a unique value that is taken, and
// writes nothing.
func TestRehearse(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "a"})
	for tag, want := range map[string]string{"b": "", "a": "tag: This field must be unique."} {
		err := s.scope("r").Rehearse(t.Context(), func(w *record.Work) error {
			boxes().Create(w, "", &box{Tag: tag})
			return nil
		})
		is := ""
		if f, ok := fault.As(err); ok {
			is = fmt.Sprint(f.Fields)
		} else if err != nil {
			t.Fatal(err)
		}
		if (is == "") != (want == "") || want != "" && !strings.Contains(is, say.NotUnique.Error()) {
			t.Errorf("%s: %q, want %q", tag, is, want)
		}
	}
	if n, err := s.scope("n").Listing(boxKind.Code).CountNow(t.Context()); err != nil || n != 1 {
		t.Errorf("%d boxes, %v", n, err)
	}
	s.check()
}

// A trial refuses what a unit of work would refuse, gives new records numbers for the time being, and writes nothing.
func TestTrial(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "a"})
	var ids []int64
	finally := false
	err := s.scope("r").Trial(t.Context(), func(w *record.Work) error {
		a, b := &box{Tag: "b"}, &box{Tag: "c"}
		boxes().Create(w, "", a, b)
		was, err := boxes().Edit(t.Context(), w, 1)
		if err != nil {
			return err
		}
		was.Tag = "d"
		w.Finally(func(context.Context) error { finally = true; return nil })
		if err := errors.Join(w.Number(t.Context()), w.Send("box.full", nil)); err != nil {
			return err
		}
		next, err := w.Next(t.Context(), boxKind.Code)
		if is, err := boxes().Read(t.Context(), w, a.ID); err != nil || is.Tag != "b" {
			t.Errorf("%v, %v", is, err)
		}
		ids = append(ids, a.ID, b.ID, next)
		return err
	})
	if err != nil || !finally || len(ids) != 3 || ids[0] == ids[1] || ids[1] == ids[2] || slices.Min(ids) < table.MaxID-2 {
		t.Errorf("%v: %v, finally %v", err, ids, finally)
	}
	err = s.scope("r").Trial(t.Context(), func(w *record.Work) error {
		boxes().Create(w, "", &box{Tag: "a"})
		return nil
	})
	if f, ok := fault.As(err); !ok || !f.Fields.Has("tag") {
		t.Errorf("a value that is taken: %v", err)
	}
	err = s.scope("r").Trial(t.Context(), func(w *record.Work) error {
		return w.Beforehand("a letter", func() error { t.Error("it was sent"); return nil })
	})
	if err == nil {
		t.Error("a trial does what can't be taken back")
	}
	if n, err := s.scope("n").Listing(boxKind.Code).CountNow(t.Context()); err != nil || n != 1 {
		t.Errorf("%d boxes, %v", n, err)
	}
	if is, err := boxes().Get(t.Context(), s.scope("g"), 1); err != nil || is.Tag != "a" {
		t.Errorf("%v, %v", is, err)
	}
	s.put(&box{Tag: "e"})
	if is, err := boxes().Get(t.Context(), s.scope("g"), 2); err != nil || is.Tag != "e" {
		t.Errorf("a number was used up: %v, %v", is, err)
	}
	s.check()
}
