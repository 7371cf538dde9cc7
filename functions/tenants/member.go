package tenants

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// The data of members is stored in several partitions, so each function here adds its part to
// a transaction of its caller. If something has changed since it was read, the transaction
// fails with table.ErrRevision.

// join makes a user a member of a company. The caller has the transaction fail if the company's host or standing has changed.
func (s store) join(tx *table.Tx, c company.Company, m staff.Member) {
	id := tenant.ID(c.ID)
	m.Item = table.At(table.Of(s.conn, id).Member(m.User), staff.MemberVersion)
	tx.Put(s.all.Create(m), fmt.Errorf("tenants: user %d is a member of company %d", m.User, id))
	tx.Update(s.all.Update(crosstenant.Memberships(m.User)).
		SetExpr("m = list_append(if_not_exists(m, ?), ?)", []tenant.Membership{},
			[]tenant.Membership{{Tenant: id, Role: m.Role, Host: c.Host, Finance: m.Finance, Standing: c.Standing}}).
		Set("v", crosstenant.MembershipsVersion).
		If("attribute_not_exists(m) OR size(m) < ?", maxCompanies), tooMany())
}

// membershipAt is the position of a membership in its user's list.
type membershipAt struct {
	user  int64
	index int
}

func (at membershipAt) path() string { return fmt.Sprintf("m[%d]", at.index) }

// membershipAt finds a membership.
func (s store) membershipAt(ctx context.Context, id tenant.ID, user int64) (membershipAt, error) {
	list, err := s.memberships(ctx, user)
	if err != nil {
		return membershipAt{}, err
	}
	i := slices.IndexFunc(list, func(m tenant.Membership) bool { return m.Tenant == id })
	if i < 0 {
		return membershipAt{}, fmt.Errorf("tenants: user %d has left company %d: %w", user, id, table.ErrRevision)
	}
	return membershipAt{user, i}, nil
}

// promote gives a member the role and the rights of the staff record; before is the role so far.
func (s store) promote(tx *table.Tx, id tenant.ID, at membershipAt, before tenant.Role, after *staff.Staff) {
	tx.Update(s.all.Update(crosstenant.Memberships(at.user)).Set(at.path()+".r", after.Role).Set(at.path()+".f", after.Finance).
		If(at.path()+".t = ?", id), table.ErrRevision)
	tx.Update(s.all.Update(table.Of(s.conn, id).Member(at.user)).Set("r", after.Role).Set("f", after.Finance).
		If("attribute_exists(pk)"), table.ErrRevision)
	s.owners(tx, id, before, after.Role)
}

// leave ends a membership, and takes its seat. If several owners leave at once, the last one is refused when it is decided again.
func (s store) leave(tx *table.Tx, places seats, at membershipAt, role tenant.Role) {
	id := tenant.ID(places.company.ID)
	tx.Update(s.all.Update(crosstenant.Memberships(at.user)).RemoveExpr(at.path()).If(at.path()+".t = ?", id), table.ErrRevision)
	tx.Delete(s.all.Delete(table.Of(s.conn, id).Member(at.user)).If("attribute_exists(pk)"), table.ErrRevision)
	u := s.update(places)
	if role == tenant.Owner {
		u = u.Add("ow", -1).If("ow > ?", 1)
	}
	tx.Update(u, table.ErrRevision)
}

// owners updates the number of a company's owners. The number never becomes zero: if several
// owners leave at once, the last one is refused.
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

// unchanged ensures that a person is as it was read. If the person changes later, identity's
// message about that change finds the copy that the company stores here.
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
