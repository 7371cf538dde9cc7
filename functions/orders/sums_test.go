package orders_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// recounted compares the sums of clients with those of all orders.
func recounted(t *testing.T, api *webtest.API, clients, most int64) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	want := make(map[int64]*client.Standing, clients)
	for id := range clients {
		want[id+1] = &client.Standing{}
	}
	for id := range most {
		o, err := order.Kind().Get(t.Context(), s, id+1)
		if err != nil || o.Client == nil || o.ClientGone || want[*o.Client] == nil {
			continue
		}
		of := want[*o.Client]
		if o.Status == order.Cancelled {
			if owed := o.AllFees().Sub(o.PaidAmount); o.OwesFees && !owed.IsNegative() {
				of.Debt = of.Debt.Add(owed)
			}
			continue
		}
		of.Count++
		of.Amount, of.Paid = money.Amount.Add(of.Amount, o.Price.Add(o.AllFees())), of.Paid.Add(o.PaidAmount)
		if owed := o.Owed(); o.Status != order.Request && o.Status != order.Reserved && !owed.IsNegative() {
			of.Debt = of.Debt.Add(owed)
		}
	}
	c := api.As(webtest.ReadOnly(1)).In(t)
	list := c.Get(clientsPath + "?ordering=id").Status(200)
	for id, of := range want {
		single := c.Get(fmt.Sprintf("%s%d/", clientsPath, id)).Status(200)
		for field, value := range map[string]string{
			"orders_count": fmt.Sprint(of.Count), "orders_amount": fmt.Sprintf("%q", of.Amount), "orders_paid_amount": fmt.Sprintf("%q", of.Paid),
			"orders_debt_amount": fmt.Sprintf("%q", of.Debt),
		} {
			single.Field(field, value)
			list.Field(fmt.Sprintf("results.%d.%s", id-1, field), value)
		}
		owes := of.Debt.Cents() != 0
		for query, found := range map[string]bool{
			"=" + of.Debt.String(): true, "__in=7,0.01&orders_debt_amount__in=" + of.Debt.String(): true, "__gte=0.01": owes,
			"__lte=0": !owes, "=0.00": !owes, "__gte=" + of.Debt.String() + "&orders_debt_amount__lte=" + of.Debt.String(): true,
			"__gte=" + of.Debt.Add(money.Whole(1)).String(): false, "__gte=-1&name=nobody": false,
		} {
			if got := slices.Contains(c.Get(clientsPath+"?orders_debt_amount"+query).Status(200).IDs(), id); got != found {
				t.Errorf("client %d, who owes %s, is found by %s: %v", id, of.Debt, query, got)
			}
		}
	}
}

