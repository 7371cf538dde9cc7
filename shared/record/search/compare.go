package search

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
)

// Difference tells in which records what the search knows differs from what is stored. Ids ascend.
type Difference struct {
	Records  int     // how many were compared
	Built    bool    // false if there are no segments yet: then a search reads the records, and nothing can differ
	Segments int     // how many segments there are
	Lacking  []int64 // records that no search finds
	Other    []int64 // records that searches know with other values
	Ghosts   []int64 // ids that searches find, though there is no such record
}

// Any tells whether anything differs.
func (d Difference) Any() bool { return len(d.Lacking)+len(d.Other)+len(d.Ghosts) > 0 }

// Kinds returns the kinds that the Merger knows, in the order of their codes.
func (m *Merger) Kinds() (list []kinds.Code) {
	for code := range m.kinds {
		list = append(list, code)
	}
	slices.Sort(list)
	return list
}

// Compare reads all records of a kind, and what the search knows of them. What is written while it reads, or was
// written shortly before, is left out. It keeps all entries of the kind in memory, or those of one range at a time if they are streamed. A
// broken segment is an error; Anew mends it.
func (m *Merger) Compare(ctx context.Context, t *table.Tenant, kind kinds.Code) (d Difference, err error) {
	r, err := m.of(ctx, t, kind)
	if err != nil {
		return d, err
	}
	begun := m.now().Add(-MarkAge).UnixMicro()
	s := r.sight()
	now, err := s.afresh(ctx, true)
	if err != nil || now.manifest == nil {
		return d, err
	}
	if err := s.readSegments(ctx, Query{}); err != nil {
		return d, err
	}
	d.Built, d.Segments = true, len(now.Segments)
	known := map[int64]segment.Entry{} // what was not found among the records; of one range of ids it is all for a while
	err = s.views(ctx, func(v *segment.View, ids segment.Span) error {
		for row := range v.Each(Query{}) {
			known[row.ID()] = row.Entry()
		}
		r := listing.Range{From: max(ids.Low, 1), To: min(ids.High, table.MaxID)}
		if r.From > r.To {
			return nil
		}
		return s.readRange(ctx, r, func(id int64, record table.Attributes) error {
			e, isKnown := known[id]
			delete(known, id)
			if now.parts.Pending(id) || record.Int("m") > begun {
				return nil
			}
			d.Records++
			values, err := s.Values(record)
			switch {
			case err != nil:
				return err
			case !isKnown:
				d.Lacking = append(d.Lacking, id)
			case !alike(s.Shape, e.Values, values):
				d.Other = append(d.Other, id)
			}
			return nil
		})
	})
	if err != nil {
		return d, err
	}
	meanwhile, err := s.changes(ctx, begun, math.MaxInt)
	for _, e := range meanwhile {
		delete(known, e.ID)
	}
	d.Ghosts = slices.Sorted(maps.Keys(known))
	return d, err
}

// alike tells whether values are the same in the text and in all columns of a shape. Columns of custom fields are left out: they
// are made of what both have.
func alike(shape segment.Shape, a, b Values) bool {
	if a.Name != b.Name || a.More != b.More {
		return false
	}
	for _, c := range shape {
		n, isNumber := a.Numbers[c.Letter]
		m, wasNumber := b.Numbers[c.Letter]
		if n != m || isNumber != wasNumber || a.Texts[c.Letter] != b.Texts[c.Letter] {
			return false
		}
	}
	return true
}

// mostAfter is how many merges Anew goes on for when it has made the segments: enough for what was written and imported before that.
const mostAfter = 5

// Anew makes the segments of a kind anew from its records, whatever they are. Searches go on meanwhile with what there is.
// pause waits until a time at which there is more to do; its error ends the work, which a later merge takes up again. Afterwards it merges
// what was written meanwhile, unless others write all the time.
func (m *Merger) Anew(ctx context.Context, t *table.Tenant, kind kinds.Code, pause func(until time.Time) error) error {
	err := m.outdate(ctx, t, kind)
	for errors.Is(err, errBusy) {
		if err := pause(m.now().Add(time.Second)); err != nil {
			return err
		}
		err = m.outdate(ctx, t, kind)
	}
	if err != nil {
		return err
	}
	for left := mostAfter; ; {
		err := m.Merge(ctx, t, kind, false)
		var later outbox.Later
		if !errors.As(err, &later) {
			return err
		}
		made, err := m.isMade(ctx, t, kind)
		if made {
			left--
		}
		if err != nil || left == 0 {
			return err
		}
		if err := pause(later.Until); err != nil {
			return err
		}
	}
}

// isMade tells whether there is no rebuild to go on with. Merges may have more to do, for as long as others write.
func (m *Merger) isMade(ctx context.Context, t *table.Tenant, kind kinds.Code) (bool, error) {
	r, err := m.begin(ctx, t, kind)
	return err == nil && r.is != nil && r.is.Built && r.is.Rebuild == nil && r.fits(r.is.Shape, r.is.Custom), err
}

// outdate has the next merge make the segments of a kind anew.
func (m *Merger) outdate(ctx context.Context, t *table.Tenant, kind kinds.Code) error {
	r, err := m.begin(ctx, t, kind)
	if err != nil || r.is == nil {
		return err
	}
	next := *r.is
	if next.Rebuild != nil {
		next.discard(m.now(), next.Rebuild.Segments...)
		next.Rebuild = nil
	}
	next.Shape = 0 // no kind has this fingerprint, so the next merge rebuilds
	return r.put(ctx, next, nil)
}
