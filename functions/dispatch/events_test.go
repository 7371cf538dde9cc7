package dispatch

import (
	"testing"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/audit"
	happened "github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// say leaves the events of a change in the inbox of a company, and returns the key of the item.
func (o *office) say(company tenant.ID, id int64) table.Key {
	o.t.Helper()
	of := table.Of(o.conn, company)
	said := []happened.Said{{Name: "client.created", ID: id, Revision: 1}}
	if err := of.Write(o.t.Context(), func(tx *table.Tx, _ int) error {
		return eventlog.Add(tx, of, audit.Actor{User: 1, At: o.Now()}, moment.Of(o.Now()), o.Now(), said)
	}); err != nil {
		o.t.Fatal(err)
	}
	var last table.Item
	if err := of.Table().Get("pk", of.Inbox()).Consistent(true).Order(false).Limit(1).One(o.t.Context(), &last); err != nil {
		o.t.Fatal(err)
	}
	return last.Key()
}

// hasKeys checks what was sent to a queue.
func (s *shelf) hasKeys(want ...table.Key) {
	s.t.Helper()
	var messages []outbox.Message
	for _, k := range want {
		messages = append(messages, outbox.Message{Item: table.At(k, 1)})
	}
	s.has(messages...)
}

// One key is enough for all events of a company, because they get their numbers at once. If it is refused, all of them come again.
func TestEventsOfABatch(t *testing.T) {
	o := newOffice(t)
	d := o.dispatcher(o.conn)
	one, two, other, message := o.say(7, 1), o.say(7, 2), o.say(8, 1), o.write(profile, 0)
	batch := records(told("INSERT", one, 1), told("INSERT", message.Key(), 2), told("INSERT", two, 3), told("INSERT", other, 4))
	o.invoke(d, batch, nothing)
	o.normal.hasKeys(outbox.Together(one), message.Key(), outbox.Together(other))
	o.bulk.hasKeys()
	o.normal.refuse = []table.Key{outbox.Together(one)}
	o.invoke(d, batch, `{"batchItemFailures":[{"itemIdentifier":"1"},{"itemIdentifier":"3"}]}`)
	o.normal.hasKeys(message.Key(), outbox.Together(other))
	o.invoke(d, records(told("REMOVE", one, 1), told("MODIFY", two, 2)), nothing) // they have their numbers
	o.normal.hasKeys()
}

// A sweep, too, sends one key of each company, and looks at it again after a while, in which it sends another one.
func TestEventsOfASweep(t *testing.T) {
	o := newOffice(t)
	d := o.dispatcher(o.conn)
	for id := range int64(5) {
		o.say(7, id+1)
	}
	o.say(8, 1)
	o.invoke(d, []byte(tick), sent(0)) // the stream has two minutes
	o.step(outbox.Normal.Net())
	for range 2 {
		o.invoke(d, []byte(tick), sent(2))
		seen := map[string]bool{}
		for _, k := range o.normal.take() {
			seen[k.PK] = true
		}
		if want := map[string]bool{"T#7#inbox": true, "T#8#inbox": true}; len(seen) != len(want) {
			t.Errorf("sent for %v", seen)
		}
		o.say(8, 2)
		o.step(outbox.Normal.Net())
	}
}
