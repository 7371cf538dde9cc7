package search_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// busy does something between a list's reading of the listing and of the index.
type busy struct {
	dynamodbiface.DynamoDBAPI
	meanwhile func()
}

func (b *busy) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if in.IndexName != nil && b.meanwhile != nil {
		do := b.meanwhile
		b.meanwhile = nil
		do()
	}
	return b.DynamoDBAPI.Query(ctx, in, opts...)
}

// imports makes records of pending ids.
func (s *store) imports(t testing.TB, n int) listing.Range {
	t.Helper()
	r, err := s.dir.ReserveApart(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), func(tx *table.Tx, _ int) error {
		for id := r.From; id <= r.To; id++ {
			tx.Put(s.Create(s.record(id, fmt.Sprint("name ", id), 0, 0)), nil)
		}
		return s.dir.Hide(tx, r)
	}); err != nil {
		t.Fatal(err)
	}
	return r
}

// Nobody finds what is pending, whether it was so before the list is read or
// since.
func TestPendingIsNotFound(t *testing.T) {
	name := enginetest.Table(t)
	client := &busy{DynamoDBAPI: enginetest.Client(t)}
	s, sound := newStore(table.Open(client, name), 7), newStore(table.Open(enginetest.Client(t), name), 7)
	live := ids(sound.fill(t, 5, func(id int64) record { return sound.record(id, fmt.Sprint("name ", id), 0, 0) }))
	find := func(want []int64) {
		t.Helper()
		ctx, m := meter.Start(t.Context())
		items, count, err := s.index.Page(ctx, search.Query{Words: []string{"name"}, Size: 50})
		if err != nil || count != len(want) || !slices.Equal(ids(items), want) {
			t.Fatalf("%v of %d, %v; want %v", ids(items), count, err, want)
		}
		if used := m.Usage(); used.Calls != 3 {
			t.Errorf("%d calls", used.Calls)
		}
	}
	first := sound.imports(t, 10)
	find(live)
	client.meanwhile = func() { sound.imports(t, 10) }
	find(live)
	commit := func(r listing.Range) {
		var all []int64
		for id := r.From; id <= r.To; id++ {
			all = append(all, id)
		}
		if err := listing.Write(t.Context(), sound.Tenant, func(tx *table.Tx, c *listing.Counts) error {
			sound.dir.Show(tx, r)
			return c.Created(sound.dir, all...)
		}); err != nil {
			t.Fatal(err)
		}
	}
	client.meanwhile = func() { commit(first) }
	find(live) // it was pending when the list began
	for id := first.From; id <= first.To; id++ {
		live = slices.Insert(live, 0, id)
	}
	find(live)
}
