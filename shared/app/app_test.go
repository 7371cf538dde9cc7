package app_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

func TestDomains(t *testing.T) {
	conn := tabletest.New(t)
	if err := crosstenant.Open(conn).Put(crosstenant.DomainItem{
		Item: table.At(crosstenant.Domain("acme.tenantry.test"), crosstenant.DomainVersion), Tenant: 7,
	}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	domains := app.Domains(conn)
	for host, want := range map[string]tenant.ID{"acme.tenantry.test": 7, "other.tenantry.test": 0} {
		if got, err := domains.CompanyOf(t.Context(), host); err != nil || got != want {
			t.Errorf("%s: %d, %v", host, got, err)
		}
	}
	down := tabletest.Wrap(enginetest.Client(t), tabletest.Faults{}, 1)
	down.Crash()
	if _, err := app.Domains(table.Open(down, "x")).CompanyOf(t.Context(), "acme.tenantry.test"); err == nil {
		t.Error("a table that is away knows no company, it says")
	}
}

// environment is that of a function with a table at an endpoint.
func environment(t *testing.T, endpoint, name string) func(string) string {
	t.Helper()
	variables := map[string]string{
		"STAGE": "test", "TABLE_NAME": name, "BUCKET_NAME": "bucket", "DYNAMODB_ENDPOINT": endpoint,
		"KEYS_FILE": filepath.Join(t.TempDir(), "keys.json"), "PLATFORM_DOMAIN": "tenantry.test",
		"ACCESS_TOKEN_LIFETIME": "1h", "REFRESH_TOKEN_LIFETIME": "720h", "MAIL_FROM": "noreply@tenantry.test",
		"SEARCH_MEMORY": "128",
		"AWS_REGION":    "eu-central-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
	}
	return func(name string) string { return variables[name] }
}

// A whole function of an environment: a gateway event goes in, the table is
// asked at the endpoint that the environment names, an answer comes out.
func TestAServerOfAnEnvironment(t *testing.T) {
	env, err := app.FromEnvironment(environment(t, enginetest.Endpoint(t), enginetest.Table(t)))
	if err != nil {
		t.Fatal(err)
	}
	log := new(strings.Builder)
	env.Log = log
	if err := crosstenant.Open(env.Table).Put(crosstenant.DomainItem{
		Item: table.At(crosstenant.Domain("acme.tenantry.test"), crosstenant.DomainVersion), Tenant: 7,
	}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := env.Server(app.Group{Group: web.Group{Name: "things", Operations: []web.Operation{
		web.Op(web.Operation{ID: "things", Method: http.MethodGet, Path: "/v1/things/", Access: web.Public},
			func(context.Context, *web.Request, *struct{}) (string, error) { return "here", nil }),
	}}})
	event := events.APIGatewayV2HTTPRequest{
		RawPath: "/v1/things/", Headers: map[string]string{"origin": "https://acme.tenantry.test"},
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			DomainName: "api.tenantry.test", HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: http.MethodGet},
		},
	}
	payload, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := server.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"statusCode":200`, `\"here\"`, `"https://acme.tenantry.test"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s lacks %s", raw, want)
		}
	}
	if strings.Contains(string(raw), "Server-Timing") || !strings.Contains(log.String(), `"Route":"things"`) {
		t.Errorf("answer %s, log %s", raw, log)
	}
}

// Connections are kept: each new one would cost a handshake.
func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int32
	engine := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte(`{}`))
	}))
	engine.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	engine.Start()
	defer engine.Close()
	env, err := app.FromEnvironment(environment(t, engine.URL, "x"))
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 25 {
				if _, err := app.Domains(env.Table).CompanyOf(t.Context(), "a.test"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if n := connections.Load(); n > 40 { // 16 at once; a free one may come back too late to be taken
		t.Errorf("%d connections for 400 calls, 16 at once", n)
	}
}
