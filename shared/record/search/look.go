package search

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
)

const (
	// Small is how many live records a kind may have and still be searched without segments: then its records are read.
	Small = 200
	// fromTable is how many records a search reads where segments are missing. Above, it has to wait for them.
	fromTable = 10_000
	// mostImported is how many records of imports a search reads while no segment has them. It is more than fromTable, because a
	// merge takes them in within seconds.
	mostImported = 50_000
	// mostChanges is how many changes a search reads before it asks for a merge.
	mostChanges = 300
	// mergeEvery is how much older than a fresh one a mark has to be: a company that writes more than mostChanges within MarkAge
	// always has so many after its mark, and another merge would not help.
	mergeEvery = 30 * time.Second
	// crowd is more changes than a search is to read again and again. Where so many come after a mark, a merge moves it up to soonAge
	// behind, and searches ask for that as soon as it helps. soonAge is longer than nearly any write takes to be in the index, and no
	// longer than an instance remembers its own.
	crowd   = 1000
	soonAge = ownFor
	// maxChanges is how many changes a search reads at most. Above, it has to wait for a merge.
	maxChanges = 50_000
)

// ErrPreparing says that a search has to wait for segments. Asking again a little later helps.
var ErrPreparing = (&fault.Error{
	Code: fault.Unavailable, Detail: say.SearchPreparing, RetryAfter: 5 * time.Second,
}).With("code", "search_preparing")

// sight is what one request sees of a kind.
type sight struct {
	Index
	view    *segment.View // all that is searched; nil if it has to be streamed
	files   []stored      // what is streamed, with entries
	entries []segment.Entry
	own     map[int64]Indexed          // the latest changes of this instance
	records map[int64]table.Attributes // the records themselves, where they were read; otherwise nil
	again   bool                       // this is the second look of a request: records are read consistently
}

// look reads everything that a query is answered from, and calls find, which finds what matches. It calls that again if a segment can't
// be read only then, because they are streamed.
func (ix Index) look(ctx context.Context, q Query, again bool, find func(s *sight) error) (*sight, error) {
	ix.Kind = ix.with(asked(q))
	s := &sight{Index: ix, again: again}
	then := func(err error) error {
		if err == nil {
			err = find(s)
		}
		return err
	}
	if ids, named := namedIDs(q); named {
		return s, then(s.readIDs(ctx, ids))
	}
	if err := allowance.Draw(ctx); err != nil {
		return nil, err
	}
	if ix.Memory == nil {
		return s, then(s.readAll(ctx, nil))
	}
	err := then(s.readSegments(ctx, q))
	if errors.Is(err, errBroken) { // the manifest may have changed since it was read, or what this instance keeps of it is old
		ix.Memory.drop(ix.key())
		if err = then(s.readSegments(ctx, q)); errors.Is(err, errBroken) {
			if err := ix.ask(ctx, true); err != nil {
				return nil, err
			}
			err = then(s.readAll(ctx, nil))
		}
	}
	if errors.Is(err, errUnread) && ctx.Err() == nil { // few records are searched without the bucket
		unread := err
		if err = then(s.readAll(ctx, nil)); errors.Is(err, ErrPreparing) {
			err = fmt.Errorf("%w: %w", fault.ErrUnavailable, unread)
		}
	}
	return s, err
}

func (ix Index) key() kindKey { return kindKey{ix.Tenant.ID(), ix.Code} }

// readSegments looks through the segments and what has changed since. Where there are no segments, it reads records.
func (s *sight) readSegments(ctx context.Context, q Query) error {
	now, err := s.current(ctx)
	if err != nil {
		return err
	}
	if now.manifest == nil {
		if now.parts.Count > Small {
			_ = s.ask(ctx, false) // the records can be read all the same, and a search a little later asks again
		}
		return s.readAll(ctx, &now.parts)
	}
	var segments []*segment.Segment
	kept := sizeOf(now.Segments) <= s.Memory.kept.most/heldPart
	if kept {
		if segments, err = s.Memory.open(ctx, s.key(), now.Segments); err != nil {
			return err
		}
	}
	entries, err := s.readRanges(ctx, now)
	if err != nil {
		return err
	}
	var set *segment.Set
	if kept {
		set = s.Memory.together(s.key(), now.manifest, segments)
	} else {
		s.Memory.hold(s.key(), now.manifest)
	}
	entries = append(entries, now.entries...)
	s.takeOwn()
	own, err := s.ownEntries(ctx)
	if err != nil {
		return err
	}
	known, err := s.prepare(ctx, set, now.Segments, append(entries, own...), q)
	if err != nil {
		return err
	}
	behind := s.Now().Sub(time.UnixMicro(now.Mark))
	late := len(now.entries) > mostChanges && behind > MarkAge+mergeEvery || len(now.entries) > crowd && behind > 2*soonAge
	if late || !known || now.Shape != s.fingerprint() && s.inTurn() {
		err = s.ask(ctx, false)
	}
	switch {
	case known: // whether a merge could be asked for is not this caller's concern: the next search asks again
		return nil
	case err != nil:
		return err
	}
	return ErrPreparing
}

