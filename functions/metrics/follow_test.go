package metrics_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	rows "github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// beside is an API without faults on a table that other processes use too, and how these see the table.
func beside(t *testing.T, faults tabletest.Faults) (*webtest.API, *webtest.Client, func(seed uint64) *process) {
	t.Helper()
	world, name := tabletest.NewFaulty(t, faults)
	api, c := newAPI(t, webtest.Setup{Change: func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) }})
	return api, c, func(seed uint64) *process {
		client := world.Client(seed)
		conn := table.Open(client, name)
		return &process{client, outbox.Join(rows.Work(conn, api.Env.Now), rows.Rebuilds(conn, api.Env.Now)), table.Of(conn, 1), api.Env.Now}
	}
}

// process is a worker of its own.
type process struct {
	*tabletest.Client
	work outbox.Work
	of   *table.Tenant
	now  func() time.Time
}

// carryOut carries out a message about company 1.
func (p *process) carryOut(ctx context.Context, kind outbox.Kind, key string) error {
	m := outbox.NewKeyed(p.of.Message, kind, key, p.now())
	return p.work[kind](ctx, m)
}

// follow works the rows of an order out.
func (p *process) follow(ctx context.Context, id int64) error {
	return p.carryOut(ctx, order.Changed, fmt.Sprint(id))
}

const booked = `{"client":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","status":1,` +
	`"inventories":[{"inventory":1},{"inventory":2}],"services":[{"service":1},{"service":5}]}`

// fleet makes company 1 an order whose rows are too many for one transaction: 20 item lines on days of their own, 20 services and 50 fees.
func fleet(t *testing.T, c *webtest.Client) {
	t.Helper()
	c.Post(requests, `{"client":1}`).Status(201)
	services := `{"service":1}`
	for range 9 {
		services += `,{"service":2}`
	}
	for range 2 {
		c.Post(requests+"1/services/bulk_create/", `{"services":[`+services+`]}`).Status(201)
	}
	day := time.Date(2026, 4, 1, 10, 0, 0, 0, time.UTC)
	for n := range 2 {
		lines := ""
		for i := range 10 {
			at := day.AddDate(0, 0, n*10+i)
			lines += fmt.Sprintf(`,{"inventory":%d,"start_at":%q,"end_at":%q}`, 1+i%5, at.Format(time.RFC3339), at.Add(5*time.Hour).Format(time.RFC3339))
		}
		c.Post(requests+"1/inventories/bulk_create/", `{"inventories":[`+lines[1:]+`]}`).Status(201)
	}
	for n := range 50 {
		c.Post(requests+"1/penalties/", fmt.Sprintf(`{"amount":"%d.99"}`, n)).Status(201)
	}
}

// TestAtOnce works the rows of one order out 16 times at once, while it changes, where transactions meet, answers are
// lost, calls are throttled, and what is not read consistently is old.
func TestAtOnce(t *testing.T) {
	api, c, process := beside(t, tabletest.Faults{
		Lock: 2 * time.Millisecond, Transaction: 3 * time.Millisecond, Stale: time.Hour, Lost: 0.03, Throttled: 0.03,
	})
	c.Post(requests, booked).Status(201)
	var wait sync.WaitGroup
	for n := range uint64(16) {
		wait.Go(func() {
			for range 3 {
				_ = process(n).follow(t.Context(), 1) // the worker would try one that fails again
			}
		})
	}
	for n := range 6 {
		c.Post(requests+"1/pay/", fmt.Sprintf(`{"amount":%d}`, n+1)).Status(200)
	}
	wait.Wait()
	api.Deliver()
	whole(t, api)
}

