package web_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

func TestVerdicts(t *testing.T) {
	api := webtest.New(t, things)
	for _, c := range []struct {
		caller webtest.Caller
		status int
		want   string
	}{
		{webtest.Nobody(), 401, noAuth},
		{webtest.BadToken(), 401, badToken},
		{webtest.Unknown(), 503, away},
	} {
		for _, path := range []string{"/v1/who/", "/v1/me/", "/v1/staff/", "/v1/things/?page=x"} {
			a := api.As(c.caller).Get(path).Status(c.status).JSON(c.want)
			if c.status == 401 {
				a.Header("WWW-Authenticate", realm)
			} else {
				a.Header("Retry-After", "1")
			}
		}
		api.As(c.caller).Post("/v1/things/", `{`).Status(c.status)
		api.As(c.caller).With("X-Tenant-Id", "x").Get("/v1/public/").Status(200).Field("tenant", "0").Field("user", "0")
	}
}

// An authorizer context that is not exactly ours is no identity.
func TestVerdictFailsClosed(t *testing.T) {
	api := webtest.New(t, things)
	owner := api.As(webtest.Owner(1))
	ok := webtest.Owner(1).Context()
	for name, change := range map[string]func(*events.APIGatewayV2HTTPRequest){
		"no authorizer": func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.Authorizer = nil },
		"no context":    func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.Authorizer.Lambda = nil },
		"no verdict": func(e *events.APIGatewayV2HTTPRequest) {
			delete(e.RequestContext.Authorizer.Lambda, "verdict")
		},
		"another verdict": func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.Authorizer.Lambda["verdict"] = "yes" },
		"a number for a text": func(e *events.APIGatewayV2HTTPRequest) {
			e.RequestContext.Authorizer.Lambda["user"] = 14
		},
		"another authorizer's": func(e *events.APIGatewayV2HTTPRequest) {
			e.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
				JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"verdict": "ok", "user": "14", "tenant": "1"}},
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := owner.Event("GET", "/v1/who/", nil)
			change(&e)
			owner.In(t).Send(e).Status(401).JSON(noAuth)
		})
	}
	if len(ok) != 6 {
		t.Errorf("context %v", ok)
	}
}

// No header that a client sends makes an identity.
func TestIdentityIsNotTakenFromHeaders(t *testing.T) {
	api := webtest.New(t, things)
	nobody := api.As(webtest.Nobody())
	context := `{"authorizer":{"lambda":{"verdict":"ok","user":"14","family":"f","basis":"only","tenant":"1","role":"owner"}}}`
	for _, name := range []string{
		"X-GoLambdaProxy-ApiGw-Context", "x-golambdaproxy-apigw-context", "X-GoLambdaProxy-ApiGw-StageVars",
		"X-Amzn-Request-Context", "X-Apigateway-Event", "Authorization", "X-Verdict", "X-User-Id",
	} {
		nobody.With(name, context).With("X-Tenant-Id", "1").Get("/v1/who/").Status(401).JSON(noAuth)
		nobody.With(name, context).Get("/v1/me/").Status(401).JSON(noAuth)
	}
	member := api.As(webtest.Employee(1))
	member.With("X-GoLambdaProxy-ApiGw-Context", strings.ReplaceAll(context, `"1"`, `"2"`)).Get("/v1/who/").
		Status(200).Field("tenant", "1").Field("user", "12").Field("context", `""`)
	member.From("198.51.100.1").With("X-Forwarded-For", "10.0.0.1").With("X-Real-Ip", "10.0.0.2").Get("/v1/who/").
		Status(200).Field("ip", `"198.51.100.1"`)
}

func TestRoles(t *testing.T) {
	api := webtest.New(t, things)
	for _, o := range []struct {
		method, path, body string
		least, success     int
	}{
		{"GET", "/v1/things/", "", 0, 200},
		{"HEAD", "/v1/things/", "", 0, 200},
		{"POST", "/v1/things/", `{"name":"a"}`, 1, 201},
		{"PUT", "/v1/things/7/", `{"name":"a"}`, 1, 200},
		{"PATCH", "/v1/things/7/", `{}`, 1, 200},
		{"DELETE", "/v1/things/7/", "", 1, 204},
		{"GET", "/v1/staff/", "", 2, 200},
		{"DELETE", "/v1/company/", "", 3, 200},
	} {
		for rank, caller := range []webtest.Caller{webtest.ReadOnly(1), webtest.Employee(1), webtest.Manager(1), webtest.Owner(1)} {
			a := api.As(caller).Do(o.method, o.path, o.body)
			if rank >= o.least {
				a.Status(o.success)
			} else if a.Status(403); o.method != "HEAD" {
				a.JSON(forbidden)
			}
		}
	}
	api.As(webtest.SignedIn(5)).Get("/v1/me/").Status(200).Field("user", "5").Field("table", `""`)
	api.As(webtest.ReadOnly(1)).Get("/v1/me/").Status(200).Field("table", `""`)
	api.As(webtest.Owner(1)).Get("/v1/who/").Status(200).Field("table", `"1"`)
}

