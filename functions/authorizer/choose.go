package authorizer

import (
	"strconv"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

// asked has the parts of a request that can name a company.
type asked struct {
	header string // X-Tenant-Id
	host   string // the request's own
	origin string // the host of Origin
}

// choose finds the company of a request among the caller's own: the one that the header names,
// else that of the host, else that of Origin, else the only one. If the header names none of
// them, no company is chosen, and nothing else is tried. A host that matches none of them is
// skipped here. The web layer checks whether it belongs to another company, because only the
// caller's own companies are known here.
func choose(companies []tenant.Membership, a asked) (tenant.ID, tenant.Role, principal.Basis) {
	if a.header != "" {
		id, err := strconv.ParseInt(a.header, 10, 64)
		for _, c := range companies {
			if err == nil && int64(c.Tenant) == id {
				return c.Tenant, c.Role, principal.ByHeader
			}
		}
		return 0, "", principal.ByHeader
	}
	for _, by := range []struct {
		host  string
		basis principal.Basis
	}{{a.host, principal.ByHost}, {a.origin, principal.ByOrigin}} {
		for _, c := range companies {
			if by.host != "" && c.Host == by.host {
				return c.Tenant, c.Role, by.basis
			}
		}
	}
	switch len(companies) {
	case 0:
		return 0, "", principal.ByNone
	case 1:
		return companies[0].Tenant, companies[0].Role, principal.ByOnly
	}
	return 0, "", principal.BySeveral
}
