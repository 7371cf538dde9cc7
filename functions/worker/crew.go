package worker

import (
	"context"
	"sync"

	"github.com/tenantry/tenantry/shared/outbox"
)

// crew processes several messages at once. It takes no new message shortly before the end of its invocation, because a
// worker that is stopped in the middle can't record the result.
type crew struct {
	taking context.Context
	cancel context.CancelFunc
	places chan struct{}
	wait   sync.WaitGroup
}

func newCrew(ctx context.Context) *crew {
	c := &crew{places: make(chan struct{}, parallel)}
	c.taking, c.cancel = outbox.Early(ctx, slack)
	return c
}

// take waits for a free place and starts the work there. It returns false if there is not
// enough time left.
func (c *crew) take(work func()) bool {
	select {
	case c.places <- struct{}{}:
	case <-c.taking.Done():
	}
	if c.taking.Err() != nil { // both cases of the select may have been ready
		return false
	}
	c.wait.Go(func() {
		defer func() { <-c.places }()
		work()
	})
	return true
}
