package deliver_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/webhooks/signature"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// An event is delivered, signed, as the log tells it; the delivery can be read, and so can the state of the webhook.
func TestADelivery(t *testing.T) {
	o := newOffice(t)
	owner := o.As(webtest.Owner(1))
	o.points("Before")
	o.deliver()
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.*"],"description":"ERP"}`)
	o.deliver()
	o.arrived() // what was before is not told
	o.receiver.answer = func(post, int) (public.Answer, error) {
		return public.Answer{Status: 200, Body: "thanks", Took: 12 * time.Millisecond}, nil
	}
	made := o.As(webtest.Employee(1)).Post(all, `{"name":"Airport <Алматы>","address":"1"}`).Status(201)
	o.deliver()
	posts := o.arrived("evt_1_4") // the second event is the webhook itself
	p := posts[0]
	want := `{"id":"evt_1_4","type":"rental_point.created","timestamp":"2026-03-02T09:30:01Z","data":{"company":1,"event":{"id":4,` +
		`"type":"rental_point.created","created_at":"2026-03-02T09:30:01Z","object":"rental_point:2","revision":1,"concerns":[],` +
		`"user":12,"feed":null,"key":null,"request_id":"` + made.Get("X-Request-Id") + `","data":{}}}}`
	if p.body != want || p.url != erp {
		t.Errorf("%s\n%s, want\n%s", p.url, p.body, want)
	}
	secret := owner.Post(path+"secret/", `{"password":"correct horse"}`).Status(200).Text("secret")
	checkSigned(t, p, o.Clock.Now(), secret)

	owner.Get(path + "deliveries/").Status(200).JSON(`{"count":1,"next":null,"previous":null,"results":[{"id":1,"webhook_id":"evt_1_4","event":4,` +
		`"type":"rental_point.created","cause":"event","attempt":1,"created_at":"2026-03-02T09:30:01Z","milliseconds":12,"succeeded":true,` +
		`"status":200,"answer":"thanks","problem":null,"next_attempt_at":null}]}`)
	owner.Get(path).Status(200).Field("delivery", `{"last_success_at":"2026-03-02T09:30:01Z","failures":0,"failing_since":null,"retrying":0,"next_attempt_at":null}`)
	o.Clock.Step(2 * time.Minute) // the look that new followers take is over
	if o.due(); o.due() != 0 {
		t.Error("it goes on for ever")
	}
	o.arrived()
}

