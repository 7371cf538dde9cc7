package audit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

type view struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

var at = time.Date(2026, 3, 2, 9, 30, 0, 500_000_000, time.UTC)

func shown(fields any) audit.View { return audit.View{Fields: fields} }

// write adds the audit records of revisions to a record.
func write(t *testing.T, c *table.Tenant, id int64, from, to int64) {
	t.Helper()
	for revision := from; revision <= to; revision++ {
		tell(t, c, audit.Actor{User: 7, Request: fmt.Sprintf("r%d", revision), At: at}, id, revision)
	}
}

// tell adds the audit record of a revision that an actor made.
func tell(t *testing.T, c *table.Tenant, by audit.Actor, id, revision int64) {
	t.Helper()
	was, is := view{id, fmt.Sprintf("n%d", revision-1)}, view{id, fmt.Sprintf("n%d", revision)}
	err := c.Write(t.Context(), func(tx *table.Tx, _ int) error {
		r := audit.Revision{Kind: kinds.Client, ID: id, Number: revision, Action: audit.Changed, Before: shown(was), After: shown(is)}
		if revision == 1 {
			r.Action, r.Before = audit.Created, audit.View{}
		}
		return audit.Of(c, by).Add(tx, r)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Of a revision that another has made, this request is not told that it has.
func TestHappened(t *testing.T) {
	c := table.Of(tabletest.New(t), 1)
	write(t, c, 15, 1, 2)
	for _, tt := range []struct {
		user     int64
		feed     int64
		request  string
		revision int64
		want     bool
	}{
		{7, 0, "r2", 2, true},
		{7, 0, "r1", 1, true},
		{7, 0, "r1", 2, false},
		{8, 0, "r2", 2, false},
		{7, 0, "r3", 3, false},
		{0, 7, "r2", 2, false},
		{7, 7, "r2", 2, false},
	} {
		log := audit.Of(c, audit.Actor{User: tt.user, Feed: tt.feed, Request: tt.request, At: at.Add(time.Hour)})
		if got, err := log.Happened(t.Context(), kinds.Client, 15, tt.revision); err != nil || got != tt.want {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
	for _, other := range []audit.Actor{{Key: 7, Request: "r2"}, {User: 7, Key: 7, Request: "r2"}} {
		if got, err := audit.Of(c, other).Happened(t.Context(), kinds.Client, 15, 2); err != nil || got {
			t.Errorf("%+v: %v, %v", other, got, err)
		}
	}
	log := audit.Of(table.Of(tabletest.New(t), 2), audit.Actor{User: 7, Request: "r2"})
	if got, err := log.Happened(t.Context(), kinds.Client, 15, 2); err != nil || got {
		t.Errorf("of another company: %v, %v", got, err)
	}
}

// An entry names a user, a feed or a key, or none of them if nobody asked for the change.
func TestWhoDidIt(t *testing.T) {
	conn := tabletest.New(t)
	c := table.Of(conn, 1)
	for i, actor := range []audit.Actor{{User: 7}, {Feed: 4}, {Key: 5}, {}} {
		actor.Request, actor.At = fmt.Sprint("r", i), at
		tell(t, c, actor, 15, int64(i+1))
	}
	entries, count, err := audit.Page(t.Context(), c, kinds.Of(kinds.Client), 15, 0, 10)
	if err != nil || count != 4 {
		t.Fatal(count, err)
	}
	for i, want := range []string{`null null null`, `null null 5`, `null 4 null`, `7 null null`} { // the newest first
		user, _ := json.Marshal(entries[i].User)
		feed, _ := json.Marshal(entries[i].Feed)
		key, _ := json.Marshal(entries[i].Key)
		if got := fmt.Sprintf("%s %s %s", user, feed, key); got != want {
			t.Errorf("entry %d is by %s, not %s", entries[i].ID, got, want)
		}
	}
}

func page(t *testing.T, c *table.Tenant, id int64, offset, size int) (ids string, count, calls int) {
	t.Helper()
	client := kinds.Of(kinds.Client)
	ctx, used := meter.Start(t.Context())
	entries, count, err := audit.Page(ctx, c, client, id, offset, size)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, fmt.Sprintf("%d%s", e.ID, e.Action[:1]))
		if want := fmt.Sprintf("client:%d", id); e.Object != want || e.User == nil || *e.User != 7 || e.Feed != nil || e.Key != nil || e.At != "2026-03-02T09:30:00.500000Z" {
			t.Errorf("%+v", e)
		}
		if want := map[bool]string{true: "of the import", false: fmt.Sprintf("r%d", e.ID)}[e.Action == "imported"]; e.RequestID != want {
			t.Errorf("request %s, want %s", e.RequestID, want)
		}
	}
	return strings.Join(list, " "), count, used.Usage().Calls
}

func TestPages(t *testing.T) {
	conn := tabletest.New(t)
	c, other := table.Of(conn, 1), table.Of(conn, 2)
	write(t, c, 1, 1, 25)
	write(t, c, 2, 1, 1)
	write(t, c, 3, 4, 6) // a record from before there was a history
	// An import made 10 to 12; 11 is deleted, 12 has been changed; 13 is of one that is not there.
	put := func(k table.Key, im int64) {
		item := table.Attributes{}
		item.SetText("pk", k.PK)
		item.SetText("sk", k.SK)
		item.SetInt("im", im)
		if err := c.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	put(c.Record(kinds.Client, 10), 10)
	put(c.Archive(kinds.Client, 11), 10)
	put(c.Record(kinds.Client, 12), 10)
	put(c.Record(kinds.Client, 13), 99)
	put(c.Record(kinds.Client, 14), 0)
	write(t, c, 11, 2, 2)
	write(t, c, 12, 2, 4)
	put(c.Record(kinds.Client, 15), 15)
	for im, status := range map[int64]bulk.Status{10: bulk.Done, 15: bulk.Running} {
		state := bulk.State{
			Item: table.At(c.Bulk(kinds.Client, im), 1), Status: status, By: 7, At: at.UnixMicro(),
			About: audit.Actor{Request: "of the import"}.About(),
		}
		if err := c.Put(state).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		c            *table.Tenant
		id           int64
		offset, size int
		want         string
		count, calls int
	}{
		{c, 1, 0, 3, "25c 24c 23c", 25, 2},
		{c, 1, 3, 3, "22c 21c 20c", 25, 3},
		{c, 1, 22, 10, "3c 2c 1c", 25, 3},
		{c, 1, 25, 10, "", 25, 2},
		{c, 1, 1 << 40, 10, "", 25, 2},
		{c, 2, 0, 10, "1c", 1, 1},
		{c, 2, 1, 10, "", 1, 1},
		{c, 3, 0, 10, "6c 5c 4c", 3, 3},
		{c, 3, 2, 10, "4c", 3, 4},
		{c, 10, 0, 10, "1i", 1, 3},
		{c, 10, 1, 10, "", 1, 3},
		{c, 11, 0, 10, "2c 1i", 2, 4},
		{c, 12, 0, 10, "4c 3c 2c 1i", 4, 4},
		{c, 12, 0, 3, "4c 3c 2c", 4, 4},
		{c, 12, 0, 2, "4c 3c", 4, 4},
		{c, 12, 2, 2, "2c 1i", 4, 5},
		{c, 12, 3, 2, "1i", 4, 4},
		{c, 13, 0, 10, "", 0, 3},
		{c, 14, 0, 10, "", 0, 2},
		{c, 15, 0, 10, "", 0, 3},
		{c, 99, 0, 10, "", 0, 2},
		{other, 1, 0, 10, "", 0, 2},
		{c, table.MaxID + 1, 0, 10, "", 0, 0},
	} {
		got, count, calls := page(t, tt.c, tt.id, tt.offset, tt.size)
		if got != tt.want || count != tt.count || calls > tt.calls {
			t.Errorf("company %d, %d from %d by %d: %q of %d in %d calls, want %q of %d in %d",
				tt.c.ID(), tt.id, tt.offset, tt.size, got, count, calls, tt.want, tt.count, tt.calls)
		}
	}
}

// A revision is written once: a change decided on an old one fails with all that
// goes with it.
func TestARevisionIsWrittenOnce(t *testing.T) {
	c := table.Of(tabletest.New(t), 1)
	write(t, c, 1, 1, 2)
	log := audit.Of(c, audit.Actor{User: 8, At: at})
	err := c.Write(t.Context(), func(tx *table.Tx, _ int) error {
		return log.Add(tx, audit.Revision{Kind: kinds.Client, ID: 1, Number: 2, Action: audit.Deleted, Before: shown(view{1, "n2"})})
	})
	if !errors.Is(err, table.ErrRevision) {
		t.Fatalf("written twice: %v", err)
	}
	err = c.Write(t.Context(), func(tx *table.Tx, _ int) error {
		return log.Add(tx, audit.Revision{Kind: kinds.Client, ID: 2, Number: 1, Action: audit.Created, After: shown("no object")})
	})
	if err == nil {
		t.Fatal("a text is a view")
	}
	if got, count, _ := page(t, c, 1, 0, 10); got != "2c 1c" || count != 2 {
		t.Errorf("%s of %d", got, count)
	}
}

// What a change with its history costs beside the change: one item of up to 1 KB
// in its transaction, for records as they mostly are.
func TestCost(t *testing.T) {
	c := table.Of(tabletest.New(t), 1)
	usual := map[string]any{}
	for i := range 40 {
		usual[fmt.Sprintf("some_field_%d", i)] = fmt.Sprintf("some value %d", i)
	}
	ctx, used := meter.Start(t.Context())
	err := c.Write(ctx, func(tx *table.Tx, _ int) error {
		return audit.Of(c, audit.Actor{User: 8, Request: strings.Repeat("r", 36), At: at}).Add(
			tx, audit.Revision{Kind: kinds.Client, ID: 2, Number: 1, Action: audit.Created, After: shown(usual)},
		)
	})
	if u := used.Usage(); err != nil || u.Calls != 1 || u.WriteUnits > 2 {
		t.Errorf("%+v, %v", u, err)
	}
}
