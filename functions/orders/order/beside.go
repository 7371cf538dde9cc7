package order

import (
	"context"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// beside is an entry of a timeline that is no revision: an event of a document or a penalty, or a document.
type beside struct {
	at       time.Time
	told     *eventlog.Entry // nil: the document
	document int64           // 0: it is about none
}

// documentCalled is what a timeline calls a document. The name may be empty.
func documentCalled(name string) say.Message {
	if name = strings.TrimSpace(name); name == "" {
		return say.DocumentWithoutName
	}
	return say.DocumentCalled(name)
}

// moment is the entry. What its document is called is added by Timeline.name.
func (b beside) moment() Moment {
	if b.told == nil {
		object := kinds.Of(kinds.Document).Object(b.document)
		return Moment{At: encode.Instant(b.at), Events: []Event{{Kind: "document", Object: &object, Fields: []string{}}}}
	}
	e := b.tell("")
	if e.Kind == "sign" {
		at := encode.Instant(b.at)
		e.Moment = &at
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

// tell is what the entry tells of an event. document is what its document is called.
func (b beside) tell(document say.Message) Event {
	object, f := b.told.About().String(), factsOf(b.told.Data)
	if f.whom = document; tellings[b.told.Name].kind == "sign" {
		f.whom = f.signs()
	}
	return tell(b.told.Name, &object, f)
}

// signs is who signs.
func (f facts) signs() say.Message {
	if f.Signer == "" {
		return say.SignerWithoutName
	}
	return say.Message(f.Signer)
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
			called := say.DocumentThatWasDeleted
			if item != nil {
				called = documentCalled(item.Text(kinds.Name))
			}
			page[i].Events[0].Text = b.tell(called).Text
		}
	}
	return nil
}
