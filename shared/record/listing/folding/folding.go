// Package folding has the buckets of listings folded by the outbox: it is
// the message that a listing asks with, and what that message means, for
// every group that keeps records.
//
// What never goes in here: how a bucket is folded (shared/record/listing's).
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

// patience is how long a bucket is left alone after its last id was given out,
// so that the creates that are under way find its stripes unsealed.
const patience = 10 * time.Second

// body names a bucket and, to sweep it, the generation below which; the company
// is in the message's key.
type body struct {
	Kind   kinds.Code `json:"kind"`
	Bucket int        `json:"bucket"`
	Below  int64      `json:"below,omitempty"`
}

// Ask is the way in which a company's listing of a kind asks to be folded.
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

// Work folds and sweeps.
func Work(c *table.Conn, now func() time.Time) outbox.Work {
	w := worker{table: c, now: now}
	return outbox.Work{Fold: w.fold, Sweep: w.sweep}
}

type worker struct {
	table *table.Conn
	now   func() time.Time
}

// fold absorbs the stripes of a bucket and leaves a message for their removal.
// A repetition leaves another, which finds nothing to do.
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

// open reads a message. One that names no listing never will.
func (w worker) open(m outbox.Message) (t *table.Tenant, b body, err error) {
	id, ok := m.Tenant()
	if err := m.Decode(&b); err != nil || !ok || b.Bucket < 0 || kinds.Of(b.Kind).Code == "" {
		return nil, b, fmt.Errorf("%w: %s names no listing: %q", outbox.ErrDrop, m.Kind, m.Body)
	}
	return table.Of(w.table, id), b, nil
}
