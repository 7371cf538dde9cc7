package outside

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/deliver"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/functions/show"
	"github.com/tenantry/tenantry/functions/signing"
	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/functions/webhooks"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/local/issuer/issuertest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/daily"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// post keeps the code that was sent last.
type post struct {
	mu   sync.Mutex
	code string
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

func (p *post) Send(_ context.Context, m notify.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if code := sixDigits.FindString(m.Text); code != "" {
		p.code = code
	}
	return nil
}

// place is some groups over a table whose counts can be read.
type place struct {
	*webtest.API
	t     *testing.T
	table string
	post  *post
	done  map[outbox.Kind]bool
}

func newPlace(t *testing.T, setup webtest.Setup, groups ...app.New) *place {
	t.Helper()
	p := &place{t: t, table: enginetest.Table(t), post: new(post), done: map[outbox.Kind]bool{}}
	setup.Change = func(e *app.Env) {
		e.Table, e.Files, e.Notify = table.Open(enginetest.Client(t), p.table), filestest.New(t), p.post
		e.Show = invoke.InProcess("show", show.New(*e))
		e.Config.OIDC, e.Render, e.Seal = issuertest.New(t, e.Now), uploads(e), invoke.InProcess("seal", refuses)
	}
	p.API = setup.New(t, groups...)
	return p
}

// uploads stands in for the function render: an upload is taken as it is.
func uploads(e *app.Env) invoke.Function {
	return invoke.InProcess("render", func(ctx context.Context, payload []byte) ([]byte, error) {
		var r job.Request
		if err := json.Unmarshal(payload, &r); err != nil {
			return nil, err
		}
		data, err := e.Files.GetJob(ctx, r.Tenant, r.In, job.MostUpload)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		answer, err := json.Marshal(job.Answer{SHA256: sum[:], Size: int64(len(data)), Pages: 1})
		if err != nil {
			return nil, err
		}
		return answer, e.Files.PutJob(ctx, r.Tenant, r.Out, job.ContentPDF, data)
	})
}

// refuses stands in for the function seal: what it is asked for has been counted.
func refuses(context.Context, []byte) ([]byte, error) { return nil, context.DeadlineExceeded }

// counts are how often each rule has counted, whomever.
func (p *place) counts() map[string]int {
	p.t.Helper()
	out, err := enginetest.Client(p.t).Scan(p.t.Context(), &dynamodb.ScanInput{TableName: aws.String(p.table)})
	if err != nil {
		p.t.Fatal(err)
	}
	list := map[string]int{}
	for _, raw := range out.Items {
		var item struct {
			PK    string `dynamo:"pk"`
			Count int    `dynamo:"c"`
		}
		if err := dynamo.UnmarshalItem(raw, &item); err != nil {
			continue // of another form, which is no count
		}
		if parts := strings.Split(item.PK, "#"); parts[0] == "R" {
			list[parts[1]] += item.Count
		}
	}
	return list
}

// leaves does what leaves a message, and checks that each rule of the message has counted it.
func (p *place) leaves(kind outbox.Kind, do func()) {
	p.t.Helper()
	p.leavesBy(kind, leaving()[kind], do)
}

// leavesBy is the same of one way by which a message leaves, with the rules of that way.
func (p *place) leavesBy(kind outbox.Kind, rules []string, do func()) {
	p.t.Helper()
	before := p.counts()
	do()
	after := p.counts()
	for _, rule := range rules {
		if after[rule] <= before[rule] {
			p.t.Errorf("%s: %q has not counted it: %v, and before %v", kind, rule, after, before)
		}
	}
	p.done[kind] = true
}

// code delivers what waits, and returns the code of it.
func (p *place) code() string {
	p.Deliver()
	return p.post.code
}

// Whatever leaves the platform is counted by the rules that are listed. Each message is caused once, by the request that causes it.
func TestEveryRuleCounts(t *testing.T) {
	done := map[outbox.Kind]bool{"tenants.domain": true} // has no rule
	for _, by := range []func(*testing.T) map[outbox.Kind]bool{people, employees, receivers} {
		maps.Copy(done, by(t))
	}
	for kind := range leaving() {
		if !done[kind] {
			t.Errorf("%s is listed, and the test does not cause it", kind)
		}
	}
}

// people cause what needs no company.
func people(t *testing.T) map[outbox.Kind]bool {
	p := newPlace(t, webtest.Setup{Authorizer: func(e app.Env) webtest.Invoker {
		return authorizer.New(authorizer.Config{Table: e.Table, Keys: e.Keys, Now: e.Now, Log: e.Log})
	}}, identity.New)
	const ann, password = "ann@example.com", "correct horse 42"
	nobody := p.As(webtest.Nobody())
	p.leaves("identity.code", func() { nobody.Post("/v1/tenant/register/init/", map[string]string{"email": ann}).Status(200) })
	nobody.Post("/v1/tenant/register/confirm/", map[string]string{
		"email": ann, "password": password, "otp": p.code(), "first_name": "Ann", "phone": "+77011234567",
	}).Status(201)
	p.leaves("identity.code", func() { nobody.Post("/v1/auth/reset/init/", map[string]string{"email": ann}).Status(200) })
	code := p.code()
	p.leaves("identity.password", func() {
		nobody.Post("/v1/auth/reset/confirm/", map[string]string{"email": ann, "otp": code, "password": password}).Status(200)
	})
	me := p.As(webtest.Bearer(nobody.Post("/v1/auth/login/", map[string]string{"username": ann, "password": password}).Status(200).Text("access")))
	back, state := issuertest.Approve(t, me.Get("/v1/auth/google/auth-url/").Status(200).Get("Location"), "ann@gmail.example")
	p.leaves("identity.linked", func() {
		me.Post("/v1/auth/google/callback/", map[string]string{"code": back, "state": state}).Status(200)
	})
	return p.done
}

// gone is what a receiver says that wants no more.
type gone struct{}

func (gone) Post(context.Context, string, http.Header, []byte) (public.Answer, error) {
	return public.Answer{Status: http.StatusGone}, nil
}

// receivers cause what a company's owners are told of its webhooks.
func receivers(t *testing.T) map[outbox.Kind]bool {
	p := newPlace(t, webtest.Setup{}, webhooks.New)
	of, owner := table.Of(p.Env.Table, 1), webtest.Owner(1)
	person := &staff.Staff{User: owner.User, Email: "owner@example.com", Role: tenant.Owner}
	scope := record.Scope{Table: of, Now: p.Clock.Now, Actor: audit.Actor{User: owner.User, At: p.Clock.Now()}}
	if err := scope.Do(t.Context(), nil, func(w *record.Work) error {
		staff.Kind().Create(w, "", person)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, item := range []any{
		staff.Member{
			Item: table.At(of.Member(owner.User), staff.MemberVersion), User: owner.User, Role: tenant.Owner, Staff: person.ID,
		},
		company.Company{Item: table.At(of.Company(), company.Version), ID: 1, Name: "Acme", TimeZone: "Asia/Almaty"},
	} {
		if err := of.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.As(owner).Post("/v1/webhooks/", `{"url":"https://erp.example.com/","types":["*"]}`).Status(201)
	p.As(owner).Post("/v1/webhooks/1/test/", nil).Status(202)
	p.leaves("webhooks.notice", func() {
		key := outbox.NewKeyed(of.Message, outbox.Deliver, "1", p.Clock.Now()).Key()
		if done, err := worker.New("deliver", p.Env, deliver.WorkOver(p.Env, gone{})).Deliver(t.Context(), key); err != nil || !done {
			t.Fatal(done, err)
		}
		for p.Deliver() > 0 { // the webhook is disabled, and then its owners are told
		}
	})
	return p.done
}

// employees cause what a company sends, and its signer what the company pays.
func employees(t *testing.T) map[outbox.Kind]bool {
	p := newPlace(t, webtest.Setup{}, tenants.New, clients.New, documents.New, signing.New, sms.New)
	p.Join(webtest.Owner(1), webtest.Employee(1))
	of := table.Of(p.Env.Table, 1)
	if err := of.Put(company.Company{
		Item: table.At(of.Company(), company.Version), ID: 1, Name: "Acme", TimeZone: "Asia/Almaty", Revision: 1,
	}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	owner, employee, signer := p.As(webtest.Owner(1)), p.As(webtest.Employee(1)), p.As(webtest.Nobody())
	p.leaves("tenants.invitation", func() {
		owner.Post("/v1/crm/users/", `{"email":"b@example.com","role":"employee"}`).Status(201)
	})
	who := struct {
		table.Item
		crosstenant.Person
	}{table.At(crosstenant.User(webtest.Owner(1).User), 1), crosstenant.Person{Email: "owner@example.com"}}
	if err := crosstenant.Open(p.Env.Table).Put(who).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.leaves("tenants.exported", func() { owner.Post("/v1/tenant/1/export/", nil).Status(202) })
	owner.Post("/v1/sms/account/top_up/", `{"amount":"100"}`).Status(201)
	p.leaves("sms.deliver", func() {
		employee.Post("/v1/sms/messages/", `{"phones":["+77011234567"],"message":"Hello"}`).Status(201)
	})

	employee.Post("/v1/crm/clients/", `{"name":"A","type":0,"phone":"+77011234567","email":"a@example.com"}`).Status(201)
	employee.Post("/v2/documents/", webtest.Multipart(map[string]any{
		"name": "Lease", "source": "1", "file": webtest.File{Name: "lease.pdf", ContentType: "application/pdf", Data: "%PDF-1.7 Lease"},
	})).Status(201)
	one := "/v2/documents/" + employee.Post("/v2/documents/1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	p.leavesBy("documents.link", names(account.Links(), daily.SMS(1), daily.FreeSMS(1)), func() {
		employee.Post("/v2/documents/1/signs/1/sms/", `{}`).Status(200)
	})
	p.leavesBy("documents.link", names(account.Links(), daily.CompanyMail(1)), func() {
		employee.Post("/v2/documents/1/signs/1/sms/", `{"channel":"email"}`).Status(200)
	})
	signer.Post(one+"open/", `{}`).Status(200)
	var confirm string
	p.leaves("documents.code", func() {
		sum := signer.Get(one).Status(200).Text("file.sha256")
		confirm = signer.Post(one+"sign/", `{"sha256":"`+sum+`"}`).Status(200).Text("confirm_id")
	})
	p.Clock.Step(time.Second)
	code := p.code()
	p.leaves("documents.seal", func() {
		signer.Post(one+"sign/confirm/", map[string]string{"confirm_id": confirm, "code": code}).Status(200)
		p.Clock.Step(time.Second)
		_, _ = groups.Worker(p.Env).Sweep(t.Context()) // the seal fails
	})
	hash, err := credential.New().Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if err := crosstenant.Open(p.Env.Table).Update(crosstenant.User(webtest.Owner(1).User)).Set("pw", hash).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.leaves("tenants.closed", func() {
		owner.Do(http.MethodDelete, "/v1/tenant/1/", `{"password":"correct horse"}`).Status(204)
		_, _ = groups.Worker(p.Env).Sweep(t.Context()) // the seal fails again
	})
	return p.done
}
