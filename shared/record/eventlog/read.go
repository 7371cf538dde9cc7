package eventlog

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/table"
)

// Entry is an event with its number.
type Entry struct {
	Number int64
	stored
}

// What may be wrong with a number to read on from.
var (
	// ErrExpired says that events after the number are not kept any more.
	ErrExpired = errors.New("eventlog: events after it have expired")
	// ErrAhead says that no event has the number yet.
	ErrAhead = errors.New("eventlog: no event has the number")
)

const (
	enough     = 500     // events; a read ends with the page that has this one
	enoughData = 2 << 20 // bytes of data, likewise: an answer of the API has 5 MB at most
	atATime    = 100     // pages that a call reads; fewer where fewer events are enough

	skew = time.Minute // by which two clocks differ at most
)

// Most is how many events one read returns at most: a page is never cut.
const Most = enough + maxEvents

// Read returns the events after a number, the oldest first, and the number of the last one to read on from; 0 is before the
// oldest event that is kept. It reads until it has enough, or no further page is visible yet.
func (l Log) Read(ctx context.Context, after int64) (entries []Entry, last int64, err error) {
	entries, last, _, err = l.read(ctx, after)
	return entries, last, err
}

// Ahead is Read for who reads on until there is nothing more: more tells that further events may be visible already.
func (l Log) Ahead(ctx context.Context, after int64) (entries []Entry, more bool, err error) {
	entries, _, more, err = l.read(ctx, after)
	return entries, more, err
}

func (l Log) read(ctx context.Context, after int64) (entries []Entry, last int64, more bool, err error) {
	last, more = after, true
	expired, size := false, 0
	most, pages := enough, atATime
	if l.enough > 0 {
		most, pages = l.enough, min(atATime, 1+l.enough/8)
	}
	// From a number on, a page that is not visible yet is a gap, where it stops. From the beginning it would not be one.
	q := l.pages(after+1, table.MaxID).Order(dynamo.Ascending).SearchLimit(pages).Consistent(after == 0 || l.consistent)
	for it := q.Iter(); len(entries) < most && size < enoughData; {
		var p page
		if !it.Next(ctx, &p) {
			rest, err := it.LastEvaluatedKey(ctx) // what a query of so many pages, or of 1 MB, has left
			if err = cmp.Or(it.Err(), err); err != nil {
				return nil, after, false, err
			}
			more = len(rest) > 0
			break
		}
		if l.isExpired(p) {
			expired = true
			continue
		}
		if p.First != last+1 && last != 0 {
			break
		}
		entries, last, size = append(entries, p.entries(p.First)...), p.end()-1, size+p.size()
	}
	switch {
	case len(entries) > 0 || after == 0:
		return entries, last, more, nil
	case expired:
		return nil, after, false, ErrExpired
	}
	entries, last, err = l.within(ctx, after)
	return entries, last, len(entries) > 0, err
}

// within returns the events after a number behind which no page was visible: the rest of its page, if it is within one, or a page that
// has come since. Who asks again and again has mostly read everything, and the head says so for one unit; it may be behind a page that has
// been read.
func (l Log) within(ctx context.Context, after int64) (entries []Entry, last int64, err error) {
	h, err := l.head(ctx)
	if err != nil || h.Next == after+1 {
		return nil, after, err
	}
	var found []page
	if err := l.pages(1, after+1).Order(dynamo.Descending).Limit(1).Consistent(true).All(ctx, &found); err != nil {
		return nil, after, err
	}
	if len(found) == 1 && found[0].end() > after {
		switch p := found[0]; {
		case p.end() == after+1:
			return nil, after, nil
		case l.isExpired(p):
			return nil, after, ErrExpired
		default:
			return p.entries(after + 1), p.end() - 1, nil
		}
	}
	if h.Next <= after {
		return nil, after, ErrAhead
	}
	return nil, after, ErrExpired
}

// pages asks for the pages that begin between two numbers, of which the first one is not larger.
func (l Log) pages(from, to int64) *dynamo.Query {
	return l.tenant.Table().Get("pk", l.tenant.EventLog()).Range("sk", dynamo.Between, table.SortID(from), table.SortID(to))
}

