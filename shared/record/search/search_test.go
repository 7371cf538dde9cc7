package search_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A kind of few records is searched without segments, and an instance finds its own changes at once.
func TestSmallKind(t *testing.T) {
	i := newWorld(t, tabletest.Faults{}).instance()
	i.sees()
	a, b := i.create(numbered(31)), i.create(numbered(32))
	i.sees(a, b)
	a = i.change(a, func(p *person) { p.Age, p.Name = 20, "name 00039" })
	i.sees(a, b)
	i.remove(b)
	i.sees(a)
	forgetful := i.index()
	forgetful.Memory = nil
	for name, q := range queries() {
		q.check(i, name, forgetful, []*person{a})
	}
	i.merge(false)
	if i.manifest() != nil || i.waits(false) {
		t.Error("a small kind has segments, or asks for them")
	}
}

// A kind of more records is read until its segments are made, for which it asks.
func TestFirstSegments(t *testing.T) {
	i := newWorld(t, tabletest.Faults{}).instance()
	people := i.seed(search.Small + 1)
	i.sees(people...)
	if !i.waits(false) {
		t.Error("nothing asks for segments")
	}
	i.merge(false)
	m := i.manifest()
	if m == nil || !m.Built || len(m.Segments) != 1 || m.Segments[0].Rows != int64(len(people)) {
		t.Fatalf("manifest %+v", m)
	}
	i.sees(people...)
	if i.memory.Holds(i.index()) != m.Revision {
		t.Error("the instance does not work with segments")
	}
}

// changed makes some of each kind of change.
func changed(i *instance, people []*person) []*person {
	i.Helper()
	people = append(people, i.create(numbered(9003)))
	people[3] = i.change(people[3], func(p *person) { p.Age, p.City = 25, "rome" })
	people[4] = i.change(people[4], func(p *person) { p.Name, p.Debt, p.Phone = "name 10003", 0, 0 })
	i.remove(people[5])
	return append(people[:5:5], people[6:]...)
}

// Changes since the segments were made are found at once by who made them and by others, before and after they are merged.
func TestChanges(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	a, b := w.instance(), w.instance()
	people := a.seed(search.Small + 50)
	a.merge(false)
	for range 3 {
		people = changed(a, people)
		a.sees(people...)
		b.sees(people...)
		w.pass(search.MarkAge + time.Second)
		b.merge(false)
		w.instance().sees(people...)
	}
	a.sees(people...)
	b.sees(people...)
}

// After many changes an instance asks for a merge, and then works with the new manifest.
func TestManyChanges(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	a, b := w.instance(), w.instance()
	people := a.seed(search.Small + 1)
	a.merge(false)
	a.sees(people...)
	b.sees(people...)
	held := b.memory.Holds(b.index())
	w.pass(time.Second)
	people = append(people, a.seed(320)...)
	b.sees(people...)
	if b.waits(false) {
		t.Error("a merge is asked for that could not take in what is so new")
	}
	w.pass(31 * time.Second)
	b.sees(people...)
	if !b.waits(false) {
		t.Error("nothing asks for a merge")
	}
	w.pass(search.MarkAge)
	a.merge(false)
	people = changed(a, people)
	a.sees(people...)
	b.sees(people...)
	if now := b.memory.Holds(b.index()); now == held {
		t.Errorf("the instance still works with revision %d", now)
	}
	if b.waits(false) {
		t.Error("a merge is asked for again")
	}
}

// named checks that a query of ids finds exactly these people of all who have ever been.
func (i *instance) named(people []*person) {
	i.Helper()
	last := people[len(people)-1].id()
	ids := make([]int64, last)
	for n := range ids {
		ids[n] = int64(n + 1)
	}
	q := query{Query: search.Query{Where: []segment.Condition{{Field: segment.ID, Is: segment.OneOf, Set: ids}}}}
	q.match = func(*person) bool { return true }
	q.check(i, "by ids", i.index(), people)
}

// An instance sees its own changes even where the reads of the table and of its index lag.
func TestOwnChangesBeforeOthersSeeThem(t *testing.T) {
	for name, count := range map[string]int{"records are read": 20, "segments": search.Small + 1} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tabletest.Faults{Stale: 2 * time.Second})
			sound := w.of(enginetest.Client(t), searched())
			people := sound.seed(count)
			sound.merge(false)
			i := w.instance()
			i.finds(people...)
			for range 5 {
				people = changed(i, people)
				i.finds(people...)
				i.named(people)
			}
		})
	}
}
