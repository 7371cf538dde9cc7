package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/platform"
	"github.com/tenantry/tenantry/infra/local/prepared"
)

func nothing(string) string { return "" }

func start(t *testing.T) *platform.Platform {
	t.Helper()
	return in(t, gateway.Weather{})
}

func in(t *testing.T, w gateway.Weather) *platform.Platform {
	t.Helper()
	o := platform.Options{Addr: "127.0.0.1:0", Demo: true, Patient: true, Out: t.Output(), Weather: w}
	if os.Getenv("DYNAMODB_ENDPOINT") == "" { // else the table is not among the data
		o.Data = demo.Copy(t)
	}
	p, err := platform.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

var demo = prepared.New(platform.PrepareDemo)

func TestMain(m *testing.M) { demo.Run(m) }

// The local platform passes, signed in by itself or as told; and a stage that is wrong in one thing does not.
func TestWalk(t *testing.T) {
	p := start(t)
	t.Run("with the demo company", func(t *testing.T) {
		var out bytes.Buffer
		if status := run(t.Context(), []string{"-url", p.URL + "/"}, nothing, &out, &out); status != 0 {
			t.Fatalf("status %d\n%s", status, &out)
		}
		if n := strings.Count(out.String(), "\nok "); n < 170 || strings.Contains(out.String(), "FAIL") {
			t.Errorf("%d steps\n%s", n+1, &out)
		}
		first, _, _ := strings.Cut(out.String(), "\n")
		if !strings.HasPrefix(first, "ok   a slash at the end") || !strings.Contains(out.String(), "seen: WWW-Authenticate keeps its name") {
			t.Errorf("it does not begin with what the gateway does:\n%.600s", &out)
		}
	})
	t.Run("as told", func(t *testing.T) {
		demo := p.Demo()
		settings := map[string]string{
			"SMOKE_USERNAME": demo.Username, "SMOKE_PASSWORD": demo.Password, "SMOKE_TENANT": fmt.Sprint(demo.Tenant),
		}
		var out bytes.Buffer
		status := run(t.Context(), []string{"-url", p.URL}, func(name string) string { return settings[name] }, &out, &out)
		if status != 0 || strings.Contains(out.String(), "/_local/") {
			t.Errorf("status %d\n%s", status, &out)
		}
	})
	t.Run("with another password", func(t *testing.T) {
		settings := map[string]string{"SMOKE_USERNAME": p.Demo().Username, "SMOKE_PASSWORD": "not it"}
		var out bytes.Buffer
		status := run(t.Context(), []string{"-url", p.URL}, func(name string) string { return settings[name] }, &out, &out)
		if status != 1 || !strings.Contains(out.String(), "FAIL sign-in") ||
			!strings.Contains(out.String(), "expected status 200, got 401") {
			t.Errorf("status %d\n%s", status, &out)
		}
	})
	// Each is seen by another step, so one walk meets them all.
	wrong := []struct {
		name  string
		spoil func(*http.Response)
		says  string
	}{
		{"another status", func(r *http.Response) {
			if r.Request.Method == http.MethodDelete && r.StatusCode == http.StatusNoContent {
				r.StatusCode = http.StatusOK
			}
		}, "FAIL and deleted"},
		{"a gateway's own body", func(r *http.Response) {
			if r.StatusCode == http.StatusUnauthorized && r.Request.URL.Path == "/v2/documents/" {
				r.Body, r.ContentLength = http.NoBody, 0
				r.Header.Del("Content-Length")
			}
		}, `FAIL no token`},
		{"no request id", func(r *http.Response) {
			if r.Request.URL.Path == "/health/" {
				r.Header.Del("X-Request-Id")
			}
		}, "expected an X-Request-Id"},
		{"an answer that is not kept", func(r *http.Response) { r.Header.Del("Idempotent-Replayed") }, "FAIL and its key makes no second"},
		{"a renamed header that says something else", func(r *http.Response) {
			if r.Header.Get("Www-Authenticate") != "" {
				r.Header.Set(renamed, "Basic")
			}
		}, "FAIL who has to sign in"},
		{"no Allow", func(r *http.Response) { r.Header.Del("Allow") }, "FAIL another method"},
	}
	t.Run("wrong", func(t *testing.T) {
		var out bytes.Buffer
		status := run(t.Context(), []string{"-url", spoiled(t, p.URL, func(r *http.Response) {
			for _, w := range wrong {
				w.spoil(r)
			}
		})}, nothing, &out, &out)
		for _, w := range wrong {
			if status != 1 || !strings.Contains(out.String(), w.says) {
				t.Errorf("%s: status %d; it does not say %q:\n%s", w.name, status, w.says, &out)
			}
		}
	})
}

// AWS's gateway renames a header, and refuses what exceeds the rate: the walk says so and passes. A request that a starved
// authorizer cost fails it, and it says where to look.
func TestWeather(t *testing.T) {
	t.Run("renames and throttles", func(t *testing.T) {
		p := in(t, gateway.Weather{Renames: true, Throttles: 7})
		var out bytes.Buffer
		if status := run(t.Context(), []string{"-url", p.URL}, nothing, &out, &out); status != 0 {
			t.Fatalf("status %d\n%s", status, &out)
		}
		for _, want := range []string{"seen: the gateway renames WWW-Authenticate", "with its own 429, and were sent again"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("it does not say %q:\n%s", want, &out)
			}
		}
	})
	t.Run("starves", func(t *testing.T) {
		p := in(t, gateway.Weather{Starves: 50})
		var out bytes.Buffer
		status := run(t.Context(), []string{"-url", p.URL}, nothing, &out, &out)
		if status != 1 || !strings.Contains(out.String(), `the gateway's own: 500 Internal Server Error {"message":"Internal Server Error"} (the auth`) {
			t.Errorf("status %d\n%s", status, &out)
		}
	})
}

// spoiled is a proxy in front of a stage that changes what it answers.
func spoiled(t *testing.T, address string, spoil func(*http.Response)) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			spoil(r)
			return nil
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else an answer that is early closes the request's body, of which the proxy still reads the end, and breaks off.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestNobodyThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	var out bytes.Buffer
	if status := run(t.Context(), []string{"-url", server.URL}, nothing, &out, &out); status != 1 ||
		!strings.Contains(out.String(), "FAIL is it up") {
		t.Errorf("status %d\n%s", status, &out)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"-url", "example.com"}, {"-url", "ftp://example.com"}, {"-nothing"}} {
		var out bytes.Buffer
		if status := run(t.Context(), args, nothing, &out, &out); status != 2 || out.Len() == 0 {
			t.Errorf("%v: status %d, %s", args, status, &out)
		}
	}
}
