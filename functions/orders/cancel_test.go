package orders_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Cancelling costs what the settings say, as a fee that the cancelled order owes alone: it is paid, kept of deposits, refunded and waived.
func TestCancellationsCost(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"cancellation":[{"before":3600,"percent":50},{"before":86400,"percent":20}],"tax_percent":12}`).Status(200)
	const booked = `{"client":1,"status":1,"inventories":[{"inventory":1,"start_at":"2026-03-02T10:30:00Z","end_at":"2026-03-04T10:30:00Z"}]}`
	c.Post(requests, booked).Status(201).Field("price", `"6720.00"`) // with the tax
	c.Post(requests+"1/pay/", `{"amount":1000}`).Status(200)
	c.Post(requests+"1/deposits/", `{"amount":5000}`).Status(201)
	c.Post(clientsPath, `{"name":"Bolat"}`).Status(201)

	for _, tt := range []struct{ name, more, want string }{
		{"less, by an employee", `,"fee":"3359.99"`, `{"fee":["Ensure this value is at least 3360.00: less needs a member with a higher role."]}`},
		{"a negative fee", `,"fee":-1`, `{"fee":["Ensure this value is greater than or equal to 0."]}`},
		{"no number", `,"fee":"x","no_show":"x"`, `{"fee":["A valid number is required."],"no_show":["Must be a valid boolean."]}`},
		{
			"too many digits", `,"fee":"99999999999999.99"`,
			`{"non_field_errors":["The totals of the order: Ensure that there are no more than 14 digits before the decimal point."]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) { act(c.In(t), 1, 3, tt.more).Status(400).JSON(tt.want).Writes(0) })
	}
	act(c, 1, 2, `,"fee":5,"no_show":true`).Status(400).Writes(0).
		JSON(`{"fee":["This is for a cancellation alone."],"no_show":["This is for a cancellation alone."]}`)
	act(c, 1, 3, `,"no_show":true`).Status(409).Field("code", `"no_show"`).Writes(0)
	c.Get(requests + "1/penalties/").JSON(`[]`)
	c.Get(requests+"1/").Field("status", "1").Field("debt", `"5720.00"`)

	act(c, 1, 3).Status(200).Field("status", "3").Field("price", `"6720.00"`).Field("penalty_amount", `"3360.00"`).Field("tax", `"720.00"`).
		Field("debt", `"2360.00"`).Field("overpaid", `"0.00"`).Field("payment_status", "1").
		Field("penalties.0.amount", `"3360.00"`).Field("penalties.0.comment", `"Cancellation"`)
	c.Get(requests+"1/timeline/?pageSize=1").Field("results.0.events.0.kind", `"cancelled"`).Field("results.0.events.1.kind", `"fee"`).
		Field("results.0.events.1.amount", `"3360.00"`)
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"2360.00"`).Field("orders_count", "0").Field("orders_amount", `"0.00"`).
		Field("orders_paid_amount", `"0.00"`)
	c.Post(requests, booked).Status(201) // its item is free
	c.Get(requests+"?debt=2360&status=3").Field("count", "1")
	c.Get(clientsPath+"?orders_debt_amount__gte=2360").Field("count", "1").Field("results.0.id", "1")
	recounted(t, api, 2, 4)

	// It takes payments, and deposits are kept for it, up to what it owes.
	c.Delete(clientsPath+"1/").Status(409).Field("code", `"held"`)
	c.Post(requests+"1/deposits/", `{"amount":1}`).Status(409).Field("code", `"status"`).Writes(0)
	c.Post(referrals, `{"request":1,"amount":5}`).Status(409).Field("code", `"status"`).Writes(0)
	c.Post(requests+"1/deposits/1/return/", `{"withhold":"2360.01"}`).Status(400).Writes(0).
		JSON(`{"withhold":["At most 2360.00 is owed for the cancelled order."]}`)
	c.Post(requests+"1/deposits/1/return/", `{"withhold":2000}`).Status(200).Field("debt", `"360.00"`).Field("deposits.0.returned", `"3000.00"`)
	c.Delete(requests+"1/").Status(409).Field("code", `"paid"`)
	c.Post(requests+"1/pay/", `{"amount":500}`).Status(200).Field("debt", `"0.00"`).Field("overpaid", `"140.00"`).Field("payment_status", "2").
		Field("status", "3")
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"0.00"`)
	m.Post(refunds, `{"transaction":1,"amount":1000}`).Status(201)
	c.Get(requests+"1/").Field("debt", `"860.00"`).Field("overpaid", `"0.00"`).Field("payment_status", "1").Field("status", "3")
	recounted(t, api, 2, 4)

	// What is waived is a manager's: the fee of a cancellation, and that of a cancelled order.
	c.Patch(requests+"1/penalties/1/", `{"amount":3000}`).Status(403).Writes(0)
	c.Delete(requests + "1/penalties/1/").Status(403).Writes(0)
	m.Patch(requests+"1/penalties/1/", `{"amount":2500}`).Status(200)
	c.Get(requests+"1/").Field("debt", `"0.00"`).Field("payment_status", "2")
	act(m, 2, 3, `,"fee":0`).Status(200).Field("penalties", `[]`).Field("debt", `"0.00"`).Field("payment_status", "0")
	c.Post(requests+"2/pay/", `{"amount":5}`).Status(409).Field("code", `"status"`).Writes(0)
	c.Post(requests, booked).Status(201)
	act(c, 3, 3, `,"fee":4000`).Status(200).Field("debt", `"4000.00"`)
	act(c, 3, 3, `,"fee":0`).Status(409).Field("code", `"status"`)
	recounted(t, api, 2, 4)
	sound(t, api)
	c.Delete(requests + "3/").Status(403).Writes(0)
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"4000.00"`)
	m.Delete(requests + "3/").Status(204)
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"0.00"`)
	recounted(t, api, 2, 4)
}

