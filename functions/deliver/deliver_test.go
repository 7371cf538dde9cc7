package deliver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/deliver"
	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/functions/webhooks"
	"github.com/tenantry/tenantry/functions/webhooks/signature"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	hooks    = "/v1/webhooks/"
	all      = "/v1/crm/rental_points/"
	erp      = "https://erp.example.com/hooks"
	password = "correct horse"
)

// mail keeps the e-mails that are sent.
type mail struct {
	mu   sync.Mutex
	sent []notify.Message
}

func (m *mail) Send(_ context.Context, one notify.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, one)
	return nil
}

// post is a delivery that arrived.
type post struct {
	url    string
	header http.Header
	body   string
}

// receiver is where all webhooks of a test lead. It answers as the test says.
type receiver struct {
	mu     sync.Mutex
	posts  []post
	answer func(p post, n int) (public.Answer, error) // n counts the posts, from 1; nil answers 204
}

func (r *receiver) Post(_ context.Context, url string, header http.Header, body []byte) (public.Answer, error) {
	r.mu.Lock()
	p := post{url, header.Clone(), string(body)}
	r.posts = append(r.posts, p)
	n, answer := len(r.posts), r.answer
	r.mu.Unlock()
	if answer == nil {
		return public.Answer{Status: 204}, nil
	}
	return answer(p, n)
}

// take returns what has arrived since the last call.
func (r *receiver) take() []post {
	r.mu.Lock()
	defer r.mu.Unlock()
	posts := r.posts
	r.posts = nil
	return posts
}

func always(status int) func(post, int) (public.Answer, error) {
	return func(post, int) (public.Answer, error) {
		return public.Answer{Status: status, Body: "no", Took: 7 * time.Millisecond}, nil
	}
}

// office is an API with webhooks, what happens in rental points, and the function that delivers.
type office struct {
	*webtest.API

	t        *testing.T
	receiver *receiver
	mail     *mail
	worker   *worker.Worker
	client   *tabletest.Client
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, receiver: new(receiver), mail: new(mail)}
	o.API = webtest.Setup{
		Change: func(env *app.Env) { env.Notify = o.mail },
		Table: func(api dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
			o.client = tabletest.Wrap(api, tabletest.Faults{}, 1)
			return o.client
		},
	}.New(t, webhooks.New, points.New)
	o.Join(webtest.Owner(1), webtest.Owner(2), webtest.Manager(1))
	hash, err := credential.New().Hash(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []webtest.Caller{webtest.Owner(1), webtest.Owner(2)} {
		err := crosstenant.Open(o.Env.Table).Put(struct {
			table.Item
			Email    string `dynamo:"em"`
			Password string `dynamo:"pw"`
		}{table.At(crosstenant.User(c.User), 1), fmt.Sprintf("user%d@example.com", c.User), hash}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o.owner(c)
	}
	o.API.Deliver()
	o.worker = o.newWorker(o.Env)
	return o
}

// owner makes an owner a person whom mails reach.
func (o *office) owner(c webtest.Caller) {
	o.t.Helper()
	of, rec := table.Of(o.Env.Table, c.Tenant), new(staff.Staff)
	scope := record.Scope{Table: of, Now: o.Clock.Now, Actor: audit.Actor{User: c.User, At: o.Clock.Now()}}
	err := scope.Do(o.t.Context(), nil, func(w *record.Work) error {
		staff.Kind().Create(w, "", rec)
		rec.User, rec.Email, rec.Role = c.User, fmt.Sprintf("user%d@example.com", c.User), tenant.Owner
		return nil
	})
	if err == nil {
		err = of.Put(staff.Member{
			Item: table.At(of.Member(c.User), staff.MemberVersion), User: c.User, Role: tenant.Owner, Staff: rec.ID,
		}).Run(o.t.Context())
	}
	if err == nil {
		err = of.Put(company.Company{Item: table.At(of.Company(), 1), ID: int64(c.Tenant), Name: "Rentals", Currency: "KZT", TimeZone: "Asia/Almaty"}).Run(o.t.Context())
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

func (o *office) newWorker(env app.Env) *worker.Worker {
	env.Log = io.Discard
	return worker.New("deliver", env, deliver.WorkOver(env, o.receiver))
}

// hook makes a webhook of company 1, and returns its path.
func (o *office) hook(body string) string {
	o.t.Helper()
	path := hooks + fmt.Sprint(o.As(webtest.Owner(1)).Post(hooks, body).Status(201).Int("id")) + "/"
	o.API.Deliver()
	o.Clock.Step(time.Second) // what comes now is behind it in the log
	return path
}

// points makes some rental points, each of which is an event.
func (o *office) points(names ...string) {
	o.t.Helper()
	for _, name := range names {
		o.As(webtest.Employee(1)).Post(all, `{"name":"`+name+`","address":"1"}`).Status(201)
	}
}

// due carries out all messages of webhooks that are due, and tells how many runs there were.
func (o *office) due() (runs int) {
	o.t.Helper()
	for more := true; more; {
		more = false
		err := outbox.EachDue(o.t.Context(), crosstenant.Open(o.Env.Table), o.Clock.Now(), func(k table.Key) error {
			if outbox.LaneOf(k.SK) != outbox.Hooks {
				return nil
			}
			more = true
			runs++
			_, err := o.worker.Deliver(o.t.Context(), k)
			return err
		})
		if err != nil {
			o.t.Fatal(err)
		}
	}
	return runs
}

// deliver gives all events their numbers, and carries out everything that is due.
func (o *office) deliver() {
	o.t.Helper()
	o.API.Deliver()
	o.due()
	for o.API.Deliver() > 0 { // what a message leaves may be another one
	}
}

// ids are the webhook-ids of what has arrived, in their order.
func ids(posts []post) (list []string) {
	for _, p := range posts {
		list = append(list, p.header.Get(signature.ID))
	}
	return list
}

// arrived checks the webhook-ids of what has arrived since the last call, in any order.
func (o *office) arrived(want ...string) []post {
	o.t.Helper()
	posts := o.receiver.take()
	got := slices.Sorted(slices.Values(ids(posts)))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		o.t.Errorf("arrived: %v, want %v", got, want)
	}
	return posts
}

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
	if len(o.mail.sent) != 2 || !strings.Contains(o.mail.sent[1].Text, "five days") {
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
