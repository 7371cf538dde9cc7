package deliver_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/webhooks/signature"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Whatever happens to a webhook, nothing that it wants is missing in the end: receivers that fail, workers that die before or after any
// call, two workers at once, another URL, more types, recover, tests. What comes twice has the same id.
func TestNothingIsMissing(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			o := newOffice(t)
			owner := o.As(webtest.Owner(1))
			path := o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
			begun := o.Clock.Now()
			var mu sync.Mutex
			fails := func() bool {
				mu.Lock()
				defer mu.Unlock()
				return random.IntN(3) == 0
			}
			o.receiver.answer = func(post, int) (public.Answer, error) {
				if fails() {
					return public.Answer{Status: 500}, nil
				}
				return public.Answer{Status: 204}, nil
			}
			for range 25 {
				for i := range random.IntN(6) {
					o.points(fmt.Sprint(i))
				}
				o.API.Deliver()
				switch random.IntN(8) {
				case 0:
					owner.Patch(path, fmt.Sprintf(`{"url":"https://erp%d.example.com/"}`, random.IntN(1000))).Status(200)
				case 1:
					owner.Patch(path, `{"types":["rental_point.created","rental_point.deleted"]}`).Status(200)
				case 2:
					owner.Post(path+"recover/", `{"since":"`+begun.Format(time.RFC3339)+`"}`).Status(200)
				case 3:
					owner.Post(path+"test/", nil).Status(202)
				case 4:
					o.client.DieAt(1+random.IntN(12), random.IntN(2) == 0)
					_, _ = o.worker.Deliver(t.Context(), o.key())
					o.client.Restart()
					o.client.DieAt(1<<30, false)
				case 5:
					var both sync.WaitGroup
					for range 2 {
						both.Go(func() { _, _ = o.worker.Deliver(t.Context(), o.key()) })
					}
					both.Wait()
				default:
					o.due()
				}
				o.Clock.Step(time.Duration(random.IntN(90)) * time.Second)
			}
			o.receiver.mu.Lock()
			o.receiver.answer = nil
			o.receiver.mu.Unlock()
			for range 30 {
				o.API.Deliver()
				o.due()
				o.Clock.Step(20 * time.Minute)
			}
			bodies := map[string]string{}
			for _, p := range o.receiver.take() {
				id := p.header.Get(signature.ID)
				if bodies[id] != "" && bodies[id] != p.body {
					t.Errorf("%s differs", id)
				}
				bodies[id] = p.body
			}
			for _, e := range o.Events(1, 0) {
				id := fmt.Sprint("evt_1_", e.Number)
				if _, got := bodies[id]; e.Name == "rental_point.created" && !got {
					t.Errorf("%s is missing", id)
				}
			}
			owner.Get(path).Status(200).Field("enabled", `true`).Field("delivery.retrying", `0`).Field("delivery.failures", `0`)
		})
	}
}
