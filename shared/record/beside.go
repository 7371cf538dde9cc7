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
	"github.com/tenantry/tenantry/shared/table"
)

// Beside a record of a kind with kinds.Kind.Sums or Held lies one item more, which
// is not read to be changed: sums, and how many records hold this one. Both only
// ever have something added, so whoever adds does not meet whoever changes the
// record, and additions of one unit of work are one operation.
//
// It has no revision, so an answer that shows a sum is never 304.

// The attributes of the item, beside those of the sums.
const (
	goneAttribute = "G" // the record is gone: nothing is added any more
	heldAttribute = "H" // how many records hold it
	heldBy        = "H" // begins the attributes of how many of one kind do: "Hord"
	besideVersion = 1
)

// Sum is what is added to a number beside a record.
type Sum struct {
	Name string // one of kinds.Kind.Sums
	By   money.Amount
	// Least is what the number must not fall below by this, and Most what it must
	// not rise above; nil is the least and the most that an amount can be. Refused is
	// the fault of what would make it, where one is given.
	Least, Most *money.Amount
	Refused     *fault.Error
}

// errSum is the fault of a sum that would be none that an amount can be.
var errSum = fault.New(fault.Conflict, "A sum would have more than 14 digits before the decimal point.").With("code", "sum_too_large")

// Add adds to sums beside a record of the kind, which the unit of work has read, or
// which a record of it holds: so that there is no sum beside what never was.
func (k Kind[T]) Add(w *Work, id int64, sums ...Sum) {
	t := w.sums.of(k.Kind, id)
	for _, s := range sums {
		t.add[s.Name] = t.add[s.Name].Add(s.By)
		t.sums = append(t.sums, s)
	}
}

// Sums are the numbers beside a record, by their names; what is not there is 0.
type Sums map[string]money.Amount

// Sums are those beside a record of the kind, with what the unit of work adds to
// them. They are read as Work.Item reads, and for showing: another may add at the
// same time, so what depends on a sum says so with Sum.Least or Sum.Most.
func (k Kind[T]) Sums(ctx context.Context, w *Work, id int64) (Sums, error) {
	item, err := w.Item(ctx, w.scope.Table.Beside(k.Kind.Code, id))
	if err != nil {
		return nil, err
	}
	sums, err := sumsOf(k.Kind, item)
	if err != nil {
		return nil, err
	}
	if t := w.sums[besideKey{k.Kind.Code, id}]; t != nil {
		for name, by := range t.add {
			sums[name] = sums[name].Add(by)
		}
	}
	return sums, nil
}

// sumsOf reads the numbers of an item.
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

// beside is what a unit of work makes of the items beside records.
type beside map[besideKey]*total

type besideKey struct {
	kind kinds.Code
	id   int64
}

// total is what becomes of one of them.
type total struct {
	kind  kinds.Kind
	id    int64
	add   map[string]money.Amount
	sums  []Sum
	holds map[kinds.Code]int64
	named bool // a record of the unit of work holds the record, or did
	goes  bool // the record is removed
}

func (b beside) of(k kinds.Kind, id int64) *total {
	key := besideKey{k.Code, id}
	if b[key] == nil {
		b[key] = &total{kind: k, id: id, add: map[string]money.Amount{}, holds: map[kinds.Code]int64{}}
	}
	return b[key]
}

// hold counts the records that are held from now on, and no more, and refuses
// additions that are a mistake of ours.
func (w *Work) hold() error {
	for _, p := range w.parts {
		k, id := p.self()
		had, has := p.holds()
		for i, list := range [][]Reference{had, has} {
			for _, r := range list {
				held, ok := w.scope.Table.Kind(r.Kind)
				if !ok || !held.Held {
					return fmt.Errorf("record: the kind %s can't be held", r.Kind)
				}
				t := w.sums.of(held, r.ID)
				t.holds[k.Code] += int64(2*i - 1)
				t.named = true
			}
		}
		if p.goes() && (k.Held || len(k.Sums) > 0) {
			w.sums.of(k, id).goes = true
		}
	}
	for key, t := range w.sums {
		if err := t.mistaken(w); err != nil {
			return err
		}
		if t.isNothing() {
			delete(w.sums, key)
		}
	}
	return nil
}

