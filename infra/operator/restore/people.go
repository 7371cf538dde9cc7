package restore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// comeBack has those members of the copy back who are gone wholly, unless the address has a new account by now; they sign in anew. They
// come before the company's records do: who can't come back is in none of them.
func (r *run) comeBack(ctx context.Context) error {
	if r.Users != nil {
		return nil
	}
	for i, m := range r.members {
		if m.absent != "" {
			continue
		}
		is, err := r.again(ctx, m)
		if err != nil {
			return fmt.Errorf("restore: user %d: %w", m.User, err)
		}
		if !is {
			r.members[i].absent = takenAddress(m.User, m.email) // since it was looked at
			r.tell("%s", r.members[i].absent)
		}
	}
	return nil
}

// people makes the members of the copy members again.
func (r *run) people(ctx context.Context) error {
	for _, m := range r.members {
		if m.absent != "" {
			continue
		}
		do := r.join
		if r.Users != nil {
			do = r.moved
		}
		if err := do(ctx, m.item); err != nil {
			return fmt.Errorf("restore: user %d: %w", m.User, err)
		}
	}
	return nil
}

// moved makes the user here who a member of another stage is a member.
func (r *run) moved(ctx context.Context, member table.Attributes) error {
	item, err := r.renamed(member)
	if err != nil {
		return err
	}
	key := r.to.Member(r.Users[member.Int("u")])
	item.SetText("sk", key.SK)
	if err := r.write(ctx, func(tx *table.Tx) { tx.Put(r.all.Put(item), nil) }); err != nil {
		return err
	}
	return r.join(ctx, item)
}

// again tells whether a member of the copy is there as a user, or is there again. Who is back is so in one transaction: with the
// membership, by which erasing finds him, and with the identities, because no later run could tell that they are missing.
func (r *run) again(ctx context.Context, m member) (bool, error) {
	user := m.User
	var there table.Attributes
	err := r.all.Get(ctx, crosstenant.User(user), &there)
	if err == nil || !errors.Is(err, table.ErrNotFound) {
		return err == nil, err
	}
	var person, list table.Attributes
	var links []table.Attributes
	for item, err := range r.From.Partition(ctx, crosstenant.User(user).PK) {
		switch sk := item.Text("sk"); {
		case err != nil:
			return false, err
		case sk == crosstenant.User(0).SK:
			person = item
		case isMemberships(estate.KeyOf(item)):
			list = clone(item)
		case strings.HasPrefix(sk, crosstenant.Link(user, "").SK):
			links = append(links, item)
		}
	}
	if person == nil { // he left the stage since he was looked at
		return false, nil
	}
	address := table.Attributes{}
	key := crosstenant.Email(person.Text("em"))
	address.SetText("pk", key.PK)
	address.SetText("sk", key.SK)
	address.SetInt("v", 1)
	address.SetInt("u", user)
	place, err := r.renamed(m.item)
	if err != nil {
		return false, err
	}
	if list != nil {
		delete(list, "m") // the companies of then; join adds this one
	}
	others := 0
	err = table.Anew(ctx, table.Tries, func() error {
		var mine []identity
		if mine, others, err = r.identities(ctx, user, links); err != nil {
			return err
		}
		return r.write(ctx, func(tx *table.Tx) {
			tx.Put(r.all.Put(place), nil)
			tx.Put(r.all.Create(person), nil)
			tx.Put(r.all.Put(address).If("attribute_not_exists(pk) OR u = ?", user), errOther)
			if list != nil {
				tx.Put(r.all.Put(list), nil)
			}
			for _, i := range mine {
				tx.Put(r.all.Put(i.holder).If("attribute_not_exists(pk) OR u = ?", user), table.ErrRevision)
				tx.Put(r.all.Put(i.link), nil)
			}
		})
	}, nil)
	if errors.Is(err, errOther) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.tell("User %d, %s, was gone and is back.", user, person.Text("em"))
	for range others {
		r.tell("An identity of user %d is another user's now.", user)
	}
	return true, nil
}

// identity is one with which a user signs in: who holds it, and the user's link to it.
type identity struct{ holder, link table.Attributes }

// identities are those that a user had in the copy, but for those that another user has by now: others counts these.
func (r *run) identities(ctx context.Context, user int64, links []table.Attributes) (mine []identity, others int, err error) {
	for _, link := range links {
		var holder, now table.Attributes
		key := crosstenant.Identity(link.Text("i"))
		switch err := r.From.All().Get(ctx, key, &holder); {
		case errors.Is(err, table.ErrNotFound):
			continue
		case err != nil:
			return nil, 0, err
		}
		if err := r.all.Get(ctx, key, &now); err != nil && !errors.Is(err, table.ErrNotFound) {
			return nil, 0, err
		}
		if now != nil && now.Int("u") != user {
			others++
			continue
		}
		mine = append(mine, identity{holder, link})
	}
	return mine, others, nil
}

// join gives a user's list the company as the copy's member has it.
func (r *run) join(ctx context.Context, member table.Attributes) error {
	var m staff.Member
	if err := member.Decode(&m); err != nil {
		return err
	}
	user, entry := m.User, tenant.Membership{Tenant: r.is, Role: m.Role, Host: r.company.Text("h"), Finance: m.Finance}
	anew := table.Attributes{}
	stand(anew, r.stands)
	delete(anew, "stb")
	anew.SetInt("t", int64(r.is))
	anew.SetText("r", string(m.Role))
	anew.SetText("h", entry.Host)
	if m.Finance {
		anew.SetBool("f", true)
	}
	return table.Anew(ctx, table.Tries, func() error {
		list, i, err := r.listed(ctx, user)
		if err != nil {
			return err
		}
		update := r.all.Update(crosstenant.Memberships(user)).Set("v", crosstenant.MembershipsVersion)
		if i < 0 {
			update = update.SetExpr("m = list_append(if_not_exists(m, ?), ?)", []table.Attributes{}, []table.Attributes{anew}).
				If("attribute_not_exists(m) OR size(m) = ?", len(list.List))
		} else {
			at := fmt.Sprintf("m[%d]", i)
			was := list.List[i]
			if was.Role == entry.Role && was.Host == entry.Host && was.Finance == entry.Finance {
				return nil
			}
			update = update.Set(at+".r", entry.Role).Set(at+".h", entry.Host).Set(at+".f", entry.Finance).If(at+".t = ?", r.is)
		}
		return r.write(ctx, func(tx *table.Tx) { tx.Update(update, table.ErrRevision) })
	}, nil)
}
