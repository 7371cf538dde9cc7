package record

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/tenantry/tenantry/shared/bulk"
	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/directory/folding"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/history"
	"github.com/tenantry/tenantry/shared/slimindex"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/unique"
	"github.com/tenantry/tenantry/shared/web"
)

// Writer reads and writes the records of one company on behalf of one request.
// What it adds to a transaction is the record's own part of it: a group may add
// more.
type Writer[T, Body, View any] struct {
	resource Resource[T, Body, View]
	tenant   *table.Tenant
	actor    history.Actor
	now      func() time.Time
}

// Writer is that of a request.
func (res Resource[T, Body, View]) Writer(r *web.Request, now func() time.Time) Writer[T, Body, View] {
	return Writer[T, Body, View]{
		resource: res, tenant: r.Table, now: now,
		actor: history.Actor{User: r.Principal.User, Request: r.ID, At: now().UTC()},
	}
}

// Directory is that of the kind.
func (w Writer[T, Body, View]) Directory() directory.Directory {
	return directory.Of(w.tenant, w.resource.Kind, folding.Ask(w.tenant, w.resource.Kind, w.now))
}

// Get reads a record, consistently: one call, one unit; another of each where
// the record is from an import that has ended lately.
func (w Writer[T, Body, View]) Get(ctx context.Context, id int64) (*T, error) {
	if id > table.MaxID {
		return nil, fault.ErrNotFound // a caller's number may be longer than ours
	}
	rec := new(T)
	err := w.tenant.Get(ctx, w.tenant.Record(w.resource.Kind, id), rec)
	if errors.Is(err, table.ErrNotFound) {
		return nil, fault.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if m := metaOf(rec); m.Waiting {
		visible, err := bulk.Visible(ctx, w.tenant, w.resource.Kind, m.Import)
		if err != nil {
			return nil, err
		}
		if !visible {
			return nil, fault.ErrNotFound
		}
	}
	return rec, nil
}

// micros is the time of the request as records keep it.
func (w Writer[T, Body, View]) micros() int64 { return w.actor.At.UnixMicro() }

// Begin gives a new record its Meta, but for its number.
func (w Writer[T, Body, View]) Begin(rec *T) {
	*metaOf(rec) = Meta{Revision: 1, Created: w.micros(), Updated: w.micros(), Item: table.At(w.tenant.Record(w.resource.Kind, 0), version)}
}

// Insert adds a new record to a transaction, under its number: its item, its
// unique values and its audit record.
func (w Writer[T, Body, View]) Insert(tx *table.Tx, rec *T, id int64, claims unique.Claims) error {
	w.Number(rec, id)
	tx.Put(w.tenant.Create(rec), fmt.Errorf("record: %s %d exists", w.resource.Kind, id))
	for _, u := range w.uniques(rec) {
		claims.Claim(tx, w.tenant, u.Name, u.Value, id)
	}
	log := history.Of(w.tenant, w.actor)
	return log.Created(tx, w.resource.Kind, id, metaOf(rec).Revision, w.resource.View(rec))
}

// Number gives a record its number, and the search entry that goes with it.
func (w Writer[T, Body, View]) Number(rec *T, id int64) {
	m := metaOf(rec)
	m.ID, m.Item = id, table.At(w.tenant.Record(w.resource.Kind, id), version)
	w.index(rec)
}

// index renews the search entry.
func (w Writer[T, Body, View]) index(rec *T) {
	numbers := map[string]int64{}
	if w.resource.Numbers != nil {
		numbers = w.resource.Numbers(rec)
	}
	m := metaOf(rec)
	numbers[byUpdated] = m.Updated
	m.Indexed = slimindex.New(w.tenant, w.resource.Kind, w.resource.Name(rec), numbers)
}

// Next makes the record that follows another: the same, a revision later.
func (w Writer[T, Body, View]) Next(before *T) *T {
	after := new(T)
	*after = *before
	m := metaOf(after)
	m.Revision++
	m.Updated = max(m.Updated, w.micros()) // another machine's clock may be ahead
	m.Waiting = false
	return after
}

// Replace adds a changed record to a transaction, if the one that it came from
// is still there; else Write returns table.ErrRevision.
func (w Writer[T, Body, View]) Replace(tx *table.Tx, before, after *T, claims unique.Claims) error {
	w.index(after)
	m := metaOf(after)
	tx.Put(w.tenant.Put(after).If("'r' = ?", metaOf(before).Revision), table.ErrRevision)
	had, has := w.uniques(before), w.uniques(after)
	for _, u := range has {
		if !contains(had, u) {
			claims.Claim(tx, w.tenant, u.Name, u.Value, m.ID)
		}
	}
	for _, u := range had {
		if !contains(has, u) {
			unique.Release(tx, w.tenant, u.Name, u.Value, m.ID)
		}
	}
	log := history.Of(w.tenant, w.actor)
	return log.Changed(tx, w.resource.Kind, m.ID, m.Revision, w.resource.View(before), w.resource.View(after))
}

// Happened tells whether this request wrote a revision of a record: for a write
// whose answer was lost.
func (w Writer[T, Body, View]) Happened(ctx context.Context, rec *T) (bool, error) {
	m := metaOf(rec)
	return history.Of(w.tenant, w.actor).Happened(ctx, w.resource.Kind, m.ID, m.Revision)
}

// Remove adds the end of a record to a transaction, if it is as it was read;
// else Write returns table.ErrRevision. The record is kept in the archive.
func (w Writer[T, Body, View]) Remove(tx *table.Tx, before *T) error {
	gone := new(T)
	*gone = *before
	m := metaOf(gone)
	revision := m.Revision
	m.Item, m.Indexed = table.At(w.tenant.Archive(w.resource.Kind, m.ID), version), slimindex.Indexed{}
	m.Revision, m.Waiting = revision+1, false
	m.Deleted, m.DeletedBy = w.micros(), w.actor.User
	tx.Delete(w.tenant.Delete(w.tenant.Record(w.resource.Kind, m.ID)).If("'r' = ?", revision), table.ErrRevision)
	tx.Put(w.tenant.Put(gone), nil)
	for _, u := range w.uniques(before) {
		unique.Release(tx, w.tenant, u.Name, u.Value, m.ID)
	}
	log := history.Of(w.tenant, w.actor)
	return log.Deleted(tx, w.resource.Kind, m.ID, m.Revision, w.resource.View(before))
}

// uniques are a record's unique values, without those that it does not have.
func (w Writer[T, Body, View]) uniques(rec *T) []Unique {
	if w.resource.Unique == nil {
		return nil
	}
	var list []Unique
	for _, u := range w.resource.Unique(rec) {
		if u.Value != "" {
			list = append(list, u)
		}
	}
	return list
}

func contains(list []Unique, u Unique) bool {
	for _, other := range list {
		if other.Name == u.Name && other.Value == u.Value {
			return true
		}
	}
	return false
}

// Same tells whether a change left a record as it was.
func Same[T any](before, after *T) bool {
	b, a := *before, *after
	*metaOf(&b), *metaOf(&a) = Meta{}, Meta{}
	return reflect.DeepEqual(b, a)
}
