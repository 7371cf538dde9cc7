package search_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

// What an instance with a slow clock deletes or changes stays deleted or changed, before and after it is merged.
func TestSlowClock(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	fast, slow, reader := w.instance(), w.instance(), w.instance()
	fast.skew, slow.skew = 2*time.Second, -2*time.Second
	people := fast.seed(search.Small + 1)
	fast.merge(false)
	made := fast.create(numbered(500))
	slow.remove(made)
	slow.remove(people[0])
	people[1] = slow.change(people[1], func(p *person) { p.Name = "name 20000" })
	people = people[1:]
	reader.sees(people...)
	w.pass(search.MarkAge + 5*time.Second)
	slow.merge(false)
	reader.sees(people...)
	w.instance().sees(people...)
}

// An entry that comes late to the index is found by the next merge that looks for such, also by who works with an older
// manifest.
func TestLateEntry(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	a, reader, late := w.instance(), w.instance(), w.instance()
	people := a.seed(search.Small + 1)
	a.merge(false)
	reader.finds(people...)
	late.skew = -(search.Late - 5*time.Minute)
	people = append(people, late.create(numbered(500)))
	w.pass(search.DeepEvery + time.Minute)
	a.merge(false)
	reader.sees(people...)
	w.instance().sees(people...)
}

// Merges at the same time disturb each other, and nothing else.
func TestMergesAtTheSameTime(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	for call := 1; ; call++ {
		people[0] = i.change(people[0], func(p *person) { p.Age++ })
		w.pass(search.MarkAge + time.Second)
		happened := false
		w.meddled(call, searched(), func() {
			happened = true
			w.instance().merge(false)
		}).merge(false)
		w.instance().finds(people...)
		if !happened {
			break
		}
	}
	i.tidies()
	w.instance().sees(people...)
}

// A merge that dies loses nothing, and leaves nothing for ever: neither where it takes in changes nor where it makes segments anew.
func TestMergeThatDies(t *testing.T) {
	for name, check := range map[string]bool{"taking in changes": false, "making segments anew": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tabletest.Faults{})
			i := w.instance()
			people := i.seed(search.Small + 1)
			i.merge(false)
			making, made := i.begin(10)
			i.commit(making)
			people = append(people, made...)
			died := true
			for n := 0; died; n++ {
				people[0] = i.change(people[0], func(p *person) { p.Age++ })
				w.pass(search.MarkAge + time.Second)
				if check {
					i.wreck()
				}
				merger := w.instance()
				merger.client.DieAt(n/2+1, n%2 == 1)
				_ = merger.merger.Merge(t.Context(), merger.Tenant, kind, check) // it may die
				died = merger.client.Crashed()
				w.instance().finds(people...)
				if n%3 == 0 { // the next merge may come at once
					i.merge(check)
				}
			}
			i.merge(check)
			i.tidies()
			w.instance().sees(people...)
		})
	}
}

// A merge whose call of the bucket fails, carried out or not, loses nothing, and leaves nothing for ever.
func TestMergeWithoutTheBucket(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	failed := true
	for n := 0; failed; n++ {
		people[0] = i.change(people[0], func(p *person) { p.Age++ })
		w.pass(search.GarbageFor) // so that there is garbage to collect
		store, tripped := faulty(t, n/2+1, n%2 == 1)
		merger := w.newMerger(i, store)
		if err := merger.Merge(t.Context(), i.Tenant, kind, false); err != nil && !*tripped && !errors.As(err, new(outbox.Later)) {
			t.Fatal(err)
		}
		failed = *tripped
		w.instance().finds(people...)
	}
	i.tidies()
	w.instance().sees(people...)
}

