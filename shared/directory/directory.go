package directory

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tenantry/tenantry/shared/fault"
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

// Directory is the directory of one kind of records of one company.
type Directory struct {
	tenant *table.Tenant
	kind   table.Kind
	ask    AskFold
}

// Of is the directory of a kind. ask may be nil where nothing is created or
// deleted, or where the caller folds by itself; a bucket that is never folded
// stays exact and costs up to 3 units more to read.
func Of(t *table.Tenant, kind table.Kind, ask AskFold) Directory {
	return Directory{tenant: t, kind: kind, ask: ask}
}

// sealedError says that a stripe takes no more changes.
type sealedError struct{ bucket int }

// Error is for logs.
func (e *sealedError) Error() string {
	return fmt.Sprintf("directory: stripe of bucket %d is sealed", e.bucket)
}

// sequence is the last id given out.
type sequence struct {
	N int64 `dynamo:"n"`
}

// Reserve gives out n ids, the first of which it answers. They belong to the
// caller alone, and have to be used by this request or never.
func (d Directory) Reserve(ctx context.Context, n int) (first int64, err error) {
	var last sequence
	next := d.tenant.Update(d.tenant.Sequence(d.kind)).Add("n", n).Set("v", version)
	// A repetition after a lost answer only makes a hole.
	if err := table.Retry(ctx, func() error { return next.Value(ctx, &last) }); err != nil {
		return 0, fmt.Errorf("directory: next id of %s: %w", d.kind, err)
	}
	if last.N > maxID {
		return 0, fmt.Errorf("directory: %s has no more ids", d.kind)
	}
	return last.N - int64(n) + 1, nil
}

// Create gives a record its id and writes it, in two calls. build puts the
// record into the transaction, with table.Tenant.Create, and whatever goes with
// it; it is called again after a conflict.
func (d Directory) Create(ctx context.Context, build func(tx *table.Tx, id int64) error) (int64, error) {
	id, err := d.Reserve(ctx, 1)
	if err != nil {
		return 0, err
	}
	ids := []int64{id}
	return id, d.CreateMany(ctx, ids, func(tx *table.Tx) ([]int64, error) { return ids, build(tx, id) })
}

// CreateMany writes the records of reserved ids in one transaction: all or none.
// build puts them into it, at most MaxOperations operations, and answers the ids
// that it used; it is called again after a conflict.
func (d Directory) CreateMany(ctx context.Context, ids []int64, build func(tx *table.Tx) (used []int64, err error)) error {
	generations := map[int]int64{}
	var used []int64
	err := d.write(ctx, generations, func(tx *table.Tx, conflicts int) (err error) {
		if used, err = build(tx); err != nil {
			return err
		}
		changes, err := count(ids, used)
		if err != nil {
			return err
		}
		due := folds(ids)
		for _, b := range sorted(changes) {
			s := stripe{bucket: b, generation: generations[b], number: stripeOf(used[0])}
			if conflicts > 0 {
				s.number = rand.IntN(stripes) //nolint:gosec // a lot, not a secret
			}
			if s.generation > 0 {
				due[b] = true
			}
			d.toStripe(tx, s, changes[b])
		}
		return d.askAll(tx, due)
	})
	if err != nil && table.Unavailable(err) && len(used) > 0 {
		if there, lookErr := d.exists(ctx, used[0]); lookErr == nil && there {
			return nil
		}
	}
	return err
}

// Delete removes a record from the directory. build puts its removal into the
// transaction, on the condition that it is there, and whatever goes with it; it
// is called again after a conflict.
func (d Directory) Delete(ctx context.Context, id int64, build func(tx *table.Tx) error) error {
	b, generations := bucketOf(id), map[int]int64{}
	change := new(change)
	change.count(id, -1)
	err := d.write(ctx, generations, func(tx *table.Tx, conflicts int) error {
		if err := build(tx); err != nil {
			return err
		}
		if conflicts < patience {
			tx.Update(change.on(d.tenant.Update(d.key(baseKey(b)))).Add("r", 1), nil)
			return nil
		}
		// The generation must be known: one below z is not counted any more.
		generation, known := generations[b]
		if !known {
			var err error
			if generation, err = d.absorbed(ctx, b); err != nil {
				return err
			}
			generations[b] = generation
		}
		d.toStripe(tx, stripe{bucket: b, generation: generation, number: rand.IntN(stripes)}, change) //nolint:gosec // a lot, not a secret
		if generation > 0 {
			return d.askAll(tx, map[int]bool{b: true})
		}
		return nil
	})
	if err != nil && table.Unavailable(err) {
		if there, lookErr := d.exists(ctx, id); lookErr == nil && !there {
			return nil
		}
	}
	return err
}

// write runs a transaction, again with the next generation where a stripe is
// sealed.
func (d Directory) write(ctx context.Context, generations map[int]int64, build func(tx *table.Tx, conflicts int) error) error {
	for try := 1; ; try++ {
		err := d.tenant.Write(ctx, build)
		var sealed *sealedError
		if !errors.As(err, &sealed) {
			return err
		}
		if try >= 8 {
			return fault.ErrUnavailable.Because(err)
		}
		// Its fold may have ended already, or be under way.
		absorbed, err := d.absorbed(ctx, sealed.bucket)
		if err != nil {
			return err
		}
		generations[sealed.bucket] = max(generations[sealed.bucket]+1, absorbed)
	}
}

func (d Directory) key(sk string) table.Key { return table.Key{PK: d.tenant.Directory(d.kind), SK: sk} }

func (d Directory) toStripe(tx *table.Tx, s stripe, c *change) {
	tx.Update(c.on(d.tenant.Update(d.key(s.key()))).If("attribute_not_exists(s)"), &sealedError{bucket: s.bucket})
}

// stripeOf spreads ids that are given out one after the other, and batches of
// them too.
func stripeOf(id int64) int { return int((id + id/stripes) % stripes) }

// absorbed is the first generation of a bucket that counts.
func (d Directory) absorbed(ctx context.Context, bucket int) (int64, error) {
	var base table.Attributes
	err := d.tenant.Get(ctx, d.key(baseKey(bucket)), &base)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return 0, err
	}
	return base.Int("z"), nil
}

func (d Directory) exists(ctx context.Context, id int64) (bool, error) {
	err := d.tenant.Get(ctx, d.tenant.Record(d.kind, id), new(table.Attributes))
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// folds says which buckets ids ask to fold: the bucket whose last id is one of
// them. That create may fail, so two of the next bucket's ask again.
func folds(ids []int64) map[int]bool {
	due := map[int]bool{}
	for _, id := range ids {
		switch at := (id - 1) % Bucket; {
		case at == Bucket-1:
			due[bucketOf(id)] = true
		case id > Bucket && (at == 99 || at == 999):
			due[bucketOf(id)-1] = true
		}
	}
	return due
}

func (d Directory) askAll(tx *table.Tx, due map[int]bool) error {
	for _, bucket := range sorted(due) {
		if d.ask != nil {
			if err := d.ask(tx, bucket); err != nil {
				return fmt.Errorf("directory: ask to fold bucket %d: %w", bucket, err)
			}
		}
	}
	return nil
}

func sorted[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
