package tenants

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/principal"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/unique"
	"github.com/tenantry/tenantry/shared/web"
)

// spreadProfile brings the names and the phone of a user to the companies of the
// user, which show them in their lists. It writes what is true now, so it does
// not matter in which order messages come, or how often.
func (g *group) spreadProfile(ctx context.Context, m outbox.Message) error {
	var c crosstenant.ProfileChange
	if err := m.Decode(&c); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	list, err := g.store.memberships(ctx, c.User)
	if err != nil {
		return err
	}
	keys := make([]table.Key, len(list))
	for i, membership := range list {
		keys[i] = table.Of(g.env.Table, membership.Tenant).Member(c.User)
	}
	items, err := g.store.all.GetMany(ctx, keys...)
	if err != nil {
		return err
	}
	for i, membership := range list {
		var member memberItem
		if err := into(items[keys[i]], &member); err != nil {
			return err
		}
		r := &web.Request{
			ID: c.Request, Table: table.Of(g.env.Table, membership.Tenant),
			Principal: principal.Principal{User: c.User},
		}
		if err := g.renew(ctx, r, member); err != nil {
			return err
		}
	}
	return nil
}

// renew brings the profile of a member to the staff record.
func (g *group) renew(ctx context.Context, r *web.Request, m memberItem) error {
	w := g.staff.Writer(r, g.env.Now)
	return table.Optimistic(ctx, func() error {
		// In this order: what is written over a revision is not older than it.
		before, err := w.Get(ctx, m.Staff)
		if errors.Is(err, fault.ErrNotFound) || err == nil && before.User != r.Principal.User { // no member any more
			return nil
		}
		if err != nil {
			return err
		}
		who, err := g.store.person(ctx, before.User)
		if err != nil {
			return err
		}
		after := w.Next(before)
		after.setUser(before.User, who)
		if record.Same(before, after) {
			return nil
		}
		return g.store.all.Write(ctx, func(tx *table.Tx, _ int) error {
			return w.Replace(tx, before, after, unique.Claims{})
		})
	})
}
