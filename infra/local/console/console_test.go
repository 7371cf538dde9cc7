package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/outbox/notify"
)

// demo is the sign-in that the tests' console shows.
func demo() *Demo {
	return &Demo{Username: "owner@demo.example", Password: "<correct> horse", Tenant: 1}
}

func root(t *testing.T) string {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// handler makes a console; what is missing in c is empty there.
func handler(t *testing.T, c Config) http.Handler {
	t.Helper()
	if c.Outbox == nil {
		c.Outbox = open(t, "")
	}
	if c.Hooks == nil {
		c.Hooks = NewHooks(nil)
	}
	if c.Requests == nil {
		c.Requests = new(Requests)
	}
	if c.Demo == nil {
		c.Demo = func() *Demo { return nil }
	}
	if c.Root == "" {
		c.Root = root(t)
	}
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// request is a request of this machine's curl.
func request(method, path string) *http.Request {
	r := httptest.NewRequest(method, path, nil)
	r.RemoteAddr, r.Host = "127.0.0.1:50000", "127.0.0.1:8000"
	r.Header.Set("Accept", "*/*")
	return r
}

func serve(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOnlyThisMachineIsAnswered(t *testing.T) {
	h := handler(t, Config{Demo: demo})
	cases := map[string]struct {
		caller, host, header string
		status               int
	}{
		"by address":                      {"127.0.0.1:1", "127.0.0.1:8000", "", 200},
		"by another loopback address":     {"127.9.9.9:1", "127.9.9.9:8000", "", 200},
		"by IPv6":                         {"[::1]:1", "[::1]:8000", "", 200},
		"by IPv6 without a port":          {"[::1]:1", "[::1]", "", 200},
		"by IPv4 inside IPv6":             {"[::ffff:127.0.0.1]:1", "localhost:8000", "", 200},
		"by name":                         {"127.0.0.1:1", "LocalHost:8000", "", 200},
		"by a name below localhost":       {"127.0.0.1:1", "acme.localhost:8000", "", 200},
		"from the network":                {"192.168.1.7:1", "127.0.0.1:8000", "", 403},
		"from the network by IPv6":        {"[fe80::1%eth0]:1", "localhost:8000", "", 403},
		"from nowhere":                    {"@", "localhost:8000", "", 403},
		"by a name that was pointed here": {"127.0.0.1:1", "evil.example:8000", "", 403},
		"by a name that looks local":      {"127.0.0.1:1", "localhost.evil.example", "", 403},
		"by an address of the network":    {"127.0.0.1:1", "192.168.1.7:8000", "", 403},
		"without a name":                  {"127.0.0.1:1", "", "", 403},
		"by a proxy":                      {"127.0.0.1:1", "localhost", "X-Forwarded-For", 403},
		"by a newer proxy":                {"127.0.0.1:1", "localhost", "Forwarded", 403},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/_local", "/_local/", "/_local/docs", "/_local/outbox/", "/_local/hooks/", "/_local/demo/", "/_local/requests", "/_local/nothing"} {
				r := request(http.MethodGet, path)
				r.RemoteAddr, r.Host = c.caller, c.host
				if c.header != "" {
					r.Header.Set(c.header, "203.0.113.7")
				}
				got := serve(h, r)
				if refused := got.StatusCode == http.StatusForbidden; refused != (c.status == http.StatusForbidden) {
					t.Errorf("%s: status %d", path, got.StatusCode)
				}
				if text := body(t, got); c.status == http.StatusForbidden && strings.Contains(text, "horse") {
					t.Errorf("%s tells: %s", path, text)
				}
			}
		})
	}
}

