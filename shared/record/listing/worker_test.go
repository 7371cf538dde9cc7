package listing_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// worker is a process; after a crash the next one takes its place.
type worker struct {
	*soak
	*store
	random *rand.Rand
	client *tabletest.Client
	index  search.Index
	own    []int64
}

func (s *soak) worker(seed uint64) *worker {
	w := &worker{soak: s, random: rand.New(rand.NewPCG(seed, 5))}
	w.restart()
	return w
}

func (w *worker) restart() {
	w.client = w.world.Client(w.random.Uint64())
	w.store = newStoreWith(table.Open(w.client, w.name), func(_ *table.Tx, bucket int) error {
		w.soak.mu.Lock()
		defer w.soak.mu.Unlock()
		w.soak.asks = append(w.soak.asks, bucket)
		return nil
	})
	w.index = w.store.index()
}

func newStoreWith(c *table.Conn, ask listing.AskFold) *store {
	t := table.Of(c, 7)
	return &store{Tenant: t, dir: listing.Of(t, kind, ask), kind: kind}
}

func searched() search.Kind { return search.Kind{Code: kind, Shape: segment.Shape{{Letter: "o"}}} }

func (s *store) index() search.Index {
	return search.Index{
		Tenant: s.Tenant, Kind: searched(), Listing: s.dir,
	}
}

func (s *store) found(id int64, name string) found {
	return found{
		Item: table.At(s.Record(kind, id), 1), Name: name,
		Indexed: search.New(s.Tenant, searched(), search.Values{Name: name, Numbers: map[string]int64{"o": id % 5}}, 1),
	}
}

// excused tells whether an error is one of the injected faults.
func excused(err error) bool {
	return table.Unavailable(err) || errors.Is(err, tabletest.ErrCrashed)
}

// step does one thing, as a request would.
func (w *worker) step(ctx context.Context) error {
	w.alive.RLock()
	defer w.alive.RUnlock()
	switch n := w.random.IntN(100); {
	case n < 35:
		return w.createOne(ctx)
	case n < 40:
		return w.createMany(ctx)
	case n < 43:
		return w.importMany(ctx)
	case n < 60:
		return w.deleteOne(ctx)
	case n < 70:
		return w.rename(ctx)
	case n < 90:
		return w.readPage(ctx)
	default:
		return w.searchPage(ctx)
	}
}

// known says what the outcome of a create means.
func (w *worker) known(err error, names map[int64]string) error {
	w.soak.mu.Lock()
	defer w.soak.mu.Unlock()
	w.created++
	switch {
	case err == nil:
		for id, name := range names {
			w.sure[id] = name
			w.own = append(w.own, id)
		}
	case excused(err):
		w.failed++ // it may be there or not
	default:
		return fmt.Errorf("create: %w", err)
	}
	return nil
}

func (w *worker) createOne(ctx context.Context) error {
	name := words(w.random)
	id, err := listingtest.Create(ctx, w.Tenant, w.dir, func(tx *table.Tx, id int64) error {
		tx.Put(w.Create(w.found(id, name)), errTaken)
		return nil
	})
	return w.known(err, map[int64]string{id: name})
}

func (w *worker) createMany(ctx context.Context) error {
	n := 1 + w.random.IntN(12)
	w.soak.mu.Lock()
	ids := w.late[:min(n, len(w.late))]
	w.late = w.late[len(ids):]
	w.soak.mu.Unlock()
	if len(ids) == 0 || w.random.IntN(3) == 0 {
		first, err := w.dir.Reserve(ctx, n)
		if err != nil {
			return w.known(err, nil)
		}
		ids = nil
		for id := first; id < first+int64(n); id++ {
			ids = append(ids, id)
		}
	}
	names, used := map[int64]string{}, []int64{}
	for _, id := range ids {
		if w.random.IntN(4) > 0 {
			used = append(used, id)
			names[id] = words(w.random)
		}
	}
	if len(used) == 0 {
		return nil
	}
	return w.known(w.dir.CreateMany(ctx, ids, func(tx *table.Tx) ([]int64, error) {
		for _, id := range used {
			tx.Put(w.Create(w.found(id, names[id])), errTaken)
		}
		return used, nil
	}), names)
}

// importMany makes records that are pending until they are counted at once, or
// removed, or left to stay so.
func (w *worker) importMany(ctx context.Context) error {
	r, err := w.dir.ReserveApart(ctx, 1+w.random.IntN(40))
	if err == nil {
		err = w.Write(ctx, func(tx *table.Tx, _ int) error { return w.dir.Hide(tx, r) })
	}
	if err != nil {
		return w.known(err, nil)
	}
	names := map[int64]string{}
	for _, id := range ids(r) {
		names[id] = words(w.random)
	}
	for batch := range slices.Chunk(ids(r), 15) {
		err := w.Write(ctx, func(tx *table.Tx, _ int) error {
			for _, id := range batch {
				tx.Put(w.Create(w.found(id, names[id])), errTaken)
			}
			return nil
		})
		if err != nil {
			return w.known(err, nil)
		}
	}
	switch w.random.IntN(4) {
	case 0: // it has crashed
		return nil
	case 1:
		for id := range names {
			if err := table.Retry(ctx, func() error { return w.Delete(w.Record(kind, id)).Run(ctx) }); err != nil {
				return w.known(err, nil)
			}
		}
		return w.known(w.Write(ctx, func(tx *table.Tx, _ int) error {
			w.dir.Show(tx, r)
			return nil
		}), nil)
	}
	return w.known(listing.Write(ctx, w.Tenant, func(tx *table.Tx, c *listing.Counts) error {
		w.dir.Show(tx, r)
		return c.Created(w.dir, ids(r)...)
	}), names)
}

