package search_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

// parted is an instance whose merges store parts of at most so many rows, and which keeps so many bytes of segments.
func (w *world) parted(rows, most int64) *instance {
	i := w.instance()
	i.memory = search.NewMemory(w.store, i.now, most)
	i.merger.SetRows(rows)
	return i
}

// generations are the numbers of rows of all files, by generation. It checks that their ranges of ids ascend.
func (i *instance) generations() (all [][]int64) {
	i.Helper()
	first := int64(0)
	for n, s := range i.manifest().Segments {
		if s.First == 0 || s.Bytes == 0 || s.Continues && (n == 0 || s.First <= first) {
			i.Errorf("file %d is %+v, after one from %d on", n, s, first)
		}
		if !s.Continues {
			all = append(all, nil)
		}
		first, all[max(len(all)-1, 0)] = s.First, append(all[max(len(all)-1, 0)], s.Rows)
	}
	return all
}

// A merge stores parts, and leaves those alone in whose range nothing has changed. A part that grows too large is cut in two, and parts
// that have become small are put together.
func TestParts(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.parted(60, 1<<26)
	people := i.seed(210)
	merge := func() [][]int64 {
		w.pass(search.MarkAge + time.Second)
		i.merge(false)
		w.instance().finds(people...)
		return i.generations()
	}
	if got := merge(); len(got) != 1 || len(got[0]) != 4 {
		t.Fatalf("made of 210 records: %v", got)
	}
	before := i.manifest().Segments
	people = append(people, i.seed(90)...) // their ids are beyond
	got := merge()
	for n, s := range before[:len(before)-1] {
		if now := i.manifest().Segments[n]; now.ID != s.ID {
			t.Errorf("part %d was made again: %v", n, got)
		}
	}
	sum, most := int64(0), int64(0)
	for _, parts := range got {
		for _, rows := range parts {
			sum, most = sum+rows, max(most, rows)
		}
	}
	if sum != 300 || most > 60 {
		t.Errorf("parts of 300 records: %v", got)
	}
	for n := range 280 {
		i.remove(people[n])
	}
	people = people[280:]
	if got := merge(); len(got) != 1 || len(got[0]) > 2 {
		t.Errorf("parts of 20 records: %v", got)
	}
	i.sees(people...)
	i.tidies()
}

// Generations are counted and merged whole: a few changes leave one of many parts alone, many changes make one of both.
func TestGenerationsOfParts(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.parted(20, 2000)
	people := i.seed(240)
	i.merge(false)
	w.pass(search.Late + search.DeepEvery) // so that no merge takes them for late ones
	i.merge(false)
	old := i.manifest().Segments
	last := len(old) - 1
	for round := range 8 {
		for n := range 6 + round {
			at := (n*40 + round) % len(people)
			people[at] = i.change(people[at], func(p *person) { p.Age++ })
		}
		w.pass(search.MarkAge + time.Second)
		i.merge(false)
		got, now := i.generations(), i.manifest().Segments
		kept := now[0].ID == old[0].ID && now[last].ID == old[last].ID
		if len(got) > 6 || round == 2 && (!kept || len(got) < 2 || len(got[0]) != len(old)) || round == 7 && kept {
			t.Errorf("round %d: the large generation is kept: %v; %v", round, kept, got)
		}
		i.finds(people...)
	}
	i.tidies()
	w.parted(20, 2000).sees(people...)
}

// A streamed search keeps no more than its memory may and the files of one range.
func TestStreamedMemory(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	const most = 20_000
	i := w.parted(50, most)
	people := i.seed(2000)
	i.merge(false)
	all, part := int64(0), int64(0)
	for _, s := range i.manifest().Segments {
		all, part = all+s.Bytes, max(part, s.Bytes)
	}
	if all < 5*most || part > most/2 {
		t.Fatalf("segments take %d bytes, one of them %d", all, part)
	}
	alive, loads, seen := int64(0), 0, map[weak.Pointer[segment.Segment]]bool{}
	i.memory = search.NewMemory(watched(t, func() {
		loads++
		alive = max(alive, i.memory.Alive(seen))
	}), i.now, most)
	i.finds(people...)
	// Files of a range that begin in it take at most half the memory; here is one generation, so at most one begins before.
	if alive > most+most/2+part || alive < most/2 || loads < 100 {
		t.Errorf("%d loads, %d bytes were in memory, which may keep %d", loads, alive, most)
	}
	t.Logf("%d bytes of %d were in memory, which may keep %d; %d loads", alive, all, most, loads)
}

// A segment that is broken when the search comes to it is replaced: records are read, and segments are made anew.
func TestBrokenPart(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.parted(50, 5000)
	people := i.seed(400)
	i.merge(false)
	i.sees(people...)
	files := i.manifest().Segments
	broken := i.manifest()
	for n := range broken.Segments {
		if n == len(files)/2 {
			broken.Segments[n].Version = i.overwrite(files[n].ID, func(b []byte) []byte { return b[:len(b)/2] })
		}
	}
	broken.Revision++
	broken.Deep++ // so that everybody works with it
	i.ok(i.Put(broken).Run(t.Context()))
	if i.sees(people...); !i.waits(true) {
		t.Error("nothing asks for a check")
	}
	var told []error
	i.merger.Lost = func(company tenant.ID, code kinds.Code, why error) {
		if told = append(told, why); company != w.company || code != kind {
			t.Errorf("told of %s of company %d", code, company)
		}
	}
	i.merge(true)
	if i.sees(people...); i.waits(true) {
		t.Error("the segments were not made anew")
	}
	if len(told) != 1 || !strings.Contains(told[0].Error(), files[len(files)/2].ID.String()) {
		t.Errorf("the merge told %v", told)
	}
	i.tidies()
}

// A merge that dies between two parts, or whose manifest another merge replaces, loses nothing.
func TestMergeOfPartsThatDies(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.parted(20, 5000)
	people := i.seed(search.Small + 40)
	i.merge(false)
	for call, died := 1, true; died; call += 3 {
		for n := 0; n < len(people); n += 4 {
			people[n] = i.change(people[n], func(p *person) { p.Age++ })
		}
		w.pass(search.MarkAge + time.Second)
		merger := w.parted(20, 5000)
		merger.client.DieAt(call, call%2 == 1)
		err := merger.merger.Merge(t.Context(), merger.Tenant, kind, false)
		if died = merger.client.Crashed(); err != nil && !died && !errors.As(err, new(outbox.Later)) {
			t.Fatal(err)
		}
		w.parted(20, 5000).finds(people...)
		i.generations()
	}
	i.tidies()
	i.sees(people...)
}

// A merge that takes hours does not remove the parts that it has stored first.
func TestSlowMergeOfParts(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 40)
	slow := w.of(&gate{DynamoDBAPI: w.api.Client(0), write: func() { w.pass(search.GarbageFor + time.Minute) }}, searched())
	slow.merger.SetRows(20)
	slow.merge(false)
	there := i.segments()
	for n, s := range i.manifest().Segments {
		if !there[s.ID.String()] { // its bytes could still be read by their version, but only for some days
			t.Errorf("file %d was removed", n)
		}
	}
	w.instance().finds(people...)
	i.tidies()
}

// A kind that fits one file is one file, however little has changed since it was made.
func TestOneFileWhereItFits(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	i.merge(false)
	people = append(people, i.create(numbered(500)))
	w.pass(search.MarkAge + time.Second)
	if i.merge(false); len(i.manifest().Segments) != 1 {
		t.Errorf("it has %v", i.generations())
	}
	w.instance().finds(people...)
}
