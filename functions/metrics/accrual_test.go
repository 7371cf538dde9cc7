package metrics_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	rows "github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const rental = "/v1/crm/settings/rental/"

// deliver delivers until no message is left.
func deliver(api *webtest.API) (portions int) {
	for ; api.Deliver() > 0; portions++ { // a message takes a portion
	}
	return portions
}

// stored checks, in the table itself, that what days come to is what their rows are, and returns the rows.
func stored(t testing.TB, api *webtest.API) (list []rows.Row) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	if err := s.Table.Table().Get("pk", s.Table.Records(kinds.MetricRow)).Order(dynamo.Ascending).All(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	type key struct {
		date decode.Date
		of   rows.Type
	}
	is := map[key]sums{}
	for _, r := range list {
		if !r.Gone {
			of := is[key{r.Date, r.Type()}]
			of.add(r.Prediction.String(), r.Profit.String())
			is[key{r.Date, r.Type()}] = of
		}
	}
	days, err := rows.Days(t.Context(), s, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range days {
		for of, sum := range d.Types {
			if got := is[key{d.Date, of}]; got.String() != (sums{sum.Count, sum.Prediction, sum.Profit}).String() {
				t.Errorf("%s: %s come to %v, and their rows to %s", d.Date, of, sum, got)
			}
			delete(is, key{d.Date, of})
		}
	}
	for k, sum := range is {
		t.Errorf("%s has no sum of %s, of %s", k.date, k.of, sum)
	}
	return list
}

// comesTo checks that the rows of order 1 come to what it costs, and to what was paid for it.
func comesTo(t testing.TB, api *webtest.API) {
	t.Helper()
	o, err := order.Kind().Get(t.Context(), record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, want := sums{}, sums{prediction: o.Price.Add(o.AllFees()), profit: o.PaidAmount}
	if o.Status == order.Cancelled {
		want.prediction = money.Amount{}
	}
	for _, r := range stored(t, api) {
		if r.Type() != rows.Request && !r.Gone {
			got.add(r.Prediction.String(), r.Profit.String())
		}
	}
	if got.count = 0; got.String() != want.String() {
		t.Errorf("rows come to %s, want %s", got, want)
	}
}

// TestDaily follows an order with the setting accrual: daily, and as it changes.
func TestDaily(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Put(rental, `{"accrual":"daily"}`).Status(200).Field("accrual", `"daily"`)
	post := func(path, body string) func() {
		return func() {
			if code := c.Post(path, body).Code(); code >= 300 {
				t.Fatalf("%s: %d", path, code)
			}
		}
	}
	set := func(accrual string) func() { return func() { c.Put(rental, `{"accrual":"`+accrual+`"}`).Status(200) } }
	var daily string
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"made", post(requests, `{"client":1,"rent_start":"2026-03-04T07:00:00Z","rent_end":"2026-03-06T07:00:00Z","status":1,`+
			`"inventories":[{"inventory":1}],"services":[{"service":1}]}`), `
2026-03-04 delivery 1500.00/0.00
2026-03-04 inventory 1500.00/0.00
2026-03-04 request 7500.00/0.00
2026-03-05 inventory 3000.00/0.00
2026-03-06 inventory 1500.00/0.00`},
		{"paid before", post(requests+"1/pay/", `{"amount":1000}`), `
2026-03-02 delivery 0.00/200.00
2026-03-02 inventory 0.00/800.00
2026-03-04 delivery 1500.00/0.00
2026-03-04 inventory 1500.00/0.00
2026-03-04 request 7500.00/1000.00
2026-03-05 inventory 3000.00/0.00
2026-03-06 inventory 1500.00/0.00`},
		{"handed out", func() {
			api.Clock.Step(45*time.Hour + 30*time.Minute)
			c.Post(requests+"1/action/", `{"status":2}`).Status(200)
		}, ""},
		{"paid", post(requests+"1/pay/", `{"amount":2000}`), `
2026-03-02 delivery 0.00/200.00
2026-03-02 inventory 0.00/800.00
2026-03-04 delivery 1500.00/400.00
2026-03-04 inventory 1500.00/1600.00
2026-03-04 request 7500.00/3000.00
2026-03-05 inventory 3000.00/0.00
2026-03-06 inventory 1500.00/0.00`},
		{"refunded", func() { c.Post("/v1/finances/refunds/", `{"transaction":1,"amount":500}`).Status(201) }, `
2026-03-02 delivery 0.00/100.00
2026-03-02 inventory 0.00/400.00
2026-03-04 delivery 1500.00/400.00
2026-03-04 inventory 1500.00/1600.00
2026-03-04 request 7500.00/2500.00
2026-03-05 inventory 3000.00/0.00
2026-03-06 inventory 1500.00/0.00`},
		{"late", func() {
			api.Clock.Step(60 * time.Hour)
			c.Post(requests+"1/action/", `{"status":4}`).Status(200)
		}, `
2026-03-02 delivery 0.00/84.51
2026-03-02 inventory 0.00/415.49
2026-03-04 delivery 1500.00/338.03
2026-03-04 inventory 1500.00/1661.97
2026-03-04 request 8875.00/2500.00
2026-03-05 inventory 3000.00/0.00
2026-03-06 inventory 1500.00/0.00
2026-03-07 inventory 1375.00/0.00`},
		{"charged", post(requests+"1/penalties/", `{"amount":"250.50"}`), ""},
		{"paid too much", post(requests+"1/pay/", `{"amount":20000}`), ""},
		{"another setting counts from the next change on", set("first_day"), ""},
		{"which comes", func() { c.Patch(requests+"1/", `{"extra":{"a":1}}`).Status(200) }, `
2026-03-04 delivery 1500.00/3698.42
2026-03-04 inventory 7375.00/18183.94
2026-03-04 request 9125.50/22500.00
2026-03-07 penalty 250.50/617.64`},
		{"and back, by a rebuild", func() {
			set("daily")()
			api.As(webtest.Owner(1)).Post(rebuilds, nil).Status(202)
		}, ""},
		{"deposit", func() { c.Post(requests+"1/deposits/", `{"amount":1000}`).Status(201) }, ""},
		{"of which a part is kept", func() { c.Post(requests+"1/deposits/1/return/", `{"withhold":300}`).Status(200) }, ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.do()
			deliver(api)
			comesTo(t, api)
			list := list(t, c, "")
			got := shown(list)
			if want := strings.TrimSpace(step.want); want != "" && got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			switch step.name {
			case "paid too much":
				daily = got
			case "another setting counts from the next change on", "and back, by a rebuild":
				if got != daily {
					t.Errorf("got\n%s\nwant\n%s", got, daily)
				}
			}
			for _, r := range list {
				if r.Status == nil {
					t.Errorf("%+v shows no status", r)
				}
			}
		})
	}
	c.Get(days+"?date=2026-03-05").Status(200).Field("results.0.inventory.prediction", `"3000.00"`).Field("results.0.prediction", `"3000.00"`)
}