// TestClientSums changes orders in every way that moves what their clients' orders come to.
func TestClientSums(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	manager := api.As(webtest.Manager(1))
	c.Post(clientsPath, `{"name":"Bolat"}`).Status(201).Field("orders_count", "0").Field("orders_debt_amount", `"0.00"`)
	c.Post("/v1/crm/agents/", `{"name":"Serik"}`).Status(201)
	for _, step := range []struct {
		name, method, path, body string
		want                     string // orders_count, _amount, _paid_amount, _debt_amount of client 1
	}{
		{"made", "POST", "", `{"client":1,"rent_start":"2026-03-02T09:00:00Z","rent_end":"2026-03-04T09:00:00Z","status":1,"inventories":[{"inventory":1}]}`, "1 6000.00 0.00 0.00"},
		{"made for another", "POST", "", `{"client":2,"rent_start":"2026-03-02T09:00:00Z","rent_end":"2026-03-04T09:00:00Z","inventories":[{"inventory":2}]}`, "1 6000.00 0.00 0.00"},
		{"made for nobody", "POST", "", `{"services":[{"service":1}]}`, "1 6000.00 0.00 0.00"},
		{"a line comes", "POST", "1/services/", `{"service":1}`, "1 7500.00 0.00 0.00"},
		{"a line changes", "PATCH", "services/2/", `{"count":2}`, "1 9000.00 0.00 0.00"},
		{"a line goes", "DELETE", "services/2/", ``, "1 6000.00 0.00 0.00"},
		{"a discount", "PATCH", "1/", `{"additional_discount":1000}`, "1 5000.00 0.00 0.00"},
		{"a payment", "POST", "1/pay/", `{"amount":2000}`, "1 5000.00 2000.00 0.00"},
		{"handed out", "POST", "1/action/", `{"status":2}`, "1 5000.00 2000.00 3000.00"},
		{"a fee", "POST", "1/penalties/", `{"amount":500}`, "1 5500.00 2000.00 3500.00"},
		{"a deposit", "POST", "1/deposits/", `{"amount":10000}`, "1 5500.00 2000.00 3500.00"},
		{"a deposit is kept", "POST", "1/deposits/1/return/", `{"amount":9900,"withhold":100}`, "1 5500.00 2100.00 3400.00"},
		{"taken back", "POST", "1/action/", `{"status":4}`, "1 5500.00 2100.00 3400.00"},
		{"to another client", "PATCH", "1/", `{"client":2}`, "0 0.00 0.00 0.00"},
		{"and back", "PATCH", "1/", `{"client":1}`, "1 5500.00 2100.00 3400.00"},
		{"paid", "POST", "1/pay/", `{"amount":4000}`, "1 5500.00 6100.00 0.00"},
		{"a refund", "POST", refunds, `{"transaction":1,"amount":1500}`, "1 5500.00 4600.00 900.00"},
		{"a refund changes", "PATCH", transactions + "7/", `{"amount":-2000}`, "1 5500.00 4100.00 1400.00"},
		{"another comment", "PATCH", transactions + "7/", `{"comment":"-"}`, "1 5500.00 4100.00 1400.00"},
		{"a refund goes", "DELETE", transactions + "7/", ``, "1 5500.00 6100.00 0.00"},
		{"a fee changes", "PATCH", "1/penalties/1/", `{"amount":1500}`, "1 6500.00 6100.00 400.00"},
		{"a fee goes", "DELETE", "1/penalties/1/", ``, "1 5000.00 6100.00 0.00"},
		{"a referral", "POST", "referrals/", `{"request":1,"amount":300,"agent":1}`, "1 5000.00 6100.00 0.00"},
		{"which is paid", "POST", referrals + "1/pay/", `{}`, "1 5000.00 6100.00 0.00"},
		{"a plain transaction", "POST", transactions, `{"account":1,"amount":77,"request":1,"client":1}`, "1 5000.00 6100.00 0.00"},
		{"which is refunded", "POST", refunds, `{"transaction":9,"amount":70}`, "1 5000.00 6100.00 0.00"},
		{"another order", "PATCH", "3/", `{"client":1}`, "2 6500.00 6100.00 0.00"},
		{"is paid", "POST", "3/pay/", `{"amount":200}`, "2 6500.00 6300.00 0.00"},
		{"is cancelled", "POST", "3/action/", `{"status":3}`, "1 5000.00 6100.00 0.00"},
		{"is refunded", "POST", refunds, `{"transaction":11,"amount":200}`, "1 5000.00 6100.00 0.00"},
		{"is deleted", "DELETE", "3/", ``, "1 5000.00 6100.00 0.00"},
		{"one is made that costs something", "POST", "", `{"client":1,"rent_start":"2026-03-02T09:00:00Z","rent_end":"2026-03-04T09:00:00Z","inventories":[{"inventory":3}]}`, "2 11000.00 6100.00 0.00"},
		{"it is paid in part", "POST", "4/pay/", `{"amount":100}`, "2 11000.00 6200.00 0.00"},
		{"it is cancelled for a fee", "POST", "4/action/", `{"status":3,"fee":300}`, "1 5000.00 6100.00 200.00"},
		{"another fee of it", "POST", "4/penalties/", `{"amount":40}`, "1 5000.00 6100.00 240.00"},
		{"it goes to another", "PATCH", "4/", `{"client":2}`, "1 5000.00 6100.00 0.00"},
		{"and comes back", "PATCH", "4/", `{"client":1}`, "1 5000.00 6100.00 240.00"},
		{"the fee is paid", "POST", "4/pay/", `{"amount":300}`, "1 5000.00 6100.00 0.00"},
		{"the other's is his", "PATCH", "2/", `{"client":1}`, "2 11000.00 6100.00 0.00"},
		{"and deleted", "DELETE", "2/", ``, "1 5000.00 6100.00 0.00"},
	} {
		t.Run(step.name, func(t *testing.T) {
			who, path := c.In(t), requests+step.path
			if len(step.path) > 4 && step.path[:4] == "/v1/" {
				who, path = manager.In(t), step.path
			}
			var body any
			if step.body != "" {
				body = step.body
			}
			if got := who.Do(step.method, path, body); got.Code() >= 300 {
				t.Fatalf("status %d: %.300s", got.Code(), got.Body())
			}
			got := who.Get(clientsPath + "1/").Status(200)
			if sums := fmt.Sprint(got.Value("orders_count"), " ", got.Text("orders_amount"), " ", got.Text("orders_paid_amount"), " ",
				got.Text("orders_debt_amount")); sums != step.want {
				t.Errorf("client 1: %s, want %s", sums, step.want)
			}
			recounted(t, api, 2, 4)
		})
	}
	sound(t, api)
	// An answer that shows sums is never 304, and has an ETag for If-Match.
	tag := c.Get(clientsPath + "1/").Get("ETag")
	c.With("If-None-Match", tag).Get(clientsPath + "1/").Status(200)
	c.With("If-Match", tag).Patch(clientsPath+"1/", `{"comment":"-"}`).Status(200).Field("orders_count", "1")
	c.Get(clientsPath).Status(200).Field("count", "2").Calls(3)
}

