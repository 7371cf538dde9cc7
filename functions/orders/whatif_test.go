package orders_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// ask asks what an operation would make of an order.
func ask(c *webtest.Client, order int, operation, body string) *webtest.Answer {
	return c.Post(fmt.Sprint(requests, order, "/quote/"), `{"operation":"`+operation+`","body":`+body+`}`)
}

// TestWhatIf is an answer, word for word: an item that is back early and one that would come, under a discount of the order.
func TestWhatIf(t *testing.T) {
	api, c := newReturns(t, `{"early":"reprice"}`, from(6, 7, 0))
	c.Patch(requests+"1/", `{"additional_discount":"1000.00"}`).Status(200)
	c.Post(requests+"1/pay/", `{"amount":"60000.00"}`).Status(200)
	after(api, 3, 2)
	const terms = `"one_time_payment":false,"combined":true,"discount":null,"additional_discount":"0.00","price_discount":"0.00"`
	const offer = `[{"id":3,"name":"Hour","price":"2000.00","duriation":3600,"one_time_payment":false},
		{"id":4,"name":"Day","price":"15000.00","duriation":86400,"one_time_payment":false},
		{"id":5,"name":"Week","price":"91000.00","duriation":604800,"one_time_payment":false},
		{"id":6,"name":"Month","price":"330000.00","duriation":2592000,"one_time_payment":false}]`
	const none = `"units":null,"count":null,"percent":null,"tarif":null,"rule":null`
	asked := ask(c, 1, "action", `{"status":4}`).Status(200).Writes(0)
	asked.JSON(`{"etag":"\"4\"","available":true,"conflicts":[],"difference":"-46500.00","fees":[],"refund":"6000.00","debt":"0.00",
		"before":{"status":2,"rent_start":"2026-03-05T10:00:00Z","rent_end":"2026-03-12T10:00:00Z","price":"100500.00",
			"price_inventory":"91000.00","price_service":"10500.00","price_discount":"1000.00","tax":"0.00","penalty_amount":"0.00",
			"paid_amount":"60000.00","debt":"40500.00","overpaid":"0.00","payment_status":1,"steps":[
				{"kind":"inventory","text":"items",` + none + `,"amount":"91000.00"},
				{"kind":"services","text":"services",` + none + `,"amount":"10500.00"},
				{"kind":"additional","text":"additional discount of 1000.00",` + none + `,"amount":"-1000.00"}],
			"inventories":[{"id":1,"inventory":6,"inventory_group":2,"type":0,"start_at":"2026-03-05T10:00:00Z","end_at":"2026-03-12T10:00:00Z",
				"fact_start_at":"2026-03-05T10:00:00Z","fact_end_at":null,"tarif":5,"tarif_name":"Week","tarif_price":"91000.00",
				"tarif_duration":"7 00:00:00",` + terms + `,"price":"91000.00","units":1,"net":"91000.00","priced_until":"2026-03-12T10:00:00Z",
				"price_book":null,"offer":` + offer + `,"steps":[{"kind":"tariff","text":"1 × 91000.00 for 7 days (7 days)","units":1,"count":1,
					"percent":null,"tarif":5,"rule":null,"amount":"91000.00"}],"share":"90103.45","penalty_amount":"0.00"}],
			"services":[{"id":1,"service":2,"service_name":"Service 2","service_type":1,"count":1,"by_time":true,"start_at":null,"end_at":null,
				"tarif":7,"tarif_name":"Day","tarif_price":"1500.00","tarif_duration":"1 00:00:00",` + terms + `,"price":"10500.00","units":7,
				"net":"10500.00","share":"10396.55","steps":[{"kind":"tariff","text":"7 × 1500.00 for 1 day (7 days)","units":7,"count":1,
					"percent":null,"tarif":7,"rule":null,"amount":"10500.00"}]}]},
		"after":{"status":4,"rent_start":"2026-03-05T10:00:00Z","rent_end":"2026-03-12T10:00:00Z","price":"54000.00",
			"price_inventory":"49000.00","price_service":"6000.00","price_discount":"1000.00","tax":"0.00","penalty_amount":"0.00",
			"paid_amount":"60000.00","debt":"0.00","overpaid":"6000.00","payment_status":2,"steps":[
				{"kind":"inventory","text":"items",` + none + `,"amount":"49000.00"},
				{"kind":"services","text":"services",` + none + `,"amount":"6000.00"},
				{"kind":"additional","text":"additional discount of 1000.00",` + none + `,"amount":"-1000.00"}],
			"inventories":[{"id":1,"inventory":6,"inventory_group":2,"type":0,"start_at":"2026-03-05T10:00:00Z","end_at":"2026-03-12T10:00:00Z",
				"fact_start_at":"2026-03-05T10:00:00Z","fact_end_at":"2026-03-08T12:00:00Z","tarif":4,"tarif_name":"Day",
				"tarif_price":"15000.00","tarif_duration":"1 00:00:00",` + terms + `,"price":"49000.00","units":3,"net":"49000.00",
				"priced_until":"2026-03-08T12:00:00Z","price_book":null,"offer":` + offer + `,"steps":[
					{"kind":"tariff","text":"3 × 15000.00 for 1 day (3 days 2 h in all)","units":3,"count":1,"percent":null,"tarif":4,"rule":null,"amount":"45000.00"},
					{"kind":"tariff","text":"2 × 2000.00 for 1 h","units":2,"count":1,"percent":null,"tarif":3,"rule":null,"amount":"4000.00"}],
				"share":"48109.09","penalty_amount":"0.00"}],
			"services":[{"id":1,"service":2,"service_name":"Service 2","service_type":1,"count":1,"by_time":true,"start_at":null,"end_at":null,
				"tarif":7,"tarif_name":"Day","tarif_price":"1500.00","tarif_duration":"1 00:00:00",` + terms + `,"price":"6000.00","units":4,
				"net":"6000.00","share":"5890.91","steps":[{"kind":"tariff","text":"4 × 1500.00 for 1 day (3 days 2 h)","units":4,"count":1,
					"percent":null,"tarif":7,"rule":null,"amount":"6000.00"}]}]}}`)
	tag := asked.Header("ETag", asked.Text("etag")).Text("etag")
	c.Get(requests+"1/").Status(200).Header("ETag", tag)
	c.With("If-Match", tag).Post(requests+"1/action/", `{"status":4}`).Status(200).Field("price", `"54000.00"`).Field("overpaid", `"6000.00"`)
	c.With("If-Match", tag).Post(requests+"1/quote/", `{"operation":"change","body":{}}`).Status(412).Field("etag", `"\"5\""`)
	whole(t, api)
}

