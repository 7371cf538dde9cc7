package search_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

// An instance serves many companies. What it remembers of one, its segments and its own latest changes, is in no other's lists.
func TestMemoryOfTwoCompanies(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	one := w.instance()
	neighbour := &world{TB: t, api: w.api, table: w.table, store: w.store, company: tenant.ID(1000 + companies.Add(1)), start: w.start}
	other := neighbour.of(one.client, searched())
	other.memory = one.memory
	ours, theirs := one.seed(search.Small+1), other.seed(search.Small+2)
	one.merge(false)
	other.merge(false)
	for range 2 {
		one.sees(ours...)
		other.sees(theirs...)
		ours, theirs = append(ours, one.create(numbered(601))), append(theirs, other.create(numbered(701)))
		one.remove(ours[0])
		ours = ours[1:]
	}
	other.sees(theirs...)
	one.sees(ours...)
}

// An instance that has served many companies forgets those that are idle.
func TestMemoryOfIdleCompanies(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	i.finds(people...)
	for round := range 3 {
		for company := range search.Many {
			i.memory.Wrote(tenant.ID(100_000+round*search.Many+company), kind, 1, search.Indexed{})
		}
		w.pass(time.Minute)
	}
	i.memory.Wrote(i.company, kind, 1, search.Indexed{})
	if n := i.memory.Knows(); n > search.Many+10 {
		t.Errorf("it remembers %d kinds", n)
	}
	if i.memory.Holds(i.index()) == 0 {
		t.Error("it has forgotten a company whose segments it has")
	}
}
