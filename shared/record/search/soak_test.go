package search_test

import (
	"context"
	"errors"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var (
	soakFor  = flag.Duration("soak", 3*time.Second, "how long the soak test writes")
	soakSeed = flag.Uint64("soak.seed", 1, "seed of the soak test")
)

// staleness is how far reads lag behind. What was answered twice as long before a search has to be in it.
const staleness = 60 * time.Millisecond

// soak is the model: what is known for certain.
type soak struct {
	*world
	leaps sync.RWMutex // the clock leaps only when nobody writes, and everything written can be read

	mu      sync.Mutex
	sure    map[int64]fact      // people who exist
	gone    map[int64]time.Time // people who were deleted, and since when
	imports map[int64]bool      // imports that may not have ended
	done    map[string]int
}

// fact is a version of a person, and since when it is certain.
type fact struct {
	*person
	since time.Time
}

// worker is a process. After a crash a new one takes its place.
type worker struct {
	*instance
	model  *soak
	random *rand.Rand
}

func (w *worker) restart() {
	w.instance = w.model.instance()
	w.skew = time.Duration(w.random.IntN(4001)-2000) * time.Millisecond
}

// Records are created, changed, deleted and imported, merged and searched, all at once, by processes that die, whose clocks differ and
// whose answers are lost, from reads that lag. No search shows what is not there, or misses what is; at rest everything agrees.
func TestSoak(t *testing.T) {
	s := &soak{
		world: newWorld(t, tabletest.Faults{
			Lock: 2 * time.Millisecond, Transaction: 3 * time.Millisecond, Throttled: 0.01, Lost: 0.02, Crash: 0.01, Stale: staleness,
		}),
		sure: map[int64]fact{}, gone: map[int64]time.Time{}, imports: map[int64]bool{}, done: map[string]int{},
	}
	sound := s.of(enginetest.Client(t), searched())
	for _, p := range sound.seed(search.Small + 50) {
		s.sure[p.id()] = fact{p, time.Now()}
	}
	sound.merge(false)
	workers := s.run(t)
	s.rest(sound, workers)
	t.Logf("done: %v", s.done)
}

func (s *soak) run(t *testing.T) (workers []*worker) {
	end := time.Now().Add(*soakFor)
	var group sync.WaitGroup
	for n := range uint64(8) {
		w := &worker{model: s, random: rand.New(rand.NewPCG(*soakSeed, n))}
		w.restart()
		workers = append(workers, w)
		group.Go(func() {
			for time.Now().Before(end) && !t.Failed() {
				w.step(t)
			}
		})
	}
	random := rand.New(rand.NewPCG(*soakSeed, 100))
	for time.Now().Before(end) {
		time.Sleep(100 * time.Millisecond)
		s.leaps.Lock()
		time.Sleep(staleness)
		s.pass([]time.Duration{2 * time.Second, 20 * time.Second, 190 * time.Second, search.DeepEvery}[random.IntN(4)])
		s.leaps.Unlock()
	}
	group.Wait()
	return workers
}

func (w *worker) step(t *testing.T) {
	steps := []struct {
		share int
		name  string
		do    func(ctx context.Context) error
	}{
		{25, "created", w.create},
		{20, "changed", w.change},
		{20, "deleted", w.remove},
		{4, "imported", w.importSome},
		{4, "imports ended", w.endImport},
		{5, "merged", w.merge},
		{22, "searched", w.search},
	}
	n := w.random.IntN(100)
	for _, step := range steps {
		if n -= step.share; n >= 0 {
			continue
		}
		err := step.do(t.Context())
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		switch {
		case err == nil:
			w.model.done[step.name]++
		case w.client.Crashed():
			w.model.mu.Unlock()
			w.restart()
			w.model.mu.Lock()
			w.model.done["crashes"]++
		case !table.Unavailable(err) && !errors.As(err, new(outbox.Later)):
			t.Errorf("%s: %v", step.name, err)
		default:
			w.model.done["failures"]++
		}
		return
	}
}

func (w *worker) someone() person { return numbered(w.random.IntN(100_000)) }

// learn makes something certain.
func (w *worker) learn(people ...*person) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	for _, p := range people {
		w.model.sure[p.id()] = fact{p, time.Now()}
	}
}

func (w *worker) create(ctx context.Context) error {
	w.model.leaps.RLock()
	defer w.model.leaps.RUnlock()
	p := w.someone()
	err := w.tryCreate(ctx, &p)
	if err == nil {
		w.learn(&p)
	}
	return err
}

