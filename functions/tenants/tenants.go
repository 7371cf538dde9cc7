// Package tenants is the companies: making one, listing a user's own, and the
// domain under which a company is found.
//
// # Domains
//
// A company's domain is a label under the platform's own domain, which is
// reserved when the company is made; or a full host name, which counts once
// its owner says so in the public DNS, by a TXT record:
//
//	_tenantry.<host>  "tenantry-company=<id of the company>"
//
// Only who owns the host can write it, and it names the company, so it needs
// no secret. Until then the host is a mere claim, and several companies may
// claim one; the first to prove it has it. A message of the outbox looks for
// the record for a week.
//
// What never goes in here: users and sign-in (identity), and what a company
// owns (the groups').
package tenants

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"time"
	_ "time/tzdata" // a function's machine has no time zones

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/function"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/throttle"
	"github.com/tenantry/tenantry/shared/web"
)

type group struct {
	env   function.Env
	store store
	brake brake

	throttle throttle.Throttle
}

// makeTries is how often a user may try to make a company in a day of UTC. Each
// try takes a number of the platform, and each company a name, for ever.
const makeTries = 30

// New makes the group.
func New(env function.Env) function.Group {
	g := &group{env: env, store: open(env.Table), throttle: throttle.Open(env.Table, env.Now)}
	if g.env.LookupTXT == nil {
		g.env.LookupTXT = net.DefaultResolver.LookupTXT
	}
	return function.Group{
		Group: web.Group{
			Name: "tenants",
			Doc:  "The companies of a user, and whether a domain is free.",
			Operations: []web.Operation{
				web.Op(web.Operation{
					ID: "tenants-list", Method: http.MethodGet, Path: "/v1/tenant/", Access: web.SignedIn,
					Summary: "List the caller's companies",
					Doc:     "Newest first. The ids are what X-Tenant-Id takes.",
				}, g.list),
				web.Op(web.Operation{
					ID: "tenants-create", Method: http.MethodPost, Path: "/v1/tenant/", Access: web.SignedIn,
					Status:  http.StatusCreated,
					Faults:  []fault.Code{fault.Throttled},
					Summary: "Make a company",
					Doc: "The caller becomes its owner. `domain` is a label under the platform's domain, or a full host " +
						"name, which counts once the TXT record `_tenantry.<host>` says `tenantry-company=<id>`; it is " +
						"looked for during seven days. A user can be in " + strconv.Itoa(maxCompanies) + " companies, and try to " +
						"make one " + strconv.Itoa(makeTries) + " times a day (UTC).",
				}, g.create),
				web.Op(web.Operation{
					ID: "tenants-domains", Method: http.MethodPost, Path: "/v1/tenant/domains/", Access: web.Public,
					Faults:  []fault.Code{fault.Throttled},
					Summary: "Is a domain taken?",
					Doc:     "Reserved names count as taken.",
				}, g.domain),
			},
		},
		Work: outbox.Work{provenKind: g.prove},
	}
}

func (g *group) list(ctx context.Context, r *web.Request, _ *struct{}) ([]Company, error) {
	items, err := g.store.ofUser(ctx, r.Principal.User)
	if err != nil {
		return nil, err
	}
	companies := make([]Company, 0, len(items))
	for _, item := range items {
		companies = append(companies, item.company())
	}
	return companies, nil
}

func (g *group) create(ctx context.Context, r *web.Request, in *struct{ Body companyBody }) (Company, error) {
	now := g.env.Now()
	made, err := in.Body.company(g.env.Config.PlatformDomain)
	if err != nil {
		return Company{}, err
	}
	tries := throttle.Rule{Name: "company", Limit: makeTries, Window: 24 * time.Hour}
	if _, err := g.throttle.Take(ctx, tries.Of(strconv.FormatInt(r.Principal.User, 10))); err != nil {
		return Company{}, err
	}
	made.CreatedAt, made.CreatedBy = now.UTC(), r.Principal.User
	item, err := g.store.create(ctx, made, now)
	if err != nil {
		return Company{}, err
	}
	return item.company(), nil
}

// domainBody asks for one domain.
type domainBody struct {
	Domain decode.Optional[string] `json:"domain" required:"true" maxLength:"253"`
}

// DomainAnswer says whether a domain is taken.
type DomainAnswer struct {
	Exists bool `json:"exists"`
}

func (g *group) domain(ctx context.Context, r *web.Request, in *struct{ Body domainBody }) (DomainAnswer, error) {
	if wait := g.brake.hold(throttle.Caller(r.IP), g.env.Now()); wait > 0 {
		return DomainAnswer{}, fault.TooMany(wait)
	}
	d, message := parseDomain(in.Body.Domain.Value, g.env.Config.PlatformDomain)
	switch {
	case d.reserved:
		return DomainAnswer{Exists: true}, nil
	case message != "":
		return DomainAnswer{}, fault.Field("domain", message)
	}
	exists, err := g.store.taken(ctx, d.host)
	return DomainAnswer{Exists: exists}, err
}
