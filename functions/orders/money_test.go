package orders_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	referrals    = "/v1/crm/requests/referrals/"
	transactions = "/v1/finances/transactions/"
	refunds      = "/v1/finances/refunds/"
)

// paidFor makes order 1 of client 1: a car for two days, which is 6000.
func paidFor(c *webtest.Client) {
	c.Post(requests, `{"client":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","status":1,"inventories":[{"inventory":1}]}`).
		Status(201).Field("price", `"6000.00"`)
}

// completed hands the car of order 1 out and takes it back.
func completed(api *webtest.API, c *webtest.Client) {
	api.Clock.Step(time.Hour)
	c.Post(requests+"1/action/", `{"status":2}`).Status(200)
	c.Post(requests+"1/action/", `{"status":4}`).Status(200)
}

// sound checks what company 1 stores of its orders and of its money.
func sound(t *testing.T, api *webtest.API) {
	t.Helper()
	whole(t, api)
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	problems := recordtest.Problems(t.Context(), order.Referrals(), s)
	for _, problem := range append(problems, recordtest.Problems(t.Context(), ledger.Postings(), s)...) {
		t.Error(problem)
	}
}

// last is a field of the newest transactions, newest first.
func last(api *webtest.API, field string, want ...string) {
	list := api.As(webtest.Manager(1)).Get(transactions).Status(200)
	for i, value := range want {
		list.Field(fmt.Sprintf("results.%d.%s", i, field), value)
	}
}

func TestPayments(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	manager := api.As(webtest.Manager(1))
	manager.Post(accounts, `{"name":"Bank","types":[3]}`).Status(201)
	paidFor(c)
	pay := requests + "1/pay/"
	for _, row := range []struct{ name, body, want string }{
		{"nothing", `{}`, `{"amount":["This field is required."]}`},
		{"zero", `{"amount":0}`, `{"amount":["Ensure this value is greater than 0."]}`},
		{"negative", `{"amount":"-1.00"}`, `{"amount":["Ensure this value is greater than 0."]}`},
		{"no number", `{"amount":"much"}`, `{"amount":["A valid number is required."]}`},
		{"no such account", `{"amount":1,"account":9}`, `{"account":["Invalid pk \"9\" - object does not exist."]}`},
		{"no possible account", `{"amount":1,"account":0}`, `{"account":["Invalid pk \"0\" - object does not exist."]}`},
		{"no type of the account", `{"amount":1,"account":2,"type":4}`, `{"type":["\"4\" is not a valid choice."]}`},
		{"type of an account without", `{"amount":1,"type":3}`, `{"type":["\"3\" is not a valid choice."]}`},
		{
			"in the future", `{"amount":1,"date":"2026-03-02T09:32:00Z"}`,
			`{"date":["Ensure this value is not after now, 2026-03-02T09:30:00Z."]}`,
		},
		{"long ago", `{"amount":1,"date":"1899-03-02T09:32:00Z"}`, `{"date":["Ensure this value is between 1900-01-02 and 2999-12-30."]}`},
		{
			"all at once", `{"amount":0,"account":9,"date":"2026-03-02T10:32:00Z"}`,
			`{"amount":["Ensure this value is greater than 0."],"date":["Ensure this value is not after now, 2026-03-02T09:30:00Z."],` +
				`"account":["Invalid pk \"9\" - object does not exist."]}`,
		},
	} {
		t.Run(row.name, func(t *testing.T) { c.In(t).Post(pay, row.body).Status(400).JSON(row.want) })
	}
	manager.Get(transactions).Status(200).Field("count", "0")

	c.Post(pay, `{"amount":"1000.00","account":2,"type":3,"date":"2026-03-01T08:00:00Z","comment":"Card"}`).Status(200).
		Field("paid_amount", `"1000.00"`).Field("debt", `"5000.00"`).Field("payment_status", "1")
	manager.Get(transactions + "1/").Status(200).JSON(`{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","account":2,
		"amount":"1000.00","type":3,"date":"2026-03-01T08:00:00Z","day":"2026-03-01","request":1,"client":1,"comment":"Card","kind":"payment",
		"refunded":"0.00","refund_of":null,"exchange":null,"tenant":1}`)
	once := c.With("Idempotency-Key", "5b0e9a4e-7d0a-4d05-8f0c-6d0f6c8b7a11")
	cost := once.Post(pay, `{"amount":500}`).Status(200).Field("paid_amount", `"1500.00"`).Calls(6).Cost()
	t.Logf("pay: %+v", cost)
	once.Post(pay, `{"amount":500}`).Status(200).Field("paid_amount", `"1500.00"`).Writes(0)
	c.Post(pay, `{"amount":5000,"account":1}`).Status(200).Field("debt", `"0.00"`).Field("overpaid", `"500.00"`).Field("payment_status", "2").Calls(5)
	c.Get(clientsPath+"1/").Field("orders_paid_amount", `"6500.00"`)
	manager.Get(accounts+"1/").Field("balance", `"5500.00"`)
	manager.Get(transactions+"?kind=payment&request=1").Field("count", "3")

	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	c.Post(pay, `{"amount":1}`).Status(409).Field("code", `"status"`).Field("status", "3").Field("allowed", "[]")
	c.Post(requests+"9/pay/", `{"amount":1}`).Status(404)
	api.As(webtest.Employee(2)).Post(pay, `{"amount":1}`).Status(404)
	api.As(webtest.ReadOnly(1)).Post(pay, `{"amount":1}`).Status(403)
	sound(t, api)

	other := api.As(webtest.Employee(2))
	other.Post(requests, `{}`).Status(201)
	other.Post(pay, `{"amount":1}`).Status(400).JSON(`{"account":["The company has no account yet."]}`)
	other.Post(pay, `{"amount":1,"account":1}`).Status(400).JSON(`{"account":["Invalid pk \"1\" - object does not exist."]}`)
}

