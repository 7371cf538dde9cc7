package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/table"
)

// EachFailed visits the messages that were given up, in the order in which they were. An error of visit ends the iteration.
func EachFailed(ctx context.Context, t Table, visit func(Message) error) error {
	it := t.Table().Get("pq", Failed).Index("pending").Iter()
	var found table.Item
	for it.Next(ctx, &found) {
		var m Message
		switch err := t.Get(ctx, found.Key(), &m); {
		case errors.Is(err, table.ErrNotFound):
			continue // the index lags
		case err != nil:
			return fmt.Errorf("outbox: %s: %w", found.SK, err)
		}
		if m.Pending != Failed {
			continue
		}
		if err := visit(m); err != nil {
			return err
		}
	}
	if err := it.Err(); err != nil {
		return fmt.Errorf("outbox: failed messages: %w", err)
	}
	return nil
}

// PutBack lets a message wait again that was given up, as if it had never been tried: the next sweep brings it. If workers died of it,
// it has one try. ok is false if it is no longer among the failed ones, because it was armed or put back meanwhile.
func PutBack(ctx context.Context, t Table, m Message, now time.Time) (ok bool, err error) {
	lane, _ := m.Kind.Lane()
	return held(m, table.Retry(ctx, func() error {
		return t.Update(m.Key()).Set("v", version).Set("pq", lane.shardOf(m.ID)).Set("pd", DueKey(now)).Set("n", 0).Remove("du").
			If("pq = ?", Failed).Run(ctx)
	}))
}

// Hasten has the next sweep look at a message that waits, whatever it was put off for: a claim still waits until it is due. It writes
// nothing for one that is done, or was given up.
func Hasten(ctx context.Context, t Table, k table.Key, now time.Time) error {
	m, err := read(ctx, t, k)
	if err != nil || m.Pending == "" || m.Pending == Failed {
		return err
	}
	err = table.Retry(ctx, func() error {
		return t.Update(k).Set("pd", DueKey(now)).If("pq = ? AND pd = ?", m.Pending, m.Swept).Run(ctx)
	})
	if dynamo.IsCondCheckFailed(err) {
		return nil // it has moved by itself
	}
	return err
}