// mistaken says what is wrong with additions whoever the caller is.
func (t *total) mistaken(w *Work) error {
	for _, s := range t.sums {
		if !slices.Contains(t.kind.Sums, s.Name) {
			return fmt.Errorf("record: %s has no sum %q", t.kind.Code, s.Name)
		}
		if (s.Least != nil || s.Most != nil) && s.Refused == nil {
			return fmt.Errorf("record: the sum %q beside %s is bounded, and has no fault", s.Name, t.kind.Code)
		}
	}
	key := w.scope.Table.Record(t.kind.Code, t.id)
	if len(t.sums) > 0 && !t.named && w.at[key] == nil && w.found[key] == nil {
		return fmt.Errorf("record: a sum beside %s %d, which the unit of work neither read nor holds", t.kind.Code, t.id)
	}
	return nil
}

func (t *total) isNothing() bool {
	maps.DeleteFunc(t.add, func(_ string, a money.Amount) bool { return a.IsZero() })
	maps.DeleteFunc(t.holds, func(_ kinds.Code, n int64) bool { return n == 0 })
	return len(t.add)+len(t.holds) == 0 && !t.goes
}

// bound is what a number may be once it has been added to: at least, or else at
// most, a limit.
type bound struct {
	name    string
	by      money.Amount
	lower   bool
	limit   money.Amount
	refused *fault.Error
}

// bounds are those of additions that can pass them: a number that is below its
// least already may rise.
func (t *total) bounds() (list []bound) {
	least, most := money.Least(), money.Most()
	for _, name := range slices.Sorted(maps.Keys(t.add)) {
		by := t.add[name]
		for _, s := range append(t.sums[:len(t.sums):len(t.sums)], Sum{Name: name, Least: &least, Most: &most, Refused: errSum}) {
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

// bears tells whether a number may be added to.
func (b bound) bears(n money.Amount) bool {
	if b.lower {
		return n.Add(b.by).Cmp(b.limit) >= 0
	}
	return n.Add(b.by).Cmp(b.limit) <= 0
}

// condition is that, for the number as the engine has it.
func (b bound) condition() (string, []any) {
	c := "$ <= ?"
	if b.lower {
		c = "$ >= ?"
	}
	args := []any{b.name, b.limit.Sub(b.by)}
	if b.bears(money.Amount{}) { // what is not there is 0
		c, args = "(attribute_not_exists($) OR "+c+")", append([]any{b.name}, args...)
	}
	return c, args
}

// more is by how many records more hold the record.
func (t *total) more() (n int64) {
	for _, by := range t.holds {
		n += by
	}
	return n
}

// besideError fails a transaction whose item beside a record does not bear what
// is added.
type besideError struct{ *total }

func (e *besideError) Error() string {
	return fmt.Sprintf("record: the sums beside %s %d do not bear this", e.kind.Code, e.id)
}

// write adds one operation for each item.
func (b beside) write(tx *table.Tx, t *table.Tenant) {
	keys := slices.SortedFunc(maps.Keys(b), func(x, y besideKey) int { return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.id, y.id)) })
	for _, key := range keys {
		of := b[key]
		u := t.Update(t.Beside(of.kind.Code, of.id)).Set("v", besideVersion)
		conditions, args := []string{"attribute_not_exists($)"}, []any{goneAttribute}
		for name, by := range of.add {
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
		if of.goes { // whoever holds it lets it go in the same breath
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

// refused says why an item beside a record did not bear what was added. What is
// not to be seen any more was a race, and so is a record that has gone since the
// unit of work read it or found it held.
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
		return w.held(e, item)
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

// held is the fault of a record that others hold: which and how many.
func (w *Work) held(e *besideError, item table.Attributes) error {
	by := map[string]int64{}
	for _, k := range w.scope.Table.Kinds() {
		if n := item.Int(heldBy+string(k.Code)) + e.holds[k.Code]; n > 0 {
			by[k.Name] = n
		}
	}
	return fault.New(fault.Conflict, "Other records depend on this one.").With("code", "held").With("held_by", by)
}
