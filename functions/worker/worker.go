// Package worker is the one asynchronous worker: it processes the messages that requests have
// left in the outbox.
//
// It is started in two ways. The table's stream gives it the keys of new messages. A sweep
// every minute finds messages that the stream missed, that failed before, or that waited for
// their time. In both cases it reads the current data, claims the message, and calls the
// handler of the message's group. Locally there is only the sweep, which runs often.
//
// What never goes in here: the meaning of a message (its group's), and the states of a message
// (shared/outbox).
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tenantry/tenantry/functions/pack/job"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/listing/folding"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
)

const (
	// Lease is how long a claimed message belongs to its worker. A handler has three quarters
	// of that time, so only the message of a dead worker is ever taken over. With a sweep
	// every minute, that still happens within the two minutes in which a one-time code is
	// worth sending.
	Lease = 40 * time.Second

	parallel  = 8                // messages that are processed at once
	writeTime = 5 * time.Second  // to record how an attempt ended
	slack     = 10 * time.Second // an invocation takes no more messages this long before its deadline
)

// Worker processes messages. It is safe for concurrent use, and any number of workers may run at the same time.
type Worker struct {
	// Lease may be set before the first message: if a table has only one worker, as on the
	// local platform, a message need not wait long for a dead one.
	Lease time.Duration

	table crosstenant.Table
	work  outbox.Work
	now   func() time.Time
	log   io.Writer
	stage string
}

// New makes the worker of all groups.
func New(env app.Env) *Worker {
	sets := []outbox.Work{folding.Work(env.Table, env.Now), job.Work(env.Pack)}
	for _, work := range works() {
		sets = append(sets, work(env))
	}
	return newWorker(env, sets...)
}

func newWorker(env app.Env, sets ...outbox.Work) *Worker {
	w := &Worker{
		Lease: Lease, table: crosstenant.Open(env.Table), work: outbox.Work{}, now: env.Now, log: env.Log,
		stage: env.Config.Stage,
	}
	for _, work := range sets {
		maps.Copy(w.work, work) // kinds begin with their group's name; a test proves that none occurs twice
	}
	return w
}

// Deliver processes the message with the key k, if it waits and is due. done tells whether
// this call has completed it. An error of the handler is not an error of Deliver: it is
// recorded, and the message is tried again. err says that the table could not be read or
// written.
func (w *Worker) Deliver(ctx context.Context, k table.Key) (done bool, err error) {
	ctx, used := meter.Start(ctx)
	start := w.now()
	m, claimed, err := outbox.Claim(ctx, w.table, k, start, w.Lease)
	if err != nil || !claimed {
		return false, err
	}
	failure := w.attempt(ctx, m)
	end, held, err := w.record(ctx, m, failure)
	w.report(m, end, failure, held, err, used.Usage(), w.now().Sub(start))
	return end == ended && err == nil, err
}

// attempt runs the handler, and leaves time to record the result. A message that was claimed
// more often than allowed is not run again, because its handler may be what kills the worker.
func (w *Worker) attempt(ctx context.Context, m outbox.Message) (failure error) {
	handle, ok := w.work[m.Kind]
	switch {
	case !ok:
		return fmt.Errorf("no group knows messages of kind %q", m.Kind)
	case m.Attempts > outbox.MaxAttempts:
		return errors.New("the worker died carrying it out")
	}
	ctx, cancel := outbox.Early(ctx, writeTime)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, w.Lease*3/4)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			failure = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return handle(ctx, m)
}

// end is the way in which an attempt ended.
type end string

const (
	ended   end = "done"
	dropped end = "dropped"
	later   end = "later"
	again   end = "again"
	gaveUp  end = "gave up"
)

// record records the result of an attempt, even if the caller's deadline has passed: otherwise
// the work would be done twice.
func (w *Worker) record(ctx context.Context, m outbox.Message, failure error) (e end, held bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	now := w.now()
	var wait outbox.Later
	switch {
	case failure == nil:
		e = ended
		held, err = outbox.Done(ctx, w.table, m, now, nil)
	case errors.Is(failure, outbox.ErrDrop):
		e = dropped
		held, err = outbox.Done(ctx, w.table, m, now, failure)
	case errors.As(failure, &wait):
		e = later
		held, err = outbox.PutOff(ctx, w.table, m, now, wait)
	case m.Attempts >= outbox.MaxAttempts:
		e = gaveUp
		held, err = outbox.GiveUp(ctx, w.table, m, now, failure)
	default:
		e = again
		held, err = outbox.Again(ctx, w.table, m, now, failure)
	}
	return e, held, err
}

// Sweep processes all messages that are due, and returns how many were completed. It stops
// shortly before ctx's deadline; the next sweep continues.
func (w *Worker) Sweep(ctx context.Context) (delivered int, err error) {
	delivered, _, err = w.sweep(ctx)
	return delivered, err
}

// sweep also tells for how long the oldest of the messages had been due.
func (w *Worker) sweep(ctx context.Context) (delivered int, delay time.Duration, err error) {
	var (
		mu   sync.Mutex
		errs []error
	)
	c := newCrew(ctx)
	defer c.cancel()
	enough := errors.New("enough")
	err = outbox.EachOverdue(ctx, w.table, w.now(), func(k table.Key, wait time.Duration) error {
		delay = max(delay, wait)
		took := c.take(func() {
			done, err := w.Deliver(ctx, k)
			mu.Lock()
			defer mu.Unlock()
			if done {
				delivered++
			}
			if err != nil {
				errs = append(errs, err)
			}
		})
		switch {
		case took:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		return enough
	})
	c.wait.Wait()
	if errors.Is(err, enough) {
		err = nil
	}
	return delivered, delay, errors.Join(append(errs, err)...)
}
