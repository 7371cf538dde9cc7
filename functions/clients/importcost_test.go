package clients_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestCostOfImport holds an import of 1,000 rows with unique numbers to its
// bounds: 30 calls, 4.2 units a row. A row has no entry in the index of changes. One search looks
// for doubles of all rows; after an import it asks for a merge, which is an item that it writes.
func TestCostOfImport(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Files = filestest.New(t) }}.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Before"}`).Status(201)
	numbers := iins(1000)
	body := people(numbers)

	begun := time.Now()
	c.Post(individuals+"?dry_run=true", body).Status(200).Calls(14).Units(1200, 0).Writes(0).
		Field("created", "1000").Field("attraction_methods", `["Instagram"]`).Field("data.999.iin", `"`+numbers[999]+`"`)
	t.Log("dry run: ", time.Since(begun))
	c.Get(all).Field("count", "1")

	begun = time.Now()
	made := c.With("Idempotency-Key", "k").Post(individuals, body).Status(201)
	t.Log("import: ", time.Since(begun), made.Cost())
	made.Calls(30).Units(10, 4.2*1000)
	page := c.Get(all).Status(200).Field("count", "1001").Calls(3).Units(12, 0)
	t.Log("page 1: ", page.Cost())

	again := c.With("Idempotency-Key", "k").Post(individuals, body).Status(201).Header("Idempotent-Replayed", "true").Writes(0)
	if string(again.Body()) != string(made.Body()) {
		t.Error("another answer")
	}
	refused := c.Post(individuals, body).Writes(2).Status(400).Calls(30).Field("data.0", `{"iin":["This field must be unique."]}`)
	t.Log("the same again: ", refused.Cost())
	dry := c.Post(individuals+"?dry_run=true", body).Status(400).Calls(12).Writes(0)
	t.Log("dry run of the same: ", dry.Cost())
	c.Get(all).Field("count", "1001")

	api.Clock.Step(time.Minute)
	begun = time.Now()
	api.Deliver()
	t.Log("the worker: ", time.Since(begun))
	c.Get(fmt.Sprintf("%s?pageSize=1&page=1001", all)).Status(200).Field("results.0.name", `"Before"`)
}