// What would be new has no id, and uses none up; what would go is not among what would be.
func TestWhatIfOfLines(t *testing.T) {
	api, c := newReturns(t, `{"cancellation":[{"before":0,"percent":10}]}`, from(6, 7, 0))
	added := ask(c, 1, "inventories", `{"inventories":[`+from(7, 1, 0)+`,`+from(1, 1, 0)+`]}`).Status(200).Writes(0)
	added.Field("difference", `"18000.00"`).Field("before.inventories.0.id", "1").Field("after.inventories.0.id", "1").
		Field("after.inventories.1.id", "null").Field("after.inventories.1.inventory", "7").Field("after.inventories.1.price", `"15000.00"`).
		Field("after.inventories.2.id", "null").Field("after.services.0.id", "1")
	ask(c, 1, "services", `{"services":[{"service":1,"count":2}]}`).Status(200).Writes(0).Field("difference", `"3000.00"`).
		Field("after.services.1.id", "null").Field("after.services.1.service_name", `"Delivery"`).Field("debt", `"104500.00"`)
	ask(c, 1, "services", `{"services":[1]}`).Status(200).Writes(0).Field("difference", `"-10500.00"`).Field("before.services.0.id", "1").
		Field("after.services", "[]")
	ask(c, 1, "services", `{"services":[{"id":1,"count":2}]}`).Status(200).Writes(0).Field("difference", `"10500.00"`).
		Field("after.services.0.count", "2")
	ask(c, 1, "inventories", `{"inventories":[{"id":1,`+until(8, 0)+`}]}`).Status(200).Writes(0).Field("difference", `"16500.00"`).
		Field("after.inventories.0.price", `"106000.00"`).Field("after.services.0.price", `"12000.00"`).
		Field("before.inventories.0.price", `"91000.00"`).Field("after.rent_end", `"2026-03-13T10:00:00Z"`)
	ask(c, 1, "change", `{"rent_end":"2026-03-13T10:00:00Z","additional_discount":"500.00"}`).Status(200).Writes(0).
		Field("difference", `"16000.00"`).Field("after.price_discount", `"500.00"`)

	c.Post(requests, `{"status":1,"inventories":[`+from(2, 4, 0)+`]}`).Status(201).Field("order_inventories", "[2]").Field("price", `"12000.00"`)
	ask(c, 2, "inventories", `{"inventories":[2]}`).Status(200).Writes(0).Field("difference", `"-12000.00"`).Field("after.inventories", "[]").
		Field("before.inventories.0.id", "2")
	ask(c, 2, "action", `{"status":3}`).Status(200).Writes(0).
		Field("fees", `[{"id":null,"line":null,"comment":"Cancellation","before":"0.00","after":"1200.00"}]`).
		Field("difference", `"0.00"`).Field("debt", `"1200.00"`).Field("after.status", "3").Field("after.penalty_amount", `"1200.00"`)
	c.Post(requests+"2/penalties/", `{"amount":"1.00"}`).Status(201).Field("id", "1")
	after(api, 8, 0)
	ask(c, 1, "action", `{"status":4}`).Status(200).Writes(0).Field("fees.0.line", "1").Field("fees.0.id", "null").
		Field("fees.0.before", `"0.00"`).Field("fees.0.after", `"12458.33"`).Field("debt", `"113958.33"`).Field("after.status", "5")
	whole(t, api)
}

