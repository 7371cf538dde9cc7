package deliver_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/show"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What a webhook wants is rare, and each change has a page of its own: one run passes over everything before it.
func TestWhatIsRare(t *testing.T) {
	o := newOffice(t)
	o.hook(`{"url":"` + erp + `","types":["rental_point.deleted"]}`)
	o.due()
	for i := range 70 {
		o.points(fmt.Sprint(i))
		o.API.Deliver()
	}
	o.As(webtest.Employee(1)).Delete(all + "1/").Status(204)
	o.API.Deliver()
	if _, err := o.worker.Deliver(t.Context(), o.key()); err != nil {
		t.Fatal(err)
	}
	o.arrived("evt_1_73")
}

// Whenever an event comes during a run whose own event fails, it is delivered at once, and not with the retry of that.
func TestAnEventDuringARun(t *testing.T) {
	for at := int64(1); ; at++ {
		o := newOffice(t)
		o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
		o.due()
		o.Clock.Step(5 * time.Minute)
		o.due()
		o.receiver.answer = always(500)
		o.points("A")
		o.API.Deliver()
		env := o.Env
		var calls atomic.Int64 // some calls are made by several goroutines
		env.Now = func() time.Time {
			if calls.Add(1) == at {
				o.points("B")
				o.API.Deliver()
			}
			return o.Clock.Now()
		}
		o.worker = o.newWorker(env)
		if _, err := o.worker.Deliver(t.Context(), o.key()); err != nil {
			t.Fatal(err)
		}
		waits, err := outbox.Waits(t.Context(), table.Of(o.Env.Table, 1), o.key(), o.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		if calls.Load() < at {
			break
		}
		if n := len(o.receiver.take()); n < 2 && !waits {
			t.Errorf("call %d: the second event waits for the retry of the first one", at)
		}
	}
}

// A run that succeeds forgets those before that failed: a webhook whose retries take days is not given up for some hiccups of ours.
func TestRunsThatFailedAreForgotten(t *testing.T) {
	o := newOffice(t)
	o.hook(`{"url":"` + erp + `","types":["rental_point.*"],"payload":"whole"}`)
	o.receiver.answer = always(500)
	env, away := o.Env, false
	works := invoke.InProcess("show", show.New(o.Env))
	env.Show = func(ctx context.Context, payload []byte) ([]byte, error) {
		if away {
			return nil, errors.New("away")
		}
		return works(ctx, payload)
	}
	o.worker = o.newWorker(env)
	o.points("A")
	o.deliver()
	attempts := func() int {
		var m outbox.Message
		if err := table.Of(o.Env.Table, 1).Get(t.Context(), o.key(), &m); err != nil {
			t.Fatal(err)
		}
		return m.Attempts
	}
	for range 2 { // 5 seconds and 5 minutes
		o.Clock.Step(6 * time.Minute)
		o.due()
	}
	away = true
	o.Clock.Step(time.Hour)
	if o.due(); attempts() != 1 {
		t.Fatalf("%d attempts", attempts())
	}
	away = false
	o.Clock.Step(time.Minute)
	if o.due(); attempts() != 0 {
		t.Errorf("%d attempts are counted still", attempts())
	}
	o.arrived("evt_1_3", "evt_1_3", "evt_1_3", "evt_1_3")
}
