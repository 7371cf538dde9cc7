package search_test

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// An entry that says something else than its record is found, and is one of the changes when it is made anew.
func TestMendEntries(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	a := w.instance()
	people := a.seed(20)
	same, err := a.merger.MendEntries(t.Context(), a.Tenant, kind, true)
	if err != nil || same.Records != 20 || len(same.Wrong) != 0 {
		t.Errorf("nothing is wrong: %+v, %v", same, err)
	}
	renamed, other, bare := people[3], people[5], people[7]
	a.ok(a.Update(renamed.Key()).Set("n", "renamed").Set("r", 2).Run(t.Context()))
	a.ok(a.Update(other.Key()).Set("x", []byte(people[6].X)).Set("r", 1).Run(t.Context()))
	a.ok(a.Update(bare.Key()).Remove("x").Run(t.Context()))
	want := []int64{renamed.id(), other.id()}
	for _, mend := range []bool{false, true} {
		if e, err := a.merger.MendEntries(t.Context(), a.Tenant, kind, mend); err != nil || !slices.Equal(e.Wrong, want) || e.Moved != 0 {
			t.Errorf("mend %t: %+v, %v, want %v", mend, e, err, want)
		}
	}
	if e, err := a.merger.MendEntries(t.Context(), a.Tenant, kind, false); err != nil || len(e.Wrong) != 0 {
		t.Errorf("mended: %+v, %v", e, err)
	}
	var is struct {
		search.Indexed
	}
	a.ok(a.Get(t.Context(), renamed.Key(), &is))
	if is.Changed <= renamed.Changed {
		t.Errorf("no merge takes it in: %d after %d", is.Changed, renamed.Changed)
	}
}
