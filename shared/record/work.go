package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// Work is one unit of work while it is being decided: the records of any kinds that are
// created, changed and removed, the sums that are added to, and the messages that are left.
// Changes to the same item are merged. A Work belongs to one call of the decision.
type Work struct {
	scope Scope
	try   int  // which attempt this is; those before it have lost a race
	trial bool // nothing will be written; see Scope.Rehearse and Scope.Trial

	found   map[table.Key]table.Attributes // what was read; nil where there is no item
	tracked []tracked
	at      map[table.Key]tracked // the parts that have an id

	additions additions
	months    months
	sends     []outbox.Message
	arms      map[string]outbox.Message // by their ids
	also      []func(tx *table.Tx) error

	provided []func(tx *table.Tx)
	once     map[table.Key]any                 // see Once
	last     []func(ctx context.Context) error // see Finally

	errs         fault.FieldErrors
	owners       map[string]int64 // by field, the records that have unique values which others want; see Kind.NamesOwner
	revisions    []audit.Revision
	events       []event.Event
	said         []event.Said     // in the end, what goes into the company's log
	imported     []event.Said     // likewise, of an import
	stamp        moment.Micros    // of all revisions, later than the last change of each record that is written
	left         unique.Abandoned // reservations that dead imports have left
	reservations []reservation

	beforehand map[string]bool // what attempts have done; see Beforehand

	reserved map[kinds.Code][]int64 // ids, reserved by all attempts
	used     map[kinds.Code]int     // how many of them this attempt has used
}

func newWork(s Scope, reserved map[kinds.Code][]int64) *Work {
	errs := fault.FieldErrors{}
	errs.Merge("", s.Wrong)
	return &Work{
		scope: s, errs: errs, found: map[table.Key]table.Attributes{}, at: map[table.Key]tracked{},
		additions: additions{}, months: months{},
		arms: map[string]outbox.Message{}, once: map[table.Key]any{}, reserved: reserved, used: map[kinds.Code]int{},
		owners: map[string]int64{}, beforehand: map[string]bool{},
	}
}

// Scope says in which company the unit of work happens, on whose behalf, and when.
func (w *Work) Scope() Scope { return w.scope }

// Try is how many times the decision has been called, this time included. A decision that picks
// one of several free values can pick another than those who have lost the same race.
func (w *Work) Try() int { return w.try }

// Beforehand runs do, whose effect the transaction can't take back, at most once with success: a further attempt of the decision runs
// it again only if it has failed before. name tells apart what one decision does beforehand. A trial can't do that.
func (w *Work) Beforehand(name string, do func() error) error {
	if w.trial {
		return fmt.Errorf("record: a trial would do what it can't take back: %s", name)
	}
	if w.beforehand[name] {
		return nil
	}
	err := do()
	w.beforehand[name] = err == nil
	return err
}

// Errors are the errors of the part of a body at a path: "" is the whole body, "data.3" an
// element of a list. They are those that the decoder has found, and those that rules add. They
// are answered together with what the checks find.
func (w *Work) Errors(path string) fault.FieldErrors { return w.errs.At(path) }

// withErrors adds the errors that were found before to the fault of a decision.
func (w *Work) withErrors(err error) error {
	f, ok := fault.As(err)
	if !ok || f.Code != fault.Invalid || len(f.Fields) == 0 || !w.isWrong() {
		return err
	}
	w.errs.Merge("", f.Fields)
	all := *f
	if found, ok := fault.As(w.fault()); ok {
		all.Fields = found.Fields
	}
	return &all
}

// Load reads items, with one call for each hundred, so that functions that need one of them
// later don't read it again. It is for a decision that knows in advance which records it needs.
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

// Know gives the unit of work items that the caller has read, consistently and for this attempt
// of the decision. found holds the items; a key of keys that is not in found has no item. Each
// attempt has to read, and call Know, anew.
func (w *Work) Know(found map[table.Key]table.Attributes, keys ...table.Key) {
	for _, k := range keys {
		w.found[k] = found[k]
	}
}

// KnowAlong gives a unit of work that only reads (Scope.Reading) what a page has read beside its records.
func (w *Work) KnowAlong(along *search.Along) {
	if along != nil {
		maps.Copy(w.found, along.Items)
	}
}

// Item returns an item as it was when the decision first asked for it; nil if it did not exist. It is
// read consistently, and once; only what KnowAlong has given may lag behind.
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
		if err := w.Load(ctx, k); err != nil { // Load leaves it out if it is not visible
			return nil, err
		}
		return w.found[k], nil
	}
	w.found[k] = item
	return item, nil
}

// Send leaves a message.
func (w *Work) Send(kind outbox.Kind, body any) error {
	_, err := w.SendAt(kind, body, w.scope.Now())
	return err
}

// SendAt leaves a message that is due at a time. The message that it returns is for a request
// that carries it out itself before; see outbox.Finish.
func (w *Work) SendAt(kind outbox.Kind, body any, due time.Time) (outbox.Message, error) {
	m, err := outbox.New(w.scope.Table.Message, kind, body, w.scope.Now(), due)
	if err == nil {
		w.sends = append(w.sends, m)
	}
	return m, err
}

