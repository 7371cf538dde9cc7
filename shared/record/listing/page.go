package listing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
)

// tries is how often a list is read until its two reads match.
const tries = 3

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

// Page reads size records from an offset, and the number of live records. It takes two calls,
// and one more for each pending range among the records; one call if there is no record at the
// offset. T is the stored struct of the caller. The order is by id, ascending or, with
// newestFirst, descending.
func Page[T any](ctx context.Context, d Listing, offset, size int, newestFirst bool) (items []T, count int, err error) {
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
		found, agrees, err := d.fetch(ctx, w, s.pending, try > 0)
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
	rows       []int64 // the group of each expected row, in the order of reading
	skip       int     // how many of the first rows are not asked for
}

// window plans how to read the records at the positions from low to below high. It starts at
// the side where fewer rows have to be skipped.
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

// run is the part of a window that one query reads.
type run struct {
	from, to int64
	rows     []int64
}

// around splits the window where ids are pending. ok is false if a row is expected among
// pending ids: then the read saw the counters after a commit together with the range before it.
func (w window) around(pending []Range) (runs []run, ok bool) {
	last := -1
	ok = true
	for _, group := range w.rows {
		id := firstOf(group)
		before, _ := slices.BinarySearchFunc(pending, id+1, func(r Range, id int64) int { return cmp.Compare(r.From, id) })
		if before > 0 && id <= pending[before-1].To {
			ok = false
			continue
		}
		if before != last {
			r := run{from: w.from, to: w.to}
			if before > 0 {
				r.from = max(r.from, pending[before-1].To+1)
			}
			if before < len(pending) {
				r.to = min(r.to, pending[before].From-1)
			}
			runs, last = append(runs, r), before
		}
		r := &runs[len(runs)-1]
		r.rows = append(r.rows, group)
	}
	return runs, ok
}

// fetch reads the rows of a window and tells whether they match the listing.
func (d Listing) fetch(ctx context.Context, w window, pending []Range, consistent bool) (found []table.Attributes, agrees bool, err error) {
	runs, agrees := w.around(pending)
	for _, r := range runs {
		it := d.tenant.Table().Get("pk", d.tenant.Records(d.kind)).
			Range("sk", dynamo.Between, table.SortID(r.from), table.SortID(r.to)).
			Order(dynamo.Order(!w.descending)).Consistent(consistent).Limit(len(r.rows)).Iter()
		for _, group := range r.rows {
			var row table.Attributes
			if !it.Next(ctx, &row) {
				agrees = false
				break
			}
			id, err := table.ParseSortID(row.Text("sk"))
			if err != nil {
				return nil, false, err
			}
			if at := groupOf(id); at != group {
				agrees = false
				if !slices.Contains(r.rows, at) {
					continue // no counter counts this row: its import may have just begun
				}
			}
			found = append(found, row)
		}
		if err := it.Err(); err != nil {
			return nil, false, fmt.Errorf("listing: page: %w", err)
		}
	}
	return found, agrees, nil
}

// cut removes the rows that were not asked for, and puts the others in order.
func (w window) cut(found []table.Attributes, newestFirst bool) []table.Attributes {
	found = found[min(w.skip, len(found)):]
	if w.descending != newestFirst {
		slices.Reverse(found)
	}
	return found
}

// Parts is the result of Split.
type Parts struct {
	Count   int     // of live records
	Ranges  []Range // together they cover all ids, and each holds about the same number of live records
	records map[int][]uint8
	pending []Range
}

// Live tells whether a record may have been alive when the listing was read. The answer is
// certain for pending ids, and for a record that is the only one in its group of nine ids.
func (p Parts) Live(id int64) bool {
	if records := p.records[bucketOf(id)]; records == nil || records[groupOf(id)%groups] == 0 {
		return false
	}
	return !slices.ContainsFunc(p.pending, func(r Range) bool { return r.From <= id && id <= r.To })
}

// Split divides all ids, in one call, into ranges. parts returns the greatest number of ranges,
// given the number of live records.
func (d Listing) Split(ctx context.Context, parts func(count int) int) (p Parts, err error) {
	err = d.retorn(ctx, func(s *snapshot, _ int) error {
		count, err := s.count()
		if err != nil {
			return err
		}
		p = Parts{Count: count, pending: s.pending, records: make(map[int][]uint8, len(s.buckets))}
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
