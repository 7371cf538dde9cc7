package penalty

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Matching asks to find out who had the cars of some penalties, each of them as it is then.
const Matching outbox.Kind = "penalties.match"

// toMatch is the body of the message Matching.
type toMatch struct {
	Penalties []int64 `json:"penalties"`
}

// Work carries the messages of penalties out.
func Work(c *table.Conn, now func() time.Time) outbox.Work {
	f := follower{c, now}
	work := outbox.Work{order.Moved: f.moved, item.Identified: f.identified}
	work[Matching] = func(ctx context.Context, message outbox.Message) error {
		var m toMatch
		s, err := record.OpenMessage(c, message, now, &m)
		if err != nil {
			return err
		}
		for _, id := range m.Penalties {
			if err := rematch(ctx, s, id); err != nil {
				return err
			}
		}
		return nil
	}
	return work
}

// rematch matches a penalty again, in a unit of work of its own.
func rematch(ctx context.Context, s record.Scope, id int64) error {
	return s.Do(ctx, nil, func(w *record.Work) error {
		p, err := Kind().Edit(ctx, w, id)
		if errors.Is(err, fault.ErrNotFound) {
			return nil // it was deleted meanwhile
		}
		if err != nil {
			return err
		}
		return p.match(ctx, w)
	})
}
