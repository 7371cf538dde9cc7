package bulk_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var (
	soakFor  = flag.Duration("soak", 2*time.Second, "how long each soak test writes")
	soakSeed = flag.Uint64("soak.seed", 1, "seed of the soak tests")
)

const numbers = 300 // that people may have

// soak is what all processes of a run know.
type soak struct {
	world *tabletest.World
	name  string
	start time.Time
	stale bool

	mu      sync.Mutex
	passed  time.Duration
	sure    map[string]person // people who must be there, by their number
	size    map[int64]int     // people of an import, by its id
	gone    map[int64]int     // of these, how many were deleted at most
	deleted int
	done    int
	failed  int
	refused int
	ended   int
}

func (s *soak) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.start.Add(s.passed)
}

// process is one process of the soak test. After a crash a new one takes its place.
type process struct {
	*soak
	office
	random *rand.Rand
	client *tabletest.Client
}

func (s *soak) process(t testing.TB, seed uint64) *process {
	p := &process{soak: s, random: rand.New(rand.NewPCG(seed, 7))}
	p.restart(t)
	return p
}

func (p *process) restart(t testing.TB) {
	p.client = p.world.Client(p.random.Uint64())
	conn := table.Open(p.client, p.name)
	p.office = office{t: t, conn: conn, Tenant: table.Of(conn, 7)}
}

func (p *process) listing() listing.Listing { return listing.Of(p.Tenant, kind, nil) }

// Imports, single people, readers and the worker under a mixture of faults, and
// a clock that leaps, so that imports are declared dead that are not. No list
// shows a part of an import. Afterwards everything that was acknowledged is
// there, nothing is there twice, and nothing is left of what failed.
func TestSoak(t *testing.T) {
	base := tabletest.Faults{Lock: 2 * time.Millisecond, Transaction: 3 * time.Millisecond, Throttled: 0.01, Lost: 0.03, Crash: 0.03}
	stale := base
	stale.Stale = 60 * time.Millisecond
	for name, faults := range map[string]tabletest.Faults{"faults": base, "stale reads": stale} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world, name_ := tabletest.NewFaulty(t, faults)
			s := &soak{
				world: world, name: name_, stale: faults.Stale > 0, start: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
				sure: map[string]person{}, size: map[int64]int{}, gone: map[int64]int{},
			}
			s.run(t)
			s.verify(t)
		})
	}
}

func (s *soak) run(t *testing.T) {
	// The time is over by the clock and not by a context, so that no call is cut.
	end := time.Now().Add(*soakFor)
	var wg sync.WaitGroup
	start := func(seed uint64, step func(*process, context.Context) error, pause time.Duration) {
		wg.Go(func() {
			p := s.process(t, seed)
			for time.Now().Before(end) && !t.Failed() {
				if err := step(p, t.Context()); err != nil && !table.Unavailable(err) && !errors.Is(err, tabletest.ErrCrashed) {
					t.Error(err)
				}
				if p.client.Crashed() {
					p.restart(t)
				}
				time.Sleep(pause)
			}
		})
	}
	for i := range uint64(5) {
		start(*soakSeed*1000+i, (*process).imports, 0)
	}
	start(*soakSeed*1000+100, (*process).single, 2*time.Millisecond)
	for i := range uint64(2) {
		start(*soakSeed*1000+400+i, (*process).remove, 0)
	}
	for i := range uint64(2) {
		start(*soakSeed*1000+200+i, (*process).look, 0)
	}
	for i := range uint64(2) {
		start(*soakSeed*1000+300+i, (*process).work, 10*time.Millisecond)
	}
	wg.Wait()
	t.Logf("%d imports and people made, %d refused, %d failed, %d people deleted; %d messages carried out",
		s.done, s.refused, s.failed, s.deleted, s.ended)
}

func iinOf(n int) string { return fmt.Sprintf("%012d", n) }

// outcome says what came of making people.
func (p *process) outcome(err error, first, im int64, iins []string) error {
	p.soak.mu.Lock()
	defer p.soak.mu.Unlock()
	switch {
	case err == nil:
		p.done++
		for i, iin := range iins {
			if _, there := p.sure[iin]; there {
				return fmt.Errorf("%s was made twice", iin)
			}
			one := p.person(first+int64(i), iin)
			one.Import = im
			p.sure[iin] = one
		}
	case errors.As(err, new(*unique.TakenError)):
		p.refused++
		return nil
	default:
		p.failed++
	}
	return err
}

func (p *process) single(ctx context.Context) error {
	iin := iinOf(p.random.IntN(numbers))
	made, err := listingtest.Create(ctx, p.Tenant, p.listing(), func(tx *table.Tx, id int64) error {
		one := p.person(id, iin)
		one.Indexed = search.New(p.Tenant, searched(), search.Values{Name: one.Name}, 1)
		tx.Put(p.Create(one), errors.New("exists"))
		unique.Abandoned{}.Reserve(tx, p.Tenant, value(iin), id)
		return nil
	})
	return p.outcome(err, made, 0, []string{iin})
}

