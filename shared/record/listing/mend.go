package listing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
)

// Recount is what the counters of a bucket say, compared with its records. It is for the operator: nothing but a write past this package
// can make the two differ.
type Recount struct {
	Bucket  int
	Counted int64   // records by the counters
	Live    int64   // records that are there, without those that an import has not committed
	Wrong   []Range // ids, in groups of nine, of which the counters say other numbers than there are; they ascend

	lacks    change // what the counters lack
	revision int64  // of the base
}

// Right tells whether the counters say what is there.
func (r Recount) Right() bool { return r.lacks == change{} }

// Buckets is the number of buckets that have had ids, by the sequence, the counters, and the records with the highest ids. last is the
// last number given out, and highest the highest id of a record, live or deleted: if it is more, the sequence would give ids out again.
func (d Listing) Buckets(ctx context.Context) (n int, last, highest int64, err error) {
	var given sequence
	if err := d.tenant.Get(ctx, d.tenant.Sequence(d.kind), &given); err != nil && !errors.Is(err, table.ErrNotFound) {
		return 0, 0, 0, err
	}
	for _, partition := range []string{d.tenant.Records(d.kind), d.tenant.Archive(d.kind, 1).PK} {
		it := d.tenant.Table().Get("pk", partition).Order(dynamo.Descending).Project("pk", "sk").Consistent(true).Limit(1).Iter()
		var item table.Item
		if it.Next(ctx, &item) {
			id, err := table.ParseSortID(item.SK)
			if err != nil {
				return 0, 0, 0, fmt.Errorf("listing: %w", err)
			}
			highest = max(highest, id)
		}
		if err := it.Err(); err != nil {
			return 0, 0, 0, fmt.Errorf("listing: %w", err)
		}
	}
	if top := max(given.N, highest); top > 0 {
		n = bucketOf(top) + 1
	}
	s, err := d.read(ctx, "", true)
	if err != nil {
		return 0, 0, 0, err
	}
	for _, b := range s.buckets {
		n = max(n, b.number+1)
	}
	return n, given.N, highest, nil
}

// MendSequence has no number given out again, up to the highest that a record has.
func (d Listing) MendSequence(ctx context.Context, highest int64) error {
	err := table.Retry(ctx, func() error {
		return d.tenant.Update(d.tenant.Sequence(d.kind)).Set("n", highest).Set("v", version).
			If("attribute_not_exists(n) OR n < ?", highest).Run(ctx)
	})
	if dynamo.IsCondCheckFailed(err) {
		return nil // others have taken more
	}
	return err
}

// Recount compares a bucket with its records. Whoever creates or deletes one writes to the bucket, so the two are of one moment if the
// bucket is the same before its records are read and after. If it changes each time, that is fault.ErrUnavailable.
func (d Listing) Recount(ctx context.Context, number int) (Recount, error) {
	for range tries {
		before, pending, err := d.whole(ctx, number)
		if err != nil {
			return Recount{}, err
		}
		ids, err := d.liveIDs(ctx, number)
		if err != nil {
			return Recount{}, err
		}
		after, still, err := d.whole(ctx, number)
		if err != nil {
			return Recount{}, err
		}
		if slices.Equal(pending, still) && alike(before, after) {
			return recount(before, pending, ids)
		}
	}
	return Recount{}, fault.ErrUnavailable.Because(fmt.Errorf("listing: bucket %d of %s changes too fast to count it", number, d.kind))
}

// whole reads a bucket, and the ranges that are pending.
func (d Listing) whole(ctx context.Context, number int) (bucket, []Range, error) {
	b, err := d.bucket(ctx, number)
	if err != nil {
		return b, nil, err
	}
	s, err := d.read(ctx, table.PendingPrefix, true)
	return b, s.pending, err
}

// liveIDs are the ids of the records of a bucket.
func (d Listing) liveIDs(ctx context.Context, number int) (ids []int64, err error) {
	from := int64(number)*Bucket + 1
	it := d.tenant.Table().Get("pk", d.tenant.Records(d.kind)).
		Range("sk", dynamo.Between, table.SortID(from), table.SortID(from+Bucket-1)).Project("pk", "sk").Consistent(true).Iter()
	for {
		var item table.Item
		if !it.Next(ctx, &item) {
			break
		}
		id, err := table.ParseSortID(item.SK)
		if err != nil {
			return nil, fmt.Errorf("listing: %w", err)
		}
		ids = append(ids, id)
	}
	if err := it.Err(); err != nil {
		return nil, fmt.Errorf("listing: %w", err)
	}
	return ids, nil
}

// alike tells whether two reads saw the same items of a bucket.
func alike(a, b bucket) bool {
	return slices.Equal(a.stripes, b.stripes) && slices.EqualFunc(a.parts, b.parts, func(x, y table.Attributes) bool {
		if x.Text("sk") != y.Text("sk") || len(x) != len(y) {
			return false
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if name != "pk" && name != "sk" && x.Number(name) != y.Number(name) {
				return false
			}
		}
		return true
	})
}

// recount compares counters with ids.
func recount(b bucket, pending []Range, ids []int64) (Recount, error) {
	r := Recount{Bucket: b.number, Counted: b.n, revision: b.revision}
	sums, err := b.sums()
	if err != nil {
		return r, err
	}
	var want change
	for _, id := range ids {
		if !slices.ContainsFunc(pending, func(p Range) bool { return p.From <= id && id <= p.To }) {
			want.count(id, 1)
		}
	}
	r.Live, r.lacks.records = want.records, want.records-b.n
	for a, sum := range sums {
		has, wants := sum.carried(), want.counters[a].carried()
		if has == wants {
			continue
		}
		for i := range has {
			r.lacks.counters[a][i] = wants[i] - has[i]
		}
		r.Wrong = append(r.Wrong, differ(int64(b.number)*groups+int64(a*digits), has, wants)...)
	}
	return r, nil
}

// differ are the ids of the groups, from one on, of which two counters say different numbers. Where one of them can't be such numbers,
// those are all.
func differ(first int64, a, b counter) (wrong []Range) {
	var is, wants [digits]uint8
	_, sound := a.decode(is[:])
	_, _ = b.decode(wants[:]) // it was counted
	for i := range is {
		if !sound || is[i] != wants[i] {
			from := firstOf(first + int64(i))
			wrong = append(wrong, Range{From: from, To: from + span - 1})
		}
	}
	return wrong
}

// Mend adds to the counters of a bucket what they lack. Additions commute, so what others create and delete meanwhile stays counted. It
// is written to the base as a delete is, on the condition that no fold, no delete and no other Mend has written there since the recount:
// otherwise ok is false, and the bucket is to be counted again. It is also false where it was written and the answer was lost; the
// recount shows that.
func (d Listing) Mend(ctx context.Context, r Recount) (ok bool, err error) {
	if r.Right() {
		return true, nil
	}
	u := r.lacks.on(d.tenant.Update(d.key(baseKey(r.Bucket)))).Add("r", 1)
	if r.revision == 0 {
		u = u.If("attribute_not_exists(r)")
	} else {
		u = u.If("r = ?", r.revision)
	}
	err = table.Retry(ctx, func() error { return u.Run(ctx) })
	if dynamo.IsCondCheckFailed(err) {
		return false, nil
	}
	return err == nil, err
}
