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

// sweepAfter is how long items stay after they stopped counting.
const sweepAfter = 24 * time.Hour

// start writes a new family. generation is 1, or 0 in a family without refresh
// tokens. The id is new, so a put that is repeated after a lost answer is the
// same put.
func (s families) start(ctx context.Context, user int64, id string, generation int64, now time.Time, lifetime time.Duration) error {
	expires := now.Add(lifetime)
	err := s.table.Put(crosstenant.FamilyItem{
		Item:       table.At(crosstenant.Family(user, id), crosstenant.FamilyVersion),
		Generation: generation, Rotated: now.UnixMilli(), Expires: expires.Unix(), TTL: expires.Add(sweepAfter).Unix(),
	}).Run(ctx)
	if err != nil {
		return fmt.Errorf("identity: sign-in of %d: %w", user, err)
	}
	return nil
}

// get reads a family; the zero item, which is not alive, where there is none.
func (s families) get(ctx context.Context, user int64, id string) (f crosstenant.FamilyItem, err error) {
	err = s.table.Get(ctx, crosstenant.Family(user, id), &f)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return f, fmt.Errorf("identity: sign-in of %d: %w", user, err)
	}
	return f, nil
}

// rotate makes the next generation the one that counts, if this one is and the
// family is alive. Otherwise it gives the family as it is.
func (s families) rotate(ctx context.Context, r refreshToken, now time.Time, lifetime time.Duration) (rotated bool, f crosstenant.FamilyItem, err error) {
	expires := now.Add(lifetime)
	err = s.table.Update(crosstenant.Family(r.User, r.Family)).
		Set("g", r.Generation+1).Set("r", now.UnixMilli()).Set("e", expires.Unix()).Set("ttl", expires.Add(sweepAfter).Unix()).
		If("g = ? AND attribute_not_exists(x) AND e > ?", r.Generation, now.Unix()).
		IncludeItemInCondCheckFail(true).Run(ctx)
	if err == nil {
		return true, f, nil
	}
	if !dynamo.IsCondCheckFailed(err) {
		return false, f, fmt.Errorf("identity: refresh of %d: %w", r.User, err)
	}
	if _, err := dynamo.UnmarshalItemFromCondCheckFailed(err, &f); err != nil {
		return false, f, fmt.Errorf("identity: refresh of %d: %w", r.User, err)
	}
	return false, f, nil
}

// revoke ends a family, if it has not ended before; ended says whether it was
// this call.
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
