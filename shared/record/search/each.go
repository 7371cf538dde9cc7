package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/table"
)

// dense decides how the records of a part are read. If there are at most this many ids for each
// record, the part is read as a range, which costs an eighth of a unit for a record of 1 KB.
// Otherwise the records are read by their ids, which costs half a unit each.
const dense = 2

// Each gets all records that match a query, in its order, and calls do with up to size of them
// at a time. It ignores Offset and Size of the query. It returns how many records it got. The
// index is read once, so records that are created or deleted meanwhile shift nothing; a record
// that no longer exists when its turn comes is left out.
func (ix Index[T]) Each(ctx context.Context, q Query, size int, do func(items []T) error) (count int, err error) {
	return anyIndex(ix).each(ctx, q, size, func(records []table.Attributes) error {
		items, err := decoded[T](records)
		if err != nil {
			return err
		}
		return do(items)
	})
}

// each is Each of records that are not decoded.
func (ix anyIndex) each(ctx context.Context, q Query, size int, do func(records []table.Attributes) error) (count int, err error) {
	s := ix.begin(q, false)
	entries, err := s.read(ctx)
	if err != nil {
		return 0, err
	}
	if entries, err = s.match(ctx, entries); err != nil {
		return 0, err
	}
	if err := s.sort(ctx, entries, 0, len(entries)); err != nil {
		return 0, err
	}
	for part := range slices.Chunk(entries, size) {
		found, err := s.part(ctx, part)
		if err != nil {
			return 0, err
		}
		records := make([]table.Attributes, 0, len(part))
		for _, e := range part {
			if record := found[e.ID]; record != nil {
				records = append(records, record)
			}
		}
		if count += len(records); len(records) == 0 {
			continue
		}
		if err := do(records); err != nil {
			return 0, err
		}
	}
	return count, nil
}

// IDs are the ids of all records that match a query, in no order. It reads no records, unless
// the entries don't hold enough of their texts.
func (ix Index[T]) IDs(ctx context.Context, q Query) ([]int64, error) {
	entries, err := anyIndex(ix).entries(ctx, q)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	return ids, nil
}

// Entries are the entries of all records that match a query, in no order. They are read as IDs reads them.
func (ix Index[T]) Entries(ctx context.Context, q Query) ([]Entry, error) {
	return anyIndex(ix).entries(ctx, q)
}

func (ix anyIndex) entries(ctx context.Context, q Query) ([]Entry, error) {
	s := ix.begin(q, false)
	entries, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	return s.match(ctx, entries)
}

// part gets the records of some entries; it reads them as a range if their ids are close
// together.
func (s *search) part(ctx context.Context, entries []Entry) (map[int64]table.Attributes, error) {
	wanted := make(map[int64]bool, len(entries))
	low, high := entries[0].ID, entries[0].ID
	for _, e := range entries {
		wanted[e.ID] = true
		low, high = min(low, e.ID), max(high, e.ID)
	}
	if high-low >= dense*int64(len(entries)) {
		return s.fetch(ctx, entries)
	}
	records := make(map[int64]table.Attributes, len(entries))
	it := s.index.Tenant.Table().Get("pk", s.index.Tenant.Records(s.index.Kind)).
		Range("sk", dynamo.Between, table.SortID(low), table.SortID(high)).Iter()
	err := rows(ctx, it, func(id int64, record table.Attributes) {
		if wanted[id] {
			records[id] = record
		}
	})
	if err != nil {
		return nil, fmt.Errorf("search: records: %w", err)
	}
	return records, nil
}
