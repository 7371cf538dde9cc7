package listing

import (
	"context"
	"errors"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
)

// tries is how often a list is read until its two reads match.
const tries = 5

// Count is the number of live records, in one call.
func (d Listing) Count(ctx context.Context) (count int, err error) {
	err = d.retorn(ctx, func(s *snapshot, _ int) error {
		count, err = s.count()
		return err
	})
	return count, err
}

// CountNow is Count by a consistent read. It is for the rule that limits the number of records
// of a kind.
func (d Listing) CountNow(ctx context.Context) (count int, err error) {
	for range tries {
		s, err := d.read(ctx, "", true)
		if err != nil {
			return 0, err
		}
		if count, err = s.count(); !errors.Is(err, errTorn) {
			return count, err
		}
	}
	return 0, fault.ErrUnavailable.Because(errTorn)
}

// retorn reads the listing and calls look with it; it does so again if the listing is torn.
func (d Listing) retorn(ctx context.Context, look func(s *snapshot, try int) error) error {
	return retorn(func(consistent bool) (snapshot, error) { return d.read(ctx, "", consistent) }, false, look)
}

func retorn(read func(consistent bool) (snapshot, error), consistent bool, look func(s *snapshot, try int) error) error {
	for try := range tries {
		s, err := read(consistent || try > 0)
		if err != nil {
			return err
		}
		if err := look(&s, try); !errors.Is(err, errTorn) {
			return err
		}
	}
	return fault.ErrUnavailable.Because(errTorn)
}

// Page reads size records from an offset, and the number of live records. It takes two calls,
// and one more for each pending range among the records; one call if there is no record at the
// offset. The order is by id, ascending or, with newestFirst, descending. The page holds size
// records, or all that the count leaves from the offset on; if writers come between its two reads
// each time, the records of the last try decide what the count is.
func (d Listing) Page(ctx context.Context, offset, size int, newestFirst bool) (rows []table.Attributes, count int, err error) {
	err = d.retorn(ctx, func(s *snapshot, try int) error {
		if count, err = s.count(); err != nil {
			return err
		}
		if rows = nil; offset < 0 || offset >= count || size <= 0 {
			return nil
		}
		last := try == tries-1
		w, err := s.windowOf(offset, size, count, newestFirst, last)
		if err != nil {
			return err
		}
		found, agrees, err := d.fetch(ctx, w, s.pending, try > 0)
		if err != nil {
			return err
		}
		if last {
			count += len(found) - len(w.rows)
		}
		rows = w.cut(found, size, newestFirst)
		if !agrees && (!last || len(rows) != min(size, max(0, count-offset))) {
			return errTorn
		}
		return nil
	})
	return rows, count, err
}

// Parts is the result of Split.
type Parts struct {
	Tail
	Count   int     // of live records
	Ranges  []Range // together they cover all ids, and each holds about the same number of live records
	records map[int][]uint8
}

// Tail is what a listing keeps for the search.
type Tail struct {
	Committed []Committed
	Manifest  table.Attributes // nil if there is none
	pending   []Range
}

// Pending tells whether an id is in the range of an import that is not committed.
func (t Tail) Pending(id int64) bool {
	return slices.ContainsFunc(t.pending, func(r Range) bool { return r.From <= id && id <= r.To })
}

// Tail reads what the listing keeps for the search, and no counters: half a unit in most cases.
func (d Listing) Tail(ctx context.Context) (Tail, error) {
	s, err := d.readKeys(ctx, dynamo.GreaterOrEqual, table.PendingPrefix, false)
	return s.tail(), err
}

func (s *snapshot) tail() Tail {
	return Tail{Committed: s.committed, Manifest: s.manifest, pending: s.pending}
}

// Live tells whether a record may have been alive when the listing was read. The answer is
// certain for pending ids, and for a record that is the only one in its group of nine ids.
func (p Parts) Live(id int64) bool {
	records := p.records[bucketOf(id)]
	return records != nil && records[groupOf(id)%groups] > 0 && !p.Pending(id)
}

// Split divides all ids, in one call, into ranges. parts returns the greatest number of ranges,
// given the number of live records.
func (d Listing) Split(ctx context.Context, consistent bool, parts func(count int) int) (p Parts, err error) {
	whole := func(consistent bool) (snapshot, error) {
		return d.readKeys(ctx, dynamo.GreaterOrEqual, "0", consistent)
	}
	err = retorn(whole, consistent, func(s *snapshot, _ int) error {
		count, err := s.count()
		if err != nil {
			return err
		}
		p = Parts{Tail: s.tail(), Count: count, records: make(map[int][]uint8, len(s.buckets))}
		for i := range s.buckets {
			b := &s.buckets[i]
			if err := b.decode(); err != nil {
				return err
			}
			p.records[b.number] = b.records
		}
		n, from := max(1, min(parts(count), count)), int64(1)
		for i := 1; i < n; i++ {
			at, err := s.find(i * count / n)
			if err != nil {
				return err
			}
			if next := firstOf(at.group); next > from {
				p.Ranges = append(p.Ranges, Range{From: from, To: next - 1})
				from = next
			}
		}
		p.Ranges = append(p.Ranges, Range{From: from, To: table.MaxID})
		return nil
	})
	return p, err
}