// chosen is an owner whose company was found in this way.
func chosen(id tenant.ID, basis principal.Basis) webtest.Caller {
	c := webtest.Owner(id)
	c.Tenant, c.Basis = id, basis
	if id == 0 {
		c.Role = ""
	}
	return c
}

func TestTenantOfARequest(t *testing.T) {
	api := webtest.New(t, things)
	company(t, api, "theirs.tenantry.test")
	company(t, api, "theirs.example")
	company(t, api, "ours.tenantry.test")
	const theirs, ours, nobodys = "theirs.tenantry.test", "ours.tenantry.test", "other.tenantry.test"
	for _, c := range []struct {
		name                 string
		caller               webtest.Caller
		header, host, origin string
		status               int
	}{
		{"the only one", webtest.Owner(1), "", "", "", 200},
		{"header", webtest.Owner(1), "1", "", "", 200},
		{"header with spaces", webtest.Owner(1), " 1 ", "", "", 200},
		{"header beats a foreign host", webtest.Owner(1), "1", theirs, "https://" + theirs, 200},
		{"foreign or unknown header", webtest.Owner(1), "2", "", "", 403},
		{"header beats the only one", webtest.Owner(1), "2", ours, "", 403},
		{"header of nothing", webtest.SignedIn(5), "1", "", "", 403},
		{"header in another spelling", webtest.Owner(1), "01", "", "", 200},
		{"header with a sign", webtest.Owner(1), "+1", "", "", 200},
		{"foreign header in another spelling", webtest.Owner(1), "02", "", "", 403},
		{"zero", webtest.Owner(1), "0", "", "", 403},
		{"negative", webtest.Owner(1), "-1", "", "", 403},
		{"no integer", webtest.Owner(1), "one", "", "", 400},
		{"two", webtest.Owner(1), "1,2", "", "", 400},
		{"beyond 64 bits", webtest.Owner(1), "9223372036854775808", "", "", 400},
		{"no company", webtest.SignedIn(5), "", "", "", 403},
		{"own host", chosen(1, principal.ByHost), "", ours, "", 200},
		{"own host, foreign origin", chosen(1, principal.ByHost), "", ours, "https://" + theirs, 200},
		{"own origin", chosen(1, principal.ByOrigin), "", "", "https://" + ours, 200},
		{"own origin, foreign host", chosen(1, principal.ByOrigin), "", theirs, "https://" + ours, 403},
		{"own origin, unknown host", chosen(1, principal.ByOrigin), "", nobodys, "https://" + ours, 200},
		{"foreign host", webtest.Owner(1), "", theirs, "", 403},
		{"foreign host in capitals, with a port", webtest.Owner(1), "", "Theirs.Tenantry.TEST:443", "", 403},
		{"foreign custom domain", webtest.Owner(1), "", "theirs.example", "", 403},
		{"foreign origin", webtest.Owner(1), "", "", "https://" + theirs, 403},
		{"foreign origin with a port", webtest.Owner(1), "", "", "https://" + theirs + ":8443", 403},
		{"unknown host is skipped", webtest.Owner(1), "", nobodys, "", 200},
		{"unknown origin is skipped", webtest.Owner(1), "", "", "https://" + nobodys, 200},
		{"several companies, none chosen", webtest.OfSeveral(5), "", "", "", 403},
		{"several companies, unknown host", webtest.OfSeveral(5), "", nobodys, "", 403},
		{"several companies, foreign host", webtest.OfSeveral(5), "", theirs, "", 403},
		{"a basis without its header", chosen(1, principal.ByHeader), "", "", "", 403},
		{"a header without its basis", chosen(1, principal.ByOnly), "", "", "", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := api.As(c.caller).In(t).With("X-Tenant-Id", c.header).With("host", c.host).With("Origin", c.origin).Get("/v1/who/").
				Status(c.status)
			switch c.status {
			case 200:
				a.Field("tenant", "1").Field("table", `"1"`)
			case 403:
				want := forbidden
				if c.caller.Basis == principal.BySeveral && c.host != theirs {
					want = companyRequired
				}
				a.JSON(want)
			case 400:
				a.JSON(`{"X-Tenant-Id":["A valid integer is required."]}`)
			}
		})
	}
	// Where no company is needed, none is looked for.
	api.As(webtest.SignedIn(5)).With("X-Tenant-Id", "x").With("host", theirs).Get("/v1/me/").Status(200)
	// Unless the operation looks whether it is one of the caller's.
	owner := api.As(webtest.Owner(1))
	owner.Get("/v1/mine/").Status(200).Field("table", `""`)
	owner.With("X-Tenant-Id", " 1 ").Get("/v1/mine/").Status(200).Field("table", `""`)
	owner.With("X-Tenant-Id", "x").Get("/v1/mine/").Status(400).JSON(`{"X-Tenant-Id":["A valid integer is required."]}`)
	for _, header := range []string{"2", "0", "-1"} {
		owner.With("X-Tenant-Id", header).Get("/v1/mine/").Status(403).JSON(forbidden)
		api.As(webtest.SignedIn(5)).With("X-Tenant-Id", header).Get("/v1/mine/").Status(403).JSON(forbidden)
	}
	api.As(webtest.SignedIn(5)).With("host", theirs).Get("/v1/mine/").Status(200)
	// The authorizer's word is checked: a header it says it used has to be this one.
	e := api.As(webtest.Owner(1)).With("X-Tenant-Id", "1").Event("GET", "/v1/who/", nil)
	e.Headers["x-tenant-id"] = "2"
	api.As(webtest.Owner(1)).Send(e).Status(403)
}

