package orders_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const refunding = `,"refund":true`

// newRefunds is newReturns with a company that prices what was used, and with a bank account beside the cash. Order 1 owes 101,500; back on
// 8 March 12:00, it is 55,000.
func newRefunds(t testing.TB) (*webtest.API, *webtest.Client) {
	t.Helper()
	api, c := newReturns(t, `{"early":"reprice"}`, from(6, 7, 0))
	api.As(webtest.Manager(1)).Post(accounts, `{"name":"Bank"}`).Status(201)
	return api, c
}

// pays pays amounts for order 1 into accounts, one after the other: "500 into 1".
func pays(c *webtest.Client, amounts ...string) {
	for _, one := range amounts {
		amount, account, _ := strings.Cut(one, " into ")
		c.Post(requests+"1/pay/", `{"amount":"`+amount+`","account":`+account+`}`).Status(200)
	}
}

// balances checks what is in the two accounts.
func balances(api *webtest.API, cash, bank string) {
	m := api.As(webtest.Manager(1))
	m.Get(accounts+"1/").Status(200).Field("balance", `"`+cash+`"`)
	m.Get(accounts+"2/").Status(200).Field("balance", `"`+bank+`"`)
}

// What is overpaid once an item is back is given back, of the newest payments first, each into its account.
func TestReturnRefunds(t *testing.T) {
	for _, tt := range []struct {
		name       string
		paid       []string
		before     func(t *testing.T, api *webtest.API, c *webtest.Client)
		refunds    []string // transaction, account, amount
		left       string   // paid_amount
		cash, bank string
	}{
		{
			name: "one payment", paid: []string{"101500.00 into 1"}, refunds: []string{"1 1 -46500.00"},
			left: "55000.00", cash: "55000.00", bank: "0.00",
		},
		{name: "nothing is overpaid", paid: []string{"55000.00 into 1"}, left: "55000.00", cash: "55000.00", bank: "0.00"},
		{name: "nothing was paid", left: "0.00", cash: "0.00", bank: "0.00"},
		{
			name: "two accounts, a part refunded before", paid: []string{"50000.00 into 1", "30000.00 into 2", "21500.00 into 1"},
			before: func(_ *testing.T, api *webtest.API, _ *webtest.Client) {
				api.As(webtest.Manager(1)).Post(refunds, `{"transaction":3,"amount":"1500.00"}`).Status(201)
			},
			refunds: []string{"3 1 -20000.00", "2 2 -25000.00"}, left: "55000.00", cash: "50000.00", bank: "5000.00",
		},
		{
			name: "one was refunded whole", paid: []string{"80000.00 into 1", "21500.00 into 2"},
			before: func(_ *testing.T, api *webtest.API, _ *webtest.Client) {
				api.As(webtest.Manager(1)).Post(refunds, `{"transaction":2,"amount":"21500.00"}`).Status(201)
			},
			refunds: []string{"1 1 -25000.00"}, left: "55000.00", cash: "55000.00", bank: "0.00",
		},
		{
			name: "a refund was taken back", paid: []string{"80000.00 into 1", "21500.00 into 2"},
			before: func(_ *testing.T, api *webtest.API, _ *webtest.Client) {
				api.As(webtest.Manager(1)).Post(refunds, `{"transaction":2,"amount":"21500.00"}`).Status(201)
				api.As(webtest.Manager(1)).Delete(transactions + "3/").Status(204)
			},
			refunds: []string{"2 2 -21500.00", "1 1 -25000.00"}, left: "55000.00", cash: "55000.00", bank: "0.00",
		},
		{
			name: "a deposit that was kept is a payment", paid: []string{"50000.00 into 1"},
			before: func(_ *testing.T, _ *webtest.API, c *webtest.Client) {
				c.Post(requests+"1/deposits/", `{"amount":"20000.00","account":2}`).Status(201)
				c.Post(requests+"1/deposits/1/return/", `{"amount":"8000.00","withhold":"12000.00"}`).Status(200)
			},
			refunds: []string{"5 2 -7000.00"}, left: "55000.00", cash: "50000.00", bank: "5000.00",
		},
		{
			name: "the newest is that which was paid last", paid: []string{"90000.00 into 1"},
			before: func(_ *testing.T, _ *webtest.API, c *webtest.Client) {
				c.Post(requests+"1/pay/", `{"amount":"11500.00","account":2,"date":"2026-03-01T08:00:00Z"}`).Status(200)
			},
			refunds: []string{"1 1 -46500.00"}, left: "55000.00", cash: "43500.00", bank: "11500.00",
		},
		{
			name: "paid before orders kept their payments", paid: []string{"90000.00 into 1", "11500.00 into 2"},
			before:  func(t *testing.T, api *webtest.API, _ *webtest.Client) { forgetPayments(t, api, 0) },
			refunds: []string{"2 2 -11500.00", "1 1 -35000.00"}, left: "55000.00", cash: "55000.00", bank: "0.00",
		},
		{
			name: "the last one since", paid: []string{"90000.00 into 1", "11500.00 into 2"},
			before:  func(t *testing.T, api *webtest.API, _ *webtest.Client) { forgetPayments(t, api, 1) },
			refunds: []string{"2 2 -11500.00", "1 1 -35000.00"}, left: "55000.00", cash: "55000.00", bank: "0.00",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newRefunds(t)
			m := api.As(webtest.Manager(1))
			pays(c, tt.paid...)
			if tt.before != nil {
				tt.before(t, api, c)
			}
			after(api, 3, 2)
			count := m.Get(transactions).Status(200).Int("count")
			asked := ask(m, 1, "action", `{"status":4,"refund":true}`).Status(200).Writes(0).Field("after.paid_amount", `"`+tt.left+`"`).
				Field("after.overpaid", `"0.00"`)
			plain := ask(m, 1, "action", `{"status":4}`).Status(200).Writes(0)
			if asked.Text("refund") != plain.Text("refund") {
				t.Errorf("%s would be given back at once, and %s be overpaid", asked.Text("refund"), plain.Text("refund"))
			}
			a := act(m.With("If-Match", asked.Text("etag")), 1, 4, refunding).Status(200).Field("price", `"55000.00"`).
				Field("paid_amount", `"`+tt.left+`"`).Field("overpaid", `"0.00"`).Field("debt", `"`+asked.Text("debt")+`"`)
			if a.Text("debt") == "0.00" {
				a.Field("status", "4")
			}
			list := m.Get(transactions).Status(200).Field("count", fmt.Sprint(count+int64(len(tt.refunds))))
			for i, want := range tt.refunds {
				at := fmt.Sprintf("results.%d.", len(tt.refunds)-1-i) // the newest first
				got := fmt.Sprintf("%d %d %s", list.Int(at+"refund_of"), list.Int(at+"account"), list.Text(at+"amount"))
				if got != want || list.Text(at+"kind") != "refund" || list.Int(at+"request") != 1 || list.Text(at+"date") != "2026-03-08T12:00:00Z" {
					t.Errorf("refund %d: %s, want %s", i, got, want)
				}
			}
			balances(api, tt.cash, tt.bank)
			c.Get(clientsPath+"1/").Field("orders_paid_amount", `"`+tt.left+`"`)
			sound(t, api)
		})
	}
}

