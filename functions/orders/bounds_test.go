package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What a line can't be is refused at its place, and nothing is written.
func TestLinesThatCannotBe(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	other := api.As(webtest.Employee(2))
	for range 7 {
		other.Post(inventories, `{"name":"Of another company"}`).Status(201)
	}
	c.Post(requests, rental(2, "03T10:00", "05T10:00")).Status(201)
	c.Post(requests, `{"status":1}`).Status(201)
	c.Post(inventories, `{"name":"Archived","group":1,"disabled":1}`).Status(201)
	const end = `"end_at":"2026-03-05T10:00:00Z"`
	with := func(item, start string) string {
		return `{"inventory":` + item + `,"start_at":"` + start + `",` + end + `}`
	}
	but := func(more string) string {
		return `{"inventory":1,` + more + `,"start_at":"2026-03-04T10:00:00Z",` + end + `}`
	}
	nobody := func(field, id string) string {
		return `{"` + field + `":["Invalid pk \"` + id + `\" - object does not exist."]}`
	}
	const (
		day      = "2026-03-04T10:00:00Z"
		reversed = `{"end_at":["Ensure this value is after the start."]}`
		noTime   = `{"start_at":["<any>"]}`
	)
	for _, tt := range []struct{ name, line, want string }{
		{"no times", `{"inventory":1}`, `{"start_at":["This field is required."],"end_at":["This field is required."]}`},
		{"no item", `{"start_at":"2026-03-04T10:00:00Z",` + end + `}`, `{"inventory":["This field is required."]}`},
		{"end before start", with("1", "2026-03-06T10:00:00Z"), reversed},
		{"zero length", with("1", "2026-03-05T10:00:00Z"), reversed},
		{"zero length in two zones", with("1", "2026-03-05T15:00:00+05:00"), reversed},
		{"11 years", with("1", "2015-03-05T10:00:00Z"), `{"end_at":["Ensure this value is at most 10 years after the start."]}`},
		{"the year 1", with("1", "0001-01-01T00:00:00Z"), noTime},
		{"a date alone", with("1", "2026-03-04"), noTime},
		{"an offset of 25 hours", with("1", "2026-03-04T10:00:00+25:00"), noTime},
		{"the hour 25", with("1", "2026-03-04T25:00:00Z"), noTime},
		{"of another company", with("7", day), nobody("inventory", "7")},
		{"item 0", with("0", day), nobody("inventory", "0")},
		{"an item below 0", with("-1", day), nobody("inventory", "-1")},
		{"a tariff of nobody", but(`"tarif":99`), nobody("tarif", "99")},
		{
			"a discount below 0", but(`"additional_discount":-1`),
			`{"additional_discount":["Ensure this value is greater than or equal to 0."]}`,
		},
		{"a third type", but(`"type":2`), `{"type":["\"2\" is not a valid choice."]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := c.In(t)
			c.Post(requests, `{"inventories":[`+tt.line+`]}`).Status(400).JSON(`{"inventories":[` + tt.want + `]}`)
			c.Post(requests+"2/inventories/bulk_create/", `{"inventories":[`+tt.line+`]}`).Status(400).
				JSON(`{"inventories":[` + tt.want + `]}`)
			c.Post(requests+"2/inventories/", tt.line).Status(400).JSON(tt.want)
			c.Post(lines, `{"request":2,`+tt.line[1:]).Status(400).JSON(tt.want)
		})
	}
	times := `"start_at":"2026-03-04T10:00:00Z",` + end
	c.Post(lines, `{"request":2,"inventory":6,`+times+`}`).Status(409).Field("code", `"closed"`)
	c.Post(lines, `{"request":9,"inventory":1,`+times+`}`).Status(400).JSON(`{"request":["Invalid pk \"9\" - object does not exist."]}`)
	c.Patch(lines+"1/", `{"request":2}`).Status(400).JSON(`{"request":["A line stays in its order."]}`)
	c.Get(requests + "2/inventories/1/").Status(404)
	c.Patch(requests+"2/inventories/1/", `{"extra":{}}`).Status(404)
	c.Post(requests+"2/inventories/bulk_update/", `{"inventories":[{"id":1,"inventory":1}]}`).Status(400).
		JSON(`{"inventories":[{"id":["Invalid pk \"1\" - object does not exist."]}]}`)
	c.Post(requests+"2/inventories/bulk_delete/", `{"inventories":[1]}`).Status(400).
		JSON(`{"inventories":{"0":["Invalid pk \"1\" - object does not exist."]}}`)
	c.Post(requests+"1/inventories/bulk_delete/", `{"inventories":[1,1]}`).Status(400).
		JSON(`{"inventories":{"1":["Line 1 is named twice."]}}`)
	act(c, 2, 2, `,"order_inventories":[1]`).Status(400).
		JSON(`{"order_inventories":{"0":["Invalid pk \"1\" - object does not exist."]}}`)
	other.Get(lines + "1/").Status(404)
	other.Patch(lines+"1/", `{"extra":{}}`).Status(404)
	act(other, 1, 2).Status(404)
	whole(t, api)
}

// A time without an offset is the company's; one with an offset is answered in UTC.
func TestZones(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	for n, start := range []string{
		"2026-03-04T10:00:00", "2026-03-04T10:45:00+05:45", "2026-03-03T17:30:00-11:30", "2026-03-04T05:00:00.000Z",
	} {
		body := fmt.Sprintf(`{"inventories":[{"inventory":%d,"start_at":"%s","end_at":"2026-03-06T10:00:00"}]}`, n+1, start)
		c.Post(requests, body).Status(201).
			Field("inventories.0.start_at", `"2026-03-04T05:00:00Z"`).Field("inventories.0.end_at", `"2026-03-06T05:00:00Z"`)
	}
}

// many are the JSON of n new lines of items from a first one.
func many(first, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"inventory":%d,"start_at":"2026-03-04T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}`, first+i)
	}
	return `"inventories":[` + strings.Join(list, ",") + `]`
}

// fleet adds cars until there are n.
func fleet(c *webtest.Client, n int) {
	for range n - 5 {
		c.Post(inventories, `{"name":"Camry","group":1,"sell_price":"9000000"}`).Status(201)
	}
}

// ids are the JSON of the ids from a first one to a last one.
func ids(first, last int) string {
	var list []string
	for id := first; id <= last; id++ {
		list = append(list, fmt.Sprint(id))
	}
	return `[` + strings.Join(list, ",") + `]`
}

// An order has at most 80 lines, and a call changes at most 30. Cancelling frees all of them at once.
func TestManyLines(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	fleet(c, 82)
	tooMany := `{"inventories":{"non_field_errors":["Ensure this field has no more than 30 elements."]}}`
	c.Post(requests, `{`+many(1, 31)+`}`).Status(400).JSON(tooMany)
	c.Post(requests, `{"status":1,"client":1,`+many(1, 30)+`}`).Status(201)
	c.Post(requests+"1/inventories/bulk_create/", `{`+many(31, 31)+`}`).Status(400).JSON(tooMany)
	c.Post(requests+"1/inventories/bulk_create/", `{`+many(31, 30)+`}`).Status(201)
	c.Post(requests+"1/inventories/bulk_create/", `{`+many(61, 21)+`}`).Status(400).
		JSON(`{"non_field_errors":["An order has at most 80 item lines."]}`)
	c.Post(requests+"1/inventories/bulk_create/", `{`+many(61, 20)+`}`).Status(201).Field("price", `"240000.00"`)
	c.Post(requests+"1/inventories/", strings.TrimSuffix(strings.TrimPrefix(many(81, 1), `"inventories":[`), `]`)).Status(400)
	c.Post(requests+"1/inventories/bulk_delete/", `{"inventories":`+ids(1, 31)+`}`).Status(400).
		JSON(`{"inventories":["Ensure this field has no more than 30 elements."]}`)
	act(c, 1, 2).Status(400).JSON(`{"order_inventories":["Name the lines, at most 30 in a call: there are 80."]}`)
	act(c, 1, 2, `,"order_inventories":`+ids(1, 31)).Status(400).
		JSON(`{"order_inventories":["Ensure this field has no more than 30 elements."]}`)
	c.Delete(requests+"1/").Status(409).Field("code", `"status"`)
	act(c, 1, 3).Status(200).Field("status", "3")
	c.Post(requests, `{"client":1,`+many(1, 30)+`}`).Status(201)
	c.Post(requests+"2/inventories/bulk_create/", `{`+many(31, 20)+`}`).Status(201)
	// What is too much for one transaction goes in parts.
	for id, count := range map[int]int{1: 80, 2: 50} {
		path := fmt.Sprint(requests, id, "/")
		first := 1
		if id == 2 {
			first = 81
		}
		c.Delete(path).Status(409).Field("code", `"too_many_lines"`)
		for ; count > 20; count, first = count-30, first+30 {
			c.With("Idempotency-Key", fmt.Sprint(first)).
				Post(path+"inventories/bulk_delete/", `{"inventories":`+ids(first, first+29)+`}`).Status(200)
		}
		c.Delete(path).Status(204)
	}
	c.Get(lines).Status(200).Field("count", "0")
	c.Post(requests, `{`+many(1, 30)+`}`).Status(201)
	whole(t, api)
}

// Twenty-eight lines of a request go with it, and their items are free.
func TestDeletingAnOrderWithLines(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	fleet(c, 28)
	c.Post(requests, `{`+many(1, 28)+`}`).Status(201)
	c.Delete(requests + "1/").Status(204)
	c.Get(lines + "28/").Status(404)
	c.Post(requests, `{`+many(1, 28)+`}`).Status(201)
	act(c, 2, 3).Status(200)
	c.Delete(requests + "2/").Status(204)
	whole(t, api)
}
