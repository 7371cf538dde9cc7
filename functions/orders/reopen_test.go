package orders_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// reopen undoes a hand-out or a return of a line, as a manager of company 1.
func reopen(api *webtest.API, line int64) *webtest.Answer {
	return api.As(webtest.Manager(1)).Post(fmt.Sprintf("%s%d/reopen/", lines, line), `{}`)
}

// state is all that is stored of an order, its lines, the calendars of their items and its client, but for stamps, and for what lines
// remember of before.
func state(t *testing.T, api *webtest.API, id int64) string {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	w := s.Reading()
	o, err := order.Kind().Read(t.Context(), w, id)
	if err != nil {
		t.Fatal(err)
	}
	held, services, err := order.LoadLines(t.Context(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Meta = record.Meta{}
	all := []any{o}
	for _, l := range held {
		l.Meta, l.HandOut, l.Return = record.Meta{}, nil, nil
		c, err := calendar.Read(t.Context(), w, l.Item)
		if err != nil {
			t.Fatal(err)
		}
		c.Entries = slices.DeleteFunc(slices.Clone(c.Entries), func(e calendar.Entry) bool { return e.Order != l.Order })
		all = append(all, l, c.Entries)
	}
	for _, l := range services {
		l.Meta = record.Meta{}
		all = append(all, l)
	}
	c := api.As(webtest.Employee(1)).Get(clientsPath + "1/").Status(200)
	for _, sum := range []string{"orders_count", "orders_amount", "orders_paid_amount", "orders_debt_amount"} {
		all = append(all, c.Value(sum))
	}
	var text strings.Builder
	for _, one := range all {
		line, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	return text.String()
}

// A return, or a hand-out, that is undone leaves no trace but in the history.
func TestReopen(t *testing.T) {
	for _, tt := range []struct {
		name, settings, line string
		days, hours          int // of the return
		price, fee           string
	}{
		{"in time", `{}`, from(6, 7, 0), 7, 0, "91000.00", "0.00"},
		{"early, kept", `{"early":"keep"}`, from(6, 7, 0), 3, 2, "91000.00", "0.00"},
		{"early, repriced", `{"early":"reprice"}`, from(6, 7, 0), 3, 2, "49000.00", "0.00"},
		{"early, repriced, with discounts", `{"early":"reprice"}`, from(6, 7, 0, `,"discount":1,"additional_discount":"100.00"`), 3, 2, "49000.00", "0.00"},
		{"late", `{"late":"tariffs"}`, from(6, 7, 0), 7, 3, "91000.00", "6000.00"},
		{"an agreed price", `{"early":"reprice"}`, from(6, 7, 0, `,"tarif":4,"tarif_price":"10000.00"`), 3, 2, "70000.00", "0.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newInsurer(t)
			m := api.As(webtest.Manager(1))
			m.Put(rentalSettings, tt.settings).Status(200)
			m.Post("/v1/crm/discounts/", `{"name":"Friends","percent":10}`).Status(201)
			c.Post(requests, `{"client":1,"status":1,"inventories":[`+tt.line+`],"services":[{"service":2}]}`).Status(201)
			reopen(api, 1).Writes(0).Status(409).Field("code", `"status"`)
			after(api, 0, 0)
			act(c, 1, 2).Status(200)
			out := state(t, api, 1)
			after(api, tt.days, tt.hours)
			act(c, 1, 4).Status(200).Field("status", "5").Field("inventories.0.price", `"`+tt.price+`"`).
				Field("inventories.0.penalty_amount", `"`+tt.fee+`"`)
			api.Clock.Step(24 * time.Hour)
			reopen(api, 1).Status(200).Field("status", "2").Field("rent_fact_end", "null").Field("penalty_amount", `"0.00"`).
				Field("inventories.0.fact_end_at", "null").Field("inventories.0.fact_start_at", `"2026-03-05T10:00:00Z"`).Field("stays", `[]`)
			if got := state(t, api, 1); got != out {
				t.Errorf("after the return was undone:\n%s\nwant:\n%s", got, out)
			}
			whole(t, api)
			reopen(api, 1).Writes(0).Status(409).Field("code", `"too_late"`) // its hand-out is longer ago
			c.Get(requests+"1/timeline/").Field("results.0.events.0.kind", `"reopened"`).
				Field("results.0.events.0.text", `"The return was undone"`).Field("results.0.events.0.inventory", "6")
		})
	}
}

// A hand-out that is undone leaves the line planned, with the start that it had.
func TestReopenHandOuts(t *testing.T) {
	for _, tt := range []struct{ name, settings, line, after, price, end string }{
		{"in time", `{}`, from(6, 7, 0), "", "91000.00", ""},
		{"early, charged", `{"early_start":"charged"}`, from(6, 7, 0), "", "91000.00", ""},
		{"early, charged, an agreed price", `{"early_start":"charged"}`, from(6, 7, 0, `,"tarif":4,"tarif_price":"10000.00"`), "", "70000.00", ""},
		{"early, charged, extended since", `{"early_start":"charged"}`, from(6, 7, 0), `{` + until(8, 0) + `}`, "106000.00", "2026-03-13T10:00:00Z"},
		{"shortened since, which kept the price", `{"early":"keep"}`, from(6, 7, 0), `{` + until(3, 0) + `}`, "45000.00", "2026-03-08T10:00:00Z"},
		{"an agreed price since", `{"early_start":"charged"}`, from(6, 7, 0), `{"tarif_price":"12000.00","tarif_duration":"1 00:00:00"}`, "84000.00", "2026-03-12T10:00:00Z"},
		{"a sale", `{}`, `{"inventory":6,"type":1,"start_at":"2026-03-05T10:00:00Z"}`, "", "9000000.00", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newInsurer(t)
			api.As(webtest.Manager(1)).Put(rentalSettings, tt.settings).Status(200)
			c.Post(requests, `{"client":1,"status":1,"inventories":[`+tt.line+`,`+from(7, 7, 0)+`],"services":[{"service":2}]}`).Status(201)
			reserved := state(t, api, 1)
			after(api, -1, 0)
			act(c, 1, 2, `,"order_inventories":[1]`).Status(200)
			if tt.after != "" {
				c.Patch(lines+"1/", tt.after).Status(200)
			}
			got := reopen(api, 1).Status(200).Field("status", "1").Field("inventories.0.price", `"`+tt.price+`"`).
				Field("inventories.0.start_at", `"2026-03-05T10:00:00Z"`).Field("inventories.0.fact_start_at", "null").
				Field("rent_fact_start", "null")
			if tt.after == "" {
				if is := state(t, api, 1); is != reserved {
					t.Errorf("after the hand-out was undone:\n%s\nwant:\n%s", is, reserved)
				}
			} else {
				got.Field("inventories.0.end_at", `"`+tt.end+`"`)
			}
			whole(t, api)
			reopen(api, 1).Writes(0).Status(409).Field("code", `"status"`)
			act(c, 1, 2).Status(200).Field("status", "2")
			whole(t, api)
		})
	}
}

// An end before the planned start made the hand-out the start, which stays.
func TestReopenAfterAnEndBeforeTheStart(t *testing.T) {
	api, c := newInsurer(t)
	c.Post(requests, `{"client":1,"status":1,"inventories":[`+from(6, 7, 0)+`],"services":[{"service":2}]}`).Status(201)
	after(api, -2, 0)
	act(c, 1, 2).Status(200)
	c.Patch(lines+"1/", `{`+until(-1, 0)+`}`).Status(200)
	reopen(api, 1).Status(200).Field("inventories.0.start_at", `"2026-03-03T10:00:00Z"`).Field("inventories.0.end_at", `"2026-03-04T10:00:00Z"`).
		Field("price_inventory", `"15000.00"`).Field("price_service", `"1500.00"`)
	whole(t, api)
}

// What stands in the way is told, and then nothing is undone.
func TestReopenRefused(t *testing.T) {
	api, c := newReturns(t, `{"early":"reprice"}`, from(6, 7, 0))
	m := api.As(webtest.Manager(1))
	after(api, 3, 0)
	act(c, 1, 4).Status(200).Field("status", "5")
	done := state(t, api, 1)
	path := lines + "1/reopen/"
	c.Post(path, `{}`).Writes(0).Status(403)
	api.As(webtest.ReadOnly(1)).Post(path, `{}`).Writes(0).Status(403)
	api.Join(webtest.Manager(2)).As(webtest.Manager(2)).Post(path, `{}`).Writes(0).Status(404)
	m.Post(lines+"9/reopen/", `{}`).Writes(0).Status(404)
	m.With("If-Match", `"1"`).Post(path, `{}`).Writes(0).Status(412)
	// Another order has the item.
	c.Post(requests, `{"inventories":[{"inventory":6,"start_at":"2026-03-09T10:00:00Z","end_at":"2026-03-10T10:00:00Z"}]}`).Status(201)
	reopen(api, 1).Writes(0).Status(409).Field("code", `"item_booked"`).Field("conflicts.0.request", "2").Field("conflicts.0.inventory", "6")
	c.Delete(requests + "2/").Status(204)
	// An agent was paid.
	c.Post("/v1/crm/agents/", `{"name":"Serik"}`).Status(201)
	c.Post(referrals, `{"request":1,"agent":1,"amount":9}`).Status(201)
	m.Post(referrals+"1/pay/", `{}`).Status(200)
	reopen(api, 1).Writes(0).Status(409).Field("code", `"referral"`)
	m.Post(referrals+"1/take_back/", `{}`).Status(200)
	// The item is out of use.
	c.Patch(inventories+"6/", `{"disabled":1}`).Status(200)
	reopen(api, 1).Writes(0).Status(409).Field("code", `"closed"`)
	c.Patch(inventories+"6/", `{"disabled":null}`).Status(200)
	api.Clock.Step(24*time.Hour + time.Second)
	reopen(api, 1).Writes(0).Status(409).Field("code", `"too_late"`)
	after(api, 3, 0)
	api.Clock.Step(24 * time.Hour)
	if got := state(t, api, 1); stripped(got) != stripped(done) {
		t.Errorf("something was undone:\n%s\nwant:\n%s", got, done)
	}
	once := m.With("Idempotency-Key", "7c1f6b1e-2b7c-4b55-9a39-90ad3b7c0d61")
	first := once.Post(path, `{}`).Status(200).Field("status", "2").Header("ETag", c.Get(requests+"1/").Get("ETag"))
	once.Post(path, `{}`).Writes(0).Status(200).JSON(string(first.Body()))
	whole(t, api)
}

// stripped is a state without the ids of referrals, which the order holds.
func stripped(state string) string {
	return strings.NewReplacer(`"Referrals":[1]`, `"Referrals":null`).Replace(state)
}

// Documents, refunds and returned deposits stay, and are named.
func TestReopenStays(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	m := api.As(webtest.Manager(1))
	paidFor(c)
	c.Post(requests+"1/pay/", `{"amount":7000}`).Status(200)
	c.Post(requests+"1/deposits/", `{"amount":100}`).Status(201)
	c.Post(document, `{"name":"Before","content_type":"OrderRequest","object_id":1}`).Status(201)
	m.Post(refunds, `{"transaction":1,"amount":10}`).Status(201)
	completed(api, c)
	api.Clock.Step(time.Minute)
	c.Post(document, `{"name":"Act","content_type":"OrderRequest","object_id":1}`).Status(201)
	api.Clock.Step(time.Minute)
	m.Post(refunds, `{"transaction":1,"amount":900}`).Status(201).Field("id", "4")
	gone := m.Post(refunds, `{"transaction":1,"amount":50}`).Status(201)
	m.Delete(fmt.Sprintf("%s%d/", transactions, gone.Int("id"))).Status(204)
	api.Clock.Step(time.Minute)
	c.Post(requests+"1/deposits/1/return/", `{"amount":60,"withhold":40}`).Status(200)
	a := reopen(api, 1).Status(200).Field("status", "2").Field("deposits.0.returned", `"60.00"`).Field("paid_amount", `"6130.00"`)
	a.Field("stays.0.kind", `"deposit_returned"`).Field("stays.0.id", "1").Field("stays.0.amount", `"60.00"`).
		Field("stays.1.kind", `"deposit_withheld"`).Field("stays.1.amount", `"40.00"`).
		Field("stays.2.kind", `"refund"`).Field("stays.2.id", "4").Field("stays.2.amount", `"900.00"`).
		Field("stays.3.kind", `"document"`).Field("stays.3.id", "2").Field("stays.3.amount", "null")
	if list, _ := a.Value("stays").([]any); len(list) != 4 {
		t.Errorf("%d stay", len(list))
	}
	t.Logf("a return is undone: %+v", a.Cost())
	a.Calls(8)
	sound(t, api)
}

// Who waits for an item that is late waits again once its return is undone.
func TestReopenLate(t *testing.T) {
	api, c := newInsurer(t)
	c.Post(requests, `{"client":1,"status":1,"inventories":[`+from(6, 2, 0)+`]}`).Status(201)
	c.Post(requests, `{"status":1,"inventories":[{"inventory":6,"start_at":"2026-03-07T12:00:00Z","end_at":"2026-03-09T10:00:00Z"}]}`).Status(201)
	after(api, 0, 0)
	act(c, 1, 2).Status(200)
	after(api, 2, 5)
	waits := state(t, api, 2)
	act(c, 1, 4).Status(200)
	if state(t, api, 2) == waits {
		t.Error("nobody waits")
	}
	reopen(api, 1).Status(200)
	if got := state(t, api, 2); got != waits {
		t.Errorf("%s\nwant %s", got, waits)
	}
	act(c, 1, 4).Status(200)
	act(c, 2, 2).Status(200)
	reopen(api, 1).Writes(0).Status(409).Field("code", `"item_booked"`).Field("conflicts.0.request", "2")
	whole(t, api)
}

// Whatever an order is, and however its items went or came back: what is undone at once leaves all as it was before, to the cent.
func TestReopenIsAsBefore(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Post("/v1/crm/discounts/", `{"name":"Friends","percent":10}`).Status(201)
	r := rand.New(rand.NewPCG(7, 41))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	counts := map[string]int{}
	for id := range int64(40) {
		m.Put(rentalSettings, fmt.Sprintf(`{"early":"%s","early_start":"%s","late":"%s","buffer":%s}`, one("keep", "reprice"),
			one("free", "charged"), one("pro_rata", "tariffs"), one("0", "3600"))).Status(200)
		now := api.Clock.Now()
		var list []string
		for _, item := range r.Perm(7)[:1+r.IntN(3)] {
			start := now.Add(time.Duration(r.IntN(60)-12) * time.Hour)
			end := start.Add(time.Duration(48+r.IntN(200)) * time.Hour)
			list = append(list, fmt.Sprintf(`{"inventory":%d,"start_at":"%s","end_at":"%s"%s}`, item+1, start.Format(time.RFC3339),
				end.Format(time.RFC3339), one("", "", `,"discount":1`, `,"additional_discount":"777.77"`, `,"tarif_price":"5000.00"`)))
		}
		o := c.Post(requests, `{"client":1,"status":1,"inventories":[`+strings.Join(list, ",")+`],"services":[{"service":2},{"service":1}]`+
			one("", `,"discount":1`, `,"additional_discount":"100.00"`)+`}`).Status(201)
		if r.IntN(2) == 0 {
			c.Post(fmt.Sprintf("%s%d/pay/", requests, id+1), `{"amount":50000}`).Status(200)
		}
		var named []string
		for i := range list {
			named = append(named, fmt.Sprint(o.Int(fmt.Sprintf("inventories.%d.id", i))))
		}
		for _, step := range []int{2, 4} {
			api.Clock.Step(time.Duration(r.IntN(40*step)) * time.Hour)
			some := append([]string{}, named[:1+r.IntN(len(named))]...)
			before := state(t, api, id+1)
			took := act(c, id+1, step, `,"order_inventories":[`+strings.Join(some, ",")+`]`)
			if took.Code() != 200 { // its end has passed
				counts["refused"]++
				continue
			}
			if !strings.Contains(before, `"LateFees":"`+took.Text("penalty_amount")) {
				counts["late"]++
			}
			if !strings.Contains(before, `"Price":"`+took.Text("price")) {
				counts["repriced"]++
			}
			counts[fmt.Sprint("step ", step)]++
			for _, line := range some {
				m.Post(lines+line+"/reopen/", `{}`).Status(200)
			}
			if got := state(t, api, id+1); got != before {
				t.Fatalf("order %d, step %d of %v:\n%s\nwant:\n%s", id+1, step, some, got, before)
			}
			act(c, id+1, step).Status(200)
		}
		api.Clock.Step(400 * time.Hour)
		act(c, id+1, 4) // so that its items are free for the next one
	}
	t.Log(counts)
	for what, least := range map[string]int{"step 2": 20, "step 4": 20, "late": 5, "repriced": 10} {
		if counts[what] < least {
			t.Errorf("%s: %d times", what, counts[what])
		}
	}
	recounted(t, api, 1, 40)
	whole(t, api)
}
