package orders_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// deed is what a clerk does with an order, and what it comes to, worked out by hand.
type deed struct {
	at        string // day and hour of March 2026, as "05T10"
	what      string
	operation string // as it is asked about; empty: what can't be asked
	line      int    // of swap and reopen
	order     int
	body      string
	price     string // of the order, for its lines
	debt      string
	manager   bool
}

// path is where a deed is done.
func (d deed) path() string {
	switch d.operation {
	case "swap", "reopen":
		return fmt.Sprintf("%s%d/%s/", lines, d.line, d.operation)
	case "change":
		return fmt.Sprintf("%s%d/", requests, d.order)
	case "inventories":
		return fmt.Sprintf("%s%d/inventories/bulk_update/", requests, d.order)
	}
	return fmt.Sprintf("%s%d/action/", requests, d.order)
}

// TestAFortnight is two weeks at the desk. An hour of a Prado (items 6 and 7) costs 2,000, a day 15,000, a week 91,000; an hour of a Camry
// (items 1 to 5) 200, a day 3,000; insurance (service 2) 1,500 a day. Each step is asked about first, comes to that, and to what the table says.
func TestAFortnight(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"combine":true,"services_by_time":true,"early":"reprice","early_start":"charged","late":"tariffs",`+
		`"cancellation":[{"before":86400,"percent":50},{"before":259200,"percent":20}],"no_show_percent":80}`).Status(200)
	m.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"Terminal 1"}`).Status(201)
	book := func(order int, body, price string) {
		c.Post(requests, `{"client":1,`+body+`}`).Status(201).Field("id", fmt.Sprint(order)).Field("price", `"`+price+`"`)
	}
	rent := func(item int, from, to string) string {
		return fmt.Sprintf(`"inventories":[{"inventory":%d,"start_at":"2026-03-%s:00:00Z","end_at":"2026-03-%s:00:00Z"}]`, item, from, to)
	}
	book(1, `"status":1,`+rent(6, "02T10", "09T10")+`,"services":[{"service":2}]`, "101500.00") // W 91,000 + 7 × 1,500
	book(2, `"hold":3600,`+rent(7, "05T10", "06T10"), "15000.00")
	book(3, `"status":1,`+rent(1, "03T10", "05T10"), "6000.00") // 2 × 3,000
	book(4, `"status":1,`+rent(2, "10T10", "12T10"), "6000.00") // 2 × 3,000
	book(5, `"status":1,`+rent(3, "04T10", "05T10"), "3000.00") // a day
	book(6, `"status":1,"rental_point_return":1,`+rent(5, "10T10", "11T10"), "3000.00")

	for _, d := range []deed{
		{at: "02T10", what: "the week begins", operation: "action", order: 1, body: `{"status":2}`, price: "101500.00", debt: "101500.00"},
		{at: "03T08", what: "fetched two hours early: 2 × 3,000 + 2 × 200", operation: "action", order: 3, body: `{"status":2}`, price: "6400.00", debt: "6400.00"},
		{at: "04T12", what: "nobody came: 80 % of 3,000", operation: "action", order: 5, body: `{"status":3,"no_show":true}`, price: "3000.00", debt: "2400.00"},
		{
			at: "04T13", what: "a day more: 91,000 + 15,000 + 8 × 1,500", operation: "inventories", order: 1,
			body: `{"inventories":[{"id":1,"end_at":"2026-03-10T10:00:00Z"}]}`, price: "118000.00", debt: "118000.00",
		},
		{
			at: "05T10", what: "the gearbox broke: 3/8 and 5/8 of 106,000", operation: "swap", order: 1, line: 1,
			body: `{"inventory":7,"price":"keep","reason":"The gearbox broke"}`, price: "118000.00", debt: "118000.00",
		},
		{at: "05T13", what: "three hours late: 2 D + 5 H are 7,000, less 6,400", operation: "action", order: 3, body: `{"status":4}`, price: "6400.00", debt: "7000.00"},
		{
			at: "07T10", what: "a Camry will do: 39,750 + 26,500 + 3/8 of 8 × 3,000, and 12,000", operation: "swap", order: 1, line: 7,
			body: `{"inventory":4,"price":"new","reason":"The client wants a smaller one"}`, price: "87250.00", debt: "87250.00",
		},
		{at: "08T10", what: "cancelled two days before: 20 % of 6,000", operation: "action", order: 4, body: `{"status":3}`, price: "6000.00", debt: "1200.00"},
		{
			at: "09T10", what: "back after a week: 3/7 + 2/7 of 91,000, 2/7 of 21,000, 7 × 1,500", operation: "action", order: 1, body: `{"status":4}`,
			price: "81500.00", debt: "81500.00",
		},
		{at: "09T11", what: "a wrong click: all as it was", operation: "reopen", order: 1, line: 8, body: `{}`, price: "87250.00", debt: "87250.00", manager: true},
		// Of 170 hours, 72 and 48 of W + 2 H = 95,000, and 50 of 7 D + 2 H = 21,400: 40,235.29 + 26,823.53 + 6,294.12; 8 × 1,500.
		{at: "09T12", what: "back after a week and two hours", operation: "action", order: 1, body: `{"status":4}`, price: "85352.94", debt: "85352.94"},
		{at: "09T13", what: "two days more than booked: 3 × 3,000", operation: "change", order: 6, body: `{"rent_end":"2026-03-13T10:00:00Z"}`, price: "9000.00", debt: "9000.00"},
		{at: "10T10", what: "it begins", operation: "action", order: 6, body: `{"status":2}`, price: "9000.00", debt: "9000.00"},
		{at: "13T10", what: "it comes back at the airport", operation: "action", order: 6, body: `{"status":4}`, price: "9000.00", debt: "9000.00"},
	} {
		t.Run(d.at+" "+d.what, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, "2026-03-"+d.at+":00:00Z")
			if err != nil {
				t.Fatal(err)
			}
			api.Clock.Step(at.Sub(api.Clock.Now()))
			by, method, line := c, "POST", ""
			if d.manager {
				by = m
			}
			if d.operation == "change" {
				method = "PATCH"
			}
			if d.line != 0 {
				line = fmt.Sprintf(`"line":%d,`, d.line)
			}
			asked := by.Post(fmt.Sprintf("%s%d/quote/", requests, d.order), fmt.Sprintf(`{"operation":"%s",%s"body":%s}`, d.operation, line, d.body)).
				Status(200).Writes(0).Field("available", "true").Field("after.price", `"`+d.price+`"`).Field("debt", `"`+d.debt+`"`)
			by.With("If-Match", asked.Text("etag")).Do(method, d.path(), d.body).Status(200).Field("price", `"`+d.price+`"`).
				Field("debt", `"`+d.debt+`"`).Field("penalty_amount", `"`+asked.Text("after.penalty_amount")+`"`)
			api.Deliver()
			whole(t, api)
		})
	}
	c.Get(requests+"2/").Status(200).Field("status", "3").Field("debt", `"0.00"`) // its hold ended on the first day
	c.Get(requests+"1/").Status(200).Field("inventories.0.price", `"40235.29"`).Field("inventories.1.price", `"26823.53"`).
		Field("inventories.2.price", `"6294.12"`).Field("services.0.price", `"12000.00"`).Field("status", "5")
	c.Get(inventories+"5/").Status(200).Field("rental_point", "1")
	c.Get(inventories+"?free=true&start_at=2026-03-14T10:00:00Z&end_at=2026-03-15T10:00:00Z&rental_point=1").Status(200).Field("count", "1").
		Field("results.0.id", "5")

	// The money: half of it on the fifth, a cleaning, and a deposit that covers the rest; a car that is sold.
	m.Post(requests+"1/pay/", `{"amount":"50000.00"}`).Status(200).Field("debt", `"35352.94"`)
	c.Post(requests+"1/penalties/", `{"amount":"2000.00","comment":"Cleaning"}`).Status(201)
	c.Post(requests+"1/deposits/", `{"amount":"40000.00"}`).Status(201)
	c.Post(requests+"1/deposits/1/return/", `{"withhold":"37352.94"}`).Status(200)
	c.Get(requests+"1/").Status(200).Field("status", "4").Field("debt", `"0.00"`).Field("paid_amount", `"87352.94"`)
	book(7, `"status":1,"inventories":[{"inventory":2,"type":1}]`, "9000000.00")
	act(c, 7, 2).Status(200).Field("debt", `"9000000.00"`)
	c.Post(requests+"7/pay/", `{"amount":"9000000.00"}`).Status(200).Field("status", "4")

	// Orders 1, 3, 6 and 7: 87,352.94 + 7,000 + 9,000 + 9,000,000. Owed: 7,000 + 9,000, and the fees 1,200 and 2,400.
	client := c.Get(clientsPath + "1/").Status(200)
	for field, want := range map[string]string{
		"orders_count": "4", "orders_amount": "9103352.94", "orders_paid_amount": "9087352.94", "orders_debt_amount": "19600.00",
	} {
		if got := strings.Trim(fmt.Sprint(client.Value(field)), `"`); got != want {
			t.Errorf("%s of the client: %s, want %s", field, got, want)
		}
	}
	// 50,000 + 40,000 - 2,647.06 of the deposit + 9,000,000.
	m.Get(accounts+"1/").Status(200).Field("balance", `"9087352.94"`)
	whole(t, api)
}
