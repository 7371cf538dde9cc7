package order

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
)

// MostDocuments is how many documents of an order its timeline shows, the newest ones.
const MostDocuments = 100

// Timeline is what happened to an order, newest first: the revisions of its history, which also
// tell what happened to its lines, deposits, fees and referrals, and its documents. Revisions have
// no gaps and documents are few, so any page is found without reading those before it.
type Timeline struct {
	scope     record.Scope
	order     *Order
	documents []document
}

// document is a document of an order.
type document struct {
	id int64
	at time.Time
}

// named is a document as far as this package knows it: what it is called, and who signs it. Its domain,
// functions/documents/document, is above this one; a test there reads a document as this does.
type named struct {
	record.Meta
	Name  string   `dynamo:"n"` // kinds.Name
	Signs []signed `dynamo:"g"`
}

// signed is a sign of a document.
type signed struct {
	ID     int64         `dynamo:"i"`
	Status int64         `dynamo:"s"`
	At     moment.Micros `dynamo:"e"` // of the last change
	Signer struct {
		Name string `dynamo:"n"`
	} `dynamo:"p"`
}

// event says where a signature is.
func (s signed) event() Event {
	text := "%s was not asked to sign yet"
	switch s.Status {
	case 1:
		text = "%s was asked to sign"
	case 2:
		text = "%s has opened the document"
	case 3:
		text = "%s is signing"
	case 4:
		text = "%s refused to sign"
	case 5:
		text = "%s has signed"
	}
	at := encode.Instant(s.At.Time())
	return Event{Kind: "sign", Text: strings.Replace(text, "%s", s.Signer.Name, 1), Moment: &at, Fields: []string{}}
}

func documents() *record.Kind[*named] { return declaredDocuments.Get(declareDocuments) }

var declaredDocuments record.Declared[*named]

func declareDocuments() record.Kind[*named] {
	return record.Kind[*named]{Kind: kinds.Of(kinds.Document)}
}

// Moment is one entry of a timeline: a revision of the order, with all that it changed, or a
// document.
type Moment struct {
	Revision *int64  `json:"revision" nullable:"true" doc:"Of the order: the id of the same entry in its history. Null for a document"`
	At       string  `json:"at" format:"date-time"`
	User     *int64  `json:"user" nullable:"true" doc:"Number of the user who did it. Null for a document"`
	Events   []Event `json:"events" doc:"What happened then, at least one"`
}

// TimelineOf reads where the entries of an order's timeline are: the order consistently, and the
// places of its documents, which may lag about a second behind changes. It takes two calls.
func TimelineOf(ctx context.Context, s record.Scope, id int64) (*Timeline, error) {
	o, err := Kind().Get(ctx, s, id)
	if err != nil {
		return nil, err
	}
	places, err := documents().Places(ctx, s, kinds.Order, id, record.Span{Newest: true, Most: MostDocuments})
	if err != nil {
		return nil, err
	}
	t := &Timeline{scope: s, order: o}
	for _, p := range places {
		at, err := p.Time()
		if err != nil {
			return nil, err
		}
		t.documents = append(t.documents, document{p.ID, at})
	}
	return t, nil
}

// Count is the number of entries.
func (t *Timeline) Count() int { return int(t.order.Revision) + len(t.documents) }

// Page reads entries of a timeline from an offset. It takes one call, and one more if there are
// documents among them.
func (t *Timeline) Page(ctx context.Context, offset, size int) ([]Moment, error) {
	revisions := int(t.order.Revision)
	first := max(0, offset-len(t.documents)) // no entry before it is on the page
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
	var shown []document          // on the page
	place, i, next := first, 0, 0 // in the timeline, of the entries, of the documents
	for place < offset+size && (i < len(entries) || next < len(t.documents)) {
		isDocument := next < len(t.documents) && (i == len(entries) || t.documents[next].at.After(times[i]))
		var m Moment
		if isDocument {
			m = t.documents[next].moment()
		} else {
			m = t.revision(entries[i])
		}
		if place >= offset {
			page = append(page, m)
			if isDocument {
				shown = append(shown, t.documents[next])
			}
		}
		if place++; isDocument {
			next++
		} else {
			i++
		}
	}
	return page, t.name(ctx, page, shown)
}

func (d document) moment() Moment {
	object := kinds.Of(kinds.Document).Object(d.id)
	return Moment{At: encode.Instant(d.at), Events: []Event{{Kind: "document", Object: &object, Fields: []string{}}}}
}

// revision is the entry of a revision.
func (t *Timeline) revision(e audit.Entry) Moment {
	return Moment{Revision: &e.ID, At: e.At, User: e.User, Events: eventsOf(e, t.order)}
}

// name adds to the documents of a page what they are called.
func (t *Timeline) name(ctx context.Context, page []Moment, shown []document) error {
	if len(shown) == 0 {
		return nil
	}
	w := t.scope.Reading()
	var keys []table.Key
	for _, d := range shown {
		keys = append(keys, documents().Key(t.scope.Table, d.id))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	for _, d := range shown {
		rec, err := find(ctx, w, documents(), d.id)
		if err != nil {
			return err
		}
		object := kinds.Of(kinds.Document).Object(d.id)
		i := slices.IndexFunc(page, func(m Moment) bool { return m.Revision == nil && *m.Events[0].Object == object })
		if page[i].Events[0].Text = "A document that was deleted"; rec != nil {
			page[i].Events[0].Text = strings.TrimSpace("Document " + rec.Name)
			for _, sign := range rec.Signs {
				page[i].Events = append(page[i].Events, sign.event())
			}
		}
	}
	return nil
}
