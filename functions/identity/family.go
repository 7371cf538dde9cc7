package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// families stores sign-ins.
type families struct{ table crosstenant.Table }

// sweepAfter is how long items stay in the table after they have lost their meaning.
const sweepAfter = 24 * time.Hour

// firstGeneration is the generation of the first refresh token of a sign-in.
const firstGeneration = 1

// signIn is what a new family is made from. Epoch is the user's epoch at the moment when the password was read.
type signIn struct {
	User   int64
	Epoch  int64
	Family string // its id, a new one
}

// start writes a new family, together with what also adds, which may be nil. Its id is new, so
// the write may safely be repeated if its answer was lost. The error may be that of a condition
// that also added.
func (s families) start(ctx context.Context, in signIn, now time.Time, lifetime time.Duration, also func(*table.Tx)) error {
	expires := now.Add(lifetime)
	put := s.table.Put(crosstenant.FamilyItem{
		Item:       table.At(crosstenant.Family(in.User, in.Family), crosstenant.FamilyVersion),
		Generation: firstGeneration, Epoch: in.Epoch,
		Rotated: now.UnixMilli(), Expires: expires.Unix(), TTL: expires.Add(sweepAfter).Unix(),
	})
	var err error
	if also == nil {
		err = put.Run(ctx)
	} else {
		err = s.table.Write(ctx, func(tx *table.Tx, _ int) error {
			tx.Put(put, nil)
			also(tx)
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("identity: sign-in of %d: %w", in.User, err)
	}
	return nil
}

// get reads a family and tells whether it is alive. If the family doesn't exist, get returns the zero item and false.
func (s families) get(ctx context.Context, user int64, id string, now time.Time) (f crosstenant.FamilyItem, alive bool, err error) {
	familyKey, userKey := crosstenant.Family(user, id), crosstenant.Memberships(user)
	items, err := s.table.GetMany(ctx, familyKey, userKey)
	var m crosstenant.MembershipsItem
	for key, to := range map[table.Key]any{familyKey: &f, userKey: &m} {
		if item, ok := items[key]; ok && err == nil {
			err = dynamo.UnmarshalItem(item, to)
		}
	}
	if err != nil {
		return f, false, fmt.Errorf("identity: sign-in of %d: %w", user, err)
	}
	return f, f.Alive(now, m.Epoch), nil
}

// rotate makes the next generation the current one, if the token's generation is current and
// the family is alive in its user's epoch. Otherwise it returns the family as it is.
func (s families) rotate(ctx context.Context, r refreshToken, epoch int64, now time.Time, lifetime time.Duration) (
	rotated bool, f crosstenant.FamilyItem, err error,
) {
	expires := now.Add(lifetime)
	rotation := s.table.Update(crosstenant.Family(r.User, r.Family)).
		Set("g", r.Generation+1).Set("r", now.UnixMilli()).Set("e", expires.Unix()).Set("ttl", expires.Add(sweepAfter).Unix()).
		If("g = ? AND attribute_not_exists(x) AND e > ?", r.Generation, now.Unix())
	if epoch == 0 {
		rotation.If("attribute_not_exists(ep)")
	} else {
		rotation.If("ep = ?", epoch)
	}
	err = rotation.IncludeItemInCondCheckFail(true).Run(ctx)
	if err == nil {
		return true, f, nil
	}
	if !dynamo.IsCondCheckFailed(err) {
		return false, f, fmt.Errorf("identity: refresh of %d: %w", r.User, err)
	}
	if _, err := dynamo.UnmarshalItemFromCondCheckFailed(err, &f); err != nil {
		// The family may have been swept. The library then reports an error, because there is no item to return.
		if err = s.table.Get(ctx, crosstenant.Family(r.User, r.Family), &f); err != nil && !errors.Is(err, table.ErrNotFound) {
			return false, f, fmt.Errorf("identity: refresh of %d: %w", r.User, err)
		}
	}
	return false, f, nil
}

// revoke ends a family, if it has not ended before; ended says whether this call has ended it.
func (s families) revoke(ctx context.Context, user int64, id string, now time.Time) (ended bool, err error) {
	err = s.table.Update(crosstenant.Family(user, id)).Set("x", now.Unix()).
		If("attribute_exists(pk) AND attribute_not_exists(x) AND e > ?", now.Unix()).Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("identity: sign-out of %d: %w", user, err)
	}
	return true, nil
}