func TestPaths(t *testing.T) {
	h := handler(t, Config{Demo: demo})
	cases := []struct {
		method, path string
		status       int
		contentType  string
		header       [2]string
	}{
		{"GET", "/_local/", 200, "text/html; charset=utf-8", [2]string{"Cache-Control", "no-store"}},
		{"GET", "/_local", 301, "", [2]string{"Location", "/_local/"}},
		{"GET", "/_local/app.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/console.css", 200, "text/css; charset=utf-8", [2]string{}},
		{"GET", "/_local/htm.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/htm/package.json", 404, "application/json", [2]string{}},
		{"GET", "/_local/kinds", 200, "application/json", [2]string{}},
		{"GET", "/_local/docs", 200, "text/html; charset=utf-8", [2]string{"X-Content-Type-Options", "nosniff"}},
		{"GET", "/_local/docs/", 200, "text/html; charset=utf-8", [2]string{}},
		{"GET", "/_local/schedule", 302, "", [2]string{"Location", "/_local/#/schedule"}},
		{"GET", "/_local/schedule/", 302, "", [2]string{"Location", "/_local/#/schedule"}},
		{"GET", "/_local/schedule?start=2026-03-02", 302, "", [2]string{"Location", "/_local/#/schedule?start=2026-03-02"}},
		{"GET", "/_local/company.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/schedule.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/prices", 200, "text/html; charset=utf-8", [2]string{"Cache-Control", "no-store"}},
		{"GET", "/_local/prices/", 200, "text/html; charset=utf-8", [2]string{}},
		{"GET", "/_local/prices.css", 200, "text/css; charset=utf-8", [2]string{}},
		{"GET", "/_local/prices.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/metrics", 302, "", [2]string{"Location", "/_local/#/metrics"}},
		{"GET", "/_local/metrics/", 302, "", [2]string{"Location", "/_local/#/metrics"}},
		{"GET", "/_local/metrics.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/events", 200, "text/html; charset=utf-8", [2]string{"Cache-Control", "no-store"}},
		{"GET", "/_local/events/", 200, "text/html; charset=utf-8", [2]string{}},
		{"GET", "/_local/events.css", 200, "text/css; charset=utf-8", [2]string{}},
		{"GET", "/_local/events.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/hooks", 301, "", [2]string{"Location", "/_local/hooks/"}},
		{"GET", "/_local/hooks/", 200, "application/json", [2]string{"Vary", "Accept"}},
		{"PUT", "/_local/hooks/", 405, "application/json", [2]string{"Allow", "GET, HEAD, POST"}},
		{"GET", "/_local/hooks/receive", 405, "application/json", [2]string{"Allow", "POST"}},
		{"GET", "/_local/hooks.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/outbox", 301, "", [2]string{"Location", "/_local/outbox/"}},
		{"GET", "/_local/outbox/", 200, "application/json", [2]string{"Vary", "Accept"}},
		{"HEAD", "/_local/outbox/", 200, "application/json", [2]string{}},
		{"GET", "/_local/requests", 200, "application/json", [2]string{"Vary", "Accept"}},
		{"POST", "/_local/requests", 405, "application/json", [2]string{"Allow", "GET, HEAD"}},
		{"GET", "/_local/demo", 301, "", [2]string{"Location", "/_local/demo/"}},
		{"GET", "/_local/demo/", 200, "application/json", [2]string{"Cross-Origin-Resource-Policy", "same-origin"}},
		{"POST", "/_local/demo/", 405, "application/json", [2]string{"Allow", "GET, HEAD"}},
		{"GET", "/_local/style.css", 200, "text/css; charset=utf-8", [2]string{}},
		{"GET", "/_local/docs.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/docs.css", 200, "text/css; charset=utf-8", [2]string{}},
		{"GET", "/_local/guides", 200, "text/markdown; charset=utf-8", [2]string{}},
		{"GET", "/_local/scalar/standalone.js", 200, "text/javascript; charset=utf-8", [2]string{}},
		{"GET", "/_local/scalar/package.json", 404, "application/json", [2]string{}},
		{"GET", "/_local/scalar/../console.go", 404, "application/json", [2]string{}},
		{"GET", "/_local/nothing", 404, "application/json", [2]string{}},
	}
	for _, c := range cases {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			got := serve(h, request(c.method, c.path))
			if got.StatusCode != c.status || got.Header.Get("Content-Type") != c.contentType {
				t.Errorf("%d %q, want %d %q", got.StatusCode, got.Header.Get("Content-Type"), c.status, c.contentType)
			}
			if c.header[0] != "" && got.Header.Get(c.header[0]) != c.header[1] {
				t.Errorf("%s: %q, want %q", c.header[0], got.Header.Get(c.header[0]), c.header[1])
			}
			policy := got.Header.Get("Content-Security-Policy")
			if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self';") ||
				strings.Contains(policy, "http") || strings.Contains(policy, "*") {
				t.Errorf("Content-Security-Policy: %s", policy)
			}
		})
	}
}

