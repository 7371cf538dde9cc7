package eventlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	perPage   = 32        // changes
	maxEvents = 500       // of a page, if it has more than one change
	maxPage   = 200 << 10 // bytes of data, likewise

	kept = 31 * 24 * time.Hour
	// Visible is how long events can be read.
	Visible = 30 * 24 * time.Hour

	parallel = 8 // calls at once
)

// Log is the log of a company.
type Log struct {
	tenant     *table.Tenant
	now        func() time.Time
	consistent bool
	enough     int // 0 is the constant of that name
}

// Of is the log of a company.
func Of(t *table.Tenant, now func() time.Time) Log { return Log{tenant: t, now: now} }

// AtMost is the log for a reader that takes few events at a time: a read ends with the page that makes so many, and takes no call for
// much more.
func (l Log) AtMost(events int) Log {
	l.enough = events
	return l
}

// Consistently is the log for a reader that misses no page which was put before it began to read. It reads for twice the units.
func (l Log) Consistently() Log {
	l.consistent = true
	return l
}

// Work is the work that gives events their numbers; see outbox.Sequence.
func Work(c *table.Conn, now func() time.Time) outbox.Work {
	return outbox.Work{outbox.Sequence: func(ctx context.Context, m outbox.Message) error {
		company, ok := m.Tenant()
		if !ok {
			return fmt.Errorf("%w: events of no company", outbox.ErrDrop)
		}
		_, err := Of(table.Of(c, company), now).Sequence(ctx)
		return err
	}}
}

// head is the item with the number of the next event, and who is told of new ones.
type head struct {
	table.Item
	Next      int64               `dynamo:"n"`
	followers map[string][]string // by the key of their message the types that they want
}

// UnmarshalDynamoItem reads the item. Each follower has an attribute of its own, so that two of them can come and go at once.
func (h *head) UnmarshalDynamoItem(item dynamo.Item) error {
	type plain head
	if err := dynamo.UnmarshalItem(item, (*plain)(h)); err != nil {
		return err
	}
	for name, value := range item {
		key, ok := strings.CutPrefix(name, followerPrefix)
		if !ok {
			continue
		}
		var wanted []string
		if err := dynamo.Unmarshal(value, &wanted); err != nil {
			return err
		}
		if h.followers == nil {
			h.followers = map[string][]string{}
		}
		h.followers[key] = wanted
	}
	return nil
}

// page is a page of the log: the events of some changes, the oldest first.
type page struct {
	table.Item
	First  int64         `dynamo:"n"`
	At     moment.Micros `dynamo:"at"`
	TTL    int64         `dynamo:"ttl"`
	Events []stored      `dynamo:"ev"`
	From   []string      `dynamo:"from"` // the sort keys that its changes had in the inbox
}

// stored is an event in a page.
type stored struct {
	event.Said
	Cause
}

// end is the number after the last event of the page.
func (p page) end() int64 { return p.First + int64(len(p.Events)) }

// Sequence gives all events of the inbox their numbers, and returns how many it has numbered. Any number of workers may do so
// at once.
func (l Log) Sequence(ctx context.Context) (numbered int, err error) {
	for {
		h, err := l.head(ctx)
		if err != nil {
			return numbered, err
		}
		found, err := l.oldest(ctx)
		if err != nil || len(found) == 0 {
			return numbered, err
		}
		p := l.pageOf(h.Next, found)
		err = table.Retry(ctx, func() error { return l.tenant.Create(p).Run(ctx) })
		switch {
		case dynamo.IsCondCheckFailed(err): // somebody else's page, or this one, if its answer was lost
			if err := l.tenant.Get(ctx, p.Key(), &p); err != nil {
				return numbered, fmt.Errorf("eventlog: page %d: %w", h.Next, err)
			}
		case err != nil:
			return numbered, fmt.Errorf("eventlog: page %d: %w", h.Next, err)
		default:
			numbered += len(p.Events)
		}
		if err := l.finish(ctx, p, h); err != nil {
			return numbered, fmt.Errorf("eventlog: page %d: %w", p.First, err)
		}
	}
}

