package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	// late is how far before the last mark a merge looks for entries that came late to the index, and deepEvery how often
	// one does.
	late      = time.Hour
	deepEvery = 15 * time.Minute
	// maxSegments is how many generations a kind has at most, and ratio by how many times an older one must have more rows
	// than what is newer, so that it is left alone.
	maxSegments = 6
	ratio       = 4
	// garbageFor is how long a file stays when no manifest needs it any more: longer than any request works with it.
	garbageFor = time.Hour
	// mostDeletes is how many files are deleted before a manifest is put, so that this never takes all of an invocation's time.
	mostDeletes = 50
	// settleFor is how long a range of an import stays when segments have its records: longer than a read of the listing
	// lags behind.
	settleFor = 10 * time.Second
	// mostMerged is how many changes one merge takes in. If there are more, because nobody has merged for long, making the segments anew
	// takes less memory, as it goes in portions.
	mostMerged = 200_000
	// askAgain is how long others wait at least that leave a kind to a merge; on AWS, until the next sweep of the outbox.
	askAgain = 5 * time.Second
	// mostForgotten is how many files are deleted of those that a manifest named which no merge has written.
	mostForgotten = 1000
	// mostRanges is how many ranges are settled, or removed, at a time, because that is one transaction.
	mostRanges = 80
)

// BusyFor is how long others leave a kind to a merge that stores files, counted from when it named its last file. An invocation of pack
// must not take longer.
const BusyFor = 30 * time.Second

// Merger makes segments. The function pack has one, and the operator's command rebuild.
type Merger struct {
	// Lost, if set, is told why segments of a kind are made anew: some are missing or broken, or no merge has written their manifest.
	// That has a cause outside of merges, such as a missing right, which making them anew does not mend.
	Lost func(company tenant.ID, kind kinds.Code, why error)

	table  *table.Conn
	files  *files.Store
	memory *Memory
	now    func() time.Time
	newID  func() uuid.UUID
	kinds  map[kinds.Code]Kind

	portion int // how many records a rebuild reads before it stores what it has
	readFor time.Duration
	most    int   // how many changes a merge takes in; above, the records are read
	rows    int64 // how many rows a file has at most
}

// NewMerger returns a Merger of some kinds. It keeps up to most bytes of segments in memory.
func NewMerger(c *table.Conn, f *files.Store, now func() time.Time, newID func() uuid.UUID, most int64, list ...Kind) *Merger {
	m := &Merger{
		table: c, files: f, memory: NewMemory(f, now, most), now: now, newID: newID, kinds: map[kinds.Code]Kind{}, portion: portion,
		readFor: readFor,
		most:    mostMerged, rows: mostRows,
	}
	m.memory.quiet = true
	for _, k := range list {
		m.kinds[k.Code] = k
	}
	return m
}

var (
	// errBusy says that another merge was faster.
	errBusy = errors.New("search: another merge was faster")
	// errUnsound says that no merge can have written a manifest.
	errUnsound = errors.New("search: a manifest that no merge has written")
)

// Merge brings the segments of a kind up to date: it makes them where there are none, and anew where the manifest is of
// another shape or, with check, where one is broken. It may be interrupted at any point, run twice at the same time, and
// repeated. If there is more to do, the error is outbox.Later.
func (m *Merger) Merge(ctx context.Context, t *table.Tenant, kind kinds.Code, check bool) error {
	r, err := m.begin(ctx, t, kind)
	if err != nil {
		return err
	}
	err = r.merge(ctx, check)
	if errors.Is(err, errBusy) {
		return outbox.Later{Until: m.now().Add(time.Second)}
	}
	return err
}

// begin prepares a merge of a kind, with the columns, the listing and the manifest that it has now.
func (m *Merger) begin(ctx context.Context, t *table.Tenant, kind kinds.Code) (*run, error) {
	r, err := m.of(ctx, t, kind)
	if err != nil {
		return nil, err
	}
	err = r.list(ctx)
	r.is = manifestOf(r.parts.Manifest)
	return r, err
}

// of returns a run of a kind with the columns that it has now, which has read no more than that.
func (m *Merger) of(ctx context.Context, t *table.Tenant, kind kinds.Code) (*run, error) {
	k, known := m.kinds[kind]
	if !known {
		return nil, fmt.Errorf("search: nobody searches %q", kind)
	}
	columns, err := defined(ctx, t, kind)
	if err != nil {
		return nil, err
	}
	return &run{Merger: m, Index: Index{
		Kind: k.with(columns), Tenant: t, Listing: listing.Of(t, kind, nil), Memory: m.memory, Now: m.now,
	}, planned: map[uuid.UUID]bool{}}, nil
}

// run is one merge.
type run struct {
	*Merger
	Index
	parts listing.Parts
	is    *manifest // as it was read, or was written last; nil if there is none
	// planned are the files that this merge stores. It does not condemn them, however long it takes.
	planned map[uuid.UUID]bool
}