// forgetPayments makes order 1 one from before orders kept their payments, but for the newest.
func forgetPayments(t *testing.T, api *webtest.API, but int) {
	t.Helper()
	store(t, api, func(o *order.Order) { o.Payments = o.Payments[len(o.Payments)-but:] })
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	if o, err := order.Kind().Get(t.Context(), s, 1); err != nil || len(o.Payments) != but {
		t.Fatalf("order 1 keeps %v: %v", o.Payments, err)
	}
}

// store stores another state of order 1.
func store(t *testing.T, api *webtest.API, change func(o *order.Order)) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now, Actor: audit.Actor{User: 1, Request: "before", At: api.Clock.Now()}}
	err := s.Do(t.Context(), nil, func(w *record.Work) error {
		o, err := order.Kind().Edit(t.Context(), w, 1)
		if err == nil {
			change(o)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// As long as a payment is not found, which may be the newest, none is refunded.
func TestReturnRefundsNothingUnlessAllIsFound(t *testing.T) {
	api, c := newRefunds(t)
	m := api.As(webtest.Manager(1))
	pays(c, "90000.00 into 1")
	store(t, api, func(o *order.Order) { o.PaidAmount = o.PaidAmount.Add(money.Whole(1)) }) // by a payment that the search does not know
	after(api, 3, 2)
	ask(m, 1, "action", `{"status":4,"refund":true}`).Writes(0).Status(409).Field("code", `"unrefunded"`)
	act(m, 1, 4, refunding).Writes(0).Status(409).Field("code", `"unrefunded"`)
	m.Get(transactions).Status(200).Field("count", "1")
	c.Get(requests+"1/").Status(200).Field("status", "2").Field("inventories.0.fact_end_at", "null")
	balances(api, "90000.00", "0.00")
	act(m, 1, 4).Status(200).Field("status", "4")
}

// Who may not refund, or sends something else, is refused before anything is written.
func TestReturnRefundsRefused(t *testing.T) {
	api, c := newRefunds(t)
	m := api.As(webtest.Manager(1))
	pays(c, "101500.00 into 1")
	after(api, 3, 2)
	was := state(t, api, 1)
	act(c, 1, 4, refunding).Writes(0).Status(403)
	ask(c, 1, "action", `{"status":4,"refund":true}`).Writes(0).Status(403)
	act(m, 1, 4, `,"refund":"much"`).Writes(0).Status(400).JSON(`{"refund":["Must be a valid boolean."]}`)
	act(m, 1, 4, refunding, `,"order_inventories":[9]`).Writes(0).Status(400)
	if is := state(t, api, 1); is != was {
		t.Errorf("it is:\n%s\nand was:\n%s", is, was)
	}
	c.Post(requests, `{"client":1,"inventories":[`+from(7, 30, 0)+`]}`).Status(201)
	for _, status := range []int{1, 3} {
		act(c, 2, status, refunding).Writes(0).Status(400).JSON(`{"refund":["This step takes nothing back."]}`)
	}
	act(c, 2, 1, `,"refund":false`).Status(200)
	act(m, 2, 2, refunding).Writes(0).Status(400).JSON(`{"refund":["This step takes nothing back."]}`)
	act(c, 1, 4, `,"refund":false`).Status(200).Field("overpaid", `"46500.00"`).Field("paid_amount", `"101500.00"`)
	act(m, 1, 4, refunding).Writes(0).Status(409).Field("code", `"status"`)
	sound(t, api)
}

// Each return refunds what is overpaid after it, and a repeated call nothing more.
func TestTwoReturnsRefund(t *testing.T) {
	api, c := newReturns(t, `{"early":"reprice"}`, from(6, 7, 0)+`,`+from(7, 7, 0))
	m := api.As(webtest.Manager(1))
	m.Post(accounts, `{"name":"Bank"}`).Status(201)
	pays(c, "150000.00 into 1", "42500.00 into 2") // 2 × 91,000 + 10,500
	after(api, 3, 2)
	first := m.With("Idempotency-Key", "5b0e9a4e-7d0a-4d05-8f0c-6d0f6c8b7a11")
	act(first, 1, 4, refunding, `,"order_inventories":[1]`).Status(200).Field("price", `"150500.00"`).Field("paid_amount", `"150500.00"`)
	act(first, 1, 4, refunding, `,"order_inventories":[1]`).Writes(0).Status(200).Field("paid_amount", `"150500.00"`)
	last(api, "amount", `"-42000.00"`, `"42500.00"`)
	balances(api, "150000.00", "500.00")
	after(api, 5, 0)
	act(m, 1, 4, refunding).Status(200).Field("status", "4").Field("price", `"131500.00"`).Field("paid_amount", `"131500.00"`) // 49,000 + 75,000 + 7,500
	last(api, "amount", `"-18500.00"`, `"-500.00"`, `"-42000.00"`)
	balances(api, "131500.00", "0.00")
	c.Get(requests+"1/timeline/").Status(200).Field("results.0.events.3.kind", `"refunded"`).Field("results.0.events.3.amount", `"500.00"`).
		Field("results.0.events.4.kind", `"refunded"`).Field("results.0.events.4.amount", `"18500.00"`)
	sound(t, api)
	api.Clock.Step(time.Hour)
	a := reopen(api, 2).Status(200).Field("status", "2").Field("paid_amount", `"131500.00"`)
	for i, want := range []string{"500.00", "18500.00"} {
		at := fmt.Sprintf("stays.%d.", i)
		a.Field(at+"kind", `"refund"`).Field(at+"amount", `"`+want+`"`)
	}
	if list, _ := a.Value("stays").([]any); len(list) != 2 {
		t.Errorf("%v stays", list)
	}
	sound(t, api)
}

// At most ten payments are refunded by a return, whatever their accounts.
func TestReturnRefundsOfManyPayments(t *testing.T) {
	api, c := newRefunds(t)
	m := api.As(webtest.Manager(1))
	pays(c, "55000.00 into 1")
	for n := range 11 {
		if n > 0 {
			m.Post(accounts, `{"name":"More"}`).Status(201)
		}
		pays(c, fmt.Sprintf("4300.00 into %d", n+2))
	}
	after(api, 3, 2)
	act(m, 1, 4, refunding).Writes(0).Status(409).Field("code", `"unrefunded"`)
	ask(m, 1, "action", `{"status":4,"refund":true}`).Writes(0).Status(409).Field("code", `"unrefunded"`)
	m.Post(refunds, `{"transaction":5,"amount":"4300.00"}`).Status(201)
	act(m, 1, 4, refunding).Status(200).Field("paid_amount", `"55000.00"`).Field("status", "4")
	m.Get(transactions+"?kind=refund").Status(200).Field("count", "11")
	for n := range 11 {
		m.Get(fmt.Sprintf("%s%d/", accounts, n+2)).Field("balance", `"0.00"`)
	}
	sound(t, api)
}

// As many lines as fit into one transaction with their refunds are taken back at once, and no more.
func TestReturnRefundsOfManyLines(t *testing.T) {
	const fit = 21
	api, c := newAPI(t, webtest.Setup{})
	m := api.As(webtest.Manager(1))
	fleet(c, fit+1)
	c.Post(requests, `{"client":1,"status":1,`+many(1, fit+1)+`}`).
		Status(201)
	api.Clock.Step(48 * time.Hour)
	act(c, 1, 2).Status(200)
	debt := c.Get(requests + "1/").Status(200).Text("debt")
	pays(c, debt+" into 1")
	for range 10 {
		pays(c, "10.00 into 1")
	}
	act(m, 1, 4, refunding).Writes(0).Status(409).Field("code", `"too_many_lines"`)
	act(m, 1, 4, refunding, `,"order_inventories":`+ids(1, fit)).Status(200).Field("status", "2").Field("overpaid", `"0.00"`).
		Field("paid_amount", `"`+debt+`"`)
	act(m, 1, 4, refunding).Status(200).Field("status", "4")
	m.Get(accounts+"1/").Field("balance", `"`+debt+`"`)
	sound(t, api)
}

// A refund in finance and one by a return, or two returns, at the same time give back what is overpaid once.
func TestReturnRefundsAtOnce(t *testing.T) {
	for range 4 {
		api, c := newReturns(t, `{"early":"reprice"}`, from(6, 7, 0)+`,`+from(7, 7, 0))
		m := api.As(webtest.Manager(1))
		m.Post(accounts, `{"name":"Bank"}`).Status(201)
		pays(c, "150000.00 into 1", "42500.00 into 2")
		after(api, 3, 2)
		var wait sync.WaitGroup
		for line := range 2 {
			wait.Go(func() { act(m, 1, 4, refunding, fmt.Sprintf(`,"order_inventories":[%d]`, line+1)).Status(200) })
		}
		wait.Go(func() { m.Post(refunds, `{"transaction":1,"amount":"500.00"}`).Status(201) })
		wait.Wait()
		o := c.Get(requests+"1/").Status(200).Field("price", `"104000.00"`).Field("overpaid", `"0.00"`)
		paid := o.Text("paid_amount")
		if debt := o.Text("debt"); paid+" "+debt != "104000.00 0.00" && paid+" "+debt != "103500.00 500.00" { // finance may have been the last
			t.Errorf("%s is paid, %s owed", paid, debt)
		}
		balances(api, paid, "0.00")
		sound(t, api)
	}
}
