package unique_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

func value(v string) unique.Value { return unique.Value{Kind: kinds.Client, Name: "iin", Value: v} }

// company is a company with a clock of its own.
type company struct {
	t *testing.T
	*table.Tenant
	clock time.Time
}

func newCompany(t *testing.T) *company {
	t.Helper()
	return &company{t: t, Tenant: table.Of(tabletest.New(t), 7), clock: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
}

func (c *company) now() time.Time { return c.clock }

// reserve reserves values for a record, all or none.
func (c *company) reserve(abandoned unique.Abandoned, owner int64, values ...string) error {
	return c.Write(c.t.Context(), func(tx *table.Tx, _ int) error {
		for _, v := range values {
			abandoned.Reserve(tx, c.Tenant, value(v), owner)
		}
		return nil
	})
}

func (c *company) release(owner int64, v string) error {
	return c.Write(c.t.Context(), func(tx *table.Tx, _ int) error {
		unique.Release(tx, c.Tenant, value(v), owner)
		return nil
	})
}

// imports begins an import whose rows consist of their reservations only.
func (c *company) imports(abandoned unique.Abandoned, values ...string) (*bulk.Making, error) {
	rows := make([]bulk.Row, len(values))
	for i, v := range values {
		rows[i] = bulk.Row{Operations: 1, Put: func(tx *table.Tx, id, im int64) error {
			abandoned.Of(im).Reserve(tx, c.Tenant, value(v), id)
			return nil
		}}
	}
	return bulk.Imports{Kind: kinds.Client, Message: "test.import"}.
		Begin(c.t.Context(), c.Tenant, listing.Of(c.Tenant, kinds.Client, nil), c.now, bulk.Plan{Rows: rows})
}

func (c *company) look(values ...string) unique.Found {
	c.t.Helper()
	list := make([]unique.Value, len(values))
	for i, v := range values {
		list[i] = value(v)
	}
	f, err := unique.Look(c.t.Context(), c.Tenant, list, c.clock)
	if err != nil {
		c.t.Fatal(err)
	}
	return f
}

func TestOneRecordHasAValue(t *testing.T) {
	c := newCompany(t)
	if err := c.reserve(unique.Abandoned{}, 1, "a", "b"); err != nil {
		t.Fatal(err)
	}
	var taken *unique.TakenError
	if err := c.reserve(unique.Abandoned{}, 2, "c", "b"); !errors.As(err, &taken) || taken.Value != value("b") {
		t.Fatalf("%v", err)
	}
	if f := c.look("c", "b", "a"); !slices.Equal(f.Taken, []int{1, 2}) || f.Busy != nil {
		t.Errorf("%+v", f)
	}
	if c.release(2, "b") == nil {
		t.Error("a record has released another's value")
	}
	if err := c.release(1, "b"); err != nil {
		t.Fatal(err)
	}
	if err := c.release(1, "b"); err != nil {
		t.Errorf("twice: %v", err)
	}
	if err := c.reserve(unique.Abandoned{}, 2, "c", "b"); err != nil {
		t.Error(err)
	}
	move := func(from, to int64) error {
		return c.Write(t.Context(), func(tx *table.Tx, _ int) error {
			unique.Move(tx, c.Tenant, value("b"), from, to)
			return nil
		})
	}
	if err := move(1, 3); !errors.As(err, &taken) {
		t.Errorf("moved from a record that does not have it: %v", err)
	}
	if err := move(2, 3); err != nil || c.release(2, "b") == nil {
		t.Errorf("moved: %v", err)
	}
	other := &company{t: t, Tenant: table.Of(tabletest.New(t), 8), clock: c.clock}
	if err := other.reserve(unique.Abandoned{}, 1, "a"); err != nil {
		t.Errorf("another company: %v", err)
	}
}

// A value that an import has reserved is busy while the import runs, taken when it is done, and
// can be taken over, once, when it is dead.
func TestWhatAnImportHas(t *testing.T) {
	c := newCompany(t)
	running, err := c.imports(unique.Abandoned{}, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	done, err := c.imports(unique.Abandoned{}, "c", "d")
	if err != nil {
		t.Fatal(err)
	}
	if err := done.Commit(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c.clock = c.clock.Add(15 * time.Second)
	f := c.look("a", "c", "free")
	if !slices.Equal(f.Taken, []int{1}) || f.Busy == nil || f.Busy.Code != fault.Conflict || f.Busy.Members["code"] != "import_running" ||
		f.Busy.RetryAfter != bulk.Lease-15*time.Second {
		t.Fatalf("%+v, %+v", f, f.Busy)
	}
	// What Look found while the import was running does not allow to take its values over.
	var taken *unique.TakenError
	if err := c.reserve(f.Abandoned, 50, "a"); !errors.As(err, &taken) {
		t.Fatalf("%v", err)
	}
	if _, err := running.Abandon(t.Context()); err != nil {
		t.Fatal(err)
	}
	f = c.look("a", "b", "free", "c")
	if !slices.Equal(f.Taken, []int{3}) || f.Busy != nil {
		t.Fatalf("%+v", f)
	}
	if err := c.reserve(f.Abandoned, 50, "c"); !errors.As(err, &taken) {
		t.Errorf("what is live was taken over: %v", err)
	}
	if err := c.reserve(f.Abandoned, 50, "a", "free"); err != nil {
		t.Fatal(err)
	}
	if err := c.reserve(f.Abandoned, 51, "a"); !errors.As(err, &taken) || taken.Value != value("a") {
		t.Errorf("taken over twice: %v", err)
	}
	next, err := c.imports(f.Abandoned, "b")
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Commit(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := c.reserve(f.Abandoned, 52, "b"); !errors.As(err, &taken) {
		t.Errorf("taken over from the import that took it over: %v", err)
	}
	if f := c.look("a", "b"); !slices.Equal(f.Taken, []int{0, 1}) {
		t.Errorf("%+v", f)
	}
	if err := c.release(next.ID(), "b"); err != nil {
		t.Error(err)
	}
}

// An import whose lease is over is dead to whoever looks.
func TestLookingEndsWhatIsOver(t *testing.T) {
	c := newCompany(t)
	i, err := c.imports(unique.Abandoned{}, "a")
	if err != nil {
		t.Fatal(err)
	}
	c.clock = c.clock.Add(bulk.Lease)
	if f := c.look("a"); f.Busy == nil || f.Busy.RetryAfter < time.Second {
		t.Fatalf("%+v", f)
	}
	c.clock = c.clock.Add(time.Second)
	f := c.look("a")
	if f.Busy != nil || len(f.Taken) != 0 {
		t.Fatalf("%+v", f)
	}
	if err := c.reserve(f.Abandoned, 9, "a"); err != nil {
		t.Fatal(err)
	}
	if err := i.Commit(t.Context(), nil); err == nil {
		t.Error("the import was committed")
	}
}

// Peeking writes nothing: an import whose lease is over may still be committed.
func TestPeekingEndsNothing(t *testing.T) {
	c := newCompany(t)
	i, err := c.imports(unique.Abandoned{}, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.reserve(unique.Abandoned{}, 9, "mine"); err != nil {
		t.Fatal(err)
	}
	values := []unique.Value{value("a"), value("mine")}
	peek := func(busy bool) unique.Found {
		t.Helper()
		ctx, m := meter.Start(t.Context())
		f, err := unique.Peek(ctx, c.Tenant, values, c.clock)
		if err != nil || !slices.Equal(f.Taken, []int{1}) || (f.Busy != nil) != busy || m.Usage().WriteUnits > 0 {
			t.Fatalf("%+v, %v, %+v", f, err, m.Usage())
		}
		return f
	}
	peek(true)
	c.clock = c.clock.Add(bulk.Lease + time.Second)
	var taken *unique.TakenError
	if err := c.reserve(peek(false).Abandoned, 10, "a"); !errors.As(err, &taken) {
		t.Errorf("taken over from an import that nobody ended: %v", err)
	}
	if err := i.Commit(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// A thousand values are looked up in a call for each hundred.
func TestBounds(t *testing.T) {
	c := newCompany(t)
	var values []string
	for i := range 1000 {
		values = append(values, fmt.Sprint("v", i))
	}
	for batch := range slices.Chunk(values, 90) {
		i, err := c.imports(unique.Abandoned{}, batch...)
		if err != nil {
			t.Fatal(err)
		}
		if err := i.Commit(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	list := make([]unique.Value, len(values))
	for i, v := range values {
		list[i] = value(v)
	}
	ctx, m := meter.Start(context.Background())
	f, err := unique.Look(ctx, c.Tenant, list, c.clock)
	if err != nil || len(f.Taken) != 1000 {
		t.Fatalf("%d taken, %v", len(f.Taken), err)
	}
	if used := m.Usage(); used.Calls > 11 || used.WriteUnits > 0 {
		t.Errorf("%+v", used)
	} else {
		t.Logf("%d calls, %.1f read units", used.Calls, used.ReadUnits)
	}
	if f, err := unique.Look(ctx, c.Tenant, nil, c.clock); err != nil || len(f.Taken) != 0 {
		t.Errorf("nothing: %+v, %v", f, err)
	}
}
