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

// SweepAfter is how long after a fold its bucket may be swept. A request that was given an id
// of the bucket, or has read its base, before the fold lives at most 15 minutes. A request that
// starts later gets ids of other buckets, or reads the new base.
const SweepAfter = 20 * time.Minute

// Fold absorbs the stripes of a bucket into its base. If stripes are left to be swept, below is
// the argument for Sweep, to be called after SweepAfter; otherwise it is 0. A bucket that still
// has ids to give out is left alone: a create with such an id starts with generation 0, whose
// stripes must not have been swept.
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

// seal ends a generation. It also seals stripes that don't exist yet, because a create in
// progress may be about to write one.
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

// absorb puts a base that includes the counts of the oldest generation that is not absorbed.
// Digits of the new base may be negative, if the create of a deleted record was counted by a
// later generation.
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
	// If the answer is lost, the put has either happened, or its repetition fails by its
	// condition.
	return table.Retry(ctx, func() error { return put.Run(ctx) })
}

// only keeps the base and the stripes of one generation.
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

// Sweep removes the stripes of the generations below the number that Fold returned. It must not
// run before SweepAfter has passed since that fold: an older request may still rely on the
// stripes. Stripes of later folds are left to their own sweeps.
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