func (l Log) isExpired(p page) bool { return p.At < moment.Of(l.now().Add(-Visible)) }

// size is how many bytes of data the page has.
func (p page) size() (n int) {
	for _, s := range p.Events {
		n += len(s.Data)
	}
	return n
}

// entries are the events of the page from a number on.
func (p page) entries(from int64) []Entry {
	entries := make([]Entry, 0, p.end()-from)
	for n := from; n < p.end(); n++ {
		entries = append(entries, Entry{n, p.Events[n-p.First]})
	}
	return entries
}

// One returns the event with a number; ok is false if it is not kept.
func (l Log) One(ctx context.Context, number int64) (e Entry, ok bool, err error) {
	p, ok, err := l.nearest(ctx, number, dynamo.Descending)
	if err != nil || !ok || p.end() <= number {
		return e, false, err
	}
	return p.entries(number)[0], true, nil
}

// Before is the number before the first event that may have been made at a time or later: that of the first page which was made so much
// later at least as two clocks differ at most. Pages rise in time, so it is looked for by halves.
func (l Log) Before(ctx context.Context, t time.Time) (int64, error) {
	start, err := l.Start(ctx)
	if err != nil {
		return 0, err
	}
	end, err := l.End(ctx)
	if err != nil {
		return 0, err
	}
	since := moment.Of(t.Add(-skew))
	low, high := start+1, end+1 // pages that begin before low are too old, and one begins at high that isn't, or none does
	for low < high {
		middle := low + (high-low)/2
		p, ok, err := l.nearest(ctx, middle, dynamo.Descending)
		switch {
		case err != nil:
			return 0, err
		case !ok || p.First < low:
			low = middle + 1
		case p.At < since:
			low = p.end()
		default:
			high = p.First
		}
	}
	return high - 1, nil
}

// End is the number of the last event.
func (l Log) End(ctx context.Context) (int64, error) {
	h, err := l.head(ctx)
	return h.Next - 1, err
}

// Start is the number before the oldest event that can be read still. Pages that are too old stay until the table sweeps them, and there
// may be thousands: the first one that isn't is looked for by halves.
func (l Log) Start(ctx context.Context) (int64, error) {
	h, err := l.head(ctx)
	if err != nil {
		return 0, err
	}
	first, ok, err := l.nearest(ctx, h.Next-1, dynamo.Ascending)
	switch {
	case err != nil || !ok:
		return h.Next - 1, err
	case !l.isExpired(first):
		return first.First - 1, nil
	}
	gone, end := first.end()-1, h.Next
	for end-gone > 1 {
		middle := gone + (end-gone)/2
		p, ok, err := l.nearest(ctx, middle, dynamo.Descending)
		switch {
		case err != nil:
			return 0, err
		case ok && !l.isExpired(p):
			end = p.First
		default:
			gone = middle
		}
	}
	return end - 1, nil
}

// nearest returns the first or the last page that begins at a number or before it, also one that is too old to be read. ok is false if
// there is no such page.
func (l Log) nearest(ctx context.Context, to int64, order dynamo.Order) (p page, ok bool, err error) {
	if to < 1 {
		return p, false, nil
	}
	it := l.pages(1, to).Order(order).Consistent(true).Limit(1).Iter()
	ok = it.Next(ctx, &p)
	return p, ok, it.Err()
}

// Told returns events of other records that concern a record whose kind has a timeline, the newest first, at most some. They
// may lag a few seconds behind the changes.
func (l Log) Told(ctx context.Context, k kinds.Code, id int64, most int) (entries []Entry, err error) {
	it := l.tenant.Table().Get("pk", l.tenant.AllTold(k, id)).Order(dynamo.Descending).Limit(most).Iter()
	for {
		var row told
		if !it.Next(ctx, &row) {
			return entries, it.Err()
		}
		number, err := table.ParseSortID(row.SK)
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{number, row.stored})
	}
}
