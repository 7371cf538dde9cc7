package record

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/history"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/slimindex"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/unique"
)

// part is one record within a unit of work, whatever its kind.
type part interface {
	// asks adds what has to be looked up to check the record, and checks judges
	// it by what was found.
	asks(q *questions)
	// unnumbered tells of which kind a number is to be given to the record.
	unnumbered() (kinds.Code, bool)
	// number gives it, and answers the record's key.
	number(w *Work, id int64) table.Key
	// tells is what the record's parent has to tell, where it has one.
	tells() (parent Parent, list string, e element, ok bool)
	// takes makes a child's change one of the record; false where the record is
	// only read.
	takes(list string, e element) bool
	// prepare makes the record what is written, and answers the revision that its
	// history gets.
	prepare(w *Work) (history.Revision, bool)
	// values are the unique values that it had and has.
	values() (had, has []unique.Value)
	// holds are the records that it kept and keeps from going.
	holds() (had, has []Reference)
	// goes tells whether the record is removed.
	goes() bool
	// writes tells whether there is anything to write.
	writes() bool
	write(w *Work, tx *table.Tx, c *directory.Counts) error
	// appends is the key of a record that only this request can have written.
	appends() (table.Key, bool)
	// self is the record's kind and number.
	self() (kinds.Kind, int64)
}

// element is a child as its parent's history tells it.
type element struct {
	id            int64
	before, after any // nil where there is none
}

// doing is what a unit of work does with a record.
type doing int

const (
	reads doing = iota // and depends on it
	creates
	edits
	removes
)

// one is a record of a kind within a unit of work.
type one[T any] struct {
	kind   Kind[T]
	doing  doing
	before *T // nil where it is new
	rec    *T // as it becomes
	path   string
	errs   fault.Fields

	told     map[string][]element // changes of children, by list
	answered answered
}

// Create makes records new in the unit of work. Their errors stand at a path of
// the body: "" for all of it, "data.3" for an element of a list.
func (k Kind[T]) Create(w *Work, path string, recs ...*T) {
	for _, rec := range recs {
		m := metaOf(rec)
		*m = Meta{Item: table.At(k.Key(w.scope.Table, 0), k.version()), Revision: 1, Created: w.scope.micros(), Updated: w.scope.micros()}
		if k.AppendOnly {
			m.Request = w.scope.Actor.Request
		}
		w.parts = append(w.parts, &one[T]{kind: k, doing: creates, rec: rec, path: path, errs: w.Errors(path)})
	}
}

// Edit is the working copy of a record, which is written as it is when the
// decision ends, if it is another then. Whoever asks again gets the same one.
// What it refers to by pointers, maps and slices is the record's as it was read:
// a change puts others in their place. A record that is not there is
// fault.ErrNotFound.
func (k Kind[T]) Edit(ctx context.Context, w *Work, id int64) (*T, error) {
	return k.EditAt(ctx, w, "", id)
}

// EditAt is Edit of a record whose errors stand at a path of the body.
func (k Kind[T]) EditAt(ctx context.Context, w *Work, path string, id int64) (*T, error) {
	if k.AppendOnly {
		return nil, fmt.Errorf("record: a record of %s is never changed", k.Kind.Code)
	}
	p, err := k.part(ctx, w, id)
	if err != nil {
		return nil, err
	}
	if p.doing == reads {
		p.doing = edits
		p.path, p.errs = path, w.Errors(path)
	}
	return p.rec, nil
}

// Rely is a record on which the decision depends: the transaction fails where it
// has changed since it was read. It is one operation, unless the record is
// edited too.
func (k Kind[T]) Rely(ctx context.Context, w *Work, id int64) (*T, error) {
	p, err := k.part(ctx, w, id)
	if err != nil {
		return nil, err
	}
	return p.rec, nil
}

