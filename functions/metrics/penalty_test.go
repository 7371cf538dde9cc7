package metrics_test

import (
	"testing"

	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const violations = "/v1/cars/penalties/"

// TestTrafficPenalties: a penalty has a row as long as no order is charged with it; then the fee of the order has one.
func TestTrafficPenalties(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	change := func(do func(p *penalty.Penalty)) {
		t.Helper()
		s := record.Scope{
			Table: table.Of(api.Env.Table, 1), Now: api.Env.Now, Actor: audit.Actor{Request: api.Env.NewUUID().String(), At: api.Env.Now()},
		}
		if err := s.Do(t.Context(), nil, func(w *record.Work) error {
			p, err := penalty.Kind().Edit(t.Context(), w, 1)
			if err == nil {
				do(p)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		api.Deliver()
	}
	c.Post(requests, `{"client":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","status":1,"inventories":[{"inventory":1}]}`).
		Status(201)
	c.Post(violations, `{"protocol_number":"KZ-1","amount":"7000","violation_date":"2026-03-03","violation_time":"10:00"}`).Status(201)
	c.Post(violations, `{"protocol_number":"KZ-2"}`).Status(201)
	api.Deliver()
	list := func() *webtest.Answer { t.Helper(); return c.Get(details + "?type=penalty").Status(200) }
	list().Field("count", "2").Field("results.0.id", "12").Field("results.0.date", `"2026-03-03"`).Field("results.0.prediction", `"0.00"`).
		Field("results.0.profit", `"0.00"`).Field("results.0.request", "null").Field("results.0.request_status", "null").
		Field("results.1.id", "20").Field("results.1.date", `"2026-03-02"`)
	one := int64(1)
	change(func(p *penalty.Penalty) { p.Item, p.Order, p.Client = &one, &one, &one })
	list().Field("results.0.request", "1").Field("results.0.request_status", "1").Field("results.0.client_name", `"Assel"`).
		Field("results.0.inventory.name", `"Camry 1"`)
	c.Post(requests+"1/action/", `{"status":2}`).Status(200)
	api.Deliver()
	list().Field("results.0.request_status", "2")

	change(func(p *penalty.Penalty) { p.Charged = &penalty.Charged{Order: 1, Fee: 1} })
	list().Field("count", "1").Field("results.0.id", "20")
	c.Post(requests+"1/penalties/", `{"amount":"7000"}`).Status(201)
	api.Deliver()
	list().Field("count", "2").Field("results.0.prediction", `"0.00"`).Field("results.1.prediction", `"7000.00"`).Field("results.1.request", "1")
	c.Get(days+"?date=2026-03-03").Status(200).Field("results.0.penalty.count", "0")
	c.Get(days+"?date=2026-03-02").Status(200).Field("results.0.penalty.count", "2")
	change(func(p *penalty.Penalty) { p.Charged = nil })
	list().Field("count", "3").Field("results.0.id", "12").Field("results.0.date", `"2026-03-03"`)

	if c.Delete(violations + "1/").Status(204); api.Deliver() == 0 {
		t.Error("a deleted penalty tells nothing")
	}
	list().Field("count", "2")
	if c.Patch(violations+"2/", `{"description":"Speeding"}`).Status(200); api.Deliver() != 0 {
		t.Error("metrics do not show descriptions")
	}
	c.Delete(violations + "2/").Status(204)
	api.Deliver()
	list().Field("count", "1")
	whole(t, api)
}
