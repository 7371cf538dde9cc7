package calendar

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

const version = 1

// stored is a calendar as it is stored.
type stored struct {
	table.Item
	Revision int64   `dynamo:"r"` // counts the writes; each write is conditional on it
	Floor    int64   `dynamo:"f,omitempty"`
	Closed   bool    `dynamo:"z,omitempty"`
	Entries  []Entry `dynamo:"e,omitempty"`
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

// open is the working copy of a calendar; it is read if the unit of work does not have it yet.
func open(ctx context.Context, w *record.Work, item int64) (*copied, error) {
	if item < 1 || item > table.MaxID {
		return nil, fmt.Errorf("calendar: no item has the number %d", item)
	}
	key := w.Scope().Table.Calendar(item)
	return record.Once(w, key, func() (*copied, error) {
		found, err := w.Item(ctx, key)
		if err != nil || found == nil {
			return &copied{key: key}, err
		}
		var s stored
		if err := found.Decode(&s); err != nil {
			return nil, err
		}
		if s.V != version {
			return nil, fmt.Errorf("calendar: the calendar of item %d has the schema version %d", item, s.V)
		}
		return &copied{Calendar: Calendar{Entries: s.Entries, Floor: s.Floor, Closed: s.Closed}, key: key, revision: s.Revision}, nil
	})
}

// write adds the calendar to a transaction.
func (c *copied) write(tx *table.Tx, t *table.Tenant) {
	s := stored{Item: table.At(c.key, version), Revision: c.revision + 1, Floor: c.Floor, Closed: c.Closed, Entries: c.Entries}
	if c.revision == 0 {
		tx.Put(t.Create(s), table.ErrRevision)
		return
	}
	tx.Put(t.Put(s).If("'r' = ?", c.revision), table.ErrRevision)
}