func TestReferrals(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	manager := api.As(webtest.Manager(1))
	c.Post("/v1/crm/agents/", `{"name":"Serik"}`).Status(201)
	paidFor(c)
	for _, row := range []struct{ name, body, want string }{
		{"nothing", `{}`, `{"request":["This field is required."],"amount":["This field is required."]}`},
		{"negative", `{"request":1,"amount":"-0.01"}`, `{"amount":["Ensure this value is greater than or equal to 0."]}`},
		{"no order", `{"request":2,"amount":1}`, `{"request":["Invalid pk \"2\" - object does not exist."]}`},
		{"no agent", `{"request":1,"agent":2,"amount":1}`, `{"agent":["Invalid pk \"2\" - object does not exist."]}`},
	} {
		t.Run(row.name, func(t *testing.T) { c.In(t).Post(referrals, row.body).Status(400).JSON(row.want) })
	}
	c.Post(referrals, `{"request":1,"agent":1,"amount":"700.5","status":0,"request_status":4,"id":9}`).Status(201).
		Header("Location", webtest.BaseURL+referrals+"1/").Header("ETag", `"1"`).
		JSON(`{"id":1,"created_at":"2026-03-02T09:30:00Z","request":1,"status":1,"status_changed_at":"2026-03-02T09:30:00Z","request_status":1,
			"agent":1,"amount":"700.50"}`)
	c.Post(referrals, `{"request":1,"amount":0,"agent":1}`).Status(201)
	c.Post(referrals, `{"request":1,"amount":5}`).Status(201)
	c.Get(requests+"1/").Header("ETag", `"4"`)

	// A change names no field that has to be there, and keeps the order; the order counts it.
	c.Put(referrals+"1/", `{}`).Status(200).Header("ETag", `"1"`).Writes(0)
	c.Put(referrals+"1/", `{"amount":800,"request":7,"status":0}`).Status(200).Field("amount", `"800.00"`).Field("request", "1").Field("status", "1")
	c.Patch(referrals+"1/", `{"agent":null}`).Status(200).Field("agent", "null").Field("request_status", "1")
	c.Patch(referrals+"1/", `{"amount":-1}`).Status(400)
	c.Delete(referrals + "3/").Status(204)
	c.Get(referrals + "3/").Status(404)
	c.Get(requests+"1/").Header("ETag", `"7"`)
	c.Get(referrals+"?request=1&status=1").Status(200).Field("count", "2").Field("results.1.request_status", "1").Calls(5)
	c.Get(referrals+"?agent=1").Field("count", "1").Field("results.0.id", "2")

	api.Clock.Step(time.Minute)
	// Employees make referrals, and managers pay them: those with an agent.
	c.Post(referrals+"1/pay/", `{}`).Status(403).Writes(0)
	manager.Post(referrals+"1/pay/", `{}`).Status(409).JSON(`{"detail":"The referral has no agent who could be paid.","code":"agent"}`).Writes(0)
	c.Patch(referrals+"1/", `{"agent":1}`).Status(200)
	manager.Post(referrals+"1/pay/", `{"account":9}`).Status(400).JSON(`{"account":["Invalid pk \"9\" - object does not exist."]}`)
	once := manager.With("Idempotency-Key", "5b0e9a4e-7d0a-4d05-8f0c-6d0f6c8b7a12")
	paid := `{"id":1,"created_at":"2026-03-02T09:30:00Z","request":1,"status":0,"status_changed_at":"2026-03-02T09:31:00Z","request_status":1,
		"agent":1,"amount":"800.00"}`
	t.Logf("pay a referral: %+v", once.Post(referrals+"1/pay/", `{}`).Status(200).JSON(paid).Calls(6).Cost())
	api.Clock.Step(time.Minute)
	once.Post(referrals+"1/pay/", `{}`).Status(200).JSON(paid).Writes(0)
	manager.Post(referrals+"1/pay/", `{"account":1}`).Status(200).JSON(paid).Writes(0)
	manager.Get(transactions+"?kind=referral").Field("count", "1").JSON(`{"count":1,"next":null,"previous":null,"results":[{"id":1,
		"created_at":"2026-03-02T09:31:00Z","updated_at":"2026-03-02T09:31:00Z","account":1,"amount":"-800.00","type":null,
		"date":"2026-03-02T09:31:00Z","day":"2026-03-02","request":1,"client":null,"comment":null,"kind":"referral","refunded":"0.00",
		"refund_of":null,"exchange":null,"tenant":1}]}`)
	for _, refused := range []*webtest.Answer{
		c.Put(referrals+"1/", `{"amount":1}`), c.Patch(referrals+"1/", `{"agent":1}`), c.Delete(referrals + "1/"),
	} {
		refused.Status(409).JSON(`{"detail":"The referral was paid: it stays as it is.","code":"paid"}`)
	}
	// An amount of 0 is paid without a transaction.
	manager.Post(referrals+"2/pay/", `{}`).Status(200).Field("status", "0").Field("amount", `"0.00"`)
	manager.Get(accounts+"1/").Field("balance", `"-800.00"`)
	c.Get(requests+"1/").Field("paid_amount", `"0.00"`).Field("debt", `"6000.00"`)

	c.Post(referrals, `{"request":1,"amount":5,"agent":1}`).Status(201).Field("id", "4")
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	manager.Post(referrals+"4/pay/", `{}`).Status(409).Field("code", `"status"`)
	c.Get(referrals+"4/").Status(200).Field("request_status", "3").Field("status", "1")
	c.Delete(requests+"1/").Status(409).Field("code", `"referral_paid"`)
	other := api.As(webtest.Employee(2))
	other.Get(referrals + "1/").Status(404)
	stranger := api.As(webtest.Manager(2))
	stranger.Post(referrals+"4/pay/", `{}`).Status(404)
	stranger.Post(referrals+"1/take_back/", `{}`).Status(404)
	other.Post(referrals, `{"request":1,"amount":5}`).Status(400)
	other.Get(referrals).Field("count", "0")
	sound(t, api)
}