// TestDiesAnywhere kills a worker at each of its calls. What is there always agrees, and the next worker goes on.
func TestDiesAnywhere(t *testing.T) {
	api, c, process := beside(t, tabletest.Faults{})
	fleet(t, c)
	steps := []func(){
		func() {},
		func() { c.Post(requests+"1/pay/", `{"amount":"1234.56"}`).Status(200) },
		func() { c.Patch(requests+"1/", `{"additional_discount":"100.01"}`).Status(200) },
		func() { c.Post("/v1/finances/refunds/", `{"transaction":1,"amount":"1234.56"}`).Status(201) },
		func() { c.Post(requests+"1/action/", `{"status":3}`).Status(200) },
		func() { c.Delete(requests + "1/").Status(204) },
	}
	call := 0
	for i, step := range steps {
		step()
		for died := true; died; {
			p := process(uint64(call))
			p.DieAt(1+call%9, call%2 == 0)
			call++
			_ = p.follow(t.Context(), 1)
			died = p.Crashed()
			agree(t, api)
		}
		api.Deliver()
		if agree(t, api); i < len(steps)-1 {
			whole(t, api)
		}
	}
	if left := list(t, c, ""); len(left) != 0 {
		t.Errorf("%d rows of a deleted order", len(left))
	}
}

// agree checks that what days come to is what their rows are, also while an order has only some of its rows.
func agree(t *testing.T, api *webtest.API) {
	t.Helper()
	c, got, ofOrders := api.As(webtest.Manager(1)).In(t), map[string]*sums{}, map[string]*sums{}
	for _, r := range list(t, c, "") {
		of := got
		if r.Type == "request" {
			of = ofOrders
		}
		if of[r.Date] == nil {
			of[r.Date] = new(sums)
		}
		of[r.Date].add(r.Prediction, r.Profit)
	}
	var shown struct {
		Results []struct {
			Date               string
			Count              int64
			Prediction, Profit string
			Request            struct {
				Count              int64
				Prediction, Profit string
			}
		}
	}
	if err := json.Unmarshal(c.Get(days+"?date__gte=2026-01-01&date__lte=2026-12-31&pageSize=366").Status(200).Body(), &shown); err != nil {
		t.Fatal(err)
	}
	for _, d := range shown.Results {
		for _, of := range []struct {
			want *sums
			is   sums
		}{
			{got[d.Date], sums{d.Count, amount(d.Prediction), amount(d.Profit)}},
			{ofOrders[d.Date], sums{d.Request.Count, amount(d.Request.Prediction), amount(d.Request.Profit)}},
		} {
			if of.want == nil {
				of.want = new(sums)
			}
			if of.is.String() != of.want.String() {
				t.Errorf("%s comes to %s, and its rows to %s", d.Date, of.is, of.want)
			}
		}
	}
}

// TestLostAnswers: transactions whose answers are lost, that do not happen, or that happen and are sent again, count once.
func TestLostAnswers(t *testing.T) {
	for name, lose := range map[string]func(p *process){
		"happened":       func(p *process) { p.Deafen(true) },
		"did not happen": func(p *process) { p.Deafen(false) },
		"sent again":     func(p *process) { p.Resend() },
	} {
		t.Run(name, func(t *testing.T) {
			api, c, process := beside(t, tabletest.Faults{})
			for _, step := range []func(){
				func() { c.Post(requests, booked).Status(201) },
				func() { c.Post(requests+"1/pay/", `{"amount":100}`).Status(200) },
				func() { c.Delete(requests + "services/1/").Status(204) },
			} {
				step()
				p := process(1)
				lose(p)
				if err := p.follow(t.Context(), 1); (err == nil) != (name == "sent again") {
					t.Errorf("the worker was told %v", err)
				}
				api.Deliver()
				whole(t, api)
			}
		})
	}
}

// slow is an engine before whose next transaction something else happens, once.
type slow struct {
	dynamodbiface.DynamoDBAPI
	do func()
}

func (s *slow) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if do := s.do; do != nil {
		s.do = nil
		do()
	}
	return s.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
}

