// Package tenants serves companies: it makes, reads and changes them, finds them by their domains, and manages their
// members.
//
// # Domains
//
// A company's domain is a label below the platform's own domain, which is reserved when the
// company is made, or a full host name. A full host name is valid once the owner of the host
// confirms it in the public DNS with a TXT record:
//
//	_tenantry.<host>  "tenantry-company=<id of the company>"
//
// Only the owner of the host can write that record, and it names the company, so it needs no
// secret. Until then the host is only a claim, and several companies may claim the same one;
// the first to prove it gets it. A message of the outbox checks for the record for a week.
//
// # Staff
//
// A company invites an e-mail address, and the person who has an account with that address
// accepts: nobody becomes a member without agreeing. An invitation ends after two weeks, or
// when its sender may no longer give the role. A transaction writes the company's record of
// the member (staff), the invitation under the address, the membership that the authorizer
// reads, and the number of owners together. Therefore a changed role is valid everywhere at
// once, and a company always has an owner, even if several leave at the same moment.
//
// What never goes in here: users and sign-in (identity), and the records of a company (the
// other groups).
package tenants

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/export"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type group struct {
	env   app.Env
	store store
	staff staffRecords
	brake brake

	throttle  throttle.Throttle
	uploads   uploads.Store
	standings standing.Standings
	again     credential.Again
}

// makeTries is how often a user may try to make a company in a day of UTC. Each try uses up a
// number, and each company a name, for ever.
const makeTries = 30

func newGroup(env app.Env) *group {
	g := &group{
		env: env, store: open(env.Table), staff: newStaffRecords(), throttle: throttle.Open(env.Table, env.Now),
		uploads:   uploads.Store{Files: env.Files, Now: env.Now, NewUUID: env.NewUUID},
		standings: standing.Open(env.Table), again: credential.Open(env.Table, env.Now),
	}
	if g.env.LookupTXT == nil {
		g.env.LookupTXT = net.DefaultResolver.LookupTXT
	}
	return g
}

// Urgent returns the handlers of the group's urgent messages.
func Urgent(env app.Env) outbox.Work { return outbox.Work{inviteKind: newGroup(env).deliverInvitation} }

// Work returns the handlers of the group's other messages.
func Work(env app.Env) outbox.Work {
	g := newGroup(env)
	return outbox.Work{
		export.Done: g.tellExported, closedKind: g.tellClosed, provenKind: g.prove,
		crosstenant.ProfileChanged: g.spreadProfile, standing.Spread: g.spreadStanding,
	}
}

// Bulk returns the handlers of the group's messages that may take long.
func Bulk(env app.Env) outbox.Work { return outbox.Work{export.Kind: newGroup(env).makeExport} }

// New makes the group.
func New(env app.Env) app.Group {
	g := newGroup(env)
	return app.Group{
		Group: web.Group{
			Name: "tenants",
			Doc:  "The companies of a user, the people of a company, and whether a domain is free.",
			Zone: company.ZoneOf,
			Operations: slices.Concat(
				g.companyOperations(), g.closingOperations(), g.exportOperations(), g.usageOperations(),
				g.invitationOperations(), g.staffOperations(),
			),
		},
		Work: outbox.Join(Urgent(env), Work(env), Bulk(env)),
	}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{staff.Kind().Searched()}
}

func (g *group) companyOperations() []web.Operation {
	change := web.Operation{
		ID:       "tenants-update",
		Thorough: true,
		Method:   http.MethodPut,
		Path:     "/v1/tenant/{id}/",
		Access:   web.SignedIn,
		Faults:   append(resource.Changing(), fault.Forbidden),
		Summary:  "Change a company",
		Doc: "Fields that are left out keep their value. It takes a manager or an owner: else 403. The currency can be changed until " +
			"the first record of a kind with amounts was made, such as a client, a service or an account, deleted or not: then it is " +
			"409 with the code currency. The domain can't be changed.",
	}
	patch := change
	patch.ID, patch.Method, patch.Summary = "tenants-patch", http.MethodPatch, "Change some fields of a company"
	return []web.Operation{
		web.Op(web.Operation{
			ID: "tenants-list", Method: http.MethodGet, Path: "/v1/tenant/", Access: web.SignedIn,
			Summary: "List the caller's companies",
			Doc:     "Newest first. The ids are what X-Tenant-Id takes.",
		}, g.list),
		web.Op(web.Operation{
			ID: "tenants-create", Thorough: true, Method: http.MethodPost, Path: "/v1/tenant/", Access: web.SignedIn,
			Status:     http.StatusCreated,
			Idempotent: true, Again: g.isMember,
			Faults:  []fault.Code{fault.Throttled},
			Summary: "Make a company",
			Doc: "The caller becomes its owner. `domain` is a label under the platform's domain, or a full host " +
				"name, which counts once the TXT record `_tenantry.<host>` says `tenantry-company=<id>`; it is " +
				"looked for during seven days. A user can be in " + strconv.Itoa(maxCompanies) + " companies, and try to " +
				"make one " + strconv.Itoa(makeTries) + " times a day (UTC).",
		}, g.create),
		web.Op(web.Operation{
			ID:      "tenants-read",
			Method:  http.MethodGet,
			Path:    "/v1/tenant/{id}/",
			Access:  web.SignedIn,
			Summary: "Read a company",
			Doc: "One of the caller's own, in any role; X-Tenant-Id is not looked at. The ETag of the answer can be sent as " +
				"If-Match with a change.",
		}, g.read),
		web.Op(web.Operation{
			ID:       "tenants-logo",
			Method:   http.MethodGet,
			Path:     "/v1/tenant/{id}/logo/",
			Access:   web.SignedIn,
			Produces: []string{"*/*"},
			Answers:  web.Downloads(),
			Summary:  "The logo of a company",
			Doc: "Of one of the caller's own. Redirects to an address that works for some minutes; a caller who asks for " +
				"application/json gets it as JSON. 404 where it is no upload.",
		}, g.showLogo),
		web.Op(change, g.edit),
		web.Op(patch, g.edit),
		web.Op(web.Operation{
			ID: "tenants-domains", Method: http.MethodPost, Path: "/v1/tenant/domains/", Access: web.Public,
			Faults:  []fault.Code{fault.Throttled},
			Summary: "Is a domain taken?",
			Doc:     "Reserved names count as taken.",
		}, g.domain),
	}
}