// TestTakeReferralBack: the amount returns to its account by a posting of its own, and the referral
// can be changed, and paid again.
func TestTakeReferralBack(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	manager := api.As(webtest.Manager(1))
	manager.Post(accounts, `{"name":"Bank"}`).Status(201)
	c.Post("/v1/crm/agents/", `{"name":"Serik"}`).Status(201)
	paidFor(c)
	c.Post(referrals, `{"request":1,"agent":1,"amount":700}`).Status(201)
	c.Post(referrals, `{"request":1,"agent":1,"amount":0}`).Status(201)
	back := func(id int) string { return fmt.Sprintf("%s%d/take_back/", referrals, id) }
	manager.Post(back(1), `{}`).Status(200).Field("status", "1").Writes(0) // nothing was paid
	manager.Post(referrals+"1/pay/", `{"account":2}`).Status(200)
	manager.Post(referrals+"2/pay/", `{}`).Status(200)
	c.Post(back(1), `{}`).Status(403).Writes(0)

	api.Clock.Step(24 * time.Hour)
	pending := `{"id":1,"created_at":"2026-03-02T09:30:00Z","request":1,"status":1,"status_changed_at":"2026-03-03T09:30:00Z","request_status":1,
		"agent":1,"amount":"700.00"}`
	manager.With("If-Match", `"1"`).Post(back(1), `{}`).Status(412)
	once := manager.With("Idempotency-Key", "0c9f6b1e-2b7c-4b55-9a39-90ad3b7c0d61")
	once.Post(back(1), ``).Status(200).JSON(pending)
	api.Clock.Step(time.Minute)
	once.Post(back(1), ``).Status(200).JSON(pending).Writes(0)
	manager.Post(back(1), `{}`).Status(200).JSON(pending).Writes(0)
	manager.Get(accounts+"2/").Field("balance", `"0.00"`)
	last(api, "amount", `"700.00"`, `"-700.00"`)
	last(api, "day", `"2026-03-03"`, `"2026-03-02"`)
	last(api, "account", "2", "2")
	last(api, "kind", `"referral"`, `"referral"`)
	manager.Patch(transactions+"2/", `{"amount":1}`).Status(409).Field("code", `"owned"`)
	c.Get(requests+"1/").Field("paid_amount", `"0.00"`)
	c.Get(requests+"1/timeline/?pageSize=1").Field("results.0.events", `[{"kind":"referral_taken_back","type":"order.referral.reversed","text":"The payout of the referral was taken back",`+
		`"object":"referral:1","inventory":null,"amount":"700.00","happened_at":null,"fields":[]}]`)
	manager.Post(back(2), `{}`).Status(200).Field("status", "1")
	manager.Get(transactions).Field("count", "2") // an amount of 0 has no posting

	c.Patch(referrals+"1/", `{"amount":300}`).Status(200)
	manager.Post(referrals+"1/pay/", `{}`).Status(200)
	manager.Get(accounts+"1/").Field("balance", `"-300.00"`)
	c.Delete(referrals + "2/").Status(204)
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	manager.Post(back(1), `{}`).Status(200).Field("request_status", "3") // what was paid comes back, whatever became of the order
	c.Delete(requests + "1/").Status(204)
	manager.Get(accounts+"1/").Field("balance", `"0.00"`)
	sound(t, api)
}

