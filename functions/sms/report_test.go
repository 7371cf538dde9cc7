package sms_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const callback = "/v1/sms/callback/"

var reporting = notify.Traits{Once: true, Reports: true}

func signature(secret, timestamp, body string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(timestamp + "." + body))
	return hex.EncodeToString(h.Sum(nil))
}

func (o *office) timestamp() string { return strconv.FormatInt(o.Clock.Now().Unix(), 10) }

// reports sends a report that the provider has signed now.
func (o *office) reports(id, status string) *webtest.Answer {
	o.t.Helper()
	body := fmt.Sprintf(`{"id":%q,"status":%q}`, id, status)
	return o.signed(o.timestamp(), signature(webtest.SMSSecret, o.timestamp(), body), body)
}

func (o *office) signed(timestamp, signature, body string) *webtest.Answer {
	o.t.Helper()
	return o.As(webtest.Nobody()).With("X-Timestamp", timestamp).With("X-Signature", signature).Post(callback, body)
}

// taken is an office whose message to two telephones the provider has taken, and the ids of these.
func taken(t *testing.T) (o *office, path, first, second string) {
	t.Helper()
	o = open(t, reporting, "100")
	path = o.send("Hello", phone(1), phone(2))
	o.sweep()
	return o, path, o.provider.ids(phone(1))[0], o.provider.ids(phone(2))[0]
}

func TestReports(t *testing.T) {
	o, path, first, second := taken(t)
	o.is(path, "PENDING", "0.00")
	o.reports(first, "delivered").Status(200).Calls(4).JSON(`{"status":"DELIVERED"}`).Happened()
	o.is(path, "PENDING", "0.00").Field("recipients.0.status", `"DELIVERED"`).Field("recipients.1.status", `"PENDING"`)
	o.reports(second, "failed").Status(200).JSON(`{"status":"FAILED"}`).Happened("sms_message.delivered")
	o.is(path, "DELIVERED", "15.00").Field("recipients.1.status", `"FAILED"`)
	o.balance("85.00")

	// The first final report counts: a late one takes nothing back, and gives nothing back again.
	for _, late := range []struct{ id, status, want string }{
		{first, "failed", "DELIVERED"}, {second, "delivered", "FAILED"}, {second, "failed", "FAILED"}, {first, "delivered", "DELIVERED"},
	} {
		o.Clock.Step(time.Second)
		o.reports(late.id, late.status).Status(200).JSON(`{"status":"` + late.want + `"}`).Happened()
	}
	o.is(path, "DELIVERED", "15.00")
	o.balance("85.00")
	o.Clock.Step(100 * time.Hour)
	o.sweep()
	o.is(path, "DELIVERED", "15.00")
	if len(o.provider.sent) != 2 {
		t.Errorf("sent %+v", o.provider.sent)
	}
}

func TestNoReportComes(t *testing.T) {
	o, path, _, second := taken(t)
	o.reports(second, "failed").Status(200)
	o.Clock.Step(72*time.Hour - time.Second)
	o.sweep()
	o.is(path, "PENDING", "15.00")
	o.Clock.Step(time.Minute)
	o.sweep()
	o.is(path, "DELIVERED", "15.00")
	o.balance("85.00")
}

// A provider may report before the worker has recorded that it took the message, and before an
// answer that was lost is asked for again.
func TestAReportIsFasterThanTheAnswer(t *testing.T) {
	for _, c := range []struct{ name, status, want, refunded, balance string }{
		{"delivered", "delivered", "DELIVERED", "0.00", "85.00"},
		{"failed", "failed", "FAILED", "15.00", "100.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := open(t, reporting, "100")
			o.provider.answer = func(m notify.Message, _ int) error {
				o.reports(m.ID, c.status).Status(200)
				return errUnknown
			}
			path := o.send("Hello", phone(1))
			o.sweep()
			o.is(path, c.want, c.refunded)
			o.balance(c.balance)
			o.pass(time.Minute)
			if len(o.provider.sent) != 1 {
				t.Errorf("sent %+v", o.provider.sent)
			}
			o.balance(c.balance)
		})
	}
}

func TestReportsAfterItWasGivenUp(t *testing.T) {
	o := open(t, reporting, "100")
	o.provider.answer = func(notify.Message, int) error { return errDown }
	path := o.send("Hello", phone(1))
	o.pass(31 * time.Minute)
	o.is(path, "FAILED", "15.00")
	for _, status := range []string{"delivered", "failed"} {
		o.reports(o.provider.ids(phone(1))[0], status).Status(200).JSON(`{"status":"FAILED"}`)
	}
	o.is(path, "FAILED", "15.00")
	o.balance("100.00")
}

