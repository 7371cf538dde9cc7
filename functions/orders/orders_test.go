package orders_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	requests    = "/v1/crm/requests/"
	lines       = "/v1/crm/requests/inventories/"
	inventories = "/v1/crm/inventories/"
	groupsPath  = "/v1/crm/groups/"
	clientsPath = "/v1/crm/clients/"
	accounts    = "/v1/finances/accounts/"
)

func groups() []app.New {
	return []app.New{
		orders.New, inventory.New, clients.New, services.New, finance.New, settings.New, history.New, points.New, documents.New,
	}
}

// newAPI has company 1 with a client, an account, a group with a tariff of 3000 a day and of 200 an hour,
// five cars of it, and a service for 1500. Company 2 has nothing.
func newAPI(t testing.TB, setup webtest.Setup) (*webtest.API, *webtest.Client) {
	t.Helper()
	api := setup.New(t, groups()...).Join(webtest.Employee(1), webtest.Manager(1), webtest.Owner(1), webtest.Employee(2))
	for id := range int64(2) {
		of := table.Of(api.Env.Table, tenant.ID(id+1))
		put := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: id + 1, TimeZone: "Asia/Almaty", Revision: 1})
		if err := put.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := api.As(webtest.Employee(1))
	c.Post(clientsPath, `{"name":"Assel","phone":"+77027654321"}`).Status(201)
	api.As(webtest.Manager(1)).Post(accounts, `{"name":"Cash"}`).Status(201)
	c.Post(groupsPath, `{"name":"Sedans"}`).Status(201)
	c.Post(groupsPath+"1/tarifs/", `{"inventory_group":1,"name":"Day","price":3000,"duriation":86400}`).Status(201)
	c.Post(groupsPath+"1/tarifs/", `{"inventory_group":1,"name":"Hour","price":200,"duriation":3600}`).Status(201)
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		c.Post(inventories, `{"name":"Camry `+n+`","group":1,"sell_price":"9000000","car":{"number":"00`+n+` AAA 02"}}`).Status(201)
	}
	c.Post("/v1/crm/services/", `{"name":"Delivery","type":0,"price":1500}`).Status(201)
	return api, c
}

// whole checks that what company 1 stores of its orders is consistent, also with the calendars of its items.
func whole(t *testing.T, api *webtest.API) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	problems := recordtest.Problems(t.Context(), order.Kind(), s)
	problems = append(problems, recordtest.Problems(t.Context(), order.Lines(), s)...)
	for _, problem := range append(problems, recordtest.Problems(t.Context(), order.ServiceLines(), s)...) {
		t.Error(problem)
	}
	calendars(t, api)
}

// TestADayAtTheDesk follows one order from its booking to its end.
func TestADayAtTheDesk(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","status":1,`+
		`"inventories":[{"inventory":1},{"inventory":2,"tarif":1,"additional_discount":500}],"services":[{"service":1,"count":2}]}`).
		Status(201).Field("price", `"14500.00"`).Field("inventories.0.tarif", "1").Field("debt", `"14500.00"`)
	c.Post(requests, `{"inventories":[{"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}]}`).Status(409).
		JSON(`{"detail":"The item is occupied at this time.","code":"overlap","conflicts":[{"line":1,"request":1,"block":null,"inventory":1,` +
			`"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-04T10:00:00Z","overdue":false}]}`)
	api.Clock.Step(time.Hour)
	c.Post(requests+"1/action/", `{"status":2,"order_inventories":[1]}`).Status(200).Field("status", "2").
		Field("inventories.0.fact_start_at", `"2026-03-02T10:30:00Z"`).Field("inventories.1.fact_start_at", "null")
	api.Clock.Step(50 * time.Hour)
	// 2.5 hours late, an hour of which is for free: a step of an hour is left.
	c.Post(requests+"1/action/", `{"status":4}`).Status(200).Field("status", "2").Field("penalty_amount", `"125.00"`)
	c.Post(requests+"1/pay/", `{"amount":1000}`).Status(200).Field("payment_status", "1").Field("debt", `"13625.00"`)
	c.Delete(requests+"1/").Status(409).Field("code", `"status"`)
	c.Delete(lines+"1/").Status(409).Field("code", `"out"`)
	c.Delete(lines + "2/").Status(204)
	c.Get(requests+"1/").Status(200).Field("status", "5").Field("debt", `"8125.00"`)
	c.Post(requests+"1/pay/", `{"amount":100000}`).Status(200).Field("status", "4").Field("overpaid", `"91875.00"`)
	whole(t, api)
}
