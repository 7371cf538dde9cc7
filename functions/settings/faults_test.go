package settings_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestHistory: every change leaves what it changed, in its own transaction.
func TestHistory(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Manager(1))
	c.Post(all, least("client", "a", "string")).Status(201)
	c.Patch(one+"1/", `{"required":true,"key":"order"}`).Status(200)
	c.Patch(one+"1/", `{}`).Status(200)
	c.Delete(one + "1/").Status(204)
	fields, _ := kinds.ByName("custom_field")
	entries, count, err := audit.Page(t.Context(), table.Of(api.Env.Table, 1), fields, 1, 0, 10)
	if err != nil || count != 3 {
		t.Fatalf("%d entries, %v", count, err)
	}
	for i, want := range []string{
		`deleted filter false→null, key "order"→null, label "L"→null, name "a"→null, placeholder ""→null, required true→null, table false→null, type "string"→null`,
		`changed key "client"→"order", required false→true`,
		`created filter null→false, key null→"client", label null→"L", name null→"a", placeholder null→"", required null→false, table null→false, type null→"string"`,
	} {
		var changes []string
		for _, c := range entries[i].Changes {
			changes = append(changes, fmt.Sprintf("%s %s→%s", c.Field, c.From, c.To))
		}
		if got := string(entries[i].Action) + " " + strings.Join(changes, ", "); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if entries[i].User == nil || *entries[i].User != 13 || entries[i].RequestID == "" {
			t.Errorf("by %+v", entries[i])
		}
	}
}

// TestOnce: a request that comes again gets the answer that it got, and defines
// nothing again, however many come at once.
func TestOnce(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Manager(1)).With("Idempotency-Key", "k1")
	first := c.Post(all, least("client", "a", "string")).Status(201).NoHeader("Idempotent-Replayed").Writes(4).Calls(4)
	c.Post(all, least("client", "a", "string")).Status(201).Header("Idempotent-Replayed", "true").Writes(0).Calls(1).
		JSON(string(first.Body())).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+one+"1/")
	c.Post(all, least("client", "b", "string")).Status(422)
	answers := make([]*webtest.Answer, 6)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() { answers[i] = c.With("Idempotency-Key", "k2").Post(all, least("client", "b", "string")) })
	}
	wait.Wait()
	for _, a := range answers {
		if a.Code() != 201 || a.Int("id") != answers[0].Int("id") {
			t.Errorf("%d %s", a.Code(), a.Body())
		}
	}
	if list := listed(t, c); len(list) != 2 {
		t.Errorf("stored %v", list)
	}
}

// TestFaults: with transactions that conflict as on AWS, every twentieth answer
// lost and readers that lag, whoever was told of a field has it, and nothing is
// there twice.
func TestFaults(t *testing.T) {
	faults := tabletest.Locks()
	faults.Lost, faults.Throttled, faults.Stale = 0.05, 0.05, time.Second
	world, name := tabletest.NewFaulty(t, faults)
	api := webtest.Setup{Change: func(env *app.Env) { env.Table = table.Open(world.Client(5), name) }}.New(t, settings.New).
		Join(webtest.Manager(1))
	c := api.As(webtest.Manager(1))
	told := map[string]int64{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			field := fmt.Sprint("f", i)
			a := c.Post(all, least([]string{"client", "order"}[i%2], field, "string"))
			switch a.Code() {
			case 201:
				mu.Lock()
				defer mu.Unlock()
				told[field] = a.Int("id")
			case 503, 409: // the outcome is unknown, or others were always faster
			default:
				t.Errorf("%d %s", a.Code(), a.Body())
			}
		})
	}
	wait.Wait()
	if len(told) < 4 {
		t.Errorf("only %d were made", len(told))
	}
	healthy := webtest.Setup{Change: func(env *app.Env) { env.Table = table.Open(enginetest.Client(t), name) }}.New(t, settings.New)
	there := map[string]int64{}
	for _, f := range listed(t, healthy.As(webtest.Manager(1))) {
		if there[f.Name] != 0 {
			t.Errorf("%s is there twice", f.Name)
		}
		there[f.Name] = f.ID
	}
	for field, id := range told {
		if there[field] != id {
			t.Errorf("%s is %d, told %d", field, there[field], id)
		}
		// What was written a moment ago is there to be changed, and in the way, though a list may not show it yet.
		for _, a := range []*webtest.Answer{
			c.Patch(fmt.Sprint(one, id, "/"), `{"label":"M"}`), c.Post(all, least("client", "f0", "date")),
		} {
			if code := a.Code(); code == 404 || code == 201 && told["f0"] != 0 {
				t.Errorf("%d %s", code, a.Body())
			}
		}
	}
}
