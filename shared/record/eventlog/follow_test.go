package eventlog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
)

func TestMatches(t *testing.T) {
	for _, row := range []struct {
		wanted string
		name   event.Name
		want   bool
	}{
		{"order.paid", "order.paid", true},
		{"order.paid", "order.paid.twice", false},
		{"order.*", "order.line.added", true},
		{"order.line.*", "order.line.added", true},
		{"order.line.*", "order.paid", false},
		{"*", "client.created", true},
		{"client.created order.*", "order.paid", true},
		{"", "order.paid", false},
	} {
		if got := eventlog.Matches(strings.Fields(row.wanted), row.name); got != row.want {
			t.Errorf("%q of %s: %t", row.wanted, row.name, got)
		}
	}
}

// follow makes somebody follow the log, or not any more where no types are named.
func (o *office) follow(key string, types ...string) {
	o.t.Helper()
	err := o.tenant.Write(o.t.Context(), func(tx *table.Tx, _ int) error {
		if len(types) == 0 {
			eventlog.Unfollow(tx, o.tenant, key)
		} else {
			eventlog.Follow(tx, o.tenant, key, types)
		}
		return nil
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

// armed takes the messages of followers that wait.
func (o *office) armed(want ...string) {
	o.t.Helper()
	var items []outbox.Message
	if err := o.tenant.Table().Get("pk", o.tenant.Message("").PK).All(o.t.Context(), &items); err != nil {
		o.t.Fatal(err)
	}
	var got []string
	for _, m := range items {
		if m.Kind != outbox.Deliver || m.Pending == "" {
			o.t.Errorf("%+v", m)
		}
		got = append(got, m.Body)
		if err := o.tenant.Delete(m.Key()).Run(o.t.Context()); err != nil {
			o.t.Fatal(err)
		}
	}
	slices.Sort(got)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		o.t.Errorf("armed: %v, want %v", got, want)
	}
}

// Who follows the log is told of a page with events of the types that they want, and nobody else is. The first follower may come before
// the first event.
func TestFollowers(t *testing.T) {
	o := newOffice(t)
	o.follow("7", "client.*")
	o.follow("8", "order.*", "client.created")
	o.change(1, 1, 2)
	o.sequence(2)
	o.armed("7")
	o.read(0, 2, "1: client:1 1", "2: client:1 1")
	o.follow("8", "*")
	o.change(1, 2, 1)
	o.sequence(1)
	o.armed("7", "8")
	o.follow("7")
	o.follow("9")
	o.change(1, 3, 1)
	o.sequence(1)
	o.armed("8")
	o.follow("8")
	o.change(1, 4, 1)
	o.sequence(1)
	o.armed()
}

// Whoever follows is woken again by the worker that finishes a page whose own worker died: before it left the inbox.
func TestAFollowerOfADeadWorker(t *testing.T) {
	o := newOffice(t)
	o.follow("7", "*")
	o.change(1, 1, 1)
	o.sequence(1)
	o.armed("7")
	// The same page once more: its change in the inbox, and the head before it.
	o.change(1, 1, 1)
	if err := o.tenant.Update(o.tenant.EventHead()).Set("n", 1).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.sequence(0)
	o.armed("7")
}

// A reader that was woken sees the page that woke it.
func TestConsistently(t *testing.T) {
	o := newOffice(t)
	o.change(1, 1, 1)
	o.sequence(1)
	entries, _, err := o.log.Consistently().Read(t.Context(), 0)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// Before looks for a time among pages, of which the oldest can't be read any more.
func TestBefore(t *testing.T) {
	o := newOffice(t)
	before := func(days float64, want int64) {
		t.Helper()
		at := start.Add(time.Duration(days * float64(24*time.Hour)))
		if got, err := o.log.Before(t.Context(), at); got != want || err != nil {
			t.Errorf("day %v: %d, %v; want %d", days, got, err, want)
		}
	}
	before(0, 0)
	for n := range int64(40) { // a page a day, with three events each
		o.now = start.Add(time.Duration(n) * 24 * time.Hour)
		o.change(n+1, 1, 3)
		o.sequence(3)
	}
	before(20, 60)
	before(20.0006, 60) // less than a minute after the page
	before(20.001, 63)
	before(39, 117)
	before(39.5, 120)
	before(100, 120)
	before(9, 27)
	before(3, 27) // what can be read begins with day 9
	e, ok, err := o.log.One(t.Context(), 62)
	if err != nil || !ok || e.Number != 62 || e.ID != 21 {
		t.Errorf("%+v, %t, %v", e, ok, err)
	}
	for _, n := range []int64{0, 121} {
		if _, ok, err := o.log.One(t.Context(), n); ok || err != nil {
			t.Errorf("%d: %t, %v", n, ok, err)
		}
	}
}
