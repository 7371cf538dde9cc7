package listing_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// other is a second listing of a store's company.
func (s *store) other() *store {
	o := &store{Tenant: s.Tenant, asks: map[int]int{}, kind: kinds.Client}
	o.dir = listing.Of(s.Tenant, o.kind, func(_ *table.Tx, bucket int) error {
		o.asks[bucket]++
		return nil
	})
	return o
}

// One transaction changes two listings, with deletes and creates in one of
// them, or neither.
func TestOneTransactionOfTwoListings(t *testing.T) {
	a := newStore(tabletest.New(t))
	b := a.other()
	live := a.fill(t, 30, 0, all)
	first, second := a.reserve(t, 2), b.reserve(t, 3)
	change := func(fail error) error {
		return listing.Write(t.Context(), a.Tenant, func(tx *table.Tx, c *listing.Counts) error {
			a.put(tx, first, 0)
			b.put(tx, second, 0)
			b.put(tx, second+2, 0)
			tx.Delete(a.Tenant.Delete(a.Record(a.kind, 7)).If("attribute_exists(pk)"), fault.ErrNotFound)
			if fail != nil {
				tx.Check(a.Exists(a.Company()), fail)
			}
			return errors.Join(c.Created(a.dir, first), c.Deleted(a.dir, 7), c.Created(b.dir, second, second+2))
		})
	}
	refused := errors.New("refused")
	if err := change(refused); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	a.check(t, live, 10)
	b.check(t, nil, 10)
	if err := change(nil); err != nil {
		t.Fatal(err)
	}
	a.check(t, append(slices.DeleteFunc(live, func(id int64) bool { return id == 7 }), first), 10)
	b.check(t, []int64{second, second + 2}, 10)
}

// Each listing's sealed stripes are left for the next generation's, in the
// same transaction, and each bucket is asked to be folded again.
func TestSealedStripesOfTwoListings(t *testing.T) {
	a := newStore(tabletest.New(t))
	b := a.other()
	var lives [2][]int64
	for i, s := range []*store{a, b} {
		lives[i] = s.fill(t, 20, 0, all)
		s.reserve(t, 2*listing.Bucket)
		for bucket := range 2 {
			for range i + 1 { // the second listing is further
				late := int64(bucket)*listing.Bucket + 100 + int64(len(lives[i]))
				lives[i] = append(lives[i], s.fillFrom(t, late, 1, 0, all)...)
				if _, err := s.dir.Fold(t.Context(), bucket); err != nil {
					t.Fatal(err)
				}
			}
		}
		clear(s.asks)
	}
	const edge = listing.Bucket
	err := listing.Write(t.Context(), a.Tenant, func(tx *table.Tx, c *listing.Counts) error {
		for _, s := range []*store{a, b} {
			clear(s.asks)
			s.put(tx, edge-1, 0)
			s.put(tx, edge+2, 0)
			if err := c.Created(s.dir, edge-1, edge+2); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range []*store{a, b} {
		live := append(lives[i], edge-1, edge+2)
		slices.Sort(live)
		s.check(t, live, 10)
		if s.asks[0] != 1 || s.asks[1] != 1 {
			t.Errorf("listing %d asked to fold %v", i, s.asks)
		}
	}
}

// halted dies before it puts anything.
type halted struct{ dynamodbiface.DynamoDBAPI }

func (halted) PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return nil, tabletest.ErrCrashed
}

// A fold that has sealed a generation and not absorbed it keeps nobody out.
func TestAFoldThatStopsHalfway(t *testing.T) {
	name := enginetest.Table(t)
	s := newStore(table.Open(enginetest.Client(t), name))
	live := s.fill(t, 20, 0, all)
	late := s.reserve(t, 2)
	s.reserve(t, listing.Bucket)
	if _, err := newStore(table.Open(halted{enginetest.Client(t)}, name)).dir.Fold(t.Context(), 0); !errors.Is(err, tabletest.ErrCrashed) {
		t.Fatal(err)
	}
	live = append(live, s.fillFrom(t, late, 2, 0, all)...)
	s.check(t, live, 10)
	if below, err := s.dir.Fold(t.Context(), 0); err != nil || below != 2 {
		t.Errorf("%d, %v", below, err)
	}
	s.check(t, live, 10)
}

// The platform's handle writes what is in a company and what is in none.
func TestThroughThePlatform(t *testing.T) {
	name := enginetest.Table(t)
	sound := table.Open(enginetest.Client(t), name)
	s := newStore(sound)
	email := crosstenant.Email("a@b.kz")
	invite := func(w listing.Writer) (int64, error) {
		return listingtest.Create(t.Context(), w, s.dir, func(tx *table.Tx, id int64) error {
			s.put(tx, id, 0)
			tx.Put(s.Tenant.Create(record{Item: table.At(email, 1)}), errTaken)
			return nil
		})
	}
	if _, err := invite(s.Tenant); !errors.Is(err, table.ErrKey) {
		t.Errorf("through the company: %v", err)
	}
	deafened := crosstenant.Open(table.Open(deaf{DynamoDBAPI: enginetest.Client(t)}, name))
	id, err := invite(deafened)
	if err != nil || id != 2 {
		t.Fatalf("%d, %v", id, err)
	}
	s.check(t, []int64{2}, 10)
	if _, err := invite(crosstenant.Open(sound)); !errors.Is(err, errTaken) {
		t.Errorf("twice: %v", err)
	}
	s.check(t, []int64{2}, 10)
}

// A thousand ids are one transaction of two counters, and nothing is counted
// twice.
func TestAThousandAtOnce(t *testing.T) {
	s := newStore(tabletest.New(t))
	s.reserve(t, listing.Bucket-400)
	first := s.reserve(t, 1000)
	ids := make([]int64, 1000)
	for i := range ids {
		ids[i] = first + int64(i)
	}
	used := measure(t, func(ctx context.Context) error {
		return listing.Write(ctx, s.Tenant, func(_ *table.Tx, c *listing.Counts) error { return c.Created(s.dir, ids...) })
	})
	within(t, "count 1000", used, 1, 0, 4)
	if count, err := s.dir.Count(t.Context()); err != nil || count != 1000 || s.asks[0] != 1 {
		t.Errorf("%d, %v, asked to fold %v", count, err, s.asks)
	}
	for what, count := range map[string]func(c *listing.Counts) error{
		"twice":               func(c *listing.Counts) error { return c.Created(s.dir, 5, 5) },
		"created and deleted": func(c *listing.Counts) error { return errors.Join(c.Created(s.dir, 5), c.Deleted(s.dir, 5)) },
		"no id":               func(c *listing.Counts) error { return c.Created(s.dir, 0) },
		"too large an id":     func(c *listing.Counts) error { return c.Deleted(s.dir, 1<<62) },
	} {
		if err := listing.Write(t.Context(), s.Tenant, func(_ *table.Tx, c *listing.Counts) error { return count(c) }); err == nil {
			t.Errorf("%s: counted", what)
		}
	}
}
