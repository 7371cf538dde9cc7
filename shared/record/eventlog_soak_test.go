package record_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// soak is many writers of a few boxes, workers that number what happened, and readers of the log, on an engine that loses answers and
// refuses calls, with clocks that differ, and processes that die at any call.
type soak struct {
	*shelf
	begun   time.Time
	changes int64 // how many are to be made
	made    atomic.Int64
	failed  atomic.Int64
	deaths  atomic.Int64
	over    atomic.Bool
}

const (
	soakWriters = 16
	soakBoxes   = 8
	soakReaders = 3
)

// at is the time of a process whose clock is wrong by skew.
func (s *soak) at(skew time.Duration) time.Time { return s.clock.Add(time.Since(s.begun) + skew) }

// process is a scope of a process that dies at some call, and whose clock is wrong.
func (s *soak) process(seed uint64, r *rand.Rand) (record.Scope, func() bool) {
	scope, client := s.shelf.process(seed)
	skew := time.Duration(r.NormFloat64() * float64(30*time.Millisecond))
	scope.Now = func() time.Time { return s.at(skew) }
	if r.IntN(2) == 0 {
		client.DieAt(1+r.IntN(60), r.IntN(2) == 0)
	}
	return scope, client.Crashed
}

func (s *soak) write(ctx context.Context, n int) {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for life := 0; s.made.Load() < s.changes; life++ {
		scope, crashed := s.process(uint64(n*1_000_000+life), r)
		for turn := 0; !crashed() && s.made.Load() < s.changes; turn++ {
			scope.Actor.Request, scope.Actor.At = fmt.Sprintf("%d-%d-%d", n, life, turn), scope.Now()
			err := scope.Do(ctx, nil, func(w *record.Work) error {
				id := int64(1 + r.IntN(soakBoxes))
				if r.IntN(3) == 0 {
					w.Happened(packed{event.Of(id), turn})
				}
				if r.IntN(3) == 0 { // and another one with it, whose revision has to be as late
					if err := edit(ctx, w, 1+id%soakBoxes, func(b *box) { b.Name = fmt.Sprintf("%d-%d-%d", n, life, turn) }); err != nil {
						return err
					}
				}
				return edit(ctx, w, id, func(b *box) { b.Name = fmt.Sprintf("%d-%d-%d", n, life, turn) })
			})
			if err == nil {
				s.made.Add(1)
			} else {
				s.failed.Add(1)
			}
		}
		if crashed() {
			s.deaths.Add(1)
		}
	}
}

func (s *soak) sequence(ctx context.Context, n int) {
	r := rand.New(rand.NewPCG(uint64(n), 2))
	for life := 0; !s.over.Load(); life++ {
		scope, crashed := s.process(uint64(n*1_000_000+500_000+life), r)
		for !crashed() && !s.over.Load() {
			_, _ = eventlog.Of(scope.Table, scope.Now).Sequence(ctx) // it comes again
			time.Sleep(time.Duration(r.IntN(5)) * time.Millisecond)
		}
		if crashed() {
			s.deaths.Add(1)
		}
	}
}

// read reads the log until it has all events up to last, and returns them.
func (s *soak) read(ctx context.Context, t *table.Tenant, last func() int64) (entries []eventlog.Entry) {
	log, after := eventlog.Of(t, func() time.Time { return s.at(0) }), int64(0)
	for end := int64(-1); end < 0 || after < end; end = last() {
		more, next, err := log.Read(ctx, after)
		if err != nil {
			continue
		}
		entries, after = append(entries, more...), next
		time.Sleep(5 * time.Millisecond)
	}
	return entries
}

// The faults of the simulation from which the protocol comes, against the real one: nothing is missing in the log, nothing is there
// twice, all readers see one order, and the revisions of each box rise. SOAK is the number of changes.
func TestLogUnderFaults(t *testing.T) {
	s := &soak{begun: time.Now(), changes: 200, shelf: newShelf(t, tabletest.Faults{
		Lock: 2 * time.Millisecond, Transaction: 2 * time.Millisecond, Call: time.Millisecond, Lost: 0.02, Throttled: 0.02, Stale: 300 * time.Millisecond,
	})}
	if n, err := strconv.ParseInt(os.Getenv("SOAK"), 10, 64); err == nil {
		s.changes = n
	}
	for n := range soakBoxes {
		s.put(&box{Name: strconv.Itoa(n)})
	}
	ctx := t.Context()
	var writers, others sync.WaitGroup
	for n := range soakWriters {
		writers.Go(func() { s.write(ctx, n+1) })
	}
	for n := range 2 {
		others.Go(func() { s.sequence(ctx, 100+n) })
	}
	var end atomic.Int64
	end.Store(-1)
	seen := make([][]eventlog.Entry, soakReaders)
	var readers sync.WaitGroup
	for n := range soakReaders {
		reading, _ := s.shelf.process(uint64(900_000_000 + n))
		readers.Go(func() { seen[n] = s.read(ctx, reading.Table, end.Load) })
	}
	writers.Wait()
	s.over.Store(true)
	others.Wait()
	if _, err := s.log().Sequence(ctx); err != nil {
		t.Fatal(err)
	}
	last, err := s.log().End(ctx)
	if err != nil {
		t.Fatal(err)
	}
	end.Store(last)
	readers.Wait()
	s.judge(seen, last)
	t.Logf("%d changes, %d failed, %d processes died, %d events in %s", s.made.Load(), s.failed.Load(), s.deaths.Load(), last, time.Since(s.begun))
}

// judge compares what readers saw with each other, and with the histories.
func (s *soak) judge(seen [][]eventlog.Entry, last int64) {
	s.t.Helper()
	line := func(e eventlog.Entry) string {
		return fmt.Sprintf("%d %s %d %d %s", e.Number, e.Name, e.ID, e.Revision, e.Data)
	}
	var first []string
	for _, e := range seen[0] {
		first = append(first, line(e))
	}
	for n, entries := range seen[1:] {
		var other []string
		for _, e := range entries {
			other = append(other, line(e))
		}
		if !slices.Equal(first, other) {
			s.t.Errorf("reader %d sees something else than reader 0", n+1)
		}
	}
	revisions := map[int64]int64{}
	for i, e := range seen[0] {
		if e.Number != int64(i+1) {
			s.t.Fatalf("event %d has the number %d", i+1, e.Number)
		}
		if was := revisions[e.ID]; e.Revision != was+1 {
			s.t.Errorf("event %d: revision %d of box %d follows revision %d", e.Number, e.Revision, e.ID, was)
		}
		revisions[e.ID] = e.Revision
	}
	if int64(len(seen[0])) != last {
		s.t.Errorf("%d events were read, of %d", len(seen[0]), last)
	}
	for id := range int64(soakBoxes) {
		b, err := boxes().Get(s.t.Context(), s.scope("judge"), id+1)
		if err != nil || b.Revision != revisions[id+1] {
			s.t.Errorf("box %d has the revision %d, %v; the log has %d", id+1, b.Revision, err, revisions[id+1])
		}
	}
}
