package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

const kind = kinds.Client

// person is a record. Numbers that are 0 and empty texts are missing.
type person struct {
	table.Item
	search.Indexed
	Updated int64  `dynamo:"m"`
	Name    string `dynamo:"n"`
	More    string `dynamo:"o,omitempty"`
	Age     int64  `dynamo:"a,omitempty"`
	Debt    int64  `dynamo:"d,omitempty"`
	Phone   int64  `dynamo:"p,omitempty"`
	City    string `dynamo:"c,omitempty"`
	Extra   string `dynamo:"e,omitempty"` // JSON
	Import  int64  `dynamo:"im,omitempty"`
	Waiting bool   `dynamo:"w,omitempty"`
}

func (p *person) id() int64 {
	id, err := table.ParseSortID(p.SK)
	if err != nil {
		panic(err)
	}
	return id
}

func (p *person) values() search.Values {
	v := search.Values{Name: p.Name, More: p.More, Numbers: map[string]int64{}, Texts: map[string]string{}}
	for letter, n := range map[string]int64{"a": p.Age, "d": p.Debt, "p": p.Phone} {
		if n != 0 {
			v.Numbers[letter] = n
		}
	}
	if p.City != "" {
		v.Texts["c"] = p.City
	}
	if p.Extra != "" {
		v.Extra = []byte(p.Extra)
	}
	return v
}

// searched is how people are searched, with some columns less.
func searched(without ...string) search.Kind {
	shape := segment.Shape{
		{Letter: "a"}, {Letter: "c", Text: true}, {Letter: "d"}, {Letter: "p", Digits: segment.Spelling{Width: 11, Trunk: true}},
	}
	return search.Kind{
		Code:  kind,
		Shape: slices.DeleteFunc(shape, func(c segment.Column) bool { return slices.Contains(without, c.Letter) }),
		Values: func(item table.Attributes) (search.Values, error) {
			var p person
			err := item.Decode(&p)
			return p.values(), err
		},
	}
}

// world is a company, its table, its bucket and its clock.
type world struct {
	testing.TB
	api     *tabletest.World
	table   string
	store   *files.Store
	company tenant.ID

	mu     sync.Mutex
	start  time.Time
	passed time.Duration
	seeds  uint64
}

var companies atomic.Int64 // because tests share a bucket

func newWorld(t testing.TB, faults tabletest.Faults) *world {
	t.Helper()
	w := &world{
		TB: t, store: filestest.New(t), company: tenant.ID(1000 + companies.Add(1)), start: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
	}
	w.api, w.table = tabletest.NewFaulty(t, faults)
	return w
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.start.Add(w.passed)
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed += d
}

// wait lets the time pass until another one, as Merger.Anew asks for it.
func (w *world) wait(until time.Time) error {
	w.pass(until.Sub(w.now()))
	return nil
}

// instance is one instance of a function, with its own memory and its own clock.
type instance struct {
	*world
	*table.Tenant
	client *tabletest.Client
	conn   *table.Conn
	kind   search.Kind
	memory *search.Memory
	merger *search.Merger
	skew   time.Duration
}

func (w *world) instance() *instance {
	w.mu.Lock()
	w.seeds++
	client := w.api.Client(w.seeds)
	w.mu.Unlock()
	i := w.of(client, searched())
	i.client = client
	return i
}

// of is an instance with a client of the table and a version of the kind.
func (w *world) of(client dynamodbiface.DynamoDBAPI, k search.Kind) *instance {
	i := &instance{world: w, conn: table.Open(client, w.table), kind: k}
	i.Tenant = table.Of(i.conn, w.company)
	i.memory = search.NewMemory(w.store, i.now, w.most())
	i.merger = w.newMerger(i, w.store)
	return i
}

// streams tells whether this test is to store small parts and to keep nearly nothing in memory, so that each search goes through parts.
func (w *world) streams() bool { return strings.HasPrefix(w.Name(), "TestStreamed/") }

// most is how many bytes of segments an instance keeps.
func (w *world) most() int64 {
	if w.streams() {
		return 5000
	}
	return 1 << 26
}

func (w *world) newMerger(i *instance, store *files.Store) *search.Merger {
	m := search.NewMerger(i.conn, store, i.now, uuid.New, w.most(), i.kind)
	if w.streams() {
		m.SetRows(64)
	}
	return m
}

func (i *instance) now() time.Time { return i.world.now().Add(i.skew) }

func (i *instance) listing() listing.Listing { return listing.Of(i.Tenant, kind, nil) }

func (i *instance) index() search.Index {
	return search.Index{Kind: i.kind, Tenant: i.Tenant, Listing: i.listing(), Memory: i.memory, Now: i.now}
}

// put writes a version of a person into the transaction.
func (i *instance) put(tx *table.Tx, p *person, id int64, before *person) {
	p.Item, p.Updated = table.At(i.Record(kind, id), 1), i.now().UnixMicro()
	if before != nil {
		p.Updated, p.Waiting = max(before.Updated+1, p.Updated), false
	}
	p.Indexed = search.New(i.Tenant, i.kind, p.values(), p.Updated)
	if before == nil {
		tx.Put(i.Create(p), errTaken)
	} else {
		tx.Put(i.Put(p).If("'m' = ?", before.Updated), errTaken)
	}
}

var errTaken = errors.New("another version is there")

func (i *instance) tryCreate(ctx context.Context, p *person) error {
	id, err := listingtest.Create(ctx, i.Tenant, i.listing(), func(tx *table.Tx, id int64) error {
		i.put(tx, p, id, nil)
		return nil
	})
	if err == nil {
		i.memory.Wrote(i.company, kind, id, p.Indexed)
	}
	return err
}