// TestClientsGo: a client stays while an order of it is open or owed. Afterwards its orders are
// paid, refunded and charged without it.
func TestClientsGo(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	manager := api.As(webtest.Manager(1))
	held := func() {
		t.Helper()
		c.Delete(clientsPath+"1/").Status(409).Field("code", `"held"`).Field("held_by.order", "1")
	}
	paidFor(c)
	held()
	completed(api, c)
	held()
	c.Post(requests+"1/deposits/", `{"amount":100}`).Status(201)
	c.Post(requests+"1/pay/", `{"amount":6000}`).Status(200).Field("status", "4")
	c.Delete(clientsPath + "1/").Status(204)
	c.Get(requests+"1/").Status(200).Field("client", "1").Field("inventories.0.client.name", `"Assel"`) // as it was

	manager.Post(refunds, `{"transaction":2,"amount":1000}`).Status(201).Field("client", "1")
	c.Get(requests+"1/").Field("status", "5").Field("debt", `"1000.00"`)
	c.Post(requests+"1/pay/", `{"amount":400}`).Status(200).Field("debt", `"600.00"`)
	last(api, "client", "null", "1", "1", "1")
	c.Post(requests+"1/deposits/1/return/", `{"withhold":100}`).Status(200).Field("debt", `"500.00"`)
	c.Post(requests+"1/penalties/", `{"amount":7}`).Status(201)
	manager.Delete(transactions + "3/").Status(204)
	c.Get(requests+"1/").Field("status", "4").Field("overpaid", `"493.00"`)

	// Returning a deposit first finds out that the client is gone, too.
	c.Post(clientsPath, `{"name":"Bolat"}`).Status(201)
	c.Post(requests, `{"client":2}`).Status(201)
	c.Post(requests+"2/deposits/", `{"amount":100}`).Status(201).Field("id", "2")
	c.Post(requests+"2/action/", `{"status":3}`).Status(200)
	c.Delete(clientsPath + "2/").Status(204)
	c.Post(requests+"2/deposits/2/return/", `{}`).Status(200)
	sound(t, api)
}

