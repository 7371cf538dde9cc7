package tenants

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// Invitation is an invitation for the caller, with the company that sent it.
type Invitation struct {
	ID        int64       `json:"id" doc:"Of the company."`
	Name      string      `json:"name" doc:"Of the company."`
	Role      tenant.Role `json:"role"`
	InvitedAt string      `json:"invited_at" format:"date-time"`
}

type invitationInput struct {
	ID int64 `path:"id"`
}

// invitations lists the invitations for the caller's address. The latest comes first.
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
				ID: o.company.ID, Name: o.company.Name, Role: o.invitee.Role, InvitedAt: o.invitee.CreatedAt(),
			})
		}
	}
	return list, nil
}

// invited is an invitation for the caller, with the records that belong to it.
type invited struct {
	offered
	who crosstenant.Person
}

// invited finds the invitation of the caller into a company. It has to be open.
func (g *group) invited(ctx context.Context, r *web.Request, company int64) (i invited, err error) {
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
	return i, nil
}

// known gives a unit of work the staff record that was read together with the invitation.
func (i invited) known(w *record.Work) {
	key := w.Scope().Table.Record(kinds.Staff, i.Staff)
	w.Know(map[table.Key]table.Attributes{key: table.Attributes(i.found)}, key)
}

// accept makes the caller a member. There is no other way to become a member, except by making
// a company.
func (g *group) accept(ctx context.Context, r *web.Request, in *invitationInput) (*web.Reply[Company], error) {
	if in.ID > table.MaxID {
		return nil, fault.ErrNotFound // the number may be longer than any number of ours
	}
	var joined Company
	o := web.OutcomeOf(r, func() (*web.Reply[Company], error) { return &web.Reply[Company]{Body: &joined}, nil })
	return o.After(g.scope(r, tenant.ID(in.ID)).Do(ctx, o, func(w *record.Work) error {
		i, err := g.invited(ctx, r, in.ID)
		if err != nil {
			return err
		}
		if !i.vouched() {
			return errInvitationOver
		}
		if err := i.company.Refusal(false); err != nil {
			return err
		}
		i.known(w)
		rec, err := g.staff.Kind.Edit(ctx, w, i.Staff)
		if err != nil {
			return err
		}
		places, err := g.seats(ctx, w, i.company, 0) // it has the invitation's own
		if err != nil {
			return err
		}
		user, address := r.Principal.User, rec.Email
		rec.SetUser(user, i.who)
		joined = shown(i.company, rec.Role, r.BaseURL)
		member := staff.Member{User: user, Role: rec.Role, Finance: rec.Finance, At: g.env.Now().UTC(), Staff: rec.ID}
		w.Also(func(tx *table.Tx) error {
			g.store.withdraw(tx, address, i.Tenant, rec.ID)
			g.store.stands(tx, i.Tenant, i.inviter)
			g.store.join(tx, i.company, member)
			g.store.checkCompanyCount(tx, places, rec.Role)
			g.store.unchanged(tx, user, i.who)
			return nil
		})
		return nil
	}))
}

// checkCompanyCount ensures that the company's host and standing, which the new member gets too, are unchanged since they were read, and
// counts the member: if it is an owner, and where seats were not counted before. All are one operation, because a transaction may
// contain an item only once.
func (s store) checkCompanyCount(tx *table.Tx, places seats, role tenant.Role) {
	c := places.company
	condition, args := "attribute_not_exists(h)", []any(nil)
	if c.Host != "" {
		condition, args = "h = ?", []any{c.Host}
	}
	if c.Since == 0 {
		condition += " AND attribute_not_exists(sta)"
	} else {
		condition, args = condition+" AND sta = ?", append(args, c.Since)
	}
	if role == tenant.Owner || !places.counted {
		u := s.update(places).If(condition, args...)
		if role == tenant.Owner {
			u = u.Add("ow", 1)
		}
		tx.Update(u, table.ErrRevision)
		return
	}
	check := s.all.Table().Check("pk", c.PK).Range("sk", c.SK).If(condition, args...)
	if most := c.PlanOf().Members; most > 0 {
		check = check.If("mn <= ?", most)
	}
	tx.Check(check, table.ErrRevision)
}

// decline ends an invitation, also of a company that is suspended or closed: it takes nothing from anybody, and whoever wants to be
// rid of it needn't wait for the company. The staff record disappears from the company's list, but its history stays.
func (g *group) decline(ctx context.Context, r *web.Request, in *invitationInput) (*web.Reply[web.None], error) {
	if in.ID > table.MaxID {
		return nil, fault.ErrNotFound // the number may be longer than any number of ours
	}
	o := web.OutcomeOf(r, func() (*web.Reply[web.None], error) { return &web.Reply[web.None]{Status: http.StatusNoContent}, nil })
	return o.After(g.scope(r, tenant.ID(in.ID)).Do(ctx, o, func(w *record.Work) error {
		i, err := g.invited(ctx, r, in.ID)
		if err != nil {
			return err
		}
		if i.company.State == tenant.Erasing {
			return errInvitationOver // it goes with the company
		}
		places, err := g.seats(ctx, w, i.company, -1)
		if err != nil {
			return err
		}
		w.Also(func(tx *table.Tx) error {
			g.store.withdraw(tx, i.invitee.Email, i.Tenant, i.invitee.ID)
			tx.Update(g.store.update(places), table.ErrRevision)
			return nil
		})
		i.known(w)
		return g.staff.Kind.Remove(ctx, w, i.Staff)
	}))
}
