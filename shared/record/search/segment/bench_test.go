package segment_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// The columns of clients: telephone number, IIN, when they were made, a status, a mail address' domain.
var clientShape = segment.Shape{
	{Letter: "p", Digits: segment.Spelling{Width: 11, Trunk: true}},
	{Letter: "i", Digits: segment.Spelling{Width: 12}},
	{Letter: "c"},
	{Letter: "s"},
	{Letter: "m", Text: true},
}

var syllables = []string{
	"ал", "бек", "нур", "сул", "тан", "ай", "гуль", "ма", "рат", "жан", "ер", "кен", "ди", "на", "ив", "ан", "пет", "ров", "сид", "ор", "ен", "ко", "ал", "ма",
}

// client is a client with a name of about 40 bytes.
func client(r *rand.Rand, id int64) segment.Entry {
	name := ""
	for word := range 3 {
		if word > 0 {
			name += " "
		}
		for range 2 + r.IntN(2) {
			name += syllables[r.IntN(len(syllables))]
		}
		name += pick(r, []string{"", "ов", "ова", "евич", "овна"})
	}
	return segment.Entry{ID: id, Changed: 1_700_000_000_000_000 + id*20_000_000 + r.Int64N(20_000_000), Values: segment.Values{
		Name: name,
		Numbers: map[string]int64{
			"p": 77000000000 + r.Int64N(1e9), "i": r.Int64N(1e12), "c": 1_700_000_000_000_000 + id*20_000_000, "s": r.Int64N(5),
		},
		Texts: map[string]string{"m": fmt.Sprint("домен", r.IntN(500))},
	}}
}

// made are the segments that were made, so that they are made once.
var made = map[[2]int][]byte{}

// clients makes a segment of every step-th id.
func clients(b *testing.B, count, step int) []byte {
	if data := made[[2]int{count, step}]; data != nil {
		return data
	}
	data := makeClients(b, count, step)
	made[[2]int{count, step}] = data
	return data
}