func TestRefundsOfPayments(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	manager := api.As(webtest.Manager(1))
	paidFor(c)
	c.Post(requests+"1/pay/", `{"amount":1000}`).Status(200)
	manager.Post(refunds, `{"transaction":1,"amount":"1000.01"}`).Status(400).JSON(`{"amount":["At most 1000.00 is left to refund."]}`)
	refund := manager.Post(refunds, `{"transaction":1,"amount":"400"}`).Status(201).Calls(5).
		Field("kind", `"refund"`).Field("request", "1").Field("client", "1").Field("refund_of", "1")
	t.Logf("refund: %+v", refund.Cost())
	c.Get(requests+"1/").Field("paid_amount", `"600.00"`).Field("payment_status", "1")
	manager.Patch(transactions+"2/", `{"amount":"-1000.01"}`).Status(400)
	manager.Patch(transactions+"2/", `{"request":null}`).Status(400).JSON(`{"request":["A refund stays with the request of what it refunds."]}`)
	manager.Patch(transactions+"2/", `{"amount":"-1000","request":1}`).Status(200)
	c.Get(requests+"1/").Field("paid_amount", `"0.00"`).Field("payment_status", "0")
	manager.Patch(transactions+"1/", `{"amount":5}`).Status(409).Field("code", `"owned"`)
	manager.Delete(transactions + "1/").Status(409).
		JSON(`{"detail":"An order has posted this payment, which stays as it is: refund it.","code":"owned"}`)
	c.Delete(clientsPath + "1/").Status(409)

	// The refund of a deleted order's payment can't be taken back.
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	c.Delete(requests + "1/").Status(204)
	for _, refused := range []*webtest.Answer{manager.Delete(transactions + "2/"), manager.Patch(transactions+"2/", `{"amount":-1}`)} {
		refused.Status(409).JSON(`{"detail":"The order that was paid is deleted.","code":"deleted"}`)
	}
	manager.Patch(transactions+"2/", `{"comment":"-"}`).Status(200)
	sound(t, api)
}

// TestRequestsOfTransactions: a plain transaction may name an order, which it does not pay.
func TestRequestsOfTransactions(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	manager := api.As(webtest.Manager(1))
	paidFor(c)
	api.As(webtest.Employee(2)).Post(requests, `{}`).Status(201)
	api.As(webtest.Employee(2)).Post(requests, `{}`).Status(201)
	bad := `{"request":["Invalid pk \"2\" - object does not exist."]}`
	manager.Post(transactions, `{"account":1,"amount":5,"request":2}`).Status(400).JSON(bad)
	manager.Post(transactions, `{"account":1,"amount":5,"request":1}`).Status(201).Field("request", "1").Field("kind", `"plain"`)
	manager.Patch(transactions+"1/", `{"request":2}`).Status(400).JSON(bad)
	manager.Put(transactions+"1/", `{"account":1,"amount":5,"request":null}`).Status(200).Field("request", "null")
	manager.Patch(transactions+"1/", `{"request":1}`).Status(200).Field("request", "1")
	c.Get(requests+"1/").Field("paid_amount", `"0.00"`)
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	c.Delete(requests + "1/").Status(204)
	manager.Patch(transactions+"1/", `{"amount":6}`).Status(200).Field("request", "1")
	manager.Post(refunds, `{"transaction":1,"amount":6}`).Status(201).Field("request", "1")
	manager.Delete(transactions + "2/").Status(204)
	sound(t, api)
}