func (l Log) head(ctx context.Context) (h head, err error) {
	err = l.tenant.Get(ctx, l.tenant.EventHead(), &h)
	if errors.Is(err, table.ErrNotFound) {
		err = nil
	}
	h.Next = max(h.Next, 1) // it has none before the first event, also where somebody follows the log already
	return h, err
}

// oldest are the oldest changes of the inbox. It reads anew up to the last one until nothing has come before it: the items of a
// transaction become visible one after the other, and a query reads each item at a moment of its own.
func (l Log) oldest(ctx context.Context) (found []waiting, err error) {
	if found, err = l.inbox(ctx, ""); err != nil {
		return nil, err
	}
	for len(found) > 0 {
		again, err := l.inbox(ctx, found[len(found)-1].SK)
		if err != nil {
			return nil, err
		}
		if slices.EqualFunc(found, again, func(a, b waiting) bool { return a.SK == b.SK }) {
			break
		}
		found = again
	}
	return found[:min(len(found), perPage)], nil
}

// inbox reads the inbox up to a sort key; the first changes of it, if that is empty.
func (l Log) inbox(ctx context.Context, to string) (found []waiting, err error) {
	q := l.tenant.Table().Get("pk", l.tenant.Inbox()).Order(dynamo.Ascending).Consistent(true)
	if to == "" {
		q = q.Limit(perPage)
	} else {
		q = q.Range("sk", dynamo.LessOrEqual, to)
	}
	if err := q.All(ctx, &found); err != nil {
		return nil, fmt.Errorf("eventlog: inbox: %w", err)
	}
	return found, nil
}

// pageOf is the page of as many changes as fit into it, of one at least.
func (l Log) pageOf(first int64, found []waiting) page {
	now := l.now()
	p := page{
		Item: table.At(l.tenant.EventPage(first), version), First: first, At: moment.Of(now), TTL: now.Add(kept).Unix(),
	}
	size := 0
	for _, w := range found {
		for _, s := range w.Events {
			size += len(s.Data)
		}
		if len(p.From) > 0 && (size > maxPage || len(p.Events)+len(w.Events) > maxEvents) {
			break
		}
		for _, s := range w.Events {
			p.Events = append(p.Events, stored{s, w.Cause})
		}
		p.From = append(p.From, w.SK)
	}
	return p
}

// finish does what follows from a page. It may be done again at any time: the keys of a page occur in no other.
func (l Log) finish(ctx context.Context, p page, h head) error {
	if err := l.tell(ctx, p); err != nil {
		return err
	}
	if err := l.wake(ctx, p, h); err != nil {
		return err
	}
	inbox := make([]dynamo.Keyed, len(p.From))
	for i, sk := range p.From {
		inbox[i] = table.Key{PK: l.tenant.Inbox(), SK: sk}
	}
	if err := table.Retry(ctx, func() error {
		_, err := l.tenant.Table().Batch("pk", "sk").Write().Delete(inbox...).Run(ctx)
		return err
	}); err != nil {
		return err
	}
	err := table.Retry(ctx, func() error {
		u := l.tenant.Update(l.tenant.EventHead()).Set("n", p.end()).Set("v", version)
		if p.First == 1 {
			return u.If("attribute_not_exists(n)").Run(ctx)
		}
		return u.If("n = ?", p.First).Run(ctx)
	})
	if dynamo.IsCondCheckFailed(err) {
		return nil // somebody else has finished it
	}
	return err
}

// told is an event under a record that it concerns.
type told struct {
	table.Item
	stored
}

// tell puts what concerns records that have a timeline under these.
func (l Log) tell(ctx context.Context, p page) error {
	var calls errgroup.Group
	calls.SetLimit(parallel)
	for i, s := range p.Events {
		for _, about := range s.Concerns {
			k, id, ok := kinds.ParseObject(about)
			if of := s.Name.Kind(); !ok || !k.Timeline || of.Timeline || of.Finance { // the record's own history tells what was paid
				continue
			}
			item := told{table.At(l.tenant.Told(k.Code, id, p.First+int64(i)), version), s}
			calls.Go(func() error { return table.Retry(ctx, func() error { return l.tenant.Put(item).Run(ctx) }) })
		}
	}
	return calls.Wait()
}
