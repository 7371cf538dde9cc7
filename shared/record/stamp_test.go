package record_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A machine's clock is ahead when it changes one box. Others change that one together with another box, and then the other box alone,
// before a worker comes: the revisions of each box still rise.
func TestEventsOfTwoRecordsAndTwoClocks(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "a"}, &box{Name: "b"})
	step := func(by time.Duration, name string, ids ...int64) {
		t.Helper()
		s.clock = s.clock.Add(by)
		if err := s.do(s.scope(name), func(w *record.Work) error {
			for _, id := range ids {
				if err := edit(t.Context(), w, id, func(b *box) { b.Name = name }); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	step(time.Second, "ahead", 1)
	step(-900*time.Millisecond, "both", 1, 2)
	step(10*time.Millisecond, "other", 2)
	want := []string{
		"test_box.created 1 1 ", "test_box.created 2 1 ", `test_box.updated 1 2 {"fields":["name"]}`,
		`test_box.updated 1 3 {"fields":["name"]}`, `test_box.updated 2 2 {"fields":["name"]}`, `test_box.updated 2 3 {"fields":["name"]}`,
	}
	if got := s.events(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
