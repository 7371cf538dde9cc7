package gateway_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tenantry/tenantry/infra/local/gateway"
)

type invoke func(ctx context.Context, payload []byte) ([]byte, error)

func (f invoke) Invoke(ctx context.Context, payload []byte) ([]byte, error) { return f(ctx, payload) }

// function answers every event with the same bytes.
func function(name, answer string) *gateway.Function {
	return &gateway.Function{Name: name, Handler: invoke(func(context.Context, []byte) ([]byte, error) { return []byte(answer), nil })}
}

// recorder keeps the invocations of a gateway.
type recorder struct {
	mu   sync.Mutex
	seen []gateway.Invocation
}

func (r *recorder) add(i gateway.Invocation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, i)
}

func (r *recorder) functions() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, i := range r.seen {
		names = append(names, i.Function)
	}
	return strings.Join(names, " ")
}

func serve(t *testing.T, c gateway.Config) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(gateway.New(c))
	t.Cleanup(server.Close)
	return server
}

// single serves one function as $default.
func single(t *testing.T, f *gateway.Function, authorizer *gateway.Function) *httptest.Server {
	t.Helper()
	return serve(t, gateway.Config{Routes: []gateway.Route{{Method: "ANY", Path: "$default", Function: f, Authorizer: authorizer}}})
}

func do(t *testing.T, method, url, body string, header http.Header) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	// A client that follows redirects would hide what the gateway answers.
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(answer)
}

func TestTheLongestRouteIsTaken(t *testing.T) {
	routes := []gateway.Route{{Method: "ANY", Path: "$default", Function: function("fallback", `"fallback"`)}}
	for path, name := range map[string]string{"/v1/tenant": "tenants", "/v1/tenant/register": "identity", "/v2/documents": "documents"} {
		f := function(name, `"`+name+`"`)
		routes = append(
			routes, gateway.Route{Method: "ANY", Path: path, Function: f},
			gateway.Route{Method: "ANY", Path: path + "/{proxy+}", Function: f},
		)
	}
	routes = append(routes, gateway.Route{Method: "GET", Path: "/v2/documents/{proxy+}", Function: function("reader", `"reader"`)})
	server := serve(t, gateway.Config{Routes: routes})
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/", "fallback"},
		{"GET", "/v1", "fallback"},
		{"GET", "/v1/tenant", "tenants"},
		{"GET", "/v1/tenant/", "tenants"},
		{"GET", "/v1/tenant/7/", "tenants"},
		{"GET", "/v1/tenants/", "fallback"},
		{"GET", "/v1/tenant/register", "identity"},
		{"POST", "/v1/tenant/register/init/", "identity"},
		{"POST", "/v1/tenant/registered/", "tenants"},
		{"POST", "/v2/documents/1/", "documents"},
		{"GET", "/v2/documents/1/", "reader"},
		{"GET", "//v2/documents/1/", "fallback"},
		{"GET", "/v2/documents/../x", "reader"},
	} {
		if _, got := do(t, c.method, server.URL+c.path, "", nil); got != c.want {
			t.Errorf("%s %s went to %s, want %s", c.method, c.path, got, c.want)
		}
	}
}

