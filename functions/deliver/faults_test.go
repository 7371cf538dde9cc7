package deliver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/deliver"
	"github.com/tenantry/tenantry/functions/show"
	"github.com/tenantry/tenantry/functions/show/job"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/functions/webhooks/signature"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// A webhook with whole payloads is sent the record as it is at delivery, and none once it is gone. Where records can't be had, nothing is
// sent, and nothing is held against the receiver.
func TestWholeRecords(t *testing.T) {
	o := newOffice(t)
	owner := o.As(webtest.Owner(1))
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.*"],"payload":"whole"}`)
	env := o.Env
	env.Show = func(context.Context, []byte) ([]byte, error) { return nil, fmt.Errorf("away") }
	o.worker = o.newWorker(env)
	o.points("Airport <1>")
	o.As(webtest.Employee(1)).Patch(all+"1/", `{"name":"Harbour <2>"}`).Status(200)
	o.deliver()
	o.arrived()
	owner.Get(path).Status(200).Field("delivery.failures", `0`)

	env.Show = invoke.InProcess("show", show.New(env))
	o.worker = o.newWorker(env)
	now := string(owner.Get(all + "1/").Status(200).Body())
	o.Clock.Step(10 * time.Second)
	o.due()
	posts := o.arrived("evt_1_3", "evt_1_4")
	for _, p := range posts {
		if !strings.HasSuffix(p.body, `,"record":`+now+`,"record_revision":2}}`) {
			t.Errorf("%s, want the record\n%s", p.body, now)
		}
	}
	o.As(webtest.Employee(1)).Delete(all + "1/").Status(204)
	o.deliver()
	if p := o.arrived("evt_1_5")[0]; !strings.HasSuffix(p.body, `,"record":null,"record_revision":null}}`) {
		t.Errorf("%s", p.body)
	}
}

// A record that can't be read holds up no other one. It is tried again, and nothing is held against the receiver.
func TestARecordThatCannotBeRead(t *testing.T) {
	o := newOffice(t)
	owner := o.As(webtest.Owner(1))
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.*"],"payload":"whole"}`)
	env, broken := o.Env, "rental_point:1"
	env.Show = func(_ context.Context, payload []byte) ([]byte, error) {
		var r job.Request
		if err := json.Unmarshal(payload, &r); err != nil {
			return nil, err
		}
		shown := make([]job.Shown, len(r.Objects))
		for i, object := range r.Objects {
			shown[i].Fails = object == broken
		}
		return json.Marshal(shown)
	}
	o.worker = o.newWorker(env)
	o.points("A", "B")
	o.deliver()
	o.arrived("evt_1_4")
	owner.Get(path).Status(200).Field("delivery.failures", `0`).Field("delivery.retrying", `1`)
	owner.Get(path+"deliveries/?pageSize=5").Status(200).Field("results.1.event", `3`).Field("results.1.status", `null`).
		Field("results.1.problem", `"The record could not be read. Nothing was sent."`)
	broken = ""
	o.Clock.Step(10 * time.Second)
	o.due()
	o.arrived("evt_1_3")
}

// Two companies, each with a webhook: nobody is told of the other, and ids of the other are unknown.
func TestCompaniesAreApart(t *testing.T) {
	o := newOffice(t)
	o.hook(`{"url":"` + erp + `","types":["*"]}`)
	o.As(webtest.Owner(2)).Post(hooks, `{"url":"https://other.example.com/","types":["*"]}`).Status(201)
	o.As(webtest.Owner(2)).Post(hooks, `{"url":"https://other.example.com/","types":["*"],"enabled":false}`).Status(201)
	o.deliver()
	o.receiver.take()
	o.points("A")
	o.deliver()
	for _, p := range o.arrived("evt_1_3") {
		if p.url != erp {
			t.Errorf("company 1 is told to %s", p.url)
		}
	}
	theirs := o.As(webtest.Owner(2))
	for _, at := range []string{"2/deliveries/", "2/"} { // company 1 has no second webhook
		o.As(webtest.Owner(1)).Get(hooks + at).Status(404)
	}
	theirs.Get(hooks+"1/deliveries/").Status(200).NotContain("evt_1_", "rental_point")
	if n := theirs.Get(hooks + "1/deliveries/").Int("count"); n == 0 {
		t.Error("the other company was told nothing")
	}
	theirs.Get(hooks + "1/deliveries/9/").Status(404)
}

// Nobody delivers a webhook while somebody else does; what was armed meanwhile is delivered by the one who does.
func TestOneAtATime(t *testing.T) {
	o := newOffice(t)
	o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
	o.due()
	o.points("A")
	o.API.Deliver()
	arrives, goes := make(chan struct{}), make(chan struct{})
	o.receiver.answer = func(_ post, n int) (public.Answer, error) {
		if n == 1 {
			close(arrives)
			<-goes
		}
		return public.Answer{Status: 204}, nil
	}
	var first sync.WaitGroup
	first.Go(func() { o.due() })
	<-arrives
	o.points("B")
	o.API.Deliver()
	if o.due(); len(o.receiver.posts) != 1 {
		t.Errorf("%v arrived beside it", ids(o.receiver.posts))
	}
	close(goes)
	first.Wait()
	o.due()
	o.arrived("evt_1_3", "evt_1_4")
	o.Clock.Step(time.Minute)
	if o.due(); o.due() > 0 {
		t.Error("it goes on for ever")
	}
	o.arrived()
}

