package order

import (
	"context"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
)

// beside is an entry of a timeline that is no revision: an event of a document or a penalty, or a document.
type beside struct {
	at       time.Time
	told     *eventlog.Entry // nil: the document
	document int64           // 0: it is about none
}

// title stands in a telling for what the document is called, and signer for who signs it.
const (
	title  = "<document>"
	signer = "<signer>"
)

// moment is the entry. What its document is called is added by Timeline.name.
func (b beside) moment() Moment {
	if b.told == nil {
		object := kinds.Of(kinds.Document).Object(b.document)
		return Moment{At: encode.Instant(b.at), Events: []Event{{Kind: "document", Object: &object, Fields: []string{}}}}
	}
	object, f := b.told.About().String(), factsOf(b.told.Data)
	e := tell(b.told.Name, &object, f)
	if e.Kind == "sign" {
		at := encode.Instant(b.at)
		e.Text, e.Moment = strings.Replace(e.Text, signer, f.signs(), 1), &at
	}
	m := Moment{At: encode.Instant(b.at), Events: []Event{e}}
	for _, by := range []struct {
		id int64
		to **int64
	}{{b.told.User, &m.User}, {b.told.Feed, &m.Feed}, {b.told.Key, &m.Key}} {
		if by.id != 0 {
			*by.to = &by.id
		}
	}
	return m
}

// signs is who signs.
func (f facts) signs() string {
	if f.Signer == "" {
		return "A signer"
	}
	return f.Signer
}

// name adds to the documents of a page what they are called. shown are those entries, by their places on the page.
func (t *Timeline) name(ctx context.Context, page []Moment, shown map[int]beside) error {
	var keys []table.Key
	for _, b := range shown {
		if b.document != 0 {
			keys = append(keys, t.scope.Table.Record(kinds.Document, b.document))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	w := t.scope.Reading()
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return err
	}
	for i, b := range shown {
		switch {
		case b.document == 0:
		case b.told == nil:
			rec, err := find(ctx, w, documents(), b.document)
			if err != nil {
				return err
			}
			page[i].Events = rec.tell(page[i].Events[0])
		default:
			item, err := w.Item(ctx, t.scope.Table.Record(kinds.Document, b.document))
			if err != nil {
				return err
			}
			called := "A document that was deleted"
			if item != nil {
				called = strings.TrimSpace("Document " + item.Text(kinds.Name))
			}
			page[i].Events[0].Text = strings.Replace(page[i].Events[0].Text, title, called, 1)
		}
	}
	return nil
}
