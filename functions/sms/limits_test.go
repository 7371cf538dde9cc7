package sms_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Deployed, nobody books what nobody has paid.
func TestOnlyTheOperatorTopsUp(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Config.SMS.TopUp = false }}
	o := openWith(t, api, notify.Traits{}, "")
	for _, amount := range []string{`"100"`, `"-5"`} {
		o.owner.Post("/v1/sms/account/top_up/", `{"amount":`+amount+`}`).Status(403).
			JSON(`{"detail":"The operator of the platform books what a company has paid.","code":"host_only"}`)
	}
	o.balance("0.00")
}

// A telephone costs what its country costs, and gets back as much.
func TestACountryHasItsPrice(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "500")
	const kazakh, uzbek = "+77011234567", "+998901234567"
	o.provider.answer = func(m notify.Message, _ int) error {
		if m.To == uzbek {
			return notify.ErrRefused
		}
		return nil
	}
	path := o.send("Сәлем", kazakh, uzbek)
	o.employee.Get(path).Field("cost", `"135.00"`)
	o.balance("365.00")
	o.sweep()
	o.employee.Get(path).Field("refunded", `"120.00"`).Field("cost", `"135.00"`)
	o.balance("485.00")

	o.employee.Post("/v1/sms/messages/", `{"phones":["+77011234567","+12025550123","8 701 765 43 21","+79161234567"],"message":"Hi"}`).Status(400).
		JSON(`{"phones":{"1":["No SMS are sent to this number: not to its country, or it is no mobile one."],"3":["No SMS are sent to this number: not to its country, or it is no mobile one."]},"code":"country"}`)
	o.balance("485.00")
}

// A message that was stored when all telephones cost the same shows what it cost, and is given back at that price.
func TestAMessageOfOnePrice(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "500")
	o.provider.answer = func(notify.Message, int) error { return notify.ErrRefused }
	path := o.send("Hello", phone(1), phone(2))
	type before struct {
		Phone string `dynamo:"p"`
	}
	of := table.Of(o.Env.Table, 1)
	if err := of.Update(of.Record("sms", 1)).Set("'to'", []before{{phone(1)}, {phone(2)}}).Set("p", table.Number("7.50")).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.employee.Get(path).Field("cost", `"15.00"`)
	o.sweep()
	o.employee.Get(path).Field("refunded", `"15.00"`).Field("status", `"FAILED"`)
}

// What a program sends has no user, and names the key. It counts by itself, in its company alone.
func TestAProgramSends(t *testing.T) {
	o := open(t, notify.Traits{Once: true}, "500")
	o.As(webtest.Owner(2)).Post("/v1/sms/account/top_up/", `{"amount":"500"}`).Status(201)
	hi := map[string]any{"phones": []string{phone(1)}, "message": "Hi"}
	send := func(key int64, company tenant.ID) *webtest.Answer {
		return o.As(webtest.Key(key, company, "sms:write")).Post("/v1/sms/messages/", hi)
	}
	send(5, 1).Status(201).Field("created_by", "null").Field("created_by_key", "5")
	o.employee.Get("/v1/sms/messages/1/").Status(200).Field("created_by", "null").Field("created_by_key", "5")

	subject := throttle.Subject("key", "1", "5")
	key := crosstenant.Throttle("text-user", subject, strconv.FormatInt(o.Clock.Now().Truncate(24*time.Hour).Unix(), 10))
	if err := crosstenant.Open(o.Env.Table).Update(key).Set("c", 10_000).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	send(5, 1).Writes(2).Status(429)
	send(6, 1).Status(201)
	send(5, 2).Status(201)
	o.employee.Post("/v1/sms/messages/", hi).Status(201).Field("created_by", "12").Field("created_by_key", "null")
}

// What is too much for a user, a company, a telephone or the platform is refused, and neither paid nor counted.
func TestMessagesADay(t *testing.T) {
	o := openWith(t, webtest.Setup{Change: func(e *app.Env) { e.Config.SMS.Daily = 100 }}, notify.Traits{Once: true}, "5000")
	count := func(rule, subject string, n int) {
		key := crosstenant.Throttle(rule, subject, strconv.FormatInt(o.Clock.Now().Truncate(24*time.Hour).Unix(), 10))
		if err := crosstenant.Open(o.Env.Table).Update(key).Set("c", n).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		rule, subject string
		limit, writes int // the writes are of counts, which are given back
	}{
		{"text-user", throttle.Subject("12"), 10_000, 2},
		{"text-company", throttle.Subject("1"), 20_000, 2},
		{"text-to", throttle.Subject(phone(2)), 50, 8},
		{"sms", "all-0", 100, 8},
	} {
		t.Run(c.rule, func(t *testing.T) {
			left := o.owner.Get("/v1/sms/account/").Text("balance")
			count(c.rule, c.subject, c.limit)
			for range 3 {
				o.employee.In(t).Post("/v1/sms/messages/", map[string]any{"phones": []string{phone(1), phone(2)}, "message": "Hi"}).
					Writes(c.writes).Status(429)
			}
			o.balance(left)
			count(c.rule, c.subject, c.limit-2*3)
			for range 2 {
				o.send("Hi", phone(1), phone(2))
			}
			count(c.rule, c.subject, 0)
		})
	}
	o.employee.Get("/v1/sms/messages/").Field("count", "8")
}

// The description says that messages are limited.
func TestLimitsAreDescribed(t *testing.T) {
	api := webtest.New(t, sms.New)
	for _, op := range sms.New(api.Env).Operations {
		if op.Method == http.MethodPost && op.Path == "/v1/sms/messages/" && !slices.Contains(op.Faults, fault.Throttled) {
			t.Errorf("%s: %v", op.ID, op.Faults)
		}
	}
}

// A message to many telephones is counted by telephone, so it takes evenly of what all have together.
func TestManyTelephonesAreSpread(t *testing.T) {
	o := openWith(t, webtest.Setup{Change: func(e *app.Env) { e.Config.SMS.Daily = 1000 }}, notify.Traits{Once: true}, "5000")
	day := strconv.FormatInt(o.Clock.Now().Truncate(24*time.Hour).Unix(), 10)
	for shard := range 10 { // half of the day is used
		key := crosstenant.Throttle("sms", "all-"+strconv.Itoa(shard), day)
		if err := crosstenant.Open(o.Env.Table).Update(key).Set("c", 50).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	phones := make([]string, 100)
	for i := range phones {
		phones[i] = phone(i)
	}
	o.send("Hi", phones...)
	counted := -500
	for shard := range 10 {
		var c struct {
			table.Item
			N int `dynamo:"c"`
		}
		if err := crosstenant.Open(o.Env.Table).Get(t.Context(), crosstenant.Throttle("sms", "all-"+strconv.Itoa(shard), day), &c); err != nil {
			t.Fatal(err)
		}
		counted += c.N
	}
	if counted != len(phones) {
		t.Errorf("%d are counted", counted)
	}
}
