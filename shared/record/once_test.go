package record_test

import (
	"errors"
	"testing"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// Verbs of one attempt share a working copy; another attempt, or another item, has its own.
func TestOnce(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	scope := s.scope("one")
	made := 0
	open := func(w *record.Work, id int64) *int {
		n, err := record.Once(w, scope.Table.Record("zb", id), func() (*int, error) {
			made++
			return new(int), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	attempts := 0
	err := scope.Do(t.Context(), nil, func(w *record.Work) error {
		*open(w, 1) += 2
		*open(w, 1) += 3
		if *open(w, 1) != 5 || *open(w, 2) != 0 {
			t.Errorf("%d and %d", *open(w, 1), *open(w, 2))
		}
		if attempts++; attempts == 1 {
			return table.ErrRevision
		}
		return nil
	})
	if err != nil || attempts != 2 || made != 4 {
		t.Errorf("%v, %d made in %d attempts", err, made, attempts)
	}
	w, failed := scope.Reading(), errors.New("no")
	if _, err := record.Once(w, scope.Table.Record("zb", 1), func() (*int, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	open(w, 1)
	if _, err := record.Once(w, scope.Table.Record("zb", 1), func() (*string, error) { return new(string), nil }); err == nil {
		t.Error("an item is two things at once")
	}
}
