package sms_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// locks makes the engine refuse what AWS refuses while transactions meet.
func locks(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
	return tabletest.Wrap(engine, tabletest.Locks(), 1)
}

// 16 send at once, and there is enough for 7.
func TestNobodySpendsWhatIsNotThere(t *testing.T) {
	for name, setup := range map[string]webtest.Setup{"at once": {}, "with conflicts": {Table: locks}} {
		t.Run(name, func(t *testing.T) {
			o := openWith(t, setup, notify.Traits{Once: true}, "105")
			var sent, refused atomic.Int32
			var wait sync.WaitGroup
			for i := range 16 {
				wait.Go(func() {
					a := o.employee.Post("/v1/sms/messages/", fmt.Sprintf(`{"phones":[%q],"message":"Hello"}`, phone(i)))
					switch a.Code() {
					case 201:
						sent.Add(1)
					case 400:
						a.Field("code", `"sms_balance"`)
						refused.Add(1)
					default:
						t.Errorf("status %d: %s", a.Code(), a.Body())
					}
				})
			}
			wait.Wait()
			if sent.Load() != 7 || refused.Load() != 9 {
				t.Errorf("%d sent, %d refused", sent.Load(), refused.Load())
			}
			o.balance("0.00")
			o.sweep()
			if len(o.provider.sent) != 7 {
				t.Errorf("%d SMS", len(o.provider.sent))
			}
			o.employee.Get("/v1/sms/messages/").Field("count", "7")
		})
	}
}

// Whatever happens, the operations add up to the balance, and the balance is what came in less what
// the messages cost and were not given back.
func TestTheBooksAddUp(t *testing.T) {
	platform, company := open(t, notify.Traits{}, ""), tenant.ID(0)
	rapid.Check(t, func(r *rapid.T) {
		company++
		o := platform.of(company)
		o.provider.traits = notify.Traits{Once: rapid.Bool().Draw(r, "once"), Reports: rapid.Bool().Draw(r, "reports")}
		o.provider.sent = nil
		outcomes := []error{nil, nil, errRefused, errDown, errUnknown}
		o.provider.answer = func(m notify.Message, try int) error {
			return outcomes[(try*7+len(m.ID)+int(m.To[len(m.To)-1]))%len(outcomes)]
		}
		var in int64
		var paths []string
		for range rapid.IntRange(4, 12).Draw(r, "steps") {
			switch rapid.SampledFrom([]string{"top up", "send", "send", "sweep", "report", "wait"}).Draw(r, "step") {
			case "top up":
				amount := rapid.Int64Range(1, 9000).Draw(r, "amount")
				o.owner.Post("/v1/sms/account/top_up/", fmt.Sprintf(`{"amount":"%d.%02d"}`, amount/100, amount%100)).Status(201)
				in += amount
			case "send":
				phones := make([]string, rapid.IntRange(1, 4).Draw(r, "phones"))
				for i := range phones {
					phones[i] = phone(i)
				}
				a := o.employee.Post("/v1/sms/messages/", map[string]any{"phones": phones, "message": "Hello"})
				if a.Code() == 201 {
					paths = append(paths, fmt.Sprintf("/v1/sms/messages/%d/", a.Int("id")))
				} else {
					a.Status(400).Field("code", `"sms_balance"`)
				}
			case "sweep":
				o.sweep()
			case "report":
				if n := len(o.provider.sent); n > 0 {
					id := o.provider.sent[rapid.IntRange(0, n-1).Draw(r, "which")].ID
					o.Clock.Step(time.Second)
					o.reports(id, rapid.SampledFrom([]string{"delivered", "failed"}).Draw(r, "status")).Status(200)
				}
			case "wait":
				o.Clock.Step(rapid.SampledFrom([]time.Duration{10 * time.Second, 31 * time.Minute, 73 * time.Hour}).Draw(r, "time"))
			}
		}
		o.audit()
		left := in
		for _, path := range paths {
			a := o.employee.Get(path).Status(200)
			left += cents(t, a.Text("refunded")) - cents(t, a.Text("cost"))
		}
		if got := cents(t, o.owner.Get("/v1/sms/account/").Text("balance")); got != left {
			r.Fatalf("%d is left, the messages leave %d", got, left)
		}
		o.Clock.Step(80 * time.Hour)
		o.sweep()
		for _, path := range paths {
			if status := o.employee.Get(path).Text("status"); status == "PENDING" {
				r.Fatalf("%s is PENDING for ever", path)
			}
		}
		o.audit()
	})
}
