package documents

import (
	"encoding/json"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/web"
)

// bySource is the name of a number in the search entry.
const bySource = "s"

// kind is the kind of documents.
func kind() record.Kind[document] {
	return record.Kind[document]{
		Kind:       kinds.Of(kinds.Document),
		Name:       func(d *document) string { return d.Name },
		Shown:      func(d *document) any { return logged{d} },
		Numbers:    func(d *document) map[string]int64 { return map[string]int64{bySource: d.Source} },
		References: func(d *document) []record.Reference { return d.references() },
	}
}

// logged is a document as its history has it: as callers see it, but for the
// API's own address, which may be another one each time.
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

// order names the fields of an ordering as the search entries do.
func order(terms []web.Order) []search.By {
	names := map[string]string{
		"id": search.ID, "created_at": search.ID, "name": search.Text,
		"updated_at": record.ByUpdated, "source": bySource,
	}
	by := make([]search.By, len(terms))
	for i, t := range terms {
		by[i] = search.By{Field: names[t.Field], Descending: t.Desc}
	}
	return by
}
