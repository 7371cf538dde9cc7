package folding_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/folding"
	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

type record struct{ table.Item }

// company is one with a listing of documents and a clock.
type company struct {
	t    *testing.T
	conn *table.Conn
	*table.Tenant
	now time.Time
}

func newCompany(t *testing.T) *company {
	t.Helper()
	conn := tabletest.New(t)
	return &company{t: t, conn: conn, Tenant: table.Of(conn, 7), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func (c *company) Now() time.Time { return c.now }

func (c *company) listing() listing.Listing {
	return listing.Of(c.Tenant, kinds.Document, folding.Ask(c.Tenant, kinds.Document, c.Now))
}

// stripes is how many items beside its base the first bucket has.
func (c *company) stripes() int {
	c.t.Helper()
	var items []table.Item
	if err := c.Table().Get("pk", c.Listing(kinds.Document)).Consistent(true).All(c.t.Context(), &items); err != nil {
		c.t.Fatal(err)
	}
	n := 0
	for _, i := range items {
		if len(i.SK) > len("000000") {
			n++
		}
	}
	return n
}

// deliver carries out everything that is due, as the worker does.
func (c *company) deliver() (kinds []outbox.Kind) {
	c.t.Helper()
	all, work := crosstenant.Open(c.conn), folding.Work(c.conn, c.Now)
	if err := outbox.EachDue(c.t.Context(), all, c.now, func(k table.Key) error {
		m, ok, err := outbox.Claim(c.t.Context(), all, k, c.now, time.Minute)
		if err != nil || !ok {
			return err
		}
		kinds = append(kinds, m.Kind)
		if err := work[m.Kind](c.t.Context(), m); err != nil {
			return err
		}
		_, err = outbox.Done(c.t.Context(), all, m, c.now, nil)
		return err
	}); err != nil {
		c.t.Fatal(err)
	}
	return kinds
}

// fill creates the last records of the first bucket, the others being holes.
func (c *company) fill(records int) {
	c.t.Helper()
	d := c.listing()
	if _, err := d.Reserve(c.t.Context(), listing.Bucket-records); err != nil {
		c.t.Fatal(err)
	}
	for range records {
		if _, err := listingtest.Create(c.t.Context(), c.Tenant, d, func(tx *table.Tx, id int64) error {
			tx.Put(c.Create(record{table.At(c.Record(kinds.Document, id), 1)}), errors.New("exists"))
			return nil
		}); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *company) count() int {
	c.t.Helper()
	count, err := c.listing().Count(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return count
}

func TestAFullBucketIsFoldedAndSwept(t *testing.T) {
	c := newCompany(t)
	const records = 40
	c.fill(records)
	if kinds := c.deliver(); len(kinds) != 0 {
		t.Fatalf("at once: %v", kinds)
	}
	c.now = c.now.Add(10 * time.Second)
	if kinds := c.deliver(); len(kinds) != 1 || kinds[0] != folding.Fold {
		t.Fatalf("after a moment: %v", kinds)
	}
	if c.stripes() == 0 || c.count() != records {
		t.Fatalf("folded: %d stripes, %d records", c.stripes(), c.count())
	}
	c.now = c.now.Add(listing.SweepAfter - time.Second)
	if kinds := c.deliver(); len(kinds) != 0 {
		t.Fatalf("too early: %v", kinds)
	}
	c.now = c.now.Add(time.Second)
	if kinds := c.deliver(); len(kinds) != 1 || kinds[0] != folding.Sweep {
		t.Fatalf("after the longest request has died: %v", kinds)
	}
	if c.stripes() != 0 || c.count() != records {
		t.Fatalf("swept: %d stripes, %d records", c.stripes(), c.count())
	}
}

func TestFoldingTwiceDoesNoHarm(t *testing.T) {
	c := newCompany(t)
	c.fill(3)
	work := folding.Work(c.conn, c.Now)
	m, err := outbox.New(c.Message, folding.Fold, map[string]any{"kind": kinds.Document, "bucket": 0}, c.now, c.now)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := work[folding.Fold](t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	c.now = c.now.Add(time.Hour)
	c.deliver() // two sweeps, and the fold that the listing asked for
	c.now = c.now.Add(time.Hour)
	c.deliver()
	if c.stripes() != 0 || c.count() != 3 {
		t.Fatalf("%d stripes, %d records", c.stripes(), c.count())
	}
}

func TestMessagesThatNameNoListing(t *testing.T) {
	c := newCompany(t)
	for name, m := range map[string]outbox.Message{
		"no JSON":       {Item: table.At(c.Message("1"), 1), Body: "{"},
		"no such kind":  {Item: table.At(c.Message("1"), 1), Body: `{"kind":"ghost","bucket":0}`},
		"no bucket":     {Item: table.At(c.Message("1"), 1), Body: `{"kind":"doc","bucket":-1}`},
		"of no company": {Item: table.At(crosstenant.Message("1"), 1), Body: `{"kind":"doc","bucket":0}`},
	} {
		for kind, handle := range folding.Work(c.conn, c.Now) {
			if err := handle(context.Background(), m); !errors.Is(err, outbox.ErrDrop) {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
}
