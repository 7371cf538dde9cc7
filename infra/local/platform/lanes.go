package platform

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// hands is how many messages of a lane are carried out at once.
func hands(lane outbox.Lane) int {
	switch lane {
	case outbox.Normal:
		return 4
	case outbox.Hooks: // they wait for programs of others
		return 32
	case outbox.Urgent, outbox.Bulk:
	}
	return 2
}

// workerOf is who carries out the messages of a lane: one worker has all but deliveries, whose function has a role of its own.
func (p *Platform) workerOf(lane outbox.Lane) *worker.Worker {
	if lane == outbox.Hooks {
		return p.deliverer
	}
	return p.worker
}

// queue has the messages of a lane that wait to be carried out. It gives one of each company in turn, however many messages a company
// has. Nothing is lost with it: the messages are in the table.
type queue struct {
	mu      sync.Mutex
	more    sync.Cond
	waiting map[tenant.ID][]table.Key // 0 is those of no company
	turns   []tenant.ID               // the companies that have messages, the next one first
	known   map[table.Key]bool        // they wait, or are being carried out
}

func newQueue() *queue {
	q := &queue{waiting: map[tenant.ID][]table.Key{}, known: map[table.Key]bool{}}
	q.more.L = &q.mu
	return q
}

// add puts a message behind the others of its company, unless it is there already.
func (q *queue) add(k table.Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known[k] {
		return
	}
	q.known[k] = true
	company, _ := table.TenantOf(k.PK)
	if len(q.waiting[company]) == 0 {
		q.turns = append(q.turns, company)
	}
	q.waiting[company] = append(q.waiting[company], k)
	q.more.Signal()
}

// take waits for a message. Whoever took it says when it has ended. It returns false when ctx is over.
func (q *queue) take(ctx context.Context) (_ table.Key, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.more.Broadcast()
	})()
	for len(q.turns) == 0 && ctx.Err() == nil {
		q.more.Wait()
	}
	if ctx.Err() != nil {
		return table.Key{}, false
	}
	company := q.turns[0]
	k := q.waiting[company][0]
	q.turns, q.waiting[company] = q.turns[1:], q.waiting[company][1:]
	if len(q.waiting[company]) == 0 {
		delete(q.waiting, company)
	} else {
		q.turns = append(q.turns, company)
	}
	return k, true
}

// ended forgets a message, which may be added again.
func (q *queue) ended(k table.Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.known, k)
}

// carryOut carries out the outbox until ctx is over. Each lane has workers of its own, as it has queues of its own on AWS.
func (p *Platform) carryOut(ctx context.Context, out io.Writer) {
	for _, lane := range outbox.Lanes() {
		q, said, by := newQueue(), &complaint{out: out}, p.workerOf(lane)
		p.done.Go(func() { p.feed(ctx, lane, q, said) })
		for range hands(lane) {
			p.done.Go(func() {
				for k, ok := q.take(ctx); ok; k, ok = q.take(ctx) {
					p.deliver(ctx, by, k, said)
					q.ended(k)
				}
			})
		}
	}
}

func (p *Platform) deliver(ctx context.Context, by *worker.Worker, k table.Key, said *complaint) {
	p.carries.RLock()
	defer p.carries.RUnlock()
	due, err := outbox.Waits(ctx, p.messages, k, time.Now()) // a worker relies on that who brings a message has waited for its time
	if err == nil && due {
		_, err = by.Deliver(ctx, k)
	}
	if err != nil {
		said.of(ctx, err)
	}
}

// feed fills the queue of a lane each second, and after each request that may have left a message. There is no stream, so it looks
// ahead by the lane's Net, where what is due at once stands. It reads the index for a fifth of the time at most.
func (p *Platform) feed(ctx context.Context, lane outbox.Lane, q *queue, said *complaint) {
	for {
		start := time.Now()
		said.of(ctx, outbox.EachStanding(ctx, p.messages, lane, start.Add(lane.Net()), func(s outbox.Standing) error {
			q.add(outbox.Together(s.Key))
			return ctx.Err()
		}))
		if sleep(ctx, 4*time.Since(start)) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		case <-p.wake[lane]:
		}
	}
}

// complaint says an error once, although an engine that is restarted fails several steps with it.
type complaint struct {
	out io.Writer

	mu   sync.Mutex
	last string
}

func (c *complaint) of(ctx context.Context, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.last = ""
	} else if ctx.Err() == nil && err.Error() != c.last {
		c.last = err.Error()
		_, _ = fmt.Fprintf(c.out, "the outbox is not carried out: %v\n", err)
	}
}