// Where a parameter stands in a path, more than the longest text decides.
func TestRoutesWithParameters(t *testing.T) {
	routes := []gateway.Route{{Method: "ANY", Path: "$default", Function: function("fallback", `"fallback"`)}}
	for _, prefix := range []struct{ path, name string }{
		{"/v2/documents/{ref}/sign", "signing"}, {"/v2/documents/verify", "verify"}, {"/v2/documents", "documents"}, {"/sign", "page"},
	} {
		f := function(prefix.name, `"`+prefix.name+`"`)
		routes = append(
			routes, gateway.Route{Method: "ANY", Path: prefix.path + "/{proxy+}", Function: f},
			gateway.Route{Method: "ANY", Path: prefix.path, Function: f},
		)
	}
	seen := new(recorder)
	server := serve(t, gateway.Config{Routes: routes, Record: seen.add})
	for _, c := range []struct{ path, want, route, parameters string }{
		{"/v2/documents", "documents", "ANY /v2/documents", "null"},
		{"/v2/documents/", "documents", "ANY /v2/documents", "null"},
		{"/v2/documents/17", "documents", "ANY /v2/documents/{proxy+}", `{"proxy":"17"}`},
		{"/v2/documents/17/signs/1/", "documents", "ANY /v2/documents/{proxy+}", `{"proxy":"17/signs/1/"}`},
		{"/v2/documents/17/sign", "signing", "ANY /v2/documents/{ref}/sign", `{"ref":"17"}`},
		{"/v2/documents/17/sign/", "signing", "ANY /v2/documents/{ref}/sign", `{"ref":"17"}`},
		{"/v2/documents/17/sign/confirm/", "signing", "ANY /v2/documents/{ref}/sign/{proxy+}", `{"proxy":"confirm/","ref":"17"}`},
		{"/v2/documents/17/signed/", "documents", "ANY /v2/documents/{proxy+}", `{"proxy":"17/signed/"}`},
		{"/v2/documents//sign", "documents", "ANY /v2/documents/{proxy+}", `{"proxy":"/sign"}`},
		{"/v2/documents/1/2/sign", "documents", "ANY /v2/documents/{proxy+}", `{"proxy":"1/2/sign"}`},
		{"/v2/documents/sign", "documents", "ANY /v2/documents/{proxy+}", `{"proxy":"sign"}`},
		{"/v2/documents/verify", "verify", "ANY /v2/documents/verify", "null"},
		{"/v2/documents/verify/x", "verify", "ANY /v2/documents/verify/{proxy+}", `{"proxy":"x"}`},
		// A whole path wins, even if a prefix has more literals; of two prefixes, the first literal decides.
		{"/v2/documents/verify/sign", "signing", "ANY /v2/documents/{ref}/sign", `{"ref":"verify"}`},
		{"/v2/documents/verify/sign/x", "verify", "ANY /v2/documents/verify/{proxy+}", `{"proxy":"sign/x"}`},
		{"/sign/17", "page", "ANY /sign/{proxy+}", `{"proxy":"17"}`},
		{"/signs", "fallback", "$default", "null"},
		{"/v2/document/17/sign", "fallback", "$default", "null"},
	} {
		seen.seen = nil
		if _, got := do(t, http.MethodGet, server.URL+c.path, "", nil); got != c.want {
			t.Errorf("%s went to %s, want %s", c.path, got, c.want)
			continue
		}
		var e struct {
			RouteKey       string          `json:"routeKey"`
			PathParameters json.RawMessage `json:"pathParameters"`
		}
		if err := json.Unmarshal(seen.seen[0].Event, &e); err != nil {
			t.Fatal(err)
		}
		if got := cmp.Or(string(e.PathParameters), "null"); e.RouteKey != c.route || got != c.parameters {
			t.Errorf("%s: route %s %s, want %s %s", c.path, e.RouteKey, got, c.route, c.parameters)
		}
	}
}

func TestWithoutARouteThereIsNothing(t *testing.T) {
	server := serve(t, gateway.Config{Routes: []gateway.Route{{Method: "GET", Path: "/a", Function: function("a", "{}")}}})
	for _, c := range []struct {
		method, path string
		status       int
	}{{"GET", "/a", 200}, {"POST", "/a", 404}, {"GET", "/b", 404}} {
		response, body := do(t, c.method, server.URL+c.path, "", nil)
		if response.StatusCode != c.status || c.status == 404 && body != `{"message":"Not Found"}` {
			t.Errorf("%s %s: %d %s", c.method, c.path, response.StatusCode, body)
		}
	}
}

