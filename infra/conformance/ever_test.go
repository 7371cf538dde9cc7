package conformance_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestNamesOutliveRecords reads all that can be read before and after the client, the item, its group and
// the service of a completed order are deleted. Whatever showed a name of theirs, but for the addresses
// of the records themselves, shows it still.
func TestNamesOutliveRecords(t *testing.T) {
	api := again(t)
	operation{}.join(t, api)
	c := api.As(webtest.Owner(1))
	named := []struct{ name, at, own string }{
		{"Lost client", "/v1/crm/clients/", "/v1/crm/clients/"},
		{"Lost car", "/v1/crm/inventories/", "/v1/crm/inventories/ /v1/cars/"},
		{"Lost service", "/v1/crm/services/", "/v1/crm/services/"},
		{"Lost group", "/v1/crm/groups/", "/v1/crm/groups/"},
	}
	for _, made := range []struct{ path, body string }{
		{"/v1/finances/accounts/", `{"name":"Cash"}`},
		{"/v1/crm/clients/", `{"name":"Lost client","phone":"+77011234567"}`},
		{"/v1/crm/groups/", `{"name":"Lost group"}`},
		{"/v1/crm/inventories/", `{"name":"Lost car","group":1,"car":{"number":"123ABC02"}}`},
		{"/v1/crm/services/", `{"name":"Lost service","price":1500}`},
		{"/v1/crm/requests/", `{"client":1,"status":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z",` +
			`"inventories":[{"inventory":1,"tarif_price":3000}],"services":[{"service":1}]}`},
		{"/v2/documents/", `{"name":"Act","content":"<p>Act</p>","content_type":"client","object_id":1}`},
	} {
		c.Post(made.path, made.body).Status(201)
	}
	api.Clock.Step(time.Hour)
	c.Post("/v1/crm/requests/1/action/", `{"status":2}`).Status(200)
	c.Post("/v1/crm/requests/1/pay/", `{"amount":10000}`).Status(200)
	c.Post("/v1/crm/requests/1/action/", `{"status":4}`).Status(200).Field("status", "4")
	read := func() map[string]string {
		api.Deliver()
		bodies := map[string]string{}
		for _, op := range operations() {
			if op.Method == "GET" && inTenant(op) {
				bodies[op.ID+" "+op.Path] = string(c.Get(op.path() + op.asked()).Body())
			}
		}
		return bodies
	}
	before := read()
	for _, n := range []int{0, 1, 2, 3} { // the group last, which the item holds
		c.Delete(named[n].at + "1/").Status(204)
	}
	after := read()
	for _, n := range named {
		shown := 0
		for op, body := range before {
			_, path, _ := strings.Cut(op, " ")
			if !strings.Contains(body, n.name) || isBelow(path, n.own) {
				continue
			}
			if shown++; !strings.Contains(after[op], n.name) {
				t.Errorf("%s has shown %q and shows %.2000s", op, n.name, after[op])
			}
		}
		if t.Logf("%s: shown by %d", n.name, shown); shown == 0 {
			t.Errorf("nothing shows %q", n.name)
		}
	}
}

func isBelow(path, roots string) bool {
	for _, root := range strings.Fields(roots) {
		if strings.HasPrefix(path, root) {
			return true
		}
	}
	return false
}