// list reads the listing of the kind.
func (r *run) list(ctx context.Context) (err error) {
	r.parts, err = r.Listing.Split(ctx, true, func(int) int { return 1 })
	return err
}

// fits tells whether segments with these fingerprints have the columns that the kind has now.
func (r *run) fits(shape, custom uint32) bool {
	return shape == r.fingerprint() && custom == r.customs()
}

// sight reads consistently what has to be in segments.
func (r *run) sight() *sight { return &sight{Index: r.Index, again: true} }

func (r *run) merge(ctx context.Context, check bool) (err error) {
	switch {
	case r.is != nil && r.is.isBusy(r.Now()):
		return outbox.Later{Until: r.Now().Add(askAgain)}
	case r.is != nil && !r.is.isSound(r.Now()):
		return r.forget(ctx)
	case r.is == nil && r.parts.Count <= Small:
		return r.release(ctx, func(listing.Committed) bool { return true }) // searches read all records
	case r.is == nil || r.is.Rebuild != nil || !r.is.Built || !r.fits(r.is.Shape, r.is.Custom):
		return r.rebuild(ctx)
	}
	if check {
		r.Memory.drop(r.key())
		for _, s := range r.is.Segments {
			if _, err := r.Memory.segment(ctx, r.key(), s); err != nil {
				return r.orRebuild(ctx, err)
			}
		}
	}
	more, err := r.addAll(ctx)
	if err := r.orRebuild(ctx, err); err != nil {
		return err
	}
	now := r.Now()
	err = r.release(ctx, func(c listing.Committed) bool {
		return r.is.settles(c.Settled) && now.Sub(time.UnixMicro(c.At)) >= settleFor
	})
	switch {
	case more && errors.As(err, new(outbox.Later)):
		return outbox.Later{Until: now.Add(time.Second)}
	case err == nil && r.is.Sure > 0: // what came late to the index is to be merged
		return outbox.Later{Until: time.UnixMicro(r.is.Mark).Add(MarkAge + time.Second)}
	}
	return err
}

// addAll puts what has changed since the mark into segments, and the ranges of imports, some at a time, for as long as there is time.
// more tells that there was none for some ranges.
func (r *run) addAll(ctx context.Context) (more bool, err error) {
	for {
		begun := time.Now() //nolint:forbidigo // the deadline is of the real clock
		if more, err = r.add(ctx); err != nil || !more || !hasTime(ctx, begun) {
			return more, err
		}
		if err := r.list(ctx); err != nil {
			return more, err
		}
	}
}

// hasTime tells whether an invocation has the time for another portion of its work, if the last one began at a time.
func hasTime(ctx context.Context, begun time.Time) bool {
	enough := max(forPortion, 2*time.Since(begun)) //nolint:forbidigo // the deadline is of the real clock
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) >= enough //nolint:forbidigo // see above
}

// add puts what has changed since the mark into segments, and some ranges of imports. more tells that there are more of these.
func (r *run) add(ctx context.Context) (more bool, err error) {
	now := r.Now()
	next, sure := *r.is, r.is.sure()
	next.Sure = max(sure, now.Add(-MarkAge).UnixMicro())
	next.Mark = max(r.is.Mark, next.Sure)
	after := sure
	if now.Sub(time.UnixMicro(r.is.Deep)) >= deepEvery {
		after, next.Deep = r.is.Deep-late.Microseconds(), next.Sure
	}
	entries, err := r.sight().changes(ctx, after, r.most+1)
	// So much was written within an hour that late entries are not looked for: those before the mark were merged already.
	if err == nil && len(entries) > r.most && after < sure {
		entries, err = r.sight().changes(ctx, sure, r.most+1)
	}
	if err != nil {
		return false, err
	}
	if len(entries) > r.most {
		return false, r.rebuild(ctx)
	}
	if waiting(entries, next.Mark) > crowd {
		next.Mark = max(next.Mark, now.Add(-soonAge).UnixMicro())
	}
	if next.Mark == next.Sure {
		next.Sure = 0
	}
	sought, settled, more, err := r.settling(ctx, r.most-len(entries))
	if err != nil {
		return false, err
	}
	entries = append(entries, sought...)
	if len(entries) > 0 {
		from := compact(r.is.Segments, int64(len(entries)), r.rows)
		made, err := r.store(ctx, r.is.Segments[from:], entries, from == 0)
		if err != nil {
			return false, err
		}
		next.Revision, next.Garbage = r.is.Revision, r.is.Garbage // storing has planned the files
		next.discard(now, r.is.Segments[from:]...)
		next.Segments = slices.Concat(r.is.Segments[:from], made)
	}
	return more, r.put(ctx, next, settled)
}

