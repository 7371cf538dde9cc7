package sales_test

import (
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const orderPath = "/v1/crm/requests/"

// newOrders is newAPI with orders: company 1 has a client and the lead 1 of it.
func newOrders(t *testing.T) (*webtest.API, *webtest.Client) {
	t.Helper()
	api, c := newAPI(t, webtest.Setup{})
	for id := range int64(2) {
		of := table.Of(api.Env.Table, tenant.ID(id+1))
		put := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: id + 1, TimeZone: "Asia/Almaty"})
		if err := put.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c.Post(clientsPath, `{"name":"Assel"}`).Status(201)
	c.Post(leads, `{"stage":1,"funnel":1,"price":"1500","client":1}`).Status(201)
	return api, c
}

// The order of a lead has the tax that the company's settings give new orders.
func TestOrdersOfLeadsHaveTheTaxOfTheSettings(t *testing.T) {
	api, c := newOrders(t)
	of := table.Of(api.Env.Table, 1)
	rental := company.NewRental()
	rental.TaxPercent, rental.TaxIncluded, rental.Hold = money.Whole(12), true, 60
	put := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: 1, TimeZone: "Asia/Almaty", Rental: rental})
	if err := put.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Post(leads+"1/request/", `{}`).Status(201)
	c.Get(orderPath+"1/").Status(200).Field("tax_percent", `"12.00"`).Field("tax_included", "true").
		Field("expires_at", "null") // it holds no items, and cancelled it would keep the lead from another order
}

// TestLeadsTakeNoOrderOfAnotherClient: neither a new lead nor a change of one joins a client with the
// order of another.
func TestLeadsTakeNoOrderOfAnotherClient(t *testing.T) {
	_, c := newOrders(t)
	c.Post(clientsPath, `{"name":"Yerlan"}`).Status(201)
	c.Post(orderPath, `{"client":1}`).Status(201)
	c.Post(orderPath, `{"client":2}`).Status(201)
	c.Post(orderPath, `{}`).Status(201)
	const others = `{"request":["The order is another client's."]}`
	c.Post(leads, `{"stage":1,"funnel":1,"client":1,"request":2}`).Status(400).JSON(others).Writes(0)
	c.Post(leads, `{"stage":1,"funnel":1,"client":7,"request":2}`).Status(400).
		JSON(`{"client":["Invalid pk \"7\" - object does not exist."],"request":["The order is another client's."]}`)
	c.Patch(leads+"1/", `{"request":2}`).Status(400).JSON(others).Writes(0)
	c.Put(leads+"1/", `{"stage":1,"funnel":1,"client":2,"request":1}`).Status(400).JSON(others).Writes(0)
	c.Patch(leads+"1/", `{"request":9}`).Status(400).JSON(`{"request":["Invalid pk \"9\" - object does not exist."]}`)
	c.Patch(leads+"1/", `{"request":1}`).Status(200)
	c.Patch(leads+"1/", `{"client":2}`).Status(400).JSON(`{"client":["The lead's order is another client's."]}`).Writes(0)
	c.Patch(leads+"1/", `{"client":null}`).Status(200)
	c.Patch(leads+"1/", `{"client":1}`).Status(200)

	// One that names no client fits any, on either side, until it names one.
	c.Post(leads, `{"stage":1,"funnel":1,"client":1,"request":3}`).Status(201)
	c.Post(leads, `{"stage":1,"funnel":1,"request":2}`).Status(201)
	c.Patch(leads+"3/", `{"client":1}`).Status(400).JSON(`{"client":["The lead's order is another client's."]}`)
	c.Patch(leads+"3/", `{"client":2}`).Status(200)

	// The order may get another client; the lead can still be changed otherwise, and be sent back as it is.
	c.Patch(orderPath+"2/", `{"client":1}`).Status(200)
	c.Put(leads+"3/", `{"stage":1,"funnel":1,"client":2,"request":2,"price":"5"}`).Status(200)
	// The order was deleted: nothing is left to fit.
	c.Delete(orderPath + "1/").Status(204)
	c.Patch(leads+"1/", `{"client":2}`).Status(200)
}

