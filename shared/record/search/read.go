package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
)

const (
	parallel = 8   // calls of one request at a time
	perBatch = 100 // keys of one BatchGet
)

// read reads the whole index of the kind.
func (s *search) read(ctx context.Context) ([]Entry, error) {
	if s.query.IDs != nil {
		return s.readIDs(ctx)
	}
	if err := allowance.Draw(ctx); err != nil {
		return nil, err
	}
	parts, err := s.index.Listing.Split(ctx, func(count int) int { return (count + perCall - 1) / perCall })
	if err != nil {
		return nil, err
	}
	if parts.Count > MaxRecords {
		return nil, ErrTooManyRecords
	}
	s.total, s.ranges = parts.Count, parts.Ranges
	read := make([][]Entry, len(s.ranges))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, r := range s.ranges {
		g.Go(func() (err error) {
			read[i], err = s.readRange(ctx, r, parts.Live)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(read...), nil
}

// readIDs gets the records that a query names, and the entries that they carry. Its cost
// depends on the number of these records, not on the size of the kind.
func (s *search) readIDs(ctx context.Context) (entries []Entry, err error) {
	parts, err := s.index.Listing.Split(ctx, func(int) int { return 1 })
	if err != nil {
		return nil, err
	}
	var named []Entry
	for _, id := range slices.Compact(slices.Sorted(slices.Values(s.query.IDs))) {
		if id > 0 && id <= table.MaxID && parts.Live(id) {
			named = append(named, Entry{ID: id})
		}
	}
	if s.records, err = s.fetch(ctx, named); err != nil {
		return nil, err
	}
	for id, record := range s.records {
		entries = append(entries, Entry{ID: id, x: record.Map("x")})
	}
	return entries, nil
}

// readRange reads the entries of a range of ids, except those that must not be shown.
func (s *search) readRange(ctx context.Context, r listing.Range, live func(id int64) bool) (entries []Entry, err error) {
	it := s.index.Tenant.Table().Get("ix", s.index.Tenant.Records(s.index.Kind)).
		Range("sk", dynamo.Between, table.SortID(r.From), table.SortID(r.To)).Index(index).Iter()
	err = rows(ctx, it, func(id int64, row table.Attributes) {
		if !live(id) {
			return
		}
		entries = append(entries, Entry{ID: id, x: row.Map("x")})
	})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return entries, nil
}

// fetch gets the records of entries by their ids.
func (s *search) fetch(ctx context.Context, entries []Entry) (records map[int64]table.Attributes, err error) {
	records = make(map[int64]table.Attributes, len(entries))
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for batch := range slices.Chunk(entries, perBatch) {
		g.Go(func() error {
			return s.get(ctx, batch, nil, func(id int64, record table.Attributes) {
				mu.Lock()
				defer mu.Unlock()
				records[id] = record
			})
		})
	}
	return records, g.Wait()
}

// get is one BatchGet of whole records, or of some attributes only.
func (s *search) get(ctx context.Context, entries []Entry, attributes []string, each func(id int64, record table.Attributes)) error {
	keys := make([]dynamo.Keyed, len(entries))
	for i, e := range entries {
		keys[i] = s.index.Tenant.Record(s.index.Kind, e.ID)
	}
	it := s.index.Tenant.Table().Batch("pk", "sk").Get(keys...).Project(attributes...).Consistent(s.again).Iter()
	err := rows(ctx, it, each)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return fmt.Errorf("search: records: %w", err)
	}
	return nil
}

// rows calls each with every row of an answer and its id.
func rows(ctx context.Context, it dynamo.Iter, each func(id int64, row table.Attributes)) error {
	for {
		var row table.Attributes
		if !it.Next(ctx, &row) {
			return it.Err()
		}
		id, err := table.ParseSortID(row.Text("sk"))
		if err != nil {
			return err
		}
		each(id, row)
	}
}
