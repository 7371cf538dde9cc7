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
	// patience is how often a delete tries the base before it takes a stripe, which has to be
	// folded afterwards.
	patience = 3
	// MaxOperations is how many operations a caller can put into one transaction; the rest of
	// the 100 is reserved for counters and messages.
	MaxOperations = 96
)

// AskFold adds a message to the transaction that a bucket has to be folded. The message asks
// for Fold a few seconds later, so that creates in progress find their stripes unsealed, and
// for Sweep after SweepAfter. Asking twice does no harm.
type AskFold func(tx *table.Tx, bucket int) error

// Listing is the listing of the records of one kind in one company.
type Listing struct {
	tenant *table.Tenant
	kind   kinds.Code
	ask    AskFold
}

// Of is the listing of a kind. ask may be nil if nothing is created or deleted, or if the
// caller folds by itself. A bucket that is never folded stays exact, and costs up to 3 more
// units to read.
func Of(t *table.Tenant, kind kinds.Code, ask AskFold) Listing {
	return Listing{tenant: t, kind: kind, ask: ask}
}

// sequence is the last id given out.
type sequence struct {
	N int64 `dynamo:"n"`
}

// Reserve gives out n consecutive ids and returns the first one. They belong to the caller
// alone, and must be used by this request or never.
func (d Listing) Reserve(ctx context.Context, n int) (first int64, err error) {
	var last sequence
	next := d.tenant.Update(d.tenant.Sequence(d.kind)).Add("n", n).Set("v", version)
	// If the answer is lost, repeating the call only leaves a hole.
	if err := table.Retry(ctx, func() error { return next.Value(ctx, &last) }); err != nil {
		return 0, fmt.Errorf("listing: next id of %s: %w", d.kind, err)
	}
	if last.N > maxID {
		return 0, fmt.Errorf("listing: %s has no more ids", d.kind)
	}
	return last.N - int64(n) + 1, nil
}

// CreateMany writes the records of reserved ids in one transaction: all or none. build puts
// them into the transaction, with at most MaxOperations operations, and returns the ids that it
// has used. It is called again after a conflict.
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

// Has tells, by a consistent read, whether there is a live record with an id. An id is given
// out once. So a writer that did not get the answer to its transaction can find out with Has
// whether the record was created.
func (d Listing) Has(ctx context.Context, id int64) (bool, error) {
	err := d.tenant.Get(ctx, d.tenant.Record(d.kind, id), new(table.Attributes))
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (d Listing) key(sk string) table.Key { return table.Key{PK: d.tenant.Listing(d.kind), SK: sk} }

// absorbed is the first generation of a bucket whose stripes still count.
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
