package standing

import (
	"context"
	"errors"
	"fmt"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/functions/tenants/feed"
	"github.com/tenantry/tenantry/functions/tenants/key"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// stood is a copy of a standing that is older than its company's.
type stood struct {
	key   table.Key
	path  string // of the copy in the item, with a dot at its end; empty: the item itself
	user  int64  // of a membership
	alone bool   // its user is in no other company
}

// stale finds the copies of a company's standing that are older than a moment.
func (s Standings) stale(ctx context.Context, id tenant.ID, than moment.Micros) (list []stood, err error) {
	for _, find := range []func(context.Context, tenant.ID, moment.Micros) ([]stood, error){s.memberships, s.feeds, s.keys} {
		found, err := find(ctx, id, than)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

func (s Standings) memberships(ctx context.Context, id tenant.ID, than moment.Micros) (list []stood, err error) {
	var members []staff.Member
	if err := s.all.Table().Get("pk", table.Of(s.conn, id).Member(0).PK).Consistent(true).All(ctx, &members); err != nil {
		return nil, fmt.Errorf("standing: members of company %d: %w", id, err)
	}
	at := make(map[table.Key]int64, len(members))
	for _, m := range members {
		at[crosstenant.Memberships(m.User)] = m.User
	}
	items, err := many[crosstenant.MembershipsItem](ctx, s, at)
	for _, item := range items {
		for i, m := range item.List {
			if m.Tenant == id && m.Since < than {
				list = append(list, stood{item.Key(), fmt.Sprintf("m[%d].", i), at[item.Key()], len(item.List) == 1})
			}
		}
	}
	return list, err
}

func (s Standings) feeds(ctx context.Context, id tenant.ID, than moment.Micros) (list []stood, err error) {
	var tokens []feed.Token
	if err := s.records(ctx, id, kinds.FeedToken, &tokens); err != nil {
		return nil, err
	}
	at := make(map[table.Key]int64, len(tokens))
	for _, t := range tokens {
		at[crosstenant.Feed(t.Hash)] = t.ID
	}
	items, err := many[crosstenant.FeedItem](ctx, s, at)
	for _, item := range items {
		if item.Since < than {
			list = append(list, stood{key: item.Key()})
		}
	}
	return list, err
}

func (s Standings) keys(ctx context.Context, id tenant.ID, than moment.Micros) (list []stood, err error) {
	var all []key.Key
	if err := s.records(ctx, id, kinds.Key, &all); err != nil {
		return nil, err
	}
	at := make(map[table.Key]int64, len(all))
	for _, k := range all {
		at[crosstenant.Key(k.Hash)] = k.ID
	}
	items, err := many[crosstenant.KeyItem](ctx, s, at)
	for _, item := range items {
		if item.Since < than {
			list = append(list, stood{key: item.Key()})
		}
	}
	return list, err
}

// records reads all live records of a kind of which a company has few.
func (s Standings) records(ctx context.Context, id tenant.ID, k kinds.Code, out any) error {
	err := s.all.Table().Get("pk", table.Of(s.conn, id).Records(k)).Consistent(true).All(ctx, out)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return fmt.Errorf("standing: %s of company %d: %w", k, id, err)
	}
	return nil
}

// many reads items by their keys. Those that are not there are left out.
func many[T any](ctx context.Context, s Standings, at map[table.Key]int64) (items []T, err error) {
	if len(at) == 0 {
		return nil, nil
	}
	keys := make([]dynamo.Keyed, 0, len(at))
	for k := range at {
		keys = append(keys, k)
	}
	err = s.all.Table().Batch("pk", "sk").Get(keys...).Consistent(true).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("standing: copies: %w", err)
	}
	return items, nil
}

// signOut ends the sign-ins of a user. Those that begin later lead to nothing of the company.
func (s Standings) signOut(ctx context.Context, user int64, at moment.Micros) error {
	var families []crosstenant.FamilyItem
	of := crosstenant.Family(user, "")
	err := s.all.Table().Get("pk", of.PK).Range("sk", dynamo.BeginsWith, of.SK).Consistent(true).All(ctx, &families)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return fmt.Errorf("standing: sign-ins of user %d: %w", user, err)
	}
	return each(ctx, families, func(ctx context.Context, f crosstenant.FamilyItem) error {
		if f.Revoked != 0 {
			return nil
		}
		err := s.all.Update(f.Key()).Set("x", at.Time().Unix()).If("attribute_exists(pk) AND attribute_not_exists(x)").Run(ctx)
		if err != nil && !dynamo.IsCondCheckFailed(err) {
			return fmt.Errorf("standing: a sign-in of user %d: %w", user, err)
		}
		return nil
	})
}

// atOnce is how many items are written at the same time.
const atOnce = 16

// each does something with each of a list, several at a time.
func each[T any](ctx context.Context, list []T, do func(context.Context, T) error) error {
	several, ctx := errgroup.WithContext(ctx)
	several.SetLimit(atOnce)
	for _, one := range list {
		several.Go(func() error { return do(ctx, one) })
	}
	return several.Wait()
}
