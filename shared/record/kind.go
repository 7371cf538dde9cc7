package record

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
)

// Kind declares a kind of records: what one is, without HTTP. T is the stored
// struct, which embeds Meta. Only Kind is needed; what is left out the records
// don't have.
type Kind[T any] struct {
	Kind kinds.Kind
	// Version is the schema version of T, from 1; 0 is 1. A record of this version
	// or the one before can be read.
	Version int

	// Name is what a record is called, which is searched. It is stored in the
	// attribute kinds.Name. Records of a kind with neither name nor columns are in
	// no search.
	Name func(rec *T) string
	// More is what else of a record a search by words finds; it changes no order.
	More func(rec *T) string
	// Columns are the values by which lists are filtered and ordered.
	Columns []column.Column[T]

	// Shown is what a history tells of a record: what callers see of it, but for
	// addresses and sums. Every kind that is changed has it. Lists are those of its parts that have ids of their
	// own, of which a history names the one that changed.
	Shown func(rec *T) any
	Lists func(rec *T) audit.Lists
	// Parent is the record that takes this one's changes into its own history. It
	// has to be in each unit of work that changes this one, and its revision
	// counts the changes of both. Whoever removes it removes its children, too:
	// nothing else keeps them from being left behind.
	Parent func(rec *T) Parent
	// AppendOnly records are made and never changed, and have no history.
	AppendOnly bool

	// Unique are the values that no other live record of the company may have.
	Unique func(rec *T) []Unique
	// References are the records that a record names.
	References func(rec *T) []Reference
	// Extras are a record's free parts.
	Extras func(rec *T) []Extra
	// MaxExtra is how many bytes of JSON a free part may have; 0 is MaxExtra.
	MaxExtra int
	// Most is how many live records a company may have, about: a few made at once
	// may pass. 0 is any number. A list of such a kind is an array of them all.
	Most int

	// Below puts a record into the index of children, in an order; the zero Child
	// is in none.
	Below func(rec *T) Child
}

// Unique is a value that no other live record of the company may have.
type Unique struct {
	Name  string // one of kinds.Kind.Unique
	Value string // as it is compared; empty is none
	Field string // where its error stands: "individual.iin"
}

// Reference is a record that another names.
type Reference struct {
	Field string // where its error stands
	Kind  kinds.Code
	ID    int64
	// Hold keeps the other record from going as long as it is named: its kind is
	// Held. Else it may go at any time, and its number stays.
	Hold bool
}

// Bounds of records. MaxExtra is how large the free part of one may be, in bytes
// of JSON: a list carries that of each record. A list that is an array carries
// all of them, and still has to fit an answer.
const (
	MaxExtra      = 16 << 10
	MaxArray      = 1000
	MaxArrayExtra = 2 << 10
)

// ByUpdated is the letter of the time of the last change in the search index. No
// column has it.
const ByUpdated = "u"

// Key is the key of a live record.
func (k Kind[T]) Key(t *table.Tenant, id int64) table.Key { return t.Record(k.Kind.Code, id) }

// Get reads a record, consistently: one call, one unit; another of each where
// the record is from an import that has ended lately.
func (k Kind[T]) Get(ctx context.Context, s Scope, id int64) (*T, error) {
	if id > table.MaxID {
		return nil, fault.ErrNotFound // a caller's number may be longer than ours
	}
	var item table.Attributes
	err := s.Table.Get(ctx, k.Key(s.Table, id), &item)
	if errors.Is(err, table.ErrNotFound) {
		return nil, fault.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if item[bulk.Waiting] != nil {
		visible, err := bulk.Visible(ctx, s.Table, k.Kind.Code, item.Int(bulk.Import))
		if err != nil {
			return nil, err
		}
		if !visible {
			return nil, fault.ErrNotFound
		}
	}
	return k.decode(item)
}

// decode reads an item, and accepts no version that T was not made for.
func (k Kind[T]) decode(item table.Attributes) (*T, error) {
	rec := new(T)
	if err := item.Decode(rec); err != nil {
		return nil, err
	}
	if v := metaOf(rec).V; v != k.version() && v != k.version()-1 {
		return nil, fmt.Errorf("record: %s %d has the schema version %d", k.Kind.Code, metaOf(rec).ID, v)
	}
	return rec, nil
}

func (k Kind[T]) version() int { return max(k.Version, 1) }

// uniques are a record's unique values, without those that it does not have.
func (k Kind[T]) uniques(rec *T) (list []Unique) {
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

func (k Kind[T]) references(rec *T) []Reference {
	if k.References == nil {
		return nil
	}
	return k.References(rec)
}

// holds are the records that a record keeps from going.
func (k Kind[T]) holds(rec *T) (list []Reference) {
	for _, r := range k.references(rec) {
		if r.Hold {
			list = append(list, r)
		}
	}
	return list
}

// view is what the history tells of a record; nil has no view.
func (k Kind[T]) view(rec *T) (v audit.View) {
	if rec == nil || k.Shown == nil {
		return v
	}
	v.Fields = k.Shown(rec)
	if k.Lists != nil {
		v.Lists = k.Lists(rec)
	}
	return v
}

// Place gives a record its number and its place in the indexes, for records that
// are written outside of a unit of work, as a seed is.
func (k Kind[T]) Place(t *table.Tenant, rec *T, id int64) {
	m := metaOf(rec)
	m.ID, m.Item = id, table.At(k.Key(t, id), k.version())
	k.index(t, rec)
}

// index renews what the indexes know of a record.
func (k Kind[T]) index(t *table.Tenant, rec *T) {
	m := metaOf(rec)
	m.Indexed, m.Listed = search.Indexed{}, Listed{}
	if k.IsSearched() {
		v := k.values(rec)
		v.Numbers[ByUpdated] = m.Updated
		m.Indexed = search.New(t, k.Kind.Code, v, k.TextBytes())
	}
	if k.Below != nil {
		m.Listed = k.Below(rec).listed(t, k.Kind.Code, m.ID)
	}
}