// TestReferralsGoWithTheirOrder: a deleted order takes the referrals along that were not paid, and
// holds at most 50.
func TestReferralsGoWithTheirOrder(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	paidFor(c)
	for range order.MaxReferrals {
		c.Post(referrals, `{"request":1,"amount":5}`).Status(201)
	}
	c.Post(referrals, `{"request":1,"amount":5}`).Status(400).JSON(`{"non_field_errors":["An order has at most 50 referrals."]}`)
	for id := range 10 {
		c.Delete(fmt.Sprintf("%s%d/", referrals, id+1)).Status(204)
	}
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	c.Delete(requests + "1/").Status(204)
	c.Get(referrals).Field("count", "0")
	c.Get(referrals + "11/").Status(404)
	sound(t, api)
}

func TestDeposits(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	manager := api.As(webtest.Manager(1))
	manager.Post(accounts, `{"name":"Bank","types":[3]}`).Status(201)
	paidFor(c)
	deposits := requests + "1/deposits/"
	c.Get(deposits).Status(200).JSON(`[]`)
	for _, row := range []struct{ name, body, want string }{
		{"nothing", `{}`, `{"amount":["This field is required."]}`},
		{"zero", `{"amount":0}`, `{"amount":["Ensure this value is greater than 0."]}`},
		{"negative", `{"amount":-5}`, `{"amount":["Ensure this value is greater than 0."]}`},
		{"no such account", `{"amount":5,"account":9}`, `{"account":["Invalid pk \"9\" - object does not exist."]}`},
		{"no such type", `{"amount":5,"account":2,"type":4}`, `{"type":["\"4\" is not a valid choice."]}`},
		{"future", `{"amount":5,"date":"2027-03-02T10:00:00Z"}`, `{"date":["Ensure this value is not after now, 2026-03-02T09:30:00Z."]}`},
	} {
		t.Run(row.name, func(t *testing.T) { c.In(t).Post(deposits, row.body).Status(400).JSON(row.want) })
	}
	made := c.Post(deposits, `{"amount":"20000","account":2,"type":3,"comment":"Cash","returned":5}`).Status(201).Calls(6).
		Header("Location", webtest.BaseURL+deposits+"1/").Header("ETag", `"1"`).
		JSON(`{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","amount":"20000.00","account":2,"type":3,"transaction":1,
			"date":"2026-03-02T09:30:00Z","comment":"Cash","returned":"0.00","withheld":"0.00"}`)
	t.Logf("deposit: %+v", made.Cost())
	last(api, "kind", `"deposit"`)
	last(api, "amount", `"20000.00"`)
	c.Get(requests+"1/").Field("paid_amount", `"0.00"`).Field("deposits.0.amount", `"20000.00"`)
	c.Put(deposits+"1/", `{"amount":1,"account":1}`).Status(200).Field("amount", `"20000.00"`).Header("ETag", `"1"`).Writes(0)
	c.Patch(deposits+"1/", `{"comment":null}`).Status(200).Field("comment", "null").Header("ETag", `"2"`)

	// One that was posted by mistake goes with its posting.
	c.Post(deposits, `{"amount":"5"}`).Status(201).Field("account", "1")
	manager.Get(accounts+"1/").Field("balance", `"5.00"`)
	c.With("If-Match", `"7"`).Delete(deposits + "2/").Status(412)
	c.Delete(deposits + "2/").Status(204)
	c.Delete(deposits + "2/").Status(404)
	manager.Get(accounts+"1/").Field("balance", `"0.00"`)
	manager.Get(transactions + "2/").Status(404)

	back := deposits + "1/return/"
	for _, row := range []struct{ name, body, want string }{
		{"too much", `{"amount":20000.01}`, `{"amount":["At most 20000.00 is left of the deposit."]}`},
		{"too much kept", `{"withhold":"20000.01"}`, `{"withhold":["At most 20000.00 is left of the deposit."]}`},
		{"too much together", `{"amount":"15000","withhold":"5000.01"}`, `{"amount":["At most 14999.99 is left of the deposit."]}`},
		{"nothing", `{"amount":0}`, `{"amount":["Ensure this value is greater than 0, or withhold is."]}`},
		{"negative", `{"amount":-1,"withhold":2}`, `{"amount":["Ensure this value is greater than or equal to 0."]}`},
		{"negative kept", `{"withhold":-2}`, `{"withhold":["Ensure this value is greater than or equal to 0."]}`},
		{"future", `{"date":"2027-03-02T10:00:00Z"}`, `{"date":["Ensure this value is not after now, 2026-03-02T09:30:00Z."]}`},
	} {
		t.Run(row.name, func(t *testing.T) { c.In(t).Post(back, row.body).Status(400).JSON(row.want) })
	}
	answer := c.Post(back, `{"amount":"12000","withhold":1500,"comment":"A scratch"}`).Status(200).Calls(5).
		Field("paid_amount", `"1500.00"`).Field("debt", `"4500.00"`).
		Field("deposits.0.returned", `"12000.00"`).Field("deposits.0.withheld", `"1500.00"`).Field("inventories.0.id", "1")
	t.Logf("return: %+v", answer.Cost())
	last(api, "amount", `"1500.00"`, `"-1500.00"`, `"-12000.00"`, `"20000.00"`)
	last(api, "kind", `"payment"`, `"deposit"`, `"deposit"`, `"deposit"`)
	last(api, "account", "2", "2", "2", "2")
	c.Delete(deposits + "1/").Status(409).JSON(`{"detail":"A part of the deposit was returned or withheld.","code":"returned"}`)
	c.Post(back, `{}`).Status(200).Field("deposits.0.returned", `"18500.00"`).Field("paid_amount", `"1500.00"`)
	manager.Get(accounts+"2/").Field("balance", `"1500.00"`)
	c.Post(back, `{}`).Status(400).JSON(`{"amount":["Nothing is left of the deposit."]}`)
	c.Post(deposits+"9/return/", `{}`).Status(404)

	// What finance may do with them: nothing, but a part that was kept is a payment.
	manager.Post(refunds, `{"transaction":1,"amount":1}`).Status(409).Field("code", `"owned"`)
	manager.Delete(transactions+"1/").Status(409).Field("code", `"owned"`)
	manager.Post(refunds, `{"transaction":5,"amount":1500}`).Status(201)
	c.Get(requests+"1/").Field("paid_amount", `"0.00"`)

	// A cancelled order takes none, and gives back the whole one that it has.
	c.Post(deposits, `{"amount":"100"}`).Status(201).Field("id", "3")
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	c.Post(deposits, `{"amount":"100"}`).Status(409).Field("code", `"status"`)
	c.Delete(requests+"1/").Status(409).Field("code", `"deposit"`)
	c.Post(deposits+"3/return/", `{"withhold":1}`).Status(409).Field("code", `"status"`)
	c.Post(deposits+"3/return/", `{}`).Status(200)
	sound(t, api)
	other := api.As(webtest.Employee(2))
	other.Get(deposits).Status(404)
	other.Post(deposits, `{"amount":5}`).Status(404)
	other.Post(back, `{}`).Status(404)
	api.As(webtest.ReadOnly(1)).Post(back, `{}`).Status(403)
	c.Delete(requests + "1/").Status(204)
	c.Get(deposits).Status(404)
}

