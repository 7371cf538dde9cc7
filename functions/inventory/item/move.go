package item

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// MaxMoved is how many items one call moves.
const MaxMoved = 1000

const (
	// part is how many items one transaction moves when it takes several. Each item takes an
	// operation, its audit record another one, and the group that it leaves a third; the group
	// that it gets into, the message, the answer and the events one each: 100 of 100.
	part = 32
	// mostBytes is how large the items may be that one transaction moves, as they were read; it
	// holds 4 MB, with what else is written. An item may have up to 400 KB.
	mostBytes = 3 << 20
	// afterRequest is when the worker takes over: no request lives so long.
	afterRequest = time.Minute
)

// moves is the kind of the message that carries a move of many items out.
const moves outbox.Kind = "inventory.move"

// Move puts an item that the unit of work makes or changes into an inventory group; nil takes
// it out of its group. The move of an item that exists already gets a number, as the moves of MoveAll
// do, so that a move of many items that was asked for earlier does not undo it.
//
// Putting an item where it is already does not count as a move and takes no number: callers who change
// an item often send all its fields, and each of them would pay for a call and a write. So it
// doesn't keep an item from a move of many that is under way and has not come to the item yet.
func Move(w *record.Work, it *Item, group *int64) {
	if it.Group == group || it.Group != nil && group != nil && *it.Group == *group {
		return
	}
	from := it.Group
	if it.Group = group; Kind().Before(w, it.ID) == nil {
		return
	}
	it.saysMove(w, from)
	w.Finally(func(ctx context.Context) (err error) {
		it.Moved, err = later(ctx, w, it.Moved)
		return err
	})
}

// moving is a move of items into a group: the message that carries it out.
type moving struct {
	Group  int64       `json:"group"`
	Items  []int64     `json:"items"`
	Number int64       `json:"number"`
	Actor  audit.Actor `json:"actor"` // who asked for it, for the items' histories
}

// MoveAll moves items into an inventory group, all or none of them. sent are their ids as a caller
// sent them; an id that is repeated counts once. Ids that name no item, and a group that is not
// there, are one fault about the fields "inventories" and "id". The answer a is kept in the
// transaction after which the move is certain.
//
// What one transaction holds is moved by one. For more, the first transaction moves the first
// items and leaves a message about the others. MoveAll then moves these, a transaction for each
// part of them, and finishes the message. If it can't, because the process dies or the table is
// away, the worker carries the message out. So a move that was begun ends whole, whenever
// something fails. Readers may see it half done meanwhile.
//
// Each move has a number of one sequence, which each item keeps that it has moved. An item that
// has a higher number was moved later, and stays where it is. So all moves of an item end in the
// group of the latest one, in whichever order they are carried out, and carrying a move out twice
// is the same as once. An item that was deleted meanwhile is left out.
//
// Each item costs a read unit and 5 write units: 2 for the item, 1 for its entry in the search
// index, 2 for its history. The items of one transaction share 2 for each group that they leave.
//
// A group with items can't be deleted. If it goes nevertheless before all items are moved, because
// other moves have emptied it again, the remaining ones stay where they are.
func MoveAll(ctx context.Context, s record.Scope, a record.Answer, group int64, sent []int64) error {
	var m moving
	var left outbox.Message
	var rest []int64
	var known map[table.Key]table.Attributes
	err := s.Do(ctx, a, func(w *record.Work) (err error) {
		m, left = moving{Group: group, Items: Distinct(sent), Actor: s.Actor}, outbox.Message{}
		keys := m.keys(s, m.Items)
		if known, err = record.Look(ctx, s.Table, s.Now(), keys...); err != nil {
			return err
		}
		w.Know(known, keys...)
		m.check(s, known, sent, w.Errors(""))
		if err := w.Check(ctx); err != nil {
			return err
		}
		if m.Number, err = w.Next(ctx, kinds.Move); err != nil {
			return err
		}
		if m.isWhole(s, known) {
			return m.move(ctx, w, m.Items)
		}
		if left, err = w.SendAt(moves, m, s.Now().Add(afterRequest)); err != nil {
			return err
		}
		first := m.cut(s, known, m.Items)
		rest = m.Items[first:]
		return m.move(ctx, w, m.Items[:first])
	})
	if err != nil || left.ID == "" {
		return err
	}
	if err := m.carryOut(ctx, s, known, rest); err != nil {
		return err
	}
	_, _ = outbox.Finish(ctx, s.Table, left, s.Now()) // otherwise the worker finds that all is done
	return nil
}

