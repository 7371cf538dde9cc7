package row

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Work are the handlers of the messages that change rows.
func Work(c *table.Conn, now func() time.Time) outbox.Work {
	numbered := func(follow func(ctx context.Context, s record.Scope, n int64) error) outbox.Handler {
		return inScope(c, now, func(ctx context.Context, s record.Scope, key string) error {
			n, err := strconv.ParseInt(key, 10, 64)
			if err != nil {
				return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
			}
			return follow(ctx, s, n)
		})
	}
	return outbox.Work{order.Changed: numbered(Follow), penalty.Changed: numbered(FollowPenalties)}
}

// Rebuilds is the handler of the message that makes all rows of a company anew.
func Rebuilds(c *table.Conn, now func() time.Time) outbox.Work {
	return outbox.Work{Rebuilding: inScope(c, now, func(ctx context.Context, s record.Scope, _ string) error { return goOn(ctx, s) })}
}

// inScope carries out a message in the scope of its company; key is its body.
func inScope(c *table.Conn, now func() time.Time, do func(ctx context.Context, s record.Scope, key string) error) outbox.Handler {
	return func(ctx context.Context, m outbox.Message) error {
		s, err := record.ForMessage(c, m, now)
		if err != nil {
			return err
		}
		return do(ctx, s, m.Body)
	}
}
