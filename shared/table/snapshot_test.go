package table_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// What transactions move between two items is in exactly one of them, whenever both are read at
// once, and no reader is refused because writers hold the items.
func TestSnapshot(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Lock: 2 * time.Millisecond, Transaction: 3 * time.Millisecond})
	var writers, readers sync.WaitGroup
	for seed := range uint64(4) {
		h := table.Of(table.Open(world.Client(seed), name), 1)
		writers.Go(func() {
			for n := range int64(8) {
				by := 1 + n%2*-2
				if err := h.Write(t.Context(), func(tx *table.Tx, _ int) error {
					tx.Update(h.Update(h.Record(kinds.Document, 1)).Add("count", by), nil)
					tx.Update(h.Update(h.Record(kinds.Document, 2)).Add("count", -by), nil)
					return nil
				}); err != nil {
					t.Error(err)
				}
				time.Sleep(4 * time.Millisecond)
			}
		})
	}
	reader := world.Client(99)
	h := table.Of(table.Open(reader, name), 1)
	readers.Go(func() {
		for range 20 {
			found, err := h.Snapshot(t.Context(), h.Record(kinds.Document, 1), h.Record(kinds.Document, 2), h.Record(kinds.Document, 3))
			if err != nil {
				t.Error(err)
				return
			}
			sum := int64(0)
			for _, item := range found {
				sum += table.Attributes(item).Int("count")
			}
			if sum != 0 || len(found)%2 != 0 {
				t.Errorf("of two items %d are there, and hold %d", len(found), sum)
			}
		}
	})
	writers.Wait()
	readers.Wait()
	if n := reader.Calls()["TransactGetItems"]; n < 20 {
		t.Errorf("%d calls", n)
	}
	sound := table.Of(table.Open(enginetest.Client(t), name), 1)
	ctx, used := meter.Start(t.Context())
	if found, err := sound.Snapshot(ctx, sound.Record(kinds.Document, 3)); err != nil || len(found) != 0 {
		t.Errorf("nothing is %v, %v", found, err)
	}
	if u := used.Usage(); u.Calls != 1 || u.ReadUnits > 2 {
		t.Errorf("%+v", u)
	}
	other := table.Of(table.Open(reader, name), 2)
	before := reader.Calls()["TransactGetItems"]
	if _, err := other.Snapshot(t.Context(), h.Record(kinds.Document, 1)); !errors.Is(err, table.ErrKey) || reader.Calls()["TransactGetItems"] != before {
		t.Errorf("another company's item: %v", err)
	}
}

// held is an engine on which other transactions hold every item.
type held struct{ dynamodbiface.DynamoDBAPI }

func (held) TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	return nil, &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String("TransactionConflict")}}}
}

func TestSnapshotOfHeldItems(t *testing.T) {
	h := table.Of(table.Open(held{}, "any"), 1)
	if _, err := h.Snapshot(t.Context(), h.Record(kinds.Document, 1)); !table.Unavailable(err) {
		t.Errorf("got %v", err)
	}
}