// broken is a table that answers nothing.
type broken struct{ dynamodbiface.DynamoDBAPI }

func (broken) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return nil, context.DeadlineExceeded
}

// Whose company a host is can't be guessed while the engine is gone.
func TestDomainsUnavailable(t *testing.T) {
	api := webtest.Setup{Table: func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI { return broken{a} }}.New(t, things)
	c := api.As(webtest.Owner(1))
	c.With("host", "theirs.tenantry.test").Get("/v1/who/").Status(503).JSON(away).Header("Retry-After", "1")
	c.With("Origin", "https://theirs.tenantry.test").Get("/v1/who/").Status(503).NoHeader("Access-Control-Allow-Origin")
	c.With("Origin", "https://theirs.tenantry.test").Get("/v1/public/").Status(200).NoHeader("Access-Control-Allow-Origin")
}

func TestDomainsAreRemembered(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Owner(1)).With("Origin", "https://new.tenantry.test")
	get := func() *webtest.Answer { return c.Get("/v1/public/").Status(200) }
	if got := get().NoHeader("Access-Control-Allow-Origin").Cost(); got.Calls != 1 || got.Read > 1 {
		t.Errorf("the first look costs %+v", got)
	}
	company(t, api, "new.tenantry.test")
	api.Clock.Step(59 * time.Second)
	get().Calls(0).NoHeader("Access-Control-Allow-Origin")
	api.Clock.Step(2 * time.Second)
	get().Calls(1).Header("Access-Control-Allow-Origin", "https://new.tenantry.test")
	get().Calls(0).Header("Access-Control-Allow-Origin", "https://new.tenantry.test")
}

// A host that has just been proven is a company's, whatever this function found
// a moment ago; and each request pays for that at most once.
func TestANewCompanysHost(t *testing.T) {
	for _, name := range []string{"host", "Origin"} {
		t.Run(name, func(t *testing.T) {
			api := webtest.New(t, things)
			host := "new.tenantry.test"
			c := api.As(webtest.Owner(1)).With(name, map[string]string{"host": host, "Origin": "https://" + host}[name])
			c.Get("/v1/who/").Status(200).Calls(1)
			c.Get("/v1/who/").Status(200).Calls(1)
			company(t, api, host)
			c.Get("/v1/who/").Status(403).JSON(forbidden).Calls(1)
			c.Get("/v1/who/").Status(403).JSON(forbidden).Calls(0)
		})
	}
}

// A configured origin is the platform's own, so it costs nothing.
func TestAConfiguredOriginIsNoCompanys(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Config.Origins = []string{"https://app.example.com"} }}.New(t, things)
	c := api.As(webtest.Owner(1))
	c.With("Origin", "https://app.example.com").Get("/v1/who/").Status(200).Calls(0)
	c.With("Origin", "http://app.example.com").Get("/v1/who/").Status(200).Calls(1)
}
