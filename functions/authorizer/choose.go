package authorizer

import (
	"strconv"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

// asked holds the parts of a request that can name a company.
type asked struct {
	header string // X-Tenant-Id
	host   string // the host of the request
	origin string // the host of Origin
}

// choose finds the company of a request among the caller's own companies. The company in the header comes first, then
// the company that has the request's host, then the company that has the host in Origin, then the caller's only
// company. If the header names a company that is not the caller's, no company is chosen and nothing else is tried. A
// host that none of the companies has is skipped: the web layer checks whether it belongs to another company, because
// only the caller's companies are known here.
func choose(companies []tenant.Membership, a asked) (tenant.Membership, principal.Basis) {
	if a.header != "" {
		id, err := strconv.ParseInt(a.header, 10, 64)
		for _, c := range companies {
			if err == nil && int64(c.Tenant) == id {
				return c, principal.ByHeader
			}
		}
		return tenant.Membership{}, principal.ByHeader
	}
	for _, by := range []struct {
		host  string
		basis principal.Basis
	}{{a.host, principal.ByHost}, {a.origin, principal.ByOrigin}} {
		for _, c := range companies {
			if by.host != "" && c.Host == by.host {
				return c, by.basis
			}
		}
	}
	switch len(companies) {
	case 0:
		return tenant.Membership{}, principal.ByNone
	case 1:
		return companies[0], principal.ByOnly
	}
	return tenant.Membership{}, principal.BySeveral
}
