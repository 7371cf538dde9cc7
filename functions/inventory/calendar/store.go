package calendar

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
)

const version = 2

// stored is a calendar as it is stored.
type stored struct {
	table.Item
	Revision int64         `dynamo:"r"` // counts the writes; each write is conditional on it
	Floor    moment.Micros `dynamo:"f,omitempty"`
	Closed   bool          `dynamo:"z,omitempty"`
	Entries  []text        `dynamo:"t,omitempty"`
	Points   []int64       `dynamo:"p,omitempty"` // of Entries, in their order, up to the last one that has a Point
	Gap      int64         `dynamo:"g,omitempty"` // microseconds, only beside all calendars; see KeepGap
}

// calendar is what an item of the table says.
func (s *stored) calendar(item int64) (Calendar, error) {
	if s.V != version {
		return Calendar{}, fmt.Errorf("calendar: the calendar of item %s has the schema version %d", s.SK, s.V)
	}
	c := Calendar{Item: item, Floor: s.Floor, Closed: s.Closed}
	if len(s.Points) > len(s.Entries) {
		return Calendar{}, fmt.Errorf("calendar: the calendar of item %s has %d points for %d entries", s.SK, len(s.Points), len(s.Entries))
	}
	for i, e := range s.Entries {
		if i < len(s.Points) {
			e.Point = s.Points[i]
		}
		c.Entries = append(c.Entries, Entry(e))
	}
	return c, nil
}

// copied is the working copy of a calendar within a unit of work.
type copied struct {
	Calendar
	key      table.Key
	revision int64 // that was read; 0 if there is no item
	written  bool  // the unit of work already has the operation that writes it
}

// Change changes the calendar of an inventory item, in the transaction of the unit of work. decide
// gets the working copy, with the changes that the unit of work has made before. The unit of work
// has to write something else, too, which proves that it took place, such as a record.
func Change(ctx context.Context, w *record.Work, item int64, decide func(c *Calendar) error) error {
	c, err := open(ctx, w, item)
	if err != nil {
		return err
	}
	if err := decide(&c.Calendar); err != nil {
		return err
	}
	if c.changed && !c.written {
		c.written = true
		w.Also(func(tx *table.Tx) error {
			c.write(tx, w.Scope().Table)
			return nil
		})
	}
	return nil
}

// Read is the calendar of an inventory item as the unit of work has it. The transaction does not
// check that it is still so.
func Read(ctx context.Context, w *record.Work, item int64) (Calendar, error) {
	c, err := open(ctx, w, item)
	if err != nil {
		return Calendar{}, err
	}
	return c.Calendar, nil
}

// settings is the number, which no item has, under which lies what holds for all calendars of a company.
const settings = 0

// KeepGap writes how long new plans keep an item free after them beside the calendars of a company,
// so that All reads it with them. It belongs into the unit of work that changes the company's
// setting, which decides.
func KeepGap(w *record.Work, gap moment.Seconds) {
	t := w.Scope().Table
	w.Also(func(tx *table.Tx) error {
		tx.Put(t.Put(stored{Item: table.At(t.Calendar(settings), version), Gap: int64(gap) * second}), table.ErrRevision)
		return nil
	})
}

// All reads the calendars of all inventory items of a company, by the item's number, with one query
// for each MB of them, and the time that KeepGap wrote. An item without a calendar is missing: its
// calendar is open and empty. They may lag behind changes by about a second, so they only show, and
// never decide.
func All(ctx context.Context, s record.Scope) (all map[int64]Calendar, gap moment.Seconds, err error) {
	if err := allowance.Draw(ctx); err != nil {
		return nil, 0, err
	}
	all = map[int64]Calendar{}
	for it := s.Table.Table().Get("pk", s.Table.Calendars()).Iter(); ; {
		var next stored
		if !it.Next(ctx, &next) {
			return all, gap, it.Err()
		}
		item, err := table.ParseSortID(next.SK)
		if err != nil {
			return nil, 0, err
		}
		if item == settings {
			gap = moment.Seconds(next.Gap / second)
			continue
		}
		if all[item], err = next.calendar(item); err != nil {
			return nil, 0, err
		}
	}
}

// mostByKey is how many calendars are read by their keys; for more, all of the company are read.
const mostByKey = 100

// Some reads the calendars of some inventory items, for showing.
func Some(ctx context.Context, s record.Scope, items ...int64) (map[int64]Calendar, error) {
	if len(items) > mostByKey {
		all, _, err := All(ctx, s)
		return all, err
	}
	keys := make([]table.Key, len(items))
	for i, item := range items {
		keys[i] = s.Table.Calendar(item)
	}
	found, err := s.Table.GetMany(ctx, keys...)
	if err != nil {
		return nil, err
	}
	some := make(map[int64]Calendar, len(found))
	for i, item := range items {
		row := found[keys[i]]
		if row == nil {
			continue
		}
		var one stored
		if err := table.Attributes(row).Decode(&one); err != nil {
			return nil, err
		}
		if some[item], err = one.calendar(item); err != nil {
			return nil, err
		}
	}
	return some, nil
}

// open is the working copy of a calendar; it is read if the unit of work does not have it yet.
func open(ctx context.Context, w *record.Work, item int64) (*copied, error) {
	if item < 1 || item > table.MaxID {
		return nil, fmt.Errorf("calendar: no item has the number %d", item)
	}
	key := w.Scope().Table.Calendar(item)
	return record.Once(w, key, func() (*copied, error) {
		found, err := w.Item(ctx, key)
		if err != nil || found == nil {
			return &copied{Calendar: Calendar{Item: item}, key: key}, err
		}
		var s stored
		if err := found.Decode(&s); err != nil {
			return nil, err
		}
		c, err := s.calendar(item)
		return &copied{Calendar: c, key: key, revision: s.Revision}, err
	})
}

// write adds the calendar to a transaction.
func (c *copied) write(tx *table.Tx, t *table.Tenant) {
	s := stored{Item: table.At(c.key, version), Revision: c.revision + 1, Floor: c.Floor, Closed: c.Closed}
	for i, e := range c.Entries {
		s.Entries = append(s.Entries, text(e))
		if e.Point != 0 {
			s.Points = append(s.Points, make([]int64, i-len(s.Points))...)
			s.Points = append(s.Points, e.Point)
		}
	}
	if c.revision == 0 {
		tx.Put(t.Create(s), table.ErrRevision)
		return
	}
	tx.Put(t.Put(s).If("'r' = ?", c.revision), table.ErrRevision)
}
