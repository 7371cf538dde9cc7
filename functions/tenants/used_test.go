package tenants

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// plan gives a company a plan.
func (w *world) plan(id tenant.ID, p company.Plan) {
	w.t.Helper()
	of := table.Of(w.Env.Table, id)
	if err := of.Update(of.Company()).Set("pl", p).Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) used(id tenant.ID, date decode.Date, change func(d *usage.Day)) {
	w.t.Helper()
	of := table.Of(w.Env.Table, id)
	d := usage.DayOf(of, date)
	change(&d)
	if err := d.Keep(w.t.Context(), of); err != nil {
		w.t.Fatal(err)
	}
}

// An owner sees what the company had and used on the days that were counted, and its plan.
func TestUsage(t *testing.T) {
	w := newWorld(t)
	const path = "/v1/tenant/1/usage/"
	w.as(1).Get(path).Status(200).Calls(2).JSON(`{"plan":{"records":null,"members":null,"sms":null,"seals":null},"days":[]}`)

	w.plan(1, company.Plan{Records: 5000, SMS: 1000})
	w.used(1, "2026-02-28", func(d *usage.Day) {
		d.Stored = &usage.Stored{Records: 12, RecordBytes: 3400, FileBytes: 5, Members: 2}
		d.SMS, d.Cost, d.Seals, d.Messages, d.Requests, d.Read, d.Write = 3, money.FromCents(5150), 1, 4, 70, 10.5, 22
	})
	w.used(1, "2026-03-01", func(d *usage.Day) { d.SMS = -1 }) // what was not sent the day before, counted late
	w.used(2, "2026-03-01", func(d *usage.Day) { d.Requests = 9 })
	// Who counts a day again changes nothing.
	w.used(1, "2026-02-28", func(d *usage.Day) { d.Requests = 71 })

	const first, second = `{"date":"2026-02-28","records":12,"record_bytes":3400,"file_bytes":5,"members":2,"sms":3,"sms_cost":"51.50",
		"seals":1,"messages":4,"requests":70,"read_units":10.5,"write_units":22}`, `{"date":"2026-03-01","records":null,"record_bytes":null,
		"file_bytes":null,"members":null,"sms":-1,"sms_cost":"0.00","seals":0,"messages":0,"requests":0,"read_units":0,"write_units":0}`
	w.as(1).Get(path).Status(200).Writes(0).Units(3, 0).
		JSON(`{"plan":{"records":5000,"members":null,"sms":1000,"seals":null},"days":[` + first + `,` + second + `]}`)
	for query, want := range map[string]string{
		"?date__gte=2026-03-01":                      `[` + second + `]`,
		"?date__lte=2026-02-28":                      `[` + first + `]`,
		"?date__gte=2025-03-02&date__lte=2026-03-02": `[` + first + `,` + second + `]`,
		"?date__gte=2026-03-01&date__lte=2026-02-28": `[]`,
		"?date__lte=0001-01-05":                      `[]`,
	} {
		w.as(1).Get(path+query).Status(200).Field("days", want)
	}
	for query, want := range map[string]string{
		"?date__gte=2026-02-29":                      `{"date__gte":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`,
		"?date__gte=2025-03-01&date__lte=2026-03-02": `{"date__gte":["Ensure the period has no more than 366 days."]}`,
	} {
		w.as(1).Get(path + query).Status(400).JSON(want)
	}

	sheet := w.as(1).With("Accept", "text/csv").Get(path).Status(200).Header("Content-Type", "text/csv; charset=utf-8")
	if want := "\uFEFFdate,records,record_bytes,file_bytes,members,sms,sms_cost,seals,messages,requests,read_units,write_units\r\n" +
		"2026-02-28,12,3400,5,2,3,51.50,1,4,70,10.5,22\r\n2026-03-01,,,,,-1,0.00,0,0,0,0,0\r\n"; string(sheet.Body()) != want {
		t.Errorf("%q", sheet.Body())
	}
	w.as(1).With("Accept", "text/csv;q=0, */*").Get(path).Status(200).Header("Content-Type", "application/json")
	w.as(1).With("Accept", "application/pdf").Get(path).Status(406)

	w.hire(3, tenant.Manager)
	w.as(3).Get(path).Status(403).JSON(`{"detail":"You do not have permission to perform this action."}`)
	w.as(2).Get(path).Status(404)
	w.as(1).Get("/v1/tenant/9999999999999/usage/").Status(404)
}

// Whether a plan has room for a seal is asked of the month in which it counts, also where the company has moved to a zone of the month
// before.
func TestRoomAcrossZones(t *testing.T) {
	w := newWorld(t)
	of := table.Of(w.Env.Table, 1)
	c := company.Company{TimeZone: "Pacific/Pago_Pago", UsedFrom: "2026-04-01", Plan: &company.Plan{Seals: 1}}
	at := time.Date(2026, time.March, 31, 23, 30, 0, 0, time.UTC) // still in March there
	if err := usage.RoomForSeal(t.Context(), of, c, at); err != nil {
		t.Error(err)
	}
	if err := of.Update(of.UsageMonth("2026-04")).Set("v", 1).Set("d", 1).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := usage.RoomForSeal(t.Context(), of, c, at); err == nil {
		t.Error("there is room for a second seal in April")
	}
}

// What is used after the company has moved to a zone where it is still an earlier day counts on no day that may be counted already.
func TestUsageAcrossZones(t *testing.T) {
	w := newWorld(t)
	of := table.Of(w.Env.Table, 1)
	use := func() {
		t.Helper()
		add, err := usage.Takes(t.Context(), of, w.Env.Now(), usage.Spent{SMS: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := of.Write(t.Context(), func(tx *table.Tx, _ int) error {
			add(tx)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	moves := func(zone string) { t.Helper(); w.as(1).Patch(acme, `{"timezone":"`+zone+`"}`).Status(200) }
	moves("Pacific/Kiritimati") // 14 hours before UTC
	use()                       // on 2 March, 23:30
	w.Clock.Step(time.Hour)
	w.used(1, "2026-03-02", func(d *usage.Day) { d.SMS = 1 })
	moves("Pacific/Pago_Pago") // 11 hours after UTC, where it is 1 March, 23:30
	use()
	w.Clock.Step(25 * time.Hour) // 3 March, 0:30
	use()
	moves("Asia/Almaty")
	moves("Pacific/Pago_Pago")
	use()
	w.Clock.Step(24 * time.Hour)
	use()
	w.as(1).Patch(acme, `{"name":"B"}`).Status(200)
	use()
	for day, want := range map[int]int64{1: 0, 2: 1, 3: 3, 4: 2, 5: 0} {
		spent, err := usage.SpentOn(t.Context(), of, time.Date(2026, time.March, day, 0, 0, 0, 0, time.UTC))
		if err != nil || spent.SMS != want {
			t.Errorf("on %d March %d, not %d; %v", day, spent.SMS, want, err)
		}
	}
	w.check()
}