// settling reads the records of imports that no segment has yet: of one range, and of more for which it has the time, up to about most
// records. more tells that some are left.
func (r *run) settling(ctx context.Context, most int) (entries []segment.Entry, settled []listing.Committed, more bool, err error) {
	s, begun := r.sight(), time.Now() //nolint:forbidigo // what passes is time of the real clock
	for _, c := range r.parts.Committed {
		if r.is.settles(c.Settled) {
			continue
		}
		full := len(settled) == mostRanges || len(entries) >= most || time.Since(begun) > r.readFor //nolint:forbidigo // see above
		if full && len(settled) > 0 {
			return entries, settled, true, nil
		}
		settled = append(settled, c)
		err := s.readRange(ctx, c.Range, func(id int64, record table.Attributes) error {
			e, err := s.entry(id, record)
			entries = append(entries, e)
			return err
		})
		if err != nil {
			return nil, nil, false, err
		}
	}
	return entries, settled, false, nil
}

// put writes a manifest in the place of the one that was read, and tells the ranges that its segments now have.
func (r *run) put(ctx context.Context, next manifest, settled []listing.Committed) error {
	next.Busy = 0
	return r.write(ctx, next, settled)
}

// plan tells that a file may be there from now on, and that others are to wait until it is.
func (r *run) plan(ctx context.Context, id uuid.UUID) error {
	r.planned[id] = true
	next := *r.is
	next.Garbage = append(next.Garbage[:len(next.Garbage):len(next.Garbage)], garbage{ID: id, At: r.Now().UnixMicro()})
	next.Busy = r.Now().Add(BusyFor).UnixMicro()
	return r.write(ctx, next, nil)
}

func (r *run) write(ctx context.Context, next manifest, settled []listing.Committed) error {
	next.Item = table.At(r.Tenant.Manifest(r.Code), manifestVersion)
	before := next.Revision
	if next.Revision = before + 1; before < 0 || before >= mostRevision-1 { // no merge has written the one before
		next.Revision = 1
	}
	next.sign(r.newID())
	if len(settled) > 0 {
		next.Settled = next.Revision
	}
	next.Garbage = r.collected(ctx, next)
	at := r.Now().UnixMicro()
	err := r.Tenant.Write(ctx, func(tx *table.Tx, _ int) error {
		if r.is == nil {
			tx.Put(r.Tenant.Create(next), errBusy)
		} else {
			tx.Put(r.Tenant.Put(next).If("'n' = ?", before), errBusy)
		}
		for _, c := range settled {
			r.Listing.Settle(tx, c, next.Revision, at)
		}
		return nil
	})
	if table.Unavailable(err) || errors.Is(err, errBusy) { // the answer to the transaction may have been lost
		var found manifest
		if r.Tenant.Get(ctx, next.Key(), &found) == nil && bytes.Equal(found.last(), next.last()) {
			err = nil
		}
	}
	if err == nil {
		r.is = &next
	}
	return err
}

// collected removes the files that an earlier revision has condemned, condemns those that no manifest has needed for some time, and
// returns what is left. No merge can come to use a condemned file, because each depends on the revision that it has read; without that
// step, a merge that stalls could delete what another one has made. A file of which the removal fails is tried again by a later merge.
func (r *run) collected(ctx context.Context, next manifest) (left []garbage) {
	used := map[uuid.UUID]bool{}
	for _, s := range next.Segments {
		used[s.ID] = true
	}
	if next.Rebuild != nil {
		for _, s := range next.Rebuild.Segments {
			used[s.ID] = true
		}
	}
	deletes := mostDeletes
	for _, g := range next.Garbage {
		if used[g.ID] {
			continue // it was planned, and is needed now
		}
		if g.Condemned && deletes > 0 {
			if deletes--; r.files.DeleteSegment(ctx, r.Tenant.ID(), r.Code, g.ID) == nil {
				continue
			}
		}
		g.Condemned = g.Condemned || !r.planned[g.ID] && r.Now().Sub(time.UnixMicro(g.At)) >= garbageFor
		left = append(left, g)
	}
	return left
}

// release removes ranges of imports that nobody needs any more. If some are left, the error is outbox.Later.
func (r *run) release(ctx context.Context, may func(c listing.Committed) bool) error {
	var gone []listing.Committed
	left := false
	for _, c := range r.parts.Committed {
		if may(c) && len(gone) < mostRanges {
			gone = append(gone, c)
		} else {
			left = true
		}
	}
	if len(gone) > 0 {
		err := r.Tenant.Write(ctx, func(tx *table.Tx, _ int) error {
			for _, c := range gone {
				r.Listing.Show(tx, c.Range)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	switch {
	case left && len(gone) == mostRanges:
		return outbox.Later{Until: r.Now().Add(time.Second)}
	case left:
		return outbox.Later{Until: r.Now().Add(settleFor + time.Second)}
	}
	return nil
}
