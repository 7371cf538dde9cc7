// Package layer stands in for NCALayer, the program with which people of Kazakhstan sign in their
// browsers: a websocket at wss://127.0.0.1:13579, of which it speaks the one method that signing
// documents needs (module kz.gov.pki.knca.basics, method sign).
//
// Where NCALayer asks for a file of keys and its password, this one has a page at the same address:
// who comes there chooses as whom to sign, gives keys to others, or has the question closed. The
// choice stays. What a page asks for with signerParams is ignored, so that wrong choices can be made
// and seen refused.
//
// Its certificate is its own, which no browser trusts. A person opens the page once, tells the
// browser to go on, and from then on the websocket works too; an automatic browser is started so that
// it ignores certificates. The signing page needs no other address for that.
//
// What never goes in here: other modules and methods of NCALayer, and the centre's keys.
package layer

import (
	"context"
	"crypto/tls"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/net/websocket"

	"github.com/tenantry/tenantry/infra/local/nca"
)

// Port is where pages expect NCALayer.
const Port = 13579

// Form is how signatures are handed out: NCALayer has done all of this, by its version and what it was asked.
type Form string

// The forms.
const (
	List Form = "list" // a list of base64
	Text Form = "text" // base64
	PEM  Form = "pem"  // a list of PEM
)

// Layer is a running stand-in.
type Layer struct {
	// URL is where it answers: the page, and with wss the websocket.
	URL string

	centre *nca.Centre
	now    func() time.Time
	server *http.Server
	page   *template.Template

	mu     sync.Mutex
	holder *nca.Holder // nil closes the question
	form   Form
}

//go:embed page.html
var pages embed.FS

// Start makes a stand-in that answers on a listener until Close. The certificate is kept in a file;
// without one it is new each time.
func Start(l net.Listener, file string, c *nca.Centre, now func() time.Time) (*Layer, error) {
	certificate, err := certificate(file, now())
	if err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	page, err := template.ParseFS(pages, "page.html")
	if err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	s := &Layer{URL: "https://" + l.Addr().String(), centre: c, now: now, page: page, form: List}
	if people := c.People(); len(people) > 0 {
		s.holder = people[0]
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.show)
	mux.HandleFunc("POST /choose", s.choose)
	mux.HandleFunc("POST /give", s.give)
	s.server = &http.Server{
		Handler: s.own(mux), ReadHeaderTimeout: 10 * time.Second,
		// No HTTP/2: a websocket takes over its connection.
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		},
	}
	go func() { _ = s.server.ServeTLS(l, "", "") }() // it ends with Close
	return s, nil
}

// Open starts a stand-in where pages expect it. It fails if the port is taken, as by NCALayer itself.
func Open(ctx context.Context, file string, c *nca.Centre, now func() time.Time) (*Layer, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(Port)))
	if err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	s, err := Start(l, file, c, now)
	if err != nil {
		_ = l.Close()
	}
	return s, err
}

// Close ends it.
func (s *Layer) Close() { _ = s.server.Close() }

// Choose says who signs from now on, and how signatures are handed out. Nobody closes the question.
func (s *Layer) Choose(h *nca.Holder, as Form) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holder, s.form = h, as
}

func (s *Layer) chosen() (*nca.Holder, Form) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holder, s.form
}

// own refuses requests under other host names, and changes by pages of others. The websocket is for
// pages of anybody, as NCALayer's is.
func (s *Layer) own(next http.Handler) http.Handler {
	socket := websocket.Server{Handler: s.talk}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			socket.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'")
		origin := r.Header.Get("Origin")
		if "https://"+r.Host != s.URL || r.Method == http.MethodPost && origin != "" && origin != s.URL {
			http.Error(w, "This stand-in for NCALayer is "+s.URL, http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// row is somebody on the page.
type row struct {
	*nca.Holder
	Number int
	Chosen bool
	Dates  string
}

// dates says if a certificate is not valid now.
func dates(h *nca.Holder, now time.Time) string {
	switch {
	case now.After(h.Till):
		return "expired"
	case now.Before(h.From):
		return "not valid yet"
	}
	return ""
}

func (s *Layer) show(w http.ResponseWriter, _ *http.Request) {
	holder, form := s.chosen()
	data := struct {
		People []row
		Nobody bool
		Form   Form
		Forms  []Form
		Kinds  []nca.Kind
	}{Nobody: holder == nil, Form: form, Forms: []Form{List, Text, PEM}, Kinds: []nca.Kind{nca.GOST512, nca.GOST256, nca.RSA}}
	for i, h := range s.centre.People() {
		data.People = append(data.People, row{h, i, h == holder, dates(h, s.now())})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = s.page.Execute(w, data)
}

func (s *Layer) choose(w http.ResponseWriter, r *http.Request) {
	form := Form(r.FormValue("form"))
	if form != Text && form != PEM {
		form = List
	}
	people := s.centre.People()
	switch n, err := strconv.Atoi(r.FormValue("holder")); {
	case r.FormValue("holder") == "nobody":
		s.Choose(nil, form)
	case err != nil || n < 0 || n >= len(people):
		http.Error(w, "There is no such holder.", http.StatusBadRequest)
		return
	default:
		s.Choose(people[n], form)
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// give gives somebody a key, and chooses it.
func (s *Layer) give(w http.ResponseWriter, r *http.Request) {
	p := nca.Person{
		Name: r.FormValue("name"), IIN: r.FormValue("iin"), Organisation: r.FormValue("organisation"), BIN: r.FormValue("bin"),
		Right: nca.Head, Kind: nca.Kind(r.FormValue("kind")),
	}
	if err := check(p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h, err := s.centre.Issue(p)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, form := s.chosen()
	s.Choose(h, form)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

const longestName = 64

func check(p nca.Person) error {
	switch {
	case p.Name == "" || len(p.Name) > longestName || len(p.Organisation) > longestName || !utf8.ValidString(p.Name+p.Organisation):
		return errors.New("a name has 1 to 64 bytes of UTF-8")
	case !number(p.IIN) || p.BIN != "" && !number(p.BIN):
		return errors.New("an IIN or a BIN has 12 digits")
	case p.Kind != nca.RSA && p.Kind != nca.GOST512 && p.Kind != nca.GOST256:
		return errors.New("there is no such kind of keys")
	}
	return nil
}

func number(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil && len(s) == 12
}
