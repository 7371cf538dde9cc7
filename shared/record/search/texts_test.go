package search_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// textual makes records whose rest is searched with their names, and is the short
// text "r", too.
func textual(t *testing.T, n int, of func(id int64) (name, rest string)) (*store, []record) {
	s := newStore(tabletest.New(t), 7)
	values := func(name, rest string) search.Values {
		v := search.Values{Name: name, More: rest}
		if rest != "" {
			v.Texts = map[string]string{"r": rest}
		}
		return v
	}
	s.index.Needs = []string{"name", "rest"}
	s.index.Values = func(r table.Attributes) (search.Values, error) { return values(r.Text("name"), r.Text("rest")), nil }
	return s, s.fill(t, n, func(id int64) record {
		name, rest := of(id)
		return record{
			Item: table.At(s.Record(kind, id), 1), Name: name, Rest: rest,
			Indexed: search.New(s.Tenant, kind, values(name, rest), search.TextBytes),
		}
	})
}

func TestMoreThanTheNameIsSearched(t *testing.T) {
	long := strings.Repeat("долго ", 20)
	s, _ := textual(t, 5, func(id int64) (string, string) {
		return []string{"Анна", "Борис", long, long + "анна", "анна"}[id-1], []string{"Алматы", "анна", "анна", "Алматы", ""}[id-1]
	})
	for name, tt := range map[string]struct {
		q    search.Query
		want []int64
	}{
		"a word anywhere":            {search.Query{Words: []string{"анна"}}, []int64{5, 4, 3, 2, 1}},
		"a word of both":             {search.Query{Words: []string{"алматы", "анна"}}, []int64{4, 1}},
		"a word in the name":         {search.Query{InName: []string{"анна"}}, []int64{5, 4, 1}},
		"in the name, and anywhere":  {search.Query{InName: []string{"анна"}, Words: []string{"алматы"}}, []int64{4, 1}},
		"no word across the two":     {search.Query{Words: []string{"аннаалматы"}}, nil},
		"names tie by id":            {search.Query{Order: []search.By{{Field: search.Text}}}, []int64{5, 1, 2, 3, 4}},
		"names, the other way round": {search.Query{Order: []search.By{{Field: search.Text, Descending: true}}}, []int64{4, 3, 2, 5, 1}},
	} {
		t.Run(name, func(t *testing.T) { s.finds(t, tt.q, tt.want) })
	}
}

func (s *store) finds(t *testing.T, q search.Query, want []int64) {
	t.Helper()
	q.Size = 1000
	items, count, err := s.index.Page(t.Context(), q)
	if err != nil || count != len(items) || !slices.Equal(ids(items), want) {
		t.Errorf("%v of %d, %v; want %v", ids(items), count, err, want)
	}
}

func TestShortTexts(t *testing.T) {
	long := "улица такая длинная, что в указателе её конца нет, дом "
	rests := []string{"Алматы", "астана", "", "АСТАНА", long + "2", long + "10", long + "1", "Алматы "}
	s, _ := textual(t, len(rests), func(id int64) (string, string) { return "x", rests[id-1] })
	is := func(texts ...string) search.Query {
		return search.Query{Texts: []search.OneOf{{Field: "r", Texts: texts}}}
	}
	by := func(descending bool) search.Query {
		return search.Query{Order: []search.By{{Field: "r", Short: true, Descending: descending}}}
	}
	for name, tt := range map[string]struct {
		q    search.Query
		want []int64
	}{
		"is one":                  {is("Астана"), []int64{4, 2}},
		"is one, spaces apart":    {is(" алматы"), []int64{8, 1}},
		"is none":                 {is("аста"), nil},
		"is a long one":           {is(strings.ToUpper(long) + "10"), []int64{6}},
		"is a part of a long one": {is(long), nil},
		"is one of two":           {is("Астана", long+"1"), []int64{7, 4, 2}},
		"is two at once":          {search.Query{Texts: append(is("астана").Texts, is("алматы").Texts...)}, nil},
		"in order":                {by(false), []int64{8, 1, 4, 2, 7, 6, 5, 3}},
		"in the other order":      {by(true), []int64{3, 5, 6, 7, 4, 2, 8, 1}},
	} {
		t.Run(name, func(t *testing.T) { s.finds(t, tt.q, tt.want) })
	}
}

