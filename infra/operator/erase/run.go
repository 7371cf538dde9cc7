package erase

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// run is the erasing of one company.
type run struct {
	*estate.Estates
	all     crosstenant.Table
	of      *table.Tenant
	t       tenant.ID
	now     func() time.Time
	numbers estate.Numbers
	report  *Report
	waiting []table.Attributes // to be removed with others, in one call
}

// mostRemoved is how many items one call removes.
const mostRemoved = 25

// remove removes an item, sooner or later: flush ends it.
func (r *run) remove(ctx context.Context, item table.Attributes) error {
	if r.waiting = append(r.waiting, item); len(r.waiting) < mostRemoved {
		return nil
	}
	return r.flush(ctx)
}

func (r *run) flush(ctx context.Context) error {
	if len(r.waiting) == 0 {
		return nil
	}
	keys := make([]dynamo.Keyed, len(r.waiting))
	for i, item := range r.waiting {
		keys[i] = estate.KeyOf(item)
	}
	if _, err := r.all.Table().Batch("pk", "sk").Write().Delete(keys...).Run(ctx); err != nil {
		return fmt.Errorf("erase: %d items: %w", len(keys), err)
	}
	for _, item := range r.waiting {
		r.count(item)
	}
	r.waiting = r.waiting[:0]
	return nil
}

func (r *run) count(item table.Attributes) {
	name := r.Pattern(item.Text("pk")).Key
	was := r.report.Erased.Items[name]
	r.report.Erased.Items[name] = estate.Tally{Number: was.Number + 1, Bytes: was.Bytes + int64(item.Size())}
}

// partitions removes the items of whole partitions, one after the other.
func (r *run) partitions(ctx context.Context, list ...string) error {
	for _, pk := range list {
		for item, err := range r.Partition(ctx, pk) {
			if err != nil {
				return err
			}
			if err := r.remove(ctx, item); err != nil {
				return err
			}
		}
	}
	return r.flush(ctx)
}

// objects removes all versions of all objects.
func (r *run) objects(ctx context.Context) error {
	if r.Bucket().API == nil {
		return nil
	}
	c := r.report.Erased.Objects
	for o, err := range r.Objects(ctx, r.t) {
		if err != nil {
			return err
		}
		folder, _, _ := strings.Cut(o.Key, "/")
		c[folder] = estate.Tally{Number: c[folder].Number + 1, Bytes: c[folder].Bytes + o.Size}
	}
	_, err := r.DeleteObjects(ctx, r.t)
	return err
}

// outside removes the items of no company that are the company's. Of a sealed file one item stays, without any name. Members leave by
// themselves: their lists of memberships are not the company's alone.
func (r *run) outside(ctx context.Context) error {
	for item, err := range r.Outside(ctx, r.t) {
		if err == nil && item.Text("sk") != crosstenant.Memberships(0).SK {
			err = r.forget(ctx, item)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forget removes one of those, provided that it still is the company's.
func (r *run) forget(ctx context.Context, item estate.Outside) error {
	key := estate.KeyOf(item.Attributes)
	sealed := strings.HasPrefix(key.SK, "sealed#")
	err := r.all.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Delete(r.all.Delete(key).If("t = ?", r.t), errOther)
		if sealed {
			stays := crosstenant.ErasedHash(key.PK)
			tx.Update(r.all.Update(stays).Set("v", crosstenant.ErasedVersion).
				SetIfNotExists("a", item.Seal.At).SetIfNotExists("l", item.Seal.Level), nil)
		}
		return nil
	})
	if errors.Is(err, errOther) { // gone, or given to another company since it was read
		return nil
	}
	if err != nil {
		return fmt.Errorf("erase: an item of no company: %w", err)
	}
	if sealed {
		r.report.Sealed++
	}
	r.count(item.Attributes)
	return nil
}

var errOther = errors.New("erase: the item is not the company's any more")
