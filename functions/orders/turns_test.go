package orders_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// An order takes only the steps that follow from its status, and says which these are.
func TestActionsOutOfTurn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		steps   []int
		allowed string
	}{
		{"request", nil, "[1,3]"},
		{"reserved", []int{1}, "[2,3]"},
		{"in rent", []int{1, 2}, "[4]"},
		{"cancelled", []int{3}, "[]"},
		{"reserved and cancelled", []int{1, 3}, "[]"},
		{"completed", []int{1, 2, 4}, "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newAPI(t, webtest.Setup{})
			c.Post(requests, strings.Replace(rental(1, "02T09:00", "04T09:00"), `"status":1,`, "", 1)).Status(201)
			for _, step := range tt.steps {
				act(c, 1, step).Status(200)
			}
			for step := range 6 {
				if fmt.Sprintf("[%d]", step) == tt.allowed || tt.allowed == "[1,3]" && step%2 == 1 && step < 4 ||
					tt.allowed == "[2,3]" && (step == 2 || step == 3) {
					continue
				}
				act(c, 1, step).Status(409).Field("code", `"status"`).Field("allowed", tt.allowed)
			}
			act(c, 1, 7).Status(400)
			whole(t, api)
		})
	}
}

// Of one step that is taken many times at once one is taken, and the others are out of turn. With one
// key all get the answer of the one.
func TestOneStepManyTimes(t *testing.T) {
	for _, tt := range []struct {
		name string
		key  string
		want map[int]int
	}{
		{"without a key", "", map[int]int{200: 1, 409: 7}},
		{"with one key", "k-1", map[int]int{200: 8}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newAPI(t, webtest.Setup{})
			c.Post(requests, rental(1, "02T09:00", "04T09:00")).Status(201)
			c = c.With("Idempotency-Key", tt.key)
			codes, bodies := map[int]int{}, map[string]int{}
			var mu sync.Mutex
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					a := act(c, 1, 2)
					for a.Code() == 409 && strings.Contains(string(a.Body()), "is in progress") { // the first one is
						time.Sleep(5 * time.Millisecond)
						a = act(c, 1, 2)
					}
					mu.Lock()
					defer mu.Unlock()
					codes[a.Code()]++
					bodies[string(a.Body())]++
				})
			}
			wait.Wait()
			if fmt.Sprint(codes) != fmt.Sprint(tt.want) || tt.key != "" && len(bodies) != 1 {
				t.Errorf("answers: %v, of which %d differ", codes, len(bodies))
			}
			whole(t, api)
		})
	}
}

// Clocks of two processes differ by 2 seconds, and yet an item goes from one client to the next.
func TestClocksApart(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, rental(1, "02T09:00", "04T09:00")).Status(201)
	c.Post(requests, rental(1, "04T09:00", "05T09:00")).Status(201)
	c.Post(requests, rental(1, "06T09:00", "07T09:00")).Status(201)
	act(c, 1, 2).Status(200).Field("inventories.0.fact_start_at", `"2026-03-02T09:30:00Z"`)
	api.Clock.Step(-2 * time.Second)
	act(c, 1, 4).Status(200).Field("inventories.0.fact_end_at", `"2026-03-02T09:30:00Z"`)
	act(c, 2, 2).Status(200).Field("inventories.0.fact_start_at", `"2026-03-02T09:30:00Z"`)
	api.Clock.Step(4 * time.Second)
	act(c, 2, 4).Status(200).Field("inventories.0.fact_end_at", `"2026-03-02T09:30:02Z"`)
	api.Clock.Step(-2 * time.Second)
	c.Post(inventories+"1/blocks/", `{"start_at":"2026-03-02T09:30:02Z","end_at":"2026-03-02T09:40:00Z"}`).Status(201)
	c.Delete(inventories + "1/blocks/1/").Status(204)
	act(c, 3, 2).Status(200).Field("inventories.0.fact_start_at", `"2026-03-02T09:30:02Z"`)
	whole(t, api)
}

