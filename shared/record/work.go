package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// Work is one unit of work while it is decided: records of any kinds that are
// made, changed and removed, sums that are added to, messages that are left. What
// meets on one item is merged. It belongs to one call of a decision.
type Work struct {
	scope Scope
	again bool // it was decided before, and lost a race

	found map[table.Key]table.Attributes // what was read; nil where there is nothing
	parts []part
	at    map[table.Key]part // those of parts that have a number
	sums  beside
	sends []outbox.Message
	arms  map[table.Key]outbox.Message
	also  []func(tx *table.Tx) error

	provided []func(tx *table.Tx)

	errs      fault.FieldErrors
	revisions []audit.Revision
	left      unique.Claims // values that dead imports have left
	claims    []claim

	reserved map[kinds.Code][]int64 // numbers, of all tries
	used     map[kinds.Code]int     // of this one
}

func newWork(s Scope, reserved map[kinds.Code][]int64) *Work {
	errs := fault.FieldErrors{}
	errs.Merge("", s.Wrong)
	return &Work{
		scope: s, errs: errs, found: map[table.Key]table.Attributes{}, at: map[table.Key]part{}, sums: beside{},
		arms: map[table.Key]outbox.Message{}, reserved: reserved, used: map[kinds.Code]int{},
	}
}

// Scope is in which company the unit of work happens, on whose behalf, and when.
func (w *Work) Scope() Scope { return w.scope }

// Errors are what is wrong with the part of a body at a path, "" for all of it,
// "data.3" for an element of a list: what the decoder has found, and what rules add.
// They are answered together with what the checks find.
func (w *Work) Errors(path string) fault.FieldErrors { return w.errs.At(path) }

// with is the fault of a decision, with all that was found wrong before.
func (w *Work) with(err error) error {
	f, ok := fault.As(err)
	if !ok || f.Code != fault.Invalid || len(f.Fields) == 0 || !w.isWrong() {
		return err
	}
	w.errs.Merge("", f.Fields)
	all := *f
	if told, ok := fault.As(w.fault()); ok {
		all.Fields = told.Fields
	}
	return &all
}

// Load reads items in one call for each hundred, so that the functions that ask
// for one of them find it: for a decision that knows which records it needs.
func (w *Work) Load(ctx context.Context, keys ...table.Key) error {
	var unknown []table.Key
	for _, k := range keys {
		if _, known := w.found[k]; !known && w.at[k] == nil {
			unknown = append(unknown, k)
		}
	}
	found, err := Look(ctx, w.scope.Table, w.scope.Now(), unknown...)
	if err != nil {
		return err
	}
	for _, k := range unknown {
		w.found[k] = found[k]
	}
	return nil
}

// Know tells the unit of work what was read, consistently, for this very try of the
// decision: all of these keys, some of which have no item. What was read for the try
// before is not known any more.
func (w *Work) Know(found map[table.Key]table.Attributes, keys ...table.Key) {
	for _, k := range keys {
		w.found[k] = found[k]
	}
}

// Item is an item as it was when the decision first asked for it; nil where there
// is none. It is read consistently, with others by Load or by itself.
func (w *Work) Item(ctx context.Context, k table.Key) (table.Attributes, error) {
	if item, known := w.found[k]; known {
		return item, nil
	}
	var item table.Attributes
	err := w.scope.Table.Get(ctx, k, &item)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return nil, err
	}
	if item[bulk.Waiting] != nil {
		if err := w.Load(ctx, k); err != nil { // which asks whether it is to be seen
			return nil, err
		}
		return w.found[k], nil
	}
	w.found[k] = item
	return item, nil
}

// Send leaves a message.
func (w *Work) Send(kind outbox.Kind, body any) error {
	m, err := outbox.New(w.scope.Table.Message, kind, body, w.scope.Now(), w.scope.Now())
	if err == nil {
		w.sends = append(w.sends, m)
	}
	return err
}

// Arm leaves a message of which one waits for its key; see outbox.NewKeyed. Whoever
// carries that very message out, on whose behalf the unit of work then happens,
// leaves none: it would never end.
func (w *Work) Arm(kind outbox.Kind, key string) {
	m := outbox.NewKeyed(w.scope.Table.Message, kind, key, w.scope.Now())
	if m.ID != w.scope.Actor.Request {
		w.arms[m.Key()] = m
	}
}

// Also adds to the transaction what is written of items that are no records. It
// is called again after a conflict. An operation whose condition fails because
// another was faster says so with table.ErrRevision.
func (w *Work) Also(add func(tx *table.Tx) error) { w.also = append(w.also, add) }

// Provided adds conditions to the transaction, on items that it does not write. Where
// there is nothing to write, they are not asked.
func (w *Work) Provided(add func(tx *table.Tx)) { w.provided = append(w.provided, add) }

// Revise adds a revision to the history of what is no record but has one.
func (w *Work) Revise(r audit.Revision) { w.revisions = append(w.revisions, r) }

// isEmpty tells whether nothing would be written.
func (w *Work) isEmpty() bool {
	for _, p := range w.parts {
		if p.writes() {
			return false
		}
	}
	return len(w.sums)+len(w.sends)+len(w.arms)+len(w.also)+len(w.revisions) == 0
}

// prepare settles what becomes of each record, and what its history tells.
func (w *Work) prepare() error {
	for _, p := range w.parts {
		for _, t := range p.tells() {
			of := w.at[w.scope.Table.Record(t.parent.Kind, t.parent.ID)]
			if of == nil || !of.takes(t) {
				return fmt.Errorf("record: a change that is told by %s %d, which the unit of work does not edit", t.parent.Kind, t.parent.ID)
			}
		}
	}
	for _, p := range w.parts {
		r, err := p.prepare(w)
		if err != nil {
			return err
		}
		if r != nil {
			w.revisions = append(w.revisions, *r)
		}
	}
	w.claim()
	return w.hold()
}

// write adds everything to the transaction.
func (w *Work) write(tx *table.Tx, c *listing.Counts) error {
	if !w.isEmpty() {
		for _, add := range w.provided {
			add(tx)
		}
	}
	for _, p := range w.parts {
		if err := p.write(w, tx, c); err != nil {
			return err
		}
	}
	for _, c := range w.claims {
		c.write(tx, w.scope.Table, w.left)
	}
	log := audit.Of(w.scope.Table, w.scope.Actor)
	for _, r := range w.revisions {
		if err := log.Add(tx, r); err != nil {
			return err
		}
	}
	w.sums.write(tx, w.scope.Table)
	for _, m := range w.sends {
		outbox.Send(tx, w.scope.Table, m)
	}
	for _, m := range slices.SortedFunc(maps.Values(w.arms), func(a, b outbox.Message) int { return strings.Compare(a.ID, b.ID) }) {
		outbox.Arm(tx, w.scope.Table, m)
	}
	for _, add := range w.also {
		if err := add(tx); err != nil {
			return err
		}
	}
	return nil
}
