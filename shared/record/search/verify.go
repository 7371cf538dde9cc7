package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
)

// share decides how texts are read: if more than one record in this many is needed, reading all
// records is cheaper. A record read by its id costs half a unit, however small it is.
const share = 4

// verify reads the whole texts of entries that hold only a part of them.
func (s *search) verify(ctx context.Context, entries []Entry) error {
	wanted := make(map[int64]bool, len(entries))
	entries = slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		_, known := s.texts[e.ID]
		return known
	})
	if len(entries) == 0 {
		return nil
	}
	for _, e := range entries {
		wanted[e.ID] = true
		s.texts[e.ID] = nil
	}
	var mu sync.Mutex
	var failed error
	keep := func(id int64, record table.Attributes) {
		if !wanted[id] {
			return
		}
		values, err := s.index.Values(record)
		texts := values.encode()
		mu.Lock()
		defer mu.Unlock()
		s.texts[id] = texts
		failed = cmp.Or(failed, err)
	}
	if s.query.IDs != nil { // whose records were read
		for _, e := range entries {
			keep(e.ID, s.records[e.ID])
		}
		return failed
	}
	if err := s.readTexts(ctx, entries, keep); err != nil {
		return err
	}
	return failed
}

// readTexts reads the records of the entries, or all records if that is cheaper. It reads only
// the attributes that texts need.
func (s *search) readTexts(ctx context.Context, entries []Entry, keep func(id int64, record table.Attributes)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	if len(entries) <= max(perBatch, s.total/share) {
		for batch := range slices.Chunk(entries, perBatch) {
			g.Go(func() error {
				if err := s.spend(); err != nil {
					return err
				}
				return s.get(ctx, batch, s.attributes(), keep)
			})
		}
		return g.Wait()
	}
	for _, r := range s.ranges {
		g.Go(func() error { return s.scan(ctx, r, keep) })
	}
	return g.Wait()
}

// attributes are the attributes to read for texts; nil means all.
func (s *search) attributes() []string {
	if s.index.Needs == nil {
		return nil
	}
	return append([]string{"pk", "sk"}, s.index.Needs...)
}

// spend uses one of the reads that are left.
func (s *search) spend() error {
	if s.reads.Add(-1) < 0 {
		return ErrTooMuchText
	}
	return nil
}

// scan reads the texts of a range of ids, with 1 MB of records in each call.
func (s *search) scan(ctx context.Context, r listing.Range, each func(id int64, record table.Attributes)) error {
	var from dynamo.PagingKey
	for {
		if err := s.spend(); err != nil {
			return err
		}
		it := s.index.Tenant.Table().Get("pk", s.index.Tenant.Records(s.index.Kind)).
			Range("sk", dynamo.Between, table.SortID(r.From), table.SortID(r.To)).
			Project(s.attributes()...).Consistent(s.again).StartFrom(from).RequestLimit(1).Iter()
		err := rows(ctx, it, each)
		if err == nil {
			from, err = it.LastEvaluatedKey(ctx)
		}
		if err != nil {
			return fmt.Errorf("search: texts: %w", err)
		}
		if from == nil {
			return nil
		}
	}
}
