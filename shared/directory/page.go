package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
)

// tries is how often a list is read until its two reads agree.
const tries = 3

// Count is the number of live records, in one call.
func (d Directory) Count(ctx context.Context) (count int, err error) {
	err = d.retorn(ctx, func(s *snapshot, _ int) error {
		count, err = s.count()
		return err
	})
	return count, err
}

// retorn reads the directory and looks at it, again where it is torn.
func (d Directory) retorn(ctx context.Context, look func(s *snapshot, try int) error) error {
	for try := range tries {
		s, err := d.read(ctx, "", try > 0)
		if err != nil {
			return err
		}
		if err := look(&s, try); !errors.Is(err, errTorn) {
			return err
		}
	}
	return fault.ErrUnavailable.Because(errTorn)
}

// Page reads size records from an offset, and the number of live records, in
// two calls; in one where no record is at the offset. T is the stored struct of
// the caller. By id ascending, or descending: the newest first.
func Page[T any](ctx context.Context, d Directory, offset, size int, newestFirst bool) (items []T, count int, err error) {
	var rows []table.Attributes
	err = d.retorn(ctx, func(s *snapshot, try int) error {
		if count, err = s.count(); err != nil {
			return err
		}
		if rows = nil; offset < 0 || offset >= count || size <= 0 {
			return nil
		}
		low, high := offset, offset+min(size, count-offset)
		if newestFirst {
			low, high = count-high, count-low
		}
		w, err := s.window(low, high)
		if err != nil {
			return err
		}
		found, agrees, err := d.fetch(ctx, w, try > 0)
		if err != nil {
			return err
		}
		if !agrees && try < tries-1 {
			return errTorn
		}
		rows = w.cut(found, newestFirst)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	items = make([]T, len(rows))
	for i, row := range rows {
		if err := row.Decode(&items[i]); err != nil {
			return nil, 0, err
		}
	}
	return items, count, nil
}

// window is the query that reads the records at some positions.
type window struct {
	from, to   int64   // ids
	descending bool    // the order of reading
	rows       []int64 // the group of each row, in that order
	skip       int     // rows that come first and are not asked for
}

// window plans to read the records at the positions from low to below high. It
// begins at the side where fewer rows must be skipped.
func (s *snapshot) window(low, high int) (w window, err error) {
	first, err := s.find(low)
	if err != nil {
		return w, err
	}
	last, err := s.find(high - 1)
	if err != nil {
		return w, err
	}
	rows, err := s.rows(first.group, last.group)
	if err != nil {
		return w, err
	}
	skipFirst, skipLast := low-first.before, last.before+last.records-high
	w = window{from: firstOf(first.group), to: firstOf(last.group) + span - 1}
	if w.descending = skipLast < skipFirst; w.descending {
		w.skip, w.rows = skipLast, rows[skipFirst:]
		slices.Reverse(w.rows)
	} else {
		w.skip, w.rows = skipFirst, rows[:len(rows)-skipLast]
	}
	return w, nil
}

// fetch reads the rows of a window and tells whether they stand where the
// directory says.
func (d Directory) fetch(ctx context.Context, w window, consistent bool) (found []table.Attributes, agrees bool, err error) {
	it := d.tenant.Table().Get("pk", d.tenant.Records(d.kind)).
		Range("sk", dynamo.Between, table.SortID(w.from), table.SortID(w.to)).
		Order(dynamo.Order(!w.descending)).Consistent(consistent).Limit(len(w.rows)).Iter()
	agrees = true
	for len(found) < len(w.rows) {
		var row table.Attributes
		if !it.Next(ctx, &row) {
			break
		}
		id, err := table.ParseSortID(row.Text("sk"))
		if err != nil {
			return nil, false, err
		}
		agrees = agrees && groupOf(id) == w.rows[len(found)]
		found = append(found, row)
	}
	if err := it.Err(); err != nil {
		return nil, false, fmt.Errorf("directory: page: %w", err)
	}
	return found, agrees && len(found) == len(w.rows), nil
}

// cut leaves out the rows that were not asked for, and puts the others in order.
func (w window) cut(found []table.Attributes, newestFirst bool) []table.Attributes {
	found = found[min(w.skip, len(found)):]
	if w.descending != newestFirst {
		slices.Reverse(found)
	}
	return found
}

// Range is a run of ids, both ends included.
type Range struct{ From, To int64 }

// Split gives the number of live records and, in one call, at most parts
// ranges that together are all ids and hold about equally many records each.
func (d Directory) Split(ctx context.Context, parts func(count int) int) (count int, ranges []Range, err error) {
	err = d.retorn(ctx, func(s *snapshot, _ int) error {
		if count, err = s.count(); err != nil {
			return err
		}
		n, from := max(1, min(parts(count), count)), int64(1)
		ranges = nil
		for i := 1; i < n; i++ {
			p, err := s.find(i * count / n)
			if err != nil {
				return err
			}
			if next := firstOf(p.group); next > from {
				ranges = append(ranges, Range{From: from, To: next - 1})
				from = next
			}
		}
		ranges = append(ranges, Range{From: from, To: table.MaxID})
		return nil
	})
	return count, ranges, err
}
