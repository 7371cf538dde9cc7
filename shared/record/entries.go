package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/table"
)

// An item beside a record can also hold entries: amounts with a moment, each under a number of
// its own, of which there are only a few (kinds.Kind.Entries). Unlike a sum, an entry can be
// read and taken out by itself. Entries are set and removed by name and counted by addition, so
// that units of work with different entries don't conflict.

// entryAttribute is the attribute that counts the entries, and the prefix of their attributes:
// "E15".
const entryAttribute = "E"

// Entry is an amount with a moment beside a record.
type Entry struct {
	At     moment.Micros `dynamo:"a"`
	Amount money.Amount  `dynamo:"b"`
}

// Entries are entries by their number.
type Entries map[int64]Entry

// entryChange is what a unit of work makes of one entry.
type entryChange struct {
	had bool   // the entry was there when it was read
	is  *Entry // nil if it is removed
}

// Entries are the entries beside a record of the kind, as the unit of work has made them. They
// are read like Work.Item.
func (k *Kind[T]) Entries(ctx context.Context, w *Work, id int64) (Entries, error) {
	item, err := w.Item(ctx, w.scope.Table.Beside(k.Kind.Code, id))
	if err != nil {
		return nil, err
	}
	list := Entries{}
	for name := range item {
		number, ok := entryNumber(name)
		if !ok {
			continue
		}
		if list[number], err = entryOf(item, name); err != nil {
			return nil, fmt.Errorf("record: the entry %s beside %s %d: %w", name, k.Kind.Code, id, err)
		}
	}
	if t := w.additions[besideKey{k.Kind.Code, id}]; t != nil {
		for number, c := range t.entries {
			if delete(list, number); c.is != nil {
				list[number] = *c.is
			}
		}
	}
	return list, nil
}

func entryNumber(attribute string) (int64, bool) {
	digits, ok := strings.CutPrefix(attribute, entryAttribute)
	number, err := strconv.ParseInt(digits, 10, 64)
	return number, ok && err == nil
}

func entryOf(item table.Attributes, name string) (e Entry, err error) {
	err = item.Map(name).Decode(&e)
	return e, err
}

// SetEntry sets an entry beside a record of the kind, which the unit of work must have read.
// full is the fault if there would be too many of them.
func (k *Kind[T]) SetEntry(ctx context.Context, w *Work, id, number int64, e Entry, full *fault.Error) error {
	t, err := k.changeEntry(ctx, w, id, number, &e)
	if err == nil {
		t.full = full
	}
	return err
}

// RemoveEntry removes an entry, if it is there.
func (k *Kind[T]) RemoveEntry(ctx context.Context, w *Work, id, number int64) error {
	_, err := k.changeEntry(ctx, w, id, number, nil)
	return err
}

func (k *Kind[T]) changeEntry(ctx context.Context, w *Work, id, number int64, is *Entry) (*itemAdditions, error) {
	item, err := w.Item(ctx, w.scope.Table.Beside(k.Kind.Code, id))
	if err != nil {
		return nil, err
	}
	t := w.additions.of(k.Kind, id)
	t.entries[number] = entryChange{had: item[entryName(number)] != nil, is: is}
	return t, nil
}

func entryName(number int64) string { return entryAttribute + strconv.FormatInt(number, 10) }

// moreEntries is by how much the number of entries grows.
func (t *itemAdditions) moreEntries() (n int) {
	for _, c := range t.entries {
		if c.is != nil {
			n++
		}
		if c.had {
			n--
		}
	}
	return n
}

// writeEntries adds the entries to the operation on the item. The conditions are that each
// entry is there, or is not, as it was read: otherwise the count would be wrong.
func (t *itemAdditions) writeEntries(u *dynamo.Update) (_ *dynamo.Update, conditions []string, args []any) {
	for _, number := range slices.Sorted(maps.Keys(t.entries)) {
		c, name := t.entries[number], entryName(number)
		condition := "attribute_not_exists($)"
		if c.had {
			condition = "attribute_exists($)"
		}
		conditions, args = append(conditions, condition), append(args, name)
		if c.is != nil {
			u = u.Set(name, *c.is)
		} else {
			u = u.Remove(name)
		}
	}
	more := t.moreEntries()
	if more != 0 {
		u = u.Add(entryAttribute, more)
	}
	if more > 0 {
		conditions = append(conditions, "(attribute_not_exists($) OR $ <= ?)")
		args = append(args, entryAttribute, entryAttribute, t.kind.Entries-more)
	}
	return u, conditions, args
}

// bearsEntries finds out whether the entries were the reason why the condition on the item
// failed.
func (t *itemAdditions) bearsEntries(item table.Attributes) error {
	for number, c := range t.entries {
		if c.had != (item[entryName(number)] != nil) {
			return table.ErrRevision
		}
	}
	if more := t.moreEntries(); more > 0 && int(item.Int(entryAttribute))+more > t.kind.Entries {
		return t.full
	}
	return nil
}

// areEntries tells whether entries are all that changes beside records.
func (b additions) areEntries() bool {
	for _, t := range b {
		if len(t.add)+len(t.years)+len(t.holds) > 0 || t.goes {
			return false
		}
	}
	return true
}

// entered tells whether the entries are as the unit of work has them.
func (w *Work) entered(ctx context.Context) (bool, error) {
	for _, t := range w.additions {
		var item table.Attributes
		err := w.scope.Table.Get(ctx, w.scope.Table.Beside(t.kind.Code, t.id), &item)
		if err != nil && !errors.Is(err, table.ErrNotFound) {
			return false, err
		}
		for number, c := range t.entries {
			name := entryName(number)
			if (item[name] != nil) != (c.is != nil) {
				return false, nil
			}
			if c.is == nil {
				continue
			}
			if is, err := entryOf(item, name); err != nil || is.At != c.is.At || is.Amount.Cmp(c.is.Amount) != 0 {
				return false, err
			}
		}
	}
	return true, nil
}
