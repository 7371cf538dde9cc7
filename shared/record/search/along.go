package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/table"
)

// Along is what a page shows beside its records. It is read in the same calls as they are, where they are read by their ids. It may
// lag behind changes by about a second.
type Along struct {
	Of    func(id int64) []table.Key     // the keys of what is shown beside a record
	Items map[table.Key]table.Attributes // what was found; nil for a key that has no item
}

// Read reads what is shown beside records.
func (a *Along) Read(ctx context.Context, t *table.Tenant, ids []int64) error {
	return readItems(ctx, t, a.keys(ids), false, a.take)
}

// keys are the keys beside records, each once. All of them count as asked for.
func (a *Along) keys(ids []int64) (keys []table.Key) {
	if a == nil {
		return nil
	}
	if a.Items == nil {
		a.Items = map[table.Key]table.Attributes{}
	}
	for _, id := range ids {
		for _, k := range a.Of(id) {
			if _, asked := a.Items[k]; !asked {
				a.Items[k] = nil
				keys = append(keys, k)
			}
		}
	}
	return keys
}

func (a *Along) take(k table.Key, item table.Attributes) error {
	a.Items[k] = item
	return nil
}

// readItems calls each with every item that there is at some keys, which differ, and never twice at once.
func readItems(
	ctx context.Context, t *table.Tenant, keys []table.Key, consistent bool, each func(k table.Key, item table.Attributes) error,
) error {
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for batch := range slices.Chunk(keys, perBatch) {
		g.Go(func() error {
			asked := make([]dynamo.Keyed, len(batch))
			for i, k := range batch {
				asked[i] = k
			}
			it := t.Table().Batch("pk", "sk").Get(asked...).Consistent(consistent).Iter()
			var item table.Attributes
			for it.Next(ctx, &item) {
				mu.Lock()
				err := each(table.Key{PK: item.Text("pk"), SK: item.Text("sk")}, item)
				mu.Unlock()
				if err != nil {
					return err
				}
			}
			if err := it.Err(); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
				return fmt.Errorf("search: %d items: %w", len(batch), err)
			}
			return nil
		})
	}
	return g.Wait()
}