// Whoever is not the provider learns nothing, and changes nothing.
func TestReportsOfNobody(t *testing.T) {
	o, path, first, _ := taken(t)
	body := fmt.Sprintf(`{"id":%q,"status":"failed"}`, first)
	now := o.timestamp()
	at := func(d time.Duration) string { return strconv.FormatInt(o.Clock.Now().Add(d).Unix(), 10) }
	right := func(timestamp string) string { return signature(webtest.SMSSecret, timestamp, body) }
	for _, c := range []struct{ name, timestamp, signature string }{
		{"unsigned", "", ""},
		{"another secret", now, signature("x", now, body)},
		{"no secret", now, signature("", now, body)},
		{"another body", now, signature(webtest.SMSSecret, now, strings.Replace(body, "failed", "delivered", 1))},
		{"another time", at(time.Second), right(now)},
		{"no hex", now, strings.Repeat("z", 64)},
		{"half of it", now, right(now)[:32]},
		{"too old", at(-5*time.Minute - time.Second), right(at(-5*time.Minute - time.Second))},
		{"too new", at(5*time.Minute + time.Second), right(at(5*time.Minute + time.Second))},
		{"no time", "soon", right("soon")},
		{"a time with a sign", "+" + now, right("+" + now)},
		{"before all time", "-1", right("-1")},
		{"after all time", "9223372036854775807", right("9223372036854775807")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o.As(webtest.Nobody()).In(t).With("X-Timestamp", c.timestamp).With("X-Signature", c.signature).Post(callback, body).
				Status(403).JSON(`{"detail":"You do not have permission to perform this action."}`)
		})
	}
	o.is(path, "PENDING", "0.00")

	replayed := right(now)
	o.signed(now, replayed, body).Status(200)
	for _, again := range []string{replayed, strings.ToUpper(replayed)} {
		o.signed(now, again, body).Status(403).JSON(`{"detail":"You do not have permission to perform this action."}`)
	}
	o.Clock.Step(time.Second)
	o.reports(first, "failed").Status(200) // signed again
	o.balance("85.00")
}

func TestReportsOfNothing(t *testing.T) {
	o, path, first, _ := taken(t)
	parts := strings.Split(first, ".")
	change := func(i int, to string) string {
		p := append([]string(nil), parts...)
		p[i] = to
		return strings.Join(p, ".")
	}
	for name, id := range map[string]string{
		"text": "hello", "dots": "....", "another company": change(0, "2"), "another message": change(1, "2"), "another telephone": change(2, "1"),
		"another time": change(3, "1"), "no signature": strings.Join(parts[:4], "."), "an empty signature": change(4, ""),
	} {
		t.Run(name, func(t *testing.T) {
			o.t = t
			o.reports(id, "failed").Status(404)
		})
	}
	o.t = t
	for _, c := range []struct{ body, want string }{
		{`{}`, `{"id":["This field is required."],"status":["This field is required."]}`},
		{fmt.Sprintf(`{"id":%q,"status":"sent"}`, first), `{"status":["\"sent\" is not a valid choice."]}`},
	} {
		o.signed(o.timestamp(), signature(webtest.SMSSecret, o.timestamp(), c.body), c.body).Status(400).JSON(c.want)
	}
	o.is(path, "PENDING", "0.00")
	quiet := openWith(t, webtest.Setup{Change: func(e *app.Env) { e.Config.SMS.CallbackSecret = "" }}, reporting, "")
	quiet.reports(first, "delivered").Status(404)
	body := `{"id":"1","status":"delivered"}`
	quiet.signed(quiet.timestamp(), signature("", quiet.timestamp(), body), body).Status(404)
}

// Reports and attempts at the same moment: one final state, and the price back at most once.
func TestReportsRace(t *testing.T) {
	o, path, first, second := taken(t)
	var wait sync.WaitGroup
	for i := range 16 {
		status := []string{"delivered", "failed"}[i%2]
		wait.Go(func() {
			body := fmt.Sprintf(`{"id":%q,"status":%q,"try":%d}`, first, status, i)
			o.signed(o.timestamp(), signature(webtest.SMSSecret, o.timestamp(), body), body).Status(200)
			body = fmt.Sprintf(`{"id":%q,"status":"failed","try":%d}`, second, i)
			o.signed(o.timestamp(), signature(webtest.SMSSecret, o.timestamp(), body), body).Status(200)
		})
	}
	wait.Wait()
	a := o.employee.Get(path).Status(200).Field("recipients.1.status", `"FAILED"`)
	want := "85.00"
	if a.Text("recipients.0.status") == "FAILED" {
		want = "100.00"
	}
	o.balance(want)
}
