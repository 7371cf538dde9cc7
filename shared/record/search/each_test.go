package search_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

func TestEach(t *testing.T) {
	s := newStore(tabletest.New(t), 1)
	newest := s.fill(t, 250, func(id int64) record { return s.record(id, fmt.Sprintf("Name %d", id%7), id%2, id) })
	var sizes []int
	var got []int64
	// What goes while the records are read is left out, and shifts nothing.
	gone := func() {
		for _, id := range []int64{1, 249} {
			if err := listingtest.Delete(t.Context(), s.Tenant, s.dir, id, func(tx *table.Tx) error {
				tx.Delete(s.Tenant.Delete(s.Record(kind, id)).If("attribute_exists(pk)"), nil)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	count, err := s.index.Each(t.Context(), search.Query{Size: 1, Offset: 5}, 100, func(items []record) error {
		if sizes == nil {
			gone()
		}
		sizes, got = append(sizes, len(items)), append(got, ids(items)...)
		return nil
	})
	want := slices.DeleteFunc(ids(newest), func(id int64) bool { return id == 1 })
	if err != nil || count != 249 || !slices.Equal(got, want) || !slices.Equal(sizes, []int{100, 100, 49}) {
		t.Errorf("%d records %v in %v, %v", count, got, sizes, err)
	}

	// Records that lie close together cost an eighth of a unit, not a half.
	metered, used := meter.Start(t.Context())
	if _, err := s.index.Each(metered, search.Query{}, 100, func([]record) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if u := used.Usage(); u.Calls > 6 || u.ReadUnits > 30 {
		t.Errorf("%d calls, %v units", u.Calls, u.ReadUnits)
	}

	got = nil
	odd := search.Query{
		Words: []string{"3"}, Filter: func(e search.Entry) bool { return e.Number("s") == 1 }, Order: []search.By{{Field: search.ID}},
	}
	count, err = s.index.Each(t.Context(), odd, 100, func(items []record) error { got = append(got, ids(items)...); return nil })
	if err != nil {
		t.Fatal(err)
	}
	paged := search.Query{Words: odd.Words, Filter: odd.Filter, Order: odd.Order, Size: 1000}
	if page, total, err := s.index.Page(t.Context(), paged); err != nil ||
		total != count || !slices.Equal(ids(page), got) || count == 0 {
		t.Errorf("%d records %v, a page has %d %v (%v)", count, got, total, ids(page), err)
	}
	found, err := s.index.IDs(t.Context(), search.Query{Words: odd.Words, Filter: odd.Filter, Size: 1})
	if slices.Sort(found); err != nil || !slices.Equal(found, got) {
		t.Errorf("the ids are %v, %v; want %v", found, err, got)
	}
	metered, used = meter.Start(t.Context())
	if found, err = s.index.IDs(metered, search.Query{}); err != nil || len(found) != 248 || used.Usage().Calls > 2 {
		t.Errorf("%d ids, %v, %+v", len(found), err, used.Usage())
	}
	stop := errors.New("stop")
	if _, err := s.index.Each(t.Context(), odd, 1, func([]record) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}
