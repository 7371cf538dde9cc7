package segment_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

var shape = segment.Shape{
	{Letter: "p", Digits: segment.Spelling{Width: 11, Trunk: true}},
	{Letter: "i", Digits: segment.Spelling{Width: 12}},
	{Letter: "long", Digits: segment.Spelling{Width: 20}},
	{Letter: "n"},
	{Letter: "c"},
	{Letter: "s", Text: true},
	{Letter: "e", Text: true},
}

var parts = []string{
	"а", "ә", "ив", "ан", "ова", "ким", "ё", "я", "ooo", "x", "1", "77", "8701", "-", "+7", "é", "中", "文", "😀", "\x01", "„", "ё中", "ұ", "z",
}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func someWord(r *rand.Rand) string {
	var word strings.Builder
	for range 1 + r.IntN(3) {
		word.WriteString(pick(r, parts))
	}
	return word.String()
}

func someText(r *rand.Rand, most int) string {
	words := make([]string, r.IntN(most+1))
	for i := range words {
		words[i] = someWord(r)
	}
	return strings.Join(words, " ")
}

func someNumber(r *rand.Rand, letter string) int64 {
	switch letter {
	case "p":
		return pick(r, []int64{77000000000, 87000000000, 7000000000, 0}) + r.Int64N(30_000)*pick(r, []int64{1, 1000, 30000})
	case "i":
		return r.Int64N(pick(r, []int64{10, 100_000, 1e12, 1e14}))
	case "long":
		return pick(r, []int64{-5, 7, 777, math.MaxInt64, 1e18, r.Int64N(1e18)})
	case "c":
		return pick(r, []int64{math.MinInt64 + 1, -1, 0, 1, 5, math.MaxInt64})
	}
	return r.Int64N(20) - 10
}

func someEntry(r *rand.Rand, id, changed int64) segment.Entry {
	e := segment.Entry{ID: id, Changed: changed, Gone: r.IntN(8) == 0}
	if e.Gone {
		return e
	}
	e.Name, e.More = someText(r, 3), someText(r, r.IntN(3))
	for _, c := range shape {
		if r.IntN(4) == 0 {
			continue
		}
		if c.Text {
			if e.Texts == nil {
				e.Texts = map[string]string{}
			}
			e.Texts[c.Letter] = someText(r, 2)
			continue
		}
		if e.Numbers == nil {
			e.Numbers = map[string]int64{}
		}
		e.Numbers[c.Letter] = someNumber(r, c.Letter)
	}
	return e
}

// someEntries are entries of some of the ids up to a number, ascending.
func someEntries(r *rand.Rand, most int) (entries []segment.Entry) {
	share := 1 + r.IntN(4)
	for id := range most {
		if r.IntN(share) == 0 {
			entries = append(entries, someEntry(r, int64(id)+1, r.Int64N(20)))
		}
	}
	return entries
}

func someDigits(r *rand.Rand) string {
	n := fmt.Sprint(someNumber(r, pick(r, []string{"p", "i", "long"})))
	n = strings.TrimPrefix(n, "-")
	from := r.IntN(len(n))
	n = n[from : from+1+r.IntN(len(n)-from)]
	if r.IntN(4) == 0 {
		n = "8" + n
	}
	return pick(r, []string{"", "", "+", "(", "00"}) + n
}

func someQueryWord(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return someDigits(r)
	}
	if r.IntN(2) == 0 {
		return pick(r, parts)
	}
	return someWord(r)
}

func someCondition(r *rand.Rand, depth int) segment.Condition {
	c := segment.Condition{Not: r.IntN(3) == 0}
	switch kind := r.IntN(10); {
	case kind == 0 && depth > 0:
		c.Any = []segment.Condition{}
		for range r.IntN(4) {
			c.Any = append(c.Any, someCondition(r, depth-1))
		}
		return c
	case kind == 1:
		c.Words = []string{}
		for range r.IntN(3) {
			c.Words = append(c.Words, someQueryWord(r))
		}
		return c
	}
	c.Is = segment.Is(1 + r.IntN(5))
	c.Field = pick(r, []string{"p", "i", "long", "n", "c", segment.ID, "unknown"})
	number := func() int64 {
		if c.Field == segment.ID {
			return r.Int64N(300)
		}
		return someNumber(r, c.Field)
	}
	switch c.Is {
	case segment.Missing:
		c.Field = pick(r, []string{"p", "n", "s", "unknown", segment.ID})
	case segment.Within:
		for range r.IntN(4) {
			low := number()
			high := pick(r, []int64{low, low + r.Int64N(1000), number(), math.MaxInt64})
			c.Spans = append(c.Spans, segment.Span{Low: pick(r, []int64{low, low, math.MinInt64}), High: high})
		}
	case segment.OneOf:
		for range r.IntN(50) {
			c.Set = append(c.Set, number())
		}
		slices.Sort(c.Set)
	case segment.Among:
		c.Field = pick(r, []string{"s", "e", "unknown"})
		for range r.IntN(10) {
			c.Texts = append(c.Texts, someText(r, 1))
		}
	case segment.Between:
		c.Field = pick(r, []string{"s", "e", "unknown"})
		if text := someText(r, 1); r.IntN(3) > 0 {
			c.Low = &text
		}
		if text := someText(r, 1); r.IntN(3) > 0 {
			c.High = &text
		}
	}
	return c
}

