package restore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

func (r *run) tell(format string, args ...any) {
	r.report.Told = append(r.report.Told, fmt.Sprintf(format, args...))
}

var errOther = errors.New("restore: the item is another's")

// isMemberships tells whether an item of no company is the list of a user's companies.
func isMemberships(key table.Key) bool { return key.SK == crosstenant.Memberships(0).SK }

// withdraw removes the items of no company that the company has here and not in the copy, before the records go that lead to them: a
// token that was made since would open the company otherwise. Members who joined since leave.
func (r *run) withdraw(ctx context.Context) error {
	stays := map[table.Key]bool{}
	for item, err := range r.From.Outside(ctx, r.was) {
		if err != nil {
			return err
		}
		renamed, err := r.renamed(item.Attributes)
		if err != nil {
			return err
		}
		stays[estate.KeyOf(renamed)] = true
	}
	members := map[int64]bool{}
	for _, m := range r.members {
		if m.absent == "" {
			members[r.here(m)] = true
		}
	}
	gone := map[string]int{}
	for item, err := range r.To.Outside(ctx, r.is) {
		if err != nil {
			return err
		}
		key := estate.KeyOf(item.Attributes)
		if stays[key] || isMemberships(key) {
			continue
		}
		err = r.write(ctx, func(tx *table.Tx) {
			tx.Delete(r.all.Delete(key).If("t = ?", r.is), errOther)
		})
		if err != nil && !errors.Is(err, errOther) {
			return err
		}
		gone[r.called(key)]++
		count(r.To, r.report.Removed, item.Attributes)
	}
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		r.tell("%s: %d that came since are removed.", name, gone[name])
	}
	for item, err := range r.To.Partition(ctx, r.to.Member(0).PK) {
		if err != nil {
			return err
		}
		if user := item.Int("u"); !members[user] {
			if err := r.unlist(ctx, user); err != nil {
				return err
			}
		}
	}
	return nil
}

// called is what an item of no company is called.
func (r *run) called(key table.Key) string {
	name := map[string]string{
		"email": "Invitations", "host": "Hosts", "feed": "Feed tokens", "program": "Keys for programs", "sign": "Links of signs",
		"fingerprint": "Fingerprints of sealed documents",
	}[r.To.Pattern(key.PK).Name]
	return name
}

// unlist takes the company out of a user's list.
func (r *run) unlist(ctx context.Context, user int64) error {
	return table.Anew(ctx, table.Tries, func() error {
		list, i, err := r.listed(ctx, user)
		if err != nil || i < 0 {
			return err
		}
		return r.write(ctx, func(tx *table.Tx) {
			at := fmt.Sprintf("m[%d]", i)
			tx.Update(r.all.Update(list.Key()).RemoveExpr(at).If(at+".t = ?", r.is), table.ErrRevision)
		})
	}, nil)
}

// listed reads a user's list, and where the company is in it.
func (r *run) listed(ctx context.Context, user int64) (list crosstenant.MembershipsItem, i int, err error) {
	err = r.all.Get(ctx, crosstenant.Memberships(user), &list)
	if errors.Is(err, table.ErrNotFound) {
		err = nil
	}
	return list, slices.IndexFunc(list.List, func(m tenant.Membership) bool { return m.Tenant == r.is }), err
}

// outside puts back the items of no company that the copy has, where nobody else has them by now.
func (r *run) outside(ctx context.Context) error {
	back, others := map[string]int{}, map[string]int{}
	for item, err := range r.From.Outside(ctx, r.was) {
		if err != nil {
			return err
		}
		if isMemberships(estate.KeyOf(item.Attributes)) {
			continue
		}
		renamed, err := r.renamed(item.Attributes)
		if err != nil {
			return err
		}
		if ttl := renamed.Int("ttl"); ttl != 0 && ttl < r.Now().Unix() { // an invitation that is over
			continue
		}
		key := estate.KeyOf(renamed)
		if key.SK == crosstenant.Domain("").SK {
			continue // with the company
		}
		if r.Users != nil && strings.HasPrefix(key.SK, crosstenant.InvitationPrefix) {
			continue
		}
		if p := r.To.Pattern(key.PK).Name; p == "feed" || p == "program" {
			stand(renamed, r.stands)
			delete(renamed, "stb")
		}
		done, err := r.back(ctx, key, renamed)
		switch {
		case errors.Is(err, errOther):
			others[r.called(key)]++
		case err != nil:
			return err
		case done:
			back[r.called(key)]++
		}
	}
	words := "%s: %d that were not there any more are back."
	if r.anew {
		words = "%s: %d are there."
	}
	for _, name := range slices.Sorted(maps.Keys(back)) {
		r.tell(words, name, back[name])
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		r.tell("%s: %d are another company's now, and stay so.", name, others[name])
	}
	return nil
}

// back puts one of them back. done tells whether it was not there. What stayed of a file whose company was erased makes room for what
// is known of it again.
func (r *run) back(ctx context.Context, key table.Key, item table.Attributes) (done bool, err error) {
	var there table.Attributes
	switch err := r.all.Get(ctx, key, &there); {
	case errors.Is(err, table.ErrNotFound):
		done = true
	case err != nil:
		return false, err
	}
	err = r.write(ctx, func(tx *table.Tx) {
		tx.Put(r.all.Put(item).If("attribute_not_exists(pk) OR t = ?", r.is), errOther)
		if strings.HasPrefix(key.SK, "sealed#") {
			tx.Delete(r.all.Delete(crosstenant.ErasedHash(key.PK)), nil)
		}
	})
	if err == nil {
		count(r.To, r.report.Put, item)
	}
	return done, err
}
