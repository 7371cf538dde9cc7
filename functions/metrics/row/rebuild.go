package row

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Rebuilding is the message that works out a portion of all rows again.
const Rebuilding outbox.Kind = "metrics.rebuild"

// Everything is the key of that message: there is one in a company.
const Everything = "all"

const (
	// portion is how many steps one message takes; they are done long before the worker's time is over.
	portion = 100

	rebuildVersion = 1
)

// Rebuild is how far all rows of a company are worked out again: those of each order, a step each,
// and then those of each block of penalties. Nothing is deleted before; each step is Follow, which
// writes what differs.
type Rebuild struct {
	table.Item
	Run      int64          `dynamo:"r"` // counts them
	Orders   int64          `dynamo:"o"` // the last order that there was when it began
	Blocks   int64          `dynamo:"b"` // and how many blocks of penalties
	Done     int64          `dynamo:"d"` // steps
	Started  moment.Micros  `dynamo:"st"`
	Finished *moment.Micros `dynamo:"fi,omitempty"`
}

// Total is how many steps there are.
func (b *Rebuild) Total() int64 { return b.Orders + b.Blocks }

// isRunning tells whether there are steps to take.
func (b *Rebuild) isRunning() bool { return b.Run > 0 && b.Finished == nil }

// LastRebuild is the rebuild that is running, or the last one; its Run is 0 if there was none.
func LastRebuild(ctx context.Context, s record.Scope) (b Rebuild, err error) {
	err = s.Table.Get(ctx, s.Table.MetricRebuild(), &b)
	if errors.Is(err, table.ErrNotFound) {
		return Rebuild{}, nil
	}
	return b, err
}

// BeginRebuild begins to work out all rows of a company again, and leaves the rest to the worker. If that
// is under way already it goes on, also where the worker had given it up. b is set before the answer a is
// kept.
func BeginRebuild(ctx context.Context, s record.Scope, a record.Answer, b *Rebuild) error {
	return table.Anew(ctx, table.Tries, func() error {
		before, err := LastRebuild(ctx, s)
		if err != nil {
			return err
		}
		if *b = before; !before.isRunning() {
			if *b, err = begun(ctx, s, before.Run+1); err != nil {
				return err
			}
		}
		return s.Table.Write(ctx, func(tx *table.Tx, _ int) error {
			switch {
			case before.isRunning():
			case before.Run == 0:
				tx.Put(s.Table.Create(*b), table.ErrRevision)
			default:
				tx.Put(s.Table.Put(*b).If("'r' = ?", before.Run), table.ErrRevision)
			}
			outbox.Arm(tx, s.Table, outbox.NewKeyed(s.Table.Message, Rebuilding, Everything, s.Now()))
			return a.Keep(ctx, tx)
		})
	}, nil)
}

// begun is a rebuild that has taken no step.
func begun(ctx context.Context, s record.Scope, run int64) (Rebuild, error) {
	orders, penalties := s.Table.Sequence(kinds.Order), s.Table.Sequence(kinds.Penalty)
	last, err := s.Table.GetMany(ctx, orders, penalties)
	if err != nil {
		return Rebuild{}, err
	}
	b := Rebuild{
		Item: table.At(s.Table.MetricRebuild(), rebuildVersion), Run: run, Started: moment.Of(s.Now()),
		Orders: table.Attributes(last[orders]).Int("n"),
	}
	if n := table.Attributes(last[penalties]).Int("n"); n > 0 {
		b.Blocks = n/penalty.PerMessage + 1
	}
	return b, nil
}

// goOn takes the next portion of steps, and arms the message again if there are more. A step that was
// taken before the worker died is taken again, which changes nothing.
func goOn(ctx context.Context, s record.Scope) error {
	b, err := LastRebuild(ctx, s)
	if err != nil || !b.isRunning() {
		return err
	}
	to := min(b.Done+portion, b.Total())
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for n := b.Done; n < to; n++ {
		g.Go(func() error {
			if n < b.Orders {
				return Follow(inner, s, n+1)
			}
			return FollowPenalties(inner, s, n-b.Orders)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	err = s.Table.Write(ctx, func(tx *table.Tx, _ int) error {
		u := s.Table.Update(b.Key()).Set("d", to)
		if to == b.Total() {
			u = u.Set("fi", s.Now().UnixMicro())
		}
		tx.Update(u.If("'r' = ? AND 'd' = ? AND attribute_not_exists('fi')", b.Run, b.Done), table.ErrRevision)
		if to < b.Total() {
			outbox.Arm(tx, s.Table, outbox.NewKeyed(s.Table.Message, Rebuilding, Everything, s.Now()))
		}
		return nil
	})
	if errors.Is(err, table.ErrRevision) {
		return nil // another worker has taken these steps, and goes on
	}
	if err != nil {
		return fmt.Errorf("row: rebuild: %w", err)
	}
	return nil
}