func (g *group) invitationOperations() []web.Operation {
	const one = "/v1/tenant/invitations/{id}/"
	return []web.Operation{
		web.Op(web.Operation{
			ID:      "tenants-invitations",
			Method:  http.MethodGet,
			Path:    "/v1/tenant/invitations/",
			Access:  web.SignedIn,
			Summary: "List the companies that invite the caller",
			Doc: "The invitations for the caller's e-mail address that can be accepted, the latest first; of more than " +
				strconv.Itoa(maxInvitations) + " the latest " + strconv.Itoa(maxInvitations) + ".",
		}, g.invitations),
		web.Op(web.Operation{
			ID: "tenants-invitations-accept", Method: http.MethodPost, Path: one + "accept/", Access: web.SignedIn,
			Idempotent: true, Again: g.isMember,
			Faults:  []fault.Code{fault.Conflict, fault.Forbidden},
			Summary: "Accept an invitation",
			Doc: "The caller is a member from then on, and the company sees the name, phone and address of the caller's profile. An " +
				"invitation is valid for " + strconv.Itoa(invitationDays) + " days, and as long as whoever sent it, or changed its " +
				"role since, is a member who may give that role: else 404. A user can be in " + strconv.Itoa(maxCompanies) +
				" companies. A company whose plan has room for fewer members than it has with the caller is 403 with the code plan.",
		}, g.accept),
		web.Op(web.Operation{
			ID: "tenants-invitations-decline", Method: http.MethodPost, Path: one + "decline/", Access: web.SignedIn,
			Status: http.StatusNoContent, Idempotent: true,
			Faults:  []fault.Code{fault.Conflict},
			Summary: "Decline an invitation",
			Doc: "It is gone, for the company too, which can send another. An expired one is 404. It works also while the " +
				"company is suspended or closed.",
		}, g.decline),
	}
}

func (g *group) staffOperations() []web.Operation {
	const owners = "Only an owner can touch an owner, or make somebody one: else 403. "
	one, changing := g.staff.Path()+"{id}/", resource.Changing()
	change := web.Operation{
		ID: "users-update", Method: http.MethodPut, Path: one, Role: tenant.Manager, Faults: changing,
		Summary: "Change the role of a user",
		Doc: "It counts from the user's next request on. " + owners + "A company keeps at least one owner: else 409 with the " +
			"code last_owner. Names can be changed until the invitation is accepted; then they are those of the user's profile. " +
			"Whoever changes the role of an invitation stands for it from then on; that of an expired one can't be changed.",
	}
	patch := change
	patch.ID, patch.Method, patch.Summary = "users-patch", http.MethodPatch, "Change some fields of a user"
	return []web.Operation{
		g.staff.List(g.env.Now),
		web.Op(web.Operation{
			ID: "users-create", Method: http.MethodPost, Path: g.staff.Path(), Role: tenant.Manager,
			Status: http.StatusCreated, Idempotent: true,
			Faults:  []fault.Code{fault.Throttled},
			Summary: "Invite a user",
			Doc: "Whoever has the address gets an e-mail, and becomes a member by accepting, within " + strconv.Itoa(invitationDays) +
				" days from `created_at`, and as long as the sender is a member who may give the role. An invitation that has expired " +
				"stays in the list: remove it to invite the address again. " + owners + "A company and a user can send " +
				strconv.Itoa(invitesOfCompany) + " invitations a day (UTC) each; an address gets " + strconv.Itoa(invitesOfOneToOne) +
				" of one company, and " + strconv.Itoa(invitesToAddress) + " of all. More members and " +
				"invitations than the plan of the company has room for are 403 with the code plan.",
		}, g.invite),
		g.staff.Read(g.env.Now),
		web.Op(change, g.change),
		web.Op(patch, g.change),
		web.Op(web.Operation{
			ID:      "users-delete",
			Method:  http.MethodDelete,
			Path:    one,
			Role:    tenant.Manager,
			Status:  http.StatusNoContent,
			Faults:  changing,
			Summary: "Remove a user",
			Doc: "A member loses access from the next request on; an invitation, expired or not, is withdrawn. " + owners + "A " +
				"company keeps at least one owner: else 409 with the code last_owner.",
		}, g.remove),
	}
}

