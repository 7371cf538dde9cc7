package search_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
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
	bad := map[string]func(m *search.Manifest) any{
		"another type": func(m *search.Manifest) any {
			return struct {
				table.Item
				Revision int64  `dynamo:"n"`
				Segments string `dynamo:"s"`
			}{m.Item, m.Revision, "none"}
		},
		"a mark that is to come":     func(m *search.Manifest) any { m.Mark = w.now().Add(time.Hour).UnixMicro(); return m },
		"a look that is to come":     func(m *search.Manifest) any { m.Deep = w.now().Add(time.Hour).UnixMicro(); return m },
		"the last revision":          func(m *search.Manifest) any { m.Revision = math.MaxInt64; return m },
		"more garbage than it holds": func(m *search.Manifest) any { m.Garbage = garbage(i, 4500); return m },
		"a rebuild that is to come": func(m *search.Manifest) any {
			m.Rebuild = &search.Rebuild{Next: 1, Mark: w.now().Add(time.Hour).UnixMicro()}
			return m
		},
	}
	for name, segments := range map[string][]search.Stored{
		"a further part of nothing": {{ID: good.ID, Version: "1", Rows: good.Rows, Bytes: 1, Continues: true}},
		"parts in another order": {
			{ID: i.merger.NewID(), Version: "1", Bytes: 1, First: 100}, {ID: good.ID, Version: "1", Bytes: 1, First: 1, Continues: true},
		},
		"negative rows":  {{ID: good.ID, Version: "1", Rows: -1, Bytes: 1}},
		"negative bytes": {{ID: good.ID, Version: "1", Rows: 1, Bytes: -1 << 62}},
		"a negative id":  {{ID: good.ID, Version: "1", Bytes: 1, First: -1}},
		"no version":     {{ID: good.ID, SHA256: good.SHA256, Rows: good.Rows, Bytes: good.Bytes}},
		"a file twice":   {good, good},
		"too many files": many(i, 4001),
	} {
		bad[name] = func(m *search.Manifest) any { m.Segments = segments; return m }
		bad[name+", of a rebuild"] = func(m *search.Manifest) any {
			m.Rebuild = &search.Rebuild{Next: 100, Segments: segments}
			return m
		}
	}
	if !search.IsSound(&sound, w.now()) {
		t.Fatal("what a merge has written is not sound")
	}
	for name, tamper := range bad {
		m := sound
		if m, ok := tamper(&m).(*search.Manifest); ok && search.IsSound(m, w.now()) {
			t.Errorf("%s is sound", name)
		}
	}
	// What is not sound is all treated alike: a type that can't be read, and two that can.
	for _, name := range []string{"another type", "a file twice", "no version, of a rebuild"} {
		tamper := bad[name]
		t.Run(name, func(t *testing.T) {
			m := sound
			m.Revision = i.manifest().Revision + 1
			m.Deep += m.Revision // so that everybody works with it
			i.ok(i.Put(tamper(&m)).Run(t.Context()))
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

func many(i *instance, n int) (list []search.Stored) {
	for range n {
		list = append(list, search.Stored{ID: i.merger.NewID(), Version: "1", Bytes: 1})
	}
	return list
}

// garbage names many files that nobody needs.
func garbage(i *instance, n int) []search.Garbage {
	list := make([]search.Garbage, n)
	for at := range list {
		list[at] = search.Garbage{ID: i.merger.NewID(), At: i.now().UnixMicro()}
	}
	return list
}

// Of two merges that write one revision, only one has written it: the other one's work is not lost silently.
func TestOneRevisionOfTwoMerges(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	i.seed(search.Small + 1)
	w.pass(search.MarkAge + time.Second)
	ahead := w.instance()
	ahead.skew = 2 * time.Second
	ahead.merge(false)
	w.pass(2 * time.Hour) // so that it looks for no late entries
	ahead.merge(false)
	first, writes := i.manifest().Segments[0].ID, 0
	command := w.of(&gate{DynamoDBAPI: w.api.Client(0), write: func() {
		if writes++; writes == 1 { // another merge finds nothing to do, and its clock can't move the mark
			behind := w.instance()
			behind.skew = -time.Second
			i.ok(behind.merger.Merge(t.Context(), behind.Tenant, kind, false))
		}
	}}, searched())
	i.ok(command.merger.Anew(t.Context(), command.Tenant, kind, w.wait))
	if i.manifest().Segments[0].ID == first {
		t.Error("nothing was made anew, and no error says so")
	}
}

// An instance that knows revisions from a time that was lost, because the table was restored, finds what has been made since.
func TestRestoredRevisions(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i, other := w.instance(), w.instance()
	people := i.seed(search.Small + 1)
	w.pass(search.MarkAge + time.Second)
	i.merge(false)
	backup := i.backup()
	for range 12 {
		w.pass(time.Second)
		i.merge(false)
	}
	other.finds(people...)
	i.restore(backup)
	again := w.instance()
	making, imported := again.begin(20)
	again.commit(making)
	again.merge(false)
	for range 20 { // its revisions overtake those of the lost time
		w.pass(time.Second)
		again.merge(false)
	}
	w.pass(search.SettleFor)
	again.merge(false)
	other.finds(append(people, imported...)...)
}

// An entry that can't be read is taken from its record.
func TestBrokenEntry(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	people[0] = i.change(people[0], func(p *person) { p.Age++ })
	i.ok(i.Update(people[0].Key()).Set("x", append(people[0].X[:4:4], 0xff, 0xff)).Run(t.Context()))
	w.instance().sees(people...)
	w.pass(search.MarkAge + time.Second)
	i.merge(false)
	w.instance().sees(people...)
}

// Making segments anew ends, however much others import meanwhile.
func TestAnewBesideImports(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	i.seed(search.Small + 1)
	i.merge(false)
	first, pauses := i.manifest().Segments[0].ID, 0
	i.ok(i.merger.Anew(t.Context(), i.Tenant, kind, func(until time.Time) error {
		if pauses++; pauses > 10 {
			return errors.New("it does not end")
		}
		making, _ := i.begin(3)
		i.commit(making)
		return w.wait(until)
	}))
	if m := i.manifest(); m.Segments[0].ID == first || m.Rebuild != nil {
		t.Errorf("made anew: %+v", m)
	}
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
	i.ok(command.merger.Anew(t.Context(), command.Tenant, kind, w.wait))
	m := i.manifest()
	if len(m.Segments) != 1 || m.Segments[0].ID == first || m.Segments[0].Rows != int64(len(people)) {
		t.Errorf("made anew: %+v", m.Segments)
	}
	w.instance().sees(people...)
}
