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

// Beside a record of a kind that has kinds.Kind.Sums lies one item more, which is
// not read to be changed: sums, and the number of records that hold this one. Both
// only ever have something added, so whoever adds does not meet whoever changes
// the record, and additions of one unit of work are one operation.
//
// It has no revision, so an answer that shows a sum is never 304.

// The attributes of the item. Those of sums are named by their groups, in one or
// two small letters.
const (
	goneAttribute = "G" // the record is gone: nothing is added any more
	heldAttribute = "H" // how many records hold it
	heldBy        = "H" // begins the attributes of how many of one kind do: "Hord"
	besideVersion = 1
)

// Sum is what is added to a number beside a record.
type Sum struct {
	Name string
	By   money.Amount
	// Least is what the number must not fall below, if it is not nil, and Refused
	// the fault of what would make it.
	Least   *money.Amount
	Refused *fault.Error
}

// Add adds to a sum beside a record of the kind.
func (k Kind[T]) Add(w *Work, id int64, sums ...Sum) {
	t := w.sums.of(k.Kind, id)
	for _, s := range sums {
		t.add[s.Name] = t.add[s.Name].Add(s.By)
		if s.Least != nil {
			t.least = append(t.least, s)
		}
	}
}

// Sums are the numbers beside a record, by their names; what is not there is 0.
type Sums map[string]money.Amount

// Sums are those beside a record of the kind, with what the unit of work adds to
// them. They are read as Work.Item reads.
func (k Kind[T]) Sums(ctx context.Context, w *Work, id int64) (Sums, error) {
	item, err := w.Item(ctx, w.scope.Table.Beside(k.Kind.Code, id))
	if err != nil {
		return nil, err
	}
	sums, err := sumsOf(item)
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
func sumsOf(item table.Attributes) (Sums, error) {
	sums := Sums{}
	for name, value := range item {
		if name == "pk" || name == "sk" || name == "v" || strings.ToLower(name) != name {
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
	least []Sum
	holds map[kinds.Code]int64
	goes  bool // the record is removed
}

func (b beside) of(k kinds.Kind, id int64) *total {
	key := besideKey{k.Code, id}
	if b[key] == nil {
		b[key] = &total{kind: k, id: id, add: map[string]money.Amount{}, holds: map[kinds.Code]int64{}}
	}
	return b[key]
}

// hold counts the records that are held from now on, and no more.
func (w *Work) hold() error {
	for _, p := range w.parts {
		k, id := p.self()
		had, has := p.holds()
		for i, list := range [][]Reference{had, has} {
			for _, r := range list {
				held, ok := w.scope.Table.Kind(r.Kind)
				if !ok || !held.Sums {
					return fmt.Errorf("record: %s can't be held: it has no sums", r.Kind)
				}
				w.sums.of(held, r.ID).holds[k.Code] += int64(2*i - 1)
			}
		}
		if k.Sums && p.goes() {
			w.sums.of(k, id).goes = true
		}
	}
	maps.DeleteFunc(w.sums, func(_ besideKey, t *total) bool { return t.isNothing() })
	return nil
}

func (t *total) isNothing() bool {
	maps.DeleteFunc(t.add, func(_ string, a money.Amount) bool { return a.IsZero() })
	maps.DeleteFunc(t.holds, func(_ kinds.Code, n int64) bool { return n == 0 })
	return len(t.add)+len(t.holds) == 0 && !t.goes
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
		all := int64(0)
		for kind, n := range of.holds {
			u, all = u.Add(heldBy+string(kind), n), all+n
		}
		if all != 0 {
			u = u.Add(heldAttribute, all)
		}
		for _, s := range of.least {
			if by := of.add[s.Name]; by.IsNegative() {
				conditions, args = append(conditions, "$ >= ?"), append(args, s.Name, s.Least.Sub(by))
			}
		}
		if of.goes {
			u = u.Set(goneAttribute, 1)
			conditions, args = append(conditions, "(attribute_not_exists($) OR $ = ?)"), append(args, heldAttribute, heldAttribute, 0)
		}
		tx.Update(u.If(strings.Join(conditions, " AND "), args...), &besideError{of})
	}
}

// refused says why an item beside a record did not bear what was added. What is
// not to be seen any more was a race.
func (w *Work) refused(ctx context.Context, e *besideError) error {
	var item table.Attributes
	err := w.scope.Table.Get(ctx, w.scope.Table.Beside(e.kind.Code, e.id), &item)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return err
	}
	if item[goneAttribute] != nil { // the record is gone: who decides anew finds that out
		return table.ErrRevision
	}
	if e.goes && item.Int(heldAttribute) > 0 {
		return w.held(item)
	}
	sums, err := sumsOf(item)
	if err != nil {
		return err
	}
	for _, s := range e.least {
		if by := e.add[s.Name]; by.IsNegative() && sums[s.Name].Add(by).Cmp(*s.Least) < 0 {
			return s.Refused
		}
	}
	return table.ErrRevision
}

// held is the fault of a record that others hold: which and how many.
func (w *Work) held(item table.Attributes) error {
	by := map[string]int64{}
	for name := range item {
		if code, ok := strings.CutPrefix(name, heldBy); ok && code != "" && item.Int(name) > 0 {
			k, _ := w.scope.Table.Kind(kinds.Code(code))
			by[k.Name] = item.Int(name)
		}
	}
	return fault.New(fault.Conflict, "Other records depend on this one.").With("code", "held").With("held_by", by)
}