// turns is in how many searches one asks for segments with the columns of a new release where it does without them. Of a thousand
// companies that are searched twenty times a second in all, one asks each second. In an hour it is 97 of a hundred if all are searched
// alike, those that are searched most first; until then the old segments answer.
const turns = 20

// inTurn tells whether this search is the one that asks.
func (s *sight) inTurn() bool {
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, s.Tenant.ID(), s.Code, s.Now().UnixNano()) // a hash takes everything
	return h.Sum32()%turns == 0
}

// ownEntries are the latest changes of this instance, as entries.
func (s *sight) ownEntries(ctx context.Context) (entries []segment.Entry, err error) {
	var unknown []int
	for id, change := range s.own {
		e, known := s.unpack(id, change.Changed, change.X)
		if !known {
			unknown = append(unknown, len(entries))
		}
		entries = append(entries, e)
	}
	return entries, s.reread(ctx, entries, unknown)
}

// takeOwn takes the latest changes of this instance, of each record the last.
func (s *sight) takeOwn() {
	s.own = map[int64]Indexed{}
	for _, o := range s.Memory.written(s.key()) {
		if o.entry.Changed >= s.own[o.id].Changed {
			s.own[o.id] = o.entry
		}
	}
}

// state is what the table says about the search of a kind.
type state struct {
	*manifest               // nil if there are no segments
	parts     listing.Parts // only its Tail is certain to be there
	entries   []segment.Entry
}

// current reads the state. An instance goes on with the manifest that it has as long as few changes have come since, and the
// latest one follows it: so it reads the changes beside the rest, and loads a segment less
// often than segments are made.
func (s *sight) current(ctx context.Context) (state, error) {
	has := s.Memory.held(s.key())
	if has == nil {
		return s.afresh(ctx, s.again)
	}
	now := state{manifest: has}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		now.parts.Tail, err = s.Listing.Tail(gctx)
		return err
	})
	g.Go(func() (err error) {
		now.entries, err = s.changes(gctx, has.Mark, mostChanges+1)
		return err
	})
	if err := g.Wait(); err != nil {
		return state{}, err
	}
	latest, err := s.readable(now.parts.Manifest)
	switch {
	case err != nil:
		return state{}, err
	case latest == nil || !latest.Built || latest.Revision < has.Revision: // the read was stale, or the table was restored
		s.Memory.hold(s.key(), nil)
		return s.afresh(ctx, true)
	case latest.follows(has) && len(now.entries) <= mostChanges:
		return now, nil
	}
	now.manifest = latest
	now.entries, err = s.since(ctx, latest)
	return now, err
}

// afresh reads the state without a manifest that the instance has.
func (s *sight) afresh(ctx context.Context, consistent bool) (now state, err error) {
	if now.parts, err = s.Listing.Split(ctx, consistent, inCalls); err != nil {
		return state{}, err
	}
	is, err := s.readable(now.parts.Manifest)
	if err != nil || is == nil || !is.Built {
		return now, err
	}
	now.manifest = is
	now.entries, err = s.since(ctx, is)
	return now, err
}

// readable reads a manifest that is to be searched by.
func (s *sight) readable(item table.Attributes) (*manifest, error) {
	m := manifestOf(item)
	if m != nil && !m.isSound(s.Now()) {
		return nil, errBroken
	}
	return m, nil
}

// since reads the changes since the mark of a manifest.
func (s *sight) since(ctx context.Context, is *manifest) ([]segment.Entry, error) {
	entries, err := s.changes(ctx, is.Mark, maxChanges+1)
	if err == nil && len(entries) > maxChanges {
		if err := s.ask(ctx, false); err != nil {
			return nil, err
		}
		return nil, ErrPreparing
	}
	return entries, err
}

// MergeMessage is the kind of the messages that ask for a merge. Their key is the kind of the records.
const MergeMessage outbox.Kind = "search.merge"

// CheckSign stands after the key if the segments have to be checked.
const CheckSign = "!"

// ask leaves a message that the kind is to be merged, or checked too.
func (ix Index) ask(ctx context.Context, check bool) error {
	if ix.Silent || !ix.Memory.mayAsk(ix.key()) {
		return nil
	}
	return Ask(ctx, ix.Tenant, ix.Code, check, ix.Now())
}

// Ask leaves a message that the segments of a kind are to be merged with the changes since; with check, each segment is read, and
// all are made anew if one is broken. Only one such message waits for each kind.
func Ask(ctx context.Context, t *table.Tenant, kind kinds.Code, check bool, now time.Time) error {
	return t.Write(ctx, func(tx *table.Tx, _ int) error {
		outbox.Arm(tx, t, Merging(t, kind, check, now))
		return nil
	})
}

// Merging is the message that Ask leaves.
func Merging(t *table.Tenant, kind kinds.Code, check bool, now time.Time) outbox.Message {
	key := string(kind)
	if check {
		key += CheckSign
	}
	return outbox.NewKeyed(t.Message, MergeMessage, key, now)
}
