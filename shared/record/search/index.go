package search

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
)

// Index searches the records of a kind. What it finds are their items.
type Index struct {
	Kind
	Tenant  *table.Tenant
	Listing listing.Listing
	Memory  *Memory // nil reads records only
	Now     func() time.Time
	Along   *Along // what pages show beside records; nil if nothing
	Silent  bool   // asks for no merge: for what has to write nothing
}

// IDs are the ids of all records that match a query, in ascending order. It reads no records.
func (ix Index) IDs(ctx context.Context, q Query) (ids []int64, err error) {
	ids = []int64{}
	err = ix.Rows(ctx, q, func(r segment.Row) { ids = append(ids, r.ID()) })
	if !slices.IsSorted(ids) {
		slices.Sort(ids)
	}
	return ids, err
}

// Rows calls do with each record that matches a query, as far as the search knows it, in no order. It reads no records.
func (ix Index) Rows(ctx context.Context, q Query, do func(r segment.Row)) error {
	done := segment.Everything().Low // do was called with the ids up to it; if the search begins again, these are left out
	_, err := ix.look(ctx, q, false, func(s *sight) error {
		return s.views(ctx, func(v *segment.View, ids segment.Span) error {
			for r := range v.Each(q) {
				if r.ID() > done {
					do(r)
				}
			}
			done = max(done, ids.High)
			return nil
		})
	})
	return err
}

// Page gets the records of one page of a query, and how many records match in all. If one of them is gone, everything is read
// again, consistently as far as that is possible; what is still missing then is left out of the page and the count.
func (ix Index) Page(ctx context.Context, q Query) (found []table.Attributes, count int, err error) {
	for _, again := range []bool{false, true} {
		var s *sight
		var ids []int64
		s, err = ix.look(ctx, q, again, func(s *sight) (err error) {
			ids, count, err = s.find(ctx, q)
			return err
		})
		if err != nil {
			return nil, 0, err
		}
		if found, count, err = s.page(ctx, ids, count); !errors.Is(err, errGone) {
			break
		}
	}
	return found, count, err
}

// errGone says that a record of the page no longer exists.
var errGone = errors.New("search: record gone")

// page gets the records of a page, and how many match in all: count, or less if some are gone.
func (s *sight) page(ctx context.Context, ids []int64, count int) (found []table.Attributes, left int, err error) {
	records, err := s.get(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		if record := records[id]; record != nil {
			found = append(found, record)
			continue
		}
		if !s.again {
			return nil, 0, errGone
		}
		count--
	}
	return found, count, nil
}

// Each gets all records that match a query, in its order, and calls do with up to size of them
// at a time. It ignores Offset and Size of the query. It returns how many records it got. What matches
// is decided once, so records that are created or deleted meanwhile shift nothing; a record
// that no longer exists when its turn comes is left out.
func (ix Index) Each(ctx context.Context, q Query, size int, do func(found []table.Attributes) error) (count int, err error) {
	q.Offset, q.Size = 0, math.MaxInt
	var ids []int64
	s, err := ix.look(ctx, q, false, func(s *sight) (err error) {
		ids, _, err = s.find(ctx, q)
		return err
	})
	if err != nil {
		return 0, err
	}
	for part := range slices.Chunk(ids, size) {
		records, err := s.get(ctx, part)
		if err != nil {
			return 0, err
		}
		found := make([]table.Attributes, 0, len(part))
		for _, id := range part {
			if record := records[id]; record != nil {
				found = append(found, record)
			}
		}
		if count += len(found); len(found) == 0 {
			continue
		}
		if err := do(found); err != nil {
			return 0, err
		}
	}
	return count, nil
}

// Numbers are the ids of all records that match a query and have a number in a column, with that number. It reads no records.
func (ix Index) Numbers(ctx context.Context, q Query, letter string) (numbers map[int64]int64, err error) {
	q.Where = append(q.Where[:len(q.Where):len(q.Where)], segment.Has(letter))
	numbers = map[int64]int64{}
	err = ix.Rows(ctx, q, func(r segment.Row) { numbers[r.ID()], _ = r.Number(letter) })
	return numbers, err
}
