package sms_test

import (
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// planned gives company 1 a record with a plan.
func (o *office) planned(p company.Plan) *table.Tenant {
	o.t.Helper()
	of := table.Of(o.Env.Table, 1)
	is := company.Company{Item: table.At(of.Company(), company.Version), ID: 1, Name: "Acme", TimeZone: "Asia/Almaty", Revision: 1, Plan: &p}
	if err := of.Put(is).Run(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
	return of
}

// spent checks what is counted of today.
func (o *office) spent(of *table.Tenant, sms, cents int64) {
	o.t.Helper()
	zone := time.FixedZone("", 5*3600)
	got, err := usage.SpentOn(o.t.Context(), of, o.Clock.Now().In(zone))
	if want := (usage.Spent{SMS: sms, Cost: money.FromCents(cents)}); err != nil || got.SMS != want.SMS || got.Cost.Cmp(want.Cost) != 0 {
		o.t.Errorf("spent %+v, %v, want %+v", got, err, want)
	}
}

// A plan has room for so many segments in a month of the company, and what was not sent is given back.
func TestSegmentsOfAPlan(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "1000")
	of := o.planned(company.Plan{SMS: 3})
	two := map[string]any{"phones": []string{phone(1), phone(2)}, "message": "Hello"}
	o.employee.Post("/v1/sms/messages/", two).Status(201).Units(3, 24)
	o.spent(of, 2, 3000)
	o.employee.Post("/v1/sms/messages/", two).Status(403).Writes(0).
		JSON(`{"detail":"The plan of the company has room for 3 segments of SMS in a month.","code":"plan","limit":"sms","most":3}`)
	o.employee.Post("/v1/sms/messages/", map[string]any{"phones": []string{phone(1)}, "message": "Hello"}).Status(201)
	o.balance("955.00")

	o.provider.answer = func(notify.Message, int) error { return notify.ErrRefused }
	o.sweep()
	o.spent(of, 0, 0)
	o.balance("1000.00")
	o.provider.answer = nil
	o.employee.Post("/v1/sms/messages/", two).Status(201)

	// It is still March in UTC when April begins where the company is.
	o.Clock.Step(time.Date(2026, time.March, 31, 18, 59, 0, 0, time.UTC).Sub(o.Clock.Now()))
	o.employee.Post("/v1/sms/messages/", two).Status(403)
	o.Clock.Step(time.Minute)
	o.employee.Post("/v1/sms/messages/", two).Status(201)
	o.spent(of, 2, 3000)
}

// Messages that are sent at once don't go over the plan together.
func TestSegmentsAtOnce(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "1000")
	of := o.planned(company.Plan{SMS: 3})
	var wait sync.WaitGroup
	var mu sync.Mutex
	count := map[int]int{}
	for i := range 6 {
		wait.Go(func() {
			for range 20 {
				a := o.As(webtest.Employee(1)).Post("/v1/sms/messages/", map[string]any{"phones": []string{phone(i)}, "message": "Hello"})
				if a.Code() == 201 || a.Code() == 403 {
					mu.Lock()
					count[a.Code()]++
					mu.Unlock()
					return
				}
			}
		})
	}
	wait.Wait()
	if count[201] != 3 || count[403] != 3 {
		t.Errorf("%v", count)
	}
	o.spent(of, 3, 4500)
	o.balance("955.00")
}
