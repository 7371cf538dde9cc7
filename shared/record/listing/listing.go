package listing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	version = 1  // of the items
	stripes = 32 // of a generation
	// patience is how often a delete tries the base before it takes a stripe,
	// which then has to be folded.
	patience = 3
	// MaxOperations is how many operations a caller can put into one
	// transaction; the rest of its 100 is kept for counters and messages.
	MaxOperations = 96
)

// AskFold leaves a message, in the transaction, that a bucket is to be folded:
// Fold a few seconds later, so that creates under way find their stripes
// unsealed, and Sweep after SweepAfter. Asking twice does no harm.
type AskFold func(tx *table.Tx, bucket int) error

// Listing is the listing of one kind of records of one company.
type Listing struct {
	tenant *table.Tenant
	kind   kinds.Code
	ask    AskFold
}

// Of is the listing of a kind. ask may be nil where nothing is created or
// deleted, or where the caller folds by itself; a bucket that is never folded
// stays exact and costs up to 3 units more to read.
func Of(t *table.Tenant, kind kinds.Code, ask AskFold) Listing {
	return Listing{tenant: t, kind: kind, ask: ask}
}

// sequence is the last id given out.
type sequence struct {
	N int64 `dynamo:"n"`
}

// Reserve gives out n ids, the first of which it answers. They belong to the
// caller alone, and have to be used by this request or never.
func (d Listing) Reserve(ctx context.Context, n int) (first int64, err error) {
	var last sequence
	next := d.tenant.Update(d.tenant.Sequence(d.kind)).Add("n", n).Set("v", version)
	// A repetition after a lost answer only makes a hole.
	if err := table.Retry(ctx, func() error { return next.Value(ctx, &last) }); err != nil {
		return 0, fmt.Errorf("listing: next id of %s: %w", d.kind, err)
	}
	if last.N > maxID {
		return 0, fmt.Errorf("listing: %s has no more ids", d.kind)
	}
	return last.N - int64(n) + 1, nil
}

// CreateMany writes the records of reserved ids in one transaction: all or none.
// build puts them into it, at most MaxOperations operations, and answers the ids
// that it used; it is called again after a conflict.
func (d Listing) CreateMany(ctx context.Context, ids []int64, build func(tx *table.Tx) (used []int64, err error)) error {
	own := make(map[int64]bool, len(ids))
	for _, id := range ids {
		own[id] = true
	}
	var used []int64
	err := Write(ctx, d.tenant, func(tx *table.Tx, c *Counts) (err error) {
		if used, err = build(tx); err != nil {
			return err
		}
		for _, id := range used {
			if !own[id] {
				return fmt.Errorf("listing: id %d is not the caller's to use", id)
			}
		}
		c.of(d).given(ids) // a hole may be the last id of its bucket
		return c.Created(d, used...)
	})
	return Settle(err, func() (bool, error) {
		if len(used) == 0 {
			return false, nil
		}
		return d.Has(ctx, used[0])
	})
}

// Has tells, by a consistent read, whether there is a live record of an id. An id
// is given once, so who has just written one and did not hear the answer learns
// by it whether the record is there.
func (d Listing) Has(ctx context.Context, id int64) (bool, error) {
	err := d.tenant.Get(ctx, d.tenant.Record(d.kind, id), new(table.Attributes))
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (d Listing) key(sk string) table.Key { return table.Key{PK: d.tenant.Listing(d.kind), SK: sk} }

// absorbed is the first generation of a bucket that counts.
func (d Listing) absorbed(ctx context.Context, bucket int) (int64, error) {
	var base table.Attributes
	err := d.tenant.Get(ctx, d.key(baseKey(bucket)), &base)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return 0, err
	}
	return base.Int("z"), nil
}

func sorted[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
