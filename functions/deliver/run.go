package deliver

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
)

// run is one run of a webhook, whose state it holds.
type run struct {
	*deliverer

	tenant   *table.Tenant
	endpoint *endpoint.Endpoint
	state    *endpoint.State // as it is stored
	log      eventlog.Log
	begun    time.Time
	turn     int64 // of the state, as the run began
	// hadFailed is set where runs before this one have failed. The message counts them, and is given up after many.
	hadFailed bool

	now   endpoint.State      // the state as what was tried makes it
	tried []endpoint.Tried    // in the order of their ends
	told  []endpoint.Delivery // of those that were made
	ahead []eventlog.Entry    // what was read of the log behind the cursor
	whole bool                // the last read has found the end of the log
}

// call is an attempt that is to be made.
type call struct {
	endpoint.Tried

	cause endpoint.Cause
	entry eventlog.Entry // of an event
}

// delivers tells whether the webhook is told anything but what somebody asks for.
func (r *run) delivers() bool { return r.endpoint.Enabled && r.now.Stopped == "" }

// make makes the run, round by round, and writes what it has tried. It tells whether there was more to do.
func (r *run) make(ctx context.Context) (more bool, err error) {
	r.now = *r.state
	r.turn = r.state.Turn
	for {
		before := r.now.Cursor
		var calls []call
		if calls, err = r.calls(ctx); err == nil && len(calls) > 0 {
			err = r.round(ctx, calls)
		}
		if err != nil { // nothing of this round counts
			r.now.Cursor = before
			break
		}
		if more = len(calls) > 0; !more || r.isLong() {
			break
		}
	}
	return more, errors.Join(r.save(ctx), err)
}

// isLong tells whether the run begins no more calls.
func (r *run) isLong() bool {
	return r.env.Now().Sub(r.begun) >= longest || len(r.tried)+parallel > perRun
}

// save writes what the run has tried, also where its time is over.
func (r *run) save(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer cancel()
	a := endpoint.Attempts{Tried: r.tried, Turn: r.turn, Cursor: r.now.Cursor}
	if len(r.told) > 0 {
		a.Run = endpoint.NewRun(r.told, r.env.Now())
	}
	return r.state.Save(ctx, r.tenant, a, r.env.Now())
}

// calls are the next attempts, at most so many as are made at once: what somebody asks for, then what is to be tried again, then what
// is new.
func (r *run) calls(ctx context.Context) ([]call, error) {
	var list []call
	for _, a := range r.now.Asked[:min(len(r.now.Asked), parallel)] {
		c := call{Tried: endpoint.Tried{Asked: &a, Open: endpoint.Open{Event: a.Event}}, cause: endpoint.Resend}
		if a.Test != "" {
			c.cause = endpoint.Test
		}
		list = append(list, c)
	}
	if len(list) > 0 || !r.delivers() {
		return list, r.look(ctx, list)
	}
	now, probe := moment.Of(r.env.Now()), r.now.IsProbing()
	due := r.now.Due(now)
	for _, o := range due[:min(len(due), parallel)] {
		list = append(list, call{Tried: endpoint.Tried{Open: o, Probe: probe}, cause: endpoint.Retry})
	}
	if len(list) > 0 {
		return list, r.look(ctx, list)
	}
	entries, err := r.take(ctx, min(parallel, r.now.Room(now)))
	for _, e := range entries {
		list = append(list, call{endpoint.Tried{Open: endpoint.Open{Event: e.Number}, Probe: probe}, endpoint.Event, e})
	}
	return list, err
}

// look reads the events of some calls. Those that are not kept any more are lost.
func (r *run) look(ctx context.Context, list []call) error {
	var reads errgroup.Group
	for i := range list {
		c := &list[i]
		if c.Open.Event == 0 {
			continue
		}
		reads.Go(func() error {
			e, ok, err := r.log.One(ctx, c.Open.Event)
			if !ok {
				c.Outcome = endpoint.Lost
			}
			c.entry = e
			return err
		})
	}
	return reads.Wait()
}

// take takes the next events that the webhook wants from the log, at most some, and moves the cursor behind them. The log may have
// millions of events that it doesn't want, so take ends where the run is long.
func (r *run) take(ctx context.Context, most int) (list []eventlog.Entry, err error) {
	for len(list) < most {
		if len(r.ahead) == 0 {
			if r.whole { // next reads once more
				return list, nil
			}
			if err := r.read(ctx); err != nil || len(r.ahead) == 0 {
				return list, err
			}
		}
		e := r.ahead[0]
		r.ahead, r.now.Cursor = r.ahead[1:], e.Number
		if eventlog.Matches(r.endpoint.Types, e.Name) {
			list = append(list, e)
		} else if r.isLong() {
			return list, nil
		}
	}
	return list, nil
}

// read reads the log behind the cursor. It moves the cursor to where the log begins if what follows it has expired, and to where the log
// ends if the log has no such number, because the table was restored.
func (r *run) read(ctx context.Context) error {
	entries, more, err := r.log.Ahead(ctx, r.now.Cursor)
	switch {
	case errors.Is(err, eventlog.ErrExpired):
		if r.now.Cursor, err = r.log.Start(ctx); err == nil {
			entries, more, err = r.log.Ahead(ctx, r.now.Cursor)
		}
	case errors.Is(err, eventlog.ErrAhead):
		r.now.Cursor, err = r.log.End(ctx)
	}
	r.ahead, r.whole = entries, !more
	return err
}