// long makes order 1, with a rental of so many days from April on, and a service.
func long(t *testing.T, c *webtest.Client, days, lines int) {
	t.Helper()
	start := time.Date(2026, 4, 1, 7, 0, 0, 0, time.UTC)
	var cars []string
	for n := range lines {
		cars = append(cars, fmt.Sprintf(`{"inventory":%d}`, n+1))
	}
	c.Post(requests, fmt.Sprintf(`{"client":1,"rent_start":%q,"rent_end":%q,"status":1,"inventories":[%s],"services":[{"service":1}]}`,
		start.Format(time.RFC3339), start.AddDate(0, 0, days).Format(time.RFC3339), strings.Join(cars, ","))).Status(201)
}

// sumsAs works all rows out anew by a setting, and returns what those of each order and type come to.
func sumsAs(t *testing.T, api *webtest.API, accrual string) string {
	t.Helper()
	deliver(api)
	stored(t, api)
	owner := api.As(webtest.Owner(1))
	owner.Put(rental, `{"accrual":"`+accrual+`"}`).Status(200)
	owner.Post(rebuilds, nil).Status(202)
	deliver(api)
	of := map[string]sums{}
	for _, r := range stored(t, api) {
		if r.Gone {
			continue
		}
		name := fmt.Sprintf("%s of %d", r.Type(), r.Source)
		sum := of[name]
		sum.add(r.Prediction.String(), r.Profit.String())
		sum.count = 0
		of[name] = sum
	}
	return fmt.Sprint(of)
}

