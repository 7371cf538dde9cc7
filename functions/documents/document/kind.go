package document

import (
	"encoding/json"
	"strconv"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// Kind is the kind of documents.
func Kind() *record.Kind[*Document] { return declared.Get(declare) }

var declared record.Declared[*Document]

func declare() record.Kind[*Document] {
	return record.Kind[*Document]{
		Kind:       kinds.Of(kinds.Document),
		Name:       func(d *Document) string { return d.Name },
		Shown:      func(d *Document) any { return logged{d} },
		Columns:    columns(),
		References: func(d *Document) []record.Reference { return d.references() },
		Below:      (*Document).below,
		Lists:      lists,
		Arms:       tells,
		Concerns:   (*Document).concerns,
	}
}

// logged is a document in its history: as callers see it, but without the API's own address,
// which can differ between requests, and without the uuids of signs, which a history must not give away.
type logged struct{ d *Document }

var _ json.Marshaler = logged{}

// MarshalJSON writes it.
func (l logged) MarshalJSON() ([]byte, error) { return Encode(l.d, Reader{}), nil }

// lists are the signs, by their numbers, so that the history tells what one of them has become and not all of them.
func lists(d *Document) audit.Lists {
	signs := map[int64]any{}
	for i := range d.Signs {
		signs[d.Signs[i].ID] = json.RawMessage(d.Signs[i].Append(nil, Reader{}))
	}
	return audit.Lists{"signs": signs}
}

// SealKind is the message, with the number of a document as its key, that has the document sealed.
const SealKind outbox.Kind = "documents.seal"

// tells arms the message that seals a document with the very write by which everybody has signed, whichever that is.
func tells(before, after *Document) []record.Message {
	if after == nil || !after.IsSigned() || before != nil && before.IsSigned() {
		return nil
	}
	return []record.Message{{Kind: SealKind, Key: strconv.FormatInt(after.ID, 10)}}
}

// references are the records that a document belongs to.
func (d *Document) references() (list []record.Reference) {
	if l := d.MainLink(); l != nil {
		k, _ := kinds.ByModel(l.Model)
		list = append(list, record.Reference{Field: "object_id", Kind: k.Code, ID: l.ObjectID})
	}
	return list
}

// below is where a document of an order is listed: the order's timeline shows its documents.
func (d *Document) below() record.Child {
	l := d.MainLink()
	if l == nil {
		return record.Child{}
	}
	if k, _ := kinds.ByModel(l.Model); k.Code != kinds.Order {
		return record.Child{}
	}
	return record.Child{Of: kinds.Order, ID: l.ObjectID, At: record.At(d.Created)}
}

// columns are the values by which lists of documents are filtered and ordered.
func columns() []column.Column[*Document] {
	var models []column.Named
	for _, k := range kinds.All() {
		if k.Model != "" {
			models = append(models, column.Named{Names: []string{k.Model, k.Name}, Stored: string(k.Code)})
		}
	}
	list := []column.Column[*Document]{
		column.Choice("source", "s", func(d *Document) *Source { return &d.Source }),
		column.Flag("signed", "g", (*Document).IsSigned).Doc("Whether everybody has signed."),
		column.Name("content_type", "c", (*Document).mainKind, models...).
			Doc("Class name of the record that the document belongs to first of all, in any case."),
		column.Reference("object_id", "o", (*Document).mainID).Doc("Id of that record."),
		column.Reference("template", "p", (*Document).template).Doc("Id of the template that a document was made from."),
	}
	for i := range maxSigns {
		of := func(d *Document) *int64 { return d.signer(i) }
		list = append(list, column.Reference("signer "+strconv.Itoa(i), bySigner[i:i+1], of).Hide())
	}
	return list
}

// bySigner are the letters of the columns of signers: a document has as many signers as it may have signs, and a column holds one.
const bySigner = "0123456789ABDEFGHIJK"

// signer returns the client who is the signer of a sign, or nil.
func (d *Document) signer(sign int) *int64 {
	if sign >= len(d.Signs) || d.Signs[sign].Signer.Type != Client {
		return nil
	}
	return d.Signs[sign].Signer.OuterID
}

// SignedBy is true for the documents that have a sign of a client who fits a condition, whether it is signed or not.
func SignedBy(client segment.Condition) segment.Condition {
	signs := make([]segment.Condition, maxSigns)
	for i := range signs {
		signs[i] = client
		signs[i].Field = bySigner[i : i+1]
	}
	return segment.AnyOf(signs...)
}

// mainKind returns the kind of the record that the document belongs to first of all, or nil if it belongs to none.
func (d *Document) mainKind() *string {
	l := d.MainLink()
	if l == nil {
		return nil
	}
	k, _ := kinds.ByModel(l.Model)
	code := string(k.Code)
	return &code
}

// mainID returns the number of that record, or nil.
func (d *Document) mainID() *int64 {
	if l := d.MainLink(); l != nil {
		return &l.ObjectID
	}
	return nil
}

// template returns the number of the template, or nil.
func (d *Document) template() *int64 {
	if d.Template == 0 {
		return nil
	}
	return &d.Template
}
