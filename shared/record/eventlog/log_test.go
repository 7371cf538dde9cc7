package eventlog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var start = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// office is a company whose events are written by hand.
type office struct {
	t      *testing.T
	name   string // of the table
	tenant *table.Tenant
	now    time.Time
	log    eventlog.Log
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, name: enginetest.Table(t), now: start}
	o.tenant = table.Of(table.Open(enginetest.Client(t), o.name), 7)
	o.log = eventlog.Of(o.tenant, func() time.Time { return o.now })
	return o
}

// change leaves the events of one change of the client with an id: as many as count.
func (o *office) change(id, revision int64, count int, concerns ...string) {
	o.t.Helper()
	var said []event.Said
	for range count {
		said = append(said, event.Said{Name: "client.updated", ID: id, Revision: revision, Concerns: concerns})
	}
	err := o.tenant.Write(o.t.Context(), func(tx *table.Tx, _ int) error {
		return eventlog.Add(tx, o.tenant, audit.Actor{User: 14, Request: "r", At: o.now}, moment.Of(o.now), o.now, said)
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

// sequence gives all events their numbers.
func (o *office) sequence(want int) {
	o.t.Helper()
	if n, err := o.log.Sequence(o.t.Context()); err != nil || n != want {
		o.t.Fatalf("%d events were numbered, %v; want %d", n, err, want)
	}
}

// sequenceAll does, however many there are.
func (o *office) sequenceAll() {
	o.t.Helper()
	if _, err := o.log.Sequence(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
}

// read checks which changes a read tells, as "3: client:1 2" for the event with the number 3, and where it ends.
func (o *office) read(after, last int64, want ...string) {
	o.t.Helper()
	entries, end, err := o.log.Read(o.t.Context(), after)
	if err != nil {
		o.t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%d: %s %d", e.Number, e.About(), e.Revision))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || end != last {
		o.t.Errorf("after %d: %q up to %d, want %q up to %d", after, got, end, want, last)
	}
}

func TestNumbers(t *testing.T) {
	o := newOffice(t)
	o.sequence(0)
	o.read(0, 0)
	o.change(1, 1, 1)
	o.read(0, 0) // it has no number yet
	o.sequence(1)
	o.change(2, 1, 2)
	o.now = o.now.Add(time.Microsecond)
	o.change(1, 2, 1)
	o.sequence(3)
	o.sequence(0)
	o.read(0, 4, "1: client:1 1", "2: client:2 1", "3: client:2 1", "4: client:1 2")
	o.read(1, 4, "2: client:2 1", "3: client:2 1", "4: client:1 2")
	o.read(2, 4, "3: client:2 1", "4: client:1 2") // within a page
	o.read(4, 4)
	if _, _, err := o.log.Read(t.Context(), 5); !errors.Is(err, eventlog.ErrAhead) {
		t.Errorf("after an event that is not there yet: %v", err)
	}
	if end, err := o.log.End(t.Context()); err != nil || end != 4 {
		t.Errorf("the last event is %d, %v", end, err)
	}
	entries, _, err := o.log.Read(t.Context(), 3)
	if e := entries[0]; err != nil || e.User != 14 || e.Feed != 0 || e.Request != "r" || e.At != moment.Of(o.now) || e.Name != "client.updated" {
		t.Errorf("%+v, %v", e, err)
	}
	// Nobody else's.
	if entries, last, err := eventlog.Of(table.Of(tabletest.New(t), 8), time.Now).Read(t.Context(), 0); len(entries) > 0 || last != 0 || err != nil {
		t.Errorf("another company: %v, %d, %v", entries, last, err)
	}
}

// What is kept can be read for 30 days, from wherever it begins.
func TestExpiry(t *testing.T) {
	o := newOffice(t)
	o.change(1, 1, 2)
	o.sequence(2)
	o.now = start.Add(24 * time.Hour)
	o.change(1, 2, 1)
	o.sequence(1)
	o.now = start.Add(30*24*time.Hour + time.Hour)
	o.read(0, 3, "3: client:1 2")
	o.read(2, 3, "3: client:1 2")
	expired := func(after int64) {
		t.Helper()
		if _, _, err := o.log.Read(t.Context(), after); !errors.Is(err, eventlog.ErrExpired) {
			t.Errorf("after %d: %v", after, err)
		}
	}
	expired(1)
	o.read(3, 3)
	o.now = start.Add(32 * 24 * time.Hour) // nothing can be read any more, and who has read everything lacks nothing
	o.read(0, 0)
	o.read(3, 3)
	expired(2)
	expired(1)
	for _, first := range []int64{1, 3} { // the table has swept them
		if err := o.tenant.Delete(o.tenant.EventPage(first)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	o.read(3, 3)
	expired(2)
	if _, _, err := o.log.Read(t.Context(), 4); !errors.Is(err, eventlog.ErrAhead) {
		t.Errorf("ahead: %v", err)
	}
	o.change(1, 3, 1)
	o.sequence(1)
	o.read(3, 4, "4: client:1 3")
	o.read(0, 4, "4: client:1 3")
}

// TestStart looks for the beginning among pages that the table has not swept yet, or has swept in part.
func TestStart(t *testing.T) {
	o := newOffice(t)
	starts := func(want int64) {
		t.Helper()
		if got, err := o.log.Start(t.Context()); got != want || err != nil {
			t.Errorf("it begins after %d, %v, want %d", got, err, want)
		}
	}
	starts(0)
	for n := range int64(25) { // a page a day, with one event each
		o.now = start.Add(time.Duration(n) * 24 * time.Hour)
		o.change(n+1, 1, 1)
		o.sequence(1)
	}
	starts(0)
	for _, days := range []int64{30, 31, 37, 48, 53, 54} {
		o.now = start.Add(time.Duration(days)*24*time.Hour + time.Second)
		starts(days - 29)
	}
	o.now = start.Add(40*24*time.Hour + time.Second)
	for _, first := range []int64{1, 2, 5, 10, 11} {
		if err := o.tenant.Delete(o.tenant.EventPage(first)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		starts(11)
	}
}

// A page has 32 changes and 500 events at most, and what one change says is never divided.
func TestPages(t *testing.T) {
	o := newOffice(t)
	for n := range int64(40) {
		o.now = o.now.Add(time.Microsecond)
		o.change(n+1, 1, 1)
	}
	o.sequence(40)
	o.change(50, 1, 90)
	for n := range int64(7) {
		o.now = o.now.Add(time.Microsecond)
		o.change(51+n, 1, 90)
	}
	o.sequence(720)
	firsts := map[string]int{}
	var row struct {
		SK     string           `dynamo:"sk"`
		Events []map[string]any `dynamo:"ev"`
	}
	it := o.tenant.Table().Get("pk", o.tenant.EventLog()).Iter()
	for it.Next(t.Context(), &row) {
		firsts[row.SK] = len(row.Events)
		row.Events = nil
	}
	if want := map[string]int{"000000000001": 32, "000000000033": 8, "000000000041": 450, "000000000491": 270, "head": 0}; fmt.Sprint(firsts) != fmt.Sprint(want) {
		t.Errorf("pages %v, want %v", firsts, want)
	}
	entries, last, err := o.log.Read(t.Context(), 0)
	if err != nil || len(entries) != 760 || last != 760 {
		t.Errorf("%d events up to %d, %v", len(entries), last, err)
	}
	if entries, last, err = o.log.Read(t.Context(), 20); err != nil || len(entries) != 12 || last != 32 {
		t.Errorf("%d events up to %d, %v", len(entries), last, err)
	}
}

// What concerns an order is put under it, and nothing under any other record.
func TestTold(t *testing.T) {
	o := newOffice(t)
	o.change(1, 1, 1, "order:5", "inventory:6", "order:7", "order:x", "nothing:1")
	o.now = o.now.Add(time.Second)
	o.change(1, 2, 1, "order:5")
	o.sequence(2)
	check := func(id int64, want ...int64) {
		t.Helper()
		entries, err := o.log.Told(t.Context(), kinds.Order, id, 10)
		var got []int64
		for _, e := range entries {
			if e.About() != (event.Ref{Kind: kinds.Client, ID: 1}) || e.User != 14 {
				t.Errorf("%+v", e)
			}
			got = append(got, e.Number)
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("order %d is told %v, %v; want %v", id, got, err, want)
		}
	}
	check(5, 2, 1)
	check(7, 1)
	check(6)
	if entries, err := o.log.Told(t.Context(), kinds.Order, 5, 1); err != nil || len(entries) != 1 || entries[0].Number != 2 {
		t.Errorf("the newest one: %v, %v", entries, err)
	}
}

// What the company's money is about is not put there: who sees an order need not see that.
func TestMoneyIsNotTold(t *testing.T) {
	o := newOffice(t)
	said := []event.Said{{Name: "transaction.created", ID: 1, Revision: 1, Concerns: []string{"order:5"}}}
	if err := o.tenant.Write(t.Context(), func(tx *table.Tx, _ int) error {
		return eventlog.Add(tx, o.tenant, audit.Actor{User: 14, At: o.now}, moment.Of(o.now), o.now, said)
	}); err != nil {
		t.Fatal(err)
	}
	o.sequence(1)
	if entries, err := o.log.Told(t.Context(), kinds.Order, 5, 10); err != nil || len(entries) > 0 {
		t.Errorf("%+v, %v", entries, err)
	}
}

// A page of one change always fits: a change that says too much is refused before anything is written.
func TestAChangeThatSaysTooMuch(t *testing.T) {
	o := newOffice(t)
	say := func(events int) error {
		var said []event.Said
		for range events {
			said = append(said, event.Said{Name: "client.updated", ID: 1, Revision: 1, Data: bytes.Repeat([]byte("x"), 4000)})
		}
		return o.tenant.Write(t.Context(), func(tx *table.Tx, _ int) error {
			return eventlog.Add(tx, o.tenant, audit.Actor{User: 14, At: o.now}, moment.Of(o.now), o.now, said)
		})
	}
	if err := say(80); !errors.Is(err, table.ErrItemTooLarge) {
		t.Errorf("80 events of 4 KB: %v", err)
	}
	if err := say(70); err != nil {
		t.Fatal(err)
	}
	o.sequence(70)
}

// A page may become visible after the one behind it: a reader waits for it.
func TestGap(t *testing.T) {
	o := newOffice(t)
	for n := range int64(3) {
		o.change(n+1, 1, 1)
		o.sequence(1)
	}
	var hidden table.Attributes
	if err := o.tenant.Get(t.Context(), o.tenant.EventPage(2), &hidden); err != nil {
		t.Fatal(err)
	}
	if err := o.tenant.Delete(o.tenant.EventPage(2)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.read(0, 1, "1: client:1 1")
	if entries, last, err := o.log.Read(t.Context(), 1); len(entries) > 0 || last != 1 || err != nil {
		t.Errorf("%v up to %d, %v", entries, last, err)
	}
	if err := o.tenant.Put(hidden).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.read(1, 3, "2: client:2 1", "3: client:3 1")
}

// What an event costs: three write units in the transaction of its change, of which one is its place in the index, and four when it gets
// its number. An idle reader asks twice.
func TestCosts(t *testing.T) {
	o := newOffice(t)
	costs := func(what string, calls int, read, write float64, do func(ctx context.Context)) {
		t.Helper()
		ctx, used := meter.Start(t.Context())
		do(ctx)
		if u := used.Usage(); u.Calls > calls || u.ReadUnits > read || u.WriteUnits > write {
			t.Errorf("%s: %d calls, %v read and %v write units; at most %d, %v and %v", what, u.Calls, u.ReadUnits, u.WriteUnits, calls, read, write)
		}
	}
	said := []event.Said{{Name: "client.updated", ID: 1, Revision: 1, Data: []byte(`{"fields":["name","phone"]}`)}}
	costs("a change", 1, 0, 3, func(ctx context.Context) {
		if err := o.tenant.Write(ctx, func(tx *table.Tx, _ int) error {
			return eventlog.Add(tx, o.tenant, audit.Actor{User: 14, Request: "r", At: o.now}, moment.Of(o.now), o.now, said)
		}); err != nil {
			t.Fatal(err)
		}
	})
	// The head, the inbox twice, the page, the end of the item in the inbox and in the index, the head; and the head and the inbox again.
	costs("its number", 8, 5, 4, func(ctx context.Context) {
		if _, err := o.log.Sequence(ctx); err != nil {
			t.Fatal(err)
		}
	})
	costs("a read where nothing is new", 2, 1.5, 0, func(ctx context.Context) {
		if _, _, err := o.log.Read(ctx, 1); err != nil {
			t.Fatal(err)
		}
	})
}
