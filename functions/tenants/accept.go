package tenants

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/guregu/dynamo/v2"

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
	open, err := g.store.invitations(ctx, who.Email)
	if err != nil {
		return nil, err
	}
	var keys []table.Key
	for _, i := range open {
		t := table.Of(g.env.Table, i.Tenant)
		keys = append(keys, t.Company(), t.Record(table.Staff, i.Staff))
	}
	items, err := g.store.all.GetMany(ctx, keys...)
	if err != nil {
		return nil, err
	}
	list := make([]Invitation, 0, len(open))
	for _, i := range open {
		t := table.Of(g.env.Table, i.Tenant)
		var c companyItem
		var place staff
		if err := errors.Join(into(items[t.Company()], &c), into(items[t.Record(table.Staff, i.Staff)], &place)); err != nil {
			return nil, err
		}
		if c.ID != 0 && place.ID != 0 && !place.active() { // else it ended between the two reads
			list = append(list, Invitation{ID: c.ID, Name: c.Name, Role: string(place.Role), InvitedAt: place.CreatedAt()})
		}
	}
	slices.SortFunc(list, func(a, b Invitation) int {
		return cmp.Or(cmp.Compare(b.InvitedAt, a.InvitedAt), cmp.Compare(b.ID, a.ID))
	})
	return list, nil
}

// into decodes an item, if there is one.
func into(item dynamo.Item, to any) error {
	if item == nil {
		return nil
	}
	return dynamo.UnmarshalItem(item, to)
}

// invited is an invitation with all that its answer depends on.
type invited struct {
	who     crosstenant.Person
	company companyItem
	place   *staff
	writer  staffWriter // of the company, on behalf of the caller
}

func (i invited) tenant() tenant.ID { return tenant.ID(i.company.ID) }

// invited finds the caller's invitation into a company.
func (g *group) invited(ctx context.Context, r *web.Request, company int64) (i invited, err error) {
	if company > table.MaxID {
		return i, fault.ErrNotFound // a caller's number may be longer than ours
	}
	if i.who, err = g.store.person(ctx, r.Principal.User); err != nil {
		return i, err
	}
	item, c, err := g.store.invitation(ctx, i.who.Email, company)
	if err != nil {
		return i, err
	}
	within := *r
	within.Table = table.Of(g.env.Table, item.Tenant)
	i.company, i.writer = c, g.staff.Writer(&within, g.env.Now)
	i.place, err = i.writer.Get(ctx, item.Staff)
	if errors.Is(err, fault.ErrNotFound) || err == nil && i.place.active() { // it has ended since
		err = table.ErrRevision
	}
	return i, err
}

// accept makes the caller a member. Nobody becomes one otherwise.
func (g *group) accept(ctx context.Context, r *web.Request, in *invitationInput) (reply *web.Reply, err error) {
	err = table.Optimistic(ctx, func() error {
		i, err := g.invited(ctx, r, in.ID)
		if err != nil {
			return err
		}
		user, before, after := r.Principal.User, i.place, i.writer.Next(i.place)
		after.is(user, i.who)
		member := memberItem{User: user, Role: after.Role, At: g.env.Now().UTC(), Staff: after.ID}
		reply = &web.Reply{Body: i.company.company()}
		err = g.store.all.Write(ctx, func(tx *table.Tx, _ int) error {
			g.store.withdraw(tx, before.Email, i.tenant(), before.ID)
			if err := i.writer.Replace(tx, before, after, unique.Claims{}); err != nil {
				return err
			}
			g.store.join(tx, i.tenant(), member, i.company.Host)
			g.store.hosted(tx, i.company, after.Role)
			g.store.unchanged(tx, user, i.who)
			return r.Keep(ctx, tx, reply)
		})
		return directory.Settle(err, func() (bool, error) {
			now, err := i.writer.Get(ctx, before.ID)
			return err == nil && now.User == user, err
		})
	})
	return reply, err
}

// hosted makes sure that a new member has the host of the company as it is now,
// and counts an owner.
func (s store) hosted(tx *table.Tx, c companyItem, role tenant.Role) {
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
		return g.end(ctx, i.writer, i.place, func(tx *table.Tx) error {
			g.store.withdraw(tx, i.place.Email, i.tenant(), i.place.ID)
			return r.Keep(ctx, tx, reply)
		})
	})
}