func (i *instance) tryChange(ctx context.Context, before, p *person) error {
	err := i.Write(ctx, func(tx *table.Tx, _ int) error {
		i.put(tx, p, before.id(), before)
		return nil
	})
	if err == nil {
		i.memory.Wrote(i.company, kind, p.id(), p.Indexed)
	}
	return err
}

// tryRemove deletes a person and keeps a copy of it in the archive, with the entry of what is gone.
func (i *instance) tryRemove(ctx context.Context, p *person) error {
	id, gone := p.id(), *p
	gone.Item, gone.Waiting = table.At(i.Archive(kind, id), 1), false
	err := listing.Write(ctx, i.Tenant, func(tx *table.Tx, c *listing.Counts) error {
		gone.Indexed = search.Gone(i.Tenant, kind, max(p.Updated+1, i.now().UnixMicro()))
		tx.Delete(i.Delete(p.Key()).If("'m' = ?", p.Updated), errTaken)
		tx.Put(i.Put(gone), nil)
		return c.Deleted(i.listing(), id)
	})
	if err == nil {
		i.memory.Wrote(i.company, kind, id, gone.Indexed)
	}
	return err
}

// ok ends the test if something went wrong.
func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (i *instance) create(p person) *person {
	i.Helper()
	i.ok(i.tryCreate(i.Context(), &p))
	return &p
}

// change writes a person again, changed.
func (i *instance) change(p *person, with func(p *person)) *person {
	i.Helper()
	after := *p
	with(&after)
	i.ok(i.tryChange(i.Context(), p, &after))
	return &after
}

func (i *instance) remove(p *person) {
	i.Helper()
	i.ok(i.tryRemove(i.Context(), p))
}

// numbered is the person of a number.
func numbered(n int) person {
	p := person{
		Name: fmt.Sprintf("name %05d", n), Age: int64(18 + n%50), Phone: 77010000000 + int64(n)*7, City: []string{"oslo", "rome", ""}[n%3],
	}
	if n%2 == 0 {
		p.More, p.Debt = "owes much", int64(n)*100-5000
	}
	return p
}

// seed writes many people at once, with entries of now, and counts them.
func (i *instance) seed(n int) []*person {
	i.Helper()
	return i.seedWith(n, func(int, *person) {})
}

// seedWith seeds people with something that others don't have.
func (i *instance) seedWith(n int, with func(at int, p *person)) (people []*person) {
	i.Helper()
	first, err := i.listing().Reserve(i.Context(), n)
	i.ok(err)
	ids, items := make([]int64, n), make([]any, n)
	for at := range n {
		p := numbered(at)
		with(at, &p)
		ids[at], p.Updated = first+int64(at), i.now().UnixMicro()
		p.Item, p.Indexed = table.At(i.Record(kind, ids[at]), 1), search.New(i.Tenant, i.kind, p.values(), p.Updated)
		items[at], people = p, append(people, &p)
	}
	var group sync.WaitGroup
	for part := range slices.Chunk(items, (n+7)/8) {
		group.Go(func() {
			if _, err := i.Table().Batch("pk", "sk").Write().Put(part...).Run(i.Context()); err != nil {
				i.Error(err)
			}
		})
	}
	group.Wait()
	i.ok(listing.Write(i.Context(), i.Tenant, func(_ *table.Tx, c *listing.Counts) error { return c.Created(i.listing(), ids...) }))
	return people
}

// merge merges until nothing is left to do, as the worker does, and lets the time pass for which it has to wait.
func (i *instance) merge(check bool) {
	i.Helper()
	for range 100 {
		err := i.merger.Merge(i.Context(), i.Tenant, kind, check)
		later := outbox.Later{}
		if !errors.As(err, &later) {
			i.ok(err)
			return
		}
		i.pass(later.Until.Sub(i.now()))
	}
	i.Fatal("merging does not end")
}

// manifest is the stored manifest; nil if there is none.
func (i *instance) manifest() *search.Manifest {
	i.Helper()
	m := new(search.Manifest)
	err := i.Get(i.Context(), i.Tenant.Manifest(kind), m)
	if errors.Is(err, table.ErrNotFound) {
		return nil
	}
	i.ok(err)
	return m
}

// stored are the people in the table that are not of an import which may not be shown.
func (i *instance) stored() (people []*person) {
	i.Helper()
	all := []*person{}
	i.ok(i.Table().Get("pk", i.Records(kind)).Consistent(true).All(i.Context(), &all))
	for _, p := range all {
		if p.Waiting {
			visible, err := bulk.Visible(i.Context(), i.Tenant, kind, p.Import)
			if i.ok(err); !visible {
				continue
			}
		}
		people = append(people, p)
	}
	return people
}

// sees checks that every query finds exactly these people, in every way.
func (i *instance) sees(people ...*person) {
	i.Helper()
	for name, q := range queries() {
		q.check(i, name, i.index(), people)
	}
}

// finds checks that a query finds exactly these people.
func (i *instance) finds(people ...*person) {
	i.Helper()
	queries()["words of both texts"].check(i, "finds", i.index(), people)
}

// waits checks whether a message waits that asks for a merge, and removes it.
func (i *instance) waits(check bool) bool {
	i.Helper()
	key := string(kind)
	if check {
		key += search.CheckSign
	}
	m := outbox.NewKeyed(i.Message, search.MergeMessage, key, i.now())
	err := i.Delete(m.Key()).If("attribute_exists(pk)").Run(i.Context())
	if dynamo.IsCondCheckFailed(err) {
		return false
	}
	i.ok(err)
	return true
}

// decoded are what a page has found, as people.
func decoded(found []table.Attributes, count int, err error) ([]*person, int, error) {
	if err != nil {
		return nil, 0, err
	}
	list, err := table.DecodeAll[*person](found)
	return list, count, err
}