func (g *group) list(ctx context.Context, r *web.Request, _ *struct{}) ([]Company, error) {
	items, roles, err := g.store.ofUser(ctx, r.Principal.User)
	if err != nil {
		return nil, err
	}
	companies := make([]Company, 0, len(items))
	for _, item := range items {
		companies = append(companies, shown(item, roles[tenant.ID(item.ID)], r.BaseURL))
	}
	return companies, nil
}

func (g *group) create(ctx context.Context, r *web.Request, in *struct{ Body companyBody }) (*web.Reply[Company], error) {
	c, err := in.Body.parse(g.env.Config.PlatformDomain)
	if err := cmp.Or(err, r.Wrong.Err()); err != nil {
		return nil, err
	}
	if c.Logo, err = g.firstLogo(ctx, in.Body.Logo); err != nil {
		return nil, err
	}
	tries := throttle.Rule{Name: "company", Limit: makeTries, Window: 24 * time.Hour}
	if _, err := g.throttle.Take(ctx, tries.Of(strconv.FormatInt(r.Principal.User, 10))); err != nil {
		return nil, err
	}
	id, err := g.store.nextID(ctx)
	if err != nil {
		return nil, err
	}
	scope := g.scope(r, id)
	c.Item, c.ID, c.Owners, c.Seats = table.At(scope.Table.Company(), company.Version), int64(id), 1, new(int64(1))
	c.CreatedAt, c.CreatedBy = g.env.Now().UTC(), r.Principal.User
	o := web.OutcomeOf(r, func() (*web.Reply[Company], error) { return made(r, c), nil })
	return o.After(scope.Do(ctx, o, func(w *record.Work) error { return g.found(ctx, w, c) }))
}

// found makes a company with its creator as the owner, and the first entry of its history.
func (g *group) found(ctx context.Context, w *record.Work, c company.Company) error {
	who, err := g.store.person(ctx, c.CreatedBy)
	if err != nil {
		return err
	}
	founder := new(staff.Staff)
	g.staff.Kind.Create(w, "", founder)
	founder.SetUser(c.CreatedBy, who)
	founder.Role = tenant.Owner
	if err := w.Number(ctx); err != nil {
		return err
	}
	member := staff.Member{User: c.CreatedBy, Role: tenant.Owner, At: c.CreatedAt, Staff: founder.ID}
	w.Also(func(tx *table.Tx) error {
		g.store.establish(tx, c)
		g.store.join(tx, c, member)
		g.store.unchanged(tx, c.CreatedBy, who)
		return nil
	})
	w.Revise(audit.Revision{
		Kind: kinds.Company, ID: c.ID, Number: 1, Action: audit.Created, After: audit.View{Fields: log(c)},
	})
	if c.Claim == "" {
		return nil
	}
	return w.Send(provenKind, claimBody{Host: c.Claim})
}

// logged is a company as its history shows what its members change of it: without the field that depends on the member who looks, and
// without its standing, whose changes are shown by themselves (standing.Change).
type logged struct {
	Company
	Role     *struct{} `json:"role,omitempty"` // these hide those of Company
	State    *struct{} `json:"state,omitempty"`
	Notice   *struct{} `json:"notice,omitempty"`
	ErasedAt *struct{} `json:"erased_at,omitempty"`
}

func log(c company.Company) logged {
	l := logged{Company: shown(c, "", "")}
	l.Logo = c.Logo.Told()
	return l
}

// domainBody is the body of a question about one domain.
type domainBody struct {
	Domain decode.Optional[string] `json:"domain" required:"true" maxLength:"253" example:"acme"`
}

// DomainAnswer says whether a domain is taken.
type DomainAnswer struct {
	Exists bool `json:"exists"`
}

func (g *group) domain(ctx context.Context, r *web.Request, in *struct{ Body domainBody }) (DomainAnswer, error) {
	if caller := throttle.Caller(r.IP); g.brake.ask(caller, g.env.Now()) {
		if _, err := g.throttle.Take(ctx, braked(caller)); err != nil {
			g.brake.refuse(caller)
			return DomainAnswer{}, err
		}
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
