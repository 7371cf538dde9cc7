package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// A record of a kind with kinds.Kind.Sums or Held has a second item beside it. That item holds
// sums, and the number of records that hold this record. It is not read to be changed: its
// numbers are only ever added to, so additions don't conflict with changes of the record
// itself. All additions of one unit of work are one operation. The item may also hold entries
// (entries.go), and sums of years (days.go).
//
// The item has no revision, so an answer that shows a sum is never 304.

// The attributes of the item, in addition to the sums.
const (
	goneAttribute = "G" // the record is removed: nothing may be added any more
	heldAttribute = "H" // how many records hold it
	heldBy        = "H" // prefix of the attributes that count the records of one kind: "Hord"
	besideVersion = 1
)

// Addition is an addition to a sum beside a record.
type Addition struct {
	Name string // one of kinds.Kind.Sums
	By   money.Amount
	// Least and Most limit the number: an addition must not make it fall below Least or rise
	// above Most. nil means the smallest and the largest amount that can be stored. Refused is
	// the fault if the limit would be passed; it is required with Least or Most.
	Least, Most *money.Amount
	Refused     *fault.Error
}

// errSum is the fault if a sum would become too large to be stored as an amount.
var errSum = fault.New(fault.Conflict, say.SumTooLarge).Coded()

// AddToSums adds to sums beside a record of the kind. The unit of work must have read the record, or
// a record of it must hold the record, so that no sum is stored beside a record that never
// existed.
func (k *Kind[T]) AddToSums(w *Work, id int64, sums ...Addition) {
	t := w.additions.of(k.Kind, id)
	for _, s := range sums {
		t.add[s.Name] = t.add[s.Name].Add(s.By)
		t.sums = append(t.sums, s)
	}
}

// Sums are the numbers beside a record, by name; a missing number is 0.
type Sums map[string]money.Amount

// Sums are the sums beside a record of the kind, including what the unit of work adds to them.
// They are read like Work.Item, and only for showing: another request may add at the same time,
// so a rule that depends on a sum has to use Addition.Least or Addition.Most.
func (k *Kind[T]) Sums(ctx context.Context, w *Work, id int64) (Sums, error) {
	item, err := w.Item(ctx, w.scope.Table.Beside(k.Kind.Code, id))
	if err != nil {
		return nil, err
	}
	sums, err := sumsOf(k.Kind, item)
	if err != nil {
		return nil, err
	}
	if t := w.additions[besideKey{k.Kind.Code, id}]; t != nil {
		for name, by := range t.add {
			sums[name] = sums[name].Add(by)
		}
	}
	return sums, nil
}

// Holders are how many records hold a record of the kind, by the names of their kinds. Like
// Sums they are only for showing: removing a record checks by itself that nothing holds it.
func (k *Kind[T]) Holders(ctx context.Context, w *Work, id int64) (map[string]int64, error) {
	item, err := w.Item(ctx, w.scope.Table.Beside(k.Kind.Code, id))
	if err != nil {
		return nil, err
	}
	return w.holders(item, nil), nil
}

// holders reads from an item how many records of each kind hold its record; more is added.
func (w *Work) holders(item table.Attributes, more map[kinds.Code]int64) map[string]int64 {
	by := map[string]int64{}
	for _, k := range w.scope.Table.Kinds() {
		if n := item.Int(heldBy+string(k.Code)) + more[k.Code]; n > 0 {
			by[k.Name] = n
		}
	}
	return by
}

// LoadSums reads the items beside all records of a kind with a limit (Most), by one consistent
// query, so that functions that need the items beside the records ids later don't read them again.
func (k *Kind[T]) LoadSums(ctx context.Context, w *Work, ids ...int64) error {
	var items []table.Attributes
	t := w.scope.Table
	if err := t.Table().Get("pk", t.AllBeside(k.Kind.Code)).Consistent(true).All(ctx, &items); err != nil {
		return fmt.Errorf("record: all sums beside %s: %w", k.Kind.Many, err)
	}
	found, keys := map[table.Key]table.Attributes{}, make([]table.Key, len(ids))
	for _, item := range items {
		found[table.Key{PK: item.Text("pk"), SK: item.Text("sk")}] = item
	}
	for i, id := range ids {
		keys[i] = t.Beside(k.Kind.Code, id)
	}
	w.Know(found, keys...)
	return nil
}

