package segment_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// A segment holds what it was built from: none, one and many rows, tombstones, large and unusual values.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	long := strings.Repeat("ы", 32<<10)
	extreme := []segment.Entry{
		{ID: 1, Changed: 1 << 52, Values: segment.Values{Name: long, More: " two  spaces "}},
		{ID: 2, Gone: true},
		{ID: 3, Values: segment.Values{Name: "😀 中文\t\x00 ё", Texts: map[string]string{"s": "", "e": long}}},
		{ID: 1<<53 - 1, Values: segment.Values{Name: strings.Repeat("a b ", 8000), Numbers: map[string]int64{"n": math.MaxInt64, "c": 0}}},
		{ID: 1 << 53, Values: segment.Values{More: "x", Numbers: map[string]int64{"n": math.MinInt64 + 1, "c": -1}}},
	}
	for name, entries := range map[string][]segment.Entry{
		"none": nil, "one": extreme[:1], "gone": extreme[1:2], "extreme": extreme, "many": someEntries(r, 3000),
	} {
		for _, shape := range []segment.Shape{shape, nil} {
			s := build(t, shape, entries)
			want := slices.Clone(entries)
			if shape == nil {
				for i := range want {
					want[i].Numbers, want[i].Texts = nil, nil
				}
			}
			got := slices.Collect(s.All())
			if s.Rows() != len(entries) || !slices.Equal(s.Shape(), shape) || !slices.EqualFunc(got, want, equal) {
				t.Errorf("%s: %d rows came back otherwise", name, len(entries))
			}
			if s.Size() < s.Rows() {
				t.Errorf("%s: %d bytes are kept, of %d rows", name, s.Size(), s.Rows())
			}
		}
	}
}

func equal(a, b segment.Entry) bool {
	sameMaps := maps.Equal(a.Numbers, b.Numbers) && maps.Equal(a.Texts, b.Texts)
	a.Numbers, a.Texts, b.Numbers, b.Texts = nil, nil, nil, nil
	return sameMaps && reflect.DeepEqual(a, b)
}

func TestBuildRefuses(t *testing.T) {
	for name, entries := range map[string][]segment.Entry{"twice": {{ID: 1}, {ID: 1}}, "descending": {{ID: 2}, {ID: 1}}} {
		if _, err := segment.Build(nil, slices.Values(entries)); err == nil {
			t.Errorf("%s: built", name)
		}
	}
	for _, c := range []segment.Column{{Letter: strings.Repeat("x", 1<<16)}, {Letter: "x", Digits: segment.Spelling{Width: 256}}} {
		if _, err := segment.Build(segment.Shape{c}, slices.Values([]segment.Entry(nil))); !errors.Is(err, segment.ErrTooLarge) {
			t.Errorf("a column with a letter of %d bytes and %+v: %v", len(c.Letter), c.Digits, err)
		}
	}
}

// Every damage is noticed: a byte that is another, and bytes that are missing or too many.
func TestDamage(t *testing.T) {
	data, err := segment.Build(shape, slices.Values(someEntries(rand.New(rand.NewPCG(3, 3)), 50)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 0x10
		for _, bytes := range [][]byte{damaged, data[:i], sealed(slices.Clone(data[:i]))} {
			if _, err := segment.Open(bytes); !errors.Is(err, segment.ErrBroken) {
				t.Fatalf("damaged at byte %d of %d: %v", i, len(data), err)
			}
		}
	}
	if _, err := segment.Open(sealed(append(slices.Clone(data), 0))); !errors.Is(err, segment.ErrBroken) {
		t.Errorf("with a byte more: %v", err)
	}
}

// sealed sets the checksum.
func sealed(data []byte) []byte {
	if len(data) >= 12 {
		binary.LittleEndian.PutUint32(data[8:], crc32.Checksum(data[12:], crc32.MakeTable(crc32.Castagnoli)))
	}
	return data
}

// Whatever opens can be asked and merged without a panic, even if the checksum was made for wrong bytes.
func FuzzOpen(f *testing.F) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, most := range []int{0, 1, 3, 40} {
		data, err := segment.Build(shape, slices.Values(someEntries(r, most)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := segment.Open(sealed(slices.Clone(data)))
		if err != nil {
			return
		}
		use(t, s)
	})
}

func use(t *testing.T, s *segment.Segment) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 5))
	view := segment.NewView(shape, []*segment.Segment{s, s}, []segment.Entry{someEntry(r, 1, 2)})
	for range 20 {
		q := someQuery(r)
		view.Find(q)
		view.IDs(q)
	}
	for range s.All() {
	}
	data, err := segment.MergeAll(shape, []*segment.Segment{s, s}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	open(t, data)
}

