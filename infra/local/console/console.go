// Package console serves /_local/: a console for the developer that only the local platform has. It is one page of modules, pages/app.js
// and what that imports. Its views show the records of every kind, the fleet, the metrics, the outbox, webhooks and the last requests.
// Beside it are pages that stand by themselves: the API description, prices, events, and the way of signing in with an identity.
//
// The console answers this machine only. Callers on other machines, and pages of other sites in a browser on this
// machine, are refused. It is part of no function, and it never reads the table: what it shows goes through the API or
// was handed to it.
package console

import (
	"compress/gzip"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tenantry/tenantry/shared/encode"
)

// Prefix is the path below which the console serves.
const Prefix = "/_local/"

// Demo is the sign-in of the demo company.
type Demo struct {
	Username string `json:"username"`
	Password string `json:"password"`
	Tenant   int64  `json:"tenant"`
}

// Config of a console.
type Config struct {
	// Root is the module's folder, where npm has put the parts of the pages.
	Root   string
	Outbox *Recorder
	Hooks  *Hooks
	// Demo returns the demo company's sign-in. It is called with each request; nil means that there is no demo
	// company, or not yet.
	Demo func() *Demo
	// Making says that the platform makes a demo company when it starts, which takes some seconds.
	Making bool
	// Operator are the names of the table and the bucket, and the variables with which a program reaches them: infra/operator asks.
	Operator map[string]string
	// Lines are the latest of the functions' log: infra/operator asks.
	Lines *Lines
	// Requests are the last requests.
	Requests *Requests
	// Home is the scheme, host and port of the page to which the issuer of identities sends people back.
	Home string
}

// Returns is the path to which the issuer of identities sends people back.
const Returns = Prefix + "google/"

//go:embed pages
var pages embed.FS

type console struct {
	config Config
	assets fs.FS // what npm brings
	pages  *template.Template
	routes map[string]http.HandlerFunc
	posts  map[string]http.HandlerFunc // what takes POST, some of it alone

	crossOrigin *http.CrossOriginProtection
}

// Welcomes tells whether a request is a browser's for the root, which has nothing in the API. The platform sends it to the
// console, as somebody who types the address that a start prints means that.
func Welcomes(r *http.Request) bool {
	asks := r.Method == http.MethodGet || r.Method == http.MethodHead
	return r.URL.Path == "/" && asks && wantsHTML(r.Header.Get("Accept")) && local(r)
}

// Has tells whether a path belongs to the console.
func Has(name string) bool { return name+"/" == Prefix || strings.HasPrefix(name, Prefix) }

// New makes the console's handler. It serves the paths for which Has is true.
func New(c Config) (http.Handler, error) {
	assets := os.DirFS(filepath.Join(c.Root, "infra", "local", "node_modules"))
	k := &console{config: c, assets: assets, crossOrigin: http.NewCrossOriginProtection()}
	var err error
	k.pages, err = template.ParseFS(pages, "pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	k.routes = map[string]http.HandlerFunc{
		"": k.index, "kinds": listKinds, "demo/": k.demo,
		"outbox/":              k.view("outbox", asJSON(func() any { return c.Outbox.List() })),
		"requests":             k.view("requests", asJSON(func() any { return c.Requests.List() })),
		"hooks/":               k.view("hooks", k.hooks),
		"operator":             func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, k.config.Operator) },
		"lines":                func(w http.ResponseWriter, r *http.Request) { k.config.Lines.between(w, r) },
		"guides":               k.guides,
		"scalar/standalone.js": k.file(k.assets, reference),
		"htm.js":               k.file(k.assets, preact),
	}
	k.posts = map[string]http.HandlerFunc{"hooks/": k.hooks, "hooks/receive": c.Hooks.receive}
	for _, name := range []string{"schedule", "metrics"} { // where they were before they were views
		k.routes[name], k.routes[name+"/"] = toView(name), toView(name)
	}
	// These pages stand by themselves. They read everything from the API, as any client of it does, and the last one signs in with an
	// identity as a web client does.
	for _, name := range []string{"docs", "prices", "events", "google"} {
		page := func(w http.ResponseWriter, _ *http.Request) {
			k.page(w, name+".html", map[string]any{"Home": c.Home, "Demo": c.Demo() != nil})
		}
		if name == "docs" {
			page = k.docs
		}
		k.routes[name], k.routes[name+"/"] = page, page
	}
	for _, pattern := range []string{"pages/*.css", "pages/*.js"} {
		parts, err := fs.Glob(pages, pattern)
		if err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
		for _, name := range parts {
			k.routes[path.Base(name)] = k.file(pages, name)
		}
	}
	return http.HandlerFunc(k.serve), nil
}