// Read is a record as it was when the decision first asked for it, or as the
// decision has made it since. Nothing keeps it so.
func (k Kind[T]) Read(ctx context.Context, w *Work, id int64) (*T, error) {
	if id < 1 || id > table.MaxID {
		return nil, fault.ErrNotFound // a caller's number may be longer than ours
	}
	key := k.Key(w.scope.Table, id)
	if p, ok := w.at[key].(*one[T]); ok {
		if p.doing == removes {
			return nil, fault.ErrNotFound
		}
		return p.rec, nil
	}
	item, err := w.Item(ctx, key)
	if err != nil {
		return nil, err
	}
	if item == nil {
		return nil, fault.ErrNotFound
	}
	return k.decode(item)
}

// Remove takes a record out of every list. It is kept in the archive.
func (k Kind[T]) Remove(ctx context.Context, w *Work, id int64) error {
	if _, err := k.Edit(ctx, w, id); err != nil {
		return err
	}
	p, _ := w.at[k.Key(w.scope.Table, id)].(*one[T]) // Edit put it there
	if p.doing == creates {
		return fmt.Errorf("record: %s %d is made and removed at once", k.Kind.Code, id)
	}
	p.doing = removes
	return nil
}

// part is a record within the unit of work, which is read if it is not there yet.
func (k Kind[T]) part(ctx context.Context, w *Work, id int64) (*one[T], error) {
	key := k.Key(w.scope.Table, id)
	if p, ok := w.at[key].(*one[T]); ok {
		if p.doing == removes {
			return nil, fault.ErrNotFound
		}
		return p, nil
	}
	before, err := k.Read(ctx, w, id)
	if err != nil {
		return nil, err
	}
	rec := new(T)
	*rec = *before
	p := &one[T]{kind: k, doing: reads, before: before, rec: rec}
	w.parts, w.at[key] = append(w.parts, p), p
	return p, nil
}

func (p *one[T]) self() (kinds.Kind, int64) { return p.kind.Kind, metaOf(p.rec).ID }

func (p *one[T]) goes() bool { return p.doing == removes }

func (p *one[T]) unnumbered() (kinds.Code, bool) {
	return p.kind.Kind.Code, p.doing == creates && metaOf(p.rec).ID == 0
}

func (p *one[T]) number(w *Work, id int64) table.Key {
	m, key := metaOf(p.rec), p.kind.Key(w.scope.Table, id)
	m.ID, m.Item = id, table.At(key, p.kind.version())
	return key
}

// changed tells whether an edited record is another than it was.
func (p *one[T]) changed() bool {
	return len(p.told) > 0 || !Same(p.before, p.rec)
}

// Same tells whether two records are stored alike, but for their Meta.
func Same[T any](a, b *T) bool {
	x, err := stored(a)
	if err != nil {
		return false // whoever writes it is told
	}
	y, err := stored(b)
	return err == nil && reflect.DeepEqual(x, y)
}

func stored[T any](rec *T) (dynamo.Item, error) {
	bare := *rec
	*metaOf(&bare) = Meta{}
	return dynamo.MarshalItem(&bare)
}

func (p *one[T]) writes() bool {
	switch p.doing {
	case creates, removes:
		return true
	case edits:
		return p.changed()
	case reads:
	}
	return false
}

func (p *one[T]) tells() (parent Parent, list string, e element, ok bool) {
	if p.kind.Parent == nil || !p.writes() {
		return parent, "", e, false
	}
	e.id = metaOf(p.rec).ID
	if p.before != nil {
		parent, e.before = p.kind.Parent(p.before), p.kind.Shown(p.before)
	}
	if p.doing != removes {
		parent, e.after = p.kind.Parent(p.rec), p.kind.Shown(p.rec)
	}
	return parent, parent.List, e, true
}

func (p *one[T]) takes(list string, e element) bool {
	if p.doing == reads || p.kind.Parent != nil {
		return false
	}
	if p.told == nil {
		p.told = map[string][]element{}
	}
	p.told[list] = append(p.told[list], e)
	return true
}

