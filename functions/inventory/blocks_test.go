package inventory_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const theBlocks = all + "1/blocks/"

// calendarOf is the calendar of an item of company 1.
func calendarOf(t *testing.T, api *webtest.API, id int64) calendar.Calendar {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Clock.Now}
	c, err := calendar.Read(t.Context(), s.Reading(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// told is the history of an item of company 1, the newest first.
func told(t *testing.T, api *webtest.API, id int64) (list []string) {
	t.Helper()
	entries, _, err := audit.Page(t.Context(), table.Of(api.Env.Table, 1), kinds.Of(kinds.Inventory), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		for _, c := range e.Changes {
			list = append(list, fmt.Sprintf("%d %s %s %s→%s", *e.User, e.Action, c.Field, c.From, c.To))
		}
	}
	return list
}

func TestBlocks(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Camry"}`).Status(201)
	c.Get(theBlocks).Status(200).JSON(`[]`).Calls(1)
	first := `{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","start_at":"2026-03-10T09:00:00Z",
		"end_at":"2026-03-12T09:00:00Z","reason":"Repair","inventory":1}`
	c.Post(theBlocks, `{"start_at":"2026-03-10T14:00:00+05:00","end_at":"2026-03-12T09:00:00Z","reason":" Repair "}`).Status(201).JSON(first).
		Header("ETag", `"1"`).Header("Location", webtest.BaseURL+theBlocks+"1/").Calls(4).Units(2, 12)
	c.Get(theBlocks + "1/").Status(200).JSON(first).Calls(1)
	c.Post(theBlocks, `{"start_at":"2026-03-12T09:00:00Z","end_at":"2026-03-13T09:00:00Z"}`).Status(201).Field("reason", "null") // they touch
	c.Get(theBlocks).Status(200).Field("0.id", "1").Field("1.id", "2")

	// What overlaps names what is in the way, whether it is made or moved.
	conflict := `{"detail":"The item is occupied at this time.","code":"overlap","conflicts":[
		{"line":null,"request":null,"block":1,"inventory":1,"start_at":"2026-03-10T09:00:00Z","end_at":"2026-03-12T09:00:00Z","overdue":false}]}`
	c.Post(theBlocks, `{"start_at":"2026-03-11T00:00:00Z","end_at":"2026-03-11T01:00:00Z"}`).Writes(1).Status(409).JSON(conflict) // its number
	c.Patch(theBlocks+"2/", `{"start_at":"2026-03-12T08:59:59.999999Z"}`).Status(409).JSON(conflict)
	c.With("If-Match", `"1"`).Patch(theBlocks+"2/", `{"end_at":"2026-03-14T00:00:00Z","reason":"Paint"}`).Status(200).Header("ETag", `"2"`)
	c.Put(theBlocks+"1/", `{"start_at":"2026-03-09T00:00:00Z","end_at":"2026-03-12T00:00:00Z"}`).Status(200).Field("reason", `"Repair"`)
	c.Delete(theBlocks + "1/").Status(204)
	c.Post(theBlocks, `{"start_at":"2026-03-11T00:00:00Z","end_at":"2026-03-11T01:00:00Z"}`).Status(201).Field("id", "4")
	if got := calendarOf(t, api, 1); len(got.Entries) != 2 || got.Entries[0].Block != 4 || got.Entries[1].Block != 2 {
		t.Errorf("%+v", got)
	}
	c.Patch(theBlocks+"4/", `{"reason":null}`).Status(200).Header("ETag", `"1"`).Writes(0)

	// The item's history tells of each block.
	history := told(t, api, 1)
	for i, want := range []string{
		`12 changed blocks.4 null→{"id":4,`, `12 changed blocks.1 {"id":1,`, `12 changed blocks.1.end_at "2026-03-12T09:00:00Z"→"2026-03-12T00:00:00Z"`,
		`12 changed blocks.1.start_at`, `12 changed blocks.2.end_at`, `12 changed blocks.2.reason null→"Paint"`,
	} {
		if i >= len(history) || !strings.HasPrefix(history[i], want) {
			t.Errorf("the history tells %q, want %q at %d", history, want, i)
			break
		}
	}
	api.As(webtest.Employee(2)).Get(theBlocks).Status(404)
	api.As(webtest.Employee(2)).Post(theBlocks, `{"start_at":"2026-04-01T00:00:00Z","end_at":"2026-04-02T00:00:00Z"}`).Status(404)
}

func TestBadBlocks(t *testing.T) {
	api := webtest.New(t, inventory.New)
	home := table.Of(api.Env.Table, 1)
	almaty := company.Company{Item: table.At(home.Company(), company.Version), ID: 1, TimeZone: "Asia/Almaty"}
	if err := home.Put(almaty).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Camry"}`).Status(201)
	const reversed = `{"end_at":["Ensure this value is after start_at."]}`
	c.Post(theBlocks, `{"start_at":"2026-03-10T09:00:00Z","end_at":"2026-03-10T09:00:00Z"}`).Status(400).JSON(reversed)
	c.Post(theBlocks, `{"start_at":"2026-03-10T09:00:00Z","end_at":"2026-03-10T13:59:59+05:00"}`).Status(400).JSON(reversed)
	c.Post(theBlocks, `{}`).Status(400).JSON(`{"start_at":["This field is required."],"end_at":["This field is required."]}`)
	c.Post(theBlocks, `{"start_at":"2026-03-10","end_at":null}`).Status(400).Field("end_at", `["This field may not be null."]`)
	// Without an offset it is the company's own time.
	c.Post(theBlocks, `{"start_at":"2026-03-10T09:00","end_at":"2026-03-10T09:00:00Z"}`).Status(201).Field("start_at", `"2026-03-10T04:00:00Z"`)
	c.Patch(theBlocks+"1/", `{"start_at":"2026-03-10T15:00:00"}`).Status(400).JSON(reversed)
	c.Patch(theBlocks+"1/", `{"end_at":"2026-03-10T09:00:01"}`).Status(200).Field("end_at", `"2026-03-10T04:00:01Z"`)
}

// An item out of use takes no blocks, and keeps those that it has; a deleted one has none.
func TestTheCalendarOfAnItemOutOfUse(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	const later = `{"start_at":"2026-04-01T00:00:00Z","end_at":"2026-04-02T00:00:00Z"}`
	closed := func(id int64, want bool, entries int) {
		t.Helper()
		if got := calendarOf(t, api, id); got.Closed != want || len(got.Entries) != entries {
			t.Errorf("item %d: %+v", id, got)
		}
	}
	c.Post(all, `{"name":"Camry"}`).Status(201)
	c.Post(theBlocks, `{"start_at":"2026-03-10T00:00:00Z","end_at":"2026-03-12T00:00:00Z"}`).Status(201)
	for _, disabled := range []string{"0", "1", "2"} {
		c.Patch(all+"1/", `{"disabled":`+disabled+`}`).Status(200)
		closed(1, true, 1)
		c.Post(theBlocks, later).Writes(1).Status(409).JSON(`{"detail":"The item is deleted or out of use.","code":"closed"}`)
		c.Patch(theBlocks+"1/", `{"reason":"`+disabled+`"}`).Status(200)
		c.Patch(theBlocks+"1/", `{"end_at":"2026-03-11T00:00:00Z"}`).Status(409)
		c.Patch(all+"1/", `{"disabled":null}`).Status(200)
		closed(1, false, 1)
	}
	c.Put(all+"1/", `{"name":"Camry","disabled":1}`).Status(200)
	c.Put(all+"1/", `{"name":"Camry","disabled":2}`).Status(200).Calls(2) // it is closed already
	c.Delete(theBlocks + "1/").Status(204)
	closed(1, true, 0)

	// An item that is made out of use has a closed calendar from the beginning; a refused one leaves none.
	c.Post(all, `{"name":"Old","disabled":1}`).Status(201).Field("id", "2")
	closed(2, true, 0)
	c.Post(all, `{"name":"Old","disabled":1,"category":99}`).Status(400).Writes(0)
	c.Post(all, `{"name":"New","unique_id":"N"}`).Status(201).Field("id", "3")
	c.Post(all+"3/blocks/", later).Status(201)
	c.Delete(all + "3/").Status(204)
	closed(3, true, 0)
	c.Post(all+"3/blocks/", later).Status(404)
}

// When overlapping blocks are sent at the same moment, exactly one is made; the other requests are told of it.
func TestRacingBlocks(t *testing.T) {
	api := webtest.Setup{Table: func(client dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		return tabletest.Wrap(client, tabletest.Locks(), 1)
	}}.New(t, inventory.New)
	api.As(webtest.Employee(1)).Post(all, `{"name":"Camry"}`).Status(201)
	for round := range 4 {
		const racers = 16
		answers := make([]*webtest.Answer, racers)
		var group sync.WaitGroup
		from := webtest.Start.AddDate(0, 0, 10*round)
		for i := range racers {
			group.Go(func() {
				start, end := from.Add(time.Duration(i)*time.Minute), from.Add(time.Hour)
				body := fmt.Sprintf(`{"start_at":%q,"end_at":%q}`, start.Format(time.RFC3339), end.Format(time.RFC3339))
				answers[i] = api.As(webtest.Employee(1)).Post(theBlocks, body)
			})
		}
		group.Wait()
		var winner *webtest.Answer
		for _, a := range answers {
			if a.Code() == 201 && winner == nil {
				winner = a
			} else {
				a.Writes(1).Status(409) // its number
			}
		}
		if winner == nil {
			t.Fatal("nobody has it")
		}
		for _, a := range answers {
			if a != winner {
				a.Field("conflicts.0.block", fmt.Sprint(winner.Int("id"))).
					Field("conflicts.0.start_at", fmt.Sprintf("%q", winner.Text("start_at")))
			}
		}
		if got := calendarOf(t, api, 1); len(got.Entries) != round+1 || got.Entries[round].Block != winner.Int("id") {
			t.Errorf("%+v", got)
		}
	}
}

// An item goes out of use while a block is put on it: whichever is first, there is no block in the calendar
// of a deleted item, and none that came after the item went out of use.
func TestABlockWhileItsItemGoes(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	const april = `{"start_at":"2026-04-01T00:00:00Z","end_at":"2026-04-02T00:00:00Z"}`
	seen := map[string]int{}
	both := func() bool { return seen["0 201"]*seen["1 201"]*seen["1 409"]*(seen["0 404"]+seen["0 409"]) > 0 }
	for round := 0; round < 60 || !both() && round < 600; round++ {
		id := c.Post(all, `{"name":"Camry"}`).Status(201).Int("id")
		path := fmt.Sprint(all, id, "/")
		goes := func() *webtest.Answer { return api.As(webtest.Employee(1)).Delete(path) }
		if round%2 == 1 {
			goes = func() *webtest.Answer { return api.As(webtest.Manager(1)).Patch(path, `{"disabled":2}`) }
		}
		var put, gone *webtest.Answer
		var group sync.WaitGroup
		for i, do := range []func(){
			func() {
				put = api.As(webtest.Employee(1)).Post(path+"blocks/", april)
			},
			func() { gone = goes() },
		} {
			group.Go(func() {
				if i == 1 { // every third time the block has a start
					time.Sleep(time.Duration(round/2%3) * 2 * time.Millisecond)
				}
				do()
			})
		}
		group.Wait()
		gone.Status([]int{204, 200}[round%2])
		got := calendarOf(t, api, id)
		seen[fmt.Sprint(round%2, " ", put.Code())]++
		switch code := put.Code(); {
		case !got.Closed:
			t.Errorf("round %d: open: %+v", round, got)
		case round%2 == 0 && len(got.Entries) > 0:
			t.Errorf("round %d: %d, and a deleted item has %+v", round, code, got.Entries)
		case round%2 == 1 && (len(got.Entries) == 1) != (code == 201):
			t.Errorf("round %d: %d, and the calendar has %+v", round, code, got.Entries)
		case code == 201:
			if history := told(t, api, id); round%2 == 1 && !strings.Contains(history[0], "disabled") {
				t.Errorf("round %d: a block came last: %q", round, history)
			}
		case code != 409 && code != 404:
			t.Errorf("round %d: %d", round, code)
		}
	}
	if !both() {
		t.Errorf("not both orders were seen: %v", seen)
	}
}
