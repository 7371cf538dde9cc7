package search_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// What is shown beside records is read in the call that reads them by their ids, and in one more where the records are read
// otherwise. Whatever is asked for is known afterwards, also if it does not exist.
func TestAlong(t *testing.T) {
	i := newWorld(t, tabletest.Faults{}).instance()
	add := func(first, n int) (people []*person) {
		people = i.seed(n)
		for at, p := range people {
			if at += first; at%3 > 0 { // some have nothing beside them
				err := i.Write(t.Context(), func(tx *table.Tx, _ int) error {
					tx.Update(i.Update(i.Beside(kind, p.id())).Set("s", p.id()), nil)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		return people
	}
	check := func(name string, count, size, calls int, named ...int64) {
		t.Helper()
		index, company := i.index(), i.Beside(kind, 1_000_000)
		index.Along = &search.Along{Of: func(id int64) []table.Key { return []table.Key{i.Beside(kind, id), company} }}
		var page []*person
		if used, _ := cost(t, name, func(ctx context.Context) (err error) {
			q := search.Query{Order: []segment.By{{Field: segment.ID, Descending: true}}, Size: size}
			if named != nil {
				q.Where = []segment.Condition{{Field: segment.ID, Is: segment.OneOf, Set: named}}
			}
			page, _, err = decoded(index.Page(ctx, q))
			return err
		}); used > calls {
			t.Errorf("%s takes %d calls, want %d", name, used, calls)
		}
		if len(page) != min(size, count) {
			t.Fatalf("%s: %d records", name, len(page))
		}
		keys := []table.Key{company}
		for _, p := range page {
			key := i.Beside(kind, p.id())
			keys = append(keys, key)
			item, asked := index.Along.Items[key]
			want := int64(0)
			if n := p.id() - 1; n%3 > 0 {
				want = p.id()
			}
			if !asked || item.Int("s") != want {
				t.Fatalf("%s: beside %d there is %v, want %d", name, p.id(), item, want)
			}
		}
		if len(index.Along.Items) > size+1 {
			t.Errorf("%s: %d items are read beside %d records", name, len(index.Along.Items), size)
		}
		for key := range index.Along.Items {
			if !slices.Contains(keys, key) {
				t.Fatalf("%s: %v was not asked for", name, key)
			}
		}
	}
	add(0, 30)
	check("few records", 30, 20, 3)
	add(30, search.Small)
	i.pass(search.MarkAge + time.Second)
	i.merge(false)
	check("the first search in segments", 230, 20, 3)
	check("by their ids", 230, 20, 3)
	check("by a range of ids", 230, 150, 5) // 151 keys take two
	var ids []int64
	for id := range int64(120) {
		ids = append(ids, id+1)
	}
	check("by many ids that are named", 120, 20, 2, ids...)
	check("by few ids that are named", 20, 20, 1, ids[:20]...)
}
