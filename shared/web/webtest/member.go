package webtest

import (
	"context"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Join makes callers members in the table too, with the roles that they claim. Requests need
// it if their transaction checks the membership. If a request creates a company, its owner is
// a member already.
func (a *API) Join(callers ...Caller) *API {
	a.t.Helper()
	for _, c := range callers {
		t := table.Of(a.Env.Table, c.Tenant)
		item := struct {
			table.Item
			User int64       `dynamo:"u"`
			Role tenant.Role `dynamo:"r"`
		}{table.At(t.Member(c.User), 1), c.User, c.Role}
		err := t.Put(item).Run(context.Background())
		for tries := 0; err != nil && table.Unavailable(err) && tries < 50; tries++ { // a faulty table
			err = t.Put(item).Run(context.Background())
		}
		if err != nil {
			a.t.Fatalf("member %d of company %d: %v", c.User, c.Tenant, err)
		}
	}
	return a
}
