package webtest

import (
	"strconv"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/tenant/scope"
)

// Caller is the sender of a request, as the authorizer would identify it.
type Caller struct {
	principal.Principal
	token string // for a real authorizer
}

// Nobody sends no token.
func Nobody() Caller { return verdict(principal.Missing) }

// BadToken sends a token that is not valid.
func BadToken() Caller { return verdict(principal.Invalid) }

// Unknown is a caller whom the authorizer could not look up, because the table did not answer.
func Unknown() Caller { return verdict(principal.Unavailable) }

// Throttled is a user of company 1 who sends more requests than a company may.
func Throttled() Caller {
	c := verdict(principal.Throttled)
	c.User, c.Tenant = 14, 1
	c.Excess = principal.Excess{Of: principal.OfCompany, Burst: 200, Window: 4, Wait: 2}
	return c
}

func verdict(v principal.Verdict) Caller {
	return Caller{Principal: principal.Principal{Verdict: v, Basis: principal.ByNone}}
}

// SignedIn is a user without a company.
func SignedIn(user int64) Caller {
	return Caller{Principal: principal.Principal{
		Verdict: principal.OK, User: user, Family: "11111111-1111-4111-8111-111111111111", Basis: principal.ByNone,
	}}
}

// Member is a user whose only company is id.
func Member(user int64, id tenant.ID, role tenant.Role) Caller {
	c := SignedIn(user)
	c.Tenant, c.Role, c.Basis = id, role, principal.ByOnly
	return c
}

// OfSeveral is a user of several companies who names none of them.
func OfSeveral(user int64) Caller {
	c := SignedIn(user)
	c.Basis = principal.BySeveral
	return c
}

// Most scenarios need these members: one user for each role in each company.

// Owner is the owner of a company, user 10×id+4.
func Owner(id tenant.ID) Caller { return Member(int64(id)*10+4, id, tenant.Owner) }

// Manager is a manager of a company, user 10×id+3.
func Manager(id tenant.ID) Caller { return Member(int64(id)*10+3, id, tenant.Manager) }

// Employee is an employee of a company, user 10×id+2.
func Employee(id tenant.ID) Caller { return Member(int64(id)*10+2, id, tenant.Employee) }

// ReadOnly is a member of a company who may only look, user 10×id+1.
func ReadOnly(id tenant.ID) Caller { return Member(int64(id)*10+1, id, tenant.ReadOnly) }

// Accountant is a member of a company who may only look, but at finance and metrics, too: user 10×id+5.
func Accountant(id tenant.ID) Caller {
	c := Member(int64(id)*10+5, id, tenant.ReadOnly)
	c.Finance = true
	return c
}

// Feed is a caller with the feed token of a number in a company.
func Feed(number int64, id tenant.ID) Caller {
	return Caller{Principal: principal.Principal{Verdict: principal.OK, Feed: number, Tenant: id, Basis: principal.ByFeed}}
}

// Key is a caller with the key for programs of a number in a company, which has some scopes.
func Key(number int64, id tenant.ID, scopes ...scope.Scope) Caller {
	return Caller{Principal: principal.Principal{
		Verdict: principal.OK, Key: number, Scopes: scope.Of(scopes...), Tenant: id, Basis: principal.ByKey,
	}}
}

// Bearer sends a real access token. It works only with Setup.Authorizer.
func Bearer(token string) Caller { return Caller{token: token} }

// chosen returns the principal of a request with an X-Tenant-Id header, which the authorizer looks at before anything
// else, but for a feed and a key, whose texts say the company.
func (c Caller) chosen(header string) principal.Principal {
	p := c.Principal
	if header == "" || p.Verdict != principal.OK || p.Feed != 0 || p.Key != 0 {
		return p
	}
	p.Basis = principal.ByHeader
	if id, err := strconv.ParseInt(header, 10, 64); err != nil || id != int64(p.Tenant) {
		p.Tenant, p.Role, p.Finance = 0, "", false
	}
	return p
}
