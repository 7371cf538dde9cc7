package segment_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// someRanges cut all ids up to a number into ranges.
func someRanges(r *rand.Rand, most int) (ranges []segment.Span) {
	low := int64(math.MinInt64)
	for range r.IntN(5) {
		if high := r.Int64N(int64(most) + 2); high >= low {
			ranges = append(ranges, segment.Span{Low: low, High: high})
			low = high + 1
		}
	}
	return append(ranges, segment.Span{Low: low, High: math.MaxInt64})
}

func among(ids segment.Span, entries []segment.Entry) (found []segment.Entry) {
	for _, e := range entries {
		if ids.Low <= e.ID && e.ID <= ids.High {
			found = append(found, e)
		}
	}
	return found
}

// streamed goes through ranges of ids. Of some it opens parts that have no more than the range.
func streamed(t testing.TB, r *rand.Rand, ranges []segment.Span, lists [][]segment.Entry, changes []segment.Entry) segment.Stream {
	t.Helper()
	var views []*segment.View
	for _, ids := range ranges {
		var segments []*segment.Segment
		for _, list := range lists {
			if r.IntN(2) == 0 {
				list = among(ids, list)
			}
			segments = append(segments, build(t, shape, list))
		}
		views = append(views, segment.NewRange(segments, ids).View(shape, among(ids, changes)))
	}
	return func(do func(v *segment.View)) error {
		for _, v := range views {
			do(v)
		}
		return nil
	}
}

// What is found by streaming ranges of ids is what is found in all of them at once, on every page of every order.
func TestStream(t *testing.T) {
	deep := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		most := pick(r, []int{1, 10, 70, 200, 1000})
		var segments []*segment.Segment
		var lists [][]segment.Entry
		for range r.IntN(4) {
			lists = append(lists, someEntries(r, most))
			segments = append(segments, build(t, shape, lists[len(lists)-1]))
		}
		changes := someEntries(r, most)
		whole := segment.NewView(shape, segments, changes)
		stream := streamed(t, r, someRanges(r, most), lists, changes)
		for range 60 {
			q := someQuery(r)
			_, all := whole.Find(segment.Query{Words: q.Words, InName: q.InName, Where: q.Where})
			q.Offset = pick(r, []int{q.Offset, 0, all / 2, max(all-q.Size, 0), all})
			q.Size = pick(r, []int{q.Size, q.Size, all, math.MaxInt})
			ids, count := whole.Find(q)
			got, n, err := stream.Find(q)
			if err != nil || n != count || !slices.Equal(got, ids) {
				t.Fatalf("seed %d, query %+v: %v of %d, want %v of %d; %v", seed, q, got, n, ids, count, err)
			}
			first, sample, sorted := r.IntN(20), 1+r.IntN(50), 1+r.IntN(200)
			got, n, err = stream.FindWithin(q, first, sample, sorted)
			if err != nil || n != count || !slices.Equal(got, ids) {
				t.Fatalf("seed %d, query %+v, %d %d %d: %v of %d, want %v of %d; %v", seed, q, first, sample, sorted, got, n, ids, count, err)
			}
			if q.Offset > first && len(ids) > 0 {
				deep++
			}
			each := 0
			_ = stream(func(v *segment.View) {
				for range v.Each(q) {
					each++
				}
			})
			if each != count {
				t.Fatalf("seed %d, query %+v: each are %d, want %d", seed, q, each, count)
			}
		}
	}
	if deep < 300 {
		t.Errorf("only %d pages lay far back", deep)
	}
}

// Merged range by range, segments hold what they do when they are merged at once; a range that is too large is cut.
func TestMergeOfRanges(t *testing.T) {
	cuts := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 4))
		most := pick(r, []int{10, 70, 300})
		var segments []*segment.Segment
		for range 1 + r.IntN(4) {
			segments = append(segments, build(t, shape, someEntries(r, most)))
		}
		changes, dropGone := someEntries(r, most), r.IntN(2) == 0
		data, err := segment.MergeAll(shape, segments, changes, dropGone)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []segment.Entry
		for e := range open(t, data).All() {
			want = append(want, e)
		}
		limit := segment.Limit{Rows: 1 + r.IntN(most), Bytes: pick(r, []int{1 << 30, 1 << 30, 3000})}
		for ranges := someRanges(r, most); len(ranges) > 0; {
			limit.IDs = ranges[0]
			data, pieces, err := segment.Merge(shape, segments, changes, dropGone, limit)
			if err != nil {
				t.Fatal(err)
			}
			if ranges = ranges[1:]; data == nil {
				var among []segment.Span
				for _, first := range pieces {
					if first <= limit.IDs.Low || first > limit.IDs.High {
						t.Fatalf("seed %d: %v does not cut %+v", seed, pieces, limit.IDs)
					}
					among = append(among, segment.Span{Low: limit.IDs.Low, High: first - 1})
					limit.IDs.Low = first
				}
				cuts++
				ranges = slices.Concat(among, []segment.Span{limit.IDs}, ranges)
				continue
			}
			made := open(t, data)
			if made.Rows() > limit.Rows || made.Rows() > 1 && len(data) > limit.Bytes {
				t.Errorf("seed %d: %d rows, %d bytes", seed, made.Rows(), len(data))
			}
			for e := range made.All() {
				got = append(got, e)
			}
		}
		if !slices.EqualFunc(got, want, equal) {
			t.Errorf("seed %d: %d rows, want %d", seed, len(got), len(want))
		}
	}
	if cuts < 40 {
		t.Errorf("only %d ranges were cut", cuts)
	}
}
