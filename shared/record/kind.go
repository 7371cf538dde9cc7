package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
)

// Kind declares a kind of records, without HTTP. T is a pointer to the stored struct, which embeds Meta.
// Kind is required, and Shown, unless the records are AppendOnly or Unaudited. A feature whose field is left out is one that the
// records don't have.
type Kind[T Stored] struct {
	Kind kinds.Kind
	// Version is the schema version of T, from 1; 0 means 1. Records of this version and of the
	// one before can be read.
	Version int

	// Name is what a record is called; a search finds it. It is stored in the attribute
	// kinds.Name. A kind with neither Name nor Columns is not searched.
	Name func(rec T) string
	// More is further text that a search by words finds; it affects no order.
	More func(rec T) string
	// SearchVersion is to be raised when Name, More or a column gives another value for the same record than before. The
	// segments are then made anew from the records.
	SearchVersion byte
	// Columns are the values by which lists are filtered and ordered, besides those of every
	// record (column.Common).
	Columns []column.Column[T]

	// Shown is what the history shows of a record: what callers see of it, except addresses and
	// sums. Lists are the parts of a record that
	// have ids of their own; the history names the part that changed.
	Shown func(rec T) any
	Lists func(rec T) audit.Lists
	// Concerns are the other records that an event of the record concerns which comes by itself: created, updated or deleted. Of one
	// that is changed, they are those before and after. Where they are more than event.MostConcerned, the first ones count, but those
	// whose kind has a timeline come before the others.
	Concerns func(rec T) []event.Ref
	// Parent is the record whose history also tells the changes of this record. A unit of work
	// that changes this record has to edit its parent too, and the parent's revision counts the
	// changes of both. Whoever removes the parent has to remove its children as well: nothing
	// else prevents orphans.
	Parent func(rec T) Parent
	// AppendOnly records are created and never changed, and have no history.
	AppendOnly bool
	// Unaudited records are changed and have no history, such as those that follow from other
	// records. If the answer to a transaction of such records alone is lost, nothing tells whether
	// it took place: the caller gets a fault Unavailable, or the decision is called again. It has to
	// work out what to write from what it reads, so that the second time it writes nothing.
	Unaudited bool
	// Arms returns the messages that each write of a record arms, such as for what others derive
	// from it. before is nil for a new record, after for one that is removed.
	Arms func(before, after T) []Message
	// ArmsImport returns the messages that an import of new records arms with its last transaction,
	// instead of those of Arms: a transaction has no room for a message of each record.
	ArmsImport func(recs []T) []Message

	// Unique are the values that no other live record of the company may have.
	Unique func(rec T) []Unique
	// NamesOwner makes the fault about a unique value name the record that has it, in the member
	// taken_by: {"unique_id": 7}.
	NamesOwner bool
	// References are the records that this record refers to.
	References func(rec T) []Reference
	// Extras are a record's free parts: JSON of the caller's own, which custom fields may describe.
	Extras func(rec T) []Extra
	// MaxExtra is how many bytes of JSON a free part may have; 0 means the constant MaxExtra.
	MaxExtra int
	// Most is about how many live records a company may have; requests that run at the same
	// moment may exceed it by a few. 0 means no limit. The list of a kind with Most is an array
	// of all records.
	Most int
	// Sorted is the order of such an array; records that are equal in it are the oldest first.
	// nil: the oldest first.
	Sorted func(a, b T) int

	// Below says where a record is in the index of children; for the zero Child it is not in
	// the index.
	Below func(rec T) Child
}

// Declared is a package variable that holds a kind, which is built when it is first asked for: no start waits for it. Unlike a
// sync.OnceValue of declare, it does not link declare into functions that never ask.
type Declared[T Stored] struct {
	once sync.Once
	kind Kind[T]
}

// Get returns the kind, which declare makes at the first call. Nobody changes it: what needs another one copies it.
func (d *Declared[T]) Get(declare func() Kind[T]) *Kind[T] {
	d.once.Do(func() { d.kind = declare() })
	return &d.kind
}

// Message is a message with a key; see Work.Arm.
type Message struct {
	Kind outbox.Kind
	Key  string
}

// Unique is a value that no other live record of the company may have.
type Unique struct {
	Name  string // one of kinds.Kind.Unique
	Value string // as it is compared; empty means that the record has no such value
	Field string // the field that its error is reported at: "individual.iin"
}

// Reference is a record that another record refers to.
type Reference struct {
	Field string // the field that its error is reported at
	Kind  kinds.Code
	ID    int64
	// Hold prevents the other record from being removed as long as something refers to it; its
	// kind must be Held. Without Hold it may be removed at any time, and its id stays here.
	Hold bool
}