// Distinct are ids without those that repeat an earlier one.
func Distinct(sent []int64) []int64 {
	seen, list := make(map[int64]bool, len(sent)), make([]int64, 0, len(sent))
	for _, id := range sent {
		if !seen[id] {
			seen[id], list = true, append(list, id)
		}
	}
	return list
}

// Work carries moves out that a request could not end.
func Work(c *table.Conn, now func() time.Time) outbox.Work {
	return outbox.Work{moves: func(ctx context.Context, message outbox.Message) error {
		var m moving
		s, err := record.OpenMessage(c, message, now, &m)
		if err != nil {
			return err
		}
		s.Actor = m.Actor
		return m.carryOut(ctx, s, nil, m.Items)
	}}
}

// keys are the keys of the group and of some items.
func (m moving) keys(s record.Scope, items []int64) []table.Key {
	keys := []table.Key{s.Table.Record(kinds.InventoryGroup, m.Group)}
	for _, id := range items {
		keys = append(keys, s.Table.Record(kinds.Inventory, id))
	}
	return keys
}

// check adds what is wrong with what a caller sent.
func (m moving) check(s record.Scope, known map[table.Key]table.Attributes, sent []int64, errs fault.FieldErrors) {
	keys := m.keys(s, sent)
	if known[keys[0]] == nil && !errs.Has("id") {
		errs.Add("id", say.DoesNotExist(m.Group))
	}
	if errs.Has("inventories") {
		return
	}
	wrong := fault.FieldErrors{}
	for i, id := range sent {
		if known[keys[i+1]] == nil {
			wrong.Add(strconv.Itoa(i), say.DoesNotExist(id))
		}
	}
	errs.Nest("inventories", wrong)
}

// isWhole tells whether one transaction can move all items.
func (m moving) isWhole(s record.Scope, known map[table.Key]table.Attributes) bool {
	operations, bytes, leaves := 3+2*len(m.Items), 0, map[table.Number]bool{}
	for _, key := range m.keys(s, m.Items)[1:] {
		leaves[known[key].Number("gr")] = true
		bytes += known[key].Size()
	}
	return operations+len(leaves) <= 100 && bytes <= mostBytes
}

// cut is how many of the first items one transaction can move, which is at least one. known must
// be what this transaction is decided by: if an item has grown since, the transaction is refused,
// and decided and cut anew.
func (m moving) cut(s record.Scope, known map[table.Key]table.Attributes, items []int64) int {
	bytes := 0
	for n, key := range m.keys(s, items[:min(part, len(items))])[1:] {
		if bytes += known[key].Size(); bytes > mostBytes && n > 0 {
			return n
		}
	}
	return min(part, len(items))
}

// move moves items in one unit of work, which must know them. It begins with the last one, because
// the first record that a unit of work changes is its proof (record.Scope.Do). The request and the
// worker carry a move out under the same name, so an item may be found to be moved by the other one,
// whose parts may be cut differently. As both proceed in the order of the items, all items before one
// that is moved are moved, too; but those after it may not be.
func (m moving) move(ctx context.Context, w *record.Work, items []int64) error {
	kind := Kind()
	for _, id := range slices.Backward(items) {
		it, err := kind.Edit(ctx, w, id)
		if errors.Is(err, fault.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if it.Moved < m.Number {
			from := it.Group
			it.Group, it.Moved = &m.Group, m.Number
			it.saysMove(w, from)
		}
	}
	return nil
}

// errGroupGone ends a move into a group that was deleted.
var errGroupGone = errors.New("item: the group is gone")

// carryOut moves items in parts, each in a transaction. known are items that were read before;
// they are read again only if they have changed since. All items of the move before these must have
// been moved.
func (m moving) carryOut(ctx context.Context, s record.Scope, known map[table.Key]table.Attributes, items []int64) error {
	for len(items) > 0 {
		next, found, n := items[:min(part, len(items))], known, 0
		keys := m.keys(s, next)
		err := s.Do(ctx, nil, func(w *record.Work) (err error) {
			if found == nil {
				if found, err = record.Look(ctx, s.Table, s.Now(), keys...); err != nil {
					return err
				}
			}
			w.Know(found, keys...)
			if found[keys[0]] == nil {
				return errGroupGone
			}
			n, found = m.cut(s, found, next), nil // a further attempt reads anew
			return m.move(ctx, w, next[:n])
		})
		if errors.Is(err, errGroupGone) {
			return nil
		}
		if err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}