// TestSlowWorker: between the reads and the write of a worker, the order changes and another worker is faster. Nothing
// brings back what was.
func TestSlowWorker(t *testing.T) {
	pay := func(c *webtest.Client) { c.Post(requests+"1/pay/", `{"amount":100}`).Status(200) }
	reduce := func(by string) func(c *webtest.Client) {
		return func(c *webtest.Client) { c.Patch(requests+"1/", `{"additional_discount":`+by+`}`).Status(200) }
	}
	remove := func(c *webtest.Client) {
		c.Post(requests+"1/action/", `{"status":3}`).Status(200)
		c.Delete(requests + "1/").Status(204)
	}
	for _, tt := range []struct {
		name              string
		before, meanwhile []func(c *webtest.Client) // with a worker after each
		undelivered       func(c *webtest.Client)   // what the slow worker has come for
	}{
		{"another payment", nil, []func(c *webtest.Client){pay}, pay},
		{"there and back", nil, []func(c *webtest.Client){reduce("0")}, reduce("500")},
		{"there and back again", nil, []func(c *webtest.Client){reduce("0"), reduce("500"), reduce("0")}, reduce("500")},
		{"it goes", nil, []func(c *webtest.Client){remove}, reduce("500")},
		{"a line goes", nil, []func(c *webtest.Client){func(c *webtest.Client) { c.Delete(requests + "inventories/1/").Status(204) }}, reduce("500")},
	} {
		for _, known := range []bool{false, true} { // whether the order has rows already
			t.Run(fmt.Sprintf("%s, %t", tt.name, known), func(t *testing.T) {
				name := enginetest.Table(t)
				api, c := newAPI(t, webtest.Setup{Change: func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) }})
				engine := &slow{DynamoDBAPI: enginetest.Client(t)}
				s := record.Scope{Table: table.Of(table.Open(engine, name), 1), Now: api.Env.Now}
				c.Post(requests, booked).Status(201)
				if known {
					api.Deliver()
				}
				tt.undelivered(c)
				engine.do = func() {
					for _, do := range tt.meanwhile {
						do(c)
						api.Deliver()
					}
				}
				if err := rows.Follow(t.Context(), s, 1); err != nil {
					t.Error(err)
				}
				if engine.do != nil {
					t.Error("it wrote nothing")
				}
				whole(t, api)
			})
		}
	}
}

// TestFollowCosts: what a change of an order costs until its rows are right.
func TestFollowCosts(t *testing.T) {
	api, c, process := beside(t, tabletest.Faults{})
	p := process(1)
	for _, tt := range []struct {
		name                  string
		do                    func()
		changed, fresh, dates float64
		calls                 int
		order                 int64
	}{
		{"an order without lines", func() { c.Post(requests, `{"client":1}`).Status(201) }, 0, 1, 1, 2, 1},
		{"four lines", func() {
			c.Post(requests+"1/services/bulk_create/", `{"services":[{"service":1},{"service":2}]}`).Status(201)
			c.Post(requests+"1/inventories/bulk_create/",
				`{"inventories":[{"inventory":1,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-03T10:00:00Z"},`+
					`{"inventory":2,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-03T10:00:00Z"}]}`).Status(201)
		}, 1, 4, 1, 3, 1},
		{"nothing", func() {}, 0, 0, 0, 2, 1},
		{"a payment", func() { c.Post(requests+"1/pay/", `{"amount":1000}`).Status(200) }, 5, 0, 1, 3, 1},
		{"another status", func() { c.Post(requests+"1/action/", `{"status":1}`).Status(200) }, 5, 0, 0, 3, 1},
		{"another day", func() {
			c.Patch(requests+"inventories/1/", `{"start_at":"2026-03-05T10:00:00Z","end_at":"2026-03-06T10:00:00Z"}`).Status(200)
		}, 2, 0, 2, 3, 1},
		{"another line", func() { c.Post(requests+"1/services/", `{"service":3}`).Status(201) }, 5, 1, 2, 3, 1},
		{"what metrics don't show", func() { c.Patch(requests+"1/", `{"extra":{"a":1}}`).Status(200) }, 1, 0, 0, 3, 1},
		{"it goes", func() {
			c.Post(requests, `{"client":1,"inventories":[{"inventory":3,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-03T10:00:00Z"}]}`).Status(201)
			api.Deliver()
			c.Post(requests+"2/action/", `{"status":3}`).Status(200)
			c.Delete(requests + "2/").Status(204)
		}, 2, 0, 1, 3, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.do()
			ctx, used := meter.Start(t.Context())
			if err := p.follow(ctx, tt.order); err != nil {
				t.Fatal(err)
			}
			u := used.Usage()
			t.Logf("%+v", u)
			if most := 5*tt.changed + 8*tt.fresh + 2*tt.dates; u.WriteUnits > most {
				t.Errorf("%.1f write units, want at most %.1f", u.WriteUnits, most)
			}
			if u.Calls > tt.calls {
				t.Errorf("%d calls, want at most %d", u.Calls, tt.calls)
			}
			api.Deliver()
			whole(t, api)
		})
	}
}

