package tenants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// memberItem is a user's place in a company.
type memberItem struct {
	table.Item
	User  int64       `dynamo:"u"`
	Role  tenant.Role `dynamo:"r"`
	At    time.Time   `dynamo:"at"`
	Staff int64       `dynamo:"s"` // number of the staff record
}

// invitationItem says that an address is invited into a company. Of what, the
// staff record tells.
type invitationItem struct {
	table.Item
	Tenant tenant.ID `dynamo:"t"`
	Staff  int64     `dynamo:"s"` // number of the staff record
}

const (
	memberVersion     = 1
	invitationVersion = 1
)

// What is written of members lies in several partitions, so each function here
// adds its part to a transaction of the caller's. What the caller has read and
// is no longer so is table.ErrRevision.

// join makes a user a member of a company.
func (s store) join(tx *table.Tx, id tenant.ID, m memberItem, host string) {
	m.Item = table.At(table.Of(s.conn, id).Member(m.User), memberVersion)
	tx.Put(s.all.Create(m), fmt.Errorf("tenants: user %d is a member of company %d", m.User, id))
	tx.Update(s.all.Update(crosstenant.Memberships(m.User)).
		SetExpr("m = list_append(if_not_exists(m, ?), ?)", []tenant.Membership{},
			[]tenant.Membership{{Tenant: id, Role: m.Role, Host: host}}).
		Set("v", crosstenant.MembershipsVersion).
		If("attribute_not_exists(m) OR size(m) < ?", maxCompanies), tooMany())
}

// place is where a membership stands in its user's list.
type place struct {
	user  int64
	index int
}

func (p place) path() string { return fmt.Sprintf("m[%d]", p.index) }

// place finds a membership.
func (s store) place(ctx context.Context, id tenant.ID, user int64) (place, error) {
	list, err := s.memberships(ctx, user)
	if err != nil {
		return place{}, err
	}
	i := slices.IndexFunc(list, func(m tenant.Membership) bool { return m.Tenant == id })
	if i < 0 {
		return place{}, fmt.Errorf("tenants: user %d has left company %d: %w", user, id, table.ErrRevision)
	}
	return place{user, i}, nil
}

// promote gives a member another role.
func (s store) promote(tx *table.Tx, id tenant.ID, p place, before, after tenant.Role) {
	tx.Update(s.all.Update(crosstenant.Memberships(p.user)).Set(p.path()+".r", after).If(p.path()+".t = ?", id), table.ErrRevision)
	tx.Update(s.all.Update(table.Of(s.conn, id).Member(p.user)).Set("r", after).If("attribute_exists(pk)"), table.ErrRevision)
	s.owners(tx, id, before, after)
}

// leave ends a membership.
func (s store) leave(tx *table.Tx, id tenant.ID, p place, role tenant.Role) {
	tx.Update(s.all.Update(crosstenant.Memberships(p.user)).RemoveExpr(p.path()).If(p.path()+".t = ?", id), table.ErrRevision)
	tx.Delete(s.all.Delete(table.Of(s.conn, id).Member(p.user)).If("attribute_exists(pk)"), table.ErrRevision)
	s.owners(tx, id, role, "")
}

// owners keeps the number of a company's owners, which never falls to zero:
// whoever would be the last to go, of however many at once, does not.
func (s store) owners(tx *table.Tx, id tenant.ID, before, after tenant.Role) {
	update := s.all.Update(table.Of(s.conn, id).Company())
	switch {
	case before != tenant.Owner && after == tenant.Owner:
		tx.Update(update.Add("ow", 1).If("attribute_exists(pk)"), table.ErrRevision)
	case before == tenant.Owner && after != tenant.Owner:
		tx.Update(update.Add("ow", -1).If("ow > ?", 1), errLastOwner)
	}
}

// person reads what companies see of a user.
func (s store) person(ctx context.Context, user int64) (p crosstenant.Person, err error) {
	err = s.all.Get(ctx, crosstenant.User(user), &p)
	if errors.Is(err, table.ErrNotFound) {
		return p, fault.ErrNotFound
	}
	if err != nil {
		return p, fmt.Errorf("tenants: user %d: %w", user, err)
	}
	return p, nil
}

// unchanged makes sure that a person is as read: what a company keeps of it is
// what identity's next message of a change finds.
func (s store) unchanged(tx *table.Tx, user int64, p crosstenant.Person) {
	k := crosstenant.User(user)
	check := s.all.Table().Check("pk", k.PK).Range("sk", k.SK)
	if p.Revision == 0 {
		check.If("attribute_exists(pk) AND attribute_not_exists(rv)")
	} else {
		check.If("rv = ?", p.Revision)
	}
	tx.Check(check, table.ErrRevision)
}

// offer invites an address.
func (s store) offer(tx *table.Tx, address string, id tenant.ID, staff int64) {
	tx.Put(s.all.Create(invitationItem{
		Item: table.At(crosstenant.Invitation(address, id), invitationVersion), Tenant: id, Staff: staff,
	}), fault.Field("email", fault.NotUnique))
}

// withdraw ends an invitation.
func (s store) withdraw(tx *table.Tx, address string, id tenant.ID, staff int64) {
	tx.Delete(s.all.Delete(crosstenant.Invitation(address, id)).If("s = ?", staff), table.ErrRevision)
}

// invitation reads the invitation of an address into a company, and the company.
func (s store) invitation(ctx context.Context, address string, company int64) (i invitationItem, c companyItem, err error) {
	key := crosstenant.Invitation(address, tenant.ID(company))
	err = s.all.Get(ctx, key, &i)
	if errors.Is(err, table.ErrNotFound) {
		return i, c, fault.ErrNotFound
	}
	if err != nil {
		return i, c, err
	}
	c, err = s.company(ctx, i.Tenant)
	return i, c, err
}

// invitations reads all of an address.
func (s store) invitations(ctx context.Context, address string) (list []invitationItem, err error) {
	err = s.all.Table().Get("pk", crosstenant.Invitations(address)).
		Range("sk", dynamo.BeginsWith, crosstenant.InvitationPrefix).Consistent(true).All(ctx, &list)
	if err != nil {
		return nil, fmt.Errorf("tenants: invitations: %w", err)
	}
	return list, nil
}