// remove deletes people who are there.
func (p *process) remove(ctx context.Context) error {
	p.soak.mu.Lock()
	var one person
	for _, one = range p.sure {
		break
	}
	delete(p.sure, one.IIN)
	p.gone[one.Import]++
	p.soak.mu.Unlock()
	if one.IIN == "" {
		return nil
	}
	err := listingtest.Delete(ctx, p.Tenant, p.listing(), one.id(), func(tx *table.Tx) error {
		tx.Delete(p.Delete(one.Key()).If("attribute_exists(pk)"), fmt.Errorf("%s is not there", one.IIN))
		unique.Release(tx, p.Tenant, value(one.IIN), one.id())
		return nil
	})
	if err == nil {
		p.soak.mu.Lock()
		defer p.soak.mu.Unlock()
		p.deleted++
	}
	return err
}

func (p *process) imports(ctx context.Context) error {
	n := 1 + p.random.IntN(30)
	if p.random.IntN(4) == 0 {
		n += 60
	}
	chosen := p.random.Perm(numbers)[:min(n, numbers)]
	n = len(chosen)
	abandoned := unique.Abandoned{}
	for range 3 {
		iins := make([]string, n)
		for i := range iins {
			iins[i] = iinOf(chosen[i])
		}
		iin := func(i int) string { return iins[i] }
		im, err := imports().Run(ctx, p.Tenant, p.listing(), p.soak.now, bulk.Plan{
			Rows: p.rows(n, abandoned, iin, true),
		}, func(_ *table.Tx, _ *listing.Counts, im int64) error {
			p.soak.mu.Lock()
			defer p.soak.mu.Unlock()
			p.size[im] = n
			return nil
		})
		if err := p.outcome(err, im, im, iins); err != nil || n == 0 {
			return err
		}
		if err == nil {
			return nil
		}
		// Leave out who is there, and take over from the dead.
		found, err := unique.Look(ctx, p.Tenant, values(n, iin), p.soak.now())
		if err != nil || found.Busy != nil {
			return err
		}
		for i := len(found.Taken) - 1; i >= 0; i-- {
			chosen = append(chosen[:found.Taken[i]:found.Taken[i]], chosen[found.Taken[i]+1:]...)
		}
		if n, abandoned = len(chosen), found.Abandoned; n == 0 {
			return nil
		}
	}
	return nil
}

// look reads a whole list and finds each import whole in it, or not at all.
func (p *process) look(ctx context.Context) error {
	var people []*person
	var err error
	how := "page"
	if p.random.IntN(3) == 0 {
		how = "search"
		index := search.Index{
			Tenant: p.Tenant, Kind: searched(), Listing: p.listing(),
		}
		people, _, err = decoded(index.Page(ctx, search.Query{Words: []string{"name"}, Size: 5000}))
	} else {
		people, _, err = decoded(p.listing().Page(ctx, 0, 5000, p.random.IntN(2) == 0))
	}
	if err != nil {
		return err
	}
	of := map[int64]int{}
	for _, one := range people {
		if one.Import > 0 {
			of[one.Import]++
		}
	}
	p.soak.mu.Lock()
	defer p.soak.mu.Unlock()
	for im, n := range of {
		// An index that lags shows a part of what was committed a moment ago.
		if n > p.size[im] || n < p.size[im]-p.gone[im] && !(p.stale && how == "search") {
			return fmt.Errorf("%s shows %d of the %d people of import %d, of which %d are deleted", how, n, p.size[im], im, p.gone[im])
		}
	}
	return nil
}

// work carries out messages; now and then the clock leaps.
func (p *process) work(ctx context.Context) error {
	if p.random.IntN(20) == 0 {
		p.soak.mu.Lock()
		p.passed += bulk.Lease + 2*time.Second
		p.soak.mu.Unlock()
	}
	all, handle := crosstenant.Open(p.conn), imports().Work(p.conn, p.soak.now)["test.import"]
	return outbox.EachDue(ctx, all, p.soak.now(), func(k table.Key) error {
		m, ok, err := outbox.Claim(ctx, all, k, p.soak.now(), time.Minute)
		if err != nil || !ok {
			return err
		}
		err = handle(ctx, m)
		var later outbox.Later
		switch {
		case err == nil:
			_, err = outbox.Done(ctx, all, m, p.soak.now(), nil)
			p.soak.mu.Lock()
			p.ended++
			p.soak.mu.Unlock()
		case errors.As(err, &later):
			_, err = outbox.PutOff(ctx, all, m, p.soak.now(), later)
		case table.Unavailable(err):
			_, err = outbox.Again(ctx, all, m, p.soak.now(), err)
		}
		return err
	})
}

// verify lets the worker come to an end and looks at what is stored.
func (s *soak) verify(t *testing.T) {
	t.Helper()
	clock := s.now()
	sound := newOffice(t, table.Open(enginetest.Client(t), s.name), &clock)
	for range 4 {
		sound.pass(2 * time.Hour)
		sound.deliver()
	}
	seen := sound.seen()
	there := map[string]bool{}
	for _, iin := range seen {
		if there[iin] {
			t.Errorf("%s is there twice", iin)
		}
		there[iin] = true
	}
	for iin := range s.sure {
		if !there[iin] {
			t.Errorf("%s was acknowledged and is not there", iin)
		}
	}
	if t.Failed() {
		return
	}
	sound.clean(seen, iinOf, numbers)
	if sound.waiting() != 0 {
		t.Errorf("%d rows wait", sound.waiting())
	}
	if _, err := sound.create(t.Context(), "another", unique.Abandoned{}); err != nil {
		t.Error(err)
	}
}
