package eventlog

import (
	"context"
	"errors"

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
	enough  = 500 // events; a read ends with the page that has this one
	atATime = 100 // pages that a call reads
)

// Most is how many events one read returns at most: a page is never cut.
const Most = enough + maxEvents

// Read returns the events after a number, the oldest first, and the number of the last one to read on from; 0 is before the
// oldest event that is kept. It reads until it has enough, or no further page is visible yet.
func (l Log) Read(ctx context.Context, after int64) (entries []Entry, last int64, err error) {
	last = after
	err = l.pages(ctx, after+1, table.MaxID, dynamo.Ascending, func(p page) (more bool) {
		if p.First != last+1 && last != 0 {
			return false
		}
		entries, last = append(entries, p.entries(0)...), p.end()-1
		return len(entries) < enough
	})
	if err != nil || len(entries) > 0 || after == 0 {
		return entries, last, err
	}
	// The number is within a page, or the last one, or was.
	known := false
	err = l.pages(ctx, 1, after, dynamo.Descending, func(p page) (more bool) {
		if known = true; p.end() > after+1 {
			entries, last = p.entries(after+1-p.First), p.end()-1
		}
		return false
	})
	if err != nil || known {
		return entries, last, err
	}
	h, err := l.head(ctx)
	switch {
	case err != nil:
		return nil, after, err
	case h.Next <= after:
		return nil, after, ErrAhead
	case h.Next > after+1:
		return nil, after, ErrExpired
	}
	return nil, after, nil
}

// pages visits the pages between two numbers that can be read still, as long as visit says that it wants more.
func (l Log) pages(ctx context.Context, from, to int64, order dynamo.Order, visit func(page) (more bool)) error {
	if to < from {
		return nil
	}
	q := l.tenant.Table().Get("pk", l.tenant.EventLog()).Range("sk", dynamo.Between, table.SortID(from), table.SortID(to)).Order(order)
	if order == dynamo.Descending {
		q = q.Limit(1)
	} else {
		q = q.SearchLimit(atATime)
	}
	oldest := moment.Of(l.now().Add(-visible))
	for it := q.Iter(); ; {
		var p page
		if !it.Next(ctx, &p) {
			return it.Err()
		}
		if p.At >= oldest && !visit(p) {
			return nil
		}
	}
}

func (p page) entries(from int64) []Entry {
	entries := make([]Entry, 0, len(p.Events))
	for i, s := range p.Events[from:] {
		entries = append(entries, Entry{p.First + from + int64(i), s})
	}
	return entries
}

// End is the number of the last event.
func (l Log) End(ctx context.Context) (int64, error) {
	h, err := l.head(ctx)
	return h.Next - 1, err
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
