package bulk_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// A thousand rows, each with a reserved value: what they cost, and that they
// appear all at once.
func TestAThousandRows(t *testing.T) {
	t.Run("alone", func(t *testing.T) { aThousandRows(t, false, 4.15) })
	t.Run("with what a segment takes of them", func(t *testing.T) { aThousandRows(t, true, 4.15) })
}

func aThousandRows(t *testing.T, indexed bool, bound float64) {
	o := newOffice(t, nil, nil)
	iin := numbered("a")
	ctx, m := meter.Start(t.Context())
	start := time.Now()
	im, err := imports().Run(ctx, o.Tenant, o.listing(), o.now, bulk.Plan{
		Rows: o.rows(bulk.MaxRows, unique.Abandoned{}, iin, indexed), By: 3,
		Also: func(tx *table.Tx, until time.Time) error {
			if !until.Equal(o.now().Add(bulk.Lease)) {
				t.Errorf("the lease ends at %v", until)
			}
			tx.Put(o.Put(o.person(1, "").at(o.Company())), nil)
			return nil
		},
	}, func(tx *table.Tx, _ *listing.Counts, im int64) error {
		tx.Put(o.Put(o.person(im, "").at(o.Upload(uuid.NewString()))), nil)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	used, took := m.Usage(), time.Since(start)
	t.Logf("%d calls, %.2f write units a row, %.1f read units, %v", used.Calls, used.WriteUnits/bulk.MaxRows, used.ReadUnits, took)
	if used.Calls > 23 || used.WriteUnits > bound*bulk.MaxRows {
		t.Errorf("more than 23 calls, or %.2f write units a row", bound)
	}
	count, err := o.listing().Count(t.Context())
	if visible, visibleErr := bulk.Visible(t.Context(), o.Tenant, kind, im); err != nil || count != bulk.MaxRows || !visible ||
		visibleErr != nil {
		t.Errorf("%d people, %v; visible: %v, %v", count, err, visible, visibleErr)
	}
	o.pass(bulk.Lease + 2*time.Second)
	ctx, m = meter.Start(t.Context())
	if err := imports().End(ctx, o.Tenant, im, o.now()); err != nil {
		t.Fatal(err)
	}
	used = m.Usage()
	t.Logf("afterwards: %d calls, %.2f write units a row, %.1f read units", used.Calls, used.WriteUnits/bulk.MaxRows, used.ReadUnits)
	if n := o.waiting(); n != 0 || used.WriteUnits > bulk.MaxRows {
		t.Errorf("%d rows wait", n)
	}
}

func (p person) at(k table.Key) person {
	p.PK, p.SK = k.PK, k.SK
	return p
}

// Nothing is seen before the commit, everything after it, and afterwards the
// rows say nothing of it but who made them.
func TestStepByStep(t *testing.T) {
	const n = 120
	o := newOffice(t, nil, nil)
	if _, err := o.create(t.Context(), "first", unique.Abandoned{}); err != nil {
		t.Fatal(err)
	}
	iin := numbered("a")
	about := table.Attributes{}
	about.SetText("rq", "request 5")
	i, err := imports().Begin(t.Context(), o.Tenant, o.listing(), o.now, bulk.Plan{Rows: o.rows(n, unique.Abandoned{}, iin, true), By: 3, About: about})
	if err != nil {
		t.Fatal(err)
	}
	unseen := func() {
		t.Helper()
		if got := o.seen(); len(got) != 1 {
			t.Fatalf("%v are seen", got)
		}
		if o.visible(i.ID()) {
			t.Fatal("a row is visible")
		}
	}
	unseen()
	if i.Commit(t.Context(), nil) == nil {
		t.Fatal("committed without all rows")
	}
	if err := i.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	unseen()
	if _, err := o.create(t.Context(), "second", unique.Abandoned{}); err != nil {
		t.Fatal(err)
	}
	o.deliver() // too early: nothing happens
	var later outbox.Later
	if err := imports().End(t.Context(), o.Tenant, i.ID(), o.now()); !errors.As(err, &later) ||
		!later.Until.After(o.now().Add(bulk.Lease)) {
		t.Fatal(err)
	}
	method := o.listingOf(kinds.AttractionMethod)
	if err := i.Commit(t.Context(), func(tx *table.Tx, c *listing.Counts, im int64) error {
		if im != i.ID() {
			t.Errorf("import %d", im)
		}
		tx.Put(o.Create(o.person(1, "").at(o.Record(kinds.AttractionMethod, 1))), nil)
		return c.Created(method, 1)
	}); err != nil {
		t.Fatal(err)
	}
	if count, err := method.Count(t.Context()); err != nil || count != 1 {
		t.Errorf("%d methods, %v", count, err)
	}
	want := append(all(n, iin), "first", "second")
	o.clean(want, iin, n)
	s, err := bulk.Read(t.Context(), o.Tenant, bulk.ID{Kind: kind, Import: i.ID()}, o.now())
	if err != nil || s.Status != bulk.Done || s.Rows != n || s.By != 3 || s.About.Text("rq") != "request 5" || s.At != o.now().UnixMicro() {
		t.Errorf("%+v, %v", s, err)
	}
	if done, err := i.Abandon(t.Context()); !done || err != nil {
		t.Errorf("abandoning what is committed: %v, %v", done, err)
	}
	// A record that is deleted meanwhile stays deleted; one that was changed keeps its change.
	if err := listingtest.Delete(t.Context(), o.Tenant, o.listing(), i.ID(), func(tx *table.Tx) error {
		tx.Delete(o.Delete(o.Record(kind, i.ID())).If("attribute_exists(pk)"), fault.ErrNotFound)
		unique.Release(tx, o.Tenant, value(iin(0)), i.ID())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if o.waiting() != n-1 {
		t.Errorf("%d rows wait", o.waiting())
	}
	o.pass(time.Minute)
	o.deliver()
	if o.waiting() != 0 || o.row(i.ID()+1).Int("im") != i.ID() {
		t.Errorf("%d rows wait", o.waiting())
	}
	o.clean(want[1:], iin, n)
}

func (o office) listingOf(k kinds.Code) listing.Listing { return listing.Of(o.Tenant, k, nil) }

// An abandoned import leaves nothing. The same import again succeeds: before the sweep by
// taking the values over, and after it.
func TestAbandoned(t *testing.T) {
	const n = 100
	iin := numbered("a")
	for _, swept := range []bool{false, true} {
		t.Run(fmt.Sprint("swept ", swept), func(t *testing.T) {
			o := newOffice(t, nil, nil)
			refused := errors.New("refused")
			rows := o.rows(n, unique.Abandoned{}, iin, true)
			rows[80].Put = func(tx *table.Tx, id, _ int64) error {
				tx.Check(o.Exists(o.Company()), refused)
				tx.Put(o.Create(o.person(id, "")), nil)
				return nil
			}
			_, err := imports().Run(t.Context(), o.Tenant, o.listing(), o.now, bulk.Plan{Rows: rows}, nil)
			if !errors.Is(err, refused) {
				t.Fatal(err)
			}
			if got := o.seen(); len(got) != 0 {
				t.Fatalf("%v are seen", got)
			}
			abandoned := unique.Abandoned{}
			if swept {
				o.deliver()
				o.clean(nil, iin, n)
			} else {
				if _, err := o.run(t.Context(), n, iin); !errors.As(err, new(*unique.TakenError)) {
					t.Fatal(err)
				}
				found, err := unique.Look(t.Context(), o.Tenant, values(n, iin), o.now())
				if err != nil || found.Busy != nil || len(found.Taken) != 0 {
					t.Fatalf("%+v, %v", found, err)
				}
				abandoned = found.Abandoned
			}
			if _, err := imports().Run(
				t.Context(), o.Tenant, o.listing(), o.now, bulk.Plan{Rows: o.rows(n, abandoned, iin, true)}, nil,
			); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				o.deliver()
				o.clean(all(n, iin), iin, n)
				o.pass(time.Minute)
			}
		})
	}
}

// An import whose lease is over is ended by whoever sees it. After that it neither commits nor
// writes.
func TestAZombie(t *testing.T) {
	const n = 150
	iin := numbered("a")
	o := newOffice(t, nil, nil)
	i, err := imports().Begin(t.Context(), o.Tenant, o.listing(), o.now, bulk.Plan{Rows: o.rows(n, unique.Abandoned{}, iin, true)})
	if err != nil {
		t.Fatal(err)
	}
	j, err := imports().Begin(t.Context(), o.Tenant, o.listing(), o.now, bulk.Plan{Rows: o.rows(10, unique.Abandoned{}, numbered("b"), true)})
	if err != nil {
		t.Fatal(err)
	}
	status := func(want bulk.Status) {
		t.Helper()
		states, err := bulk.ReadAll(t.Context(), o.Tenant, []bulk.ID{{kind, i.ID()}, {kind, i.ID()}, {kind, j.ID()}, {kind, 999}}, o.now())
		if err != nil || len(states) != 2 || states[bulk.ID{kind, i.ID()}].Status != want {
			t.Fatalf("%+v, %v", states, err)
		}
	}
	o.pass(bulk.Lease)
	status(bulk.Running)
	o.pass(time.Millisecond)
	// A reader that must not write sees that it must be dead, and does not change it.
	ctx, m := meter.Start(t.Context())
	states, err := bulk.Peek(ctx, o.Tenant, []bulk.ID{{kind, i.ID()}}, o.now())
	if err != nil || states[bulk.ID{kind, i.ID()}].Status != bulk.Dead || m.Usage().WriteUnits > 0 {
		t.Fatalf("%+v, %v, %+v", states, err, m.Usage())
	}
	if visible, err := bulk.Visible(t.Context(), o.Tenant, kind, i.ID()); visible || err != nil {
		t.Fatalf("%v, %v", visible, err)
	}
	status(bulk.Dead)
	for what, err := range map[string]error{"rows": i.Write(t.Context()), "commit": j.Commit(t.Context(), nil)} {
		if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable {
			t.Errorf("%s of a dead import: %v", what, err)
		}
	}
	if done, err := i.Abandon(t.Context()); done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	o.pass(3 * time.Second)
	o.deliver()
	o.clean(nil, iin, n)
	if err := i.Write(t.Context()); err == nil {
		t.Error("rows were written after the sweep")
	}
	o.clean(nil, iin, n)
}

func TestRefusedPlans(t *testing.T) {
	o := newOffice(t, nil, nil)
	wrong := o.rows(2, unique.Abandoned{}, numbered("a"), true)
	wrong[1].Operations = 1
	large := o.rows(1, unique.Abandoned{}, numbered("a"), true)
	large[0].Operations = 100
	for what, rows := range map[string][]bulk.Row{
		"no rows": nil, "too many rows": make([]bulk.Row, bulk.MaxRows+1), "operations that were not announced": wrong, "too large a row": large,
	} {
		if _, err := imports().Run(t.Context(), o.Tenant, o.listing(), o.now, bulk.Plan{Rows: rows}, nil); err == nil {
			t.Errorf("%s: imported", what)
		}
	}
	for _, b := range []string{`{}`, `{"import":0}`, `nonsense`, `{"import":5}`} {
		m := outbox.Message{Item: table.At(o.Message("x"), 1), Kind: "test.import", Body: b}
		if err := imports().Work(o.conn, o.now)["test.import"](t.Context(), m); !errors.Is(err, outbox.ErrDrop) {
			t.Errorf("%s: %v", b, err)
		}
	}
	if visible, err := bulk.Visible(t.Context(), o.Tenant, kind, 5); visible || err != nil {
		t.Errorf("an import that never was: %v, %v", visible, err)
	}
}