// forget takes one of the worker's records out of what is sure.
func (w *worker) forget() (id int64, ok bool) {
	if len(w.own) == 0 {
		return 0, false
	}
	i := w.random.IntN(len(w.own))
	id = w.own[i]
	w.own = slices.Delete(w.own, i, i+1)
	w.soak.mu.Lock()
	defer w.soak.mu.Unlock()
	delete(w.sure, id)
	return id, true
}

func (w *worker) deleteOne(ctx context.Context) error {
	id, ok := w.forget()
	if !ok {
		return nil
	}
	err := w.delete(ctx, id)
	if err == nil {
		w.soak.mu.Lock()
		w.gone[id] = true
		w.soak.mu.Unlock()
		if err = w.delete(ctx, id); err == nil || errors.Is(err, fault.ErrNotFound) {
			// The second may succeed: its outcome was unknown, and it looked.
			return nil
		}
	}
	if excused(err) {
		return nil
	}
	return fmt.Errorf("delete: %w", err)
}

func (w *worker) rename(ctx context.Context) error {
	id, ok := w.forget()
	if !ok {
		return nil
	}
	name := words(w.random)
	err := w.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Put(w.Put(w.found(id, name)).If("attribute_exists(pk)"), fault.ErrNotFound)
		return nil
	})
	if err == nil {
		w.soak.mu.Lock()
		w.sure[id] = name
		w.soak.mu.Unlock()
		w.own = append(w.own, id)
		return nil
	}
	if excused(err) {
		return nil
	}
	return fmt.Errorf("rename: %w", err)
}

// readPage reads a page while others write: it may be of no single moment, but
// it holds as many as its count says, nothing twice and nothing of elsewhere, in order.
func (w *worker) readPage(ctx context.Context) error {
	newestFirst, offset, size := w.random.IntN(2) == 0, w.random.IntN(200), 1+w.random.IntN(30)
	items, count, err := decoded(w.dir.Page(ctx, offset, size, newestFirst))
	if err != nil {
		if excused(err) {
			return nil
		}
		return fmt.Errorf("page: %w", err)
	}
	if len(items) != shown(count, offset, size) {
		return fmt.Errorf("page of %d at %d has %d of %d", size, offset, len(items), count)
	}
	for i, it := range items {
		if it.PK != w.Records(kind) || i > 0 && (it.SK < items[i-1].SK) != newestFirst || i > 0 && it.SK == items[i-1].SK {
			return fmt.Errorf("page holds %v at %d of %v", it.Key(), i, items)
		}
	}
	return nil
}

func (w *worker) searchPage(ctx context.Context) error {
	items, count, err := decoded(w.index.Page(ctx, search.Query{Words: search.Words(words(w.random)[:4]), Offset: w.random.IntN(5), Size: 10}))
	if err != nil {
		if excused(err) {
			return nil
		}
		return fmt.Errorf("search: %w", err)
	}
	seen := map[string]bool{}
	for _, it := range items {
		if seen[it.SK] || it.PK != w.Records(kind) {
			return fmt.Errorf("search holds %v", it.Key())
		}
		seen[it.SK] = true
	}
	if len(items) > count {
		return fmt.Errorf("search holds %d of %d", len(items), count)
	}
	return nil
}

// maintain folds what was asked for, and other buckets too, and sweeps what it
// has folded when nobody is alive who began before.
func (w *worker) maintain(ctx context.Context) error {
	w.soak.mu.Lock()
	bucket := w.random.IntN(3)
	if len(w.soak.asks) > 0 {
		bucket, w.soak.asks = w.soak.asks[0], w.soak.asks[1:]
	}
	w.soak.mu.Unlock()
	below, err := w.dir.Fold(ctx, bucket)
	w.count(&w.folded, below > 0)
	if below > 0 && bucket > 0 { // who has a late id of bucket 0 lives on
		w.alive.Lock()
		w.alive.Unlock() //nolint:staticcheck // it only waits for those that hold it
		err = w.dir.Sweep(ctx, bucket, below)
		w.count(&w.swept, err == nil)
	}
	if err != nil && !excused(err) {
		return fmt.Errorf("fold: %w", err)
	}
	return nil
}

func (w *worker) count(n *int, when bool) {
	w.soak.mu.Lock()
	defer w.soak.mu.Unlock()
	if when {
		*n++
	}
}

func words(r *rand.Rand) string {
	var s strings.Builder
	for range 3 + r.IntN(20) {
		fmt.Fprintf(&s, "%c%c%c ", 'а'+r.IntN(6), 'а'+r.IntN(6), 'а'+r.IntN(6))
	}
	return strings.TrimSpace(s.String())
}

// decoded are what a page has found, as records.
func decoded(rows []table.Attributes, count int, err error) ([]*found, int, error) {
	if err != nil {
		return nil, 0, err
	}
	list, err := table.DecodeAll[*found](rows)
	return list, count, err
}