func TestFees(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	paidFor(c)
	fees := requests + "1/penalties/"
	c.Get(fees).Status(200).JSON(`[]`)
	c.Post(fees, `{}`).Status(400).JSON(`{"amount":["This field is required."]}`)
	c.Post(fees, `{"amount":0}`).Status(400).JSON(`{"amount":["Ensure this value is greater than 0."]}`)
	c.Post(fees, `{"amount":"99999999999999.99"}`).Status(400).
		JSON(`{"non_field_errors":["The totals of the order: Ensure that there are no more than 14 digits before the decimal point."]}`)
	c.Post(requests+"1/pay/", `{"amount":6000}`).Status(200)
	completed(api, c)
	c.Get(requests+"1/").Field("status", "4")
	id := c.Post(fees, `{"amount":"2000","comment":"A scratch"}`).Status(201).Calls(4).Int("id")
	one := fmt.Sprintf("%s%d/", fees, id)
	c.Get(one).Status(200).Header("ETag", `"1"`).JSON(fmt.Sprintf(`{"id":%d,"created_at":"2026-03-02T10:30:00Z","updated_at":"2026-03-02T10:30:00Z",
		"amount":"2000.00","comment":"A scratch","penalty":null}`, id))
	c.Get(requests+"1/").Field("status", "5").Field("penalty_amount", `"2000.00"`).Field("debt", `"2000.00"`).Field("penalties.0.amount", `"2000.00"`)
	c.Put(one, `{}`).Status(400)
	c.Patch(one, `{"amount":500}`).Status(200).Header("ETag", `"2"`)
	c.Patch(one, `{"comment":"Two"}`).Status(200).Field("comment", `"Two"`)
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"500.00"`).Field("orders_amount", `"6500.00"`)
	c.Delete(one).Status(204)
	c.Get(requests+"1/").Field("status", "4").Field("penalty_amount", `"0.00"`)
	api.As(webtest.Employee(2)).Get(fees).Status(404)

	c.Post(requests, `{"client":1}`).Status(201)
	c.Post(requests+"2/penalties/", `{"amount":5}`).Status(201)
	c.Post(requests+"2/action/", `{"status":3}`).Status(200)
	// An order that was cancelled with fees owes them; employees don't make them less.
	one = fmt.Sprintf("%s2/penalties/%d/", requests, id+1)
	c.Get(requests+"2/").Field("status", "3").Field("debt", `"5.00"`).Field("overpaid", `"0.00"`).Field("payment_status", "0")
	c.Patch(one, `{"amount":6}`).Status(200)
	c.Patch(one, `{"amount":5}`).Status(403).Writes(0)
	c.Delete(one).Status(403).Writes(0)
	c.Delete(requests + "2/").Status(403).Writes(0)
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"6.00"`).Field("orders_count", "1").Field("orders_amount", `"6000.00"`)
	api.As(webtest.Manager(1)).Delete(one).Status(204)
	c.Get(clientsPath+"1/").Field("orders_debt_amount", `"0.00"`)
	sound(t, api)
	c.Delete(requests + "2/").Status(204)
	// One that was cancelled without fees takes none.
	c.Post(requests, `{"client":1}`).Status(201)
	act(c, 3, 3).Status(200)
	c.Post(requests+"3/penalties/", `{"amount":5}`).Status(409).Field("code", `"status"`)
}
