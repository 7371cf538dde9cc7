package orders_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Another time of an order is one of the lines that had its time, in their calendars too, and what is in the way is told.
func TestMovingAnOrder(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	const order = requests + "1/"
	c.Post(requests, `{"status":1,"client":1,"rent_start":"2026-03-03T10:00:00Z","rent_end":"2026-03-05T10:00:00Z",
		"inventories":[{"inventory":1},{"inventory":2},{"inventory":3,"end_at":"2026-03-04T10:00:00Z"}]}`).Status(201).
		Field("price", `"15000.00"`)
	c.Patch(order, `{"rent_start":"2026-03-04T10:00:00Z","rent_end":"2026-03-07T10:00:00Z"}`).Status(200).
		Field("inventories.0.start_at", `"2026-03-04T10:00:00Z"`).Field("inventories.0.end_at", `"2026-03-07T10:00:00Z"`).
		Field("inventories.1.start_at", `"2026-03-04T10:00:00Z"`).Field("inventories.1.end_at", `"2026-03-07T10:00:00Z"`).
		Field("inventories.2.start_at", `"2026-03-03T10:00:00Z"`).Field("inventories.2.end_at", `"2026-03-04T10:00:00Z"`).
		Field("rent_start", `"2026-03-03T10:00:00Z"`).Field("rent_end", `"2026-03-07T10:00:00Z"`).Field("price", `"21000.00"`)
	// The items are free before, and occupied now: what is in the way is told, and nothing moves.
	c.Post(requests, rental(1, "03T10:00", "04T10:00")).Status(201)
	c.Post(requests, rental(2, "06T10:00", "08T10:00")).Status(409).Field("code", `"overlap"`)
	c.Post(requests, rental(2, "07T10:00", "08T10:00")).Status(201)
	c.Patch(order, `{"rent_end":"2026-03-08T10:00:00Z"}`).Status(400).JSON(
		`{"rent_end":["No line of the order has exactly its time and can be moved: change the lines."]}`)
	c.Delete(lines + "3/").Status(204)
	c.Patch(order, `{"rent_end":"2026-03-07T12:00:00Z"}`).Status(409).Field("code", `"overlap"`).Field("conflicts.0.request", "3")
	c.Get(order).Field("inventories.0.end_at", `"2026-03-07T10:00:00Z"`).Field("price", `"18000.00"`)
	// What was read can be sent back: nothing changes.
	read := c.Get(order).Status(200)
	c.Put(order, string(read.Body())).Status(200).Field("inventories.0.start_at", `"2026-03-04T10:00:00Z"`)
	// Those that are out move at their end alone.
	c.Patch(order, `{"rent_start":"2026-03-04T11:00:00Z","rent_end":"2026-03-06T11:00:00Z"}`).Status(200).Field("price", `"12000.00"`)
	act(c, 2, 3).Status(200)
	act(c, 1, 2, `,"order_inventories":[1]`).Status(200)
	c.Patch(order, `{"rent_start":"2026-03-05T11:00:00Z","rent_end":"2026-03-07T09:00:00Z"}`).Status(200).
		Field("inventories.0.start_at", `"2026-03-04T11:00:00Z"`).Field("inventories.0.end_at", `"2026-03-07T09:00:00Z"`).
		Field("inventories.1.start_at", `"2026-03-05T11:00:00Z"`).Field("inventories.1.end_at", `"2026-03-07T09:00:00Z"`)
	c.Patch(order, `{"rent_end":"2026-03-02T09:30:00Z"}`).Status(400).JSON(`{"rent_end":["Ensure this value is after rent_start."]}`)
	whole(t, api)
	act(c, 1, 4).Status(200)
	c.Patch(order, `{"rent_end":"2026-03-07T08:00:00Z"}`).Status(400)
	act(c, 1, 2).Status(200)
	act(c, 1, 4).Status(200).Field("status", "5")
	c.Patch(order, `{"rent_end":"2026-03-07T08:00:00Z"}`).Status(409).Field("code", `"status"`)
	c.Patch(order, `{"extra":{"seen":true}}`).Status(200)
	whole(t, api)
}

// An order without rentals keeps what is sent; one that has got them, and loses them, has what was sent last.
func TestTimeWithoutRentals(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"rent_start":"2026-03-03T10:00:00Z"}`).Status(201)
	c.Patch(requests+"1/", `{"rent_end":"2026-03-04T10:00:00Z"}`).Status(200).Field("rent_end", `"2026-03-04T10:00:00Z"`)
	c.Post(lines, `{"request":1,"inventory":1}`).Status(201)
	c.Patch(lines+"1/", `{"start_at":"2026-03-10T10:00:00Z","end_at":"2026-03-12T10:00:00Z"}`).Status(200)
	// A half that was sent is not compared with what was sent before.
	c.Patch(requests+"1/", `{"rent_start":"2026-03-11T10:00:00Z"}`).Status(200).Field("inventories.0.price", `"3000.00"`)
	c.Patch(requests+"1/", `{"rent_start":"2026-03-12T10:00:00Z"}`).Status(400).JSON(
		`{"rent_end":["Ensure this value is after rent_start."]}`)
	c.Delete(lines + "1/").Status(204)
	c.Get(requests+"1/").Field("rent_start", `"2026-03-11T10:00:00Z"`).Field("rent_end", `"2026-03-12T10:00:00Z"`)
}

// Thirty lines move at once, and services that are charged for the order's time follow it.
func TestMovingManyLines(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	fleet(c, 31)
	c.Post(requests, `{"client":1,`+many(1, 30)+`}`).Status(201)
	moved := c.Patch(requests+"1/", `{"rent_start":"2026-03-06T10:00:00Z","rent_end":"2026-03-08T10:00:00Z"}`).Status(200)
	for n := range 30 {
		moved.Field(fmt.Sprintf("inventories.%d.start_at", n), `"2026-03-06T10:00:00Z"`)
	}
	t.Logf("thirty lines moved: %v", moved.Cost())
	moved.Calls(8).Units(160, 300)
	c.Post(requests+"1/inventories/bulk_create/", `{"inventories":[{"inventory":31}]}`).Status(201)
	c.Patch(requests+"1/", `{"rent_end":"2026-03-09T10:00:00Z"}`).Status(400)
	whole(t, api)
}
