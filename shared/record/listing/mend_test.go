package listing_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// mend recounts a bucket until it is right, and returns what was wrong at first.
func (s *store) mend(t *testing.T, bucket int) listing.Recount {
	t.Helper()
	var first *listing.Recount
	for range 20 {
		r, err := s.dir.Recount(t.Context(), bucket)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = &r
		}
		if r.Right() {
			return *first
		}
		if _, err := s.dir.Mend(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("it never gets right")
	return listing.Recount{}
}

// behind writes or removes records past the listing, as a restore by hand does.
func (s *store) behind(t *testing.T, remove []int64, add ...int64) {
	t.Helper()
	for _, id := range remove {
		if err := s.Delete(s.Record(s.kind, id)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range add {
		if err := s.Create(record{Item: table.At(s.Record(s.kind, id), 1)}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Counters that say other numbers than there are records are found, and mended, whatever the listing has been through.
func TestMend(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(t *testing.T, s *store) (live []int64)
		wrong func(t *testing.T, s *store, live []int64) []int64
		n     int // groups of which the counters are wrong
	}{
		"nothing is wrong": {n: 0},
		"records that are gone": {n: 2, wrong: func(t *testing.T, s *store, live []int64) []int64 {
			s.behind(t, []int64{live[0], live[1], live[15]})
			return slices.Concat(live[2:15], live[16:])
		}},
		"records that came": {n: 1, wrong: func(t *testing.T, s *store, live []int64) []int64 {
			first := s.reserve(t, 3)
			s.behind(t, nil, first, first+1)
			return append(live, first, first+1)
		}},
		"one for another of the same group": {n: 0, wrong: func(t *testing.T, s *store, live []int64) []int64 {
			live = s.drop(t, live, 0)
			s.behind(t, []int64{live[0]}, live[0]-1)
			live[0]--
			return live
		}},
		"one for another elsewhere": {n: 2, wrong: func(t *testing.T, s *store, live []int64) []int64 {
			gone := live[20]
			live = s.drop(t, live, 20)
			s.behind(t, []int64{live[0]}, gone)
			return slices.Insert(live[1:], 19, gone)
		}},
		"counters that are lost": {n: 4, wrong: func(t *testing.T, s *store, live []int64) []int64 {
			var items []table.Item
			if err := s.Table().Get("pk", s.Listing(kind)).Consistent(true).All(t.Context(), &items); err != nil {
				t.Fatal(err)
			}
			for _, i := range items {
				if err := s.Delete(i.Key()).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			return live
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(tabletest.New(t))
			live := s.fill(t, 30, 0, all)
			if c.wrong != nil {
				live = c.wrong(t, s, live)
			}
			was := s.mend(t, 0)
			if was.Live != int64(len(live)) || len(was.Wrong) != c.n {
				t.Errorf("%d counted, %d live of %d, wrong: %v", was.Counted, was.Live, len(live), was.Wrong)
			}
			live = append(live, s.fill(t, 5, 0, all)...)
			live = s.drop(t, live, 1)
			s.check(t, live, 1, 7, 30)
		})
	}
}

// Records that an import has not committed are not counted, and are once it has.
func TestMendBesideAnImport(t *testing.T) {
	s := newStore(tabletest.New(t))
	live := s.fill(t, 30, 0, all)
	r := s.hide(t, 13, 0)
	s.behind(t, live[:1])
	if was := s.mend(t, 0); was.Live != 29 || len(was.Wrong) != 1 {
		t.Errorf("%+v", was)
	}
	s.check(t, live[1:], 1, 7)
	s.check(t, append(live[1:], s.show(t, r)...), 1, 7)
}

// A bucket that was folded, whose counters are all full, is mended like another.
func TestMendFolded(t *testing.T) {
	s := newStore(tabletest.New(t))
	live := s.fill(t, 400, 0, all)
	s.reserve(t, listing.Bucket-400)
	if _, err := s.dir.Fold(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	s.behind(t, live[:7])
	live = live[7:]
	if was := s.mend(t, 0); was.Counted != 400 || was.Live != 393 || len(was.Wrong) != 1 {
		t.Errorf("%+v", was)
	}
	for len(live) > 390 {
		live = s.drop(t, live, 0)
	}
	s.check(t, live, 50, 100)
	if _, err := s.dir.Fold(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	s.check(t, live, 50, 100)
}

// What others create and delete while counters are mended stays counted.
func TestMendLosesNothing(t *testing.T) {
	conn := tabletest.New(t)
	s := newStore(conn)
	live := s.fill(t, 60, 0, all)
	s.behind(t, live[:3])
	live = live[3:]
	var wait sync.WaitGroup
	own := make([][]int64, 4)
	for i := range own {
		wait.Go(func() {
			other, random := newStore(conn), rand.New(rand.NewPCG(uint64(i), 5))
			for range 15 {
				if id, err := other.create(t.Context(), 0); err != nil {
					t.Error(err)
				} else {
					own[i] = append(own[i], id)
				}
				if len(own[i]) > 3 && random.IntN(2) == 0 {
					if err := other.delete(t.Context(), own[i][0]); err != nil {
						t.Error(err)
					}
					own[i] = own[i][1:]
				}
			}
		})
	}
	for range 10 {
		if r, err := s.dir.Recount(t.Context(), 0); err == nil { // it may change too fast to be counted
			if _, err := s.dir.Mend(t.Context(), r); err != nil {
				t.Error(err)
			}
		}
	}
	wait.Wait()
	s.mend(t, 0)
	for _, ids := range own {
		live = append(live, ids...)
	}
	slices.Sort(live)
	s.check(t, live, 1, 7, 30)
}

// The sequence gives no id out that a record has, live or deleted.
func TestMendSequence(t *testing.T) {
	s := newStore(tabletest.New(t))
	if n, last, highest, err := s.dir.Buckets(t.Context()); n != 0 || last != 0 || highest != 0 || err != nil {
		t.Errorf("an empty listing has %d, %d, %d, %v", n, last, highest, err)
	}
	live := s.fill(t, 12, 0, all)
	s.drop(t, live, 11)
	if err := s.Delete(s.Sequence(kind)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	n, last, highest, err := s.dir.Buckets(t.Context())
	if n != 1 || last != 0 || highest != 12 || err != nil {
		t.Errorf("%d, %d, %d, %v", n, last, highest, err)
	}
	for range 2 {
		if err := s.dir.MendSequence(t.Context(), highest); err != nil {
			t.Fatal(err)
		}
	}
	if first := s.reserve(t, 1); first != 13 {
		t.Errorf("the next id is %d", first)
	}
}