func TestOrderOfALead(t *testing.T) {
	api, c := newOrders(t)
	const request = leads + "1/request/"
	other := api.As(webtest.Employee(2))
	other.Post(request, `{}`).Status(404)
	c.Post(leads+"9/request/", `{}`).Status(404)
	api.Join(webtest.ReadOnly(1)).As(webtest.ReadOnly(1)).Post(request, `{}`).Status(403)
	c.Post(request, `{"client":7,"rental_point":8,"rent_start":"soon"}`).Status(400).
		JSON(`{"client":["Invalid pk \"7\" - object does not exist."],"rental_point":["Invalid pk \"8\" - object does not exist."],
			"rent_start":["<string>"]}`)
	c.With("If-Match", `"7"`).Post(request, `{}`).Status(412)

	made := c.With("Idempotency-Key", "k1").Post(request, `{"rent_start":"2026-03-03T10:00:00","extra":{"from":"lead"}}`).Status(201).
		Header("Location", webtest.BaseURL+orderPath+"1/").Header("ETag", `"2"`).
		JSON(`{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00.000001Z","stage":1,"funnel":1,"price":"1500.00",
			"ordering":0,"cancel_reason":null,"extra":{},"tenant":1,"client":1,"manager":null,"source":null,"request":1,"sale":null}`)
	c.With("Idempotency-Key", "k1").Post(request, `{"rent_start":"2026-03-03T10:00:00","extra":{"from":"lead"}}`).Status(201).
		Header("Idempotent-Replayed", "true").Header("Location", webtest.BaseURL+orderPath+"1/").JSON(string(made.Body()))
	c.Get(orderPath+"1/").Status(200).Field("client", "1").Field("status", "0").Field("rent_start", `"2026-03-03T05:00:00Z"`).
		Field("extra", `{"from":"lead"}`).Field("created_by", "12").Field("unique_id", `"1"`)
	c.Post(request, `{}`).Status(409).JSON(`{"detail":"The lead has an order already.","code":"request","request":1}`)
	c.Get("/v1/crm/history/?object=lead:1").Status(200).Field("results.0.changes", `[{"field":"request","from":null,"to":1}]`)

	// What was read can be sent back. The lead keeps the id of an order that is deleted.
	c.Put(leads+"1/", `{"stage":1,"funnel":1,"price":"1500.00","client":1,"request":1}`).Status(200).Writes(0)
	c.Delete(orderPath + "1/").Status(204)
	c.Patch(leads+"1/", `{"price":"1","request":1}`).Status(200).Field("request", "1")

	// Another client, and none.
	c.Post(clientsPath, `{"name":"Yerlan"}`).Status(201)
	c.Post(leads, `{"stage":1,"funnel":1,"client":1}`).Status(201)
	c.Post(leads+"2/request/", `{"client":2}`).Status(400).JSON(`{"client":["The lead is another client's."]}`).Writes(0)
	c.Post(leads+"2/request/", `{"client":null}`).Status(201).Field("client", "1").Field("request", "2")
	c.Get(orderPath+"2/").Status(200).Field("client", "null")
	c.Post(leads, `{"stage":1,"funnel":1}`).Status(201)
	api.Clock.Step(time.Second) // so that the lead's change is 2 units for the index: its entry moves
	c.Post(leads+"3/request/", `{}`).Status(201).Calls(5).Units(4, 19)
	c.Get(orderPath+"3/").Status(200).Field("client", "null")

	// The lead's client was deleted since.
	c.Post(clientsPath, `{"name":"Timur"}`).Status(201)
	c.Post(leads, `{"stage":1,"funnel":1,"client":3}`).Status(201)
	c.Delete(clientsPath + "3/").Status(204)
	c.Post(leads+"4/request/", `{}`).Status(400).JSON(`{"client":["Invalid pk \"3\" - object does not exist."]}`)
	c.Post(leads+"4/request/", `{"client":null}`).Status(201).Field("client", "3").Field("request", "4")
	whole(t, api)
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	for _, problem := range recordtest.Problems(t.Context(), order.Kind(), s) {
		t.Error(problem)
	}
}

// A lead that has an order neither loses it nor gets another one, until the order is deleted.
func TestALeadKeepsItsOrder(t *testing.T) {
	api, c := newOrders(t)
	c.Post(orderPath, `{}`).Status(201).Field("id", "1")
	c.Post(leads+"1/request/", `{}`).Status(201).Field("request", "2")
	const kept = `{"request":["The lead has an order already."]}`
	for _, request := range []string{"null", "1", "9"} {
		c.Patch(leads+"1/", `{"request":`+request+`}`).Status(400).JSON(kept)
		c.Put(leads+"1/", `{"stage":1,"funnel":1,"request":`+request+`}`).Status(400).JSON(kept)
	}
	c.Patch(leads+"1/", `{"request":null,"stage":3}`).Status(400).
		JSON(`{"request":["The lead has an order already."],"cancel_reason":["This field is required in a stage of the type CANCEL."]}`)
	c.Put(leads+"1/", `{"stage":1,"funnel":1}`).Status(200).Field("request", "2")
	c.Patch(leads+"1/", `{"request":2,"stage":2}`).Status(200).Field("request", "2").Field("stage", "2")
	c.Post(leads+"1/request/", `{}`).Status(409).JSON(`{"detail":"The lead has an order already.","code":"request","request":2}`)

	c.Delete(orderPath + "2/").Status(204)
	c.Patch(leads+"1/", `{"request":9}`).Status(400).JSON(`{"request":["Invalid pk \"9\" - object does not exist."]}`)
	c.Post(leads+"1/request/", `{}`).Status(201).Field("request", "3")
	c.Patch(leads+"1/", `{"request":1}`).Status(400).JSON(kept)
	c.Delete(orderPath + "3/").Status(204)
	c.Patch(leads+"1/", `{"request":1}`).Status(200).Field("request", "1")
	c.Delete(orderPath + "1/").Status(204)
	c.Patch(leads+"1/", `{"request":null}`).Status(200).Field("request", "null")
	whole(t, api)
}

// TestOneOrderOfALead asks for the order of a lead several times at once.
func TestOneOrderOfALead(t *testing.T) {
	_, c := newOrders(t)
	codes := make([]int, 4)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() { codes[i] = c.Post(leads+"1/request/", `{}`).Code() })
	}
	all.Wait()
	made := 0
	for _, code := range codes {
		switch code {
		case 201:
			made++
		case 409, 503:
		default:
			t.Errorf("status %d", code)
		}
	}
	if made != 1 {
		t.Errorf("%v: %d orders were made", codes, made)
	}
	c.Get(orderPath).Status(200).Field("count", "1")
}

// TestNumberOfTheOrderOfALead makes an order of a lead whose number another order was given.
func TestNumberOfTheOrderOfALead(t *testing.T) {
	_, c := newOrders(t)
	c.Post(orderPath, `{"unique_id":"2"}`).Status(201)
	c.Post(orderPath, `{"unique_id":"3"}`).Status(201)
	c.Post(leads+"1/request/", `{"unique_id":"2"}`).Status(400).JSON(`{"unique_id":["This field must be unique."]}`)
	c.Post(leads+"1/request/", `{}`).Status(201).Field("request", "4")
	c.Get(orderPath+"4/").Status(200).Field("unique_id", `"4"`)
}