// Who does not come for a reserved order pays another percentage.
func TestNobodyCame(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"cancellation":[{"before":3600,"percent":50}],"no_show_percent":75}`).Status(200)
	paidFor(c)
	c.Post(requests, `{"client":1,"inventories":[{"inventory":2,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-04T10:00:00Z"}]}`).Status(201)
	c.Post(requests, `{"client":1,"status":1,"inventories":[{"inventory":3,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-04T10:00:00Z"}]}`).Status(201)
	act(c, 1, 3, `,"no_show":true`).Status(409).Field("code", `"no_show"`).Writes(0)
	api.Clock.Step(time.Hour)
	act(c, 2, 3, `,"no_show":true`).Status(409).Field("code", `"no_show"`).Writes(0)
	act(c, 3, 2).Status(200)
	act(c, 3, 3, `,"no_show":true`).Status(409).Field("code", `"status"`).Writes(0)
	act(c, 1, 3, `,"no_show":true`).Status(200).Field("debt", `"4500.00"`).Field("penalties.0.comment", `"No-show"`)
	act(c, 2, 3).Status(200).Field("debt", `"3000.00"`).Field("penalties.0.comment", `"Cancellation"`)
	recounted(t, api, 1, 3)
	sound(t, api)
}

// Where nothing is set, cancelling costs nothing, and what was cancelled before fees were owed still owes none.
func TestCancellationsThatCostNothing(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	paidFor(c)
	c.Post(requests+"1/pay/", `{"amount":100}`).Status(200)
	act(c, 1, 3).Status(200).Field("penalties", `[]`).Field("debt", `"0.00"`).Field("overpaid", `"100.00"`).Field("payment_status", "1")
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"0.00"`)

	c.Post(requests, `{"client":1,"services":[{"service":1}]}`).Status(201)
	c.Post(requests+"2/penalties/", `{"amount":700}`).Status(201)
	act(c, 2, 3).Status(200).Field("debt", `"700.00"`).Field("payment_status", "0")
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"700.00"`)
	api.As(webtest.Manager(1)).Delete(requests + "2/penalties/1/").Status(204)
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"0.00"`)

	// As an earlier release stored it: with a fee, without saying that the order owes it.
	c.Post(requests, `{"client":1,"services":[{"service":1}]}`).Status(201)
	c.Post(requests+"3/penalties/", `{"amount":700}`).Status(201)
	c.Post(requests+"3/pay/", `{"amount":700}`).Status(200)
	c.Post(requests+"3/deposits/", `{"amount":50}`).Status(201)
	act(c, 3, 3).Status(200).Field("overpaid", `"0.00"`)
	of := table.Of(api.Env.Table, 1)
	if err := of.Update(order.Kind().Key(of, 3)).Remove("of").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Get(requests+"3/").Field("debt", `"0.00"`).Field("overpaid", `"700.00"`).Field("payment_status", "1").Field("penalty_amount", `"700.00"`)
	api.As(webtest.Manager(1)).Post(refunds, `{"transaction":2,"amount":300}`).Status(201)
	c.Get(requests+"3/").Field("debt", `"0.00"`).Field("overpaid", `"400.00"`)
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"0.00"`).Field("orders_count", "0")
	c.Post(requests+"3/pay/", `{"amount":5}`).Status(409).Field("code", `"status"`)
	c.Post(requests+"3/penalties/", `{"amount":5}`).Status(409).Field("code", `"status"`)
	api.As(webtest.Manager(1)).Delete(requests+"3/penalties/2/").Status(409).Field("code", `"status"`)
	c.Post(requests+"3/deposits/1/return/", `{"withhold":1}`).Status(409).Field("code", `"status"`)
	c.Post(requests+"3/deposits/1/return/", `{}`).Status(200)
	api.As(webtest.Manager(1)).Post(refunds, `{"transaction":2,"amount":400}`).Status(201)
	recounted(t, api, 1, 3)
	sound(t, api)
	c.Delete(requests + "3/").Status(204)
}
