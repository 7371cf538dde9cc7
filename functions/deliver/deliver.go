// Package deliver tells the receivers of webhooks what happens in a company. New events of the company's log arm a message for each
// webhook that follows them; this function carries it out, in a lane of its own (outbox.Hooks): from the webhook's cursor on it sends
// events to the webhook's URL, tries again what has failed, and writes down what it has tried.
//
// Each run takes a short time, so that the webhooks of others wait behind nobody for long. A run that dies before it has written what it
// has tried is made again: an event is delivered at least once, and by its id a receiver knows what it has.
//
// What never goes in here: which failures make a webhook wait or stop (functions/webhooks/endpoint), which addresses may be reached
// (shared/remote/public), and what a record looks like (functions/show). The function's role reads and writes nothing but the log,
// webhooks and their messages, because it talks to strangers.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	parallel = 10               // calls of a receiver at once
	longest  = 2 * time.Second  // in which a run begins calls
	perRun   = 200              // deliveries of a run: they fit into one item with their answers
	ahead    = perRun           // events that are read of the log at once
	held     = 45 * time.Second // how long a webhook is held: longer than a run may take
	saving   = 5 * time.Second
	// stale is how long a worker may live that gives events their numbers and doesn't know yet who follows the log.
	stale = 90 * time.Second
)

// Receivers are called with deliveries.
type Receivers interface {
	Post(ctx context.Context, address string, header http.Header, body []byte) (public.Answer, error)
}

// deliverer carries out the messages of webhooks.
type deliverer struct {
	env       app.Env
	receivers Receivers
	secrets   *secrets
}

// New makes the function.
func New(env app.Env) *worker.Worker { return worker.New("deliver", env, Work(env)) }

// Work says what the messages mean that the function carries out.
func Work(env app.Env) outbox.Work {
	return WorkOver(env, public.New(public.Options{
		Loopback: env.Config.LoopbackHooks, Refused: public.Below(env.Config.PlatformDomain), UserAgent: "Tenantry-Webhooks/1",
		Now: env.Now,
	}))
}

// WorkOver is the work with other receivers, for tests.
func WorkOver(env app.Env, receivers Receivers) outbox.Work {
	d := &deliverer{env: env, receivers: receivers, secrets: newSecrets(env.Keys)}
	return outbox.Work{outbox.Deliver: d.carryOut}
}

// carryOut makes a run of a webhook, and says when the next one is due.
func (d *deliverer) carryOut(ctx context.Context, m outbox.Message) error {
	company, ok := m.Tenant()
	id, err := strconv.ParseInt(m.Body, 10, 64)
	if !ok || err != nil {
		return fmt.Errorf("%w: %q is no webhook", outbox.ErrDrop, m.Body)
	}
	t := table.Of(d.env.Table, company)
	e, s, err := d.hold(ctx, t, id)
	var by endpoint.ErrHeld
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return nil
	case errors.As(err, &by): // it reads the log again before it lets go; this message is for the case that it dies
		return outbox.Later{Until: by.Until}
	case err != nil:
		return err
	}
	log := eventlog.Of(t, d.env.Now).Consistently().AtMost(ahead)
	r := &run{deliverer: d, tenant: t, endpoint: &e, state: &s, log: log, begun: d.env.Now(), hadFailed: m.Attempts > 1}
	more, err := r.make(ctx)
	if errors.Is(err, endpoint.ErrLost) {
		return outbox.Later{Until: d.env.Now().Add(held)}
	}
	if err != nil {
		return err
	}
	return r.next(ctx, more)
}

// hold reads a webhook and takes its state. What changes in between is read anew: a run of a state that another one has written already
// would deliver once more what that has.
func (d *deliverer) hold(ctx context.Context, t *table.Tenant, id int64) (e endpoint.Endpoint, s endpoint.State, err error) {
	for range 5 {
		if e, s, err = endpoint.Load(ctx, t, id); err != nil {
			return e, s, err
		}
		if err = s.Hold(ctx, t, d.env.Now(), held); !errors.Is(err, table.ErrRevision) {
			return e, s, err
		}
	}
	return e, s, err
}

// next says when the next run is due: at once, at a time, or when the message is armed.
func (r *run) next(ctx context.Context, more bool) error {
	now := moment.Of(r.env.Now())
	r.now, r.ahead = *r.state, nil
	switch {
	case more || len(r.now.Asked) > 0 || r.now.Turn != r.turn:
		return r.arm(ctx, now)
	case !r.delivers():
		return nil
	}
	// Whoever was armed while this run held the webhook has left it alone, so the log is looked at once more.
	r.log = r.log.AtMost(1)
	if err := r.read(ctx); err != nil {
		return err
	}
	waits := len(r.ahead) > 0
	if waits && r.now.Room(now) > 0 {
		return r.arm(ctx, now)
	}
	wakes, ok := r.now.Wakes(waits)
	if fresh := r.endpoint.Followed.Add(stale); fresh > now && (!ok || fresh < wakes) {
		wakes, ok = fresh, true
	}
	switch {
	case !ok:
		return nil
	case r.hadFailed, wakes < now.Add(held): // arming sets its attempts back; who was armed meanwhile has put the message off for so long
		return r.arm(ctx, wakes)
	}
	return outbox.Later{Until: wakes.Time()}
}

// arm has the webhook looked at again at a time. It arms the message, because who was armed meanwhile may have put it off.
func (r *run) arm(ctx context.Context, at moment.Micros) error {
	m := outbox.NewKeyed(r.tenant.Message, outbox.Deliver, endpoint.MessageKey(r.endpoint.ID), r.env.Now())
	err := table.Retry(ctx, func() error { return outbox.ArmedAt(r.tenant, m, at.Time()).Run(ctx) })
	if dynamo.IsCondCheckFailed(err) { // a new event has armed it for an earlier time
		return nil
	}
	return err
}
