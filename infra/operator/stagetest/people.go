package stagetest

import (
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/feed"
	"github.com/tenantry/tenantry/functions/tenants/key"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// hash stands for that of a feed token and of a key.
const hash = "LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ"

// People gives a company one of each of those who call it: user 1, a feed token and a key, as the authorizer reads them and as the company
// has them.
func (s *Stage) People(t testing.TB, id tenant.ID) {
	t.Helper()
	of, all := table.Of(s.Conn, id), crosstenant.Open(s.Conn)
	for _, item := range []any{
		staff.Member{Item: table.At(of.Member(1), staff.MemberVersion), User: 1, Role: tenant.Owner},
		crosstenant.MembershipsItem{
			Item: table.At(crosstenant.Memberships(1), crosstenant.MembershipsVersion),
			List: []tenant.Membership{{Tenant: id, Role: tenant.Owner}},
		},
		feed.Token{Meta: record.Meta{Item: table.At(of.Record(kinds.FeedToken, 1), 1), ID: 1}, Name: "F", Hash: hash},
		crosstenant.FeedItem{Item: table.At(crosstenant.Feed(hash), crosstenant.FeedVersion), Tenant: id, ID: 1},
		key.Key{Meta: record.Meta{Item: table.At(of.Record(kinds.Key, 1), 1), ID: 1}, Name: "K", Hash: hash},
		crosstenant.KeyItem{Item: table.At(crosstenant.Key(hash), crosstenant.KeyVersion), Tenant: id, ID: 1},
	} {
		if err := all.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Standings is how the company stands to each of those, by its own record first.
func (s *Stage) Standings(t testing.TB, id tenant.ID) []tenant.Standing {
	t.Helper()
	all := crosstenant.Open(s.Conn)
	var company struct {
		table.Item
		tenant.Standing
	}
	var user crosstenant.MembershipsItem
	var token crosstenant.FeedItem
	var program crosstenant.KeyItem
	for k, out := range map[table.Key]any{
		table.Of(s.Conn, id).Company(): &company, crosstenant.Memberships(1): &user,
		crosstenant.Feed(hash): &token, crosstenant.Key(hash): &program,
	} {
		if err := all.Get(t.Context(), k, out); err != nil {
			t.Fatal(err)
		}
	}
	return []tenant.Standing{company.Standing, user.List[0].Standing, token.Standing, program.Standing}
}