// A merge that has stalled for hours removes nothing that another one has come to use meanwhile.
func TestStalledMerge(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	people[0] = i.change(people[0], func(p *person) { p.Age++ })
	w.pass(search.MarkAge + time.Second)
	read, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	stalled := w.of(&gate{DynamoDBAPI: w.api.Client(0), changes: func() {
		close(read)
		<-goOn
	}}, searched())
	planned := 0
	quick := w.of(&gate{DynamoDBAPI: w.api.Client(0), write: func() {
		if planned++; planned == 2 { // its file is garbage now, and there
			w.pass(search.BusyFor + time.Second)
			go func() { ended <- stalled.merger.Merge(t.Context(), stalled.Tenant, kind, false) }()
			<-read
		}
	}}, searched())
	quick.merge(false)
	w.pass(search.GarbageFor + time.Minute)
	close(goOn)
	if err := <-ended; !errors.As(err, new(outbox.Later)) {
		t.Errorf("the stalled merge: %v", err)
	}
	for _, s := range i.manifest().Segments {
		if !i.segments()[s.ID.String()] { // its bytes could still be read by their version, but only for some days
			t.Error("a segment that is needed was removed")
		}
	}
	w.instance().finds(people...)
	i.tidies()
}

// More changes than a merge takes in make it read the records instead, in portions.
func TestMoreChangesThanAMergeTakesIn(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(2 * search.Small)
	i.merge(false)
	for n := range 50 {
		people[n] = i.change(people[n], func(p *person) { p.Age++ })
	}
	i.remove(people[50])
	people = append(people[:50:50], people[51:]...)
	w.pass(search.MarkAge + time.Second)
	i.merger.SetMost(50)
	i.merge(false)
	if m := i.manifest(); len(m.Segments) != 1 || m.Segments[0].Rows != int64(len(people)) {
		t.Errorf("%d segments, the first of %d rows: the changes were merged", len(m.Segments), m.Segments[0].Rows)
	}
	i.sees(people...)
	w.instance().sees(people...)
	i.tidies()
}

// Where more is written within an hour than a merge takes in, it takes in what is new, and nothing is made anew. Afterwards late entries
// are looked for again.
func TestBusyHour(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	w.pass(2 * search.MarkAge)
	i.merge(false)
	i.merger.SetMost(100)
	for round := range 8 {
		for n := range 16 {
			people[n] = i.change(people[n], func(p *person) { p.Age++ })
		}
		w.pass(search.DeepEvery + time.Minute)
		if err := i.merger.Merge(t.Context(), i.Tenant, kind, false); err != nil { // it is Later after a rebuild
			t.Fatalf("round %d: %v", round, err)
		}
	}
	late := w.instance()
	late.skew = -search.DeepEvery
	people = append(people, late.create(numbered(500)))
	w.pass(search.DeepEvery + time.Minute)
	i.merge(false)
	i.sees(people...)
	w.instance().sees(people...)
}

// Where the bucket doesn't answer, records are read, and nothing is made anew.
func TestSearchWithoutTheBucket(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	people = changed(i, people)
	store, tripped := faulty(t, 0, false)
	cut := w.instance()
	cut.memory = search.NewMemory(store, cut.now, w.most())
	if cut.sees(people...); !*tripped || cut.waits(true) || cut.waits(false) {
		t.Error("the bucket was not asked, or a merge is asked for")
	}
}

// A table that was restored to a point in time is searched as it is then, by whoever has seen what came after, and when new
// segments have replaced those of the lost time.
func TestRestoredTable(t *testing.T) {
	for name, pause := range map[string]time.Duration{"soon": 15 * time.Second, "after a while": search.DeepEvery + time.Minute} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tabletest.Faults{})
			a, b := w.instance(), w.instance()
			people := a.seed(search.Small + 1)
			w.pass(search.MarkAge + time.Second)
			a.merge(false)
			backup := a.backup()
			lost := append([]*person{}, people...)
			for range 3 {
				lost = changed(a, lost)
				a.remove(lost[100])
				lost = append(lost[:100:100], lost[101:]...)
				w.pass(pause)
				a.merge(false)
			}
			a.finds(lost...)
			b.finds(lost...)
			w.pass(pause)
			a.restore(backup)
			a.sees(people...)
			for range 5 {
				people = changed(w.instance(), people)
				w.pass(pause)
				w.instance().merge(false)
			}
			a.finds(people...)
			b.sees(people...)
			w.instance().finds(people...)
		})
	}
}

