package calendar_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// cause is a record whose change changes calendars, as an item with blocks or an order is.
type cause struct {
	record.Meta
	N int `dynamo:"x"`
}

func causes() *record.Kind[*cause] {
	return &record.Kind[*cause]{Kind: kinds.Of(kinds.RentalPoint), Shown: func(c *cause) any { return struct{ N int }{c.N} }}
}

func scope(c *table.Conn, request string) record.Scope { return scopeOf(table.Of(c, 7), request) }

func scopeOf(t *table.Tenant, request string) record.Scope {
	return record.Scope{
		Table: t, Actor: audit.Actor{User: 3, Request: request, At: noon}, Now: func() time.Time { return noon },
	}
}

// occupy makes a cause and the entries of an item, one after the other, in one unit of work.
func occupy(t *testing.T, s record.Scope, item int64, list ...calendar.Entry) error {
	t.Helper()
	return s.Do(t.Context(), nil, func(w *record.Work) error {
		causes().Create(w, "", &cause{N: len(list)})
		for _, e := range list {
			if err := calendar.Change(t.Context(), w, item, func(c *calendar.Calendar) error { return c.Occupy(e, noon) }); err != nil {
				return err
			}
		}
		return nil
	})
}

func read(t *testing.T, s record.Scope, item int64) calendar.Calendar {
	t.Helper()
	c, err := calendar.Read(t.Context(), s.Reading(), item)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func stored(t *testing.T, s record.Scope, item int64) (a table.Attributes) {
	t.Helper()
	if err := s.Table.Get(t.Context(), s.Table.Calendar(item), &a); err != nil && !errors.Is(err, table.ErrNotFound) {
		t.Fatal(err)
	}
	return a
}

// Several changes of one calendar are one write; what it says is read again as it was written.
func TestChangesOfAUnitOfWorkAreOneWrite(t *testing.T) {
	s := scope(tabletest.New(t), "one")
	if c := read(t, s, 1); len(c.Entries) != 0 || c.Closed || stored(t, s, 1) != nil {
		t.Fatalf("%+v", c)
	}
	if err := occupy(t, s, 1, block(1, 14, 16), out(line(2, 3, 14)), sale(3, 20)); err != nil {
		t.Fatal(err)
	}
	if err := occupy(t, s, 1, block(1, 15, 16)); err != nil {
		t.Fatal(err)
	}
	c := read(t, s, 1)
	if got, want := fmt.Sprint(c.Entries), fmt.Sprint(entries(out(line(2, 3, 14)), block(1, 15, 16), sale(3, 20))); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if r := stored(t, s, 1).Int("r"); r != 2 {
		t.Errorf("revision %d after 2 units of work", r)
	}
	if err := occupy(t, s, 1, block(8, 30, 40), block(9, 39, 41)); !errors.Is(err, calendar.ErrOverlap) {
		t.Errorf("two of one unit of work that overlap: %v", err)
	}
	if r := stored(t, s, 1).Int("r"); r != 2 {
		t.Errorf("a refused unit of work has written revision %d", r)
	}
}

// What changes nothing writes nothing.
func TestWhatIsAsItWasIsNotWritten(t *testing.T) {
	s := scope(tabletest.New(t), "one")
	err := s.Do(t.Context(), nil, func(w *record.Work) error {
		return calendar.Change(t.Context(), w, 1, func(c *calendar.Calendar) error {
			c.Open()
			c.Release(block(1, 0, 0))
			return nil
		})
	})
	if err != nil || stored(t, s, 1) != nil {
		t.Errorf("%v", err)
	}
	if err := calendar.Change(t.Context(), s.Reading(), 0, func(*calendar.Calendar) error { return nil }); err == nil {
		t.Error("the calendar of no item")
	}
}

// Of requests that want one time, exactly one gets it, whether there was a calendar before or not;
// the others are told which has it. Requests that want different times all get them.
func TestRaces(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Locks())
	sound := scope(table.Open(enginetest.Client(t), name), "sound")
	const many = 16
	race := func(item int64, want func(n int64) calendar.Entry) (taken int64, refused int) {
		t.Helper()
		var group sync.WaitGroup
		errs := make([]error, many)
		for n := range int64(many) {
			group.Go(func() {
				s := scope(table.Open(world.Client(uint64(n)), name), fmt.Sprint("request ", item, n))
				errs[n] = occupy(t, s, item, want(n+1))
			})
		}
		group.Wait()
		for n, err := range errs {
			switch {
			case err == nil:
				taken = int64(n) + 1
			case errors.Is(err, calendar.ErrOverlap):
				refused++
			default:
				t.Errorf("%d: %v", n, err)
			}
		}
		return taken, refused
	}
	for item := range int64(4) {
		taken, refused := race(item+1, func(n int64) calendar.Entry { return block(n, 14, 15+int(n)) })
		if c := read(t, sound, item+1); refused != many-1 || len(c.Entries) != 1 || c.Entries[0].Block != taken {
			t.Errorf("%d refused; %d has it, the calendar says %+v", refused, taken, c)
		}
	}
	if err := occupy(t, sound, 9, block(99, 200, 201)); err != nil {
		t.Fatal(err)
	}
	if taken, refused := race(9, func(n int64) calendar.Entry { return block(n, 300, 301+int(n)) }); refused != many-1 || taken == 0 {
		t.Errorf("%d refused", refused)
	}
}

