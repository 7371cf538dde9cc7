package tabletest

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"
)

// ErrCrashed is the error of each call of a dead client.
var ErrCrashed = errors.New("tabletest: the process has crashed")

// Client is one process that uses the engine. Operations that it doesn't override (Scan, and the administration of
// tables) are passed on unchanged.
type Client struct {
	dynamodbiface.DynamoDBAPI
	world *World

	mu      sync.Mutex
	random  *rand.Rand
	crashed bool
	calls   map[string]int
	called  int
	dies    death
	deaf    deafness
	hang    *hang
}

// hang is a transaction that does not end.
type hang struct{ holds, over chan struct{} }

// death says at which call a client dies, and whether before or after the call is carried out.
type death struct {
	at    int // counted from 1; 0 means never
	after bool
}

// deafness says what becomes of transactions and their answers.
type deafness int

const (
	hears  deafness = iota
	deaf            // they are carried out, but no answer arrives
	cutOff          // they are not carried out, and no answer arrives
	again           // they are carried out, no answer arrives, and they are sent again to an engine that does not know their token
)

// DieAt kills the client at one of its next calls, counted from 1: either before the call reaches the engine, or after
// it was carried out.
func (c *Client) DieAt(call int, after bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dies = death{at: c.called + call, after: after}
}

// Deafen drops the answers to all transactions from now on. happen says whether the transactions are carried out
// nevertheless.
func (c *Client) Deafen(happen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deaf = cutOff; happen {
		c.deaf = deaf
	}
}

// Hang lets the client's next transaction hold its items until end is called. What is returned is closed when it holds them. The world
// has to have locks.
func (c *Client) Hang() (holds <-chan struct{}, end func()) {
	h := &hang{holds: make(chan struct{}), over: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hang = h
	return h.holds, sync.OnceFunc(func() { close(h.over) })
}

// linger is called by a transaction that holds its items.
func (c *Client) linger(ctx context.Context) {
	c.mu.Lock()
	h := c.hang
	c.hang = nil
	c.mu.Unlock()
	if h == nil {
		return
	}
	close(h.holds)
	select {
	case <-ctx.Done():
	case <-h.over:
	}
}

// Resend makes the client send every transaction twice from now on. The second time the engine no longer knows the
// token, as if it had been restarted, or the token had expired.
func (c *Client) Resend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deaf = again
}

func newClient(w *World, seed uint64) *Client {
	return &Client{DynamoDBAPI: w.api, world: w, random: rand.New(rand.NewPCG(seed, 0x7461626c65)), calls: map[string]int{}}
}

// Calls returns how often each operation was called, by its name on AWS.
func (c *Client) Calls() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.calls)
}

// Writes returns the number of calls of operations that write.
func (c *Client) Writes() (n int) {
	calls := c.Calls()
	for _, op := range []string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"} {
		n += calls[op]
	}
	return n
}

// Crash kills the client.
func (c *Client) Crash() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashed = true
}

// Restart gives a client that is dead another life, as the next process of the same name. It is false
// if the client lives.
func (c *Client) Restart() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.crashed
	c.crashed = false
	return was
}

// Crashed tells whether the client is dead.
func (c *Client) Crashed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.crashed
}

// fate is what happens to one call.
type fate struct {
	throttled    bool
	missed       bool // the call does not reach the engine, and no answer comes
	resent       bool // the call is carried out, and sent again
	lost, killed bool // the answer is lost, or the client dies, after the call was carried out
	part         bool // only a part of a batch is done
	random       *rand.Rand
}

// begin counts a call and decides its fate at random.
func (c *Client) begin(operation string) (fate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.crashed {
		return fate{}, ErrCrashed
	}
	c.calls[operation]++
	c.called++
	f := c.world.faults
	drawn := fate{
		throttled: c.random.Float64() < f.Throttled,
		lost:      c.random.Float64() < f.Lost,
		killed:    c.random.Float64() < f.Crash,
		part:      c.random.Float64() < f.Throttled,
		random:    rand.New(rand.NewPCG(c.random.Uint64(), c.random.Uint64())),
	}
	before := drawn.killed && drawn.random.IntN(2) == 0
	if c.called == c.dies.at {
		before, drawn.killed = !c.dies.after, true
	}
	if before {
		c.crashed = true
		return fate{}, ErrCrashed
	}
	if operation == "TransactWriteItems" {
		drawn.missed, drawn.lost, drawn.resent = c.deaf == cutOff, drawn.lost || c.deaf == deaf, c.deaf == again
	}
	return drawn, nil
}