func (p *one[T]) prepare(w *Work) (r history.Revision, ok bool) {
	if !p.writes() {
		return r, false
	}
	m := metaOf(p.rec)
	if p.doing != creates {
		was := metaOf(p.before)
		*m = *was
		m.Revision = was.Revision + 1
		m.Updated = max(was.Updated, w.scope.micros()) // another machine's clock may be ahead
		m.Waiting = false
	}
	r = history.Revision{Kind: p.kind.Kind.Code, ID: m.ID, Number: m.Revision}
	switch p.doing {
	case creates:
		p.kind.index(w.scope.Table, p.rec)
		r.Action, r.After = history.Created, p.kind.view(p.rec)
	case removes:
		r.Action, r.Before = history.Deleted, p.kind.view(p.before)
		m.Item, m.Indexed, m.Listed = table.At(w.scope.Table.Archive(p.kind.Kind.Code, m.ID), p.kind.version()), slimindex.Indexed{}, Listed{}
		m.Updated = metaOf(p.before).Updated
		m.Deleted, m.DeletedBy = w.scope.micros(), w.scope.Actor.User
	default:
		p.kind.index(w.scope.Table, p.rec)
		r.Action, r.Before, r.After = history.Changed, p.kind.view(p.before), p.kind.view(p.rec)
	}
	r.Before.Lists, r.After.Lists = with(r.Before.Lists, p.told, func(e element) any { return e.before }), with(r.After.Lists, p.told, func(e element) any { return e.after })
	return r, p.kind.Parent == nil && !p.kind.AppendOnly
}

// with adds what children tell to the lists of a view.
func with(lists history.Lists, told map[string][]element, side func(element) any) history.Lists {
	if len(told) == 0 {
		return lists
	}
	all := history.Lists{}
	for name, list := range lists {
		all[name] = maps.Clone(list)
	}
	for name, elements := range told {
		if all[name] == nil {
			all[name] = map[int64]any{}
		}
		for _, e := range elements {
			if view := side(e); view != nil {
				all[name][e.id] = view
			}
		}
	}
	return all
}

func (p *one[T]) write(w *Work, tx *table.Tx, c *directory.Counts) error {
	t, d := w.scope.Table, w.scope.Directory(p.kind.Kind.Code)
	m := metaOf(p.rec)
	switch {
	case p.doing == creates:
		tx.Put(t.Create(p.rec), fmt.Errorf("record: %s %d exists", p.kind.Kind.Code, m.ID))
		return c.Created(d, m.ID)
	case p.doing == reads:
		k := p.kind.Key(t, m.ID)
		tx.Check(t.Table().Check("pk", k.PK).Range("sk", k.SK).If("'r' = ?", m.Revision), table.ErrRevision)
	case p.doing == removes:
		tx.Delete(t.Delete(p.kind.Key(t, m.ID)).If("'r' = ?", metaOf(p.before).Revision), table.ErrRevision)
		tx.Put(t.Put(p.rec), nil)
		return c.Deleted(d, m.ID)
	case p.changed():
		tx.Put(t.Put(p.rec).If("'r' = ?", metaOf(p.before).Revision), table.ErrRevision)
	}
	return nil
}

func (p *one[T]) appends() (table.Key, bool) {
	return metaOf(p.rec).Key(), p.kind.AppendOnly && p.doing == creates
}

func (p *one[T]) uniques() (had, has []Unique) {
	if p.doing == reads {
		return nil, nil
	}
	if p.before != nil {
		had = p.kind.uniques(p.before)
	}
	if p.doing != removes {
		has = p.kind.uniques(p.rec)
	}
	return had, has
}

func (p *one[T]) values() (had, has []unique.Value) {
	before, after := p.uniques()
	for _, u := range before {
		had = append(had, p.value(u))
	}
	for _, u := range after {
		has = append(has, p.value(u))
	}
	return had, has
}

func (p *one[T]) holds() (had, has []Reference) {
	if p.doing == reads {
		return nil, nil
	}
	letGo := func(r Reference) bool { return !r.Hold }
	if p.before != nil {
		had = slices.DeleteFunc(slices.Clone(p.kind.references(p.before)), letGo)
	}
	if p.doing != removes {
		has = slices.DeleteFunc(slices.Clone(p.kind.references(p.rec)), letGo)
	}
	return had, has
}
