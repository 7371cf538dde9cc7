package listing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/table"
)

// slack is by how many records a whole window goes on behind its page: so many may be deleted
// between the two reads.
const slack = 100

// window is the query that reads the records at some positions.
type window struct {
	from, to   int64   // ids
	descending bool    // the order of reading
	rows       []int64 // the group of each expected row, in the order of reading
	skip       int     // how many of the first rows are not asked for
	rest       int     // how many rows of the last group are not expected, as nobody asks for them
	whole      bool    // all that is between from and to is read
}

// between is the window of all records of the groups from that of the first position, low, to that
// of the last, below high. After rows are skipped, rest rows at its end are not asked for.
func (s *snapshot) between(low, high int) (w window, rest int, err error) {
	first, err := s.find(low)
	if err != nil {
		return w, 0, err
	}
	last, err := s.find(high - 1)
	if err != nil {
		return w, 0, err
	}
	rows, err := s.rows(first.group, last.group)
	w = window{from: firstOf(first.group), to: firstOf(last.group) + span - 1, rows: rows, skip: low - first.before}
	return w, last.before + last.records - high, err
}

// window plans how to read the records at the positions from low to below high. It starts at
// the side where fewer rows have to be skipped.
func (s *snapshot) window(low, high int) (window, error) {
	w, rest, err := s.between(low, high)
	if err != nil {
		return w, err
	}
	if w.descending = rest < w.skip; w.descending {
		w.skip, rest = rest, w.skip
		slices.Reverse(w.rows)
	}
	w.rows, w.rest = w.rows[:len(w.rows)-rest], rest
	return w, nil
}

// whole plans how to read them, and what else is in their groups, from the side where the page
// begins.
func (s *snapshot) whole(low, high int, newestFirst bool) (window, error) {
	w, rest, err := s.between(low, high)
	w.whole = true
	if w.descending = newestFirst; w.descending {
		w.skip = rest
		slices.Reverse(w.rows)
	}
	return w, err
}

// windowOf plans how to read a page; a whole window goes on behind it.
func (s *snapshot) windowOf(offset, size, count int, newestFirst, whole bool) (window, error) {
	low, high := offset, offset+min(size, count-offset)
	if whole {
		high = min(high+slack, count)
	}
	if newestFirst {
		low, high = count-high, count-low
	}
	if whole {
		return s.whole(low, high, newestFirst)
	}
	return s.window(low, high)
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
	for i, r := range runs {
		limit := 0
		if !w.whole {
			if limit = len(r.rows); w.rest == 0 || i < len(runs)-1 {
				limit++ // one more is there only if the listing does not count it
			}
		}
		n := 0
		it := d.tenant.Table().Get("pk", d.tenant.Records(d.kind)).
			Range("sk", dynamo.Between, table.SortID(r.from), table.SortID(r.to)).
			Order(dynamo.Order(!w.descending)).Consistent(consistent).Limit(limit).Iter()
		var row table.Attributes
		for it.Next(ctx, &row) {
			id, err := table.ParseSortID(row.Text("sk"))
			if err != nil {
				return nil, false, err
			}
			if at := groupOf(id); n >= len(r.rows) || at != r.rows[n] {
				agrees = false
				if !slices.Contains(r.rows, at) {
					continue // no counter counts this row: its import may have just begun
				}
			}
			found = append(found, row)
			n++
		}
		if err := it.Err(); err != nil {
			return nil, false, fmt.Errorf("listing: page: %w", err)
		}
		agrees = agrees && n == len(r.rows)
	}
	return found, agrees, nil
}

// cut removes the rows that were not asked for, and puts the others in order.
func (w window) cut(found []table.Attributes, size int, newestFirst bool) []table.Attributes {
	found = found[min(w.skip, len(found)):]
	found = found[:min(size, len(found))]
	if w.descending != newestFirst {
		slices.Reverse(found)
	}
	return found
}