// TestMoneyOfOneOrderAtOnce: payments, refunds and referrals of one order at the same moment are
// all decided, one after the other, and none is refunded or paid twice.
func TestMoneyOfOneOrderAtOnce(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		return tabletest.Wrap(engine, tabletest.Locks(), 1)
	}})
	manager := api.As(webtest.Manager(1))
	paidFor(c)
	c.Post(requests+"1/pay/", `{"amount":30}`).Status(200)
	c.Post(requests+"1/deposits/", `{"amount":50}`).Status(201)
	c.Post("/v1/crm/agents/", `{"name":"Serik"}`).Status(201)
	c.Post(referrals, `{"request":1,"agent":1,"amount":9}`).Status(201)
	var counts [4]atomic.Int64
	var wait sync.WaitGroup
	for range 6 {
		for i, do := range []func() *webtest.Answer{
			func() *webtest.Answer { return c.Post(requests+"1/pay/", `{"amount":100}`) },
			func() *webtest.Answer { return manager.Post(refunds, `{"transaction":1,"amount":10}`) },
			func() *webtest.Answer { return manager.Post(referrals+"1/pay/", `{}`) },
			func() *webtest.Answer { return c.Post(requests+"1/deposits/1/return/", `{"amount":20}`) },
		} {
			wait.Go(func() {
				for { // contention that outlasts the retries is 503
					got := do().Code()
					if got < 300 {
						counts[i].Add(1)
					}
					if got != 503 {
						return
					}
				}
			})
		}
	}
	wait.Wait()
	if pays, refunded, paid, returned := counts[0].Load(), counts[1].Load(), counts[2].Load(), counts[3].Load(); pays != 6 || refunded != 3 ||
		paid != 6 || returned != 2 {
		t.Errorf("%d payments, %d refunds, %d paid referrals, %d returns", pays, refunded, paid, returned)
	}
	c.Get(requests+"1/").Field("paid_amount", `"600.00"`).Field("deposits.0.returned", `"40.00"`)
	manager.Get(accounts+"1/").Field("balance", `"601.00"`) // payments 630, refunds 30, deposit 50 − 40, referral −9
	recounted(t, api, 1, 1)
	sound(t, api)
}

// TestNothingIsHalfPaid kills the process at each call of a request that moves money: all of it is
// written, or nothing.
func TestNothingIsHalfPaid(t *testing.T) {
	for _, row := range []struct{ name, first, path, body, before, after string }{
		{"pay", "", requests + "1/pay/", `{"amount":100}`, "0.00 0.00 41.00", "100.00 0.00 141.00"},
		{"return", "", requests + "1/deposits/1/return/", `{"amount":30,"withhold":20}`, "0.00 0.00 41.00", "20.00 30.00 11.00"},
		{"referral", "", referrals + "1/pay/", `{}`, "0.00 0.00 41.00", "0.00 0.00 32.00"},
		{"take back", referrals + "1/pay/", referrals + "1/take_back/", `{}`, "0.00 0.00 32.00", "0.00 0.00 41.00"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &process{}
			var world *tabletest.World
			api, c := newAPI(t, webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
				world = tabletest.NewWorld(engine, tabletest.Faults{})
				p.DynamoDBAPI = world.Client(0)
				return p
			}})
			manager := api.As(webtest.Manager(1))
			paidFor(c)
			c.Post(requests+"1/deposits/", `{"amount":50}`).Status(201)
			manager.Post(transactions, `{"account":1,"amount":-9}`).Status(201)
			c.Post("/v1/crm/agents/", `{"name":"Serik"}`).Status(201)
			c.Post(referrals, `{"request":1,"agent":1,"amount":9}`).Status(201)
			if row.first != "" {
				manager.Post(row.first, `{}`).Status(200)
			}
			for call := 1; ; call++ {
				for _, after := range []bool{false, true} {
					client := world.Client(uint64(call))
					client.DieAt(call, after)
					p.DynamoDBAPI = client
					code := manager.Post(row.path, row.body).Code()
					died := client.Crashed()
					p.DynamoDBAPI = world.Client(0)
					if code != 200 && !died {
						t.Fatalf("call %d: %d", call, code)
					}
					got := c.Get(requests + "1/").Status(200)
					is := got.Text("paid_amount") + " " + got.Text("deposits.0.returned") + " " + manager.Get(accounts+"1/").Text("balance")
					sound(t, api)
					if is == row.after && died && after && call > 3 {
						return // it died after its last call, which had written everything
					}
					if is != row.before {
						t.Fatalf("killed at call %d: %s", call, is)
					}
				}
			}
		})
	}
}

// process is the engine as the functions see it: a process that can die, and is replaced by another one.
type process struct{ dynamodbiface.DynamoDBAPI }
