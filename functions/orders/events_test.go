package orders_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Each verb says what it did, and nothing else, and one that changed nothing says nothing.
func TestEvents(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	manager := api.As(webtest.Manager(1))
	const (
		times  = `"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-04T10:00:00Z"`
		rental = `{"inventory":1,` + times + `}`
	)
	c.Post("/v1/crm/agents/", `{"name":"Serik"}`).Status(201).Happened("agent.created")
	for _, tt := range []struct {
		method, path, body string
		want               string
	}{
		// What comes with an order has no event of its own.
		{"POST", "", `{"client":1,"status":1,"inventories":[` + rental + `],"services":[{"service":1}]}`, "order.created"},
		{"DELETE", "services/1/", "", "order.service.removed"},
		{"POST", "1/inventories/bulk_delete/", `{"inventories":[1]}`, "order.line.removed"},
		{"POST", "1/inventories/bulk_create/", `{"inventories":[` + rental + `,{"inventory":2,` + times + `}]}`, "order.line.added order.line.added"},
		{"POST", "inventories/", `{"request":1,"inventory":3,"type":1,"start_at":"2026-03-02T10:00:00Z"}`, "order.line.added"},
		{"PATCH", "inventories/4/", `{"additional_discount":10}`, "order.line.updated"},
		{"PATCH", "inventories/4/", `{"additional_discount":10}`, ""},
		{"DELETE", "inventories/3/", ``, "order.line.removed"},
		{
			"POST", "1/inventories/bulk_update/",
			`{"inventories":[{"id":2,"end_at":"2026-03-05T10:00:00Z"},{"id":4,"extra":{"a":1}}]}`, "order.line.updated order.line.updated",
		},
		{"POST", "1/services/bulk_create/", `{"services":[{"service":1},{"service":1,"count":3}]}`, "order.service.added order.service.added"},
		{"POST", "1/services/bulk_update/", `{"services":[{"id":2,"count":2},{"id":3,"count":3}]}`, "order.service.updated"},
		{"POST", "1/services/bulk_delete/", `{"services":[2]}`, "order.service.removed"},
		// What follows from a change of an order is not said of its lines.
		{"PATCH", "1/", `{"client":null}`, "order.updated"},
		{"PATCH", "1/", `{"client":1,"extra":{"note":"vip"}}`, "order.updated"},
		{"PATCH", "1/", `{"client":1}`, ""},
		{"POST", "1/action/", `{"status":2,"order_inventories":[2]}`, "order.line.handed_out order.started"},
		{"POST", "1/action/", `{"status":2}`, "order.line.handed_out"},
		{"POST", "1/action/", `{"status":4}`, "order.line.returned order.completed order.indebted"},
		{"POST", "1/deposits/", `{"amount":500}`, "order.deposit.received transaction.created"},
		{"PATCH", "1/deposits/1/", `{"comment":"In cash"}`, "order.deposit.updated"},
		{"PATCH", "1/deposits/1/", `{"comment":"In cash"}`, ""},
		{"POST", "1/deposits/1/return/", `{"amount":100}`, "order.deposit.returned transaction.created"},
		{
			"POST", "1/deposits/1/return/", `{"amount":100,"withhold":300}`,
			"order.deposit.returned order.deposit.withheld order.paid transaction.created transaction.created transaction.created",
		},
		{"POST", "1/deposits/", `{"amount":500}`, "order.deposit.received transaction.created"},
		{"DELETE", "1/deposits/2/", ``, "order.deposit.removed transaction.deleted"},
		{"POST", "1/pay/", `{"amount":5}`, "order.paid transaction.created"},
		{"POST", "1/pay/", `{"amount":99999999}`, "order.paid order.settled transaction.created"},
		{"POST", "1/penalties/", `{"amount":70}`, "order.fee.added"},
		{"PATCH", "1/penalties/1/", `{"amount":999999999}`, "order.fee.updated order.indebted"},
		{"PATCH", "1/penalties/1/", `{"amount":999999999}`, ""},
		{"DELETE", "1/penalties/1/", "", "order.fee.removed order.settled"},
		{"POST", "referrals/", `{"request":1,"amount":50,"agent":1}`, "order.referral.created"},
		{"PUT", "referrals/1/", `{"amount":60}`, "order.referral.updated"},
		{"PUT", "referrals/1/", `{"amount":60}`, ""},
		{"POST", "referrals/1/pay/", `{}`, "order.referral.paid transaction.created"},
		{"POST", "referrals/1/pay/", `{}`, ""},
		{"POST", "referrals/1/take_back/", `{}`, "order.referral.reversed transaction.created"},
		{"DELETE", "referrals/1/", ``, "order.referral.removed"},
		// A change of the order itself is said beside what it leads to.
		{"PATCH", "1/", `{"tax_percent":100}`, "order.updated"},
		{"POST", "", `{"client":1,"services":[{"service":1}]}`, "order.created"},
		{"POST", "2/action/", `{"status":1}`, "order.reserved"},
		{"POST", "2/action/", `{"status":2}`, "order.started"},
		{"POST", "2/action/", `{"status":4}`, "order.completed order.indebted"},
		{"PATCH", "2/", `{"additional_discount":1500,"extra":{"a":1}}`, "order.updated order.settled"},
		{"PATCH", "2/", `{"additional_discount":0}`, "order.updated order.indebted"},
		{"POST", "", `{"inventories":[{"inventory":4,"type":1}]}`, "order.created"},
		{"POST", "3/action/", `{"status":1}`, "order.reserved"},
		{"POST", "3/action/", `{"status":2}`, "order.line.handed_out order.started order.completed order.indebted"},
		{"POST", "", `{"client":1,"inventories":[{"inventory":5,` + times + `}]}`, "order.created"},
		{"POST", "referrals/", `{"request":4,"amount":0,"agent":1}`, "order.referral.created"},
		{"POST", "4/action/", `{"status":3}`, "order.cancelled"},
		{"DELETE", "4/", ``, "order.deleted"},
	} {
		a := manager.Do(tt.method, requests+tt.path, tt.body)
		if a.Code() > 299 {
			t.Fatalf("%s %s %s: status %d: %s", tt.method, tt.path, tt.body, a.Code(), a.Body())
		}
		a.Happened(strings.Fields(tt.want)...)
	}
	refund := manager.Post("/v1/finances/refunds/", `{"transaction":7,"amount":2}`).Status(201)
	refund.Happened("transaction.updated", "transaction.created", "order.refunded")
	manager.Delete(fmt.Sprintf("/v1/finances/transactions/%d/", refund.Int("id"))).Status(204).
		Happened("transaction.deleted", "transaction.updated", "order.paid")
	whole(t, api)
}

