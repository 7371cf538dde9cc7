package record_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// Sixteen who add to one sum lose nothing, and none takes what is not there.
func TestSumsUnderContention(t *testing.T) {
	s := newShelf(t, tabletest.Locks())
	s.put(&box{}, &box{}) // the second only makes revisions
	none, refused := money.Amount{}, fault.New(fault.Conflict, "There is no more.")
	var taken, failed atomic.Int64
	fill := s.scope("fill")
	if err := s.do(fill, func(w *record.Work) error {
		notes().Create(w, "", &note{})
		return add(t.Context(), w, 1, record.Addition{Name: "a", By: money.Whole(7)})
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
				return errors.Join(
					add(t.Context(), w, 1, record.Addition{Name: "a", By: money.Whole(-3), Least: &none, Refused: refused}, record.Addition{Name: "b", By: money.Whole(1)}),
					add(t.Context(), w, 1, record.Addition{Name: "a", By: money.Whole(2)}))
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

// A held record can't be removed, and a removed record can't be held, whichever request is
// faster.
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
	}
	s.check()
}

// How many records hold another one can be shown.
func TestHolders(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{}, &box{})
	s.put(&box{In: 1}, &box{In: 1})
	for id, want := range map[int64]string{1: "map[test_box:2]", 2: "map[]"} {
		if by, err := boxes().Holders(t.Context(), s.scope("read").Reading(), id); err != nil || fmt.Sprint(by) != want {
			t.Errorf("%d is held by %v, %v", id, by, err)
		}
	}
}

// Limits are checked against the number as it is at the time of the write, also if there is no
// number yet.
func TestBoundsOfSums(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{}, &box{})
	refused := fault.New(fault.Conflict, "no")
	try := func(id int64, sum record.Addition) error {
		sum.Name, sum.Refused = "a", refused
		return s.do(s.scope("add"), func(w *record.Work) error {
			notes().Create(w, "", &note{})
			return add(t.Context(), w, id, sum)
		})
	}
	amount := func(n int64) *money.Amount { a := money.Whole(n); return &a }
	most := money.Most()
	for _, tt := range []struct {
		name string
		id   int64
		sum  record.Addition
		want error
	}{
		{"below an overdraft, of nothing", 1, record.Addition{By: money.Whole(-101), Least: amount(-100)}, refused},
		{"an overdraft, of nothing", 1, record.Addition{By: money.Whole(-50), Least: amount(-100)}, nil},
		{"up to it", 1, record.Addition{By: money.Whole(-50), Least: amount(-100)}, nil},
		{"below it", 1, record.Addition{By: money.Whole(-1), Least: amount(-100)}, refused},
		{"up, though still below a least", 1, record.Addition{By: money.Whole(1), Least: amount(0)}, nil},
		{"above a most, of nothing", 2, record.Addition{By: money.Whole(6), Most: amount(5)}, refused},
		{"up to a most", 2, record.Addition{By: money.Whole(5), Most: amount(5)}, nil},
		{"above it", 2, record.Addition{By: money.Whole(1), Most: amount(5)}, refused},
		{"down, though still above a most", 2, record.Addition{By: money.Whole(-1), Most: amount(3)}, nil},
		{"to no amount", 2, record.Addition{By: most}, nil},
	} {
		err := try(tt.id, tt.sum)
		if f, ok := fault.As(err); tt.name == "to no amount" {
			if !ok || f.Code != fault.Conflict || f.Members["code"] != "sum_too_large" {
				t.Errorf("%s: %v", tt.name, err)
			}
		} else if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for id, want := range map[int64]string{1: "map[a:-99.00]", 2: "map[a:4.00]"} {
		if sums, err := boxes().Sums(t.Context(), s.scope("read").Reading(), id); err != nil || fmt.Sprint(sums) != want {
			t.Errorf("%d has %v, %v", id, sums, err)
		}
	}
}

