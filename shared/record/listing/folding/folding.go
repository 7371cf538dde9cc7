// Package folding folds the buckets of listings through the outbox. It defines the messages by
// which a listing asks to be folded, and their handlers, for every group that has records.
//
// What never goes in here: how a bucket is folded (shared/record/listing does it).
package folding

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
)

// The kinds of messages.
const (
	Fold  outbox.Kind = "listing.fold"
	Sweep outbox.Kind = "listing.sweep"
)

// patience is how long a bucket is left alone after its last id was given out, so that creates
// in progress find its stripes unsealed.
const patience = 10 * time.Second

// body names a bucket and, for a sweep, the generation below which stripes are removed. The
// company is in the message's key.
type body struct {
	Kind   kinds.Code `json:"kind"`
	Bucket int        `json:"bucket"`
	Below  int64      `json:"below,omitempty"`
}

// Ask is the function by which the listing of a kind in a company asks to be folded.
func Ask(t *table.Tenant, kind kinds.Code, now func() time.Time) listing.AskFold {
	return func(tx *table.Tx, bucket int) error {
		at := now()
		m, err := outbox.New(t.Message, Fold, body{Kind: kind, Bucket: bucket}, at, at.Add(patience))
		if err != nil {
			return err
		}
		outbox.Send(tx, t, m)
		return nil
	}
}

// Work handles the messages that fold and sweep.
func Work(c *table.Conn, now func() time.Time) outbox.Work {
	w := worker{table: c, now: now}
	return outbox.Work{Fold: w.fold, Sweep: w.sweep}
}

type worker struct {
	table *table.Conn
	now   func() time.Time
}

// fold absorbs the stripes of a bucket and leaves a message for their removal. If it is
// repeated it leaves another message, which finds nothing to do.
func (w worker) fold(ctx context.Context, m outbox.Message) error {
	t, b, err := w.open(m)
	if err != nil {
		return err
	}
	if b.Below, err = listing.Of(t, b.Kind, nil).Fold(ctx, b.Bucket); err != nil || b.Below == 0 {
		return err
	}
	at := w.now()
	next, err := outbox.New(t.Message, Sweep, b, at, at.Add(listing.SweepAfter))
	if err != nil {
		return err
	}
	if err := t.Create(next).Run(ctx); err != nil {
		return fmt.Errorf("folding: ask to sweep bucket %d of %s: %w", b.Bucket, b.Kind, err)
	}
	return nil
}

// sweep removes absorbed stripes.
func (w worker) sweep(ctx context.Context, m outbox.Message) error {
	t, b, err := w.open(m)
	if err != nil {
		return err
	}
	return listing.Of(t, b.Kind, nil).Sweep(ctx, b.Bucket, b.Below)
}

// open reads a message. A message that names no listing is dropped: repeating it can't help.
func (w worker) open(m outbox.Message) (t *table.Tenant, b body, err error) {
	id, ok := m.Tenant()
	if err := m.Decode(&b); err != nil || !ok || b.Bucket < 0 || kinds.Of(b.Kind).Code == "" {
		return nil, b, fmt.Errorf("%w: %s names no listing: %q", outbox.ErrDrop, m.Kind, m.Body)
	}
	return table.Of(w.table, id), b, nil
}