func (k *console) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	if !local(r) {
		detail(w, http.StatusForbidden, "This answers callers on its own machine only.")
		return
	}
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, strings.TrimSuffix(Prefix, "/")), "/")
	if post := k.posts[name]; post != nil && (r.Method == http.MethodPost || k.routes[name] == nil) {
		k.post(w, r, post)
		return
	}
	page, found := k.routes[name]
	if _, slashed := k.routes[name+"/"]; !found && slashed || r.URL.Path+"/" == Prefix {
		h.Set("Location", r.URL.Path+"/")
		w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	switch {
	case !found:
		detail(w, http.StatusNotFound, "Not found.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		allowed := "GET, HEAD"
		if k.posts[name] != nil {
			allowed += ", POST"
		}
		refuseMethod(w, r, allowed)
	default:
		page(w, r)
	}
}

// post takes what is sent by a program, or by a page of the console. Browsers tell of which site a page is that sends something.
func (k *console) post(w http.ResponseWriter, r *http.Request, take http.HandlerFunc) {
	switch {
	case r.Method != http.MethodPost:
		refuseMethod(w, r, http.MethodPost)
	case k.crossOrigin.Check(r) != nil:
		detail(w, http.StatusForbidden, "This takes nothing from pages of other sites.")
	default:
		take(w, r)
	}
}

func refuseMethod(w http.ResponseWriter, r *http.Request, allowed string) {
	w.Header().Set("Allow", allowed)
	detail(w, http.StatusMethodNotAllowed, fmt.Sprintf("Method %q not allowed.", r.Method))
}

// policy allows a page to load what the console itself serves and to talk to the API on the same address, and nothing
// else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docsPolicy allows styles of the page itself too, because the reference writes its own.
const docsPolicy = policy + "; style-src-elem 'self' 'unsafe-inline'; style-src-attr 'unsafe-inline'"

// local tells whether a request comes from this machine and is meant for it. The address of the connection decides;
// where the server listens does not matter. A request is refused if its Host is not a name of this machine, because a
// stranger's domain may point here so that a page in our browser can read the answer. A request with a proxy's headers
// is refused, because somebody else has sent it.
func local(r *http.Request) bool {
	caller, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !caller.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	host := r.Host
	if bare, _, err := net.SplitHostPort(host); err == nil {
		host = bare
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// What npm brings of the pages.
const (
	reference = "@scalar/api-reference/dist/browser/standalone.js"
	preact    = "htm/preact/standalone.module.js"
)

// installed tells whether npm has brought a part of a page, and answers if it hasn't.
func (k *console) installed(w http.ResponseWriter, from fs.FS, part string) bool {
	_, err := fs.Stat(from, part)
	if err != nil {
		detail(w, http.StatusServiceUnavailable, "The page's parts are not installed: run `make engine`.")
	}
	return err == nil
}

func (k *console) index(w http.ResponseWriter, _ *http.Request) {
	if k.installed(w, k.assets, preact) {
		k.page(w, "console.html", nil)
	}
}

func (k *console) docs(w http.ResponseWriter, _ *http.Request) {
	if !k.installed(w, k.assets, reference) {
		return
	}
	w.Header().Set("Content-Security-Policy", docsPolicy)
	k.page(w, "docs.html", nil)
}

func (k *console) demo(w http.ResponseWriter, _ *http.Request) {
	switch demo := k.config.Demo(); {
	case demo != nil:
		answer(w, http.StatusOK, demo)
	case k.config.Making:
		w.Header().Set("Retry-After", "2")
		detail(w, http.StatusServiceUnavailable, "The demo company is being made: ask again in a moment.")
	default:
		detail(w, http.StatusNotFound, "There is no demo company: the platform was started without one.")
	}
}

// toView leads to a view of the console, with the query of the request.
func toView(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		to := Prefix + "#/" + name
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

// asJSON answers with a list.
func asJSON(list func() any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, list()) }
}

// view is what programs get as JSON, and where browsers are led to a view that shows it.
func (k *console) view(name string, of http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		if wantsHTML(r.Header.Get("Accept")) {
			toView(name)(w, r)
			return
		}
		of(w, r)
	}
}

func (k *console) page(w http.ResponseWriter, name string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// Only a broken connection can make this fail: the templates are embedded in the binary and tests execute them.
	_ = k.pages.ExecuteTemplate(w, name, data)
}

func (k *console) file(from fs.FS, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !k.installed(w, from, name) {
			return
		}
		content, _ := fs.ReadFile(from, name) // it is there
		w.Header().Set("Content-Type", map[string]string{".css": "text/css", ".js": "text/javascript"}[path.Ext(name)]+"; charset=utf-8")
		w.Header().Set("Vary", "Accept-Encoding")
		var body io.Writer = w
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && len(content) < mostCompressed {
			w.Header().Set("Content-Encoding", "gzip")
			compressed := gzip.NewWriter(w)
			defer func() { _ = compressed.Close() }() // it fails only if the client is gone
			body = compressed
		}
		_, _ = body.Write(content) // as above
	}
}

// mostCompressed bytes are compressed at once; the reference is larger, and would take longer than it saves.
const mostCompressed = 1 << 20

// wantsHTML tells whether an Accept header comes from a browser, which names HTML first. Callers that accept anything, such as curl,
// get JSON.
func wantsHTML(accept string) bool {
	first, _, _ := strings.Cut(accept, ",")
	return first == "text/html"
}

// answer writes JSON. For HEAD, net/http drops the body.
func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	text, _ := encode.JSON(body)       // what is shown here can be written
	_, _ = w.Write(append(text, '\n')) // it fails only if the client is gone
}

func detail(w http.ResponseWriter, status int, text string) {
	answer(w, status, map[string]string{"detail": text})
}