// Records that are asked for by their ids are found whatever else there is.
func TestIDs(t *testing.T) {
	s, _ := textual(t, 30, func(id int64) (string, string) { return fmt.Sprint("name ", id%3), "" })
	for name, tt := range map[string]struct {
		q    search.Query
		want []int64
	}{
		"some":               {search.Query{IDs: []int64{3, 30, 7, 3}}, []int64{30, 7, 3}},
		"none":               {search.Query{IDs: []int64{}}, nil},
		"what is not there":  {search.Query{IDs: []int64{31, 1 << 40, 1<<63 - 1, 0, -5, 2}}, []int64{2}},
		"with words":         {search.Query{IDs: []int64{1, 2, 3, 4}, Words: []string{"1"}}, []int64{4, 1}},
		"ordered by name":    {search.Query{IDs: []int64{1, 2, 3, 4}, Order: []search.By{{Field: search.Text}}}, []int64{3, 4, 1, 2}},
		"in order of the id": {search.Query{IDs: []int64{9, 2}, Order: []search.By{{Field: search.ID}}}, []int64{2, 9}},
	} {
		t.Run(name, func(t *testing.T) { s.finds(t, tt.q, tt.want) })
	}
}

// However many records are asked for by their ids, and however long their names are.
func TestManyIDsOfLongNames(t *testing.T) {
	const n = 250
	long := strings.Repeat("долго ", 25)
	s, _ := textual(t, n, func(id int64) (string, string) { return fmt.Sprintf("%s%03d", long, (id*7)%n), "" })
	var all, byName []int64
	for id := int64(n); id > 0; id-- {
		all = append(all, id)
	}
	byName = slices.Clone(all)
	slices.SortFunc(byName, func(a, b int64) int { return cmp.Compare((a*7)%n, (b*7)%n) })
	s.finds(t, search.Query{IDs: all, Words: []string{"долго"}}, all)
	s.finds(t, search.Query{IDs: all, Words: []string{"007"}}, []int64{1})
	s.finds(t, search.Query{IDs: all, Order: []search.By{{Field: search.Text}}}, byName)
}

// A list that is ordered by texts follows the whole texts on every page, although many texts are
// longer than their entries hold.
func TestOrdersByTextsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	stems := []string{"", "короткое", strings.Repeat("очень ", 6), strings.Repeat("длинно ", 15)}
	text := func() string { return stems[random.IntN(len(stems))] + fmt.Sprint(random.IntN(4)) }
	s, records := textual(t, 300, func(int64) (string, string) {
		if random.IntN(5) == 0 {
			return text(), ""
		}
		return text(), text()
	})
	encoded := func(s string) string { return strings.ReplaceAll(search.Fold(s), "ё", "е") } // the index keeps no ё
	for range 60 {
		var q search.Query
		for _, by := range random.Perm(3)[:1+random.IntN(3)] {
			q.Order = append(q.Order, []search.By{{Field: search.Text}, {Field: "r", Short: true}, {Field: search.ID}}[by])
			q.Order[len(q.Order)-1].Descending = random.IntN(2) == 0
		}
		want := slices.Clone(records)
		slices.SortFunc(want, func(a, b record) int {
			for _, by := range q.Order {
				var c int
				switch {
				case by.Field == search.ID:
					c = cmp.Compare(a.id(), b.id())
				case by.Field == search.Text:
					c = cmp.Compare(encoded(a.Name), encoded(b.Name))
				case a.Rest == "" && b.Rest != "": // without a value comes last
					c = 1
				case a.Rest != "" && b.Rest == "":
					c = -1
				default:
					c = cmp.Compare(encoded(a.Rest), encoded(b.Rest))
				}
				if by.Descending {
					c = -c
				}
				if c != 0 {
					return c
				}
			}
			return cmp.Compare(b.id(), a.id())
		})
		q.Offset, q.Size = random.IntN(300), 1+random.IntN(60)
		items, count, err := s.index.Page(t.Context(), q)
		if end := min(q.Offset+q.Size, 300); err != nil || count != 300 || !slices.Equal(ids(items), ids(want[q.Offset:end])) {
			t.Fatalf("%+v: %v of %d, %v; want %v", q, ids(items), count, err, ids(want[q.Offset:end]))
		}
	}
}
