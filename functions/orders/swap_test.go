package orders_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// swap is a call that gives the line an item instead of the one that it has.
func swap(c *webtest.Client, line, item int, price string, more ...string) *webtest.Answer {
	return c.Post(fmt.Sprintf("%s%d/swap/", lines, line),
		fmt.Sprintf(`{"inventory":%d,"price":"%s","reason":"The gearbox broke"%s}`, item, price, strings.Join(more, "")))
}

const exchanges = "/v1/crm/requests/exchanges/"

// A rental goes on with another item from a moment on, costs what it did, and can end late, later, or early as one.
func TestSwap(t *testing.T) {
	api, c := newReturns(t, `{"early":"reprice"}`, from(6, 31, 0))
	after(api, 10, 0)
	// Golden row 23: 345,000 for 31 days, 10 of them with the first item.
	a := swap(c, 1, 7, "keep").Status(200)
	a.Field("inventories.0.price", `"111290.32"`).Field("inventories.1.price", `"233709.68"`).Field("price_inventory", `"345000.00"`).
		Field("inventories.0.fact_end_at", `"2026-03-15T10:00:00Z"`).Field("inventories.0.end_at", `"2026-03-15T10:00:00Z"`).
		Field("inventories.1.start_at", `"2026-03-15T10:00:00Z"`).Field("inventories.1.fact_start_at", `"2026-03-15T10:00:00Z"`).
		Field("inventories.1.end_at", `"2026-04-05T10:00:00Z"`).Field("inventories.1.inventory.id", "7").
		Field("inventories.0.exchange", "1").Field("inventories.1.exchange", "1").Field("status", "2").
		Field("rent_start", `"2026-03-05T10:00:00Z"`).Field("rent_end", `"2026-04-05T10:00:00Z"`).Field("price", `"391500.00"`).
		Field("penalty_amount", `"0.00"`)
	whole(t, api)
	c.Get(exchanges).Status(200).Field("count", "1")
	c.Get(exchanges+"1/").Status(200).Field("request", "1").Field("order_inventory_from", "1").Field("order_inventory_to", "2").
		Field("inventory_from", "6").Field("inventory_to", "7").Field("datetime", `"2026-03-15T10:00:00Z"`).Field("price", `"keep"`).
		Field("reason", `"The gearbox broke"`).Field("client", "1")
	c.Get(lines+"2/price/").Status(200).Field("net", `"233709.68"`).Field("steps.2.kind", `"share"`).Field("steps.2.amount", `"-111290.32"`).
		Field("steps.2.text", `"21 of 31 days with this item"`)
	c.Get(requests+"1/timeline/").Status(200).Field("results.0.events.3.kind", `"swapped"`).
		Field("results.0.events.3.text", `"The item was swapped for another one: The gearbox broke"`).Field("results.0.events.3.object", `"order_inventory:1"`)
	// The first item is free at once, and the other one is not.
	c.Post(requests, `{"inventories":[{"inventory":6,"start_at":"2026-03-15T11:00:00Z","end_at":"2026-03-16T10:00:00Z"}]}`).Status(201)
	inWay(t, c.Post(requests, `{"inventories":[{"inventory":7,"start_at":"2026-03-15T11:00:00Z","end_at":"2026-03-16T10:00:00Z"}]}`), 2)

	// Two days more: both parts cost their share of 375,000.
	c.Patch(lines+"2/", `{`+until(33, 0)+`}`).Status(200).Field("price", `"261363.64"`)
	c.Get(requests+"1/").Status(200).Field("inventories.0.price", `"113636.36"`).Field("price_inventory", `"375000.00"`).
		Field("services.0.price", `"49500.00"`)
	whole(t, api)

	// A discount of one part is one of all.
	c.Patch(lines+"1/", `{"additional_discount":"1000.00"}`).Status(200).Field("price_discount", `"303.03"`)
	c.Get(requests+"1/").Status(200).Field("inventories.1.additional_discount", `"1000.00"`).Field("inventories.1.price_discount", `"696.97"`).
		Field("price_discount", `"1000.00"`)
	whole(t, api)
	c.Post(requests+"1/inventories/bulk_update/", `{"inventories":[{"id":1,"additional_discount":"1.00"},{"id":2,"additional_discount":"2.00"}]}`).
		Status(400).Writes(0).Field("inventories.0.discount.0", `"Ensure that all lines of a rental whose item was swapped have the same discounts."`)
	c.Patch(lines+"1/", `{`+until(12, 0)+`}`).Status(409).Field("code", `"returned"`).Writes(0)
	c.Patch(lines+"1/", `{"reprice":true}`).Status(409).Field("code", `"swapped"`).Writes(0)
	swap(c, 1, 5, "keep").Status(409).Field("code", `"swapped"`).Writes(0)

	// Back after 12 days: 91,000 + 75,000 by all parts, and nothing of it is late.
	after(api, 12, 0)
	act(c, 1, 4).Status(200).Field("price_inventory", `"166000.00"`).Field("inventories.0.price", `"138333.33"`).
		Field("inventories.1.price", `"27666.67"`).Field("inventories.0.price_discount", `"833.33"`).Field("inventories.1.price_discount", `"166.67"`).
		Field("services.0.price", `"18000.00"`).Field("status", "5").Field("penalty_amount", `"0.00"`)
	whole(t, api)
	swap(c, 2, 5, "keep").Status(409).Field("code", `"status"`).Writes(0)
}

