package search_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
)

// query is a query, and what it means.
type query struct {
	search.Query
	match func(p *person) bool
	order func(a, b *person) int // equal ones: the newest first
}

// queries are one of each kind.
func queries() map[string]query {
	rome := "rome"
	return map[string]query{
		"all": {match: func(*person) bool { return true }},
		"a word of the name": {
			Query: search.Query{Words: []string{"0003"}, Order: []segment.By{{Field: segment.Name}}},
			match: func(p *person) bool { return strings.Contains(p.Name, "0003") || strings.Contains(phone(p), "0003") },
			order: func(a, b *person) int { return strings.Compare(a.Name, b.Name) },
		},
		"words of both texts": {
			Query: search.Query{Words: []string{"nam", "owe"}, Order: []segment.By{{Field: "a", Descending: true}}},
			match: func(p *person) bool { return strings.Contains(p.Name, "nam") && strings.Contains(p.More, "owe") },
			order: func(a, b *person) int { return cmp.Compare(b.Age, a.Age) },
		},
		"digits": {
			Query: search.Query{Words: []string{"8701000"}},
			match: func(p *person) bool { return strings.HasPrefix(phone(p), "7701000") },
		},
		"a range": {
			Query: search.Query{
				Where: []segment.Condition{{Field: "a", Is: segment.Within, Spans: []segment.Span{{Low: 20, High: 30}}}},
				Order: []segment.By{{Field: "a"}, {Field: segment.Name}},
			},
			match: func(p *person) bool { return p.Age >= 20 && p.Age <= 30 },
			order: func(a, b *person) int {
				return cmp.Or(cmp.Compare(a.Age, b.Age), strings.Compare(a.Name, b.Name))
			},
		},
		"a text": {
			Query: search.Query{Where: []segment.Condition{{Field: "c", Is: segment.Among, Texts: []string{rome}}}},
			match: func(p *person) bool { return p.City == rome },
		},
		"what is missing": {
			Query: search.Query{Where: []segment.Condition{segment.HasNone("d"), segment.Not(segment.HasNone("c"))}},
			match: func(p *person) bool { return p.Debt == 0 && p.City != "" },
		},
	}
}

func phone(p *person) string {
	if p.Phone == 0 {
		return ""
	}
	return strconv.FormatInt(p.Phone, 10)
}

// of are the people that the query finds, in its order.
func (q query) of(people []*person) (found []*person) {
	for _, p := range people {
		if q.match(p) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b *person) int {
		if q.order != nil {
			if c := q.order(a, b); c != 0 {
				return c
			}
		}
		return cmp.Compare(b.id(), a.id())
	})
	return found
}

const pageSize = 50

// check asks the query in every way.
func (q query) check(i *instance, name string, ix search.Index, people []*person) {
	i.Helper()
	want := q.of(people)
	ids, err := ix.IDs(i.Context(), q.Query)
	if i.ok(err); !slices.Equal(ids, slices.Sorted(slices.Values(idsOf(want)))) {
		i.Fatalf("%s: %d ids, want %d: %s", name, len(ids), len(want), difference(ids, want))
	}
	numbers, err := ix.Numbers(i.Context(), q.Query, "a")
	if i.ok(err); len(numbers) != len(want) {
		i.Fatalf("%s: %d numbers, want %d", name, len(numbers), len(want))
	}
	for _, p := range want {
		if numbers[p.id()] != p.Age {
			i.Fatalf("%s: %d is %d years old, want %d", name, p.id(), numbers[p.id()], p.Age)
		}
	}
	asked := q.Query
	asked.Offset, asked.Size = max(0, len(want)-pageSize)/2, pageSize
	items, count, err := decoded(ix.Page(i.Context(), asked))
	if i.ok(err); count != len(want) {
		i.Fatalf("%s: %d match, want %d", name, count, len(want))
	}
	same(i, name, items, want[asked.Offset:min(asked.Offset+pageSize, len(want))])
	items = nil
	_, err = ix.Each(i.Context(), q.Query, 300, func(some []table.Attributes) error {
		recs, err := table.DecodeAll[*person](some)
		items = append(items, recs...)
		return err
	})
	i.ok(err)
	same(i, name, items, want)
}

// same checks records, which are the latest version of each.
func same(i *instance, name string, items []*person, want []*person) {
	i.Helper()
	if len(items) != len(want) {
		i.Fatalf("%s: %d records, want %d", name, len(items), len(want))
	}
	for n := range items {
		if items[n].SK != want[n].SK || items[n].Updated != want[n].Updated {
			i.Fatalf("%s: record %d is %s of %d, want %s of %d", name, n, items[n].SK, items[n].Updated, want[n].SK, want[n].Updated)
		}
	}
}

func idsOf(people []*person) []int64 {
	ids := make([]int64, len(people))
	for n, p := range people {
		ids[n] = p.id()
	}
	return ids
}

// difference tells which ids are too many, and which are missing.
func difference(got []int64, want []*person) string {
	var text strings.Builder
	for _, id := range got {
		if !slices.Contains(idsOf(want), id) {
			text.WriteString(" +" + strconv.FormatInt(id, 10))
		}
	}
	for _, id := range idsOf(want) {
		if !slices.Contains(got, id) {
			text.WriteString(" -" + strconv.FormatInt(id, 10))
		}
	}
	return text.String()
}

// preparing tells whether a query is answered with ErrPreparing.
func preparing(ctx context.Context, ix search.Index, q search.Query) bool {
	_, err := ix.IDs(ctx, q)
	return errors.Is(err, search.ErrPreparing)
}
