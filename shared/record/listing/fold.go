package listing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
)

// SweepAfter is how long after a fold its bucket may be swept: a request that
// was given one of its ids, or has read its base, lives at most 15 minutes. A
// younger one was given an id of another bucket, or reads what the fold wrote.
const SweepAfter = 20 * time.Minute

// Fold absorbs the stripes of a bucket into its base. Where stripes are left to
// be swept, SweepAfter from now, below is what Sweep is to be told; else 0. It
// leaves a bucket alone that still has ids to give out: a create of these begins
// at generation 0, which must not have been swept.
func (d Listing) Fold(ctx context.Context, number int) (below int64, err error) {
	var last sequence
	if err := d.tenant.Get(ctx, d.tenant.Sequence(d.kind), &last); err != nil && !errors.Is(err, table.ErrNotFound) {
		return 0, err
	}
	if last.N < int64(number+1)*Bucket {
		return 0, nil
	}
	for range 16 {
		b, err := d.bucket(ctx, number)
		if err != nil {
			return 0, err
		}
		if !slices.ContainsFunc(b.stripes, func(s stripe) bool { return s.generation >= b.absorbed }) {
			if len(b.stripes) > 0 {
				below = b.absorbed
			}
			return below, nil
		}
		if err := d.seal(ctx, number, b.absorbed); err != nil {
			return 0, err
		}
		sealed := b.absorbed
		if b, err = d.bucket(ctx, number); err != nil {
			return 0, err
		}
		if b.absorbed != sealed {
			continue // another fold was faster
		}
		if err := d.absorb(ctx, b); err != nil && !dynamo.IsCondCheckFailed(err) {
			return 0, err
		}
	}
	return 0, fault.ErrUnavailable.Because(fmt.Errorf("listing: bucket %d changes too fast to fold", number))
}

func (d Listing) bucket(ctx context.Context, number int) (bucket, error) {
	s, err := d.read(ctx, baseKey(number), true)
	if err != nil || len(s.buckets) == 0 {
		return bucket{number: number}, err
	}
	return s.buckets[0], nil
}

// seal ends a generation. A stripe that does not exist is sealed too: a create
// under way may be about to make it.
func (d Listing) seal(ctx context.Context, bucket int, generation int64) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for number := range stripes {
		key := d.key(stripe{bucket: bucket, generation: generation, number: number}.key())
		g.Go(func() error {
			err := table.Retry(ctx, func() error {
				return d.tenant.Update(key).Set("s", 1).Set("v", version).Run(ctx)
			})
			if err != nil {
				return fmt.Errorf("listing: seal %s: %w", key.SK, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// absorb puts a base that holds what the bucket's oldest generation counted. It
// may hold negative digits: of records whose creation a later generation has
// counted.
func (d Listing) absorb(ctx context.Context, b bucket) error {
	b.only(b.absorbed)
	sums, err := b.sums()
	if err != nil {
		return err
	}
	base, bits := table.Attributes{}, int64(0)
	for a, sum := range sums {
		switch sum.carried() {
		case full():
			bits |= 1 << a
		case counter{}:
		default:
			base.SetNumber(name(a), sum.number())
		}
	}
	key := d.key(baseKey(b.number))
	base.SetText("pk", key.PK)
	base.SetText("sk", key.SK)
	for name, value := range map[string]int64{"v": version, "n": b.n, "f": bits, "z": b.absorbed + 1, "r": b.revision + 1} {
		base.SetInt(name, value)
	}
	put := d.tenant.Create(base)
	if b.revision > 0 {
		put = d.tenant.Put(base).If("'r' = ?", b.revision)
	}
	// A put whose answer was lost has happened or will fail by its condition.
	return table.Retry(ctx, func() error { return put.Run(ctx) })
}

// only leaves the base and the stripes of one generation.
func (b *bucket) only(generation int64) {
	b.n = 0
	b.parts = slices.DeleteFunc(b.parts, func(part table.Attributes) bool {
		s, ofBase, err := parseKey(part.Text("sk"))
		if err != nil || !ofBase && s.generation != generation {
			return true
		}
		b.n += part.Int("n")
		return false
	})
}

// Sweep removes the stripes of the generations below the one that Fold has told.
// Not before SweepAfter has passed since: a request that is older may still count
// on them. A later fold's are left to the sweep that follows it.
func (d Listing) Sweep(ctx context.Context, number int, below int64) error {
	b, err := d.bucket(ctx, number)
	if err != nil {
		return err
	}
	var old []dynamo.Keyed
	for _, s := range b.stripes {
		if s.generation < min(below, b.absorbed) {
			old = append(old, d.key(s.key()))
		}
	}
	if len(old) == 0 {
		return nil
	}
	err = table.Retry(ctx, func() error {
		_, err := d.tenant.Table().Batch("pk", "sk").Write().Delete(old...).Run(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("listing: sweep bucket %d: %w", number, err)
	}
	return nil
}