// TestDailyDies kills the worker of a long order at each of its calls. What is there always agrees, and the next worker goes on, also
// where the order, or the setting, has changed meanwhile.
func TestDailyDies(t *testing.T) {
	api, c, process := beside(t, tabletest.Faults{})
	c.Put(rental, `{"accrual":"daily"}`).Status(200)
	long(t, c, 900, 1)
	call := 0
	for _, step := range []struct {
		name string
		do   func()
		rows int
	}{
		{"made", func() {}, 1 + 367 + 1},
		{"longer", func() { c.Patch(requests+"inventories/1/", `{"end_at":"2029-04-01T07:00:00Z"}`).Status(200) }, 1 + 367 + 1},
		{"shorter", func() { c.Patch(requests+"inventories/1/", `{"end_at":"2026-04-11T07:00:00Z"}`).Status(200) }, 1 + 11 + 1},
		{"long again, and by the first day", func() {
			c.Patch(requests+"inventories/1/", `{"end_at":"2026-07-11T07:00:00Z"}`).Status(200)
			deliver(api)
			c.Put(rental, `{"accrual":"first_day"}`).Status(200)
		}, 3},
		{"by days", func() { c.Put(rental, `{"accrual":"daily"}`).Status(200) }, 1 + 102 + 1},
		{"cancelled", func() { c.Post(requests+"1/action/", `{"status":3}`).Status(200) }, 3},
		{"by days, and gone", func() {
			c.Delete(requests + "1/").Status(204)
		}, 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.do()
			for died := true; died; {
				p := process(uint64(call))
				p.DieAt(1+call%23, call%2 == 0)
				call++
				_ = p.follow(t.Context(), 1)
				died = p.Crashed()
				stored(t, api)
			}
			deliver(api)
			live := 0
			for _, r := range stored(t, api) {
				if !r.Gone {
					live++
				}
			}
			if live != step.rows {
				t.Errorf("%d rows, want %d", live, step.rows)
			}
			if step.rows > 0 {
				comesTo(t, api)
			}
		})
	}
}

// TestDailyInPortions: the rows of an order with many long lines take several messages, and a change that comes between them counts.
func TestDailyInPortions(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Put(rental, `{"accrual":"daily"}`).Status(200)
	long(t, c, 400, 5)
	if n := api.Deliver(); n != 1 {
		t.Fatalf("%d messages", n)
	}
	some := len(stored(t, api))
	if some != 1+2*367+1 {
		t.Errorf("the first portion has %d rows", some)
	}
	c.Post(requests+"1/pay/", `{"amount":"1000.01"}`).Status(200)
	if portions := deliver(api); portions != 3 { // the payment is in the first two lines, too
		t.Errorf("%d more portions", portions)
	}
	if n := len(stored(t, api)); n != 1+5*368+2 {
		t.Errorf("%d rows", n)
	}
	comesTo(t, api)
	c.Patch(requests+"1/", `{"additional_discount":"77.77"}`).Status(200)
	api.Deliver()
	c.Patch(requests+"1/", `{"additional_discount":"55.55"}`).Status(200)
	deliver(api)
	comesTo(t, api)
	c.Post("/v1/finances/refunds/", `{"transaction":1,"amount":"1000.01"}`).Status(201)
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	api.Deliver()
	c.Delete(requests + "1/").Status(204)
	deliver(api)
	for _, r := range stored(t, api) {
		if !r.Gone {
			t.Fatalf("%+v of a deleted order", r)
		}
	}
}

// TestDailyCosts: what rows by days cost.
func TestDailyCosts(t *testing.T) {
	api, c, process := beside(t, tabletest.Faults{})
	c.Put(rental, `{"accrual":"daily"}`).Status(200)
	p := process(1)
	for _, tt := range []struct {
		name        string
		do          func()
		write, read float64
	}{
		{"a line of ten days, which are of eleven", func() { long(t, c, 10, 1) }, 13*3 + 11*2 + 2, 5},
		{"a payment of another day", func() { c.Post(requests+"1/pay/", `{"amount":100}`).Status(200) }, 18, 17},
		{"nothing", func() {}, 0, 7},
		{"what metrics don't show", func() { c.Patch(requests+"1/", `{"extra":{"a":1}}`).Status(200) }, 2, 7},
		{"another status", func() {
			api.Clock.Step(30*24*time.Hour + 21*time.Hour + 30*time.Minute)
			c.Post(requests+"1/action/", `{"status":2}`).Status(200)
		}, 6, 7},
		{"another discount", func() { c.Patch(requests+"1/", `{"additional_discount":100}`).Status(200) }, 14*4 + 12*2, 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.do()
			ctx, used := meter.Start(t.Context())
			if err := p.follow(ctx, 1); err != nil {
				t.Fatal(err)
			}
			u := used.Usage()
			t.Logf("%+v", u)
			if u.WriteUnits > tt.write || u.ReadUnits > tt.read {
				t.Errorf("%.1f write and %.1f read units, want at most %.1f and %.1f", u.WriteUnits, u.ReadUnits, tt.write, tt.read)
			}
			deliver(api)
			comesTo(t, api)
		})
	}
}