func TestHas(t *testing.T) {
	for path, want := range map[string]bool{
		"/_local": true, "/_local/": true, "/_local/outbox/": true, "/_locals/": false, "/": false, "/v2/documents/": false,
	} {
		if Has(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// Whoever types the address of the platform in a browser means the console; clients of the API get the API's answer.
func TestWelcomes(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	for name, tt := range map[string]struct {
		method, path, accept, from string
		want                       bool
	}{
		"a browser":                  {"GET", "/", browser, "127.0.0.1:50000", true},
		"a look at the head of it":   {"HEAD", "/", browser, "127.0.0.1:50000", true},
		"curl":                       {"GET", "/", "*/*", "127.0.0.1:50000", false},
		"a client of the API":        {"GET", "/", "application/json", "127.0.0.1:50000", false},
		"nothing said":               {"GET", "/", "", "127.0.0.1:50000", false},
		"another path":               {"GET", "/sign/", browser, "127.0.0.1:50000", false},
		"a form":                     {"POST", "/", browser, "127.0.0.1:50000", false},
		"a browser on another place": {"GET", "/", browser, "192.0.2.1:50000", false},
	} {
		r := request(tt.method, tt.path)
		r.RemoteAddr = tt.from
		r.Header.Set("Accept", tt.accept)
		if got := Welcomes(r); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDemo(t *testing.T) {
	got := body(t, serve(handler(t, Config{Demo: demo}), request("GET", "/_local/demo/")))
	if want := `{"username":"owner@demo.example","password":"<correct> horse","tenant":1}` + "\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	making := serve(handler(t, Config{Demo: func() *Demo { return nil }, Making: true}), request("GET", "/_local/demo/"))
	if making.StatusCode != http.StatusServiceUnavailable || making.Header.Get("Retry-After") == "" {
		t.Errorf("while the demo company is made: %d", making.StatusCode)
	}
	without := serve(handler(t, Config{}), request("GET", "/_local/demo/"))
	if without.StatusCode != http.StatusNotFound {
		t.Errorf("without a demo company: %d", without.StatusCode)
	}
}

func TestOutbox(t *testing.T) {
	now := time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)
	outbox := open(t, "")
	outbox.now = func() time.Time { now = now.Add(time.Second); return now }
	h := handler(t, Config{Outbox: outbox})
	if got := body(t, serve(h, request("GET", "/_local/outbox/"))); got != "[]\n" {
		t.Errorf("an empty outbox is %s", got)
	}
	for _, m := range []notify.Message{
		{ID: "a", Channel: notify.Email, To: "ann@example.com", Subject: "Your <code>", Text: "It is 123456 & no other. See http://127.0.0.1:8000/sign/1/?a=1&b=2. Or (https://example.com/x)."},
		{ID: "b", Channel: notify.SMS, To: "+77011234567", Text: "<script>alert(1)</script>"},
	} {
		if err := outbox.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	want := `[{"id":"b","at":"2026-03-02T09:30:02Z","channel":"sms","to":"+77011234567","text":"<script>alert(1)</script>"},` +
		`{"id":"a","at":"2026-03-02T09:30:01Z","channel":"email","to":"ann@example.com","subject":"Your <code>","text":"It is 123456 & no other. See http://127.0.0.1:8000/sign/1/?a=1&b=2. Or (https://example.com/x)."}]` + "\n"
	for _, accept := range []string{"*/*", "application/json", "", "text/html;q=0", "text/html;q=0.5, application/json"} {
		r := request("GET", "/_local/outbox/")
		r.Header.Set("Accept", accept)
		if got := body(t, serve(h, r)); got != want {
			t.Errorf("Accept %q: %s\nwant %s", accept, got, want)
		}
	}
}

// Browsers are led from where pages were to the views of now.
func TestBrowsersAreLedToViews(t *testing.T) {
	h := handler(t, Config{Demo: demo})
	for path, to := range map[string]string{
		"/_local/outbox/": "/_local/#/outbox", "/_local/hooks/": "/_local/#/hooks", "/_local/requests": "/_local/#/requests",
		"/_local/metrics": "/_local/#/metrics", "/_local/schedule?start=2026-03-02": "/_local/#/schedule?start=2026-03-02",
	} {
		r := request("GET", path)
		r.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
		if got := serve(h, r); got.StatusCode != http.StatusFound || got.Header.Get("Location") != to {
			t.Errorf("%s: %d, %s", path, got.StatusCode, got.Header.Get("Location"))
		}
	}
}

// The pages about the demo company are drawn by scripts, which need it.
func TestPagesOfTheDemo(t *testing.T) {
	for _, name := range []string{"prices", "events"} {
		t.Run(name, func(t *testing.T) {
			script := `<script src="/_local/` + name + `.js"></script>`
			for says, of := range map[string]func() *Demo{script: demo, "There is no demo company": func() *Demo { return nil }} {
				page := body(t, serve(handler(t, Config{Demo: of}), request("GET", "/_local/"+name)))
				if !strings.Contains(page, says) || strings.Count(page, script)+strings.Count(page, "no demo company") != 1 {
					t.Errorf("it does not say %q:\n%s", says, page)
				}
				if strings.Contains(page, "horse") {
					t.Errorf("it tells the password:\n%s", page)
				}
			}
		})
	}
}

// What the pages are made of names no other address, is allowed by the policy, and can be read by a browser.
func TestPartsOfPages(t *testing.T) {
	names, err := fs.Glob(pages, "pages/*")
	if err != nil || len(names) < 8 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(pages, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, refused := range []string{"https://", ` style="`, " onclick=", "<script>", "<style>", "innerHTML", "@import", "url("} {
			if strings.Contains(string(text), refused) {
				t.Errorf("%s has %q", name, refused)
			}
		}
		if filepath.Ext(name) != ".js" {
			continue
		}
		kind := "commonjs"
		if strings.Contains(string(text), "\nexport ") || strings.Contains(string(text), "\nimport ") {
			kind = "module"
		}
		check := exec.CommandContext(t.Context(), "node", "--check", "--input-type="+kind, "-")
		check.Stdin = bytes.NewReader(text)
		if out, err := check.CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
			t.Skip("node is not here")
		} else if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// Pages load nothing but what the console serves itself.
func TestPagesLoadOnlyTheConsole(t *testing.T) {
	h := handler(t, Config{Demo: demo})
	for _, path := range []string{"/_local/", "/_local/docs", "/_local/prices", "/_local/events", "/_local/google/"} {
		r := request("GET", path)
		r.Header.Set("Accept", "text/html")
		page := body(t, serve(h, r))
		for _, attribute := range []string{`src="`, `<link rel="stylesheet" href="`} {
			parts := strings.Split(page, attribute)
			for _, part := range parts[1:] {
				target, _, _ := strings.Cut(part, `"`)
				if !strings.HasPrefix(target, Prefix) {
					t.Errorf("%s loads %s", path, target)
				}
				if got := serve(h, request("GET", target)); got.StatusCode != http.StatusOK {
					t.Errorf("%s loads %s: %d", path, target, got.StatusCode)
				}
			}
		}
	}
}

func TestAssetsMissing(t *testing.T) {
	h := handler(t, Config{Root: t.TempDir()})
	for _, path := range []string{"/_local/", "/_local/docs", "/_local/scalar/standalone.js", "/_local/htm.js"} {
		got := serve(h, request("GET", path))
		if text := body(t, got); got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "make engine") {
			t.Errorf("%s: %d %s", path, got.StatusCode, text)
		}
	}
}

// What is installed is what package.json pins, and what its licence allows to be served.
func TestAssetsArePinned(t *testing.T) {
	var pinned struct{ Config map[string]string }
	read := func(path string, into any) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(root(t), "infra", "local", filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	read("package.json", &pinned)
	licences := map[string]string{"reference": "MIT", "console": "Apache-2.0"}
	if len(pinned.Config) != len(licences) {
		t.Errorf("pinned is %v", pinned.Config)
	}
	for what, licence := range licences {
		name := pinned.Config[what][:max(0, strings.LastIndex(pinned.Config[what], "@"))]
		var installed struct{ Name, Version, License string }
		read("node_modules/"+name+"/package.json", &installed)
		if got := installed.Name + "@" + installed.Version; got != pinned.Config[what] || installed.License != licence {
			t.Errorf("installed %q of the licence %q, pinned %q", got, installed.License, pinned.Config[what])
		}
	}
}

// The schedule calls statuses of orders as the API does.
func TestScheduleKnowsTheStatuses(t *testing.T) {
	var names []string
	for _, v := range order.Status(0).Values() {
		names = append(names, v.Name)
	}
	if want := "statuses: ['" + strings.Join(names, ", ") + "',"; !strings.Contains(page(t, "texts.js"), want) {
		t.Errorf("texts.js has no %s", want)
	}
}

// The schedule reads what exchanges and orders have.
func TestScheduleKnowsSwapsAndHolds(t *testing.T) {
	swap := fieldsOf(t, orders.Exchange{})
	known := map[string]map[string]bool{"exchange": swap, "before": swap, "next": swap, "order": fieldsOf(t, orders.Order{})}
	used := map[string]bool{}
	for _, use := range regexp.MustCompile(`\b(exchange|before|next|order)\??\.(\w+)`).FindAllStringSubmatch(page(t, "schedule.js"), -1) {
		of, name := use[1], use[2]
		if used[of+"."+name] = true; !known[of][name] {
			t.Errorf("%s has no %s", of, name)
		}
	}
	for _, name := range []string{"order.expires_at", "exchange.order_inventory_from", "exchange.order_inventory_to", "before.reason", "next.reason"} {
		if !used[name] {
			t.Errorf("it does not read %s", name)
		}
	}
}

// fieldsOf are the names that the values have in JSON.
func fieldsOf(t *testing.T, of ...any) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, one := range of {
		var object map[string]any
		text, err := json.Marshal(one)
		if err == nil {
			err = json.Unmarshal(text, &object)
		}
		if err != nil {
			t.Fatal(err)
		}
		for name := range object {
			names[name] = true
		}
	}
	return names
}

// The page of prices reads what a quote has.
func TestPricesPageKnowsTheQuote(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(t), "infra/local/console/pages/prices.js"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]map[string]bool{
		"quote": fieldsOf(t, orders.Quote{}), "line": fieldsOf(t, orders.QuotedLine{}, orders.QuotedService{}), "step": fieldsOf(t, pricing.Step{}),
	}
	known["step"]["tarif"], known["step"]["rule"] = true, true // of steps that are about one of them
	uses := regexp.MustCompile(`\b(quote|line|step)\.(\w+)`).FindAllSubmatch(page, -1)
	if len(uses) < 20 {
		t.Fatalf("it reads %d fields", len(uses))
	}
	for _, use := range uses {
		if !known[string(use[1])][string(use[2])] {
			t.Errorf("%s has no %s", use[1], use[2])
		}
	}
	for _, kind := range []string{pricing.TaxIncluded, pricing.Fees} { // those that add nothing
		if !strings.Contains(string(page), "'"+kind+"'") {
			t.Errorf("it adds %s", kind)
		}
	}
}
