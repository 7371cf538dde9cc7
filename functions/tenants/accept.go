package tenants

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/unique"
	"github.com/tenantry/tenantry/shared/web"
)

// Invitation is a company that invites the caller.
type Invitation struct {
	ID        int64  `json:"id" doc:"Of the company."`
	Name      string `json:"name" doc:"Of the company."`
	Role      string `json:"role" enum:"owner,manager,employee,read-only"`
	InvitedAt string `json:"invited_at" format:"date-time"`
}

type invitationInput struct {
	ID int64 `path:"id"`
}

// invitations lists those of the caller's address, the latest first.
func (g *group) invitations(ctx context.Context, r *web.Request, _ *struct{}) ([]Invitation, error) {
	who, err := g.store.person(ctx, r.Principal.User)
	if err != nil {
		return nil, err
	}
	open, err := g.store.invitations(ctx, who.Email, g.env.Now())
	if err != nil {
		return nil, err
	}
	all, err := g.store.offered(ctx, open...)
	if err != nil {
		return nil, err
	}
	list := make([]Invitation, 0, len(all))
	for _, o := range all {
		if !o.ended() && o.vouched() {
			list = append(list, Invitation{
				ID: o.company.ID, Name: o.company.Name, Role: string(o.invitee.Role), InvitedAt: o.invitee.CreatedAt(),
			})
		}
	}
	return list, nil
}

// invited is an invitation of the caller.
type invited struct {
	offered
	who    crosstenant.Person
	writer staffWriter // of the company, on behalf of the caller
}

// invited finds the caller's invitation into a company, as long as it is open.
func (g *group) invited(ctx context.Context, r *web.Request, company int64) (i invited, err error) {
	if company > table.MaxID {
		return i, fault.ErrNotFound // a caller's number may be longer than ours
	}
	if i.who, err = g.store.person(ctx, r.Principal.User); err != nil {
		return i, err
	}
	item, err := g.store.invitation(ctx, i.who.Email, tenant.ID(company))
	if err != nil {
		return i, err
	}
	if !item.open(g.env.Now()) {
		return i, errInvitationOver
	}
	found, err := g.store.offered(ctx, item)
	if err != nil {
		return i, err
	}
	if i.offered = found[0]; i.ended() {
		return i, table.ErrRevision
	}
	within := *r
	within.Table = table.Of(g.env.Table, item.Tenant)
	i.writer = g.staff.Writer(&within, g.env.Now)
	return i, nil
}

// accept makes the caller a member. Nobody becomes one otherwise.
func (g *group) accept(ctx context.Context, r *web.Request, in *invitationInput) (reply *web.Reply, err error) {
	err = table.Optimistic(ctx, func() error {
		i, err := g.invited(ctx, r, in.ID)
		if err != nil {
			return err
		}
		if !i.vouched() {
			return errInvitationOver
		}
		user, before, after := r.Principal.User, &i.invitee, i.writer.Next(&i.invitee)
		after.setUser(user, i.who)
		member := memberItem{User: user, Role: after.Role, At: g.env.Now().UTC(), Staff: after.ID}
		reply = &web.Reply{Body: i.company.company(after.Role)}
		err = g.store.all.Write(ctx, func(tx *table.Tx, _ int) error {
			g.store.withdraw(tx, before.Email, i.Tenant, before.ID)
			if err := i.writer.Replace(tx, before, after, unique.Claims{}); err != nil {
				return err
			}
			g.store.stands(tx, i.Tenant, i.inviter)
			g.store.join(tx, i.Tenant, member, i.company.Host)
			g.store.checkHostCountOwner(tx, i.company, after.Role)
			g.store.unchanged(tx, user, i.who)
			return r.Keep(ctx, tx, reply)
		})
		return directory.Settle(err, func() (bool, error) { return i.writer.Happened(ctx, after) })
	})
	return reply, err
}

// checkHostCountOwner makes sure that the company's host is as it was read,
// which a new member is given, and counts the member if it is an owner: a
// transaction touches an item once.
func (s store) checkHostCountOwner(tx *table.Tx, c companyItem, role tenant.Role) {
	condition, args := "attribute_not_exists(h)", []any(nil)
	if c.Host != "" {
		condition, args = "h = ?", []any{c.Host}
	}
	if role == tenant.Owner {
		tx.Update(s.all.Update(c.Key()).Add("ow", 1).If(condition, args...), table.ErrRevision)
		return
	}
	tx.Check(s.all.Table().Check("pk", c.PK).Range("sk", c.SK).If(condition, args...), table.ErrRevision)
}

// decline ends an invitation: the company's list loses it, its history keeps it.
func (g *group) decline(ctx context.Context, r *web.Request, in *invitationInput) (reply *web.Reply, err error) {
	reply = &web.Reply{Status: http.StatusNoContent}
	return reply, table.Optimistic(ctx, func() error {
		i, err := g.invited(ctx, r, in.ID)
		if err != nil {
			return err
		}
		return g.end(ctx, i.writer, &i.invitee, func(tx *table.Tx) error {
			g.store.withdraw(tx, i.invitee.Email, i.Tenant, i.invitee.ID)
			return r.Keep(ctx, tx, reply)
		})
	})
}
