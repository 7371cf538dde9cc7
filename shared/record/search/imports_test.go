package search_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

func imports() bulk.Imports {
	return bulk.Imports{
		Kind: kind, Message: "test.import",
		Settle: func(t *table.Tenant, now time.Time) outbox.Message {
			return search.Merging(t, kind, false, now)
		},
	}
}

// rows are the rows of an import of people, whose places the import fills.
func (i *instance) rows(n int) (rows []bulk.Row, people []*person) {
	for at := range n {
		p := numbered(at * 2)
		people = append(people, &p)
		rows = append(rows, bulk.Row{Operations: 1, Put: func(tx *table.Tx, id, im int64) error {
			p.Item, p.Import, p.Waiting, p.Updated = table.At(i.Record(kind, id), 1), im, true, i.now().UnixMicro()
			p.Indexed = search.Indexed{X: search.Encode(i.kind, p.values())}
			tx.Put(i.Create(p), errTaken)
			return nil
		}})
	}
	return rows, people
}

// begin writes the rows of an import.
func (i *instance) begin(n int) (*bulk.Making, []*person) {
	i.Helper()
	rows, people := i.rows(n)
	making, err := imports().Begin(i.Context(), i.Tenant, i.listing(), i.now, bulk.Plan{Rows: rows})
	i.ok(err)
	i.ok(making.Write(i.Context()))
	return making, people
}

func (i *instance) commit(m *bulk.Making) {
	i.Helper()
	i.ok(m.Commit(i.Context(), nil))
}

// die abandons an import and removes what it has left.
func (i *instance) die(m *bulk.Making) {
	i.Helper()
	_, err := m.Abandon(i.Context())
	i.ok(err)
	i.ok(imports().End(i.Context(), i.Tenant, m.ID(), i.now()))
}

// ranges are how many committed ranges the listing has.
func (i *instance) ranges() int {
	i.Helper()
	tail, err := i.listing().Tail(i.Context())
	i.ok(err)
	return len(tail.Committed)
}

// The records of an import appear when it is committed, and stay in sight while segments take them in; then its range goes.
func TestImport(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	a, b := w.instance(), w.instance()
	people := a.seed(search.Small + 1)
	a.merge(false)
	b.finds(people...)
	making, made := a.begin(120)
	a.finds(people...)
	b.finds(people...)
	a.commit(making)
	people = append(people, made...)
	b.sees(people...)
	w.instance().sees(people...)

	a.ok(imports().End(t.Context(), a.Tenant, making.ID(), a.now()))
	if !a.waits(false) {
		t.Error("nothing asks to take the import in")
	}
	people[210] = a.change(people[210], func(p *person) { p.Name, p.Waiting = "name 00039", false })
	a.remove(people[215])
	people = append(people[:215:215], people[216:]...)
	b.sees(people...)

	if err := a.merger.Merge(t.Context(), a.Tenant, kind, false); err == nil || a.ranges() != 1 {
		t.Fatalf("the range is gone at once: %v", err)
	}
	b.sees(people...)
	w.instance().sees(people...)
	held := w.instance()
	held.finds(people...)
	w.pass(search.SettleFor + time.Second)
	a.merge(false)
	if a.ranges() != 0 {
		t.Error("the range stays")
	}
	b.sees(people...)
	held.sees(people...)
	w.instance().sees(people...)
}

// An instance that works with a manifest from before an import misses no record of it when the range is gone.
func TestOldManifestAfterAnImport(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	a, old := w.instance(), w.instance()
	people := a.seed(search.Small + 1)
	a.merge(false)
	old.finds(people...)
	making, made := a.begin(20)
	a.commit(making)
	a.merge(false)
	if a.ranges() != 0 {
		t.Fatal("the range stays")
	}
	old.sees(append(people, made...)...)
}

// The range of an import into a small kind goes too, because its records are read.
func TestImportIntoASmallKind(t *testing.T) {
	i := newWorld(t, tabletest.Faults{}).instance()
	making, people := i.begin(20)
	i.finds()
	i.commit(making)
	i.sees(people...)
	i.merge(false)
	i.finds(people...)
	if i.ranges() != 0 || i.manifest() != nil {
		t.Error("the range stays, or there are segments")
	}
}

// Nothing shows the records of an import that dies, whatever segments are made meanwhile.
func TestDeadImport(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	making, _ := i.begin(20)
	i.merge(false)
	w.instance().finds(people...)
	w.pass(bulk.Lease + time.Second)
	i.merge(true)
	i.finds(people...)
	i.ok(imports().End(t.Context(), i.Tenant, making.ID(), i.now()))
	i.merge(false)
	i.finds(people...)
	w.instance().sees(people...)
}

// An import that begins, is committed or dies between two calls of a merge is in no segment in part.
func TestImportBetweenTheReadsOfAMerge(t *testing.T) {
	for name, anew := range map[string]bool{"segments are made anew": true, "segments take in changes": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tabletest.Faults{})
			i := w.instance()
			people := i.seed(search.Small + 1)
			if !anew {
				i.merge(false)
			}
			for call := 1; call <= 7; call++ {
				open, made := i.begin(12)
				dying, _ := i.begin(12)
				var late *bulk.Making
				k := searched()
				if anew && call%2 == 1 {
					k = searched("d")
				}
				w.meddled(call, k, func() {
					late, _ = i.begin(12)
					i.commit(open)
					i.die(dying)
				}).merge(false)
				if late == nil {
					if call < 4 {
						t.Fatalf("there is no call %d", call)
					}
					i.die(open)
					i.die(dying)
					break
				}
				people = append(people, made...)
				w.instance().finds(people...)
				i.die(late)
			}
			i.merge(false)
			i.finds(people...)
			w.instance().sees(people...)
		})
	}
}

// One merge takes in all imports, some at a time, if it has the time; with little time left it leaves the rest to the next one.
func TestManyImports(t *testing.T) {
	for name, row := range map[string]struct {
		few  func(m *search.Merger)
		left int
	}{
		"as many as a transaction settles": {func(*search.Merger) {}, 3},
		"as many as are read in time":      {func(m *search.Merger) { m.SetReadFor(-1) }, 82},
		"as many as a merge takes in":      {func(m *search.Merger) { m.SetMost(search.Small + 1 + 17) }, 78}, // beside what was made before
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tabletest.Faults{})
			i := w.instance()
			people := i.seed(search.Small + 1)
			i.merge(false)
			for range 83 {
				making, made := i.begin(4)
				i.commit(making)
				people = append(people, made...)
			}
			row.few(i.merger)
			unsettled := func() (n int) {
				tail, err := i.listing().Tail(t.Context())
				i.ok(err)
				for _, c := range tail.Committed {
					if c.Settled == 0 {
						n++
					}
				}
				return n
			}
			merge := func(ctx context.Context) {
				t.Helper()
				if err := i.merger.Merge(ctx, i.Tenant, kind, false); !errors.As(err, new(outbox.Later)) {
					t.Fatalf("the ranges are still there, and it is not to come again: %v", err)
				}
			}
			hurried, cancel := context.WithTimeout(t.Context(), 7*time.Second)
			defer cancel()
			merge(hurried)
			if left := unsettled(); left != row.left {
				t.Errorf("with little time, %d of 83 are left, want %d", left, row.left)
			}
			merge(t.Context())
			if left := unsettled(); left != 0 {
				t.Errorf("with time, %d of 83 are left", left)
			}
			i.sees(people...)
			i.merge(false)
			if n := i.ranges(); n != 0 {
				t.Errorf("%d ranges are left", n)
			}
			w.instance().sees(people...)
		})
	}
}