// happened are the events of orders in the log of company 1, as texts.
func happened(t *testing.T, api *webtest.API) (list []string) {
	t.Helper()
	api.Deliver()
	entries, _, err := eventlog.Of(table.Of(api.Env.Table, 1), api.Env.Now).Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name.Kind().Code == kinds.Order {
			list = append(list, fmt.Sprintf("%s %s %s %s", e.Name, e.About(), strings.Join(e.Concerns, ","), e.Data))
		}
	}
	return list
}

// What events tell, and of whom: an integrator keeps its books by them.
func TestWhatEventsTell(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1,"status":1,"inventories":[{"inventory":2,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-03T10:00:00Z"}]}`).
		Status(201)
	c.Post(requests+"1/services/", `{"service":1,"count":2}`).Status(201)
	act(c, 1, 2).Status(200)
	c.Patch(lines+"1/", `{"end_at":"2026-03-03T09:00:00Z"}`).Status(200)
	api.Clock.Step(30 * time.Hour)
	act(c, 1, 4).Status(200)
	c.Post(requests+"1/pay/", `{"amount":1000}`).Status(200)
	c.Post(requests+"1/penalties/", `{"amount":70}`).Status(201)
	c.Post(requests+"1/deposits/", `{"amount":500}`).Status(201)
	c.Post(requests+"1/deposits/1/return/", `{"withhold":400}`).Status(200)
	got := happened(t, api)
	want := strings.Join([]string{
		`order.created order:1 client:1 `,
		`order.service.added order:1 client:1,order_service:1,service:1 {"line":1,"service":1,"service_name":"Delivery","count":2,"price":"3000.00"}`,
		`order.line.handed_out order:1 client:1,order_inventory:1,inventory:2 {"line":1,"inventory":2,"fact_start_at":"2026-03-02T09:30:00Z"}`,
		`order.started order:1 client:1 {"rent_fact_start":"2026-03-02T09:30:00Z"}`,
		`order.line.updated order:1 client:1,order_inventory:1,inventory:2 {"line":1,"inventory":2,"start_at":"2026-03-02T10:00:00Z",` +
			`"end_at":"2026-03-03T09:00:00Z","price":"3000.00","fields":["end_at"]}`,
		`order.line.returned order:1 client:1,order_inventory:1,inventory:2 {"line":1,"inventory":2,"fact_end_at":"2026-03-03T15:30:00Z",` +
			`"penalty_amount":"500.00"}`,
		`order.completed order:1 client:1 {"rent_fact_end":"2026-03-03T15:30:00Z","debt":"6500.00"}`,
		`order.indebted order:1 client:1 {"debt":"6500.00"}`,
		`order.paid order:1 client:1,account:1,transaction:1 {"amount":"1000.00"}`,
		`order.fee.added order:1 client:1,fee:1 {"fee":1,"amount":"70.00","penalty":null}`,
		`order.deposit.received order:1 client:1,deposit:1,account:1 {"deposit":1,"amount":"500.00"}`,
		`order.deposit.returned order:1 client:1,deposit:1,account:1 {"deposit":1,"amount":"100.00"}`,
		`order.deposit.withheld order:1 client:1,deposit:1,account:1 {"deposit":1,"amount":"400.00"}`,
		`order.paid order:1 client:1,deposit:1,account:1 {"amount":"400.00"}`,
	}, "\n")
	if strings.Join(got, "\n") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// A fee that is a traffic penalty says which, when it comes and when it goes.
func TestEventsOfACharge(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1}`).Status(201)
	do := func(request string, decide func(w *record.Work, o *order.Order) error) {
		t.Helper()
		s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now, Actor: audit.Actor{User: 12, Request: request, At: api.Clock.Now()}}
		if err := s.Do(t.Context(), nil, func(w *record.Work) error {
			o, err := order.Kind().Edit(t.Context(), w, 1)
			if err == nil {
				err = decide(w, o)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	penalty := int64(9)
	do("charge", func(w *record.Work, o *order.Order) error {
		_, err := order.Charge(t.Context(), w, o, order.Fee{Amount: money.Whole(70), Penalty: &penalty})
		return err
	})
	do("uncharge", func(w *record.Work, o *order.Order) error { return order.Uncharge(t.Context(), w, o, 1) })
	want := []string{
		`order.fee.added order:1 client:1,fee:1,penalty:9 {"fee":1,"amount":"70.00","penalty":9}`,
		`order.fee.removed order:1 client:1,fee:1,penalty:9 {"fee":1,"amount":"70.00","penalty":9}`,
	}
	if got := happened(t, api); !slices.Equal(got[1:], want) {
		t.Errorf("%q, want %q", got[1:], want)
	}
}

// The names of fields of a free part are the caller's. However long they are, what happened is said.
func TestEventsOfLongNames(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1}`).Status(201)
	for _, letter := range []string{"a", "b", `\u0001`} {
		long := strings.Repeat(letter, (15<<10)/len(letter))
		c.Patch(requests+"1/", `{"extra":{"`+long+`":1}}`).Status(200).Happened("order.updated")
	}
	for _, e := range happened(t, api) {
		if len(e) > 8<<10 {
			t.Errorf("an event of %d bytes", len(e))
		}
	}
}
