package conformance_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/issuer/issuertest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// people are signed in at all groups behind the real authorizer.
type people struct {
	*webtest.API
	t     *testing.T
	mails *mailbox
}

// mailbox takes what is sent.
type mailbox struct{ last notify.Message }

func (m *mailbox) Send(_ context.Context, message notify.Message) error {
	m.last = message
	return nil
}

func meet(t *testing.T) people {
	t.Helper()
	mails := new(mailbox)
	api := webtest.Setup{
		Change: func(e *app.Env) { e.Notify, e.Config.OIDC = mails, issuertest.Config(t) },
		Authorizer: func(e app.Env) webtest.Invoker {
			return authorizer.New(authorizer.Config{Table: e.Table, Keys: e.Keys, Now: e.Now, Log: e.Log})
		},
	}.New(t, slices.Collect(maps.Values(groups.All()))...)
	return people{api, t, mails}
}

const password = "correct horse battery staple" // which the description shows

// join registers a user and signs them in.
func (p people) join(email string) *webtest.Client {
	p.t.Helper()
	p.As(webtest.Nobody()).Post("/v1/tenant/register/init/", map[string]string{"email": email}).Status(200)
	p.Deliver()
	p.As(webtest.Nobody()).Post("/v1/tenant/register/confirm/", map[string]string{
		"email": email, "password": password, "otp": regexp.MustCompile(`\b\d{6}\b`).FindString(p.mails.last.Text),
		"first_name": "Someone", "phone": "+77011234567",
	}).Status(201)
	return p.login(email)
}

func (p people) login(email string) *webtest.Client {
	p.t.Helper()
	answer := p.As(webtest.Nobody()).Post("/v1/auth/login/", map[string]string{"username": email, "password": password}).Status(200)
	return p.As(webtest.Bearer(answer.Text("access")))
}

// found makes a company and gives its id as a header's value.
func found(c *webtest.Client, domain string) string {
	answer := c.Post("/v1/tenant/", map[string]any{
		"name": domain, "domain": domain, "address": "Abay 1", "currency": "KZT", "timezone": "Asia/Almaty", "extra": map[string]any{},
	}).Status(201)
	return tenant.ID(answer.Int("id")).String()
}

// What one company makes is there for it and for nobody else, whichever way
// the company of a request is chosen.
func TestCompaniesAreApart(t *testing.T) {
	p := meet(t)
	anna, boris := p.join("anna@example.com"), p.join("boris@example.com")
	anna.Get("/v2/documents/").Status(403)
	acme := found(anna, "acme")
	borealis := found(boris, "borealis")

	anna.Post("/v2/documents/", `{"name":"Lease of Anna"}`).Status(201).Field("id", "1")
	boris.Post("/v2/documents/", `{"name":"Lease of Boris"}`).Status(201).Field("id", "1")
	for who, c := range map[string]*webtest.Client{"Anna": anna, "Boris": boris} {
		other := map[string]string{"Anna": "Boris", "Boris": "Anna"}[who]
		c.Get("/v2/documents/").Status(200).Field("count", "1").Field("results.0.name", `"Lease of `+who+`"`).NotContain(other)
		c.Get("/v2/documents/?search=lease").Status(200).Field("count", "1").NotContain(other)
		c.Get("/v2/documents/1/").Status(200).Field("name", `"Lease of `+who+`"`)
		c.Get("/v2/documents/2/").Status(404)
		c.Get("/v1/tenant/").Status(200).NotContain(map[string]string{"Anna": "borealis", "Boris": "acme"}[who])
	}

	anna.With("X-Tenant-Id", acme).Get("/v2/documents/1/").Status(200).NotContain("Boris")
	anna.With("X-Tenant-Id", borealis).Get("/v2/documents/1/").Status(403).NotContain("Boris")
	anna.With("X-Tenant-Id", "99").Get("/v2/documents/1/").Status(403)
	for _, host := range []string{"acme", "borealis", "nobodys"} {
		status := map[string]int{"acme": 200, "borealis": 403, "nobodys": 200}[host]
		full := host + "." + webtest.PlatformDomain
		anna.With("host", full).Get("/v2/documents/1/").Status(status).NotContain("Boris")
		a := anna.With("Origin", "https://"+full).Get("/v2/documents/1/").Status(status).NotContain("Boris")
		if host == "nobodys" {
			a.NoHeader("Access-Control-Allow-Origin")
		} else {
			a.Header("Access-Control-Allow-Origin", "https://"+full)
		}
		anna.With("X-Tenant-Id", acme).With("host", full).Get("/v2/documents/1/").Status(200).NotContain("Boris")
	}
	anna.Delete("/v2/documents/1/").Status(204)
	boris.Get("/v2/documents/1/").Status(200)
	anna.Get("/v2/documents/").Status(200).Field("count", "0")

	// With a second company the caller has to choose.
	second := found(anna, "second")
	anna.Get("/v2/documents/").Status(403).JSON(companyRequired)
	anna.With("Origin", "https://nobodys."+webtest.PlatformDomain).Get("/v2/documents/").Status(403).JSON(companyRequired)
	anna.With("Origin", "https://borealis."+webtest.PlatformDomain).Get("/v2/documents/").Status(403).JSON(forbidden)
	anna.With("X-Tenant-Id", second).Get("/v2/documents/").Status(200).Field("count", "0")
	anna.With("Origin", "https://second."+webtest.PlatformDomain).Get("/v2/documents/").Status(200)
}

// A sign-out acts on the next request, here and in no other sign-in.
func TestSignOutActsAtOnce(t *testing.T) {
	p := meet(t)
	first := p.join("anna@example.com")
	found(first, "acme")
	answer := p.As(webtest.Nobody()).Post("/v1/auth/login/", map[string]string{"username": "anna@example.com", "password": password}).Status(200)
	second := p.As(webtest.Bearer(answer.Text("access")))
	second.Get("/v2/documents/").Status(200)
	p.As(webtest.Nobody()).Post("/v1/auth/logout/", map[string]string{"refresh": answer.Text("refresh")})
	second.Get("/v2/documents/").Status(401).JSON(badToken)
	second.Get("/health/").Status(200)
	first.Get("/v2/documents/").Status(200)
}
