package documents

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/directory/folding"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/history"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/slimindex"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

// store is the documents of one company in the table.
type store struct {
	tenant *table.Tenant
	log    history.Log
	now    func() time.Time
}

func (s store) directory() directory.Directory {
	return directory.Of(s.tenant, kinds.Document, folding.Ask(s.tenant, kinds.Document, s.now))
}

// Names of numbers in the search entry.
const (
	bySource  = "s"
	byUpdated = "u"
)

// item is the document's item with its search entry.
func (s store) item(d *document) (table.Attributes, error) {
	a, err := d.encode(s.tenant.Record(kinds.Document, d.ID))
	if err != nil {
		return nil, err
	}
	entry := slimindex.New(s.tenant, kinds.Document, d.Name, map[string]int64{
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
	err := s.tenant.Get(ctx, s.tenant.Record(kinds.Document, id), d)
	if errors.Is(err, table.ErrNotFound) {
		return nil, fault.ErrNotFound
	}
	return d, err
}

// create gives a document its id and writes it, if the record of its main link
// is there: two calls. more adds what goes with it to the transaction, and may be
// called again.
func (s store) create(ctx context.Context, d *document, linked *reference, more func(tx *table.Tx) error) error {
	_, err := s.directory().Create(ctx, func(tx *table.Tx, id int64) error {
		d.ID, d.Revision = id, 1
		if linked != nil && linked.kind == kinds.Document && linked.id == id {
			return linked.missing() // it is not there yet
		}
		item, err := s.item(d)
		if err != nil {
			return err
		}
		tx.Put(s.tenant.Create(item), table.ErrRevision)
		s.check(tx, linked)
		if err := s.log.Created(tx, kinds.Document, id, d.Revision, logged{d}); err != nil {
			return err
		}
		return more(tx)
	})
	return err
}

// logged is a document as its history has it: as callers see it, but for the
// API's own address, which may be another one each time.
type logged struct{ *document }

func (l logged) MarshalJSON() ([]byte, error) { return encodeDocument(l.document, "") }

// replace writes a document over the revision that it came from, if the record
// that it is newly linked to is there: one call. Though it may be one item, it
// is a transaction: its token alone can tell, where an answer was lost, that the
// revision is another because of this very change.
func (s store) replace(ctx context.Context, from, d *document, linked *reference) error {
	d.Revision = from.Revision + 1
	item, err := s.item(d)
	if err != nil {
		return err
	}
	err = s.tenant.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Put(s.tenant.Put(item).If("'r' = ?", from.Revision), table.ErrRevision)
		s.check(tx, linked)
		return s.log.Changed(tx, kinds.Document, d.ID, d.Revision, logged{from}, logged{d})
	})
	return directory.Settle(err, func() (bool, error) { return s.log.Happened(ctx, kinds.Document, d.ID, d.Revision) })
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
	k := s.tenant.Record(r.kind, r.id)
	found, err := record.Look(ctx, s.tenant, s.now(), k)
	if err == nil && found[k] == nil {
		err = r.missing()
	}
	return found[k].Text(kinds.Name), err
}

// remove takes a document out of every list and keeps it in the archive: one
// call.
func (s store) remove(ctx context.Context, d *document, by int64) error {
	archived, err := d.encode(s.tenant.Archive(kinds.Document, d.ID))
	if err != nil {
		return err
	}
	archived.SetInt("d", s.now().UnixMicro())
	archived.SetInt("db", by)
	return s.directory().Delete(ctx, d.ID, func(tx *table.Tx) error {
		tx.Delete(s.tenant.Delete(s.tenant.Record(kinds.Document, d.ID)).If("'r' = ?", d.Revision), table.ErrRevision)
		tx.Put(s.tenant.Put(archived), nil)
		return s.log.Deleted(tx, kinds.Document, d.ID, d.Revision+1, logged{d})
	})
}

// order names the fields of an ordering as the search entries do.
func order(terms []web.Order) []slimindex.By {
	names := map[string]string{
		"id": slimindex.ID, "created_at": slimindex.ID, "name": slimindex.Text,
		"updated_at": byUpdated, "source": bySource,
	}
	by := make([]slimindex.By, len(terms))
	for i, t := range terms {
		by[i] = slimindex.By{Field: names[t.Field], Descending: t.Desc}
	}
	return by
}

// list reads one page and the number of documents that there are, or that match
// the words.
func (s store) list(ctx context.Context, words []string, terms []web.Order, p web.Page) (page []document, count int, err error) {
	return record.Page(ctx, slimindex.Index[document]{
		Tenant: s.tenant, Kind: kinds.Document, Directory: s.directory(),
		Text: func(a table.Attributes) string { return a.Text(kinds.Name) }, Needs: []string{kinds.Name},
	}, slimindex.Query{Words: words, Order: order(terms)}, p)
}