// Without the segments that a restored manifest names, records are read, and the segments are made anew.
func TestRestoredTableWithoutItsSegments(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	i.wreck()
	people = changed(i, people)
	fresh := w.instance()
	fresh.sees(people...)
	if !fresh.waits(true) {
		t.Fatal("nothing asks for a check")
	}
	i.merge(true)
	fresh.sees(people...)
	if fresh.waits(true) || fresh.memory.Holds(fresh.index()) == 0 {
		t.Error("the segments were not made anew")
	}
	i.tidies()
}

// A segment that is not what the manifest says is not opened: a part of it, another one of the company, or one of another company.
func TestWrongSegment(t *testing.T) {
	w, other := newWorld(t, tabletest.Faults{}), newWorld(t, tabletest.Faults{})
	i, stranger := w.instance(), other.instance()
	i.merger.SetRows(search.Small + 1) // so that what is newer has a file of its own
	people := i.seed(search.Small + 1)
	i.merge(false)
	first := i.manifest().Segments[0]
	w.pass(search.MarkAge + time.Second)
	i.merge(false)
	people = append(people, i.create(numbered(501)))
	w.pass(search.MarkAge + time.Second)
	i.merge(false)
	i.sees(people...) // so that it remembers both
	stranger.seed(search.Small + 2)
	stranger.merge(false)
	foreign := stranger.manifest().Segments[0]
	good := i.manifest()
	for name, change := range map[string]func(s *search.Stored){
		"cut": func(s *search.Stored) {
			s.Version = i.overwrite(s.ID, func(b []byte) []byte { return b[:len(b)/2] })
		},
		"another one": func(s *search.Stored) { s.ID, s.Version = good.Segments[1].ID, good.Segments[1].Version },
		"an older one": func(s *search.Stored) {
			s.ID, s.Version, s.SHA256 = first.ID, first.Version, good.Segments[1].SHA256
		},
		"another company's":                    func(s *search.Stored) { *s = foreign },
		"another company's with its own bytes": func(s *search.Stored) { s.ID, s.Version = foreign.ID, foreign.Version },
	} {
		tampered := *good
		tampered.Revision++
		tampered.Deep++ // so that everybody works with it
		tampered.Segments = append([]search.Stored{}, good.Segments...)
		change(&tampered.Segments[0])
		i.ok(i.Put(tampered).Run(t.Context()))
		for _, sees := range []*instance{w.instance(), i} {
			if sees.finds(people...); !sees.waits(true) {
				t.Errorf("%s: nothing asks for a check", name)
			}
		}
		again := *good
		again.Revision += 2
		again.Deep += 2
		good = &again
		i.ok(i.Put(again).Run(t.Context()))
		w.pass(time.Minute) // so that it may ask again
		if i.finds(people...); i.waits(true) {
			t.Errorf("%s: a check is asked for when all is well", name)
		}
	}
}

// A filter by a new column waits until the segments are made anew; other queries go on, also about what others write meanwhile
// without the column.
func TestNewColumn(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	old, now := w.of(w.api.Client(1), searched("d")), w.instance()
	people := old.seed(search.Small + 1)
	old.merge(false)
	owing := search.Query{Where: []segment.Condition{segment.Has("d")}}
	for range 2 {
		people = changed(old, people)
		people = changed(now, people)
		now.finds(people...)
		old.finds(people...)
		w.pass(time.Minute)
	}
	if !preparing(t.Context(), now.index(), owing) || !now.waits(false) {
		t.Error("a query of a new column is answered, or nothing asks for segments")
	}
	now.merge(false)
	now.sees(people...)
	people = changed(old, people)
	now.sees(people...)
	old.finds(people...)
}