// Texts joins the texts of a record that has them, with spaces between; for Kind.More.
func Texts(texts ...*string) string {
	var words []string
	for _, text := range texts {
		if text != nil {
			words = append(words, *text)
		}
	}
	return strings.Join(words, " ")
}

// Limits of records. MaxExtra is the size of a record's free part in bytes of JSON: a list
// carries the free part of each record. A list that is an array carries the free parts of all
// records, and still has to fit into one answer.
const (
	MaxExtra      = 16 << 10
	MaxArray      = 1000
	MaxArrayExtra = 2 << 10
)

// Key is the key of a live record.
func (k *Kind[T]) Key(t *table.Tenant, id int64) table.Key { return t.Record(k.Kind.Code, id) }

// Get reads a record consistently: one call of one unit. If the record is from an import that
// has ended lately, it takes one more call of one unit.
func (k *Kind[T]) Get(ctx context.Context, s Scope, id int64) (T, error) {
	return k.get(ctx, s, id, k.Key(s.Table, id))
}

// GetRemoved reads a record that was removed, from the archive, as Get reads one that is there.
func (k *Kind[T]) GetRemoved(ctx context.Context, s Scope, id int64) (T, error) {
	return k.get(ctx, s, id, s.Table.Archive(k.Kind.Code, id))
}

func (k *Kind[T]) get(ctx context.Context, s Scope, id int64, key table.Key) (rec T, err error) {
	if id > table.MaxID {
		return rec, fault.ErrNotFound // a caller's number may be longer than ours
	}
	var item table.Attributes
	err = s.Table.Get(ctx, key, &item)
	if errors.Is(err, table.ErrNotFound) {
		return rec, fault.ErrNotFound
	}
	if err != nil {
		return rec, err
	}
	if item[bulk.Waiting] != nil {
		visible, err := bulk.Visible(ctx, s.Table, k.Kind.Code, item.Int(bulk.Import))
		if err != nil {
			return rec, err
		}
		if !visible {
			return rec, fault.ErrNotFound
		}
	}
	return k.decode(item)
}

// decode reads an item. It accepts only the schema versions that T can read.
func (k *Kind[T]) decode(item table.Attributes) (rec T, err error) {
	rec = empty[T]()
	if err = item.Decode(rec); err != nil {
		return rec, err
	}
	if v := rec.meta().V; v != k.version() && v != k.version()-1 {
		return rec, fmt.Errorf("record: %s %d has the schema version %d", k.Kind.Code, rec.meta().ID, v)
	}
	return rec, nil
}

func (k *Kind[T]) version() int { return max(k.Version, 1) }

// uniques are the unique values that a record has; empty ones are left out.
func (k *Kind[T]) uniques(rec T) (list []Unique) {
	if k.Unique == nil {
		return nil
	}
	for _, u := range k.Unique(rec) {
		if u.Value != "" {
			list = append(list, u)
		}
	}
	return list
}

func (k *Kind[T]) references(rec T) []Reference {
	if k.References == nil {
		return nil
	}
	return k.References(rec)
}

// holds are the references of a record that prevent other records from being removed.
func (k *Kind[T]) holds(rec T) (list []Reference) {
	for _, r := range k.references(rec) {
		if r.Hold {
			list = append(list, r)
		}
	}
	return list
}

// view is what the history shows of a record.
func (k *Kind[T]) view(rec T) (v audit.View) {
	if k.Shown == nil {
		return v
	}
	v.Fields = k.Shown(rec)
	if k.Lists != nil {
		v.Lists = k.Lists(rec)
	}
	return v
}

// Place gives a record its id and its place in the indexes. It is for records that are written
// outside of a unit of work, such as seed data.
func (k *Kind[T]) Place(t *table.Tenant, rec T, id int64) {
	m := rec.meta()
	m.ID, m.Item = id, table.At(k.Key(t, id), k.version())
	k.index(t, rec)
}

// index renews what the indexes store about a record.
func (k *Kind[T]) index(t *table.Tenant, rec T) {
	m := rec.meta()
	m.Indexed, m.Listed = search.Indexed{}, Listed{}
	if k.IsSearched() {
		m.Indexed = search.New(t, k.Searched(), k.searchValues(rec), int64(m.Updated))
		if m.Waiting { // a segment takes it from the record itself, when its import is committed
			m.Indexed = search.Indexed{X: m.X}
		}
	}
	if k.Below != nil {
		m.Listed = k.Below(rec).listed(t, k.Kind.Code, m.ID)
	}
}
