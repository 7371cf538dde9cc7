package history_test

import (
	"testing"

	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Who may read the company's money may read what happened to it, and nothing else that needs a role.
func TestAccountants(t *testing.T) {
	api := webtest.New(t, history.New)
	api.Join(webtest.Accountant(1))
	money := map[string]bool{"account": true, "transaction": true, "exchange": true, "metric": true}
	for _, k := range kinds.All() {
		want, others := 200, 200
		if !tenant.ReadOnly.Covers(k.Role) {
			if others = 403; !money[k.Name] {
				want = 403
			}
		}
		api.As(webtest.Accountant(1)).Get(path + k.Name + ":1").Status(want)
		api.As(webtest.ReadOnly(1)).Get(path + k.Name + ":1").Status(others)
	}
}