func someQuery(r *rand.Rand) (q segment.Query) {
	for range r.IntN(3) * r.IntN(2) {
		q.Words = append(q.Words, someQueryWord(r))
	}
	if r.IntN(6) == 0 {
		q.InName = append(q.InName, someQueryWord(r))
	}
	for range r.IntN(3) * r.IntN(2) {
		q.Where = append(q.Where, someCondition(r, 2))
	}
	for range r.IntN(4) {
		by := segment.By{Field: pick(r, []string{"n", "c", "s", "e", "p", segment.ID, segment.Name, segment.Rank, "unknown"})}
		by.Text = by.Field == "s" || by.Field == "e"
		by.Descending = r.IntN(2) == 0
		q.Order = append(q.Order, by)
	}
	q.Offset, q.Size = r.IntN(30)*r.IntN(8), pick(r, []int{0, 1, 5, 20, 1000})
	return q
}

func build(t testing.TB, shape segment.Shape, entries []segment.Entry) *segment.Segment {
	t.Helper()
	data, err := segment.Build(shape, slices.Values(entries))
	if err != nil {
		t.Fatal(err)
	}
	return open(t, data)
}

func open(t testing.TB, data []byte) *segment.Segment {
	t.Helper()
	s, err := segment.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a view of segments and changes answers is what its documentation says.
func TestRandom(t *testing.T) {
	found := 0
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 1))
		most := pick(r, []int{1, 10, 70, 200, 1000})
		var segments []*segment.Segment
		var lists [][]segment.Entry
		for range r.IntN(7) {
			lists = append(lists, someEntries(r, most))
			segments = append(segments, build(t, shape, lists[len(lists)-1]))
		}
		changes := someEntries(r, most)
		for range r.IntN(5) {
			changes = append(changes, someEntries(r, most)...)
		}
		r.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		want := newNaive(shape, append(lists, changes)...)
		view := segment.NewView(shape, segments, changes)
		if seed%3 == 0 { // merged they answer the same
			from, to := r.IntN(len(segments)+1), len(segments)
			data, err := segment.MergeAll(shape, segments[from:to], changes, from == 0)
			if err != nil {
				t.Fatal(err)
			}
			view = segment.NewView(shape, append(slices.Clip(segments[:from]), open(t, data)), nil)
		}
		for range 40 {
			q := someQuery(r)
			found += compare(t, view, want, q)
			if t.Failed() {
				t.Fatalf("seed %d, query %+v", seed, q)
			}
		}
	}
	if found < 50_000 {
		t.Errorf("only %d records were found: the queries test little", found)
	}
}

// Pages of so many records that only those near the page are looked at are the same.
func TestRandomLarge(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		var lists [][]segment.Entry
		var segments []*segment.Segment
		for i := range 1 + r.IntN(4) {
			lists = append(lists, someEntries(r, 8000>>i))
			segments = append(segments, build(t, shape, lists[i]))
		}
		changes := someEntries(r, 4000)
		want, view := newNaive(shape, append(lists, changes)...), segment.NewView(shape, segments, changes)
		for range 15 {
			q := someQuery(r)
			q.Words, q.InName = nil, nil
			if len(q.Where) > 1 || r.IntN(2) == 0 {
				q.Where = nil
			}
			if r.IntN(3) == 0 {
				q.Words, q.Where = []string{"а"}, nil
				q.Order = append([]segment.By{{Field: segment.Rank, Descending: r.IntN(2) == 0}}, q.Order...)
			}
			q.Offset, q.Size = r.IntN(8000)*r.IntN(2), 50
			if compare(t, view, want, q); t.Failed() {
				t.Fatalf("seed %d, query %+v", seed, q)
			}
		}
	}
}

// Where every eighth record is unlike the others, and so whatever sample of them is taken may tell nothing of the rest,
// pages are the same.
func TestUnlikeRecords(t *testing.T) {
	for unlike := range int64(8) {
		var entries []segment.Entry
		for id := range int64(4096) {
			n, c := id*7919%4096, int64(1)
			if id%8 == unlike {
				n, c = n-10_000, 0
			}
			entries = append(entries, segment.Entry{ID: id, Values: segment.Values{Numbers: map[string]int64{"n": n, "c": c}}})
		}
		want, view := newNaive(shape, entries), segment.NewView(shape, []*segment.Segment{build(t, shape, entries)}, nil)
		for _, descending := range []bool{false, true} {
			for _, field := range []string{"n", "c"} {
				for _, offset := range []int{0, 2000, 4086} {
					order := []segment.By{{Field: field, Descending: descending}}
					compare(t, view, want, segment.Query{Order: order, Offset: offset, Size: 10})
				}
			}
		}
	}
}

func compare(t *testing.T, view *segment.View, want *naive, q segment.Query) int {
	t.Helper()
	ids, count := view.Find(q)
	wantIDs, wantCount := want.find(q)
	if count != wantCount || !slices.Equal(ids, wantIDs) {
		t.Errorf("found %v of %d, want %v of %d", ids, count, wantIDs, wantCount)
	}
	var all, each []int64
	sum, wantSum := int64(0), int64(0)
	for _, e := range want.matched(q) {
		all = append(all, e.ID)
		wantSum += e.Numbers["n"]
	}
	for row := range view.Each(q) {
		each = append(each, row.ID())
		n, ok := row.Number("n")
		sum += n
		e := row.Entry()
		if number, is := e.Numbers["n"]; e.ID != row.ID() || number != n || is != ok {
			t.Errorf("record %d has %d, and its entry is %+v", row.ID(), n, e)
		}
	}
	slices.Sort(each)
	if !slices.Equal(each, all) || sum != wantSum {
		t.Errorf("each are %v with %d, want %v with %d", each, sum, all, wantSum)
	}
	return count
}
