package orders_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What the common operations of orders cost, at most.
func TestCosts(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	fleet(c, 30)
	key := 0
	keyed := func() *webtest.Client {
		key++
		return c.With("Idempotency-Key", "key-"+time.Duration(key).String())
	}
	told := func(what string, a *webtest.Answer) *webtest.Answer {
		t.Helper()
		t.Logf("%s: %d calls, %v read and %v write units", what, a.Cost().Calls, a.Cost().Read, a.Cost().Write)
		return a
	}
	for _, days := range [][2]string{{"02T09:00", "02T10:00"}, {"06T09:00", "07T10:00"}} { // the first one makes the calendar of the item
		body := `{"client":1,` + strings.Replace(rental(1, days[0], days[1])[1:], `"inventory":1`, `"inventory":1,"tarif":1`, 1)
		told("an order with a line, a client and a tariff", keyed().Post(requests, body)).Status(201).Calls(6).Units(14, 34)
	}
	told("a line", c.Get(lines+"1/")).Status(200).Calls(2).Units(4, 0)
	told("an order", c.Get(requests+"1/")).Status(200).Calls(2).Units(6, 0)
	told("a hand-out", act(keyed(), 1, 2)).Status(200).Calls(4).Units(12, 24)
	api.Clock.Step(6 * time.Hour)
	told("a late return", act(keyed(), 1, 4)).Status(200).Calls(4).Units(12, 24).Field("penalty_amount", `"500.00"`)
	told("thirty lines", keyed().Post(requests, `{"client":1,`+many(1, 30)+`}`)).Status(201).Calls(7).Units(160, 300)
	told("thirty lines cancelled", act(keyed(), 3, 3)).Status(200).Calls(7).Units(160, 300)
}

// What combined prices and price rules cost: a quote reads the price book with what it reads anyway.
func TestCostsOfPrices(t *testing.T) {
	api, c := newDesk(t, webtest.Setup{})
	fleet(c, 40)
	plain := c.Post(quotes, `{`+many(8, 30)+`}`).Status(200).Cost()
	m := api.As(webtest.Manager(1))
	for n := range 20 {
		m.Post(priceRules, fmt.Sprintf(`{"name":"Rule %d","groups":[1,2],"weekdays":[%d],"percent":"%d.5"}`, n, n%7+1, n-10)).Status(201)
	}
	ruled := c.Post(quotes, `{`+many(8, 30)+`}`).Status(200)
	t.Logf("a quote of thirty lines: %v, under twenty rules %v", plain, ruled.Cost())
	ruled.Calls(plain.Calls).Units(plain.Read, 0)
	for _, item := range []int{6, 7} { // the first one makes the calendar of the item
		a := c.Post(requests, `{"client":1,"inventories":[`+from(item, 31, 5)+`]}`).Status(201).Field("inventories.0.combined", "true")
		t.Logf("an order with a combined line: %v", a.Cost())
		a.Calls(5).Units(8, 27)
	}
	extended := c.Patch(lines+"1/", `{`+until(40, 0)+`}`).Status(200)
	t.Logf("another end: %v", extended.Cost())
	extended.Calls(5).Units(10, 19)
}