// The sums beside all records are one call, and nothing is read again.
func TestAllSums(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{}, &box{}, &box{})
	for id := range int64(2) {
		if err := s.do(s.scope("add"), func(w *record.Work) error {
			notes().Create(w, "", &note{})
			return add(t.Context(), w, id+1, record.Addition{Name: "a", By: money.Whole(id + 7)})
		}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, m := meter.Start(t.Context())
	w := s.scope("read").Reading()
	err := boxes().LoadSums(ctx, w, 1, 2, 3)
	for id, want := range map[int64]string{1: "map[a:7.00]", 2: "map[a:8.00]", 3: "map[]"} {
		if sums, sumErr := boxes().Sums(ctx, w, id); fmt.Sprint(sums) != want || err != nil || sumErr != nil {
			t.Errorf("%d has %v, %v, %v", id, sums, err, sumErr)
		}
	}
	if m.Usage().Calls != 1 {
		t.Errorf("%d calls", m.Usage().Calls)
	}
}

// A wrong use of sums in our code is reported before anything is written.
func TestMistakenSums(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	least := money.Amount{}
	for name, do := range map[string]func(w *record.Work) error{
		"of a name that is not registered": func(w *record.Work) error {
			return add(t.Context(), w, 1, record.Addition{Name: "v", By: money.Whole(1)})
		},
		"bounded, without a fault": func(w *record.Work) error {
			return add(t.Context(), w, 1, record.Addition{Name: "a", By: money.Whole(1), Least: &least})
		},
		"of a kind without sums": func(w *record.Work) error {
			notes().AddToSums(w, 1, record.Addition{Name: "a", By: money.Whole(1)})
			return nil
		},
		"beside what nobody has read": func(w *record.Work) error {
			boxes().AddToSums(w, 99, record.Addition{Name: "a", By: money.Whole(1)})
			return nil
		},
	} {
		scope, client := s.process(1)
		err := s.do(scope, func(w *record.Work) error {
			notes().Create(w, "", &note{})
			return do(w)
		})
		if _, told := fault.As(err); err == nil || told || client.Calls()["TransactWriteItems"] != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A sum beside a record that goes at the same time is decided anew, on what is true
// then.
func TestAddingBesideWhatGoes(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	tries := 0
	err := s.do(s.scope("add"), func(w *record.Work) error {
		tries++
		notes().Create(w, "", &note{})
		if err := add(t.Context(), w, 1, record.Addition{Name: "a", By: money.Whole(1)}); err != nil {
			return err
		}
		return s.do(s.scope("end"), func(w *record.Work) error { return boxes().Remove(t.Context(), w, 1) })
	})
	if !errors.Is(err, fault.ErrNotFound) || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
	s.check()
}

// One unit of work can release a held record and remove it.
func TestHoldsThatEndWithWhatTheyHold(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(w *record.Work) error
		held string
	}{
		"its last holder goes": {do: func(w *record.Work) error {
			return errors.Join(boxes().Remove(t.Context(), w, 3), boxes().Remove(t.Context(), w, 1))
		}},
		"its last holder holds another": {do: func(w *record.Work) error {
			return errors.Join(edit(t.Context(), w, 3, func(b *box) { b.In = 2 }), boxes().Remove(t.Context(), w, 1))
		}},
		"one of two holders goes": {held: "map[test_box:1]", do: func(w *record.Work) error {
			return errors.Join(boxes().Remove(t.Context(), w, 4), boxes().Remove(t.Context(), w, 5))
		}},
		"another holds it in its last moment": {held: "map[test_box:1]", do: func(w *record.Work) error {
			boxes().Create(w, "", &box{In: 6})
			return errors.Join(w.Number(t.Context()), boxes().Remove(t.Context(), w, 6))
		}},
		"it holds itself": {do: func(w *record.Work) error { return boxes().Remove(t.Context(), w, 7) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, tabletest.Faults{})
			s.put(&box{}, &box{})
			s.put(&box{In: 1}, &box{})
			s.put(&box{In: 4}, &box{}, &box{})
			s.put(&box{In: 4})
			if err := s.do(s.scope("itself"), func(w *record.Work) error { return edit(t.Context(), w, 7, func(b *box) { b.In = 7 }) }); err != nil {
				t.Fatal(err)
			}
			err := s.do(s.scope("end"), tt.do)
			if f, ok := fault.As(err); (tt.held == "") != (err == nil) || ok && fmt.Sprint(f.Members["held_by"]) != tt.held {
				t.Errorf("%v %+v", err, f)
			}
			s.check()
		})
	}
}
