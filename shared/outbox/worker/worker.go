// Package worker carries out messages of the outbox by their keys, which a queue or the table's stream brings.
// It claims a message, calls the handler of its kind, and records how that ended.
//
// What never goes in here: the meaning of a message (its group's), the states of a message (shared/outbox), and which messages are
// carried out where (functions/urgent, functions/worker, functions/bulk, functions/deliver).
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
)

const (
	// Lease is how long a claimed message belongs to its worker. A handler has three quarters
	// of that time, so only the message of a dead worker is ever taken over. With a sweep
	// every minute, that still happens within two minutes, while somebody still waits for a
	// one-time code.
	Lease = 40 * time.Second

	// writeTime is for recording how an attempt ended. An end that isn't recorded counts as a crash, so it is as long as
	// an invocation can spare.
	writeTime = 10 * time.Second
	slack     = writeTime + 5*time.Second // an invocation begins with no message this long before its deadline
)

// Worker processes messages. It is safe for concurrent use, and any number of workers may run at the same time.
type Worker struct {
	// Lease may be set before the first message: if a table has only one worker, as on the
	// local platform, a message need not wait long for a dead one.
	Lease time.Duration
	// Crashes may be set before the first message: how many claims in a row may stay unended until a message is given up. On the
	// local platform, where everything is one process that people end as they like, a crash tells little.
	Crashes int

	function string
	table    crosstenant.Table
	work     outbox.Work
	now      func() time.Time
	log      io.Writer
	stage    string
}

// New makes a worker that knows some kinds of messages. function is its name in the log.
func New(function string, env app.Env, sets ...outbox.Work) *Worker {
	return &Worker{
		Lease: Lease, Crashes: outbox.MaxCrashes, function: function, table: crosstenant.Open(env.Table), work: outbox.Join(sets...),
		now: env.Now, log: env.Log, stage: env.Config.Stage,
	}
}

// Knows tells whether the worker knows a kind of messages.
func (w *Worker) Knows(kind outbox.Kind) bool { return w.work[kind] != nil }

// Deliver processes the message with the key k, if it waits and is due. done tells whether
// this call has completed it. An error of the handler is not an error of Deliver: it is
// recorded, and the message is tried again. err says that the table could not be read or
// written, or that events did not get their places: nothing is recorded of these, and their key has to come again.
func (w *Worker) Deliver(ctx context.Context, k table.Key) (done bool, err error) {
	ctx, used := meter.Start(ctx)
	start, begun := w.now(), time.Now() //nolint:forbidigo // the deadline of a handler is of the real clock
	if outbox.AreEvents(k.SK) {
		m := outbox.Message{Item: table.At(k, 0), ID: k.SK, Kind: outbox.Sequence}
		failure := w.attempt(ctx, m, begun)
		w.report(m, endOf(failure), failure, true, nil, used.Usage(), w.now().Sub(start))
		return failure == nil, failure
	}
	m, claimed, err := outbox.Claim(ctx, w.table, k, start, w.Lease)
	if err != nil || !claimed {
		return false, err
	}
	failure := w.attempt(ctx, m, begun)
	end, held, err := w.record(ctx, m, failure)
	w.report(m, end, failure, held, err, used.Usage(), w.now().Sub(start))
	return end == ended && err == nil, err
}

// errCrashed is why a message is given up that no worker came back from.
var errCrashed = errors.New("the workers that carried it out died")

// attempt runs the handler, and leaves time to record the result. A message that was claimed
// more often than allowed is not run again, because its handler may be what kills the worker. One of
// another function, which comes here while a release is deployed, waits for the sweep, which sends it there.
func (w *Worker) attempt(ctx context.Context, m outbox.Message, begun time.Time) (failure error) {
	handle, ok := w.work[m.Kind]
	switch {
	case !ok && m.Kind.IsKnown():
		return outbox.Later{}
	case !ok:
		return fmt.Errorf("no group knows messages of kind %q", m.Kind)
	case m.Unended > w.Crashes, m.Attempts > outbox.MaxAttempts:
		return errCrashed
	}
	ctx, cancel := outbox.Early(ctx, writeTime)
	defer cancel()
	ctx, cancel = context.WithDeadline(ctx, begun.Add(w.Lease*3/4))
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

// endOf is how work ended that nobody claims: it comes again until it is done.
func endOf(failure error) end {
	if failure == nil {
		return ended
	}
	return again
}

// record records the result of an attempt, even if the caller's deadline has passed: otherwise
// the work would be done twice. It tries for as long as it may where the table takes no writes, because an end that isn't recorded counts
// as a crash.
func (w *Worker) record(ctx context.Context, m outbox.Message, failure error) (e end, held bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		if e, held, err = w.end(ctx, m, failure); !table.Unavailable(err) || ctx.Err() != nil {
			return e, held, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// end writes down once how an attempt ended.
func (w *Worker) end(ctx context.Context, m outbox.Message, failure error) (e end, held bool, err error) {
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
	case m.Attempts >= outbox.MaxAttempts, errors.Is(failure, errCrashed):
		e = gaveUp
		held, err = outbox.GiveUp(ctx, w.table, m, now, failure)
	default:
		e = again
		held, err = outbox.Again(ctx, w.table, m, now, failure)
	}
	return e, held, err
}

// Sweep carries out all messages that are due, one after the other, where no stream and no queue brings them, and returns how many were
// completed. Then it gives all events their places, which are not counted. It goes on after one that could not be claimed or ended.
func (w *Worker) Sweep(ctx context.Context) (delivered int, err error) {
	var failed []error
	err = outbox.EachDue(ctx, w.table, w.now(), func(k table.Key) error {
		done, err := w.Deliver(ctx, k)
		if done {
			delivered++
		}
		failed = append(failed, err)
		return ctx.Err()
	})
	events := outbox.EachCompanyWithEvents(ctx, w.table, w.now(), func(k table.Key) error {
		_, err := w.Deliver(ctx, k)
		failed = append(failed, err)
		return ctx.Err()
	})
	failed = append(failed, events)
	return delivered, errors.Join(append(failed, err)...)
}
