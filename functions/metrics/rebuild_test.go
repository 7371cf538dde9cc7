package metrics_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	rows "github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const rebuilds = "/v1/crm/metrics/rebuild/"

// forget removes all that metrics have, as if orders had been made before there were any.
func forget(t *testing.T, api *webtest.API) {
	t.Helper()
	of := table.Of(api.Env.Table, 1)
	for _, partition := range []string{of.Records(kinds.MetricRow), of.MetricDays()} {
		var items []table.Item
		if err := of.Table().Get("pk", partition).Order(dynamo.Ascending).All(t.Context(), &items); err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			if err := of.Delete(item.Key()).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// several makes orders, of which one is deleted and one cancelled, and penalties.
func several(t *testing.T, api *webtest.API, c *webtest.Client, n int) {
	t.Helper()
	for i := range n {
		c.Post(requests, fmt.Sprintf(`{"client":1,"services":[{"service":%d}]}`, 1+i%5)).Status(201)
		c.Post(requests+fmt.Sprint(i+1)+"/pay/", fmt.Sprintf(`{"amount":"%d.05"}`, i)).Code()
	}
	c.Post(violations, `{"protocol_number":"KZ-1","violation_date":"2026-03-03"}`).Status(201)
	c.Post("/v1/finances/refunds/", `{"transaction":2,"amount":"1.05"}`).Status(201)
	c.Delete(requests + "2/").Status(204)
	c.Post(requests+"3/action/", `{"status":3}`).Status(200)
	api.Deliver()
}

func TestRebuild(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	owner := api.As(webtest.Owner(1))
	never := `{"status":"never","done":0,"total":0,"started_at":null,"finished_at":null}`
	c.Get(rebuilds).Status(200).JSON(never)
	c.Post(rebuilds, nil).Status(403)
	owner.Post(rebuilds, nil).Status(202).JSON(`{"status":"running","done":0,"total":0,"started_at":"2026-03-02T09:30:00Z","finished_at":null}`)
	api.Deliver()
	c.Get(rebuilds).Status(200).JSON(`{"status":"done","done":0,"total":0,"started_at":"2026-03-02T09:30:00Z","finished_at":"2026-03-02T09:30:00Z"}`)

	several(t, api, c, 40)
	before := shown(whole(t, api))
	forget(t, api)
	if left := list(t, c, ""); len(left) != 0 {
		t.Fatalf("%d rows", len(left))
	}
	owner.Post(rebuilds, nil).Status(202).Field("total", "41").Field("status", `"running"`)
	owner.Post(rebuilds, nil).Status(202).Field("total", "41").Field("status", `"running"`)
	api.Deliver()
	c.Get(rebuilds).Status(200).Field("status", `"done"`).Field("done", "41")
	if after := shown(whole(t, api)); after != before {
		t.Errorf("after a rebuild there is\n%s\nwant\n%s", after, before)
	}

	// The company moves: the days of what is there are other ones then.
	of := table.Of(api.Env.Table, 1)
	if err := of.Update(of.Company()).Set("tz", "Pacific/Honolulu").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	owner.Post(rebuilds, nil).Status(202).Field("status", `"running"`).Field("done", "0")
	api.Deliver()
	if moved := shown(whole(t, api)); moved != strings.ReplaceAll(before, "2026-03-02", "2026-03-01") {
		t.Errorf("after the move there is\n%s", moved)
	}
}

// TestRebuildDies kills the worker at each of its calls, and lets several work at once. What they do is the same as
// if one had lived.
func TestRebuildDies(t *testing.T) {
	api, c, process := beside(t, tabletest.Faults{})
	several(t, api, c, 15)
	before := shown(whole(t, api))
	forget(t, api)
	api.As(webtest.Owner(1)).Post(rebuilds, nil).Status(202)
	for dies := 1; c.Get(rebuilds).Status(200).Text("status") != "done"; dies += 5 {
		p := process(uint64(dies))
		p.DieAt(dies, dies%2 == 0)
		_ = p.carryOut(t.Context(), rows.Rebuilding, "all")
	}
	forget(t, api)
	api.As(webtest.Owner(1)).Post(rebuilds, nil).Status(202)
	var wait sync.WaitGroup
	for n := range uint64(4) {
		wait.Go(func() { _ = process(1000+n).carryOut(t.Context(), rows.Rebuilding, "all") })
	}
	wait.Wait()
	api.Deliver()
	c.Get(rebuilds).Status(200).Field("status", `"done"`)
	if after := shown(whole(t, api)); after != before {
		t.Errorf("after a rebuild there is\n%s\nwant\n%s", after, before)
	}
}

// TestRebuildNeverGoesBack: a worker is slow with a portion, and another one has come further meanwhile.
func TestRebuildNeverGoesBack(t *testing.T) {
	name := enginetest.Table(t)
	api, c := newAPI(t, webtest.Setup{Change: func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) }})
	of := table.Of(api.Env.Table, 1)
	if err := of.Update(of.Sequence(kinds.Order)).Add("n", 350).Run(t.Context()); err != nil { // orders that are not there cost little
		t.Fatal(err)
	}
	api.As(webtest.Owner(1)).Post(rebuilds, nil).Status(202).Field("total", "350")
	engine := &slow{DynamoDBAPI: enginetest.Client(t)}
	work := func(api dynamodbiface.DynamoDBAPI, now func() time.Time) {
		conn := table.Open(api, name)
		if err := rows.Rebuilds(conn, now)[rows.Rebuilding](t.Context(), outbox.NewKeyed(of.Message, rows.Rebuilding, rows.Everything, now())); err != nil {
			t.Error(err)
		}
	}
	engine.do = func() {
		for range 2 {
			work(enginetest.Client(t), api.Env.Now)
		}
		c.Get(rebuilds).Status(200).Field("done", "200")
	}
	work(engine, api.Env.Now)
	c.Get(rebuilds).Status(200).Field("done", "200").Field("status", `"running"`)
	for api.Deliver() > 0 { // a message takes a portion
	}
	c.Get(rebuilds).Status(200).Field("done", "350").Field("status", `"done"`)
}
