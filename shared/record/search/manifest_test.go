package search_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// By a manifest that no merge can have written nothing is searched, in memory or streamed, and the segments are made anew.
func TestUnsoundManifest(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	sound := *i.manifest()
	good := sound.Segments[0]
	for name, segments := range map[string][]search.Stored{
		"a further part of nothing": {{ID: good.ID, Rows: good.Rows, Continues: true}},
		"parts in another order":    {{ID: i.merger.NewID(), First: 100}, {ID: good.ID, First: 1, Continues: true}},
		"negative rows":             {{ID: good.ID, Rows: -1}},
		"negative bytes":            {{ID: good.ID, Rows: 1, Bytes: -1 << 62}},
		"a negative id":             {{ID: good.ID, First: -1}},
		"a file twice":              {good, good},
		"too many files":            many(i, 4001),
	} {
		for rebuilding, in := range map[string]func(m *search.Manifest){
			"":               func(m *search.Manifest) { m.Segments = segments },
			", of a rebuild": func(m *search.Manifest) { m.Rebuild = &search.Rebuild{Next: 100, Segments: segments} },
		} {
			t.Run(name+rebuilding, func(t *testing.T) {
				bad := sound
				bad.Revision = i.manifest().Revision + 1
				bad.Deep += bad.Revision // so that everybody works with it
				in(&bad)
				i.ok(i.Put(bad).Run(t.Context()))
				for _, sees := range []*instance{w.instance(), i} {
					if sees.finds(people...); !sees.waits(true) {
						t.Error("nothing asks for a check")
					}
				}
				i.merge(true)
				w.pass(time.Minute) // so that it may ask again
				if m := i.manifest(); len(m.Segments) != 1 || m.Segments[0].Rows != int64(len(people)) || m.Rebuild != nil {
					t.Errorf("made anew: %+v", m)
				}
				i.sees(people...)
				w.instance().sees(people...)
			})
		}
	}
}

func many(i *instance, n int) (list []search.Stored) {
	for range n {
		list = append(list, search.Stored{ID: i.merger.NewID()})
	}
	return list
}

// A merge leaves a kind to another one that stores a file, so that this one doesn't fail; if the other has died, only for a while.
func TestMergeLeavesAnotherAlone(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	people[0] = i.change(people[0], func(p *person) { p.Age++ })
	w.pass(search.MarkAge + time.Second)
	before, writes, waited := i.manifest(), 0, time.Duration(0)
	late := w.instance()
	first := w.of(&gate{DynamoDBAPI: w.api.Client(0), write: func() {
		if writes++; writes == 2 { // it has stored its file
			revision := i.manifest().Revision
			var later outbox.Later
			if err := late.merger.Merge(t.Context(), late.Tenant, kind, false); !errors.As(err, &later) {
				t.Errorf("the other merge: %v", err)
			}
			if waited = later.Until.Sub(w.now()); i.manifest().Revision != revision {
				t.Error("the other merge has written")
			}
		}
	}}, searched())
	i.ok(first.merger.Merge(t.Context(), first.Tenant, kind, false))
	if now := i.manifest(); writes != 2 || now.Mark <= before.Mark || now.Busy != 0 {
		t.Errorf("after %d writes the mark is %d, before it was %d; busy until %d", writes, now.Mark, before.Mark, now.Busy)
	}
	if waited <= 0 || waited > 10*time.Second {
		t.Errorf("the other merge waits %v", waited)
	}
	late.merge(false)
	w.instance().sees(people...)
	i.tidies()
}

// A time that no merge names keeps none from working.
func TestBusyForLong(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	people[0] = i.change(people[0], func(p *person) { p.Age++ })
	for _, until := range []time.Duration{time.Minute, 24 * time.Hour} {
		w.pass(search.MarkAge + time.Second)
		before := *i.manifest()
		busy := before
		busy.Revision++
		busy.Busy = w.now().Add(until).UnixMicro()
		i.ok(i.Put(busy).Run(t.Context()))
		i.ok(i.merger.Merge(t.Context(), i.Tenant, kind, false))
		if i.manifest().Mark <= before.Mark {
			t.Errorf("busy for %v: nothing was merged", until)
		}
	}
	w.instance().sees(people...)
}

// Making segments anew begins again if a merge was faster.
func TestAnewBesideAMerge(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	w.pass(search.MarkAge + time.Second)
	people[0] = i.change(people[0], func(p *person) { p.Age++ })
	first, writes := i.manifest().Segments[0].ID, 0
	command := w.of(&gate{DynamoDBAPI: w.api.Client(0), write: func() {
		if writes++; writes == 1 {
			w.pass(search.MarkAge + time.Second)
			w.instance().merge(false)
		}
	}}, searched())
	i.ok(command.merger.Anew(t.Context(), command.Tenant, kind, func(until time.Time) error {
		w.pass(until.Sub(w.now()))
		return nil
	}))
	m := i.manifest()
	if len(m.Segments) != 1 || m.Segments[0].ID == first || m.Segments[0].Rows != int64(len(people)) {
		t.Errorf("made anew: %+v", m.Segments)
	}
	w.instance().sees(people...)
}
