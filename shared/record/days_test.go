package record_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var errFull = fault.New(fault.Invalid, "There is no room.")

// book books an amount beside a box on a day, once.
func (s *shelf) book(scope record.Scope, id int64, day string, amount int64) error {
	return s.do(scope, func(w *record.Work) error {
		notes().Create(w, "", &note{})
		if _, err := boxes().Read(s.t.Context(), w, id); err != nil {
			return err
		}
		boxes().Book(w, id, record.Day{Date: decode.Date(day), Count: 1, Sum: money.Whole(amount), Check: 10, Most: 20, Full: errFull})
		return nil
	})
}

func (s *shelf) days(id int64, from, to string) (text string) {
	s.t.Helper()
	list, err := boxes().Days(s.t.Context(), s.scope("read"), id, decode.Date(from), decode.Date(to))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, d := range list {
		text += fmt.Sprintf("%s %d %s %d;", d.Date, d.Count, d.Sum, d.Check)
	}
	return text
}

// What is booked at once on one day is all there, up to what a day holds.
func TestDaysUnderContention(t *testing.T) {
	s := newShelf(t, tabletest.Locks())
	s.put(&box{})
	var booked, full atomic.Int64
	var wait sync.WaitGroup
	for n := range 8 {
		scope, _ := s.process(uint64(n))
		wait.Go(func() {
			for i := range 3 {
				scope.Actor.Request = fmt.Sprintf("book-%d-%d", n, i)
				switch err := s.book(scope, 1, "2026-03-31", 2); {
				case err == nil:
					booked.Add(1)
				case errors.Is(err, errFull):
					full.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got := s.days(1, "2026-01-01", "2026-12-31"); got != "2026-03-31 20 40.00 200;" || booked.Load() != 20 || full.Load() != 4 {
		t.Errorf("%d booked, %d refused, and there is %s", booked.Load(), full.Load(), got)
	}
}

// Days are read in their order, across months and years; years are summed up; and a unit of work
// that takes from one day and adds to another is one operation for each month.
func TestDays(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{}, &box{})
	for _, day := range []string{"2026-03-02", "2026-03-31", "2026-02-28", "2025-12-31", "2026-03-02"} {
		if err := s.book(s.scope("book"), 1, day, 5); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ from, to, want string }{
		{"2025-01-01", "2027-01-01", "2025-12-31 1 5.00 10;2026-02-28 1 5.00 10;2026-03-02 2 10.00 20;2026-03-31 1 5.00 10;"},
		{"2026-02-28", "2026-03-02", "2026-02-28 1 5.00 10;2026-03-02 2 10.00 20;"},
		{"2026-03-03", "2026-03-30", ""},
	} {
		if got := s.days(1, tt.from, tt.to); got != tt.want {
			t.Errorf("from %s to %s: %s", tt.from, tt.to, got)
		}
	}
	err := s.do(s.scope("move"), func(w *record.Work) error {
		notes().Create(w, "", &note{})
		_, err := boxes().Read(t.Context(), w, 1)
		boxes().Book(w, 1, record.Day{Date: "2026-03-02", Count: -1, Sum: money.Whole(-5), Check: -10})
		boxes().Book(w, 1, record.Day{Date: "2025-12-31", Count: 1, Sum: money.Whole(7), Check: 10, Most: 20, Full: errFull})
		boxes().Book(w, 1, record.Day{Date: "2026-02-28", Count: -1, Sum: money.Whole(-5), Check: -10})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.days(1, "2025-01-01", "2027-01-01"); got != "2025-12-31 2 12.00 20;2026-03-02 1 5.00 10;2026-03-31 1 5.00 10;" {
		t.Error(got)
	}
	years, err := boxes().Years(t.Context(), s.scope("read").Reading(), 1)
	if err != nil || fmt.Sprint(years) != "map[2025:12.00 2026:10.00]" {
		t.Errorf("%v, %v", years, err)
	}
	if got := s.days(2, "2025-01-01", "2027-01-01"); got != "" {
		t.Errorf("beside another: %s", got)
	}
}

// Nothing is booked beside a record that goes at the same time.
func TestBookingBesideWhatGoes(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	err := s.do(s.scope("book"), func(w *record.Work) error {
		notes().Create(w, "", &note{})
		if _, err := boxes().Read(t.Context(), w, 1); err != nil {
			return err
		}
		boxes().Book(w, 1, record.Day{Date: "2026-03-02", Count: 1, Sum: money.Whole(1), Most: 9, Full: errFull})
		return s.do(s.scope("end"), func(w *record.Work) error { return boxes().Remove(t.Context(), w, 1) })
	})
	if !errors.Is(err, fault.ErrNotFound) || s.days(1, "2026-01-01", "2026-12-31") != "" {
		t.Errorf("%v, %s", err, s.days(1, "2026-01-01", "2026-12-31"))
	}
}

// setEntries sets entries beside a box, and removes those of which the amount is 0.
func (s *shelf) setEntries(scope record.Scope, id int64, amounts map[int64]int64) error {
	return s.do(scope, func(w *record.Work) error {
		notes().Create(w, "", &note{})
		if _, err := boxes().Read(s.t.Context(), w, id); err != nil {
			return err
		}
		for number, amount := range amounts {
			err := boxes().RemoveEntry(s.t.Context(), w, id, number)
			if amount != 0 {
				err = boxes().SetEntry(s.t.Context(), w, id, number, record.Entry{At: 7, Amount: money.Whole(amount)}, errFull)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Entries are set, replaced and removed, and there are never more than the kind allows.
func TestEntries(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	for _, tt := range []struct {
		name    string
		amounts map[int64]int64
		full    bool
		want    string
	}{
		{"some", map[int64]int64{1: 10, 2: 20, 3: 30}, false, "map[1:10.00 2:20.00 3:30.00]"},
		{"one too many", map[int64]int64{4: 40, 5: 50}, true, "map[1:10.00 2:20.00 3:30.00]"},
		{"one replaced", map[int64]int64{3: 31, 4: 40}, false, "map[1:10.00 2:20.00 3:31.00 4:40.00]"},
		{"one for another", map[int64]int64{1: 0, 5: 50}, false, "map[2:20.00 3:31.00 4:40.00 5:50.00]"},
		{"one that is not there, removed", map[int64]int64{1: 0, 2: 0}, false, "map[3:31.00 4:40.00 5:50.00]"},
	} {
		err := s.setEntries(s.scope("set"), 1, tt.amounts)
		if errors.Is(err, errFull) != tt.full || err != nil && !tt.full {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := s.entries(1); got != tt.want {
			t.Errorf("%s: there is %s", tt.name, got)
		}
	}
}

func (s *shelf) entries(id int64) string {
	s.t.Helper()
	entries, err := boxes().Entries(s.t.Context(), s.scope("read").Reading(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	amounts := map[int64]string{}
	for number, e := range entries {
		amounts[number] = e.Amount.String()
	}
	return fmt.Sprint(amounts)
}

// Those who set entries at once don't pass the limit, and two who remove one entry count it once.
func TestEntriesUnderContention(t *testing.T) {
	s := newShelf(t, tabletest.Locks())
	s.put(&box{})
	if err := s.setEntries(s.scope("seed"), 1, map[int64]int64{1: 1}); err != nil {
		t.Fatal(err)
	}
	var full atomic.Int64
	var wait sync.WaitGroup
	for n := range 6 {
		scope, _ := s.process(uint64(n))
		wait.Go(func() {
			switch err := s.setEntries(scope, 1, map[int64]int64{1: 0, int64(n + 10): 5}); {
			case errors.Is(err, errFull):
				full.Add(1)
			case err != nil:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := s.entries(1); full.Load() != 2 || len(got) != len("map[10:5.00 11:5.00 12:5.00 13:5.00]") {
		t.Errorf("%d refused, and there is %s", full.Load(), got)
	}
	if err := s.setEntries(s.scope("one too many"), 1, map[int64]int64{99: 1}); !errors.Is(err, errFull) {
		t.Errorf("one too many: %v", err)
	}
}