// A return of the last part is undone for all parts; what a swap did is not.
func TestReopenAfterASwap(t *testing.T) {
	api, c := newReturns(t, `{"early":"reprice"}`, from(6, 31, 0))
	m := api.As(webtest.Manager(1))
	after(api, 10, 0)
	was := swap(c, 1, 7, "keep").Status(200)
	m.Post(lines+"1/reopen/", `{}`).Status(409).Field("code", `"swapped"`).Writes(0)
	m.Post(lines+"2/reopen/", `{}`).Status(409).Field("code", `"swapped"`).Writes(0)
	after(api, 12, 0)
	act(c, 1, 4).Status(200).Field("price_inventory", `"166000.00"`).Field("inventories.0.price", `"138333.33"`)
	a := m.Post(lines+"2/reopen/", `{}`).Status(200)
	for _, field := range []string{"status", "price", "inventories.0.price", "inventories.1.price", "services.0.price", "debt", "rent_fact_end"} {
		if got, want := fmt.Sprint(a.Value(field)), fmt.Sprint(was.Value(field)); got != want {
			t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
	whole(t, api)
	after(api, 32, 0) // late, undone, and late again
	late := act(c, 1, 4).Status(200)
	m.Post(lines+"2/reopen/", `{}`).Status(200).Field("penalty_amount", `"0.00"`).Field("inventories.0.price", `"111290.32"`)
	again := act(c, 1, 4).Status(200)
	if late.Text("debt") != again.Text("debt") || late.Text("penalty_amount") == "0.00" {
		t.Errorf("late: %s and %s of %s", late.Text("debt"), again.Text("debt"), late.Text("penalty_amount"))
	}
	whole(t, api)
}

// So it is where the first part cost the same for the shorter time, and only its discount was another one.
func TestReopenSharesDiscounts(t *testing.T) {
	api, c := newReturns(t, `{"early":"reprice"}`, from(6, 4, 0, `,"tarif":4,"additional_discount":"900.00"`))
	after(api, 1, 0)
	swap(c, 1, 7, "keep").Status(200).Field("inventories.0.price", `"15000.00"`).Field("inventories.0.price_discount", `"225.00"`).
		Field("inventories.1.price_discount", `"675.00"`)
	after(api, 3, 0)
	act(c, 1, 4).Status(200).Field("inventories.0.price", `"15000.00"`).Field("inventories.0.price_discount", `"300.00"`).
		Field("inventories.1.price_discount", `"600.00"`)
	c.Get(requests+"1/timeline/").Status(200).Field("results.0.events.1.object", `"order_inventory:2"`).
		Field("results.0.events.2.object", `"order_inventory:1"`)
	api.As(webtest.Manager(1)).Post(lines+"2/reopen/", `{}`).Status(200).Field("inventories.0.price_discount", `"225.00"`).
		Field("inventories.1.price_discount", `"675.00"`).Field("rent_fact_end", "null").Field("price_inventory", `"60000.00"`)
	c.Get(lines+"1/price/").Status(200).Field("priced_until", `"2026-03-09T10:00:00Z"`)
	whole(t, api)
}

// An item at its own price is not given away by discounts that an employee may not give on it.
func TestSwapBoundsDiscounts(t *testing.T) {
	api, c := newReturns(t, `{"max_discount_percent":{"employee":20,"manager":100}}`, from(6, 31, 0, `,"additional_discount":"69000.00"`))
	after(api, 1, 0)
	swap(c, 1, 1, "new").Status(400).Writes(0).JSON(`{"price":["Ensure that all discounts take at most 20% off the price by tariffs: ` +
		`more needs a member with a higher role."]}`)
	swap(api.As(webtest.Manager(1)), 1, 1, "new").Status(200).Field("inventories.1.price_discount", `"66774.19"`)
	whole(t, api)
}

// From a swap on, a rental may cost its share of what the other item's tariffs say for all of its time.
func TestSwapAtItsOwnPrice(t *testing.T) {
	api, c := newReturns(t, `{}`, from(6, 30, 0))
	m := api.As(webtest.Manager(1))
	c.Post(groupsPath, `{"name":"Jeeps"}`).Status(201)
	for _, tariff := range []string{`"name":"Day","price":20000,"duriation":86400`, `"name":"Month","price":450000,"duriation":2592000`} {
		c.Post(groupsPath+"3/tarifs/", `{"inventory_group":3,`+tariff+`}`).Status(201)
	}
	c.Post(inventories, `{"name":"Prado","group":3}`).Status(201)
	after(api, 10, 0)
	// Golden row 24: a third of 330,000, and two thirds of 450,000.
	a := swap(c, 1, 8, "new").Status(200)
	a.Field("inventories.0.price", `"110000.00"`).Field("inventories.1.price", `"300000.00"`).Field("inventories.1.inventory_group", "3").
		Field("price_inventory", `"410000.00"`)
	whole(t, api)
	// It may be swapped again, and the item that broke may come back.
	after(api, 20, 0)
	swap(c, 2, 6, "keep").Status(200).Field("inventories.0.price", `"110000.00"`).Field("inventories.1.price", `"150000.00"`).
		Field("inventories.2.price", `"150000.00"`).Field("inventories.1.exchange", "2").Field("inventories.0.exchange", "1")
	whole(t, api)
	// A day late: lateness is the last part's.
	after(api, 31, 0)
	act(c, 1, 4).Status(200).Field("inventories.0.penalty_amount", `"0.00"`).Field("inventories.1.penalty_amount", `"0.00"`).
		Field("inventories.2.penalty_amount", `"14375.00"`).Field("price_inventory", `"410000.00"`)
	whole(t, api)
	m.Get(exchanges+"?inventory_from=8").Status(200).Field("count", "1").Field("results.0.inventory_to", "6")
}

// What a swap refuses writes nothing.
func TestSwapRefuses(t *testing.T) {
	api, c := newReturns(t, `{}`, from(6, 3, 0))
	after(api, 1, 0)
	c.Post(requests, `{"client":1,"status":1,"inventories":[{"inventory":1,"start_at":"2026-03-07T10:00:00Z","end_at":"2026-03-08T10:00:00Z"},`+
		`{"inventory":2,"type":1}]}`).Status(201)
	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"nothing", `{}`, 400, `{"inventory":["This field is required."],"price":["This field is required."],"reason":["This field is required."]}`},
		{"no item", `{"inventory":99,"price":"keep","reason":"a"}`, 400, `{"inventory":["Invalid pk \"99\" - object does not exist."]}`},
		{"its own item", `{"inventory":6,"price":"keep","reason":"a"}`, 400, `{"inventory":["The line has this item."]}`},
		{"an empty reason", `{"inventory":7,"price":"keep","reason":""}`, 400, `{"reason":["This field may not be blank."]}`},
		{"another price", `{"inventory":7,"price":"half","reason":"a"}`, 400, `{"price":["\"half\" is not a valid choice."]}`},
		{"before the hand-out", `{"inventory":7,"price":"keep","reason":"a","datetime":"2026-03-05T10:00:00Z"}`, 400, `{"datetime":["The item was handed out after this, or just then."]}`},
		{"a price of a group without tariffs", `{"inventory":8,"price":"new","reason":"a"}`, 400, `{"price":["The item's group has no published tariff: name a tariff or a price."]}`},
	} {
		if tt.name == "a price of a group without tariffs" {
			c.Post(groupsPath, `{"name":"Bikes"}`).Status(201)
			c.Post(inventories, `{"name":"Bike","group":3}`).Status(201)
		}
		t.Run(tt.name, func(*testing.T) {
			c.Post(lines+"1/swap/", tt.body).Status(tt.status).Writes(0).JSON(tt.want)
		})
	}
	swap(c, 1, 7, "keep", `,"datetime":"2026-03-09T10:00:00Z"`).Status(400).Writes(0)
	inWay(t, swap(c, 1, 1, "keep").Writes(0), 2)
	swap(c, 2, 5, "keep", `,"datetime":"2026-03-06T09:00:00Z"`).Status(400).Writes(0).
		JSON(`{"datetime":["The item was not handed out: the line gets another one for all of its time."]}`)
	swap(api.As(webtest.Employee(2)), 1, 7, "keep").Status(404).Writes(0)
	c.With("If-Match", `"1"`).Post(lines+"1/swap/", `{"inventory":7,"price":"keep","reason":"a"}`).Status(412).Writes(0)
	after(api, 3, 0)
	swap(c, 1, 7, "keep").Status(409).Field("code", `"overdue"`).Writes(0)
	swap(c, 1, 7, "keep", `,"datetime":"2026-03-08T09:00:00Z"`).Status(200)
	act(c, 2, 2, `,"order_inventories":[3]`).Status(200)
	swap(c, 3, 5, "keep").Status(409).Field("code", `"out"`).Writes(0)
	whole(t, api)
}

