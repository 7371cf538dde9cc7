package metrics_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

const violations = "/v1/cars/penalties/"

// TestTrafficPenalties: a penalty has a row as long as no order is charged with it; then the fee of the order has one.
func TestTrafficPenalties(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","status":1,"inventories":[{"inventory":1}]}`).
		Status(201)
	c.Post(violations, `{"protocol_number":"KZ-1","amount":"7000","violation_date":"2026-03-03","violation_time":"10:00","car":{"number":"001 aaa 02"}}`).Status(201)
	c.Post(violations, `{"protocol_number":"KZ-2"}`).Status(201)
	api.Deliver()
	list := func() *webtest.Answer { t.Helper(); return c.Get(details + "?type=penalty").Status(200) }
	list().Field("count", "2").Field("results.0.id", "12").Field("results.0.date", `"2026-03-03"`).Field("results.0.prediction", `"0.00"`).
		Field("results.0.profit", `"0.00"`).
		Field("results.1.id", "20").Field("results.1.date", `"2026-03-02"`).Field("results.1.request", "null").
		Field("results.1.request_status", "null").Field("results.1.client_id", "null").Field("results.1.inventory", "null")
	list().Field("results.0.request", "1").Field("results.0.request_status", "1").Field("results.0.client_name", `"Assel"`).
		Field("results.0.inventory.name", `"Camry 1"`)
	c.Post(requests+"1/action/", `{"status":2}`).Status(200)
	api.Deliver()
	list().Field("results.0.request_status", "2")

	c.Post(violations+"1/charge/", `{}`).Status(200)
	list().Field("count", "2")
	api.Deliver()
	list().Field("count", "2").Field("results.0.prediction", `"0.00"`).Field("results.1.prediction", `"7000.00"`).Field("results.1.request", "1")
	c.Get(days+"?date=2026-03-03").Status(200).Field("results.0.penalty.count", "0")
	c.Get(days+"?date=2026-03-02").Status(200).Field("results.0.penalty.count", "2")
	whole(t, api)
	c.Delete(violations + "1/charge/").Status(204)
	api.Deliver()
	list().Field("count", "2").Field("results.0.id", "12").Field("results.0.date", `"2026-03-03"`).Field("results.0.request", "1")

	if c.Delete(violations + "1/").Status(204); api.Deliver() == 0 {
		t.Error("a deleted penalty tells nothing")
	}
	list().Field("count", "1")
	if c.Patch(violations+"2/", `{"description":"Speeding"}`).Status(200); api.Deliver() != 0 {
		t.Error("metrics do not show descriptions")
	}
	c.Delete(violations + "2/").Status(204)
	api.Deliver()
	list().Field("count", "0")
	whole(t, api)
}

// TestCancellationFees: the fee of a cancelled order has a row on the day of the cancellation, and what was paid serves it first.
func TestCancellationFees(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1,"rent_start":"2026-03-09T10:00:00Z","rent_end":"2026-03-11T10:00:00Z","status":1,"inventories":[{"inventory":1}]}`).
		Status(201)
	c.Post(requests+"1/pay/", `{"amount":1000}`).Status(200)
	api.Deliver()
	api.Clock.Step(24 * time.Hour)
	c.Post(requests+"1/action/", `{"status":3,"fee":1500}`).Status(200)
	api.Deliver()
	c.Get(details+"?type=penalty").Status(200).Field("count", "1").Field("results.0.date", `"2026-03-03"`).
		Field("results.0.prediction", `"1500.00"`).Field("results.0.profit", `"1000.00"`).Field("results.0.request_status", "3")
	c.Get(details+"?type=inventory").Status(200).Field("count", "1").Field("results.0.prediction", `"0.00"`).Field("results.0.profit", `"0.00"`)
	c.Get(details+"?type=request").Status(200).Field("results.0.prediction", `"1500.00"`).Field("results.0.profit", `"1000.00"`)
	whole(t, api)
	c.Post(requests+"1/pay/", `{"amount":700}`).Status(200)
	api.Deliver()
	c.Get(details+"?type=penalty").Status(200).Field("results.0.profit", `"1500.00"`)
	c.Get(details+"?type=inventory").Status(200).Field("results.0.profit", `"200.00"`)
	c.Get(days+"?date=2026-03-03").Status(200).Field("results.0.penalty.prediction", `"1500.00"`).Field("results.0.penalty.profit", `"1500.00"`)
	whole(t, api)
}