// Bytes that are wrong in a few places, with the right checksum, open or not; nothing panics.
func TestWrongBytes(t *testing.T) {
	opened := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 6))
		data, err := segment.Build(shape, slices.Values(someEntries(r, 1+r.IntN(20))))
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + r.IntN(3) {
			data[12+r.IntN(len(data)-12)] = pick(r, []byte{0, 1, 0xFF, 0x80, byte(r.IntN(256))})
		}
		if s, err := segment.Open(sealed(data)); err == nil {
			opened++
			use(t, s)
		}
	}
	if opened < 100 {
		t.Errorf("only %d opened", opened)
	}
}

// What a merge makes is what a build of the same entries makes, to the byte.
func TestMerge(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		var lists [][]segment.Entry
		var segments []*segment.Segment
		for range r.IntN(6) {
			lists = append(lists, someEntries(r, 200))
			segments = append(segments, build(t, shape, lists[len(lists)-1]))
		}
		changes := someEntries(r, 200)
		lists = append(lists, changes)
		dropGone := r.IntN(2) == 0
		limit := segment.Limit{IDs: segment.Everything(), Rows: 200, Bytes: 1 << 20}
		if r.IntN(2) == 0 {
			limit.IDs = segment.Span{Low: 20, High: 150}
		}
		data, _, err := segment.Merge(shape, segments, changes, dropGone, limit)
		if err != nil {
			t.Fatal(err)
		}
		want, err := segment.Build(shape, slices.Values(slices.DeleteFunc(newest(lists...), func(e segment.Entry) bool {
			return dropGone && e.Gone || e.ID < limit.IDs.Low || e.ID > limit.IDs.High
		})))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(data, want) {
			t.Fatalf("seed %d: %d bytes, want %d", seed, len(data), len(want))
		}
	}
}

