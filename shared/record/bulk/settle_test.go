package bulk_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// The range of an import into a kind that is searched stays when it is committed, and with the same transaction the search is asked to take
// its records in. A dead import leaves nothing to take in.
func TestSettle(t *testing.T) {
	o := newOffice(t, nil, nil)
	asked := 0
	m := imports()
	m.Settle = func(t *table.Tenant, now time.Time) outbox.Message {
		asked++
		return outbox.NewKeyed(t.Message, "test.settle", "all", now)
	}
	committed := func() []listing.Committed {
		t.Helper()
		tail, err := o.listing().Tail(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return tail.Committed
	}
	plan := bulk.Plan{Rows: o.rows(3, unique.Abandoned{}, numbered("a"), false)}
	making, err := m.Begin(t.Context(), o.Tenant, o.listing(), o.now, plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.End(t.Context(), o.Tenant, making.ID(), o.now()); !errors.As(err, new(outbox.Later)) || asked != 0 || len(committed()) != 0 {
		t.Errorf("while it is running: %v, asked %d times, ranges %v", err, asked, committed())
	}
	if err := making.Commit(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := committed(); len(got) != 1 || got[0].From != making.ID() || got[0].Settled != 0 || asked != 1 {
		t.Errorf("committed: %v, asked %d times", got, asked)
	}
	for range 2 {
		if err := m.End(t.Context(), o.Tenant, making.ID(), o.now()); err != nil || asked != 1 || o.waiting() != 0 {
			t.Errorf("ended: %v, asked %d times, %d rows wait", err, asked, o.waiting())
		}
	}
	plan.Rows = o.rows(3, unique.Abandoned{}, numbered("b"), false)
	dead, err := m.Begin(t.Context(), o.Tenant, o.listing(), o.now, plan)
	if err != nil {
		t.Fatal(err)
	}
	o.pass(bulk.Lease + time.Second)
	if err := m.End(t.Context(), o.Tenant, dead.ID(), o.now()); err != nil || asked != 1 || len(committed()) != 1 {
		t.Errorf("dead: %v, asked %d times, ranges %v", err, asked, committed())
	}
}
