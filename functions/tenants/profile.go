package tenants

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// spreadProfile copies the names and the phone of a user to the user's companies, which show
// them in their lists. It copies the current values, so the order and the number of messages
// do not matter.
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
		var member staff.Member
		if err := into(items[keys[i]], &member); err != nil {
			return err
		}
		s := record.Scope{
			Table: table.Of(g.env.Table, membership.Tenant), Now: g.env.Now,
			Actor: audit.Actor{User: c.User, Request: c.Request, At: g.env.Now().UTC()},
		}
		if err := g.renew(ctx, s, member); err != nil {
			return err
		}
	}
	return nil
}

// renew copies the profile of a member to the staff record.
func (g *group) renew(ctx context.Context, s record.Scope, m staff.Member) error {
	return s.Do(ctx, nil, func(w *record.Work) error {
		// The record is read before the person, so that what is written over a revision is
		// never older than that revision.
		rec, err := g.staff.Kind.Edit(ctx, w, m.Staff)
		if errors.Is(err, fault.ErrNotFound) || err == nil && rec.User != s.Actor.User { // no longer a member
			return nil
		}
		if err != nil {
			return err
		}
		who, err := g.store.person(ctx, rec.User)
		if err == nil {
			rec.SetUser(rec.User, who)
		}
		return err
	})
}