// A merge gives rows the columns of a new shape: those that a segment lacks, or has of the other type, have no value.
func TestShapeChanges(t *testing.T) {
	old := build(t, segment.Shape{{Letter: "a"}, {Letter: "b"}}, []segment.Entry{
		{ID: 1, Values: segment.Values{Numbers: map[string]int64{"a": 1, "b": 2}}},
	})
	now := segment.Shape{{Letter: "b", Text: true}, {Letter: "c"}, {Letter: "a"}}
	changes := []segment.Entry{{ID: 2, Values: segment.Values{Numbers: map[string]int64{"c": 3}, Texts: map[string]string{"b": "x"}}}}
	data, err := segment.MergeAll(now, []*segment.Segment{old}, changes, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []segment.Entry{{ID: 1, Values: segment.Values{Numbers: map[string]int64{"a": 1}}}, changes[0]}
	if got := slices.Collect(open(t, data).All()); !slices.EqualFunc(got, want, equal) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A view knows a query if all its segments have the columns that the query asks for, with their type.
func TestKnows(t *testing.T) {
	stored := segment.Shape{{Letter: "a"}, {Letter: "s", Text: true}}
	now := append(slices.Clone(stored), segment.Column{Letter: "p", Digits: segment.Spelling{Width: 3}})
	view := segment.NewView(now, []*segment.Segment{build(t, now, nil), build(t, stored, nil)}, nil)
	where := func(field string, is segment.Is) segment.Condition { return segment.Condition{Field: field, Is: is} }
	for _, q := range []segment.Query{
		{},
		{Words: []string{"a1"}, InName: []string{"12"}},
		{Order: []segment.By{{Field: "a"}, {Field: "s", Text: true}, {Field: segment.ID}, {Field: segment.Name}, {Field: segment.Rank}}},
		{Where: []segment.Condition{where("a", segment.Within), where("s", segment.Among), where("s", segment.Missing), where(segment.ID, segment.OneOf)}},
		{Where: []segment.Condition{{Any: []segment.Condition{where("a", segment.OneOf), {Words: []string{"x"}}}}}},
	} {
		if !view.Knows(q) {
			t.Errorf("%+v isn't known", q)
		}
	}
	unknown := []segment.Query{
		{Words: []string{"+1"}},
		{Order: []segment.By{{Field: "p"}}},
		{Order: []segment.By{{Field: "a", Text: true}}},
		{Where: []segment.Condition{where("a", segment.Among)}},
		{Where: []segment.Condition{where("s", segment.Within)}},
		{Where: []segment.Condition{where("p", segment.Missing)}},
		{Where: []segment.Condition{{Any: []segment.Condition{where("a", segment.OneOf), {Words: []string{"1"}}}}}},
	}
	for _, q := range unknown {
		if view.Knows(q) {
			t.Errorf("%+v is known", q)
		}
		if !segment.NewView(now, nil, nil).Knows(q) {
			t.Errorf("changes don't know %+v", q)
		}
	}
}

// One stored set serves several views.
func TestSetIsShared(t *testing.T) {
	set := segment.NewSet([]*segment.Segment{build(t, nil, []segment.Entry{{ID: 1}, {ID: 2}})})
	gone := []segment.Entry{{ID: 1, Changed: 1, Gone: true}}
	if ids := set.View(nil, gone).IDs(segment.Query{}); !slices.Equal(ids, []int64{2}) {
		t.Errorf("with a change %v are left", ids)
	}
	if ids := set.View(nil, nil).IDs(segment.Query{}); !slices.Equal(ids, []int64{1, 2}) {
		t.Errorf("without the change %v are left", ids)
	}
}

// The bytes are those that docs/search-format.md describes.
func TestFormat(t *testing.T) {
	data, err := segment.Build(segment.Shape{{Letter: "p", Digits: segment.Spelling{Width: 11, Trunk: true}}, {Letter: "s", Text: true}}, slices.Values([]segment.Entry{
		{ID: 7, Changed: 1000, Values: segment.Values{Name: "б а", Numbers: map[string]int64{"p": 5}, Texts: map[string]string{"s": "x"}}},
		{ID: 9, Changed: 1001, Values: segment.Values{Name: "а", More: "а"}},
		{ID: 10, Changed: 1003, Gone: true},
	}))
	if err != nil {
		t.Fatal(err)
	}
	eight := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	numbers := func(count, base, width uint64, packed ...byte) []byte {
		return slices.Concat(eight(count), eight(base), eight(width), packed, eight(0))
	}
	want := slices.Concat([]byte("TSEG\x01\x00\x00\x00\x00\x00\x00\x00"), eight(3),
		eight(2), []byte{2, 11, 1, 0, 0, 0, 0, 0, 'p', 1, 0, 1, 0, 0, 0, 0, 0, 's'},
		numbers(3, 6, 3, 0b0_0_011_001, 0b1),       // ids 7, 9, 10 are 1, 3, 4
		numbers(3, 999, 3, 0b00_010_001, 0b1),      // changed: 1, 2, 4
		numbers(3, 0, 1, 0b100),                    // gone
		eight(2), eight(4), []byte("\xac\n\xae\n"), // the words а, б
		numbers(3, 0, 2, 0b00_01_10), eight(3), numbers(3, ^uint64(0), 2, 0b01_01_10), // names: б а, а
		numbers(3, 0, 1, 0b010), eight(1), numbers(1, ^uint64(0), 1, 0b1), // further text: а
		numbers(3, ^uint64(0), 2, 0b01_10_11), // by name: rows 2, 1, 0
		numbers(3, 0, 0),
		numbers(3, 4, 1, 0b001),
		eight(1), eight(2), []byte("x\n"), numbers(3, ^uint64(0), 1, 0b001),
	)
	if !slices.Equal(data, sealed(want)) {
		t.Errorf("built\n%x, want\n%x", data, want)
	}
}
