package eventlog

import (
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/table"
)

const version = 1

// A page of the log holds one change at least, and each of its events has a cause there. An item has 400 KB at most.
const (
	maxChange = 300 << 10 // bytes
	perEvent  = 256       // bytes of an event beside its data, at most about
)

// Cause says who made the events of a change, and when.
type Cause struct {
	At      moment.Micros `dynamo:"at"`
	User    int64         `dynamo:"u,omitempty"`
	Feed    int64         `dynamo:"f,omitempty"`
	Key     int64         `dynamo:"k,omitempty"`
	Request string        `dynamo:"q"`
}

// causeOf is the cause of what an actor does.
func causeOf(a audit.Actor) Cause {
	return Cause{At: moment.Of(a.At), User: a.User, Feed: a.Feed, Key: a.Key, Request: a.Request}
}

// waiting are the events of one change in the inbox.
type waiting struct {
	table.Item
	Pending string       `dynamo:"pq"`
	Swept   string       `dynamo:"pd"`
	Events  []event.Said `dynamo:"ev"`
	Cause
}

// Add adds the events of a change to its transaction: one operation. The transaction has to write each record that an event is about,
// on the condition that it has the revision that was read. stamp is later than the last change of each of these. Nobody may conclude
// anything from the item being there or not: it is deleted as soon as its events have their numbers. More than maxChange is
// table.ErrItemTooLarge.
func Add(tx *table.Tx, t *table.Tenant, a audit.Actor, stamp moment.Micros, now time.Time, events []event.Said) error {
	size := 0
	for _, s := range events {
		size += perEvent + len(s.Data)
	}
	if size > maxChange {
		return table.ErrItemTooLarge
	}
	first := events[0] // no other change makes this revision
	id := fmt.Sprintf("%016d#%s#%d#%d", stamp, first.Name, first.ID, first.Revision)
	w := waiting{Item: table.At(t.Event(id), version), Cause: causeOf(a), Events: events}
	w.Pending, w.Swept = outbox.Place(id, now)
	tx.Put(t.Create(w), fmt.Errorf("eventlog: the events %s are there: %w", id, table.ErrRevision))
	return nil
}
