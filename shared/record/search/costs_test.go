package search_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// cost is what the engine says that something has cost, in calls and units.
func cost(t *testing.T, name string, do func(ctx context.Context) error) (calls int, units float64) {
	t.Helper()
	ctx, m := meter.Start(t.Context())
	if err := do(ctx); err != nil {
		t.Fatal(err)
	}
	used := m.Usage()
	t.Logf("%s: %d calls, %v read units, %v write units", name, used.Calls, used.ReadUnits, used.WriteUnits)
	return used.Calls, used.ReadUnits + used.WriteUnits
}

// page asks for a page as a list does.
func (i *instance) page(ctx context.Context) error {
	_, _, err := i.index().Page(ctx, search.Query{Words: []string{"owe"}, Order: []segment.By{{Field: segment.Name}}, Size: 20})
	return err
}

// Without segments, more records than can be read have to wait for them; with segments they are searched in a few calls; and where the
// segments are missing they have to wait for others.
func TestTenThousandRecords(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(10_001)
	if !preparing(t.Context(), i.index(), search.Query{}) || !i.waits(false) {
		t.Fatal("10,001 records are read, or nothing asks for segments")
	}
	w.pass(search.MarkAge + time.Second)
	i.merge(false)
	people = append(people, i.seed(295)...)
	for n := range 5 {
		people[n] = i.change(people[n], func(p *person) { p.Age++ })
	}
	i.sees(people...)
	if calls, units := cost(t, "a search in 10,000 records with 300 changes", i.page); calls > 3 || units > 25 {
		t.Errorf("it takes %d calls and %v units", calls, units)
	}

	cut := w.instance()
	store, _ := faulty(t, 0, false)
	cut.memory = search.NewMemory(store, cut.now, w.most())
	if err := cut.page(t.Context()); !errors.Is(err, fault.ErrUnavailable) || cut.waits(true) || cut.waits(false) {
		t.Errorf("10,001 records without the bucket: %v; or something asks for a merge", err)
	}

	i.wreck()
	i.finds(people...) // the instance has them
	fresh := w.instance()
	if !preparing(t.Context(), fresh.index(), search.Query{}) || !fresh.waits(true) {
		t.Error("10,001 records are read without their segments, or nothing asks for a check")
	}
	i.merge(true)
	fresh.sees(people...)
}

// A kind without segments costs its records, and not more calls. It never gets a segment, however often its records change.
func TestCostOfASmallKind(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(50)
	if calls, units := cost(t, "a search in 50 records", i.page); calls > 2 || units > 4 {
		t.Errorf("it takes %d calls and %v units", calls, units)
	}
	for n := range 310 {
		people[n%50] = i.change(people[n%50], func(p *person) { p.Age++ })
	}
	w.pass(search.MarkAge + time.Minute)
	if i.sees(people...); i.waits(false) {
		t.Error("a merge is asked for")
	}
	i.merge(false)
	if i.manifest() != nil || len(i.segments()) > 0 {
		t.Error("it has a segment")
	}
}

// Merging 3,000 changes an hour costs little for each of them, with the search for late entries.
func TestCostOfMerging(t *testing.T) {
	i := newWorld(t, tabletest.Faults{}).instance()
	i.seed(search.Small + 1)
	i.merge(false)
	hour := func(ctx context.Context) error {
		for range 10 {
			i.seed(300)
			i.pass(6 * time.Minute)
			if err := i.merger.Merge(ctx, i.Tenant, kind, false); err != nil {
				return err
			}
		}
		return nil
	}
	i.ok(hour(t.Context()))
	if _, units := cost(t, "merging for an hour", hour); units/3000 > 0.15 {
		t.Errorf("a change costs %v units", units/3000)
	}
}