// An item that is not free is no error: the prices are told as if it were.
func TestWhatIfWhatIsNotFree(t *testing.T) {
	api, c := newReturns(t, `{}`, from(6, 7, 0))
	c.Post(requests, `{"status":1,"inventories":[{"inventory":6,"start_at":"2026-03-12T10:00:00Z",`+until(10, 0)+`}]}`).Status(201)
	for _, tt := range []struct {
		order                           int
		operation, body, method, path   string
		line, request, price, wouldCost string
	}{
		{1, "inventories", `{"inventories":[{"id":1,` + until(8, 0) + `}]}`, "POST", "inventories/bulk_update/", "2", "2", "101500.00", "118000.00"},
		{1, "change", `{"rent_end":"2026-03-13T10:00:00Z"}`, "PATCH", "", "2", "2", "101500.00", "118000.00"},
		{1, "inventories", `{"inventories":[` + from(6, 9, 0) + `]}`, "POST", "inventories/bulk_create/", "1", "1", "101500.00", "225500.00"},
		{2, "action", `{"status":2}`, "POST", "action/", "1", "1", "45000.00", "45000.00"},
	} {
		t.Run(tt.operation, func(t *testing.T) {
			c := c.In(t)
			a := ask(c, tt.order, tt.operation, tt.body).Status(200).Writes(0).Field("available", "false").Field("conflicts.0.line", tt.line).
				Field("conflicts.0.request", tt.request).Field("conflicts.0.inventory", "6").Field("before.price", `"`+tt.price+`"`).
				Field("after.price", `"`+tt.wouldCost+`"`)
			refused := c.Do(tt.method, fmt.Sprint(requests, tt.order, "/", tt.path), tt.body).Status(409).Field("code", `"overlap"`)
			refused.Field("conflicts", text(a.Value("conflicts")))
		})
	}
	whole(t, api)
}

