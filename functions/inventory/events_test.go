package inventory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What is done to an item is said: where it was put, and when it can't be rented.
func TestEventsOfItems(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	for _, name := range []string{"A", "B"} {
		c.Post(groups, `{"name":"`+name+`"}`).Status(201).Happened("inventory_group.created")
	}
	c.Post(all, `{"name":"Camry","group":1}`).Status(201).Happened("inventory.created")
	last := func() int64 {
		list := api.Events(1, 0)
		return list[len(list)-1].Number
	}
	after := last()
	c.Patch(all+"1/", `{"group":2}`).Status(200).Happened("inventory.moved")
	c.Patch(all+"1/", `{"group":2}`).Status(200).Happened()
	c.Patch(all+"1/", `{"group":1,"name":"Camry 70"}`).Status(200).Happened("inventory.updated", "inventory.moved")
	c.Patch(all+"1/", `{"group":null}`).Status(200).Happened("inventory.moved")
	c.Patch(all+"1/", `{"comment":"Scratched"}`).Status(200).Happened("inventory.updated")
	c.Post(bulk, `{"id":2,"inventories":[1]}`).Status(201).Happened("inventory.moved")
	c.Post(theBlocks, `{"start_at":"2026-03-10T09:00:00Z","end_at":"2026-03-12T09:00:00Z","reason":"Repair"}`).Status(201).Happened("inventory.blocked")
	c.Post(theBlocks, `{"start_at":"2026-03-10T09:00:00Z","end_at":"2026-03-12T09:00:00Z"}`).Writes(1).Status(409).Happened() // its number
	c.Patch(theBlocks+"1/", `{"end_at":"2026-03-13T09:00:00Z"}`).Status(200).Happened("inventory.updated")
	c.Delete(theBlocks + "1/").Status(204).Happened("inventory.unblocked")
	c.Delete(all + "1/").Status(204).Happened("inventory.deleted")
	var got []string
	for _, e := range api.Events(1, after) {
		got = append(got, fmt.Sprint(e.Name, " ", e.Concerns, " ", string(e.Data)))
	}
	const one, two = "inventory_group:1", "inventory_group:2"
	want := []string{
		`inventory.moved [` + two + ` ` + one + `] {"from":1,"to":2}`,
		`inventory.updated [` + one + ` ` + two + `] {"fields":["name"]}`,
		`inventory.moved [` + one + ` ` + two + `] {"from":2,"to":1}`,
		`inventory.moved [` + one + `] {"from":1,"to":null}`,
		`inventory.updated [] {"fields":["comment"]}`,
		`inventory.moved [` + two + `] {"from":null,"to":2}`,
		`inventory.blocked [` + two + `] {"block":1,"start_at":"2026-03-10T09:00:00Z","end_at":"2026-03-12T09:00:00Z"}`,
		`inventory.updated [` + two + `] {"fields":["blocks.1.end_at"]}`,
		`inventory.unblocked [` + two + `] {"block":1,"start_at":"2026-03-10T09:00:00Z","end_at":"2026-03-13T09:00:00Z"}`,
		`inventory.deleted [` + two + `] `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// A move of many items says so of each of them, whichever transaction moves it.
func TestEventsOfMoves(t *testing.T) {
	api := webtest.New(t, inventory.New)
	ids := stock(t, api, 70, 4)
	before := api.Events(1, 0)
	api.As(webtest.Employee(1)).Post(bulk, map[string]any{"id": 4, "inventories": ids}).Status(201)
	moved := map[int64]int{}
	for _, e := range api.Events(1, before[len(before)-1].Number) {
		if want := fmt.Sprintf(`{"from":%d,"to":4}`, e.ID%2+1); e.Name != "inventory.moved" || string(e.Data) != want {
			t.Errorf("%s of %d: %s, want %s", e.Name, e.ID, e.Data, want)
		}
		moved[e.ID]++
	}
	if len(moved) != 70 || slices.ContainsFunc(ids, func(id int64) bool { return moved[id] != 1 }) {
		t.Errorf("moved: %v", moved)
	}
}
