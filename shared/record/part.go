package record

import (
	"context"
	"fmt"
	"reflect"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// tracked is one record within a unit of work, whatever its kind.
type tracked interface {
	// settle works out whether the record, as it is now, has to be written.
	settle() error
	// addQuestions adds what has to be looked up to check the record.
	addQuestions(q *questions)
	// newUniques are the unique values that the record is to get.
	newUniques() []wanted
	// growth says that its kind gets one record more or one less; false unless a company may have only
	// so many of the kind.
	growth() (c growth, ok bool)
	// unnumbered returns the kind, and whether the record still needs an id.
	unnumbered() (kinds.Code, bool)
	// number gives the record its id and returns the record's key.
	number(w *Work, id int64) table.Key
	// childChanges are what the history of the record's parent has to tell, if it has a parent: two
	// if the record moves from one parent to another.
	childChanges() []childChange
	// takeChild makes a child's change part of this record's history. It is false if this record is
	// only read.
	takeChild(t childChange) bool
	// prepare completes the record as it is written, and returns the revision for its history,
	// if it gets one.
	prepare(w *Work) (*audit.Revision, error)
	// uniqueValues are the unique values that the record had before and has after.
	uniqueValues() (had, has []unique.Value)
	// holds are the references that prevent other records from being removed, before and after.
	holds() (had, has []Reference)
	// isRemoved tells whether the unit of work removes the record.
	isRemoved() bool
	// writes tells whether there is anything to write.
	writes() bool
	// write adds the record to the transaction. If it is not written but relied on, it adds the
	// condition that it is unchanged.
	write(w *Work, tx *table.Tx, c *listing.Counts) error
	// indexed is the entry of the search that is written with the record; false if none is.
	indexed() (search.Indexed, bool)
	// appends is the key of an append-only record that only this request can have written.
	appends() (table.Key, bool)
	// unaudited tells whether the record is written, and of a kind without history.
	unaudited() bool
	// earliest is the earliest stamp that the record's new revision may have, and revision is its number.
	earliest() moment.Micros
	revision() int64
	// concerned are the other records that an event of the record concerns which comes by itself.
	concerned() []event.Ref
	// kindAndID identify the record.
	kindAndID() (kinds.Kind, int64)
}

// action is what a unit of work does with a record.
type action int

const (
	onlyRead action = iota
	create
	edit
	remove
)

// trackedRecord is a record of kind T within a unit of work.
type trackedRecord[T Stored] struct {
	kind   *Kind[T]
	action action
	gone   bool // the record was removed before: it is the archive's
	relied bool // the record must still be as it was read, even if it is not written
	dirty  bool // settle found something to write
	before T    // nil for a new record
	rec    T    // as it will be written
	errs   fault.FieldErrors

	children []childChange // changes of children
	answered answered
}

// Create adds new records to the unit of work. Their errors are reported at a path of the body:
// "" for the whole body, "data.3" for an element of a list.
func (k *Kind[T]) Create(w *Work, path string, recs ...T) {
	for _, rec := range recs {
		k.begin(w.scope, rec)
		if k.AppendOnly {
			rec.meta().Request = w.scope.Actor.Request
		}
		w.tracked = append(w.tracked, &trackedRecord[T]{kind: k, action: create, rec: rec, errs: w.Errors(path)})
	}
}

// Empty is a record whose fields are zero, for Create.
func (k *Kind[T]) Empty() T { return empty[T]() }

// New is an empty record with a Meta but without an id. An import uses it for the records that
// it creates.
func (k *Kind[T]) New(s Scope) T {
	rec := empty[T]()
	k.begin(s, rec)
	return rec
}

// begin gives a new record its Meta.
func (k *Kind[T]) begin(s Scope, rec T) {
	*rec.meta() = Meta{Item: table.At(k.Key(s.Table, 0), k.version()), Revision: 1, Created: s.moment(), Updated: s.moment()}
}

// Edit returns the working copy of a record. What differs from the record when the decision ends is
// written. Further calls for the same record return the same copy. It is a shallow copy:
// pointers, maps and slices are shared with the record as it was read, so replace them instead
// of changing what they refer to. If there is no such record the error is fault.ErrNotFound.
func (k *Kind[T]) Edit(ctx context.Context, w *Work, id int64) (rec T, err error) {
	p, err := k.edited(ctx, w, id)
	if err != nil {
		return rec, err
	}
	return p.rec, nil
}

// EditAt is Edit for a record that an element of a list in the body changes: what the checks find
// wrong with the record is reported at a path, "inventories.3".
func (k *Kind[T]) EditAt(ctx context.Context, w *Work, id int64, path string) (rec T, err error) {
	p, err := k.edited(ctx, w, id)
	if err != nil {
		return rec, err
	}
	p.errs = w.Errors(path)
	return p.rec, nil
}

// EditRemoved is Edit for a record that was removed: what is still to be done about it changes the copy in the archive, and its
// history tells it. No list knows the record.
func (k *Kind[T]) EditRemoved(ctx context.Context, w *Work, id int64) (rec T, err error) {
	if k.Unique != nil || k.Parent != nil {
		return rec, fmt.Errorf("record: a removed record of %s has nothing that could be changed", k.Kind.Code)
	}
	key := w.scope.Table.Archive(k.Kind.Code, id)
	if p, ok := w.at[key].(*trackedRecord[T]); ok {
		return p.rec, nil
	}
	item, err := w.Item(ctx, key)
	if err != nil {
		return rec, err
	}
	if item == nil {
		return rec, fault.ErrNotFound
	}
	before, err := k.decode(item)
	if err != nil {
		return rec, err
	}
	rec = copied(before)
	p := &trackedRecord[T]{kind: k, action: edit, gone: true, before: before, rec: rec, errs: w.Errors("")}
	w.tracked, w.at[key] = append(w.tracked, p), p
	return rec, nil
}

func (k *Kind[T]) edited(ctx context.Context, w *Work, id int64) (*trackedRecord[T], error) {
	if k.AppendOnly {
		return nil, fmt.Errorf("record: a record of %s is never changed", k.Kind.Code)
	}
	p, err := k.track(ctx, w, id)
	if err == nil && p.action == onlyRead {
		p.action, p.errs = edit, w.Errors("")
	}
	return p, err
}

// Rely returns a record that the decision depends on: if the unit of work writes anything, its
// transaction fails if the record has changed since it was read. That takes one operation, or
// none if the record itself is written.
func (k *Kind[T]) Rely(ctx context.Context, w *Work, id int64) (rec T, err error) {
	p, err := k.track(ctx, w, id)
	if err != nil {
		return rec, err
	}
	p.relied = true
	return p.rec, nil
}

// Read returns a record as it was when the decision first asked for it, with the changes that the
// decision has made since. The transaction does not check that it is still so.
func (k *Kind[T]) Read(ctx context.Context, w *Work, id int64) (rec T, err error) {
	p, err := k.find(w, id)
	if err != nil {
		return rec, err
	}
	if p != nil {
		return p.rec, nil
	}
	item, err := w.Item(ctx, k.Key(w.scope.Table, id))
	if err != nil {
		return rec, err
	}
	if item == nil {
		return rec, fault.ErrNotFound
	}
	return k.decode(item)
}

// Before returns a record as it was read, before the unit of work edits or removes it; nil for any
// other record. It must not be changed.
func (k *Kind[T]) Before(w *Work, id int64) (before T) {
	if p, ok := w.at[k.Key(w.scope.Table, id)].(*trackedRecord[T]); ok {
		return p.before
	}
	return before
}

// Remove removes a record from every list. The archive keeps it as it was read, without the
// changes that the decision made before.
func (k *Kind[T]) Remove(ctx context.Context, w *Work, id int64) error {
	p, err := k.edited(ctx, w, id)
	if err != nil {
		return err
	}
	if p.action == create {
		return fmt.Errorf("record: %s %d is made and removed at once", k.Kind.Code, id)
	}
	overwrite(p.rec, p.before)
	p.action = remove
	return nil
}

// find returns a record of the unit of work; nil if the unit of work does not have it yet.
func (k *Kind[T]) find(w *Work, id int64) (*trackedRecord[T], error) {
	if id < 1 || id > table.MaxID {
		return nil, fault.ErrNotFound // a caller's number may be longer than ours
	}
	at, there := w.at[k.Key(w.scope.Table, id)]
	if !there {
		return nil, nil
	}
	p, ok := at.(*trackedRecord[T])
	switch {
	case !ok:
		return nil, fmt.Errorf("record: %s %d is there as a %T already", k.Kind.Code, id, at)
	case p.action == remove:
		return nil, fault.ErrNotFound
	}
	return p, nil
}

// track returns a record of the unit of work; it is read if the unit of work does not have it yet.
func (k *Kind[T]) track(ctx context.Context, w *Work, id int64) (*trackedRecord[T], error) {
	if p, err := k.find(w, id); p != nil || err != nil {
		return p, err
	}
	before, err := k.Read(ctx, w, id)
	if err != nil {
		return nil, err
	}
	rec := copied(before)
	p := &trackedRecord[T]{kind: k, action: onlyRead, before: before, rec: rec}
	w.tracked, w.at[k.Key(w.scope.Table, id)] = append(w.tracked, p), p
	return p, nil
}

func (p *trackedRecord[T]) kindAndID() (kinds.Kind, int64) { return p.kind.Kind, p.rec.meta().ID }

func (p *trackedRecord[T]) isRemoved() bool { return p.action == remove }

func (p *trackedRecord[T]) unnumbered() (kinds.Code, bool) {
	return p.kind.Kind.Code, p.action == create && p.rec.meta().ID == 0
}

func (p *trackedRecord[T]) number(w *Work, id int64) table.Key {
	m, key := p.rec.meta(), p.kind.Key(w.scope.Table, id)
	m.ID, m.Item = id, table.At(key, p.kind.version())
	return key
}

func (p *trackedRecord[T]) settle() error {
	p.dirty = p.action == create || p.action == remove || !Same(p.before, p.rec)
	switch {
	case p.dirty && p.action == onlyRead:
		return fmt.Errorf("record: %s %d was changed, and is only relied on", p.kind.Kind.Code, p.rec.meta().ID)
	case p.dirty && p.kind.Shown == nil && !p.kind.AppendOnly && !p.kind.Unaudited:
		return fmt.Errorf("record: the kind %s has a history, and shows nothing in it", p.kind.Kind.Code)
	}
	return nil
}

// Same tells whether two records are stored alike, apart from their Meta.
func Same(a, b Stored) bool {
	x, err := withoutMeta(a)
	if err != nil {
		return false // the error is reported when it is written
	}
	y, err := withoutMeta(b)
	return err == nil && reflect.DeepEqual(x, y)
}

// withoutMeta is what is stored of a record besides its Meta.
func withoutMeta(rec Stored) (dynamo.Item, error) {
	bare := copied(rec)
	*bare.meta() = Meta{}
	return dynamo.MarshalItem(bare)
}

func (p *trackedRecord[T]) writes() bool { return p.dirty }

func (p *trackedRecord[T]) prepare(w *Work) (*audit.Revision, error) {
	if !p.dirty {
		return nil, nil // it gets none
	}
	if p.kind.Below != nil && p.action != remove {
		if c := p.kind.Below(p.rec); !c.isSortable() {
			return nil, fmt.Errorf("record: the place %q of %s %d does not sort", c.At, p.kind.Kind.Code, p.rec.meta().ID)
		}
	}
	r := p.revise(w)
	var none T
	before, after := p.before, p.rec
	switch {
	case p.action == remove:
		after = none
	case p.gone: // its entry in the search still says that it was removed
		p.rec.meta().Updated, p.rec.meta().Stamp = p.was().Updated, w.stamp
	default:
		p.kind.index(w.scope.Table, p.rec)
	}
	if p.kind.Arms != nil {
		w.arm(p.kind.Arms(before, after))
	}
	if p.kind.Parent != nil || p.kind.AppendOnly || p.kind.Unaudited {
		return nil, nil
	}
	if p.action != create {
		r.Before = p.kind.view(before)
	}
	if p.action != remove {
		r.After = p.kind.view(after)
	}
	r.Before.Lists = withChildren(r.Before.Lists, p.children, func(t childChange) any { return t.before })
	r.After.Lists = withChildren(r.After.Lists, p.children, func(t childChange) any { return t.after })
	return r, nil
}

// was is the Meta of the record as it was read; the zero Meta for a new one.
func (p *trackedRecord[T]) was() *Meta {
	if p.action == create {
		return new(Meta)
	}
	return p.before.meta()
}

// revise makes the Meta of the record that of its next revision, which it returns without its views.
func (p *trackedRecord[T]) revise(w *Work) *audit.Revision {
	m, was, kind := p.rec.meta(), p.was(), p.kind.Kind.Code
	if p.action != create {
		*m = *was
		m.Revision = was.Revision + 1
		m.Updated = max(was.Updated+1, w.scope.moment()) // another machine's clock may be ahead, and the search needs it to rise
		m.Waiting = false
	}
	r := &audit.Revision{Kind: kind, ID: m.ID, Number: m.Revision}
	switch p.action {
	case create:
		r.Action = audit.Created
	case remove:
		r.Action = audit.Deleted
		m.Item, m.Indexed, m.Listed = table.At(w.scope.Table.Archive(kind, m.ID), p.kind.version()), search.Indexed{}, Listed{}
		if p.kind.IsSearched() {
			m.Indexed = search.Gone(w.scope.Table, kind, int64(m.Updated))
		}
		m.Updated, m.Deleted, m.DeletedBy = was.Updated, w.scope.moment(), w.scope.Actor.User
	default:
		r.Action = audit.Changed
	}
	m.stamped(w.stamp)
	return r
}