// end returns the answer that the caller gets.
func end[O any](c *Client, f fate, out *O, err error) (*O, error) {
	if f.killed {
		c.Crash()
		return nil, ErrCrashed
	}
	if f.lost {
		return nil, reset()
	}
	return out, err
}

func reset() error {
	return &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by the test")}
}

func throttle(random *rand.Rand) error {
	if random.IntN(2) == 0 {
		return &types.ThrottlingException{Message: aws.String("injected by the test")}
	}
	return &types.ProvisionedThroughputExceededException{Message: aws.String("injected by the test")}
}

// wait returns when a time since start is over, or when ctx is done.
func wait(ctx context.Context, start time.Time, d time.Duration) {
	t := time.NewTimer(d - time.Since(start))
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// read makes one call that reads.
func read[O any](ctx context.Context, c *Client, operation string, do func(fate) (*O, error)) (*O, error) {
	f, err := c.begin(operation)
	if err != nil {
		return nil, err
	}
	if f.throttled {
		return nil, throttle(f.random)
	}
	start := time.Now()
	out, err := do(f)
	wait(ctx, start, c.world.faults.Call)
	return end(c, f, out, err)
}

// single makes one call that writes one item without a transaction.
func single[O any](ctx context.Context, c *Client, operation string, it item, do func() (*O, error)) (*O, error) {
	return write(ctx, c, operation, []item{it}, func(fate) (*O, error) {
		if c.world.locks.isHeld(it) {
			return nil, &types.TransactionConflictException{Message: aws.String("Transaction is ongoing for the item")}
		}
		return do()
	})
}

// write makes one call that writes items without a transaction.
func write[O any](ctx context.Context, c *Client, operation string, items []item, do func(fate) (*O, error)) (*O, error) {
	return read(ctx, c, operation, func(f fate) (out *O, err error) {
		if past := c.world.past.around(ctx, c.world.api, items, func() { out, err = do(f) }); past != nil && err == nil {
			return nil, past
		}
		return out, err
	})
}

// transact makes one transaction that writes.
func (c *Client) transact(ctx context.Context, in *dynamodb.TransactWriteItemsInput, items []item,
	do func() (*dynamodb.TransactWriteItemsOutput, error),
) (out *dynamodb.TransactWriteItemsOutput, err error) {
	f, err := c.begin("TransactWriteItems")
	if err != nil {
		return nil, err
	}
	if f.missed {
		return nil, reset()
	}
	if f.throttled {
		if f.random.IntN(2) == 0 {
			return nil, cancelled(len(items), []int{f.random.IntN(len(items))}, "ThrottlingError")
		}
		return nil, throttle(f.random)
	}
	w, start := c.world, time.Now()
	if w.faults.Lock > 0 && !w.locks.happened(in.ClientRequestToken) {
		if conflicts := w.locks.take(items); conflicts != nil {
			wait(ctx, start, w.faults.Call)
			return end[dynamodb.TransactWriteItemsOutput](c, f, nil, cancelled(len(items), conflicts, "TransactionConflict"))
		}
		defer wait(ctx, start, w.faults.Transaction)
		defer w.locks.release(items)
		defer wait(ctx, start, w.faults.Lock)
		defer c.linger(ctx)
	}
	past := w.past.around(ctx, w.api, items, func() { out, err = do() })
	if err == nil && f.resent {
		in.ClientRequestToken = aws.String(aws.ToString(in.ClientRequestToken)[1:])
		return do()
	}
	if err == nil && past != nil {
		return nil, past
	}
	if err == nil {
		w.locks.succeeded(in.ClientRequestToken)
	}
	return end(c, f, out, err)
}