// A unit of work whose answer is lost is found to have happened, and not refused because of itself.
func TestALostAnswerIsNoConflict(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{})
	client := world.Client(1)
	client.Resend()
	s := scope(table.Open(client, name), "one")
	if err := occupy(t, s, 1, block(1, 14, 16)); err != nil {
		t.Fatal(err)
	}
	if c := read(t, s, 1); len(c.Entries) != 1 {
		t.Errorf("%+v", c)
	}
}

// What occupies an item of one company does not show in the calendar of another company's item of that id.
func TestOfACompany(t *testing.T) {
	conn := tabletest.New(t)
	if err := occupy(t, scope(conn, "one"), 1, block(1, 14, 16)); err != nil {
		t.Fatal(err)
	}
	other := record.Scope{Table: table.Of(conn, 8), Now: func() time.Time { return noon }}
	if c := read(t, other, 1); len(c.Entries) != 0 {
		t.Errorf("%+v", c)
	}
}

// A calendar of another schema is not taken for an empty one.
func TestSchema(t *testing.T) {
	s := scope(tabletest.New(t), "one")
	if err := s.Table.Put(table.At(s.Table.Calendar(1), 3)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := calendar.Read(t.Context(), s.Reading(), 1); err == nil || !strings.Contains(err.Error(), "schema version 3") {
		t.Errorf("%v", err)
	}
}

// A text that is not of an entry is not taken for one, so that what is free is never decided on in part.
func TestWhatIsNoEntry(t *testing.T) {
	s := scope(tabletest.New(t), "one")
	for i, bad := range []string{
		"", "L1", "L1/2", "1/2 5+5 x y", "B 5+5", "L/2 5+5", "L1/2 +5", "L1/2 5+x", "L1/2 5+5 g", "L1/2 5+5 n7", "L1/2 5.1234567+5", "B1 5.x+5",
		"L1/2 5", "B1",
	} {
		err := s.Table.Put(struct {
			table.Item
			Times []string `dynamo:"t"`
		}{table.At(s.Table.Calendar(int64(i+1)), 2), []string{bad}}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if c, err := calendar.Read(t.Context(), s.Reading(), int64(i+1)); err == nil {
			t.Errorf("%q is %+v", bad, c)
		}
	}
}

// What is stored is read as it was. Calendars have been stored with these texts, so they stay.
func TestStored(t *testing.T) {
	s := scope(tabletest.New(t), "one")
	gap := line(2, 20, 22)
	gap.Gap = 90 * 60
	fine := block(3, 30, 31)
	fine.Start, fine.End = fine.Start+1, fine.End-500_000
	want := entries(out(line(1, 3, 14)), gap, fine, sale(5, 40))
	if err := occupy(t, s, 1, want...); err != nil {
		t.Fatal(err)
	}
	if c := read(t, s, 1); !slices.Equal(c.Entries, want) {
		t.Errorf("%+v\nwant %+v", c.Entries, want)
	}
	err := s.Do(t.Context(), nil, func(w *record.Work) error {
		causes().Create(w, "", &cause{})
		return calendar.Change(t.Context(), w, 1, func(c *calendar.Calendar) error {
			c.Return(line(1, 0, 0), at(21)+7)
			return nil
		})
	})
	want[0].Out, want[0].Back, want[0].End, want[1].Late = false, true, at(21)+7, at(21)+7
	if c := read(t, s, 1); err != nil || !slices.Equal(c.Entries, want) {
		t.Errorf("%v, %+v\nwant %+v", err, c.Entries, want)
	}
	var as struct {
		Entries []string `dynamo:"t"`
	}
	texts := []string{
		"L1/101 1772420400+64800.000007 r", "L2/102 1772481600+7200 g5400 l1772485200.000007",
		"B3 1772517600.000001+3599.499999", "L5/105 1772553600+",
	}
	if err := stored(t, s, 1).Decode(&as); err != nil || !slices.Equal(as.Entries, texts) {
		t.Errorf("stored as %q, %v\nwant %q", as.Entries, err, texts)
	}
}

// Lists of what is free read the calendars of a whole company, so an entry is to be small.
func TestSize(t *testing.T) {
	s := scope(tabletest.New(t), "one")
	for item, n := range map[int64]int{5: 5, 20: 20} {
		var list []calendar.Entry
		for i := range n {
			e := line(int64(900_000+i), 20+10*i, 29+10*i)
			e.Order, e.Gap = int64(800_000+i), 3600
			list = append(list, e)
		}
		if err := occupy(t, s, item, list...); err != nil {
			t.Fatal(err)
		}
		size := stored(t, s, item).Size()
		t.Logf("%d entries: %d bytes", n, size)
		if most := map[int]int{5: 320, 20: 1000}[n]; size > most {
			t.Errorf("a calendar of %d entries has %d bytes, more than %d", n, size, most)
		}
	}
}
