package order

import (
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
)

// Of what happened to documents and penalties of an order its timeline shows the newest events, and as long as a document has told
// none, the document.
const (
	MostTold      = 300
	MostDocuments = 100
)

// Timeline is what happened to an order, newest first: the revisions of its history, which also
// tell what happened to its lines, deposits, fees and referrals; and beside them what happened to its
// documents and penalties. Revisions have no gaps and the others are few, so any page is found without
// reading those before it.
type Timeline struct {
	scope  record.Scope
	order  *Order
	beside []beside // the newest first
}

// Moment is one entry of a timeline: a revision of the order, with all that it changed, or what
// happened to a document or a penalty.
type Moment struct {
	Revision *int64  `json:"revision" nullable:"true" doc:"Of the order: the id of the same entry in its history. Null for a document or a penalty"`
	At       string  `json:"at" format:"date-time"`
	User     *int64  `json:"user" nullable:"true" doc:"Number of the user who did it. Null if no user did, and for a document of which it is not known"`
	Feed     *int64  `json:"feed" nullable:"true" doc:"Id of the feed token whose request did it; else null"`
	Key      *int64  `json:"key" nullable:"true" doc:"Id of the key for programs whose request did it; else null"`
	Events   []Event `json:"events" doc:"What happened then, at least one"`
}

// TimelineOf reads where the entries of an order's timeline are: the order consistently, and what is
// beside its revisions, which may lag a few seconds behind changes. It takes three calls.
func TimelineOf(ctx context.Context, s record.Scope, id int64) (*Timeline, error) {
	o, err := Kind().Get(ctx, s, id)
	if err != nil {
		return nil, err
	}
	entries, err := eventlog.Of(s.Table, s.Now).Told(ctx, kinds.Order, id, MostTold)
	if err != nil {
		return nil, err
	}
	places, err := documents().Places(ctx, s, kinds.Order, id, record.Span{Newest: true, Most: MostDocuments})
	if err != nil {
		return nil, err
	}
	t := &Timeline{scope: s, order: o}
	told := map[int64]bool{} // documents
	for i := range entries {
		e := &entries[i]
		if _, is := tellings[e.Name]; !is {
			continue // what happened to the order's money is told by its revisions
		}
		b := beside{at: e.At.Time(), told: e}
		if e.Name.Kind().Code == kinds.Document {
			b.document = e.ID
		}
		told[e.ID] = told[e.ID] || e.Name == event.Created.Of(kinds.Of(kinds.Document))
		t.beside = append(t.beside, b)
	}
	for _, p := range places {
		at, err := p.Time()
		if err != nil {
			return nil, err
		}
		if !told[p.ID] {
			t.beside = append(t.beside, beside{at: at, document: p.ID})
		}
	}
	slices.SortStableFunc(t.beside, func(a, b beside) int { return b.at.Compare(a.at) })
	return t, nil
}

// Count is the number of entries.
func (t *Timeline) Count() int { return int(t.order.Revision) + len(t.beside) }

// Page reads entries of a timeline from an offset. It takes one call, and one more if there are
// documents among them.
func (t *Timeline) Page(ctx context.Context, offset, size int) ([]Moment, error) {
	revisions := int(t.order.Revision)
	first := max(0, offset-len(t.beside)) // no entry before it is on the page
	last := min(revisions, offset+size)
	if first >= last && offset >= t.Count() {
		return nil, nil
	}
	table := t.scope.Table
	entries, err := audit.Between(ctx, table, kinds.Of(kinds.Order), t.order.ID, int64(revisions-last+1), int64(revisions-first))
	if err != nil {
		return nil, err
	}
	times := make([]time.Time, len(entries))
	for i, e := range entries {
		if times[i], err = time.Parse(time.RFC3339Nano, e.At); err != nil {
			return nil, err
		}
	}
	var page []Moment
	shown := map[int]beside{}     // by their places on the page
	place, i, next := first, 0, 0 // in the timeline, of the entries, of what is beside them
	for place < offset+size && (i < len(entries) || next < len(t.beside)) {
		isBeside := next < len(t.beside) && (i == len(entries) || t.beside[next].at.After(times[i]))
		if place >= offset {
			if isBeside {
				shown[len(page)] = t.beside[next]
				page = append(page, t.beside[next].moment())
			} else {
				page = append(page, t.revision(entries[i]))
			}
		}
		if place++; isBeside {
			next++
		} else {
			i++
		}
	}
	return page, t.name(ctx, page, shown)
}

// revision is the entry of a revision.
func (t *Timeline) revision(e audit.Entry) Moment {
	m := Moment{Revision: &e.ID, At: e.At, User: e.User, Feed: e.Feed, Key: e.Key}
	if e.Events == nil { // it was written before verbs said what they did
		m.Events = eventsOf(e, t.order)
	} else {
		m.Events = eventsIn(e)
	}
	return m
}
