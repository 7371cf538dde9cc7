package metrics_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/metrics"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/penalties"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	requests    = "/v1/crm/requests/"
	inventories = "/v1/crm/inventories/"
	groupsPath  = "/v1/crm/groups/"
	details     = "/v1/crm/metrics/general/detail/"
	days        = "/v1/crm/metrics/general/"
)

// newAPI has company 1 with a client, an account, a rental point, a group with a tariff of 3000 a day, five cars of it,
// and a service of each type for 1500. Company 2 has nothing.
func newAPI(t testing.TB, setup webtest.Setup) (*webtest.API, *webtest.Client) {
	t.Helper()
	api := setup.New(t, orders.New, metrics.New, inventory.New, clients.New, services.New, finance.New, points.New, penalties.New, settings.New)
	for id := range int64(2) {
		of := table.Of(api.Env.Table, tenant.ID(id+1))
		put := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: id + 1, TimeZone: "Asia/Almaty", Revision: 1})
		if err := put.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := api.Join(webtest.Owner(1), webtest.Manager(1), webtest.Employee(1), webtest.ReadOnly(1), webtest.Owner(2)).As(webtest.Manager(1))
	c.Post("/v1/crm/clients/", `{"name":"Assel","phone":"+77027654321","avatar":"https://example.com/a.png"}`).Status(201)
	c.Post("/v1/finances/accounts/", `{"name":"Cash"}`).Status(201)
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"1 Runway Road"}`).Status(201)
	c.Post("/v1/crm/categories/", `{"name":"Cars","kind":"inventory"}`)
	c.Post(groupsPath, `{"name":"Sedans"}`).Status(201)
	c.Post(groupsPath+"1/tarifs/", `{"inventory_group":1,"name":"Day","price":3000,"duriation":86400}`).Status(201)
	for n := range 5 {
		c.Post(inventories, fmt.Sprintf(`{"name":"Camry %d","group":1,"sell_price":"9000000","car":{"number":"00%d AAA 02"}}`, n+1, n+1)).Status(201)
	}
	for of, name := range []string{"Delivery", "Cleaning", "Pick-up", "Both ways", "Repair"} {
		c.Post("/v1/crm/services/", fmt.Sprintf(`{"name":%q,"type":%d,"price":1500}`, name, of)).Status(201)
	}
	return api, c
}

// row is a row as callers see it, as far as tests compute with it.
type row struct {
	ID         int64
	Type       string
	Date       string
	Prediction string
	Profit     string
	Request    int64
	Status     *int64 `json:"request_status"`
}

type sums struct {
	count              int64
	prediction, profit money.Amount
}

func (s *sums) add(prediction, profit string) {
	s.count++
	s.prediction, s.profit = s.prediction.Add(amount(prediction)), s.profit.Add(amount(profit))
}

func (s sums) String() string { return fmt.Sprintf("%d %s %s", s.count, s.prediction, s.profit) }

func amount(text string) money.Amount {
	a, err := money.ParseAmount(text)
	if err != nil {
		panic(err)
	}
	return a
}

// list reads all rows of a list.
func list(t testing.TB, c *webtest.Client, query string) (rows []row) {
	t.Helper()
	for page := 1; ; page++ {
		var got struct {
			Count   int
			Next    *string
			Results []row
		}
		if err := json.Unmarshal(c.In(t).Get(fmt.Sprintf("%s?pageSize=50&page=%d&%s", details, page, query)).Status(200).Body(), &got); err != nil {
			t.Fatal(err)
		}
		if rows = append(rows, got.Results...); got.Next == nil {
			if got.Count != len(rows) {
				t.Errorf("%s has %d rows, and counts %d", query, len(rows), got.Count)
			}
			return rows
		}
	}
}

// whole checks that what metrics show of company 1 is what its orders come to: each order by itself, and each day.
func whole(t testing.TB, api *webtest.API) []row {
	t.Helper()
	c, s := api.As(webtest.Manager(1)).In(t), record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	rows := list(t, c, "")
	byOrder, ofOrder, byDay := map[int64]*sums{}, map[int64]row{}, map[string]map[string]*sums{}
	for _, r := range rows {
		if byDay[r.Date] == nil {
			byDay[r.Date] = map[string]*sums{}
		}
		for _, of := range []string{r.Type, "all"} {
			if of == "all" && r.Type == "request" {
				continue
			}
			if byDay[r.Date][of] == nil {
				byDay[r.Date][of] = new(sums)
			}
			byDay[r.Date][of].add(r.Prediction, r.Profit)
		}
		if r.Type == "request" {
			ofOrder[r.Request] = r
			continue
		}
		if r.ID%8 == 4 { // a traffic penalty
			continue
		}
		if byOrder[r.Request] == nil {
			byOrder[r.Request] = new(sums)
		}
		byOrder[r.Request].add(r.Prediction, r.Profit)
	}
	live := 0
	for id := int64(1); id <= 60; id++ {
		o, err := order.Kind().Get(t.Context(), s, id)
		if errors.Is(err, fault.ErrNotFound) {
			if byOrder[id] != nil {
				t.Errorf("order %d is deleted, and has %s", id, byOrder[id])
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		live++
		want := sums{prediction: o.Price.Add(o.AllFees()), profit: o.PaidAmount, count: int64(len(o.Lines) + len(o.Services) + len(o.Fees))}
		if o.Status == order.Cancelled {
			if want.prediction = (money.Amount{}); o.OwesFees {
				want.prediction = o.AllFees()
			}
		}
		if want.count == 0 && !want.profit.IsZero() {
			want.count = 1
		}
		got := sums{}
		if byOrder[id] != nil {
			got = *byOrder[id]
		}
		if got.String() != want.String() {
			t.Errorf("rows of order %d: %s, want %s", id, got, want)
		}
		own := ofOrder[id]
		if own.Prediction != want.prediction.String() || own.Profit != want.profit.String() || order.Status(*own.Status) != o.Status {
			t.Errorf("row of order %d: %+v, want %s of status %d", id, own, want, o.Status)
		}
	}
	if len(ofOrder) != live {
		t.Errorf("%d rows of %d orders", len(ofOrder), live)
	}
	for day, byType := range byDay {
		got := c.Get(days+"?date="+day).Status(200).Field("count", "1").Field("results.0.date", fmt.Sprintf("%q", day))
		for _, of := range []string{"all", "delivery", "inventory", "penalty", "request", "sale", "service", "workshop"} {
			want, at := byType[of], "results.0."+of+"."
			if want == nil {
				want = new(sums)
			}
			if of == "all" {
				at = "results.0."
			}
			got.Field(at+"count", fmt.Sprint(want.count)).Field(at+"prediction", fmt.Sprintf("%q", want.prediction)).
				Field(at+"profit", fmt.Sprintf("%q", want.profit))
		}
	}
	return rows
}

// shown are rows in short, by type and then by id.
func shown(rows []row) string {
	var list []string
	for _, r := range rows {
		list = append(list, fmt.Sprintf("%s %s %s/%s", r.Date, r.Type, r.Prediction, r.Profit))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// TestADay follows orders of all types from their making to their end.
func TestADay(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Get(details).Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	c.Post(requests, `{"client":1,"rental_point":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","status":1,`+
		`"inventories":[{"inventory":1},{"inventory":2,"additional_discount":500}],"services":[{"service":1,"count":2},{"service":5}]}`).
		Status(201).Field("price", `"16000.00"`)
	if n := api.Deliver(); n != 1 {
		t.Errorf("%d messages", n)
	}
	for _, step := range []struct{ name, method, path, body, want string }{
		{"made", "", "", "", `
2026-03-02 delivery 3000.00/0.00
2026-03-02 inventory 5500.00/0.00
2026-03-02 inventory 6000.00/0.00
2026-03-02 request 16000.00/0.00
2026-03-02 workshop 1500.00/0.00`},
		{"reduced", "PATCH", "1/", `{"additional_discount":1600}`, `
2026-03-02 delivery 2700.00/0.00
2026-03-02 inventory 4950.00/0.00
2026-03-02 inventory 5400.00/0.00
2026-03-02 request 14400.00/0.00
2026-03-02 workshop 1350.00/0.00`},
		{"paid in part", "POST", "1/pay/", `{"amount":"100"}`, `
2026-03-02 delivery 2700.00/18.75
2026-03-02 inventory 4950.00/34.38
2026-03-02 inventory 5400.00/37.50
2026-03-02 request 14400.00/100.00
2026-03-02 workshop 1350.00/9.37`},
		{"a service goes", "DELETE", "services/2/", ``, `
2026-03-02 delivery 2668.97/20.69
2026-03-02 inventory 4893.10/37.93
2026-03-02 inventory 5337.93/41.38
2026-03-02 request 12900.00/100.00`},
		{"handed out", "POST", "1/action/", `{"status":2}`, ``},
		{"late", "POST", "1/action/", `{"status":4}`, `
2026-03-02 delivery 2668.97/20.30
2026-03-02 inventory 5018.10/38.16
2026-03-02 inventory 5462.93/41.54
2026-03-02 request 13150.00/100.00`},
		{"charged", "POST", "1/penalties/", `{"amount":"250.50"}`, ``},
		{"paid too much", "POST", "1/pay/", `{"amount":"20000"}`, ``},
		{"refunded", "POST", "/v1/finances/refunds/", `{"transaction":2,"amount":"15000.01"}`, ``},
	} {
		t.Run(step.name, func(t *testing.T) {
			if step.name == "late" {
				api.Clock.Step(50*time.Hour + 30*time.Minute)
			}
			if step.method != "" {
				var body any
				if step.body != "" {
					body = step.body
				}
				path := requests + step.path
				if strings.HasPrefix(step.path, "/") {
					path = step.path
				}
				if code := c.In(t).Do(step.method, path, body).Code(); code >= 300 {
					t.Fatalf("status %d", code)
				}
			}
			api.Deliver()
			got := whole(t, api)
			if want := strings.TrimSpace(step.want); want != "" && shown(got) != want {
				t.Errorf("got\n%s\nwant\n%s", shown(got), want)
			}
		})
	}
}
