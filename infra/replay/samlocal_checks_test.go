package main

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

func TestSAMLocal(t *testing.T) {
	s := openSAM(t)
	t.Run("routes", s.checkRoutes)
	t.Run("presets", s.checkPresets)
	t.Run("operations", s.checkOperations)
	t.Run("environments", s.checkEnvironments)
	t.Run("requests", s.checkRequests)
	t.Run("differences", s.checkDifferences)
	t.Run("files", s.checkFiles)
	t.Run("events", s.checkEvents)
}

// SAM finds the routes that the local platform finds, with their functions and the authorizer.
func (s *sam) checkRoutes(t *testing.T) {
	var want, got []string
	for _, r := range s.template.Routes {
		want = append(want, r.Path+" "+r.Function+" "+r.Authorizer+" 2.0")
	}
	for _, r := range s.routes {
		got = append(got, r.Path+" "+r.Function+" "+r.Authorizer+" "+r.Payload)
		if strings.Join(r.Methods, " ") != "DELETE GET HEAD OPTIONS PATCH POST PUT" {
			t.Errorf("%s: only %v", r.Path, r.Methods)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) || len(got) < 60 {
		t.Errorf("SAM's routes\n%s\nours\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The commands of docs/sam-local.md take env.json by themselves.
func (s *sam) checkPresets(t *testing.T) {
	for _, command := range []string{"start-api", "invoke"} {
		var got map[string]any
		s.ask(t, map[string]any{"do": "presets", "command": command}, &got)
		if got["env_vars"] != "env.json" {
			t.Errorf("%s: %v", command, got)
		}
	}
}

var parameter = regexp.MustCompile(`\{\w+\}`)

// Each operation's path leads to the same function by SAM's rules as by the gateway's, with its slash and without.
func (s *sam) checkOperations(t *testing.T) {
	var called string
	functions := map[string]*gateway.Function{}
	var routes []gateway.Route
	for _, r := range s.template.Routes {
		if functions[r.Function] == nil {
			functions[r.Function] = &gateway.Function{Name: r.Function, Handler: names{&called, r.Function}}
		}
		routes = append(routes, gateway.Route{Method: r.Method, Path: r.Path, Function: functions[r.Function]})
	}
	g := gateway.New(gateway.Config{Routes: routes})
	count := 0
	for _, operations := range tables() {
		for _, op := range operations {
			for _, value := range []string{"7", "00000000-0000-4000-8000-000000000001", "states"} {
				path := parameter.ReplaceAllLiteralString(op.Path, value)
				for _, path := range []string{path, strings.TrimSuffix(path, "/")} {
					if path == "" {
						continue
					}
					count++
					r := httptest.NewRequestWithContext(t.Context(), op.Method, path, http.NoBody)
					r.RemoteAddr = "127.0.0.1:40000"
					g.ServeHTTP(httptest.NewRecorder(), r)
					var got string
					s.ask(t, map[string]any{"do": "route", "method": op.Method, "path": path}, &got)
					if got != called {
						t.Errorf("%s %s: SAM calls %s, the gateway %s", op.Method, path, got, called)
					}
				}
			}
		}
	}
	if count < 1000 {
		t.Errorf("only %d paths", count)
	}
}

// names remembers which function was called.
type names struct {
	called *string
	name   string
}

func (n names) Invoke(context.Context, []byte) ([]byte, error) {
	*n.called = n.name
	return []byte(`{"statusCode":204}`), nil
}

// SAM gives each function all that it needs and nothing that leads to AWS, and none starts without it.
func (s *sam) checkEnvironments(t *testing.T) {
	for id, f := range s.template.Functions {
		environment := s.environment(t, id)
		options := []app.Option{app.WithSealKey(awskms.New), app.WithCalls(awslambda.New)}
		if _, called := groups.Invoked()[f.Group()]; !called { // what others call knows none of the platform's keys
			options = append(options, app.WithKeys(awskms.New))
		}
		start := func(e map[string]string) (app.Env, error) {
			return app.FromEnvironment(func(name string) string { return e[name] }, options...)
		}
		if environment["AWS_ACCESS_KEY_ID"] != "AKIACALLER" {
			t.Errorf("%s: SAM no longer hands functions its caller's credentials; then this test says nothing", id)
		}
		env, err := start(environment)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if c, err := env.AWS("SES_ENDPOINT").Credentials.Retrieve(t.Context()); err != nil || c.AccessKeyID != app.SAMKey {
			t.Errorf("%s: signs as %s, %v", id, c.AccessKeyID, err)
		}
		for _, name := range app.Endpoints() {
			without := maps.Clone(environment)
			delete(without, name)
			if _, err := start(without); err == nil || err.Error() != "configuration: "+name+" is not set" {
				t.Errorf("%s without %s: %v", id, name, err)
			}
		}
		for _, name := range s.template.Declared(id) {
			if _, set := environment[name]; !set {
				t.Errorf("%s: %s is not set", id, name)
			}
		}
	}
}

// reset brings the world back.
func (s *sam) reset(t *testing.T) {
	t.Helper()
	if err := s.env.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// as reads the token with which a recorded event was sent.
func (s *sam) as(t *testing.T, event string) string {
	t.Helper()
	var e struct{ Headers map[string]string }
	if err := json.Unmarshal(s.read(t, event), &e); err != nil || e.Headers["authorization"] == "" {
		t.Fatalf("%s: %v", event, err)
	}
	return e.Headers["authorization"]
}

func (s *sam) read(t *testing.T, event string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(s.root, corpus.Folder, event+corpus.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// changes are what differs from one request to the next, by the time, or from one world to the next, such as hashes: reset
// makes the world anew when it is old, which falls between the two requests of a row on a slow machine.
var changes = regexp.MustCompile(`X-Amz-[A-Za-z]+=[^"&]*|\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}` +
	`|[0-9a-f]{64}`)

// Requests are answered through SAM's gateway as through ours.
func (s *sam) checkRequests(t *testing.T) {
	own, token := s.own(t), s.as(t, "documents/list")
	const bad = `"detail":"Given token not valid for any token type"`
	for name, row := range map[string]struct {
		method, path, body, token string
		headers                   map[string]string
		status                    int
		says                      string
	}{
		"a list":                   {"GET", "/v2/documents/", "", token, nil, 200, `"count":`},
		"a list without its slash": {"GET", "/v2/documents", "", token, nil, 301, "Location /v2/documents/\n"},
		"a page, whose links lead on": {
			"GET", "/v2/documents/?page_size=1&pageSize=1", "", token, nil, 200, `"next":"http://127.0.0.1:3000/v2/documents/?page=2&`,
		},
		"a search":                   {"GET", "/v2/documents/?search=act", "", token, nil, 200, `"results":`},
		"a record":                   {"GET", "/v2/documents/3/", "", token, nil, 200, `"id":3`},
		"a record that is not there": {"GET", "/v2/documents/99/", "", token, nil, 404, `"detail":`},
		"a creation":                 {"POST", "/v2/documents/", `{"name":"Under SAM"}`, token, nil, 201, `"name":"Under SAM"`},
		"a creation that is wrong":   {"POST", "/v2/documents/", `{"name":""}`, token, nil, 400, `"name":`},
		"no token":                   {"GET", "/v2/documents/", "", "", nil, 401, `"detail":"Authentication credentials were not provided."`},
		"no token and no slash":      {"GET", "/v2/documents", "", "", nil, 301, "Location /v2/documents/\n"},
		"a token that is none":       {"GET", "/v2/documents/", "", "Bearer x.y.z", nil, 401, bad},
		"a wrong method":             {"DELETE", "/v2/documents/", "", token, nil, 405, `"detail":"Method`},
		"another company":            {"GET", "/v2/documents/", "", token, map[string]string{"X-Tenant-Id": "2"}, 403, `"detail":`},
		"nothing's path":             {"GET", "/v9/nothing/", "", "", nil, 404, `"detail":"Not found."`},
		"the root":                   {"GET", "/", "", "", nil, 404, `"detail":"Not found."`},
		"health":                     {"GET", "/health/", "", "", nil, 200, ""},
		"keys":                       {"GET", "/.well-known/jwks.json", "", "", nil, 200, `"kty":"EC"`},
		"a preflight":                {"OPTIONS", "/v2/documents/", "", "", map[string]string{"Origin": "https://app.tenantry.test", "Access-Control-Request-Method": "GET"}, 204, ""},
		"sign-in that is refused":    {"POST", "/v1/auth/login/", `{"username":"ann@tenantry.test","password":"wrong"}`, "", nil, 401, `"detail":`},
		"letters that are escaped":   {"GET", "/v2/documents/?search=%D0%90%2B%20%26", "", token, nil, 200, `"count":0`},
	} {
		t.Run(name, func(t *testing.T) {
			headers := map[string]string{"Accept": "*/*"}
			if row.token != "" {
				headers["Authorization"] = row.token
			}
			if row.body != "" {
				headers["Content-Type"] = "application/json"
			}
			maps.Copy(headers, row.headers)
			s.reset(t)
			got := s.client(t, row.method, row.path, row.body, headers)
			s.reset(t)
			if want := own(t, row.method, row.path, row.body, headers); got.String() != want.String() {
				t.Errorf("SAM answers %s\nthe gateway  %s", got, want)
			}
			if got.Status != row.status || !strings.Contains(got.String(), row.says) {
				t.Errorf("%s\nwant %d with %s", got, row.status, row.says)
			}
		})
	}
}

// What docs/sam-local.md says of the differences is so.
func (s *sam) checkDifferences(t *testing.T) {
	token := map[string]string{"Authorization": s.as(t, "documents/list")}
	ask := func(method, path, body string) (a httpAnswer) {
		t.Helper()
		s.ask(t, map[string]any{"do": "request", "method": method, "path": path, "headers": token, "body": body, "encoding": "latin-1"}, &a)
		return a
	}
	if a := ask("POST", "/v2/documents/", "\u00ff"); a.Status != http.StatusBadGateway || !strings.Contains(string(a.Body), "Internal server error") {
		t.Errorf("bytes that are no UTF-8: %s", a)
	}
	if a := ask("PROPFIND", "/v2/documents/", ""); a.Status != http.StatusForbidden || !strings.Contains(string(a.Body), "Missing Authentication Token") {
		t.Errorf("an unknown method: %s", a)
	}
	one, two := ask("GET", "/v2/documents/", ""), ask("GET", "/v2/documents/", "")
	if id := one.Headers["X-Request-Id"]; id == "" || id != two.Headers["X-Request-Id"] {
		t.Errorf("request ids %v and %v", one.Headers, two.Headers)
	}
	// Who is of several companies has to name one, and the host does.
	token["Authorization"] = s.as(t, "authorizer/basis-host")
	if a := s.client(t, "GET", "/v2/documents/", "", token); a.Status != http.StatusForbidden {
		t.Errorf("no company's host: %s", a)
	}
	token["Host"] = "caravans.tenantry.test:3000"
	if a := s.client(t, "GET", "/v2/documents/", "", token); a.Status != http.StatusOK {
		t.Errorf("a company's host: %s", a)
	}
}

// Whoever calls the API is outside of the container, and is given addresses that lead to the bucket from there.
func (s *sam) checkFiles(t *testing.T) {
	s.reset(t)
	environment := s.environment(t, "DocumentsFunction")
	inside, public := environment["S3_ENDPOINT"], environment["S3_PUBLIC_ENDPOINT"]
	if runtime.GOOS == "linux" && inside == public {
		t.Fatalf("both are %s", inside)
	}
	headers := map[string]string{"Authorization": s.as(t, "documents/list"), "Content-Type": "application/json"}
	var upload struct {
		File    string
		URL     string
		Method  string
		Headers map[string]string
	}
	got := s.client(t, "POST", "/v2/documents/uploads/", `{"name":"a.txt","content_type":"text/plain","size":5}`, headers)
	if err := json.Unmarshal(got.Body, &upload); err != nil || got.Status != http.StatusCreated || !strings.HasPrefix(upload.URL, public+"/") {
		t.Fatalf("%s: %v", got, err)
	}
	send(t, upload.Method, upload.URL, "bytes", upload.Headers)
	got = s.client(t, "POST", "/v2/documents/", `{"name":"With a file","source":1,"file":"`+upload.File+`"}`, headers)
	var made struct{ Files []struct{ File string } }
	if err := json.Unmarshal(got.Body, &made); err != nil || got.Status != http.StatusCreated || len(made.Files) != 1 {
		t.Fatalf("%s: %v", got, err)
	}
	path, isHere := strings.CutPrefix(made.Files[0].File, "http://127.0.0.1:3000")
	if !isHere {
		t.Fatalf("the file is at %s", made.Files[0].File)
	}
	if got = s.client(t, "GET", path, "", headers); got.Status != http.StatusFound || !strings.HasPrefix(got.Headers["Location"], public+"/") {
		t.Fatal(got)
	}
	if body := send(t, "GET", got.Headers["Location"], "", nil); body != "bytes" {
		t.Errorf("the file is %q", body)
	}
}

func send(t *testing.T, method, url, body string, headers map[string]string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	content, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s %v", method, a.Status, content, err)
	}
	return string(content)
}

// Events are answered under `sam local invoke` as expected. Only addresses of the API begin with http there, and nobody signs in
// with an identity of an issuer. These groups are an example; `go test ./infra/replay` has all of them.
func (s *sam) checkEvents(t *testing.T) {
	stage, err := openStage(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stage.Close)
	for _, group := range []string{"authorizer", "documents", "fallback", "identity", "signing", "urgent", "dispatch", "worker", "bulk"} {
		var function string
		for id, f := range s.template.Functions {
			if f.Group() == group {
				function = id
			}
		}
		events, _ := stage.made(t, group)
		for _, e := range events {
			if strings.Contains(e.Name, "google") {
				continue
			}
			t.Run(e.ID(), func(t *testing.T) {
				want, err := match.Parse([]byte(strings.ReplaceAll(pretty(e.Want), "https://"+apiHost, "http://"+apiHost)))
				if err != nil {
					t.Fatal(err)
				}
				s.reset(t)
				var got struct {
					Answer string
					Failed bool
				}
				s.ask(t, map[string]any{"do": "invoke", "function": function, "event": string(s.env.Localise(e.Payload))}, &got)
				answer, err := read([]byte(got.Answer))
				if err != nil {
					t.Fatal(err)
				}
				if diffs := match.Compare("", want, map[string]any(answer)); len(diffs) > 0 {
					t.Errorf("the answer differs:\n  %s", strings.Join(diffs, "\n  "))
				}
			})
		}
	}
}

const apiHost = "api.tenantry.test"