// sumsOf reads the sums from an item.
func sumsOf(k kinds.Kind, item table.Attributes) (Sums, error) {
	sums := Sums{}
	for _, name := range k.Sums {
		value, ok := item[name]
		if !ok {
			continue
		}
		var a money.Amount
		if err := a.UnmarshalDynamo(value); err != nil {
			return nil, fmt.Errorf("record: the sum %s beside %s: %w", name, item.Text("pk"), err)
		}
		sums[name] = a
	}
	return sums, nil
}

// additions are what a unit of work adds to the items beside records.
type additions map[besideKey]*itemAdditions

type besideKey struct {
	kind kinds.Code
	id   int64
}

// itemAdditions are what is added to one of these items.
type itemAdditions struct {
	kind  kinds.Kind
	id    int64
	add   map[string]money.Amount
	sums  []Addition
	years map[string]money.Amount // by attribute
	holds map[kinds.Code]int64

	entries map[int64]entryChange
	full    *fault.Error // if there would be too many entries

	named bool // a record of the unit of work holds the record, or has held it
	goes  bool // the record is removed
}

func (b additions) of(k kinds.Kind, id int64) *itemAdditions {
	key := besideKey{k.Code, id}
	if b[key] == nil {
		b[key] = &itemAdditions{
			kind: k, id: id, add: map[string]money.Amount{}, years: map[string]money.Amount{}, holds: map[kinds.Code]int64{},
			entries: map[int64]entryChange{},
		}
	}
	return b[key]
}

// held is a record that another one, of the kind by, holds.
type held struct {
	by kinds.Code
	Reference
}

// countHolds adds which records are held from now on and which no longer are; imported are the holds of records that an import has
// written itself.
func (w *Work) countHolds(imported []held) error {
	count := func(h held, n int64) error {
		k, ok := w.scope.Table.Kind(h.Kind)
		if !ok || !k.Held {
			return fmt.Errorf("record: the kind %s can't be held", h.Kind)
		}
		t := w.additions.of(k, h.ID)
		t.holds[h.by] += n
		t.named = true
		return nil
	}
	for _, h := range imported {
		if err := count(h, 1); err != nil {
			return err
		}
	}
	for _, p := range w.tracked {
		k, id := p.kindAndID()
		had, has := p.holds()
		for _, r := range had {
			if err := count(held{k.Code, r}, -1); err != nil {
				return err
			}
		}
		for _, r := range has {
			if err := count(held{k.Code, r}, 1); err != nil {
				return err
			}
		}
		if p.isRemoved() && (k.Held || len(k.Sums) > 0) {
			w.additions.of(k, id).goes = true
		}
	}
	return nil
}

// checkAdditions refuses additions that are mistakes in our code, and drops those that come to nothing.
func (w *Work) checkAdditions() error {
	for key, t := range w.additions {
		if err := t.validate(w); err != nil {
			return err
		}
		if t.dropZeros(); t.isEmpty() {
			delete(w.additions, key)
		}
	}
	return nil
}

// validate reports additions that are wrong whoever the caller is.
func (t *itemAdditions) validate(w *Work) error {
	for _, s := range t.sums {
		if !slices.Contains(t.kind.Sums, s.Name) {
			return fmt.Errorf("record: %s has no sum %q", t.kind.Code, s.Name)
		}
		if (s.Least != nil || s.Most != nil) && s.Refused == nil {
			return fmt.Errorf("record: the sum %q beside %s is bounded, and has no fault", s.Name, t.kind.Code)
		}
	}
	key := w.scope.Table.Record(t.kind.Code, t.id)
	if len(t.entries) > 0 && t.kind.Entries == 0 || t.moreEntries() > 0 && t.full == nil {
		return fmt.Errorf("record: entries beside %s %d, of which there are none, or any number", t.kind.Code, t.id)
	}
	if len(t.sums)+len(t.years)+len(t.entries) > 0 && !t.named && w.at[key] == nil && w.found[key] == nil {
		return fmt.Errorf("record: a sum beside %s %d, which the unit of work neither read nor holds", t.kind.Code, t.id)
	}
	return nil
}

// dropZeros drops what adds nothing.
func (t *itemAdditions) dropZeros() {
	maps.DeleteFunc(t.add, func(_ string, a money.Amount) bool { return a.IsZero() })
	maps.DeleteFunc(t.years, func(_ string, a money.Amount) bool { return a.IsZero() })
	maps.DeleteFunc(t.holds, func(_ kinds.Code, n int64) bool { return n == 0 })
	maps.DeleteFunc(t.entries, func(_ int64, c entryChange) bool { return !c.had && c.is == nil })
}

func (t *itemAdditions) isEmpty() bool {
	return len(t.add)+len(t.years)+len(t.holds)+len(t.entries) == 0 && !t.goes
}

