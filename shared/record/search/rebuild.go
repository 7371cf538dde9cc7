package search

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// portion is how many records a rebuild reads at a time, and readFor how long, as a merge the records of imports: where the table is
	// slow, each invocation gets on with fewer records.
	portion = 40_000
	readFor = 8 * time.Second
	// forPortion is how much time there has to be at least for another portion, and twice what the last one has taken: with less left
	// of its invocation, the worker has it go on in another one.
	forPortion = 8 * time.Second
)

// rebuild makes the segments anew from the records, a portion at a time. What is written meanwhile is an entry after the mark of the
// rebuild; so the next merge finds it. Until the rebuild has ended, searches go on with what there was.
func (r *run) rebuild(ctx context.Context) error {
	for {
		begun := time.Now() //nolint:forbidigo // the deadline is of the real clock
		var next manifest
		if r.is != nil {
			next = *r.is
		}
		if next.Rebuild == nil || !r.fits(next.Rebuild.Shape, next.Rebuild.Custom) {
			if next.Rebuild != nil {
				next.discard(r.Now(), next.Rebuild.Segments...)
			}
			next.Rebuild = &rebuild{Next: 1, Mark: r.Now().Add(-MarkAge).UnixMicro(), Shape: r.fingerprint(), Custom: r.customs()}
			if err := r.put(ctx, next, nil); err != nil {
				return err
			}
			next = *r.is
		}
		at := *next.Rebuild
		entries, last, err := r.read(ctx, at.Next)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			from := compact(at.Segments, int64(len(entries)), r.rows)
			made, err := r.store(ctx, at.Segments[from:], entries, from == 0)
			if errors.Is(err, errBroken) {
				r.tell(err)
				return r.restart(ctx)
			}
			if err != nil {
				return err
			}
			next.Revision, next.Garbage = r.is.Revision, r.is.Garbage // storing has planned the files
			next.discard(r.Now(), at.Segments[from:]...)
			at.Segments = append(at.Segments[:from:from], made...)
		}
		if at.Next = last + 1; last < table.MaxID {
			next.Rebuild = &at
		} else {
			next.discard(r.Now(), next.Segments...)
			next.Segments, next.Mark, next.Deep, next.Sure, next.Built, next.Rebuild = at.Segments, at.Mark, at.Mark, 0, true, nil
			next.Shape, next.Custom = at.Shape, at.Custom
		}
		if err := r.put(ctx, next, nil); err != nil {
			return err
		}
		if next.Rebuild == nil {
			return outbox.Later{Until: r.Now().Add(time.Second)} // what was written meanwhile is to be merged
		}
		if !hasTime(ctx, begun) {
			return outbox.Later{Until: r.Now().Add(time.Second)}
		}
	}
}

// restart lets the next merge begin a rebuild anew whose segments are broken.
func (r *run) restart(ctx context.Context) error {
	next := *r.is
	next.discard(r.Now(), next.Rebuild.Segments...)
	next.Rebuild = nil
	next.Shape = 0 // so that it does
	if err := r.put(ctx, next, nil); err != nil {
		return err
	}
	return outbox.Later{Until: r.Now().Add(time.Second)}
}

// forget makes everything anew from a manifest that no merge has written. Its files are not believed, nor are they left to lie.
func (r *run) forget(ctx context.Context) error {
	r.tell(errUnsound)
	next := *r.is
	next.discard(r.Now(), next.Segments...)
	if next.Rebuild != nil {
		next.discard(r.Now(), next.Rebuild.Segments...)
	}
	next.Garbage = next.Garbage[:min(len(next.Garbage), mostForgotten)]
	next.Segments, next.Rebuild, next.Built = nil, nil, false
	if err := r.put(ctx, next, nil); err != nil {
		return err
	}
	return r.rebuild(ctx)
}

// orRebuild makes everything anew if a segment is broken.
func (r *run) orRebuild(ctx context.Context, err error) error {
	if errors.Is(err, errBroken) {
		r.tell(err)
		return r.rebuild(ctx)
	}
	return err
}

func (r *run) tell(why error) {
	if r.Lost != nil {
		r.Lost(r.Tenant.ID(), r.Code, why)
	}
}

// errSlow ends the reading of a portion.
var errSlow = errors.New("search: reading takes long")

// read reads some records from an id on, and returns the last id that it has read: table.MaxID if there are no more.
func (r *run) read(ctx context.Context, from int64) (entries []segment.Entry, last int64, err error) {
	it := r.Tenant.Table().Get("pk", r.Tenant.Records(r.Code)).
		Range("sk", dynamo.Between, table.SortID(from), table.SortID(table.MaxID)).Consistent(true).Limit(r.portion).Iter()
	n, imports, begun := 0, map[int64]bool{}, time.Now() //nolint:forbidigo // what passes is time of the real clock
	err = rows(ctx, it, func(id int64, record table.Attributes) error {
		if n > 0 && time.Since(begun) > r.readFor { //nolint:forbidigo // see above
			return errSlow
		}
		n, last = n+1, id
		if visible, err := r.visible(ctx, record, imports); err != nil || !visible {
			return err
		}
		values, err := r.Values(record) // what the record itself says, whatever its entry does
		e := segment.Entry{ID: id, Changed: record.Int("m"), Values: values}
		entries = append(entries, e)
		return err
	})
	switch {
	case errors.Is(err, errSlow):
		return entries, last, nil
	case n < r.portion:
		last = table.MaxID
	}
	return entries, last, err
}
