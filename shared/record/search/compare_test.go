package search_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// What was written without an entry, or lost one, is found by comparing, and is right when the segments are made anew.
func TestCompareAndMakeAnew(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	a := w.instance()
	people := a.seed(search.Small + 10)
	none, err := a.merger.Compare(t.Context(), a.Tenant, kind)
	if err != nil || none.Built || none.Any() {
		t.Errorf("without segments: %+v, %v", none, err)
	}
	a.merge(false)
	w.pass(2 * search.MarkAge)
	same, err := a.merger.Compare(t.Context(), a.Tenant, kind)
	if err != nil || same.Any() || same.Records != len(people) || !same.Built || (same.Segments > 1) != w.streams() {
		t.Errorf("as merged: %+v, %v", same, err)
	}
	other, lost, gone := people[3], people[5], people[7]
	a.ok(a.Update(other.Key()).Set("n", "renamed").Run(t.Context()))
	a.ok(a.Delete(gone.Key()).Run(t.Context()))
	late := numbered(9000)
	late.Item, late.Updated = lost.Item, a.now().Add(-time.Hour).UnixMicro()
	id := lost.id() + 100_000
	late.PK, late.SK = a.Record(kind, id).PK, a.Record(kind, id).SK
	a.ok(a.Create(&late).Run(t.Context()))
	d, err := a.merger.Compare(t.Context(), a.Tenant, kind)
	if err != nil || !slices.Equal(d.Other, []int64{other.id()}) || !slices.Equal(d.Ghosts, []int64{gone.id()}) ||
		!slices.Equal(d.Lacking, []int64{id}) {
		t.Fatalf("%+v, %v", d, err)
	}
	a.ok(a.merger.Anew(t.Context(), a.Tenant, kind, a.wait))
	if d, err := a.merger.Compare(t.Context(), a.Tenant, kind); err != nil || d.Records != len(people) || d.Any() {
		t.Errorf("made anew: %+v, %v", d, err)
	}
	if kinds := a.merger.Kinds(); !slices.Contains(kinds, kind) {
		t.Errorf("kinds %v", kinds)
	}
}

// What is written while records are compared differs from nothing, and comparing asks for no merge.
func TestCompareWhileOthersWrite(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 10)
	i.merge(false)
	for call := 1; ; call++ {
		w.pass(2 * search.MarkAge)
		happened := false
		m := w.meddled(call, searched(), func() {
			happened = true
			people = changed(i, people)
		})
		if d, err := m.merger.Compare(t.Context(), m.Tenant, kind); err != nil || d.Any() {
			t.Errorf("a write before call %d: %+v, %v", call, d, err)
		}
		if !happened {
			break
		}
	}
	i.seed(400)
	w.pass(2 * search.MarkAge)
	if d, err := i.merger.Compare(t.Context(), i.Tenant, kind); err != nil || d.Any() || i.waits(false) {
		t.Errorf("a merge is asked for, or %+v, %v", d, err)
	}
}
