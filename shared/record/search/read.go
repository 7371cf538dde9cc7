package search

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	parallel = 8    // calls of one request at a time
	perBatch = 100  // keys of one BatchGet
	perCall  = 2000 // about how many small records fit into one answer of 1 MB

	// dense decides how the records of a part are read. If there are at most this many ids for each
	// record, the part is read as a range, which costs an eighth of a unit for a record of 1 KB.
	// Otherwise the records are read by their ids, which costs half a unit each.
	dense = 2
	// near is how far apart ids may be that are read as one range where the records between them are not asked for.
	near = 4
)

// inCalls is into how many parts reading all records is divided.
func inCalls(count int) int { return (count + perCall - 1) / perCall }

// changes reads what was written after a time, the oldest first, at most most entries. In this order, an entry that moves
// meanwhile because its record is written again is seen twice rather than never.
func (s *sight) changes(ctx context.Context, after int64, most int) (entries []segment.Entry, err error) {
	var unknown []int
	it := s.Tenant.Table().Get(kindAttribute, s.Tenant.Records(s.Code)).Range(changedAttribute, dynamo.Greater, after).
		Index(changes).Order(dynamo.Ascending).Limit(most).Iter()
	err = rows(ctx, it, func(id int64, row table.Attributes) error {
		e, known := s.unpack(id, row.Int(changedAttribute), row.Bytes(packedAttribute))
		if !known {
			unknown = append(unknown, len(entries))
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("search: changes of %s: %w", s.Code, err)
	}
	return entries, s.reread(ctx, entries, unknown)
}

// unpack reads an entry; one that holds nothing is of a deleted record. known is false if only the record itself tells
// the values.
func (ix Index) unpack(id, changed int64, packed []byte) (e segment.Entry, known bool) {
	e = segment.Entry{ID: id, Changed: changed, Gone: len(packed) == 0}
	if e.Gone {
		return e, true
	}
	e.Values, known = Decode(ix.Kind, packed)
	return e, known
}

// reread takes some entries from the records: they have another shape, because another version of a function wrote them, or lack
// scalars that are asked for. It reads consistently, so that no entry is replaced by an older one.
func (s *sight) reread(ctx context.Context, entries []segment.Entry, unknown []int) error {
	var ids []int64
	for _, i := range unknown {
		ids = append(ids, entries[i].ID)
	}
	slices.Sort(ids)
	consistent := *s
	consistent.again = true
	now := map[int64]segment.Entry{}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for len(ids) > 0 {
		n := 1
		for n < len(ids) && ids[n]-ids[n-1] <= near {
			n++
		}
		r := listing.Range{From: ids[0], To: ids[n-1]}
		ids = ids[n:]
		g.Go(func() error {
			return consistent.readRange(ctx, r, func(id int64, record table.Attributes) error {
				e, err := s.entry(id, record)
				mu.Lock()
				defer mu.Unlock()
				now[id] = e
				return err
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, i := range unknown {
		if e, there := now[entries[i].ID]; there {
			entries[i] = e
		} else {
			entries[i].Gone = true
		}
	}
	return nil
}

// entry is what the search knows of a record, from its item.
func (ix Index) entry(id int64, record table.Attributes) (e segment.Entry, err error) {
	v, ok := Decode(ix.Kind, record.Bytes(packedAttribute))
	if !ok {
		v, err = ix.Values(record)
	}
	return segment.Entry{ID: id, Changed: record.Int("m"), Values: v}, err
}

// readRanges reads the records of imports that the segments of a manifest don't have.
func (s *sight) readRanges(ctx context.Context, now state) (entries []segment.Entry, err error) {
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	unsettled := slices.DeleteFunc(slices.Clone(now.parts.Committed), func(c listing.Committed) bool { return now.settles(c.Settled) })
	ids := int64(0)
	for _, r := range unsettled {
		if ids += r.To - r.From + 1; ids > mostImported {
			return nil, ErrPreparing
		}
	}
	for _, r := range unsettled {
		g.Go(func() error {
			return s.readRange(ctx, r.Range, func(id int64, record table.Attributes) error {
				e, err := s.entry(id, record)
				mu.Lock()
				defer mu.Unlock()
				entries = append(entries, e)
				return err
			})
		})
	}
	return entries, g.Wait()
}

// readRange reads the records of a range of ids.
func (s *sight) readRange(ctx context.Context, r listing.Range, each func(id int64, record table.Attributes) error) error {
	it := s.Tenant.Table().Get("pk", s.Tenant.Records(s.Code)).
		Range("sk", dynamo.Between, table.SortID(r.From), table.SortID(r.To)).Consistent(s.again).Iter()
	if err := rows(ctx, it, each); err != nil {
		return fmt.Errorf("search: records of %s: %w", s.Code, err)
	}
	return nil
}

// readAll reads all records, and searches these. parts is the listing if it was read already.
func (s *sight) readAll(ctx context.Context, parts *listing.Parts) error {
	if parts == nil {
		read, err := s.Listing.Split(ctx, s.again, inCalls)
		if err != nil {
			return err
		}
		parts = &read
	}
	if parts.Count > fromTable && s.Memory != nil {
		return ErrPreparing
	}
	var mu sync.Mutex
	var entries []segment.Entry
	s.records = map[int64]table.Attributes{}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, r := range parts.Ranges {
		g.Go(func() error {
			return s.readRange(gctx, r, func(id int64, record table.Attributes) error {
				if !parts.Live(id) {
					return nil
				}
				e, err := s.entry(id, record)
				mu.Lock()
				defer mu.Unlock()
				s.records[id] = record
				entries = append(entries, e)
				return err
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	s.view = segment.NewView(s.Shape, nil, entries)
	if s.takeOwn(); !s.again && s.lacksOwn() {
		s.again = true
		return s.readAll(ctx, nil)
	}
	return nil
}

// lacksOwn tells whether the records don't show one of the changes that this instance has made.
func (s *sight) lacksOwn() bool {
	for id, change := range s.own {
		if record := s.records[id]; s.isOld(id, record) || record != nil && change.gone() {
			return true
		}
	}
	return false
}

// isOld tells whether a record, which may be missing, is from before the last change that this instance has made to it.
func (s *sight) isOld(id int64, record table.Attributes) bool {
	change, changed := s.own[id]
	return changed && !change.gone() && record.Int("m") < change.Changed
}

// readIDs gets the records that a query names. Its cost
// depends on the number of these records, not on the size of the kind.
func (s *sight) readIDs(ctx context.Context, ids []int64) error {
	var named []int64
	for _, id := range ids {
		if id > 0 && id <= table.MaxID {
			named = append(named, id)
		}
	}
	s.takeOwn()
	reader := *s
	if len(named) > perBatch/2 { // the page shows some of these only, and then reads what is beside them
		reader.Along = nil
	}
	records, err := reader.get(ctx, named)
	if err != nil {
		return err
	}
	for id, change := range s.own {
		if change.gone() {
			delete(records, id)
		}
	}
	imports := map[int64]bool{}
	var entries []segment.Entry
	for id, record := range records {
		if visible, err := s.visible(ctx, record, imports); err != nil {
			return err
		} else if !visible {
			delete(records, id)
			continue
		}
		e, err := s.entry(id, record)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	s.records, s.view = records, segment.NewView(s.Shape, nil, entries)
	return nil
}

// visible tells whether a record may be shown: a record of an import may only when that is committed. It keeps in imports
// what it has asked.
func (ix Index) visible(ctx context.Context, record table.Attributes, imports map[int64]bool) (visible bool, err error) {
	if record[bulk.Waiting] == nil {
		return true, nil
	}
	im := record.Int(bulk.Import)
	visible, asked := imports[im]
	if !asked {
		visible, err = bulk.Visible(ctx, ix.Tenant, ix.Code, im)
		imports[im] = visible
	}
	return visible, err
}

// get gets records by their ids. Those that no longer exist are not in the result. Those that this instance has changed are
// as it has left them.
func (s *sight) get(ctx context.Context, ids []int64) (map[int64]table.Attributes, error) {
	records, err := s.lookUp(ctx, ids)
	if err != nil || s.again {
		return records, err
	}
	var old []int64
	for _, id := range ids {
		if s.isOld(id, records[id]) {
			old = append(old, id)
		}
	}
	if len(old) > 0 {
		now := *s
		now.again = true
		found, err := now.fetch(ctx, old)
		if err != nil {
			return nil, err
		}
		for _, id := range old { // what another instance has deleted since is not there
			delete(records, id)
		}
		maps.Copy(records, found)
	}
	return records, nil
}

func (s *sight) lookUp(ctx context.Context, ids []int64) (found map[int64]table.Attributes, err error) {
	if s.records == nil {
		low, high := ends(ids)
		if len(ids) <= perBatch || high-low >= dense*int64(len(ids)) {
			return s.fetch(ctx, ids)
		}
		found = make(map[int64]table.Attributes, len(ids))
		err = s.readRange(ctx, listing.Range{From: low, To: high}, func(id int64, record table.Attributes) error {
			found[id] = record
			return nil
		})
	} else {
		found = s.records
	}
	if err == nil && s.Along != nil {
		err = s.Along.Read(ctx, s.Tenant, ids)
	}
	return found, err
}

// ends are the smallest and the largest of some ids.
func ends(ids []int64) (low, high int64) {
	if len(ids) == 0 {
		return 0, 0
	}
	return slices.Min(ids), slices.Max(ids)
}

// fetch gets records by their ids, and what is shown beside them.
func (s *sight) fetch(ctx context.Context, ids []int64) (map[int64]table.Attributes, error) {
	keys := s.Along.keys(ids)
	for _, id := range ids {
		keys = append(keys, s.Tenant.Record(s.Code, id))
	}
	found, of := make(map[int64]table.Attributes, len(ids)), s.Tenant.Records(s.Code)
	err := readItems(ctx, s.Tenant, keys, s.again, func(k table.Key, item table.Attributes) error {
		if k.PK != of {
			return s.Along.take(k, item)
		}
		id, err := table.ParseSortID(k.SK)
		found[id] = item
		return err
	})
	return found, err
}

// rows calls each with every row of an answer and its id.
func rows(ctx context.Context, it dynamo.Iter, each func(id int64, row table.Attributes) error) error {
	var row table.Attributes
	for it.Next(ctx, &row) {
		id, err := table.ParseSortID(row.Text("sk"))
		if err == nil {
			err = each(id, row)
		}
		if err != nil {
			return err
		}
	}
	return it.Err()
}