// A sale has its item for ever. Once it is handed out, the item is nobody's business any more.
func TestSale(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1,"status":1,"inventories":[{"inventory":1,"type":1,"start_at":"2026-03-10T10:00:00Z",`+
		`"end_at":"2026-03-11T10:00:00Z"}]}`).Status(201).Field("price", `"9000000.00"`).Field("inventories.0.end_at", "null")
	for _, year := range []string{"2026", "2032"} {
		a := c.Post(requests, `{"inventories":[{"inventory":1,"start_at":"`+year+`-03-09T10:00:00Z","end_at":"`+year+`-03-12T10:00:00Z"}]}`)
		inWay(t, a, 1)
		a.Field("conflicts.0.end_at", "null").Field("conflicts.0.overdue", "false")
	}
	inWay(t, c.Post(requests, `{"inventories":[{"inventory":1,"type":1}]}`), 1)
	c.Post(requests, rental(1, "03T10:00", "10T10:00")).Status(201)
	for _, disabled := range []string{"0", "1", "2"} {
		c.Patch(inventories+"1/", `{"disabled":`+disabled+`}`).Status(409).Field("code", `"in_use"`)
	}
	act(c, 2, 3).Status(200)
	act(c, 1, 2).Status(200).Field("status", "5").Field("inventories.0.fact_start_at", `"2026-03-02T09:30:00Z"`)
	act(c, 1, 4).Status(409).Field("code", `"status"`)
	inWay(t, c.Post(requests, rental(1, "03T10:00", "10T10:00")), 1)
	c.Patch(inventories+"1/", `{"disabled":1}`).Status(200)
	c.Get(lines+"1/").Status(200).Field("inventory.id", "1").Field("fact_start_at", `"2026-03-02T09:30:00Z"`)
	c.Delete(inventories + "1/").Status(204)
	c.Get(lines+"1/").Status(200).Field("inventory.id", "1").Field("inventory.name", `"Camry 1"`) // as it was
	c.Post(requests+"1/pay/", `{"amount":9000000}`).Status(200).Field("status", "4")
	whole(t, api)
}

// An item that a line needs stays in use, until the line is gone, cancelled or back.
func TestItemsInUse(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(c *webtest.Client)
	}{
		{"deleted", func(c *webtest.Client) { c.Delete(lines + "1/").Status(204) }},
		{"cancelled", func(c *webtest.Client) { act(c, 1, 3).Status(200) }},
		{"moved", func(c *webtest.Client) { c.Patch(lines+"1/", `{"inventory":2}`).Status(200) }},
		{"returned", func(c *webtest.Client) {
			act(c, 1, 2).Status(200)
			c.Patch(inventories+"1/", `{"disabled":2}`).Status(409).Field("conflicts.0.line", "1")
			c.Delete(inventories + "1/").Status(409)
			act(c, 1, 4).Status(200)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newAPI(t, webtest.Setup{})
			c.Post(requests, rental(1, "02T09:00", "04T09:00")).Status(201)
			for _, disabled := range []string{"0", "1", "2"} {
				a := c.Patch(inventories+"1/", `{"disabled":`+disabled+`}`).Status(409)
				a.Field("code", `"in_use"`).Field("conflicts.0.line", "1").Field("conflicts.0.request", "1")
			}
			c.Delete(inventories+"1/").Status(409).Field("code", `"in_use"`)
			tt.end(c)
			c.Patch(inventories+"1/", `{"disabled":1}`).Status(200)
			c.Post(requests, rental(1, "20T09:00", "21T09:00")).Status(409).Field("code", `"closed"`)
			c.Patch(inventories+"1/", `{"disabled":null}`).Status(200)
			c.Delete(inventories + "1/").Status(204)
			c.Post(requests, rental(1, "20T09:00", "21T09:00")).Status(400).
				JSON(`{"inventories":[{"inventory":["Invalid pk \"1\" - object does not exist."]}]}`)
			whole(t, api)
		})
	}
}

// What an order refers to may go; the order keeps what it shows.
func TestWhatGoes(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"Airport"}`).Status(201)
	c.Post(requests, `{"client":1,"rental_point":1,"rental_point_return":1,"status":1,"inventories":[{"inventory":1,"tarif":1,`+
		`"start_at":"2026-03-02T09:00:00Z","end_at":"2026-03-04T09:00:00Z"}]}`).Status(201)
	before := string(c.Get(lines + "1/").Status(200).Body())
	c.Delete(groupsPath + "1/tarifs/1/").Status(204)
	c.Delete("/v1/crm/rental_points/1/").Status(204)
	if after := string(c.Get(lines + "1/").Status(200).Body()); after != before {
		t.Errorf("the line was %s and is %s", before, after)
	}
	for n := range 5 {
		c.Patch(fmt.Sprintf("%s%d/", inventories, n+1), `{"group":null}`).Status(200)
	}
	c.Delete(groupsPath + "1/").Status(204)
	c.Get(requests+"1/").Status(200).Field("rental_point", "1").Field("inventories.0.tarif", "1").
		Field("inventories.0.tarif_name", `"Day"`).Field("inventories.0.tarif_price", `"3000.00"`).
		Field("inventories.0.inventory_group", "1").Field("price", `"6000.00"`)
	// What is gone keeps the order from nothing that comes after it.
	c.Patch(requests+"1/", `{"additional_discount":10}`).Status(200).Field("price", `"5990.00"`)
	c.Patch(lines+"1/", `{"end_at":"2026-03-05T09:00:00Z"}`).Status(200).Field("price", `"9000.00"`)
	act(c, 1, 2).Status(200)
	c.Delete(clientsPath + "1/").Status(409)
	api.Clock.Step(5 * 24 * time.Hour)
	act(c, 1, 4).Status(200).Field("status", fmt.Sprint(order.Debtor))
	c.Post(requests+"1/pay/", `{"amount":100000}`).Status(200).Field("status", fmt.Sprint(order.Completed))
	c.Delete(clientsPath + "1/").Status(204)
	c.Get(requests+"1/").Status(200).Field("client", "1").Field("inventories.0.client.name", `"Assel"`)
	whole(t, api)
}

// An order gets another client whatever its status is, and whether the one that it had is there or not.
func TestAnotherClient(t *testing.T) {
	for _, tt := range []struct {
		name string
		gone bool
	}{{"the first one is there", false}, {"the first one is gone", true}} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newAPI(t, webtest.Setup{})
			c.Post(clientsPath, `{"name":"Timur"}`).Status(201)
			c.Post(requests, strings.Replace(rental(1, "02T09:00", "04T09:00"), `{`, `{"client":1,`, 1)).Status(201)
			act(c, 1, 2).Status(200)
			act(c, 1, 4).Status(200)
			c.Post(requests+"1/pay/", `{"amount":6000}`).Status(200).Field("status", "4")
			if tt.gone {
				c.Delete(clientsPath + "1/").Status(204)
			}
			c.Patch(requests+"1/", `{"client":2}`).Status(200).Field("client", "2").Field("inventories.0.client.id", "2")
			c.Patch(requests+"1/", `{"client":null}`).Status(200).Field("client", "null")
			c.Patch(requests+"1/", `{"client":2}`).Status(200)
			if tt.gone {
				c.Delete(clientsPath + "2/").Status(204)
				c.Patch(requests+"1/", `{"additional_discount":10}`).Status(200).Field("client", "2").Field("inventories.0.client.name", `"Timur"`)
				c.Patch(requests+"1/", `{"client":null}`).Status(200)
			}
			whole(t, api)
		})
	}
}
