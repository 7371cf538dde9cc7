package slimindex

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	parallel = 8   // calls of one request at a time
	perBatch = 100 // keys of one BatchGet
)

// read reads the whole index of the kind.
func (s *search[T]) read(ctx context.Context) ([]Entry, error) {
	count, ranges, err := s.index.Directory.Split(ctx, func(count int) int { return (count + perCall - 1) / perCall })
	if err != nil {
		return nil, err
	}
	if count > MaxRecords {
		return nil, ErrTooManyRecords
	}
	parts := make([][]Entry, len(ranges))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, r := range ranges {
		g.Go(func() (err error) {
			parts[i], err = s.readRange(ctx, r)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(parts...), nil
}

func (s *search[T]) readRange(ctx context.Context, r directory.Range) (entries []Entry, err error) {
	it := s.index.Tenant.Table().Get("ix", s.index.Tenant.Records(s.index.Kind)).
		Range("sk", dynamo.Between, table.SortID(r.From), table.SortID(r.To)).Index(index).Iter()
	for {
		var item table.Attributes
		if !it.Next(ctx, &item) {
			break
		}
		id, err := table.ParseSortID(item.Text("sk"))
		if err != nil {
			return nil, err
		}
		x := item.Map("x")
		entries = append(entries, Entry{ID: id, text: x.Bytes(Text), x: x})
	}
	if err := it.Err(); err != nil {
		return nil, fmt.Errorf("slimindex: %w", err)
	}
	return entries, nil
}

// fetch reads those records of the entries that were not read yet.
func (s *search[T]) fetch(ctx context.Context, entries []Entry) error {
	var keys []dynamo.Keyed
	for _, e := range entries {
		if _, known := s.records[e.ID]; !known {
			s.records[e.ID] = nil
			keys = append(keys, s.index.Tenant.Record(s.index.Kind, e.ID))
		}
	}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for batch := range slices.Chunk(keys, perBatch) {
		g.Go(func() error {
			it := s.index.Tenant.Table().Batch("pk", "sk").Get(batch...).Consistent(s.again).Iter()
			for {
				var record table.Attributes
				if !it.Next(ctx, &record) {
					break
				}
				id, err := table.ParseSortID(record.Text("sk"))
				if err != nil {
					return err
				}
				mu.Lock()
				s.records[id] = record
				mu.Unlock()
			}
			if err := it.Err(); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
				return fmt.Errorf("slimindex: records: %w", err)
			}
			return nil
		})
	}
	return g.Wait()
}