// What the operation would refuse is refused as it does, and what is wrong with its body is told where that was sent.
func TestWhatIfRefuses(t *testing.T) {
	api, c := newReturns(t, `{"cancellation":[{"before":0,"percent":10}]}`, from(6, 7, 0))
	c.Post(requests, `{"status":1,"inventories":[`+from(2, 4, 0)+`]}`).Status(201)
	const path = requests + "1/quote/"
	const required, nobody = `["This field is required."]`, `["Invalid pk \"99\" - object does not exist."]`
	for name, tt := range map[string]struct{ body, want string }{
		"nothing":                  {`{}`, `{"operation":` + required + `,"body":` + required + `}`},
		"an unknown operation":     {`{"operation":"pay","body":{}}`, `{"operation":["\"pay\" is not a valid choice."]}`},
		"null":                     {`{"operation":"change","body":null}`, `{"body":["This field may not be null."]}`},
		"a line of the order":      {`{"operation":"change","line":1,"body":{}}`, `{"line":["This operation is about the whole order."]}`},
		"a line, and what is sent": {`{"operation":"action","line":1,"body":{}}`, `{"line":["<any>"],"body":{"status":` + required + `}}`},
		"no object": {
			`{"operation":"action","body":[1]}`,
			`{"body":{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}}`,
		},
		"no status":       {`{"operation":"action","body":{}}`, `{"body":{"status":` + required + `}}`},
		"an unknown line": {`{"operation":"action","body":{"status":4,"order_inventories":[1,99]}}`, `{"body":{"order_inventories":{"1":` + nobody + `}}}`},
		"a time to come": {
			`{"operation":"action","body":{"status":4,"datetime":"2030-01-01T00:00:00Z"}}`, `{"body":{"datetime":["<any>"]}}`,
		},
		"an unknown client": {
			`{"operation":"change","body":{"client":99,"tax_percent":101}}`,
			`{"body":{"client":` + nobody + `,"tax_percent":["Ensure this value is less than or equal to 100."]}}`,
		},
		"a line without an item": {
			`{"operation":"inventories","body":{"inventories":[` + from(7, 1, 0) + `,{"tarif":1}]}}`,
			`{"body":{"inventories":[{},{"inventory":` + required + `}]}}`,
		},
		"one line with an id": {
			`{"operation":"inventories","body":{"inventories":[{"id":1},{"inventory":2}]}}`,
			`{"body":{"inventories":[{},{"id":` + required + `}]}}`,
		},
		"ids and an object": {
			`{"operation":"services","body":{"services":[1,{"service":1}]}}`,
			`{"body":{"services":[{"non_field_errors":["<any>"]},{}]}}`,
		},
		"no list":       {`{"operation":"services","body":{"services":7}}`, `{"body":{"services":{"non_field_errors":["<any>"]}}}`},
		"nothing in it": {`{"operation":"services","body":{"services":[]}}`, `{"body":{"services":{"non_field_errors":["<any>"]}}}`},
		"lines of an unknown id": {
			`{"operation":"inventories","body":{"inventories":[99]}}`, `{"body":{"inventories":{"0":` + nobody + `}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) { c.In(t).Post(path, tt.body).Status(400).JSON(tt.want).Writes(0) })
	}
	ask(c, 1, "action", `{"status":1}`).Status(409).Field("code", `"status"`).Field("allowed", "[4]")
	ask(c, 1, "action", `{"status":4,"order_inventories":[1],"datetime":"2026-03-05T09:00:00Z"}`).Status(400).Field("body.datetime.0", `"<string>"`)
	ask(c, 1, "inventories", `{"inventories":[1]}`).Status(409).Field("code", `"out"`)
	ask(c, 9, "change", `{}`).Status(404)
	// Each is asked as who asks: an employee can't charge less, and who only looks can't ask at all.
	ask(c, 2, "action", `{"status":3,"fee":"0.00"}`).Status(400).Field("body.fee.0", `"<string>"`)
	ask(api.As(webtest.Manager(1)), 2, "action", `{"status":3,"fee":"0.00"}`).Status(200).Field("fees", "[]").Writes(0)
	ask(api.Join(webtest.ReadOnly(1)).As(webtest.ReadOnly(1)), 2, "change", `{}`).Status(403)
	ask(api.As(webtest.Employee(2)), 2, "change", `{}`).Status(404)
	ask(api.As(webtest.Key(5, 1, scope.Read(scope.Orders))), 2, "change", `{}`).Status(200)
	whole(t, api)
}

// TestWhatIfWritesNothing: whatever is asked, the table has the items that it had, and the next records have the next numbers.
func TestWhatIfWritesNothing(t *testing.T) {
	api, c := newReturns(t, `{"cancellation":[{"before":0,"percent":10}],"early":"reprice"}`, from(6, 7, 0))
	c.Post(requests, `{"client":1,"status":1,"inventories":[`+from(2, 4, 0)+`],"services":[{"service":3}]}`).Status(201)
	after(api, 1, 0)
	keys, written := api.Keys(), api.Written()
	for _, tt := range []struct {
		order           int
		operation, body string
	}{
		{1, "action", `{"status":4}`},
		{2, "action", `{"status":3}`},
		{2, "action", `{"status":2}`},
		{2, "change", `{"client":null,"unique_id":"A-1","rent_end":"2026-03-11T10:00:00Z","extra":{"a":1}}`},
		{1, "inventories", `{"inventories":[` + from(3, 7, 0) + `]}`},
		{2, "inventories", `{"inventories":[{"id":2,"inventory":4,` + until(6, 0) + `}]}`},
		{2, "inventories", `{"inventories":[2]}`},
		{1, "services", `{"services":[{"service":1}]}`},
		{2, "services", `{"services":[{"id":2,"count":3}]}`},
		{2, "services", `{"services":[2]}`},
	} {
		ask(c, tt.order, tt.operation, tt.body).Status(200).Writes(0).Happened()
	}
	if now := api.Keys(); !slices.Equal(now, keys) || api.Written() != written {
		t.Errorf("%d items were written; there were %d, and there are %d", api.Written()-written, len(keys), len(now))
	}
	c.Post(requests, `{"inventories":[`+from(3, 7, 0)+`],"services":[{"service":1}]}`).Status(201).Field("id", "3").
		Field("order_inventories", "[3]").Field("order_services", "[3]")
	act(c, 2, 3).Status(200).Field("penalties.0.id", "1")
	whole(t, api)
}

// To ask takes at most as many calls as the operation, whose last one writes: one more read are the price books of lines that it doesn't
// price.
func TestCostsOfWhatIf(t *testing.T) {
	api, c := newDesk(t, webtest.Setup{})
	fleet(c, 40)
	api.As(webtest.Manager(1)).Post(priceRules, `{"name":"Weekend","weekdays":[6,7],"percent":15}`).Status(201)
	c.Post(requests, `{"client":1,"status":1,`+many(8, 30)+`,"services":[{"service":1}]}`).Status(201)
	api.Clock.Step(50 * time.Hour)
	for _, tt := range []struct{ operation, body, method, path string }{
		{"change", `{"additional_discount":"10.00"}`, "PATCH", ""},
		{"change", `{"rent_end":"2026-03-06T10:00:00Z"}`, "PATCH", ""},
		{"inventories", `{"inventories":[` + from(1, 2, 0) + `]}`, "POST", "inventories/bulk_create/"},
		{"inventories", `{"inventories":[{"id":1,"additional_discount":"5.00"},{"id":2,` + until(3, 0) + `}]}`, "POST", "inventories/bulk_update/"},
		{"inventories", `{"inventories":[3,4]}`, "POST", "inventories/bulk_delete/"},
		{"services", `{"services":[{"service":1}]}`, "POST", "services/bulk_create/"},
		{"services", `{"services":[{"id":1,"count":2}]}`, "POST", "services/bulk_update/"},
		{"services", `{"services":[2]}`, "POST", "services/bulk_delete/"},
		{"action", `{"status":2}`, "POST", "action/"},
		{"action", `{"status":4}`, "POST", "action/"},
	} {
		asked := ask(c, 1, tt.operation, tt.body).Status(200).Writes(0).Cost()
		made := c.Do(tt.method, requests+"1/"+tt.path, tt.body)
		t.Logf("%s %s: asked %v, carried out %v", tt.operation, tt.path, asked, made.Cost())
		if made.Code() > 201 || asked.Calls > made.Cost().Calls || asked.Write != 0 {
			t.Errorf("%d %s\nasked: %v, carried out: %v", made.Code(), tt.body, asked, made.Cost())
		}
	}
}
