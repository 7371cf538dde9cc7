package standing

import (
	"context"
	"errors"
	"fmt"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

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
func (s Standings) stale(ctx context.Context, id tenant.ID, than moment.Micros) ([]stood, error) {
	list, err := s.memberships(ctx, id, than)
	if err != nil {
		return nil, err
	}
	for kind, key := range map[kinds.Code]func(hash string) table.Key{kinds.FeedToken: crosstenant.Feed, kinds.Key: crosstenant.Key} {
		found, err := s.programs(ctx, id, kind, key, than)
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

// programs finds those beside the credentials of a company for programs, of one kind: each record has the hash that leads to its item.
func (s Standings) programs(
	ctx context.Context, id tenant.ID, k kinds.Code, key func(hash string) table.Key, than moment.Micros,
) (list []stood, err error) {
	var records []struct {
		ID   int64  `dynamo:"id"`
		Hash string `dynamo:"h"`
	}
	err = s.all.Table().Get("pk", table.Of(s.conn, id).Records(k)).Consistent(true).All(ctx, &records)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("standing: %s of company %d: %w", k, id, err)
	}
	at := make(map[table.Key]int64, len(records))
	for _, r := range records {
		at[key(r.Hash)] = r.ID
	}
	items, err := many[struct {
		table.Item
		tenant.Standing
	}](ctx, s, at)
	for _, item := range items {
		if item.Since < than {
			list = append(list, stood{key: item.Key()})
		}
	}
	return list, err
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
