package segment_test

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// Signs around a word don't make it worse, in a segment or among changes; what is within it does.
func TestRankOfWordsInSigns(t *testing.T) {
	names := []string{
		"тоо «рубин»", "«рубин, тоо»", "(рубин)", "№рубин", "рубин", // whole
		"рубинов", "«рубинов»", "тоо рубин-сервис", // at a beginning
		"барубин", "«аурубин»", "a.рубин", // in the middle
	}
	classes := []int{5, 8, 11}
	var entries []segment.Entry
	for i, name := range names {
		entries = append(entries, segment.Entry{ID: int64(len(names) - i), Changed: 1, Values: segment.Values{Name: name}})
	}
	slices.Reverse(entries)
	data, err := segment.Build(shape, slices.Values(entries))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := segment.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, view := range map[string]*segment.View{
		"a segment": segment.NewView(shape, []*segment.Segment{opened}, nil),
		"changes":   segment.NewView(shape, nil, entries),
	} {
		ids, _ := view.Find(segment.Query{Words: []string{"рубин"}, Order: []segment.By{{Field: segment.Rank}}, Size: 100})
		if len(ids) != len(names) {
			t.Fatalf("%s: %d of %d are found", name, len(ids), len(names))
		}
		from := 0
		for _, to := range classes { // within a class, the newest come first
			if !slices.IsSortedFunc(ids[from:to], func(a, b int64) int { return int(b - a) }) || ids[from] != int64(len(names)-from) {
				t.Errorf("%s: %v at %d to %d", name, ids, from, to)
			}
			from = to
		}
	}
	ids, _ := segment.NewView(shape, []*segment.Segment{opened}, nil).
		Find(segment.Query{Words: []string{"«рубин"}, Order: []segment.By{{Field: segment.Rank}}, Size: 100})
	if !slices.Equal(ids, []int64{11, 10, 5}) {
		t.Errorf("with its sign, %v", ids)
	}
}