func makeClients(b *testing.B, count, step int) []byte {
	r := rand.New(rand.NewPCG(uint64(count), 7))
	data, err := segment.Build(clientShape, func(yield func(segment.Entry) bool) {
		for id := range count {
			if !yield(client(r, int64(1+id*step))) {
				return
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func counts(b *testing.B, run func(b *testing.B, count int)) {
	for _, count := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) { run(b, count) })
	}
}

func BenchmarkOpen(b *testing.B) {
	counts(b, func(b *testing.B, count int) {
		data := clients(b, count, 1)
		b.ResetTimer()
		for b.Loop() {
			open(b, data)
		}
		b.ReportMetric(float64(len(data))/1e6, "MB")
		b.ReportMetric(float64(open(b, data).Size())/1e6, "MB-kept")
		b.ReportAllocs()
	})
}

func BenchmarkBuild(b *testing.B) {
	counts(b, func(b *testing.B, count int) {
		for b.Loop() {
			makeClients(b, count, 1)
		}
	})
}

func BenchmarkMerge(b *testing.B) {
	counts(b, func(b *testing.B, count int) {
		older, newer := open(b, clients(b, count, 1)), open(b, clients(b, count/4, 3))
		b.ResetTimer()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := segment.MergeAll(clientShape, []*segment.Segment{older, newer}, nil, true); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// sixSegments are most of a million clients in one segment, and others in segments of a fourth of the one before.
func sixSegments(b *testing.B, count int) []*segment.Segment {
	var segments []*segment.Segment
	for i := range 6 {
		segments = append(segments, open(b, clients(b, count, 1+i)))
		count /= 4
	}
	return segments
}

// partSegments are parts of one generation, as a merge makes them.
func partSegments(b *testing.B, count int) (segments []*segment.Segment) {
	const rows = 40_000
	r := rand.New(rand.NewPCG(uint64(count), 7))
	for first := 1; first <= count; first += rows {
		data, err := segment.Build(clientShape, func(yield func(segment.Entry) bool) {
			for id := first; id < first+rows && id <= count && yield(client(r, int64(id))); id++ {
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		segments = append(segments, open(b, data))
	}
	return segments
}

func BenchmarkView(b *testing.B) {
	counts(b, func(b *testing.B, count int) {
		for name, segments := range map[string][]*segment.Segment{"six": sixSegments(b, count*3/4), "parts": partSegments(b, count)} {
			b.Run(name+"/set", func(b *testing.B) {
				for b.Loop() {
					segment.NewSet(segments)
				}
			})
			set, changes := segment.NewSet(segments), changed(300)
			b.Run(name+"/view", func(b *testing.B) {
				for b.Loop() {
					set.View(clientShape, changes)
				}
			})
		}
	})
}

func changed(count int) (changes []segment.Entry) {
	r := rand.New(rand.NewPCG(5, 5))
	for id := range count {
		e := client(r, int64(1+7*id))
		e.Changed *= 2
		changes = append(changes, e)
	}
	return changes
}

var queries = []struct {
	name  string
	query segment.Query
}{
	{"all", segment.Query{}},
	{"all, last page", segment.Query{Offset: 999_000}},
	{"word", segment.Query{Words: []string{"султанов"}}},
	{"two words", segment.Query{Words: []string{"нур", "сул"}}},
	{"three words, rank", segment.Query{Words: []string{"нур", "сул", "а"}, Order: []segment.By{{Field: segment.Rank}}}},
	{"letter", segment.Query{Words: []string{"а"}}},
	{"letter, rank", segment.Query{Words: []string{"а"}, Order: []segment.By{{Field: segment.Rank}}}},
	{"digit", segment.Query{Words: []string{"7"}}},
	{"digits", segment.Query{Words: []string{"1234567"}}},
	{"telephone", segment.Query{Words: []string{"+7(701)123"}}},
	{"telephone with 8", segment.Query{Words: []string{"8701"}}},
	{"by name", segment.Query{Order: []segment.By{{Field: segment.Name}}}},
	{"by name, middle", segment.Query{Order: []segment.By{{Field: segment.Name}}, Offset: 400_000}},
	{"by name, last page", segment.Query{Order: []segment.By{{Field: segment.Name, Descending: true}}, Offset: 990_000}},
	{"by a number", segment.Query{Order: []segment.By{{Field: "i"}}}},
	{"by three", segment.Query{Order: []segment.By{{Field: "s"}, {Field: "m", Text: true}, {Field: "p"}}, Offset: 500_000}},
	{"range", segment.Query{Where: []segment.Condition{{Field: "i", Is: segment.Within, Spans: []segment.Span{{Low: 1e11, High: 5e11}}}}}},
	{"three filters", segment.Query{Where: []segment.Condition{
		{Field: "i", Is: segment.Within, Spans: []segment.Span{{Low: 1e11, High: 9e11}}},
		{Field: "s", Is: segment.OneOf, Set: []int64{1, 2, 3}},
		{Field: "m", Is: segment.Among, Texts: []string{"домен7", "домен77", "домен123"}},
	}, Order: []segment.By{{Field: "c"}}}},
}

func BenchmarkFind(b *testing.B) {
	counts(b, func(b *testing.B, count int) {
		one, six := []*segment.Segment{open(b, clients(b, count, 1))}, sixSegments(b, count*3/4)
		for _, set := range []struct {
			name     string
			segments []*segment.Segment
			changes  []segment.Entry
		}{{"one", one, nil}, {"six", six, changed(300)}, {"parts", partSegments(b, count), nil}, {"changes", nil, changed(10_000)}} {
			view := segment.NewView(clientShape, set.segments, set.changes)
			for _, q := range queries {
				q.query.Size = 20
				q.query.Offset = q.query.Offset * count / 1_000_000
				b.Run(set.name+"/"+q.name, func(b *testing.B) {
					for b.Loop() {
						view.Find(q.query)
					}
				})
			}
		}
	})
}

// What opening takes at most, beside the bytes themselves.
func BenchmarkMemory(b *testing.B) {
	data := clients(b, 1_000_000, 1)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := open(b, data)
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/1e6, "MB-allocated")
		b.ReportMetric(float64(s.Size()-len(data))/1e6, "MB-derived")
		runtime.KeepAlive(slices.Clip(data))
	}
}
