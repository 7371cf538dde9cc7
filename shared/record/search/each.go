package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/table"
)

// dense is up to how many ids for each record of a part that part is read as a
// range, which costs an eighth of a unit for a record of 1 KB; one that is got by
// its id costs half a unit.
const dense = 2

// Each gets all records that a query asks for, whatever its Offset and Size, in
// its order and size at a time, and gives how many it got. The index is read
// once, so that what comes or goes meanwhile shifts nothing: a record that is
// gone when its turn comes is left out.
func (ix Index[T]) Each(ctx context.Context, q Query, size int, do func(items []T) error) (count int, err error) {
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
		records, err := s.part(ctx, part)
		if err != nil {
			return 0, err
		}
		items := make([]T, 0, len(part))
		for _, e := range part {
			record := records[e.ID]
			if record == nil {
				continue
			}
			var item T
			if err := record.Decode(&item); err != nil {
				return 0, err
			}
			items = append(items, item)
		}
		if count += len(items); len(items) == 0 {
			continue
		}
		if err := do(items); err != nil {
			return 0, err
		}
	}
	return count, nil
}

// part gets the records of entries: as a range where they lie close together.
func (s *search[T]) part(ctx context.Context, entries []Entry) (map[int64]table.Attributes, error) {
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
