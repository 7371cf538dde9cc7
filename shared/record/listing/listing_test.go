package listing_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

const kind = kinds.Document

// record is a stored record: a name, and bytes that make it as large as the
// bounds assume.
type record struct {
	table.Item
	Name string `dynamo:"name"`
	Rest string `dynamo:"rest,omitempty"`
}

func (r record) id(t testing.TB) int64 {
	t.Helper()
	id, err := table.ParseSortID(r.SK)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// store is the smallest store that uses a listing.
type store struct {
	*table.Tenant
	dir  listing.Listing
	asks map[int]int
	kind kinds.Code
}

func newStore(c *table.Conn) *store {
	s := &store{Tenant: table.Of(c, 7), asks: map[int]int{}, kind: kind}
	s.dir = listing.Of(s.Tenant, kind, func(_ *table.Tx, bucket int) error {
		s.asks[bucket]++
		return nil
	})
	return s
}

var errTaken = errors.New("taken")

func (s *store) put(tx *table.Tx, id int64, size int) {
	r := record{Item: table.At(s.Record(s.kind, id), 1), Name: fmt.Sprint("record ", id)}
	if size > 0 {
		r.Rest = strings.Repeat("x", size-len(r.PK)-len(r.SK)-len(r.Name)-20)
	}
	tx.Put(s.Tenant.Create(r), errTaken)
}

func (s *store) create(ctx context.Context, size int) (int64, error) {
	return listingtest.Create(ctx, s.Tenant, s.dir, func(tx *table.Tx, id int64) error {
		s.put(tx, id, size)
		return nil
	})
}

func (s *store) delete(ctx context.Context, id int64) error {
	return listingtest.Delete(ctx, s.Tenant, s.dir, id, func(tx *table.Tx) error {
		tx.Delete(s.Tenant.Delete(s.Record(s.kind, id)).If("attribute_exists(pk)"), fault.ErrNotFound)
		tx.Put(s.Put(record{Item: table.At(s.Archive(s.kind, id), 1)}), nil)
		return nil
	})
}

// reserve takes the next n ids.
func (s *store) reserve(t testing.TB, n int) (first int64) {
	t.Helper()
	first, err := s.dir.Reserve(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return first
}

// fill creates n records at once, of those ids that live says, and is used to
// get to a state quickly.
func (s *store) fill(t testing.TB, n, size int, live func(id int64) bool) (ids []int64) {
	t.Helper()
	return s.fillFrom(t, s.reserve(t, n), n, size, live)
}

// fillFrom does so with ids that were reserved before.
func (s *store) fillFrom(t testing.TB, first int64, n, size int, live func(id int64) bool) (ids []int64) {
	t.Helper()
	all := make([]int64, n)
	for i := range all {
		all[i] = first + int64(i)
	}
	for part := range slices.Chunk(all, listing.MaxOperations) {
		err := s.dir.CreateMany(t.Context(), part, func(tx *table.Tx) (used []int64, err error) {
			for _, id := range part {
				if live(id) {
					s.put(tx, id, size)
					used = append(used, id)
				}
			}
			return used, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range part {
			if live(id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func all(int64) bool { return true }

// generations returns the generations that have stripes.
func (s *store) generations(t testing.TB) (list []string) {
	t.Helper()
	var items []table.Item
	if err := s.Table().Get("pk", s.Listing(s.kind)).Consistent(true).All(t.Context(), &items); err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if parts := strings.Split(it.SK, "#"); len(parts) > 1 && !slices.Contains(list, parts[1]) {
			list = append(list, parts[1])
		}
	}
	return list
}

// check compares every page, in both orders, with the ids that are alive.
func (s *store) check(t testing.TB, want []int64, sizes ...int) {
	t.Helper()
	count, err := s.dir.Count(t.Context())
	if err != nil || count != len(want) {
		t.Fatalf("count %d, %v; want %d", count, err, len(want))
	}
	for _, newestFirst := range []bool{false, true} {
		expect := slices.Clone(want)
		if newestFirst {
			slices.Reverse(expect)
		}
		for _, size := range sizes {
			for offset := 0; offset <= len(want); offset += size {
				items, count, err := page(t.Context(), s.dir, offset, size, newestFirst)
				if err != nil || count != len(want) {
					t.Fatalf("page at %d: count %d, %v; want %d", offset, count, err, len(want))
				}
				got := make([]int64, len(items))
				for i, it := range items {
					got[i] = it.id(t)
				}
				if page := expect[offset:min(offset+size, len(want))]; !slices.Equal(got, page) {
					t.Fatalf("page of %d at %d, newest first %v:\n got %v\nwant %v", size, offset, newestFirst, got, page)
				}
			}
		}
	}
}

func TestOneByOne(t *testing.T) {
	s := newStore(tabletest.New(t))
	s.check(t, nil, 10)
	var live []int64
	for range 40 {
		id, err := s.create(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		live = append(live, id)
	}
	if live[0] != 1 || live[39] != 40 {
		t.Errorf("ids %v", live)
	}
	s.check(t, live, 1, 7, 20, 100)
	for _, id := range []int64{1, 2, 3, 17, 40} {
		if err := s.delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		live = slices.DeleteFunc(live, func(l int64) bool { return l == id })
	}
	s.check(t, live, 1, 7, 20, 100)
	if err := s.delete(t.Context(), 17); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("deleting twice: %v", err)
	}
	s.check(t, live, 20)
}

func TestAFailedCreateLeavesAHole(t *testing.T) {
	s := newStore(tabletest.New(t))
	refuse := errors.New("refused")
	if _, err := listingtest.Create(t.Context(), s.Tenant, s.dir, func(*table.Tx, int64) error { return refuse }); !errors.Is(err, refuse) {
		t.Fatal(err)
	}
	taken := record{Item: table.At(s.Archive(kind, 1), 1)}
	if err := s.Put(taken).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := listingtest.Create(t.Context(), s.Tenant, s.dir, func(tx *table.Tx, id int64) error {
		s.put(tx, id, 0)
		tx.Put(s.Tenant.Create(taken), errTaken)
		return nil
	}); !errors.Is(err, errTaken) {
		t.Fatal(err)
	}
	s.check(t, nil, 20)
	if id, err := s.create(t.Context(), 0); err != nil || id != 3 {
		t.Fatalf("%d, %v", id, err)
	}
	s.check(t, []int64{3}, 20)
}

func TestManyAtOnceAcrossBuckets(t *testing.T) {
	s := newStore(tabletest.New(t))
	s.reserve(t, listing.Bucket-40)
	live := s.fill(t, 90, 0, func(id int64) bool { return id%3 != 0 })
	s.check(t, live, 13, 90)
	if s.asks[0] != 1 {
		t.Errorf("asked to fold: %v", s.asks)
	}
	if err := s.dir.CreateMany(t.Context(), []int64{20000}, func(*table.Tx) ([]int64, error) { return []int64{20001}, nil }); err == nil {
		t.Error("an id that was not reserved was used")
	}
	if err := s.dir.CreateMany(
		t.Context(), []int64{20000}, func(*table.Tx) ([]int64, error) { return []int64{20000, 20000}, nil },
	); err == nil {
		t.Error("an id was used twice")
	}
}

// Folding changes no page, whatever happened before, meanwhile and after.
func TestFold(t *testing.T) {
	s := newStore(tabletest.New(t))
	live := s.fill(t, 100, 0, all)
	if below, err := s.dir.Fold(t.Context(), 0); err != nil || below != 0 {
		t.Fatalf("folding a bucket that has ids to give out: %d, %v", below, err)
	}
	s.reserve(t, listing.Bucket-100)
	live = append(live, s.fillFrom(t, 101, 600, 0, func(id int64) bool { return id <= 324 || id%5 != 0 })...)
	remove := func(ids ...int64) {
		t.Helper()
		for _, id := range ids {
			if err := s.delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			live = slices.DeleteFunc(live, func(l int64) bool { return l == id })
		}
	}
	fold := func(want int64) {
		t.Helper()
		if below, err := s.dir.Fold(t.Context(), 0); err != nil || below != want {
			t.Fatalf("fold: sweep below %d, %v; want %d", below, err, want)
		}
	}
	sweep := func(below int64, left ...string) {
		t.Helper()
		if err := s.dir.Sweep(t.Context(), 0, below); err != nil {
			t.Fatal(err)
		}
		if got := s.generations(t); !slices.Equal(got, left) {
			t.Fatalf("swept below %d, left %v, want %v", below, got, left)
		}
	}
	remove(501, 601)
	fold(1)
	s.check(t, live, 50)
	// A full attribute loses a record; a late create finds its stripe sealed.
	remove(1, 324, 649)
	if s.asks[0] != 0 {
		t.Fatalf("deletes without a conflict asked for %v", s.asks)
	}
	live = append(live, s.fillFrom(t, 701, 3, 0, all)...)
	if s.asks[0] != 1 {
		t.Fatalf("a late create did not ask to fold again: %v", s.asks)
	}
	s.check(t, live, 50)
	// The record that generation 1 counts is deleted in the base.
	remove(702)
	fold(2)
	s.check(t, live, 50)
	// The sweep of the first fold leaves what the second absorbed a moment ago.
	sweep(1, "1")
	s.check(t, live, 50)
	sweep(2)
	fold(0)
	s.check(t, live, 50)
	remove(slices.Clone(live)...)
	s.check(t, nil, 50)
	if _, err := s.dir.Fold(t.Context(), 9); err != nil {
		t.Errorf("folding a bucket that is not there: %v", err)
	}
}

func TestSplitCoversEverythingEvenly(t *testing.T) {
	s := newStore(tabletest.New(t))
	s.fill(t, 3000, 0, func(id int64) bool { return id < 900 || id%7 == 0 })
	for _, parts := range []int{1, 2, 3, 8} {
		split, err := s.dir.Split(t.Context(), false, func(int) int { return parts })
		count, ranges := split.Count, split.Ranges
		if err != nil || len(ranges) != parts {
			t.Fatalf("%d parts: %v, %v", parts, ranges, err)
		}
		next := int64(1)
		for _, r := range ranges {
			held := 0
			for id := r.From; id <= min(r.To, 3000); id++ {
				if id < 900 || id%7 == 0 {
					held++
				}
			}
			if r.From != next || held > count/parts+10 || held < count/parts-10 {
				t.Errorf("of %d parts: %+v holds %d of %d", parts, r, held, count)
			}
			next = r.To + 1
		}
		if next != table.MaxID+1 {
			t.Errorf("%d parts end before %d", parts, next)
		}
	}
	empty := newStore(tabletest.New(t))
	if parts, err := empty.dir.Split(t.Context(), false, func(int) int { return 4 }); err != nil || parts.Count != 0 || len(parts.Ranges) != 1 {
		t.Errorf("of nothing: %+v, %v", parts, err)
	}
}

// measure is what a call used.
func measure(t testing.TB, do func(ctx context.Context) error) meter.Usage {
	t.Helper()
	ctx, m := meter.Start(t.Context())
	if err := do(ctx); err != nil {
		t.Fatal(err)
	}
	return m.Usage()
}

func within(t testing.TB, what string, used meter.Usage, calls int, read, write float64) {
	t.Helper()
	t.Logf("%s: %d calls, %.1f read, %.1f write units", what, used.Calls, used.ReadUnits, used.WriteUnits)
	if used.Calls > calls || used.ReadUnits > read || used.WriteUnits > write {
		t.Errorf("%s: more than %d calls, %.1f read, %.1f write units", what, calls, read, write)
	}
}

func (s *store) page(t testing.TB, offset int, newestFirst bool) meter.Usage {
	t.Helper()
	return measure(t, func(ctx context.Context) error {
		items, _, err := page(ctx, s.dir, offset, 20, newestFirst)
		if err == nil && len(items) != 20 {
			err = fmt.Errorf("%d rows", len(items))
		}
		return err
	})
}

// The bounds of the platform, with records of 1 KB.
func TestBounds(t *testing.T) {
	const size = 1000
	s := newStore(tabletest.New(t))
	for i := range 100 {
		used := measure(t, func(ctx context.Context) error { _, err := s.create(ctx, size); return err })
		if i == 99 {
			within(t, "create", used, 2, 0, 6)
		}
	}
	for _, offset := range []int{0, 40, 80} {
		within(t, fmt.Sprintf("100 records, page at %d", offset), s.page(t, offset, true), 2, 4, 0)
	}
	within(t, "100 records, past the end", measure(t, func(ctx context.Context) error {
		_, _, err := page(ctx, s.dir, 100, 20, true)
		return err
	}), 1, 2, 0)
	within(t, "count", measure(t, func(ctx context.Context) error { _, err := s.dir.Count(ctx); return err }), 1, 2, 0)
	within(t, "delete", measure(t, func(ctx context.Context) error { return s.delete(ctx, 50) }), 1, 0, 8)
}

func TestBoundsOfTwoBuckets(t *testing.T) {
	const size, n = 1000, listing.Bucket + 1000
	for _, tt := range []struct {
		name string
		live func(id int64) bool
	}{
		{"dense", all},
		{"30 % holes", func(id int64) bool { return id*7919%10 >= 3 }},
		{"97 % holes", func(id int64) bool { return id*7919%100 >= 97 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(tabletest.New(t))
			live := s.fill(t, n, size, tt.live)
			for _, state := range []string{"unfolded", "folded", "swept"} {
				for _, offset := range []int{0, len(live) / 2, len(live) - 20} {
					within(t, fmt.Sprintf("%s, page at %d", state, offset), s.page(t, offset, true), 2, 9, 0)
				}
				var err error
				if state == "unfolded" {
					_, err = s.dir.Fold(t.Context(), 0)
				} else {
					err = s.dir.Sweep(t.Context(), 0, 1)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			s.check(t, live, 1000)
		})
	}
}

// page is a page of a list, decoded.
func page(ctx context.Context, d listing.Listing, offset, size int, newestFirst bool) ([]*record, int, error) {
	rows, count, err := d.Page(ctx, offset, size, newestFirst)
	if err != nil {
		return nil, 0, err
	}
	list, err := table.DecodeAll[*record](rows)
	return list, count, err
}