// bound is a limit that a number has to respect after an addition: a lower one or an upper one.
type bound struct {
	name    string
	by      money.Amount
	lower   bool
	limit   money.Amount
	refused *fault.Error
}

// bounds are the limits that the additions could pass. An addition that raises a number is not
// checked against Least, so a number that is already too low may rise.
func (t *itemAdditions) bounds() (list []bound) {
	least, most := money.Least(), money.Most()
	for _, name := range slices.Sorted(maps.Keys(t.add)) {
		by := t.add[name]
		for _, s := range append(t.sums[:len(t.sums):len(t.sums)], Addition{Name: name, Least: &least, Most: &most, Refused: errSum}) {
			limit := s.Most
			if by.IsNegative() {
				limit = s.Least
			}
			if s.Name == name && limit != nil {
				list = append(list, bound{name, by, by.IsNegative(), *limit, s.Refused})
			}
		}
	}
	return list
}

// bears tells whether the addition to a number n stays within the limit.
func (b bound) bears(n money.Amount) bool {
	if b.lower {
		return n.Add(b.by).Cmp(b.limit) >= 0
	}
	return n.Add(b.by).Cmp(b.limit) <= 0
}

// condition is the same check, as a condition on the stored number.
func (b bound) condition() (string, []any) {
	c := "$ <= ?"
	if b.lower {
		c = "$ >= ?"
	}
	args := []any{b.name, b.limit.Sub(b.by)}
	if b.bears(money.Amount{}) { // a missing number is 0
		c, args = "(attribute_not_exists($) OR "+c+")", append([]any{b.name}, args...)
	}
	return c, args
}

// more is by how much the number of records that hold this record grows.
func (t *itemAdditions) more() (n int64) {
	for _, by := range t.holds {
		n += by
	}
	return n
}

// besideError is the error of a transaction in which the condition on an item beside a record
// failed.
type besideError struct{ *itemAdditions }

func (e *besideError) Error() string {
	return fmt.Sprintf("record: the sums beside %s %d do not bear this", e.kind.Code, e.id)
}

// write adds one operation for each item.
func (b additions) write(tx *table.Tx, t *table.Tenant) {
	for _, key := range slices.SortedFunc(maps.Keys(b), func(x, y besideKey) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.id, y.id))
	}) {
		of := b[key]
		u := t.Update(t.Beside(of.kind.Code, of.id)).Set("v", besideVersion)
		u, conditions, args := of.writeEntries(u)
		conditions, args = append(conditions, "attribute_not_exists($)"), append(args, goneAttribute)
		for name, by := range of.add {
			u = u.Add(name, by)
		}
		for name, by := range of.years {
			u = u.Add(name, by)
		}
		for kind, n := range of.holds {
			u = u.Add(heldBy+string(kind), n)
		}
		more := of.more()
		if more != 0 {
			u = u.Add(heldAttribute, more)
		}
		for _, bound := range of.bounds() {
			c, more := bound.condition()
			conditions, args = append(conditions, c), append(args, more...)
		}
		if of.goes { // all holders have to release it in the same transaction
			u = u.Set(goneAttribute, 1)
			c := "$ <= ?"
			if more == 0 {
				c, args = "(attribute_not_exists($) OR "+c+")", append(args, heldAttribute)
			}
			conditions, args = append(conditions, c), append(args, heldAttribute, -more)
		}
		tx.Update(u.If(strings.Join(conditions, " AND "), args...), &besideError{of})
	}
}

// refused finds out why the condition on an item beside a record failed. If no reason can be
// found any more, it was a race; so it was if the record was removed after the unit of work had
// read it or found it held.
func (w *Work) refused(ctx context.Context, e *besideError) error {
	var item table.Attributes
	err := w.scope.Table.Get(ctx, w.scope.Table.Beside(e.kind.Code, e.id), &item)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return err
	}
	if item[goneAttribute] != nil {
		return table.ErrRevision
	}
	if e.goes && item.Int(heldAttribute)+e.more() > 0 {
		return Held(w.holders(item, e.holds))
	}
	if err := e.bearsEntries(item); err != nil {
		return err
	}
	sums, err := sumsOf(e.kind, item)
	if err != nil {
		return err
	}
	for _, bound := range e.bounds() {
		if !bound.bears(sums[bound.name]) {
			return bound.refused
		}
	}
	return table.ErrRevision
}

// Held is the fault for removing a record that others hold; by says how many of each kind, by the names of the kinds.
func Held(by map[string]int64) *fault.Error {
	return fault.New(fault.Conflict, say.Held).Coded().With("held_by", by)
}
