package tenants

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type closeInput struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    struct {
		Password decode.Optional[string] `json:"password" required:"true" maxLength:"128" example:"correct horse battery staple" doc:"The caller's own, once more."`
	}
}

// The faults of taking back that a company was closed.
var (
	errNotClosed = fault.New(fault.Conflict, say.CompanyNotClosed).Coded()
	errErased    = fault.New(fault.Conflict, say.CompanyBeingErased).Coded()
)

func (g *group) closingOperations() []web.Operation {
	return []web.Operation{
		web.Op(web.Operation{
			ID: "tenants-close", Method: http.MethodDelete, Path: "/v1/tenant/{id}/", Access: web.SignedIn,
			Status:  http.StatusNoContent,
			Faults:  append(resource.Changing(), fault.Forbidden, fault.Throttled),
			Summary: "Close a company",
			Doc: "By an owner: else 403. From then on nobody can use it: requests that mean it are 403 with the code company_closed, " +
				"whatever token they have, and whoever is in no other company is signed out. During 14 days an owner can sign in and " +
				"take that back, of which each is told by e-mail; then all that the company has is erased, and people who are in no " +
				"other company with it. Wrong " +
				"passwords count together with those of signing in.",
		}, g.close),
		web.Op(web.Operation{
			ID: "tenants-restore", Method: http.MethodPost, Path: "/v1/tenant/{id}/restore/", Access: web.SignedIn,
			Idempotent: true, Again: g.isMember, Tagged: true,
			Faults:  []fault.Code{fault.Conflict, fault.Forbidden},
			Summary: "Take back that a company was closed",
			Doc: "By an owner: else 403. It is as it was before, suspended if it was so. A company that isn't closed is 409 with the " +
				"code not_closed, and one whose 14 days are over 409 with the code erased.",
		}, g.restore),
	}
}

// close serves DELETE. Of a company that is closed it finishes what another request may not have.
func (g *group) close(ctx context.Context, r *web.Request, in *closeInput) (web.None, error) {
	if in.ID > table.MaxID {
		return web.None{}, fault.ErrNotFound // the number may be longer than any number of ours
	}
	id := tenant.ID(in.ID)
	err := g.scope(r, id).Do(ctx, nil, func(w *record.Work) error {
		c, err := g.owned(ctx, w)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(c.Revision)); err != nil {
			return err
		}
		if err := w.Beforehand("password", func() error {
			return g.again.Check(ctx, r.Principal.User, r.IP, in.Body.Password.Value)
		}); err != nil {
			return err
		}
		if c.State == tenant.Closed || c.State == tenant.Erasing {
			return nil
		}
		staff.Stands(w, tenant.Owner)
		if err := g.tellOwners(ctx, w); err != nil {
			return err
		}
		return standing.Close(w, &c)
	})
	if err != nil {
		return web.None{}, err
	}
	return web.None{}, g.standings.Spread(ctx, id)
}

// restore takes back that a company was closed.
func (g *group) restore(ctx context.Context, r *web.Request, in *companyInput) (*web.Reply[Company], error) {
	if in.ID > table.MaxID {
		return nil, fault.ErrNotFound // the number may be longer than any number of ours
	}
	var c company.Company
	id := tenant.ID(in.ID)
	o := web.OutcomeOf(r, func() (*web.Reply[Company], error) { return reply(r, c, tenant.Owner), nil })
	answer, err := o.After(g.scope(r, id).Do(ctx, o, func(w *record.Work) (err error) {
		if c, err = g.owned(ctx, w); err != nil {
			return err
		}
		switch ends := c.Ends(); {
		case c.State == tenant.Erasing, ends != nil && !g.env.Now().Before(*ends):
			return errErased
		case ends == nil:
			return errNotClosed
		}
		staff.Stands(w, tenant.Owner)
		return standing.Reopen(w, &c)
	}))
	if err != nil {
		return nil, err
	}
	return answer, g.standings.Spread(ctx, id)
}

// owned returns the company of a unit of work, of which the caller has to be an owner.
func (g *group) owned(ctx context.Context, w *record.Work) (company.Company, error) {
	c, role, err := g.own(ctx, w)
	if err == nil && !role.Covers(tenant.Owner) {
		err = fault.ErrForbidden
	}
	return c, err
}

// spreadStanding carries out the message that a change of standing leaves.
func (g *group) spreadStanding(ctx context.Context, m outbox.Message) error {
	scope, err := record.ForMessage(g.env.Table, m, g.env.Now)
	if err != nil {
		return err
	}
	return g.standings.Spread(ctx, scope.Table.ID())
}