func TestTheAuthorizerIsAskedFirst(t *testing.T) {
	for _, c := range []struct {
		name, verdict string
		err           error
		status        int
		body          string
		context       string
	}{
		{name: "values as given", verdict: `{"isAuthorized":true,"context":{"verdict":"ok","n":5,"b":true,"o":{"k":[1]},"e":null}}`, status: 200, body: "done", context: `{"verdict":"ok","n":5,"b":true,"o":{"k":[1]},"e":null}`},
		{name: "no values", verdict: `{"isAuthorized":true}`, status: 200, body: "done", context: `null`},
		{name: "refused", verdict: `{"isAuthorized":false}`, status: 403, body: `{"message":"Forbidden"}`},
		{name: "failed", err: errors.New("no table"), status: 500, body: `{"message":"Internal Server Error"}`},
		{name: "no JSON", verdict: `yes`, status: 500, body: `{"message":"Internal Server Error"}`},
		{name: "no verdict", verdict: `{"context":{}}`, status: 500, body: `{"message":"Internal Server Error"}`},
		{name: "values that are no object", verdict: `{"isAuthorized":true,"context":[1]}`, status: 500, body: `{"message":"Internal Server Error"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var seen recorder
			authorizer := &gateway.Function{Name: "authorizer", Handler: invoke(func(context.Context, []byte) ([]byte, error) {
				return []byte(c.verdict), c.err
			})}
			server := serve(t, gateway.Config{
				Routes: []gateway.Route{{Method: "ANY", Path: "$default", Function: function("f", `"done"`), Authorizer: authorizer}},
				Record: seen.add,
			})
			response, body := do(t, "GET", server.URL+"/x/", "", nil)
			if response.StatusCode != c.status || body != c.body {
				t.Fatalf("%d %s, want %d %s", response.StatusCode, body, c.status, c.body)
			}
			if c.status != 200 {
				if got := seen.functions(); got != "authorizer" {
					t.Fatalf("invoked %q", got)
				}
				return
			}
			if got := seen.functions(); got != "authorizer f" {
				t.Fatalf("invoked %q", got)
			}
			var event struct {
				RequestContext struct {
					Authorizer struct{ Lambda json.RawMessage }
				}
			}
			if err := json.Unmarshal(seen.seen[1].Event, &event); err != nil ||
				string(event.RequestContext.Authorizer.Lambda) != c.context {
				t.Fatalf("context %s, %v; want %s", event.RequestContext.Authorizer.Lambda, err, c.context)
			}
		})
	}
}

func TestTheAuthorizersEvent(t *testing.T) {
	var seen recorder
	server := serve(t, gateway.Config{
		Routes: []gateway.Route{{Method: "ANY", Path: "/v2/documents/{proxy+}", Function: function("f", `{}`), Authorizer: function("authorizer", `{"isAuthorized":true}`)}},
		Record: seen.add,
	})
	do(
		t, "POST", server.URL+"/v2/documents/7/?a=1", `{"secret":1}`,
		http.Header{"Authorization": {"Bearer t"}, "Content-Type": {"application/json"}},
	)
	var raw map[string]json.RawMessage
	var event events.APIGatewayV2CustomAuthorizerV2Request
	if err := json.Unmarshal(seen.seen[0].Event, &raw); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(seen.seen[0].Event, &event); err != nil {
		t.Fatal(err)
	}
	if event.Type != "REQUEST" || event.Version != "2.0" || event.RouteKey != "ANY /v2/documents/{proxy+}" ||
		event.RawPath != "/v2/documents/7/" ||
		!strings.HasSuffix(event.RouteArn, "/$default/POST/v2/documents/7/") || event.Headers["authorization"] != "Bearer t" ||
		event.QueryStringParameters["a"] != "1" || event.PathParameters["proxy"] != "7/" || event.RequestContext.HTTP.Method != "POST" {
		t.Fatalf("event %s", seen.seen[0].Event)
	}
	if string(raw["identitySource"]) != "null" || raw["body"] != nil || strings.Contains(string(raw["requestContext"]), `"authorizer"`) {
		t.Fatalf("event %s", seen.seen[0].Event)
	}
}

func TestLimits(t *testing.T) {
	const mega = 1 << 20
	sized := func(n int) *gateway.Function {
		return function("f", `{"statusCode":200,"body":"`+strings.Repeat("x", n)+`"}`)
	}
	text, binary := http.Header{"Content-Type": {"text/plain"}}, http.Header{"Content-Type": {"application/pdf"}}
	for _, c := range []struct {
		name     string
		function *gateway.Function
		header   http.Header
		path     string
		body     int
		status   int
		message  string
	}{
		{name: "header of 9 KB", header: http.Header{"X-A": {strings.Repeat("a", 9<<10)}}, status: 200},
		{name: "headers over 10 KB", header: http.Header{"X-A": {strings.Repeat("a", 5<<10)}, "X-B": {strings.Repeat("b", 5<<10)}}, status: 431, message: "Request Header Fields Too Large"},
		{name: "path over 10 KB", path: strings.Repeat("p", 10<<10), status: 431, message: "Request Header Fields Too Large"},
		{name: "text under 6 MB", header: text, body: 6*mega - 2048, status: 200},
		{name: "text of 6 MB", header: text, body: 6 * mega, status: 413, message: "Request Entity Too Large"},
		{name: "binary of 4 MB", header: binary, body: 4 * mega, status: 200},
		{name: "binary of 5 MB is more than 6 in base64", header: binary, body: 5 * mega, status: 413, message: "Request Entity Too Large"},
		{name: "over the gateway's own limit", header: text, body: 10*mega + 1, status: 413, message: "Request Entity Too Large"},
		{name: "answer under 6 MB", function: sized(6*mega - 100), status: 200},
		{name: "answer over 6 MB", function: sized(6*mega + 100), status: 500, message: "Internal Server Error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.function
			if f == nil {
				f = sized(1)
			}
			server := single(t, f, function("authorizer", `{"isAuthorized":true}`))
			response, body := do(t, "POST", server.URL+"/"+c.path, strings.Repeat("a", c.body), c.header)
			if response.StatusCode != c.status {
				t.Fatalf("status %d, want %d", response.StatusCode, c.status)
			}
			if c.message != "" && (body != `{"message":"`+c.message+`"}` || response.Header.Get("Content-Type") != "application/json") {
				t.Fatalf("body %s", body)
			}
		})
	}
}

func TestFailedInvocations(t *testing.T) {
	hang := invoke(func(ctx context.Context, _ []byte) ([]byte, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for _, c := range []struct {
		name     string
		function *gateway.Function
		wait     time.Duration // of the gateway; 0 is its usual one
		status   int
		body     string
	}{
		{"an error", &gateway.Function{Handler: invoke(func(context.Context, []byte) ([]byte, error) { return nil, errors.New("secret") })}, 0, 500, `{"message":"Internal Server Error"}`},
		{"a panic", &gateway.Function{Handler: invoke(func(context.Context, []byte) ([]byte, error) { panic("secret") })}, 0, 500, `{"message":"Internal Server Error"}`},
		{"its own timeout", &gateway.Function{Handler: hang, Timeout: time.Millisecond}, 0, 500, `{"message":"Internal Server Error"}`},
		{"the gateway's timeout", &gateway.Function{Handler: hang}, 50 * time.Millisecond, 503, `{"message":"Service Unavailable"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var seen recorder
			server := serve(t, gateway.Config{
				Routes:  []gateway.Route{{Method: "ANY", Path: "$default", Function: c.function}},
				Timeout: c.wait, Record: seen.add,
			})
			response, body := do(t, "GET", server.URL, "", nil)
			if response.StatusCode != c.status || body != c.body {
				t.Fatalf("%d %s, want %d %s", response.StatusCode, body, c.status, c.body)
			}
			if len(seen.seen) != 1 || seen.seen[0].Err == nil {
				t.Fatalf("recorded %+v", seen.seen)
			}
		})
	}
}

func TestAFunctionHasLambdasContext(t *testing.T) {
	var ids []string
	var deadline time.Duration
	handler := invoke(func(ctx context.Context, _ []byte) ([]byte, error) {
		lc, ok := lambdacontext.FromContext(ctx)
		if !ok || !strings.HasSuffix(lc.InvokedFunctionArn, ":documents") {
			return nil, errors.New("no context")
		}
		at, _ := ctx.Deadline()
		deadline = time.Until(at)
		ids = append(ids, lc.AwsRequestID)
		return []byte(`{}`), nil
	})
	f := &gateway.Function{Name: "documents", Timeout: 20 * time.Second, Handler: handler}
	server := single(t, f, nil)
	for range 2 {
		if response, _ := do(t, "GET", server.URL, "", nil); response.StatusCode != 200 {
			t.Fatalf("status %d", response.StatusCode)
		}
	}
	if len(ids[0]) != 36 || ids[0] == ids[1] {
		t.Errorf("ids %v", ids)
	}
	if deadline < 15*time.Second || deadline > 20*time.Second {
		t.Errorf("deadline in %v", deadline)
	}
}
