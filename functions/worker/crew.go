package worker

import (
	"context"
	"sync"
	"time"
)

// crew carries out a few messages at once, and takes no more shortly before the
// end of its invocation: one that is cut short can't write down what it did.
type crew struct {
	taking context.Context
	cancel context.CancelFunc
	places chan struct{}
	wait   sync.WaitGroup
}

func newCrew(ctx context.Context) *crew {
	c := &crew{places: make(chan struct{}, parallel)}
	c.taking, c.cancel = before(ctx, slack)
	return c
}

// take waits for a free place and starts the work there; false where there is
// no more time for it.
func (c *crew) take(work func()) bool {
	select {
	case c.places <- struct{}{}:
	case <-c.taking.Done():
	}
	if c.taking.Err() != nil { // both may have been ready
		return false
	}
	c.wait.Go(func() {
		defer func() { <-c.places }()
		work()
	})
	return true
}

// before gives a context that ends some time before ctx's deadline, if it has
// one.
func before(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, deadline.Add(-d))
	}
	return context.WithCancel(ctx)
}
