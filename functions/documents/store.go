package documents

import (
	"encoding/json"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
)

// kind is the kind of documents.
func kind() record.Kind[document] {
	return record.Kind[document]{
		Kind:       kinds.Of(kinds.Document),
		Name:       func(d *document) string { return d.Name },
		Shown:      func(d *document) any { return logged{d} },
		Columns:    columns(),
		References: func(d *document) []record.Reference { return d.references() },
		Below:      (*document).below,
	}
}

// logged is a document in its history: as callers see it, but without the API's own address,
// which can differ between requests.
type logged struct{ d *document }

var _ json.Marshaler = logged{}

// MarshalJSON writes it.
func (l logged) MarshalJSON() ([]byte, error) { return encodeDocument(l.d, "") }

// references are the records that a document belongs to.
func (d *document) references() (list []record.Reference) {
	if l := d.mainLink(); l != nil {
		k, _ := kinds.ByModel(l.Model)
		list = append(list, record.Reference{Field: "object_id", Kind: k.Code, ID: l.ObjectID})
	}
	return list
}

// below is where a document of an order is listed: the order's timeline shows its documents.
func (d *document) below() record.Child {
	l := d.mainLink()
	if l == nil {
		return record.Child{}
	}
	if k, _ := kinds.ByModel(l.Model); k.Code != kinds.Order {
		return record.Child{}
	}
	return record.Child{Of: kinds.Order, ID: l.ObjectID, At: record.At(d.Created)}
}

// columns are the values by which lists of documents are filtered and ordered.
func columns() []column.Column[document] {
	var models []column.Named
	for _, k := range kinds.All() {
		if k.Model != "" {
			models = append(models, column.Named{Names: []string{k.Model, k.Name}, Stored: string(k.Code)})
		}
	}
	return []column.Column[document]{
		column.Choice("source", "s", func(d *document) *int64 { return &d.Source }, generated, uploaded).
			For(column.Equal | column.Order).Doc("0 generated, 1 uploaded"),
		column.Flag("signed", "g", (*document).signed).For(column.Equal).Doc("Whether everybody has signed."),
		column.Name("content_type", "c", (*document).mainLinkKind, models...).
			For(column.Equal).Doc("Class name of the record that the document belongs to first of all, in any case."),
		column.Reference("object_id", "o", (*document).mainLinkID).For(column.Equal | column.In).Doc("Id of that record."),
		column.Moment("created_at", "a", func(d *document) *int64 { return &d.Created }).
			For(column.Equal | column.Range).Doc("A date-time, or a day where the company is."),
	}
}

// mainLinkKind returns the kind of the record that the document belongs to first of all, or nil if it belongs to none.
func (d *document) mainLinkKind() *string {
	l := d.mainLink()
	if l == nil {
		return nil
	}
	k, _ := kinds.ByModel(l.Model)
	code := string(k.Code)
	return &code
}

// mainLinkID returns the number of that record, or nil.
func (d *document) mainLinkID() *int64 {
	if l := d.mainLink(); l != nil {
		return &l.ObjectID
	}
	return nil
}
