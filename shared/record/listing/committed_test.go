package listing_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// committed are the ranges that a search has to know.
func (s *store) committed(t *testing.T) []listing.Committed {
	t.Helper()
	tail, err := s.dir.Tail(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	split, err := s.dir.Split(t.Context(), true, func(int) int { return 1 })
	if err != nil || !slices.Equal(split.Committed, tail.Committed) {
		t.Errorf("split tells of %v, %v; the tail of %v", split.Committed, err, tail.Committed)
	}
	return tail.Committed
}

// A range that is committed is in all lists. It is told to searches until it is ended, whole groups of it, with what was settled.
func TestCommittedRange(t *testing.T) {
	s := newStore(tabletest.New(t))
	live := s.fill(t, 20, 0, all)
	r := s.hide(t, 13, 0)
	if got := s.committed(t); len(got) != 0 {
		t.Errorf("a pending range is committed: %v", got)
	}
	if err := listing.Write(t.Context(), s.Tenant, func(tx *table.Tx, c *listing.Counts) error {
		s.dir.Commit(tx, r)
		return c.Created(s.dir, ids(r)...)
	}); err != nil {
		t.Fatal(err)
	}
	live = append(live, ids(r)...)
	s.check(t, live, 1, 7, 30)
	want := listing.Committed{Range: listing.Range{From: r.From, To: r.From + 17}}
	if got := s.committed(t); !slices.Equal(got, []listing.Committed{want}) {
		t.Errorf("committed: %v, want %v", got, want)
	}
	settle := func() error {
		return s.Write(t.Context(), func(tx *table.Tx, _ int) error {
			s.dir.Settle(tx, want, 5, 77)
			return nil
		})
	}
	if err := settle(); err != nil {
		t.Fatal(err)
	}
	settled := listing.Committed{Range: want.Range, Settled: 5, At: 77}
	if got := s.committed(t); !slices.Equal(got, []listing.Committed{settled}) {
		t.Errorf("committed: %v, want %v", got, settled)
	}
	for range 2 { // ending it again does no harm
		if err := s.Write(t.Context(), func(tx *table.Tx, _ int) error {
			s.dir.Show(tx, r)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	s.check(t, live, 1, 7, 30)
	if err := settle(); !errors.Is(err, table.ErrRevision) || len(s.committed(t)) != 0 {
		t.Errorf("a range that has ended can be settled: %v", err)
	}
}
