package documents

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/directory/folding"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/slimindex"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

// store is the documents of one company in the table.
type store struct {
	tenant *table.Tenant
	now    func() time.Time
}

// errRevision says that the document is not what the change was decided on.
var errRevision = errors.New("documents: another revision")

func (s store) directory() directory.Directory {
	return directory.Of(s.tenant, table.Document, folding.Ask(s.tenant, table.Document, s.now))
}

// Names of numbers in the search entry.
const (
	bySource  = "s"
	byUpdated = "u"
)

// item is the document's item with its search entry.
func (s store) item(d *document) (table.Attributes, error) {
	a, err := d.encode(s.tenant.Record(table.Document, d.ID))
	if err != nil {
		return nil, err
	}
	entry := slimindex.New(s.tenant, table.Document, d.Name, map[string]int64{
		bySource: d.Source, byUpdated: d.UpdatedAt.UnixMicro(),
	})
	a.SetText("ix", entry.IX)
	a.SetMap("x", entry.X)
	return a, nil
}

// get reads a document, consistently: one call, one unit.
func (s store) get(ctx context.Context, id int64) (*document, error) {
	if id > table.MaxID {
		return nil, fault.ErrNotFound // a caller's number may be longer than ours
	}
	d := new(document)
	err := s.tenant.Get(ctx, s.tenant.Record(table.Document, id), d)
	if errors.Is(err, table.ErrNotFound) {
		return nil, fault.ErrNotFound
	}
	return d, err
}

// create gives a document its id and writes it, if the record of its main link
// is there: two calls.
func (s store) create(ctx context.Context, d *document, linked *reference) error {
	_, err := s.directory().Create(ctx, func(tx *table.Tx, id int64) error {
		d.ID, d.Revision = id, 1
		if linked != nil && linked.kind == table.Document && linked.id == id {
			return linked.missing() // it is not there yet
		}
		item, err := s.item(d)
		if err != nil {
			return err
		}
		tx.Put(s.tenant.Create(item), errRevision)
		s.check(tx, linked)
		return nil
	})
	return err
}

// replace writes a document over the revision that it came from, if the record
// that it is newly linked to is there: one call. Though it may be one item, it
// is a transaction: its token alone can tell, where an answer was lost, that the
// revision is another because of this very change.
func (s store) replace(ctx context.Context, d *document, linked *reference) error {
	from := d.Revision
	d.Revision++
	item, err := s.item(d)
	if err != nil {
		return err
	}
	return s.tenant.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Put(s.tenant.Put(item).If("'r' = ?", from), errRevision)
		s.check(tx, linked)
		return nil
	})
}

// check adds the condition that a record exists.
func (s store) check(tx *table.Tx, linked *reference) {
	if linked != nil {
		tx.Check(s.tenant.Exists(s.tenant.Record(linked.kind, linked.id)), linked.missing())
	}
}

func (r *reference) missing() error { return fault.Field("object_id", fault.BadReference(r.id)) }

// label reads the name of a record.
func (s store) label(ctx context.Context, r *reference) (string, error) {
	var record struct {
		Name string `dynamo:"n"`
	}
	err := s.tenant.Get(ctx, s.tenant.Record(r.kind, r.id), &record)
	if errors.Is(err, table.ErrNotFound) {
		return "", r.missing()
	}
	return record.Name, err
}

// remove takes a document out of every list and keeps it in the archive: one
// call.
func (s store) remove(ctx context.Context, d *document, by int64) error {
	archived, err := d.encode(s.tenant.Archive(table.Document, d.ID))
	if err != nil {
		return err
	}
	archived.SetInt("d", s.now().UnixMicro())
	archived.SetInt("w", by)
	return s.directory().Delete(ctx, d.ID, func(tx *table.Tx) error {
		tx.Delete(s.tenant.Delete(s.tenant.Record(table.Document, d.ID)).If("'r' = ?", d.Revision), errRevision)
		tx.Put(s.tenant.Put(archived), nil)
		return nil
	})
}

// order names the fields of an ordering as the search entries do.
func order(terms []web.Order) []slimindex.By {
	names := map[string]string{
		"id": slimindex.ID, "created_at": slimindex.ID, "name": slimindex.Text,
		"updated_at": byUpdated, "source": bySource,
	}
	by := make([]slimindex.By, 0, len(terms)+1)
	for _, t := range terms {
		by = append(by, slimindex.By{Field: names[t.Field], Descending: t.Desc})
	}
	return append(by, slimindex.By{Field: slimindex.ID, Descending: true}) // ties: the newest first
}

// list reads one page and the number of documents that there are, or that match
// the words. Ids are given out in the order of creation, so the directory
// orders by created_at too.
func (s store) list(ctx context.Context, words []string, terms []web.Order, p web.Page) (page []document, count int, err error) {
	by := order(terms)
	byID := len(words) == 0 && by[0].Field == slimindex.ID
	if p.Last { // the first page of the list from its other end
		for i := range by {
			by[i].Descending = !by[i].Descending
		}
	}
	offset := p.Offset(0)
	if byID {
		page, count, err = directory.Page[document](ctx, s.directory(), offset, p.Size, by[0].Descending)
	} else {
		index := slimindex.Index[document]{
			Tenant: s.tenant, Kind: table.Document, Directory: s.directory(),
			Text: nameAttribute,
		}
		page, count, err = index.Page(ctx, slimindex.Query{Words: words, Order: by, Offset: offset, Size: p.Size})
	}
	if err != nil {
		return nil, 0, err
	}
	if p.Last {
		if rest := count % p.Size; rest > 0 && rest < len(page) {
			page = page[:rest]
		}
		slices.Reverse(page)
	}
	return page, count, nil
}