// take takes somebody out of what is certain; nil if there is nobody.
func (w *worker) take() *person {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	for id, f := range w.model.sure {
		delete(w.model.sure, id)
		return f.person
	}
	return nil
}

func (w *worker) change(ctx context.Context) error {
	w.model.leaps.RLock()
	defer w.model.leaps.RUnlock()
	before := w.take()
	if before == nil {
		return nil
	}
	p := w.someone()
	p.Import = before.Import
	err := w.tryChange(ctx, before, &p)
	if err == nil {
		w.learn(&p)
	}
	return err
}

func (w *worker) remove(ctx context.Context) error {
	w.model.leaps.RLock()
	defer w.model.leaps.RUnlock()
	p := w.take()
	if p == nil {
		return nil
	}
	err := w.tryRemove(ctx, p)
	if err == nil {
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		w.model.gone[p.id()] = time.Now()
	}
	return err
}

// importSome imports people; some imports are abandoned, and of some nobody says how they end.
func (w *worker) importSome(ctx context.Context) error {
	rows, people := w.rows(1 + w.random.IntN(60))
	making, err := imports().Begin(ctx, w.Tenant, w.listing(), w.now, bulk.Plan{Rows: rows})
	if err != nil {
		return err
	}
	w.model.mu.Lock()
	w.model.imports[making.ID()] = true
	w.model.mu.Unlock()
	if err := making.Write(ctx); err != nil {
		return err
	}
	switch w.random.IntN(5) {
	case 0:
		return nil
	case 1:
		_, err := making.Abandon(ctx)
		return err
	}
	if err = making.Commit(ctx, nil); err == nil {
		w.learn(people...)
	}
	return err
}

func (w *worker) endImport(ctx context.Context) error {
	w.model.mu.Lock()
	ids := slices.Collect(maps.Keys(w.model.imports))
	w.model.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	id := ids[w.random.IntN(len(ids))]
	err := imports().End(ctx, w.Tenant, id, w.now())
	if err == nil {
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		delete(w.model.imports, id)
	}
	return err
}

func (w *worker) merge(ctx context.Context) error {
	return w.merger.Merge(ctx, w.Tenant, kind, w.random.IntN(10) == 0)
}

// search compares a query with what was certain before it began and is certain still.
func (w *worker) search(ctx context.Context) error {
	all := queries()
	name := slices.Sorted(maps.Keys(all))[w.random.IntN(len(all))]
	before := time.Now().Add(-2 * staleness)
	w.model.mu.Lock()
	sure, gone := maps.Clone(w.model.sure), maps.Clone(w.model.gone)
	w.model.mu.Unlock()
	found, err := w.index().IDs(ctx, all[name].Query)
	if err != nil {
		return err
	}
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	for id, f := range sure {
		_, is := slices.BinarySearch(found, id)
		if w.model.sure[id] == f && f.since.Before(before) && is != all[name].match(f.person) {
			w.Errorf("%s: %d is found: %v, written %v ago: %+v", name, id, is, time.Since(f.since), f.person)
		}
	}
	for id, since := range gone {
		if _, is := slices.BinarySearch(found, id); is && since.Before(before) {
			w.Errorf("%s: %d is found, deleted %v ago", name, id, time.Since(since))
		}
	}
	return nil
}

// rest lets everything come to an end, and compares every instance with what is stored.
func (s *soak) rest(sound *instance, workers []*worker) {
	s.Helper()
	time.Sleep(staleness)
	s.pass(bulk.Lease + 5*time.Second)
	for id := range s.imports {
		s.ok(imports().End(s.Context(), sound.Tenant, id, s.now()))
	}
	stored := sound.stored()
	versions := map[int64]int64{}
	for _, p := range stored {
		versions[p.id()] = p.Updated
	}
	for id, f := range s.sure {
		if versions[id] != f.Updated {
			s.Errorf("%d of %d is lost: %d", id, f.Updated, versions[id])
		}
	}
	for id := range s.gone {
		if versions[id] != 0 {
			s.Errorf("%d was deleted, and is there", id)
		}
	}
	for range 2 {
		for _, w := range workers {
			i := s.of(enginetest.Client(s), searched())
			i.memory = w.memory
			i.finds(stored...)
		}
		s.of(enginetest.Client(s), searched()).sees(stored...)
		s.pass(search.MarkAge + 5*time.Second)
		sound.merge(false)
	}
	sound.tidies()
	if sound.ranges() != 0 {
		s.Error("ranges of imports are left")
	}
}
