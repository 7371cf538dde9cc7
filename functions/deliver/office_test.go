package deliver_test

import (
	"context"
	"encoding/base64"
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
	"github.com/tenantry/tenantry/functions/identity/credentialtest"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/functions/webhooks"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
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
	for _, c := range []webtest.Caller{webtest.Owner(1), webtest.Owner(2)} {
		credentialtest.Give(t, o.Env.Table, password, c.User)
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

// speaks has the owner of company 1 have chosen a language, though the company writes in another.
func (o *office) speaks(language string) {
	o.t.Helper()
	of, user := table.Of(o.Env.Table, 1), crosstenant.User(webtest.Owner(1).User)
	err := errors.Join(
		of.Update(of.Company()).Set("la", "ru").Run(o.t.Context()),
		crosstenant.Open(o.Env.Table).Update(user).Set("la", language).Set("v", 1).Run(o.t.Context()),
	)
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

// key returns the key of the message that is armed for the first webhook of company 1.
func (o *office) key() table.Key {
	return outbox.NewKeyed(table.Of(o.Env.Table, 1).Message, outbox.Deliver, endpoint.MessageKey(1), o.Clock.Now()).Key()
}

// decoded are the bytes of a secret.
func decoded(t *testing.T, secret string) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(raw) != 32 {
		t.Fatalf("%q: %d bytes, %v", secret, len(raw), err)
	}
	return raw
}