// A run that dies at any of its calls leaves a state from which the next one goes on: nothing is missing, and what comes twice has the
// same id.
func TestDeathsAtEachCall(t *testing.T) {
	const events = 25
	for call := 1; ; call++ {
		o := newOffice(t)
		o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
		o.due()
		o.receiver.answer = func(_ post, n int) (public.Answer, error) {
			if n%7 == 0 {
				return public.Answer{Status: 500}, nil
			}
			return public.Answer{Status: 204}, nil
		}
		var want []string
		for i := range events {
			o.points(fmt.Sprint(i))
			want = append(want, fmt.Sprint("evt_1_", i+3))
		}
		o.API.Deliver()
		before := total(o.client.Calls())
		o.client.DieAt(call, call%2 == 0)
		_, _ = o.worker.Deliver(t.Context(), o.key())
		died := o.client.Restart()
		o.client.DieAt(1<<30, false)
		if !died && total(o.client.Calls())-before < 10 {
			t.Fatalf("it made %d calls", total(o.client.Calls())-before)
		}
		o.receiver.answer = nil
		for range 10 {
			o.Clock.Step(time.Minute)
			o.due()
		}
		got := map[string]bool{}
		bodies := map[string]string{}
		for _, p := range o.receiver.take() {
			id := p.header.Get(signature.ID)
			if bodies[id] != "" && bodies[id] != p.body {
				t.Errorf("call %d: %s differs", call, id)
			}
			got[id], bodies[id] = true, p.body
		}
		for _, id := range want {
			if !got[id] {
				t.Errorf("call %d: %s is missing", call, id)
			}
		}
		if len(got) != events {
			t.Errorf("call %d: %d ids", call, len(got))
		}
		if !died {
			break
		}
	}
}

func total(calls map[string]int) (n int) {
	for _, of := range calls {
		n += of
	}
	return n
}

// A run is short: with many events it makes room for others, and goes on behind them.
func TestARunIsShort(t *testing.T) {
	o := newOffice(t)
	o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
	o.due()
	for i := range 45 {
		o.points(fmt.Sprint(i))
	}
	o.API.Deliver()
	o.receiver.answer = func(post, int) (public.Answer, error) {
		o.Clock.Step(100 * time.Millisecond)
		return public.Answer{Status: 204}, nil
	}
	key := o.key()
	if _, err := o.worker.Deliver(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if n := len(o.receiver.take()); n != 20 {
		t.Errorf("%d calls in the first run", n)
	}
	if waits, err := outbox.Waits(t.Context(), table.Of(o.Env.Table, 1), key, o.Clock.Now()); err != nil || !waits {
		t.Errorf("it does not go on at once: %t, %v", waits, err)
	}
	o.due()
	if n := len(o.receiver.take()); n != 25 {
		t.Errorf("%d calls afterwards", n)
	}
}

// A log of nothing but what a webhook doesn't want takes several runs, of which each gets on.
func TestALogOfOthers(t *testing.T) {
	o := newOffice(t)
	path := o.hook(`{"url":"` + erp + `","types":["client.created"]}`)
	o.due()
	for i := range 25 {
		o.points(fmt.Sprint(i))
	}
	o.API.Deliver()
	o.As(webtest.Owner(1)).Patch(path, `{"types":["client.*"]}`).Status(200) // which has it look
	env := o.Env
	env.Now = func() time.Time {
		o.Clock.Step(300 * time.Millisecond)
		return o.Clock.Now()
	}
	o.worker = o.newWorker(env)
	cursor := func() int64 {
		s, err := endpoint.Read(t.Context(), table.Of(o.Env.Table, 1), 1)
		if err != nil {
			t.Fatal(err)
		}
		return s.Cursor
	}
	before := cursor()
	if _, err := o.worker.Deliver(t.Context(), o.key()); err != nil {
		t.Fatal(err)
	}
	if n := cursor(); n == before || n > before+15 {
		t.Errorf("the first run comes from %d to %d", before, n)
	}
	o.due()
	if n := cursor(); n < before+25 {
		t.Errorf("it ends at %d, and began at %d", n, before)
	}
	o.arrived()
}

// What delivering costs, for one event alone and for many at once. docs/decisions/0036-webhooks.md has the price of a million.
func TestCosts(t *testing.T) {
	o := newOffice(t)
	o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
	o.due()
	o.Clock.Step(5 * time.Minute)
	o.due()
	cost := func(events int) meter.Usage {
		for i := range events {
			o.points(fmt.Sprint(i))
		}
		o.API.Deliver()
		o.Clock.Step(time.Second)
		ctx, used := meter.Start(t.Context())
		work := deliver.WorkOver(o.Env, o.receiver)
		m, ok, err := outbox.Claim(ctx, table.Of(o.Env.Table, 1), o.key(), o.Clock.Now(), time.Minute)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := work[outbox.Deliver](ctx, m); err != nil {
			t.Fatal(err)
		}
		if _, err := outbox.Done(ctx, table.Of(o.Env.Table, 1), m, o.Clock.Now(), nil); err != nil {
			t.Fatal(err)
		}
		if n := len(o.receiver.take()); n != events {
			t.Fatalf("%d deliveries", n)
		}
		return used.Usage()
	}
	for events, most := range map[int]meter.Usage{1: {Calls: 11, ReadUnits: 8, WriteUnits: 6}, 100: {Calls: 11, ReadUnits: 12, WriteUnits: 12}} {
		if got := cost(events); got.Calls > most.Calls || got.ReadUnits > most.ReadUnits || got.WriteUnits > most.WriteUnits {
			t.Errorf("%d events: %+v, at most %+v", events, got, most)
		} else {
			t.Logf("%d events: %+v", events, got)
		}
	}
}