// TestAnyTurn changes orders, and the setting accrual, at random, and lets the worker come at random. In the end, rows by days
// come to those by first days.
func TestAnyTurn(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			api, c := newAPI(t, webtest.Setup{})
			random := rand.New(rand.NewPCG(seed, 12))
			pick := func(list ...string) string { return list[random.IntN(len(list))] }
			id := func(most int) string { return fmt.Sprint(1 + random.IntN(most)) }
			at := func(day int) string { return fmt.Sprintf("2026-03-%02dT%02d:15:00Z", 2+day, random.IntN(24)) }
			done := map[int]int{}
			for range 130 {
				day := random.IntN(20)
				var a *webtest.Answer
				switch kind := random.IntN(14); kind {
				case 0, 1:
					a = c.Post(requests, fmt.Sprintf(`{"client":%s,"rental_point":%s,"tax_percent":%s,"rent_start":%q,"rent_end":%q,"inventories":[{"inventory":%s}],"services":[{"service":%s}]}`,
						pick("1", "null"), pick("1", "null"), pick("0", "12", "7.5"), at(day), at(day+2), id(5), id(5)))
				case 2:
					a = c.Post(requests+id(8)+"/inventories/", fmt.Sprintf(`{"inventory":%s,"start_at":%q,"end_at":%q,"tarif_price":%q}`,
						id(5), at(day), at(day+1), pick("100.01", "0", "33.33")))
				case 3:
					a = c.Post(requests+id(8)+"/inventories/", fmt.Sprintf(`{"inventory":%s,"type":1,"tarif_price":"12345.67"}`, id(5)))
				case 4:
					a = c.Delete(requests + pick("inventories/", "services/") + id(20) + "/")
				case 5:
					a = c.Post(requests+id(8)+"/services/", fmt.Sprintf(`{"service":%s,"count":%s}`, id(5), id(4)))
				case 6:
					a = c.Post(requests+id(8)+"/pay/", fmt.Sprintf(`{"amount":"%s.0%s"}`, id(9000), id(9)))
				case 7:
					a = c.Post("/v1/finances/refunds/", fmt.Sprintf(`{"transaction":%s,"amount":"%s.5"}`, id(10), id(900)))
				case 8, 9:
					a = c.Post(requests+id(8)+"/action/", `{"status":`+pick("1", "2", "2", "3", "4", "4")+`}`)
				case 10:
					a = c.Post(requests+id(8)+"/penalties/", fmt.Sprintf(`{"amount":"%s.99"}`, id(500)))
				case 11:
					a = c.Patch(requests+id(8)+"/", fmt.Sprintf(`{"additional_discount":"%s.1","rental_point":%s}`, id(2000), pick("1", "null")))
				case 12:
					a = c.Put(rental, `{"accrual":"`+pick("daily", "daily", "first_day")+`"}`)
				default:
					a = c.Delete(requests + id(8) + "/")
				}
				if a.Code() < 300 {
					done[a.Code()]++
				}
				api.Clock.Step(time.Duration(random.IntN(300)) * time.Minute)
				if random.IntN(3) == 0 {
					api.Deliver()
				}
			}
			byDays := sumsAs(t, api, "daily")
			if by := sumsAs(t, api, "first_day"); by != byDays {
				t.Errorf("by days there is\n%s\nand by the first\n%s", byDays, by)
			}
			if got := whole(t, api); len(got) < 5 || done[200] < 5 || done[201] < 20 || done[204] == 0 {
				t.Errorf("too little happened: %v, %d rows", done, len(got))
			}
		})
	}
}