// Finally leaves a part of the decision for the end, when everything is checked and every record
// has its id: what takes a number of its own (Next), or changes items that are not records. It may
// still change records that the decision has changed, in what no check is about.
func (w *Work) Finally(do func(ctx context.Context) error) { w.last = append(w.last, do) }

// Next is an unused number of a kind, for a decision that needs one of its own; it takes one
// call. A further attempt gets the same numbers again, in the same order. As with ids, a decision
// takes one when nothing is wrong any more: Finally, or after Check.
func (w *Work) Next(ctx context.Context, k kinds.Code) (int64, error) { return w.next(ctx, k, 1) }

// Arm leaves a message of which at most one waits for each key; see outbox.NewKeyed. When the
// worker is carrying out this very message, the unit of work does not arm it again: that would
// never end.
func (w *Work) Arm(kind outbox.Kind, key string) {
	m := outbox.NewKeyed(w.scope.Table.Message, kind, key, w.scope.Now())
	if m.ID != w.scope.Actor.Request {
		w.arms[m.ID] = m
	}
}

// arm leaves the messages that a record's kind tells.
func (w *Work) arm(list []Message) {
	for _, m := range list {
		w.Arm(m.Kind, m.Key)
	}
}

// Also adds operations on items that are not records to the transaction. The function add is
// called again after a conflict. If an operation may fail because another request was faster,
// its error has to be table.ErrRevision.
func (w *Work) Also(add func(tx *table.Tx) error) { w.also = append(w.also, add) }

// Once is the working copy of an item that is not a record. The first call of an attempt of the
// decision makes it; further calls with the same key return the same one, so that several verbs
// can change one item, which is then written once (Work.Also).
func Once[V any](w *Work, k table.Key, begin func() (*V, error)) (*V, error) {
	if shared, ok := w.once[k]; ok {
		v, ok := shared.(*V)
		if !ok {
			return nil, fmt.Errorf("record: the item %s is there as a %T already", k.PK, shared)
		}
		return v, nil
	}
	v, err := begin()
	if err == nil {
		w.once[k] = v
	}
	return v, err
}

// Provided adds conditions to the transaction on items that it does not write. They are not
// checked if there is nothing to write.
func (w *Work) Provided(add func(tx *table.Tx)) { w.provided = append(w.provided, add) }

// Revise adds a revision to the history of something that is not a record but has a history, and whose item the transaction changes
// on the condition that it has the revision before.
func (w *Work) Revise(r audit.Revision) { w.revisions = append(w.revisions, r) }

// isEmpty tells whether there is nothing to write.
func (w *Work) isEmpty() bool {
	for _, p := range w.tracked {
		if p.writes() {
			return false
		}
	}
	return len(w.additions)+len(w.months)+len(w.sends)+len(w.arms)+len(w.also)+len(w.revisions) == 0
}

// prepare works out how each record is written, and what its history tells. imported are the holds of records that an import has
// written itself.
func (w *Work) prepare(imported []held) error {
	for _, p := range w.tracked {
		for _, t := range p.childChanges() {
			of := w.at[w.scope.Table.Record(t.parent.Kind, t.parent.ID)]
			if of == nil || !of.takeChild(t) {
				return fmt.Errorf("record: a change told by %s %d, which the unit of work does not edit", t.parent.Kind, t.parent.ID)
			}
		}
	}
	w.rise()
	for _, p := range w.tracked {
		r, err := p.prepare(w)
		if err != nil {
			return err
		}
		if r != nil {
			w.revisions = append(w.revisions, *r)
		}
	}
	w.reserve()
	if err := w.countHolds(imported); err != nil {
		return err
	}
	w.years()
	if err := w.say(); err != nil {
		return err
	}
	return w.checkAdditions()
}

// write adds everything to the transaction.
func (w *Work) write(tx *table.Tx, c *listing.Counts) error {
	if !w.isEmpty() {
		for _, add := range w.provided {
			add(tx)
		}
	}
	for _, p := range w.tracked {
		if err := p.write(w, tx, c); err != nil {
			return err
		}
	}
	for _, r := range w.reservations {
		r.write(tx, w.scope.Table, w.left)
	}
	log := audit.Of(w.scope.Table, w.scope.Actor)
	for _, r := range w.revisions {
		if err := log.Add(tx, r); err != nil {
			return err
		}
	}
	if said := slices.Concat(w.said, w.imported); len(said) > 0 {
		if err := eventlog.Add(tx, w.scope.Table, w.scope.Actor, w.stamp, w.scope.Now(), said); err != nil {
			return err
		}
	}
	w.additions.write(tx, w.scope.Table)
	w.months.write(tx, w.scope.Table)
	for _, m := range w.sends {
		outbox.Send(tx, w.scope.Table, m)
	}
	for _, id := range slices.Sorted(maps.Keys(w.arms)) {
		outbox.Arm(tx, w.scope.Table, w.arms[id])
	}
	for _, add := range w.also {
		if err := add(tx); err != nil {
			return err
		}
	}
	return nil
}