// inTurn lets the time pass until a search asks, or does not ask, for segments that it does without.
func (i *instance) inTurn(asks bool) *instance {
	i.world.pass(time.Minute) // so that it may ask at all
	for search.InTurn(i.index()) != asks {
		i.world.pass(time.Millisecond)
	}
	return i
}

// The companies of a stage don't all ask at once for segments that their searches do without: each search asks by a chance of one in
// twenty, so those that are searched most come first.
func TestSegmentsWithNewColumnsTakeTurns(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	old, now := w.of(w.api.Client(1), searched("d")), w.instance()
	people := old.seed(search.Small + 1)
	old.merge(false)
	asks := 0
	for range 6000 {
		w.pass(777 * time.Millisecond)
		if search.InTurn(now.index()) {
			asks++
		}
	}
	if asks < 200 || asks > 450 {
		t.Errorf("of 6,000 searches %d ask", asks)
	}
	if now.inTurn(false).finds(people...); now.waits(false) {
		t.Error("a search out of its turn asks")
	}
	if now.inTurn(true).finds(people...); !now.waits(false) {
		t.Error("a search in its turn asks for nothing")
	}
}

// Where the table is slow, a rebuild gets on with as many records as it could read, and ends.
func TestSlowRebuild(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merger.SetReadFor(-1)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second) // one portion an invocation
	defer cancel()
	for n := range 5 {
		if err := i.merger.Merge(ctx, i.Tenant, kind, false); !errors.As(err, new(outbox.Later)) {
			t.Fatal(err)
		}
		if next := i.manifest().Rebuild.Next; next != int64(n+2) {
			t.Fatalf("after %d records it goes on at %d", n+1, next)
		}
	}
	i.merger.SetReadFor(time.Minute)
	i.merge(false)
	i.sees(people...)
}

// Where the same records have other values than before, the segments are made anew.
func TestNewVersion(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	old := w.instance()
	people := old.seed(search.Small + 1)
	old.merge(false)
	k := searched()
	values := k.Values
	k.Version, k.Values = 1, func(item table.Attributes) (search.Values, error) {
		v, err := values(item)
		v.More += " renewed"
		return v, err
	}
	now := w.of(w.api.Client(0), k)
	renewed := search.Query{Words: []string{"renewed"}}
	if _, err := now.inTurn(true).index().IDs(t.Context(), renewed); err != nil || !now.waits(false) {
		t.Errorf("nothing asks for segments, or %v", err)
	}
	now.merge(false)
	if ids, err := now.index().IDs(t.Context(), renewed); err != nil || len(ids) != len(people) {
		t.Errorf("%d people are found, want %d; %v", len(ids), len(people), err)
	}
}

// part makes one part of segments anew. lost tells whether it has found some missing.
func (w *world) part() (lost bool) {
	w.Helper()
	m := w.instance()
	m.merger.Lost = func(tenant.ID, kinds.Code, error) { lost = true }
	m.merger.SetPortion(40)
	ctx, cancel := context.WithTimeout(w.Context(), 8*time.Second) // which is not enough for two
	defer cancel()
	if err := m.merger.Merge(ctx, m.Tenant, kind, false); !errors.As(err, new(outbox.Later)) {
		w.Fatalf("a part: %v", err)
	}
	return lost
}

// Making segments anew may be interrupted after each part, and by changes. It begins again if what it has made is missing.
func TestInterruptedRebuild(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 60)
	for range 2 {
		if w.part() {
			t.Error("segments are missing, it says")
		}
	}
	i.wreck()
	if !w.part() {
		t.Error("it doesn't say that segments are missing")
	}
	if i.manifest().Rebuild != nil {
		t.Error("it goes on with segments that are missing")
	}
	parts := 0
	for i.manifest() == nil || !i.manifest().Built {
		w.part()
		people = changed(i, people)
		w.instance().finds(people...)
		parts++
	}
	if parts < 7 {
		t.Errorf("made in %d parts", parts)
	}
	w.instance().sees(people...)
	i.merge(false)
	i.tidies()
	w.instance().sees(people...)
}
