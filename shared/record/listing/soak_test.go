package listing_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var (
	soakFor  = flag.Duration("soak", 2*time.Second, "how long each soak test writes")
	soakSeed = flag.Uint64("soak.seed", 1, "seed of the soak tests")
)

// found is a record that can also be searched.
type found struct {
	table.Item
	search.Indexed
	Name string `dynamo:"name"`
}

func (f found) id() int64 {
	id, err := table.ParseSortID(f.SK)
	if err != nil {
		return -1
	}
	return id
}

// soak is one run: workers with faulty clients, and what they know must be.
type soak struct {
	world *tabletest.World
	name  string

	// alive is held for reading by each request and for writing by who waits
	// until all requests that have begun are dead.
	alive sync.RWMutex

	mu      sync.Mutex
	asks    []int
	sure    map[int64]string // names of records that must be there
	gone    map[int64]bool   // ids that must not be there
	created int
	failed  int
	folded  int
	swept   int
	late    []int64 // ids of the first bucket, given out long ago
}

// Random creates, imports, deletes, renames, pages, searches, folds and sweeps by
// many workers under a mixture of faults. Afterwards nothing acknowledged is missing,
// and the count, every page and every search agree with the records exactly.
func TestSoak(t *testing.T) {
	base := tabletest.Faults{Lock: 2 * time.Millisecond, Transaction: 3 * time.Millisecond, Throttled: 0.01, Lost: 0.02, Crash: 0.004}
	stale := base
	stale.Stale = 60 * time.Millisecond
	for name, faults := range map[string]tabletest.Faults{"faults": base, "stale reads": stale} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runSoak(t, faults)
		})
	}
}

func runSoak(t *testing.T, faults tabletest.Faults) {
	world, name := tabletest.NewFaulty(t, faults)
	s := &soak{world: world, name: name, sure: map[int64]string{}, gone: map[int64]bool{}}
	sound := newStoreWith(table.Open(enginetest.Client(t), name), nil)
	// Three buckets: late ids of the first, the end of the second, the beginning
	// of the third.
	sound.reserve(t, 2*listing.Bucket-150)
	for id := range int64(1000) {
		s.late = append(s.late, 5000+id)
	}
	// The time is over by the clock and not by a context, so that no call is cut.
	end := time.Now().Add(*soakFor)
	var wg sync.WaitGroup
	run := func(seed uint64, step func(*worker, context.Context) error, pause time.Duration) {
		wg.Go(func() {
			w := s.worker(seed)
			for time.Now().Before(end) && !t.Failed() {
				if err := step(w, t.Context()); err != nil {
					t.Error(err)
				}
				if w.client.Crashed() {
					w.restart()
				}
				time.Sleep(pause)
			}
		})
	}
	for i := range uint64(12) {
		run(*soakSeed*1000+i, (*worker).step, 0)
	}
	for i := range uint64(2) {
		run(*soakSeed*1000+100+i, (*worker).maintain, 50*time.Millisecond)
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	t.Logf("%d creates, %d of them failed; %d records sure, %d deleted; %d folds, %d sweeps",
		s.created, s.failed, len(s.sure), len(s.gone), s.folded, s.swept)
	s.verify(t, sound)
	// And again when everything is folded.
	for range 2 {
		for bucket := range 3 {
			below, err := sound.dir.Fold(t.Context(), bucket)
			if err != nil {
				t.Fatal(err)
			}
			if err := sound.dir.Sweep(t.Context(), bucket, below); err != nil {
				t.Fatal(err)
			}
		}
		s.verify(t, sound)
	}
}

// verify compares everything with the records as they stand.
func (s *soak) verify(t *testing.T, sound *store) {
	t.Helper()
	var records []found
	err := sound.Table().Get("pk", sound.Records(kind)).Order(dynamo.Ascending).Consistent(true).All(t.Context(), &records)
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	names, pending := map[int64]string{}, sound.pending(t)
	for _, r := range records {
		if !slices.ContainsFunc(pending, func(p listing.Range) bool { return p.From <= r.id() && r.id() <= p.To }) {
			ids = append(ids, r.id())
			names[r.id()] = r.Name
		}
	}
	for id, name := range s.sure {
		if names[id] != name {
			t.Fatalf("record %d is %q and must be %q", id, names[id], name)
		}
	}
	for id := range s.gone {
		if _, there := names[id]; there {
			t.Fatalf("record %d was deleted and is there", id)
		}
	}
	sound.check(t, ids, 23, 1000)
	index, random := sound.index(), rand.New(rand.NewPCG(*soakSeed, 9))
	for range 20 {
		word := search.Words(words(random)[:6])
		var want []int64
		for _, id := range slices.Backward(ids) {
			if strings.Contains(names[id], word[0]) {
				want = append(want, id)
			}
		}
		items, count, err := decoded(index.Page(t.Context(), search.Query{Words: word[:1], Size: 1000}))
		if err != nil || count != len(want) {
			t.Fatalf("search for %q: %d, %v; want %d", word[0], count, err, len(want))
		}
		for i, it := range items {
			if it.id() != want[i] || it.Name != names[it.id()] {
				t.Fatalf("search for %q: at %d is %d, %q", word[0], i, it.id(), it.Name)
			}
		}
	}
}