// checkSigned verifies what a receiver would.
func checkSigned(t *testing.T, p post, at time.Time, secrets ...string) {
	t.Helper()
	var raw [][]byte
	for _, s := range secrets {
		raw = append(raw, decoded(t, s))
	}
	for name, want := range signature.Headers(raw, p.header.Get(signature.ID), at, []byte(p.body)) {
		if got := p.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// Types choose what is delivered, and the cursor passes over everything else.
func TestTypes(t *testing.T) {
	o := newOffice(t)
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.updated"]}`)
	o.points("A", "B")
	o.deliver()
	o.arrived()
	o.As(webtest.Employee(1)).Patch(all+"1/", `{"name":"C"}`).Status(200)
	o.deliver()
	o.arrived("evt_1_5")
	o.As(webtest.Owner(1)).Patch(path, `{"types":["*"]}`).Status(200)
	o.points("D")
	o.deliver()
	o.arrived("evt_1_6", "evt_1_7") // webhook.updated, and the point
	o.As(webtest.Owner(1)).Patch(path, `{"enabled":false}`).Status(200)
	o.points("E")
	o.deliver()
	o.arrived()
	o.As(webtest.Owner(1)).Patch(path, `{"enabled":true}`).Status(200)
	o.points("F")
	o.deliver()
	o.arrived("evt_1_10", "evt_1_11") // not what was meanwhile; but that it is enabled was numbered after it was
	o.As(webtest.Owner(1)).Delete(path).Status(204)
	o.points("G")
	o.deliver()
	o.arrived()
	o.Clock.Step(time.Hour)
	if n := o.due(); n > 1 || o.due() > 0 {
		t.Errorf("%d runs of a webhook that is gone", n)
	}
}

// What fails is tried again by the schedule, with the same id and another time.
func TestRetries(t *testing.T) {
	o := newOffice(t)
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
	for name, row := range map[string]struct {
		answer  func(post, int) (public.Answer, error)
		status  string
		problem string
	}{
		"500":      {always(500), `500`, `null`},
		"redirect": {always(302), `302`, `"A redirect is not followed."`},
		"nothing": {func(post, int) (public.Answer, error) {
			return public.Answer{}, errors.New("The answer took too long.")
		}, `null`, `"The answer took too long."`},
	} {
		o.receiver.answer = row.answer
		o.points(name)
		o.deliver()
		posts := o.receiver.take()
		if len(posts) != 1 {
			t.Fatalf("%s: %v arrived", name, ids(posts))
		}
		first := o.As(webtest.Owner(1)).Get(path+"deliveries/?pageSize=1").Status(200).Field("results.0.succeeded", `false`).
			Field("results.0.status", row.status).Field("results.0.problem", row.problem).Field("results.0.attempt", `1`)
		next := first.Value("results.0.next_attempt_at")
		if next == nil {
			t.Errorf("%s: it is not tried again", name)
		}
		o.As(webtest.Owner(1)).Get(path).Status(200).Field("delivery.next_attempt_at", fmt.Sprintf("%q", next))
		o.Clock.Step(3 * time.Second)
		o.due()
		o.arrived() // not yet
		o.receiver.answer = nil
		o.Clock.Step(3 * time.Second)
		o.due()
		again := o.arrived(ids(posts)...)
		if again[0].body != posts[0].body || again[0].header.Get(signature.Timestamp) == posts[0].header.Get(signature.Timestamp) {
			t.Errorf("%s: %+v, then %+v", name, posts, again)
		}
		o.As(webtest.Owner(1)).Get(path+"deliveries/?pageSize=1").Status(200).Field("results.0.cause", `"retry"`).
			Field("results.0.attempt", `2`).Field("results.0.succeeded", `true`)
	}
}

// A receiver that is away for an hour gets everything afterwards, each event, after few attempts: one at a time is made while
// it is away.
func TestAReceiverThatIsAway(t *testing.T) {
	o := newOffice(t)
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
	o.receiver.answer = always(503)
	var want []string
	for i := range 60 { // a point a minute
		o.points(fmt.Sprint("Point ", i))
		o.deliver()
		want = append(want, fmt.Sprint("evt_1_", i+3))
		o.Clock.Step(time.Minute)
	}
	tried := ids(o.receiver.take())
	if len(tried) > 20 {
		t.Errorf("%d attempts: %v", len(tried), tried)
	}
	o.As(webtest.Owner(1)).Get(path).Status(200).Field("delivery.failing_since", `"2026-03-02T09:30:01Z"`)
	o.receiver.answer = nil
	got := map[string]int{}
	for range 180 { // at the latest two hours later
		o.Clock.Step(time.Minute)
		o.due()
		for _, id := range ids(o.receiver.take()) {
			got[id]++
		}
	}
	for _, id := range want {
		if got[id] != 1 {
			t.Errorf("%s arrived %d times", id, got[id])
		}
	}
	o.As(webtest.Owner(1)).Get(path).Status(200).Field("delivery.failures", `0`).Field("delivery.retrying", `0`)
}

// Recover brings what has happened since a time once more, with the same ids, and at once.
func TestRecover(t *testing.T) {
	o := newOffice(t)
	owner := o.As(webtest.Owner(1))
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
	o.points("A")
	o.deliver()
	o.Clock.Step(time.Hour)
	o.points("B", "C")
	o.deliver()
	o.arrived("evt_1_3", "evt_1_4", "evt_1_5")
	o.Clock.Step(time.Hour)
	owner.Post(path+"recover/", `{"since":"2026-03-02T10:00:00Z"}`).Status(200).Field("id", "1")
	o.deliver()
	o.arrived("evt_1_4", "evt_1_5")
	owner.Post(path+"recover/", `{"since":"2026-03-02T00:00:00Z"}`).Status(200)
	o.deliver()
	o.arrived("evt_1_3", "evt_1_4", "evt_1_5")
	owner.Post(path+"recover/", `{"since":"2026-03-02T12:30:00Z"}`).Status(200)
	o.deliver()
	o.arrived()
	owner.Post(path+"recover/", `{}`).Status(400).JSON(`{"since":["This field is required."]}`)

	o.receiver.answer = always(500)
	o.points("D")
	o.deliver()
	o.arrived("evt_1_6")
	o.receiver.answer = nil
	owner.Post(path+"recover/", `{"since":"2026-03-02T12:30:00Z"}`).Status(200).Field("delivery.failures", `0`)
	o.deliver()
	o.arrived("evt_1_6") // what waits to be tried again comes at once
	owner.Patch(path, `{"enabled":false}`).Status(200)
	owner.Post(path+"recover/", `{"since":"2026-03-02T12:30:00Z"}`).Status(409).Field("code", `"disabled"`)

	o.Clock.Step(31 * 24 * time.Hour)
	owner.Patch(path, `{"enabled":true}`).Status(200)
	owner.Post(path+"recover/", `{"since":"2026-03-02T12:30:00Z"}`).Status(400).JSON(`{"since":["Events from then are not kept any more."]}`)
}

// A 410 disables at once; five days of failures do. All owners are told, once, and the history and the log tell it.
func TestDisabling(t *testing.T) {
	o := newOffice(t)
	owner := o.As(webtest.Owner(1))
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.*","webhook.*"]}`)
	o.deliver()
	o.receiver.take()
	o.receiver.answer = always(410)
	o.points("A")
	o.deliver()
	o.arrived("evt_1_3")
	owner.Get(path+"deliveries/?pageSize=1").Status(200).Field("results.0.status", `410`).Field("results.0.next_attempt_at", `null`)
	owner.Get(path).Status(200).Field("enabled", `false`).Field("disabled_reason", `"gone"`).Field("disabled_at", `"2026-03-02T09:30:01Z"`)
	var told []string
	for _, e := range o.Events(1, 3) {
		told = append(told, string(e.Name)+string(e.Data))
	}
	if fmt.Sprint(told) != `[webhook.disabled{"reason":"gone"}]` {
		t.Errorf("the log tells %v", told)
	}
	if len(o.mail.sent) != 1 || !strings.Contains(o.mail.sent[0].Text, "erp.example.com") || !strings.Contains(o.mail.sent[0].Text, "410") ||
		strings.Contains(o.mail.sent[0].Text, "/hooks") || o.mail.sent[0].To != "user14@example.com" {
		t.Errorf("mail: %+v", o.mail.sent)
	}
	o.speaks("kk")
	o.receiver.answer = nil
	o.points("B")
	o.deliver()
	o.arrived()

	owner.Patch(path, `{"enabled":true}`).Status(200).Field("disabled_reason", `null`).Field("delivery.failures", `0`)
	o.deliver()
	o.receiver.take()
	o.receiver.answer = always(500)
	o.points("C")
	for range 6 * 24 {
		o.deliver()
		o.Clock.Step(time.Hour)
	}
	if tried := len(o.receiver.take()); tried > 20 {
		t.Errorf("%d attempts in five days", tried)
	}
	owner.Get(path).Status(200).Field("enabled", `false`).Field("disabled_reason", `"failing"`)
	if len(o.mail.sent) != 2 || !strings.Contains(o.mail.sent[1].Text, "бес күн бойы") {
		t.Errorf("mail: %+v", o.mail.sent)
	}
}

// Who asks for a test or for a delivery once more gets it once, whatever state the webhook is in.
func TestAsking(t *testing.T) {
	o := newOffice(t)
	owner := o.As(webtest.Owner(1))
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
	o.points("A")
	o.deliver()
	o.arrived("evt_1_3")
	owner.Post(path+"deliveries/1/resend/", nil).Status(202).JSON(`{"webhook_id":"evt_1_3"}`)
	o.deliver()
	o.arrived("evt_1_3")
	owner.Get(path+"deliveries/2/").Status(200).Field("cause", `"resend"`).Field("webhook_id", `"evt_1_3"`)
	owner.Patch(path, `{"enabled":false}`).Status(200)
	id := owner.Post(path+"test/", nil).Status(202).Text("webhook_id")
	o.receiver.answer = always(500)
	o.deliver()
	p := o.arrived(id)[0]
	var body struct {
		ID, Type string
		Data     map[string]any
	}
	if err := json.Unmarshal([]byte(p.body), &body); err != nil || body.ID != id || body.Type != "webhook.test" || body.Data["event"] != nil ||
		body.Data["company"] != 1.0 {
		t.Errorf("%s, %v", p.body, err)
	}
	owner.Get(path+"deliveries/3/").Status(200).Field("cause", `"test"`).Field("event", `null`).Field("status", `500`).
		Field("next_attempt_at", `null`)
	owner.Post(path+"deliveries/3/resend/", nil).Status(202)
	owner.Post(path+"deliveries/4/resend/", nil).Status(404)
	o.Clock.Step(time.Hour)
	o.deliver()
	if posts := o.receiver.take(); len(posts) != 1 || !strings.HasPrefix(ids(posts)[0], "test_") || ids(posts)[0] == id {
		t.Errorf("%v", ids(posts))
	}
	for range 20 {
		owner.Post(path+"test/", nil).Status(202)
	}
	owner.Post(path+"test/", nil).Status(409).Field("code", `"too_many_asked"`)
	o.deliver()
	if posts := o.receiver.take(); len(posts) != 20 {
		t.Errorf("%d tests", len(posts))
	}
}

// A secret that was replaced signs for a day more.
func TestRotation(t *testing.T) {
	o := newOffice(t)
	owner := o.As(webtest.Owner(1))
	path := o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
	const pass = `{"password":"correct horse"}`
	first := owner.Post(path+"secret/", pass).Status(200).Header("Cache-Control", "private, no-store").Field("generation", `1`).
		Field("before", `null`).Text("secret")
	second := owner.Post(path+"rotate/", pass).Status(200).Field("generation", `2`).Field("before", `"`+first+`"`).
		Field("before_until", `"2026-03-03T09:30:01Z"`).Text("secret")
	if first == second || !strings.HasPrefix(first, "whsec_") {
		t.Fatalf("%s, %s", first, second)
	}
	o.API.Deliver()
	o.Clock.Step(time.Second)
	o.points("A")
	o.deliver()
	checkSigned(t, o.arrived("evt_1_4")[0], o.Clock.Now(), second, first)
	o.Clock.Step(24 * time.Hour)
	o.points("B")
	o.deliver()
	checkSigned(t, o.arrived("evt_1_5")[0], o.Clock.Now(), second)
	owner.Post(path+"secret/", pass).Status(200).Field("secret", `"`+second+`"`).Field("before", `null`)
	owner.Post(path+"secret/", `{"password":"wrong"}`).Writes(2).Status(400).JSON(`{"password":["This password is wrong."]}`).NotContain("whsec_")
	owner.Post(path+"rotate/", `{"password":"wrong"}`).Writes(2).Status(400).JSON(`{"password":["This password is wrong."]}`).NotContain("whsec_")
	owner.Post(path+"secret/", pass).Status(200).Field("generation", `2`)
	owner.Post(path+"rotate/", `{}`).Status(400).JSON(`{"password":["This field is required."]}`).Writes(0)

	// Secrets are of one webhook of one company.
	other := o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
	theirs := o.As(webtest.Owner(2))
	theirs.Post(hooks, `{"url":"`+erp+`","types":["*"]}`).Status(201)
	seen := []string{first, second}
	for _, s := range []string{
		owner.Post(other+"secret/", pass).Status(200).Text("secret"), theirs.Post(hooks+"1/secret/", pass).Status(200).Text("secret"),
	} {
		if slices.Contains(seen, s) {
			t.Error("two webhooks have one secret")
		}
		seen = append(seen, s)
	}
	for _, action := range []string{"secret/", "rotate/"} {
		theirs.Post(hooks+"2/"+action, pass).Status(404).NotContain("whsec_")
	}
}
