package search_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

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
