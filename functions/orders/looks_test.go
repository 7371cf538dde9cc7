package orders_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// A step of the whole order takes no lines, so that nobody cancels an order who means a line of it.
func TestStepsOfTheWholeOrder(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"inventories":[{"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}]}`).Status(201)
	for _, status := range []string{"1", "3"} {
		c.Post(requests+"1/action/", `{"status":`+status+`,"order_inventories":[1]}`).Status(400).Writes(0).
			JSON(`{"order_inventories":["This step is of the whole order."]}`)
	}
	c.Get(requests+"1/").Field("status", "0")
}

// A cancelled order owes nothing, whatever it would have cost.
func TestCancelledOwesNothing(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1,"services":[{"service":1}]}`).Status(201).Field("debt", `"1500.00"`)
	c.Post(requests+"1/pay/", `{"amount":500}`).Status(200)
	c.Post(requests+"1/action/", `{"status":3}`).Status(200).Field("debt", `"0.00"`).Field("overpaid", `"500.00"`)
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"0.00"`)
	c.Post(requests+"referrals/", `{"request":1,"amount":1}`).Status(409).Field("code", `"status"`)
}

// The time of an order whose lines have times is theirs; a new line that names no time has it, too.
func TestTimeOfLines(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"inventories":[{"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}]}`).Status(201)
	c.Patch(requests+"1/", `{"rent_start":"2026-03-07T10:00:00Z","rent_end":"2026-03-08T10:00:00Z"}`).Status(200).
		Field("inventories.0.start_at", `"2026-03-07T10:00:00Z"`)
	c.Patch(lines+"1/", `{"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}`).Status(200)
	c.Post(lines, `{"request":1,"inventory":2}`).Status(201).Field("start_at", `"2026-03-03T10:00:00Z"`).Field("end_at", `"2026-03-05T10:00:00Z"`)
	c.Delete(lines + "1/").Status(204)
	c.Delete(lines + "2/").Status(204)
	c.Get(requests+"1/").Field("rent_start", `"2026-03-07T10:00:00Z"`)
	c.Post(requests+"1/action/", `{"status":1,"order_inventories":[]}`).Status(400).Writes(0)
}

// An item that is handed out before its time, and is to come back before it, has the time in which it is out.
func TestFetchedEarlyAndShortened(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"status":1,"inventories":[{"inventory":1,"start_at":"2026-03-20T10:00:00Z","end_at":"2026-03-21T10:00:00Z"}]}`).Status(201)
	c.Post(requests+"1/action/", `{"status":2}`).Status(200).Field("rent_start", `"2026-03-02T09:30:00Z"`)
	c.Patch(lines+"1/", `{"end_at":"2026-03-03T09:30:00Z"}`).Status(200).Field("start_at", `"2026-03-02T09:30:00Z"`).Field("price", `"3000.00"`)
	o := c.Get(requests+"1/").Field("rent_start", `"2026-03-02T09:30:00Z"`).Field("rent_end", `"2026-03-03T09:30:00Z"`)
	c.Put(requests+"1/", string(o.Body())).Status(200)
	c.Get(requests+"?start_at=2026-03-02T12:00:00Z&end_at=2026-03-02T13:00:00Z").Field("count", "1")
}

// An order is ended when it is completed, and not when a part of it is back.
func TestEndOfAnOrder(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"status":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z",`+
		`"inventories":[{"inventory":1},{"inventory":2}]}`).Status(201)
	c.Post(requests+"1/action/", `{"status":2,"order_inventories":[1]}`).Status(200).Field("status", "2")
	api.Clock.Step(time.Hour)
	c.Post(requests+"1/action/", `{"status":4}`).Status(200).Field("status", "2").Field("rent_fact_end", "null")
	c.Post(requests+"1/action/", `{"status":4}`).Status(409).Field("allowed", "[2]")
	c.Delete(lines + "2/").Status(204)
	c.Get(requests+"1/").Field("status", "5").Field("rent_fact_end", `"2026-03-02T10:30:00Z"`)
	c.Post(requests, `{"status":1,"inventories":[{"inventory":3,"type":1}]}`).Status(201)
	c.Post(requests+"2/action/", `{"status":2}`).Status(200).Field("status", "5").Field("rent_fact_end", `"2026-03-02T10:30:00Z"`)
}

// What a late fee followed from can't change any more, and a rental does not become a sale at the price of a rental.
func TestTermsStay(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"status":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-03T10:00:00Z",`+
		`"inventories":[{"inventory":1},{"inventory":2}]}`).Status(201)
	c.Patch(lines+"2/", `{"type":1}`).Status(200).Field("price", `"9000000.00"`).Field("tarif", "null")
	c.Patch(lines+"2/", `{"type":0,"end_at":"2026-03-03T10:00:00Z"}`).Status(200).Field("price", `"3000.00"`).Field("tarif", "1")
	c.Post(requests+"1/action/", `{"status":2,"order_inventories":[1]}`).Status(200)
	api.Clock.Step(30 * time.Hour)
	c.Post(requests+"1/action/", `{"status":4}`).Status(200).Field("inventories.0.penalty_amount", `"500.00"`)
	for _, body := range []string{`{"tarif_price":300}`, `{"tarif_duration":"01:00:00"}`, `{"tarif":2}`} {
		c.Patch(lines+"1/", body).Status(409).Field("code", `"returned"`).Writes(0)
	}
	c.Patch(lines+"1/", `{"additional_discount":100,"tarif_price":3000}`).Status(200).Field("price_discount", `"100.00"`)
}

// What is wrong with a line that is changed with others stands in its row.
func TestRowsOfAChange(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-03T10:00:00Z","inventories":[{"inventory":1},{"inventory":2}]}`).
		Status(201)
	const unknown = `["Invalid pk \"99\" - object does not exist."]`
	c.Post(requests+"1/inventories/bulk_update/", `{"inventories":[{"id":1},{"id":2,"inventory":99,"discount":99}]}`).Status(400).Writes(0).
		JSON(`{"inventories":[{},{"inventory":` + unknown + `,"discount":` + unknown + `}]}`)
	c.Post(requests, `{"status":3,"client":99}`).Status(400).JSON(`{"status":["A new order is 0 or 1."],"client":` + unknown + `}`)
}

// An item that an order wants twice is handed out for the first time; a free part of a line is small, because an order
// shows all its lines.
func TestOneItemTwice(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"status":1,"inventories":[{"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-04T10:00:00Z"},`+
		`{"inventory":1,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-03T10:00:00Z"}]}`).Status(201)
	c.Post(requests+"1/action/", `{"status":2}`).Status(200).Field("inventories.0.fact_start_at", "null").
		Field("inventories.1.fact_start_at", `"2026-03-02T09:30:00Z"`)
	large := fmt.Sprintf(`{"extra":{"note":"%s"}}`, strings.Repeat("x", 2<<10))
	c.Patch(lines+"1/", large).Status(400).Writes(0)
}
