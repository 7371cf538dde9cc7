package search_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	smallOnes  = 100
	largeOne   = tenant.ID(1000)
	largeParts = 40
)

// crowd is a memory that a hundred kinds of one segment fill up to a part, each searched three times.
func crowd(t *testing.T, room float64) (m *search.Memory, look func(company tenant.ID, kind kinds.Code, files int)) {
	t.Helper()
	whole := people(t, 1, 1000)
	most := int64(float64(whole.Size()*smallOnes) * (1 + room))
	m = search.NewLoading(time.Now, most, func(context.Context, search.Stored) (*segment.Segment, error) { return whole, nil })
	look = func(company tenant.ID, kind kinds.Code, files int) {
		t.Helper()
		if _, err := m.Open(t.Context(), company, kind, named(files, int64(whole.Size()))); err != nil {
			t.Fatal(err)
		}
		if _, bytes := m.Keeps(company, kind); bytes > most {
			t.Fatalf("%d bytes are kept, of at most %d", bytes, most)
		}
	}
	for range 3 {
		for company := range tenant.ID(smallOnes) {
			look(company+1, kind, 1)
		}
	}
	return m, look
}

// left is how many of the hundred kinds are kept.
func left(m *search.Memory) (n int) {
	for company := range tenant.ID(smallOnes) {
		some, _ := m.Keeps(company+1, kind)
		n += some
	}
	return n
}

// A kind of many segments that is searched once takes nearly no room from small ones that are searched again and again: 30 of these would
// go if the least recently used did. One that is searched as often as they are gets its room.
func TestALargeKindPushesNoSmallOnesOut(t *testing.T) {
	m, look := crowd(t, 0.1)
	look(largeOne, kind, largeParts)
	if n := left(m); n < smallOnes*9/10 {
		t.Errorf("%d of %d are left after one search of a large kind", n, smallOnes)
	}
	for range 20 {
		for company := range tenant.ID(smallOnes / 2) {
			look(company+1, kind, 1)
		}
		look(largeOne, kind, largeParts)
	}
	if n, _ := m.Keeps(largeOne, kind); n != largeParts || left(m) < smallOnes/2 {
		t.Errorf("%d of %d of a large kind are kept, and %d small ones, of which half are searched as often", n, largeParts, left(m))
	}
}

// What is searched no more goes, however often it was searched.
func TestWhatIsSearchedNoMoreGoes(t *testing.T) {
	m, look := crowd(t, 0)
	for range 10_000 {
		look(1, kind, 1)
	}
	for round := range tenant.ID(20) {
		for range 2 {
			for company := range tenant.ID(smallOnes) {
				look(largeOne+round*smallOnes+company, kind, 1)
			}
		}
	}
	if n := left(m); n != 0 {
		t.Errorf("%d are left that nobody searches", n)
	}
}

// Of two that are searched equally often the larger one goes, as its room keeps several others.
func TestTheLargerGoesFirst(t *testing.T) {
	sizes := map[string]*segment.Segment{"0": people(t, 1, 20_000), "1": people(t, 1, 40_000)}
	small, large := int64(sizes["0"].Size()), int64(sizes["1"].Size())
	m := search.NewLoading(time.Now, small+large, func(_ context.Context, s search.Stored) (*segment.Segment, error) {
		return sizes[s.Version], nil
	})
	files := named(2, 1)
	for _, list := range [][]search.Stored{files[1:], files[:1]} {
		if _, err := m.Open(t.Context(), largeOne, kind, list); err != nil {
			t.Fatal(err)
		}
	}
	for company := range tenant.ID(2) {
		if _, err := m.Open(t.Context(), company+1, kind, files[:1]); err != nil {
			t.Fatal(err)
		}
	}
	if _, bytes := m.Keeps(largeOne, kind); bytes != 3*small {
		t.Errorf("%d bytes are kept, instead of three small ones of %d", bytes, small)
	}
}