// A line whose item was not handed out gets another one for all of its time, and no exchange.
func TestSwapBeforeTheHandOut(t *testing.T) {
	api, c := newDesk(t, webtest.Setup{})
	c.Post(requests, `{"client":1,"status":1,"inventories":[`+from(6, 3, 0)+`]}`).Status(201).Field("price", `"45000.00"`)
	swap(c, 1, 7, "keep").Status(200).Field("inventories.0.inventory.id", "7").Field("inventories.0.exchange", "null").
		Field("price", `"45000.00"`).Field("order_inventories", "[1]")
	whole(t, api)
	swap(c, 1, 1, "new").Status(200).Field("inventories.0.inventory.id", "1").Field("price", `"9000.00"`)
	c.Get(exchanges).Status(200).Field("count", "0")
	c.Get(requests+"1/timeline/").Status(200).Field("results.0.events.1.kind", `"swapped"`)
	whole(t, api)
}

// A swap takes at most 7 calls and 55 write units, with an Idempotency-Key, price rules and a set.
func TestCostsOfSwaps(t *testing.T) {
	api, c := newDesk(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Post(priceRules, `{"name":"Long","length_from":604800,"percent":-20}`).Status(201)
	c.Post(requests, `{"client":1,"status":1,"inventories":[`+from(6, 31, 0, `,"set_group":"a"`)+`]}`).Status(201)
	after(api, 0, 0)
	act(c, 1, 2).Status(200)
	after(api, 10, 0)
	for i, price := range []string{"keep", "new", "keep"} {
		a := swap(c.With("Idempotency-Key", fmt.Sprint("swap-", i)), i+1, 7-i%2, price).Status(200)
		t.Logf("%s: %d calls, %v read and %v write units", price, a.Cost().Calls, a.Cost().Read, a.Cost().Write)
		a.Calls(7).Units(20, 55)
		after(api, 11+i, 0)
	}
	whole(t, api)
}

// A rental costs the same whether its item was swapped at the agreed price, any number of times, or not at all: whatever becomes of its
// end and of what is taken off it, and however early or late it comes back.
func TestSwappedOrNot(t *testing.T) {
	rounds := 24
	if testing.Short() {
		rounds = 6
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(uint64(round), 34))
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		settings := fmt.Sprintf(`{"combine":%s,"services_by_time":true,"early":"%s","late":"%s","early_start":"%s"}`,
			pick("true", "false"), pick("keep", "reprice"), pick("pro_rata", "tariffs"), pick("free", "charged"))
		api, c := newReturns(t, `{"combine":true}`, from(1, 1, 0))
		m := api.As(webtest.Manager(1))
		m.Put(rentalSettings, settings).Status(200)
		m.Post("/v1/crm/discounts/", `{"name":"Friends","percent":10}`).Status(201)
		if r.IntN(2) == 0 {
			m.Post(priceRules, pick(`{"name":"Long","length_from":604800,"percent":-20}`, `{"name":"Five days","minimum":432000}`,
				`{"name":"Spring","date_from":"2026-03-08","date_to":"2026-03-12","percent":15}`)).Status(201)
		}
		for n := range 4 {
			c.Post(inventories, fmt.Sprintf(`{"name":"Prado %d","group":2}`, n+3)).Status(201)
		}
		days, terms := 3+r.IntN(30), pick(``, ``, `,"discount":1,"additional_discount":"500.00"`, `,"tarif":4`, `,"tarif":4,"tarif_price":"10000.00"`)
		for _, item := range []int{6, 7} {
			start := 1 + r.IntN(2)*5 // some are handed out before they begin
			line := fmt.Sprintf(`{"inventory":%d,"start_at":"2026-03-%02dT10:00:00Z",%s%s}`, item, 5+start%5, until(days+1, 0), terms)
			if item == 7 {
				line = fmt.Sprintf(`{"inventory":7,"start_at":"%s",%s%s}`, c.Get(lines+"2/").Text("start_at"), until(days+1, 0), terms)
			}
			c.Post(requests, `{"client":1,"status":1,"inventories":[`+line+`],"services":[{"service":2,"count":2},{"service":4}]}`).Status(201)
		}
		act(c, 2, 2).Status(200)
		act(c, 3, 2).Status(200)
		free, last := []int{8, 9, 10, 11}, 2
		steps := []string{settings, terms}
		for range 2 + r.IntN(5) {
			api.Clock.Step(time.Duration(1+r.IntN(60*days)) * 10 * time.Minute)
			end, err := time.Parse(time.RFC3339, c.Get(fmt.Sprintf("%s%d/", lines, last)).Text("end_at"))
			if err != nil {
				t.Fatal(err)
			}
			var body string
			switch step := r.IntN(4); {
			case step < 2 && len(free) > 0 && api.Clock.Now().Before(end):
				a := swap(c, last, free[0], "keep").Status(200)
				free = free[1:]
				last = int(a.Int(fmt.Sprintf("order_inventories.%d", len(a.Value("order_inventories").([]any))-1)))
				steps = append(steps, "swap at "+api.Clock.Now().String())
				continue
			case step == 2:
				body = `{"discount":` + pick("1", "null") + `,"additional_discount":"` + pick("0", "100", "33.33") + `"}`
			default:
				if end = end.Add(time.Duration(r.IntN(200)-80) * time.Hour); !end.After(api.Clock.Now()) {
					continue
				}
				body = `{"end_at":"` + end.Format(time.RFC3339) + `"}`
			}
			steps = append(steps, body)
			c.Patch(fmt.Sprintf("%s%d/", lines, last), body).Status(200)
			c.Patch(lines+"3/", body).Status(200)
		}
		for _, order := range []int64{2, 3} {
			act(c, order, 4).Status(200)
		}
		a, b := c.Get(requests+"2/").Status(200), c.Get(requests+"3/").Status(200)
		for _, field := range []string{"price_inventory", "price_service", "price_discount", "penalty_amount", "debt", "rent_end", "rent_start"} {
			if a.Text(field) != b.Text(field) {
				t.Errorf("round %d, %s: %s swapped, %s not; %s", round, field, a.Text(field), b.Text(field), strings.Join(steps, "; "))
			}
		}
		whole(t, api)
		if t.Failed() {
			return
		}
	}
}
