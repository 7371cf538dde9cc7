package erase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// members has all members leave the company. The item of a member goes last, because it finds the user.
func (r *run) members(ctx context.Context) error {
	for item, err := range r.Partition(ctx, r.of.Member(0).PK) {
		if err != nil {
			return err
		}
		user := item.Int("u")
		if err := r.leave(ctx, user); err != nil {
			return fmt.Errorf("erase: user %d: %w", user, err)
		}
		if err := r.remove(ctx, item); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// leave takes the company out of a user's list. Whoever is in no other company then and holds no invitation goes wholly. Answers that
// were kept for repeated requests of the user go in any case: one may name the company.
func (r *run) leave(ctx context.Context, user int64) error {
	for item, err := range r.Partition(ctx, crosstenant.User(user).PK) {
		if err == nil && strings.HasPrefix(item.Text("sk"), crosstenant.Replay(user, "").SK) {
			err = r.remove(ctx, item)
		}
		if err != nil {
			return err
		}
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	others, err := r.unlist(ctx, user)
	if err != nil {
		return err
	}
	if others {
		r.report.Stay++
		return nil
	}
	var person crosstenant.Person
	err = r.all.Get(ctx, crosstenant.User(user), &person)
	switch {
	case errors.Is(err, table.ErrNotFound): // an earlier run has removed the user, but perhaps not all that is beside
	case err != nil:
		return err
	default:
		invited, err := r.invited(ctx, person.Email)
		if err != nil {
			return err
		}
		if invited {
			r.report.Stay++
			return nil
		}
		if err := r.silence(ctx, user, person.Email); err != nil {
			return err
		}
		if gone, err := r.end(ctx, user, person.Email); !gone || err != nil {
			return err
		}
		r.report.Gone++
	}
	return r.rest(ctx, user)
}

// unlist takes the company out of a user's list, and tells whether others are in it.
func (r *run) unlist(ctx context.Context, user int64) (others bool, err error) {
	err = table.Anew(ctx, table.Tries, func() error {
		var list crosstenant.MembershipsItem
		err := r.all.Get(ctx, crosstenant.Memberships(user), &list)
		if err != nil && !errors.Is(err, table.ErrNotFound) {
			return err
		}
		i := slices.IndexFunc(list.List, func(m tenant.Membership) bool { return m.Tenant == r.t })
		if i < 0 {
			others = len(list.List) > 0
			return nil
		}
		others = len(list.List) > 1
		return r.all.Write(ctx, func(tx *table.Tx, _ int) error {
			at := fmt.Sprintf("m[%d]", i)
			tx.Update(r.all.Update(list.Key()).RemoveExpr(at).If(at+".t = ?", r.t), table.ErrRevision)
			return nil
		})
	}, nil)
	return others, err
}

// invited tells whether an address is invited anywhere, and may still accept.
func (r *run) invited(ctx context.Context, address string) (bool, error) {
	for item, err := range r.Partition(ctx, crosstenant.Invitations(address)) {
		if err != nil {
			return false, err
		}
		if strings.HasPrefix(item.Text("sk"), crosstenant.InvitationPrefix) && r.now().UnixMilli() < item.Int("u") {
			return true, nil
		}
	}
	return false, nil
}

// silence removes the messages of no company to a user who goes: those that were carried out stay for a week otherwise.
func (r *run) silence(ctx context.Context, user int64, address string) error {
	for item, err := range r.Partition(ctx, crosstenant.Message("").PK) {
		if err != nil {
			return err
		}
		var to struct {
			Address string `json:"address"`
			User    int64  `json:"user"`
		}
		if json.Unmarshal([]byte(item.Text("b")), &to) != nil { // what can't be read names nobody
			continue
		}
		if to.Address == address || to.User == user {
			if err := r.remove(ctx, item); err != nil {
				return err
			}
		}
	}
	return r.flush(ctx)
}

// end removes a user, and the address, unless the user has joined a company meanwhile. Sign-ins end before, so that none outlives the
// list by which the authorizer knows that it ended.
func (r *run) end(ctx context.Context, user int64, address string) (gone bool, err error) {
	if err := r.each(ctx, user, func(item table.Attributes) bool {
		return strings.HasPrefix(item.Text("sk"), crosstenant.Family(user, "").SK)
	},
		r.remove); err != nil {
		return false, err
	}
	keys := []table.Key{crosstenant.User(user), crosstenant.Memberships(user), crosstenant.Email(address)}
	items, err := r.all.GetMany(ctx, keys...)
	if err != nil {
		return false, err
	}
	err = r.all.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Delete(r.all.Delete(keys[0]), nil)
		tx.Delete(r.all.Delete(keys[1]).If("attribute_not_exists(m) OR size(m) = ?", 0), errJoined)
		tx.Delete(r.all.Delete(keys[2]).If("attribute_not_exists(pk) OR u = ?", user), errJoined)
		return nil
	})
	if errors.Is(err, errJoined) {
		r.report.Stay++
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, key := range keys {
		if item := items[key]; item != nil {
			r.count(table.Attributes(item))
		}
	}
	return true, nil
}

var errJoined = errors.New("erase: the user has joined a company")

// rest removes what is left beside a user who was removed: identities of issuers with their links, and sign-ins that began meanwhile.
func (r *run) rest(ctx context.Context, user int64) error {
	return r.each(ctx, user, func(table.Attributes) bool { return true }, func(ctx context.Context, item table.Attributes) error {
		if identity := item.Text("i"); strings.HasPrefix(item.Text("sk"), crosstenant.Link(user, "").SK) && identity != "" {
			key := crosstenant.Identity(identity)
			err := r.all.Delete(key).If("u = ?", user).Run(ctx)
			if err != nil && !dynamo.IsCondCheckFailed(err) { // it is somebody else's, or gone
				return err
			}
			if err == nil {
				var gone table.Attributes = map[string]table.Value{}
				gone.SetText("pk", key.PK)
				gone.SetText("sk", key.SK)
				r.count(gone)
			}
		}
		return r.remove(ctx, item)
	})
}

// each does something with those items of a user that are chosen.
func (r *run) each(
	ctx context.Context, user int64, chosen func(table.Attributes) bool, do func(context.Context, table.Attributes) error,
) error {
	for item, err := range r.Partition(ctx, crosstenant.User(user).PK) {
		if err == nil && chosen(item) {
			err = do(ctx, item)
		}
		if err != nil {
			return err
		}
	}
	return r.flush(ctx)
}
