package listing_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// hide writes records of n ids that are pending.
func (s *store) hide(t testing.TB, n, size int) listing.Range {
	t.Helper()
	r, err := s.dir.ReserveApart(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), func(tx *table.Tx, _ int) error { return s.dir.Hide(tx, r) }); err != nil {
		t.Fatal(err)
	}
	for batch := range slices.Chunk(ids(r), 100) {
		if err := s.Write(t.Context(), func(tx *table.Tx, _ int) error {
			for _, id := range batch {
				s.put(tx, id, size)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// pending are the ranges that are stored.
func (s *store) pending(t testing.TB) (ranges []listing.Range) {
	t.Helper()
	var items []struct {
		table.Item
		To int64 `dynamo:"to"`
	}
	if err := s.Table().Get("pk", s.Listing(s.kind)).Range("sk", dynamo.BeginsWith, "p#").
		Consistent(true).All(t.Context(), &items); err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		from, err := table.ParseSortID(strings.TrimPrefix(i.SK, "p#"))
		if err != nil {
			t.Fatal(err)
		}
		ranges = append(ranges, listing.Range{From: from, To: i.To})
	}
	return ranges
}

func ids(r listing.Range) (list []int64) {
	for id := r.From; id <= r.To; id++ {
		list = append(list, id)
	}
	return list
}

// show counts the records of a range and ends it.
func (s *store) show(t testing.TB, r listing.Range) []int64 {
	t.Helper()
	if err := listing.Write(t.Context(), s.Tenant, func(tx *table.Tx, c *listing.Counts) error {
		s.dir.Show(tx, r)
		return c.Created(s.dir, ids(r)...)
	}); err != nil {
		t.Fatal(err)
	}
	return ids(r)
}

// abandon removes the records of a range and ends it.
func (s *store) abandon(t testing.TB, r listing.Range) {
	t.Helper()
	for _, id := range ids(r) {
		if err := s.Delete(s.Record(s.kind, id)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Write(t.Context(), func(tx *table.Tx, _ int) error {
		s.dir.Show(tx, r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A range whose ids fill their groups of nine ends with its last id: that is pending, and what comes before and after is not.
func TestTheEndsOfARangeArePending(t *testing.T) {
	s := newStore(tabletest.New(t))
	before := s.fill(t, 9, 0, all)
	r := s.hide(t, 18, 0)
	after := s.fill(t, 9, 0, all)
	tail, err := s.dir.Tail(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids(r) {
		if !tail.Pending(id) {
			t.Errorf("%d of %+v is not pending", id, r)
		}
	}
	for _, id := range slices.Concat(before, after) {
		if tail.Pending(id) {
			t.Errorf("%d is pending, of %+v", id, r)
		}
	}
}

// What is pending is in no list and no count, wherever it lies between live
// records, until it is shown; what is abandoned never is.
func TestPendingRanges(t *testing.T) {
	s := newStore(tabletest.New(t))
	live := s.fill(t, 20, 0, all)
	check := func() {
		t.Helper()
		slices.Sort(live)
		s.check(t, live, 1, 7, 30)
	}
	first := s.hide(t, 13, 0)
	check()
	live = append(live, s.fill(t, 5, 0, all)...)
	second, third := s.hide(t, 1, 0), s.hide(t, 20, 0) // one after the other
	check()
	live = append(live, s.fill(t, 9, 0, all)...)
	check()
	split, err := s.dir.Split(t.Context(), false, func(int) int { return 2 })
	if err != nil || split.Count != len(live) {
		t.Errorf("split %+v, %v", split, err)
	}
	for _, r := range []listing.Range{first, second, third} {
		for _, id := range ids(r) {
			if split.Live(id) {
				t.Errorf("%d is live, of %+v", id, r)
			}
		}
	}
	for _, id := range live {
		if !split.Live(id) {
			t.Errorf("%d is not live", id)
		}
	}
	live = append(live, s.show(t, second)...)
	check()
	s.abandon(t, first)
	check()
	live = append(live, s.show(t, third)...)
	check()
	for _, id := range []int64{third.From, third.To} {
		if err := s.delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		live = slices.DeleteFunc(live, func(l int64) bool { return l == id })
	}
	check()
	if left := s.pending(t); len(left) != 0 {
		t.Errorf("left pending: %v", left)
	}
}

func TestOnlyARangeOfItsOwnCanBePending(t *testing.T) {
	s := newStore(tabletest.New(t))
	hide := func(r listing.Range) error {
		return s.Write(t.Context(), func(tx *table.Tx, _ int) error { return s.dir.Hide(tx, r) })
	}
	for _, bad := range []listing.Range{{From: 2, To: 20}, {From: 10, To: 9}, {From: 0, To: 5}, {From: -8, To: 5}} {
		if hide(bad) == nil {
			t.Errorf("%+v is pending", bad)
		}
	}
	for before := range 20 { // wherever the numbers stand
		s.reserve(t, before)
		last := s.reserve(t, 1)
		r, err := s.dir.ReserveApart(t.Context(), 1+before*3)
		next := s.reserve(t, 1)
		if err != nil || r.To-r.From != int64(before*3) || (r.From-1)/9 <= (last-1)/9 || (r.To-1)/9 >= (next-1)/9 && next <= r.To {
			t.Fatalf("%+v between %d and %d, %v", r, last, next, err)
		}
		if err := hide(r); err != nil {
			t.Fatal(err)
		}
		if hide(r) == nil {
			t.Fatalf("%+v is pending twice", r)
		}
		pending := s.pending(t)
		if to := pending[len(pending)-1].To; to < r.To || to >= next || to%9 != 0 {
			t.Fatalf("%v of %+v, before %d", pending, r, next)
		}
	}
}

// A page costs one query more for a range within it, and nothing for one beside
// it, though an import of a thousand has crashed.
func TestBoundsOfPendingRanges(t *testing.T) {
	const size = 1000
	s := newStore(tabletest.New(t))
	s.fill(t, 50, size, all)
	s.hide(t, 1000, size)
	within(t, "page 1, all below the range", s.page(t, 0, true), 2, 12, 0)
	s.fill(t, 10, size, all)
	within(t, "page 1, around the range", s.page(t, 0, true), 3, 12, 0)
	within(t, "page 1, oldest first", s.page(t, 0, false), 2, 12, 0)
	within(t, "last page", s.page(t, 40, false), 3, 12, 0)
	within(t, "count", measure(t, func(ctx context.Context) error { _, err := s.dir.Count(ctx); return err }), 1, 2, 0)
	s.hide(t, 1000, size)
	within(t, "page 1, around one, below another", s.page(t, 0, true), 3, 12, 0)
}

// A read that sees the counters of after a commit with the range of before, or
// the reverse, is made again.
func TestATornCommitIsReadAgain(t *testing.T) {
	name := enginetest.Table(t)
	sound := newStore(table.Open(enginetest.Client(t), name))
	live := sound.fill(t, 30, 0, all)
	r := sound.hide(t, 10, 0)
	var range_ table.Attributes
	if err := sound.Get(t.Context(), sound.Pending(kind, r.From), &range_); err != nil {
		t.Fatal(err)
	}
	late := sound.fill(t, 5, 0, all)
	torn := func(f forgetful, live []int64) {
		t.Helper()
		for size := range 20 {
			for _, newestFirst := range []bool{true, false} {
				f.queries = new(atomic.Int64)
				s := newStore(table.Open(f, name))
				items, count, err := page(t.Context(), s.dir, len(live)-20, size, newestFirst)
				want := slices.Clone(live)
				if newestFirst {
					slices.Reverse(want)
				}
				want = want[len(live)-20:][:size]
				got := make([]int64, len(items))
				for i, it := range items {
					got[i] = it.id(t)
				}
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%v of %d, %v; want %v", got, count, err, want)
				}
			}
		}
	}
	never := func(string) bool { return false }
	// The range ends, or has not begun, and the counters don't say so.
	torn(forgetful{
		DynamoDBAPI: enginetest.Client(t), forgets: func(sk string) bool { return strings.HasPrefix(sk, "p#") },
	}, append(slices.Clone(live), late...))
	// The counters say that it ended.
	live = append(append(live, sound.show(t, r)...), late...)
	torn(forgetful{DynamoDBAPI: enginetest.Client(t), forgets: never, remembers: range_}, live)
}

// A list shows no rows of an import that it does not know of, even if it meets such an import each
// time.
func TestWhatNobodyCountsIsNeverShown(t *testing.T) {
	name := enginetest.Table(t)
	sound := newStore(table.Open(enginetest.Client(t), name))
	live := sound.fill(t, 30, 0, all)
	r := sound.hide(t, 10, 0)
	live = append(live, sound.fill(t, 20, 0, all)...)
	s := newStore(table.Open(forgetful{
		DynamoDBAPI: enginetest.Client(t), queries: new(atomic.Int64), always: true,
		forgets: func(sk string) bool { return strings.HasPrefix(sk, "p#") },
	}, name))
	for size := 1; size <= len(live); size++ {
		for _, newestFirst := range []bool{true, false} {
			items, count, err := page(t.Context(), s.dir, 5, size, newestFirst)
			if err != nil || count != len(live) || len(items) == 0 {
				t.Fatalf("%d of %d, %v", len(items), count, err)
			}
			for _, it := range items {
				if id := it.id(t); r.From <= id && id <= r.To {
					t.Fatalf("page of %d holds %d", size, id)
				}
			}
		}
	}
}

// A view that holds a part of the commit of a range shows none of it.
func TestAPartOfACommit(t *testing.T) {
	name := enginetest.Table(t)
	sound := newStore(table.Open(enginetest.Client(t), name))
	sound.reserve(t, listing.Bucket-14)
	r := sound.hide(t, 30, 0)
	var item table.Attributes
	if err := sound.Get(t.Context(), sound.Pending(kind, r.From), &item); err != nil {
		t.Fatal(err)
	}
	sound.show(t, r)
	s := newStore(table.Open(forgetful{
		DynamoDBAPI: enginetest.Client(t), queries: new(atomic.Int64), remembers: item,
		forgets: func(sk string) bool { return strings.HasPrefix(sk, "000001") },
	}, name))
	split, err := s.dir.Split(t.Context(), false, func(int) int { return 1 })
	if err != nil || split.Count == 0 || split.Count == 30 {
		t.Fatalf("%d, %v", split.Count, err)
	}
	for _, id := range ids(r) {
		if split.Live(id) {
			t.Errorf("%d is live", id)
		}
	}
}

// However many rows are pending, a page reads those it shows.
func TestAPageBesideManyRanges(t *testing.T) {
	s := newStore(tabletest.New(t))
	var live []int64
	for range 6 {
		live = append(live, s.fill(t, 4, 0, all)...)
		s.hide(t, 30, 0)
	}
	s.check(t, live, 5, 24)
	ctx, m := meter.Start(t.Context())
	if items, _, err := page(ctx, s.dir, 0, 24, true); err != nil || len(items) != 24 {
		t.Fatal(fmt.Sprint(len(items), err))
	}
	if used := m.Usage(); used.Calls != 7 {
		t.Errorf("%d calls for six runs", used.Calls)
	}
}
