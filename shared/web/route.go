package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
)

// verbs are the methods that a path may take, in the order of Allow.
var verbs = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// shape returns a path without the names of its parameters.
func shape(path string) string { return parameter.ReplaceAllString(path, "{}") }

// register gives every path a handler for all methods: the path's own operations, and 405 for
// the others. Otherwise the router would try other paths for such a method, and could take the
// literal part of one path for a parameter of another: GET /documents/uploads/ would read the
// document "uploads".
func (s *Server) register(operations []Operation) {
	taken := map[string]string{}
	paths := map[string]string{}
	s.methods = map[string][]string{}
	for _, op := range operations {
		form := shape(op.Path)
		row := op.Method + " " + form
		if other, ok := taken[row]; ok {
			panic("web: " + op.ID + " and " + other + " have one path")
		}
		if op.Idempotent && op.Access == Public {
			panic("web: " + op.ID + " is idempotent, and nobody's: a key is its user's")
		}
		if op.Feed && op.Access != InTenant {
			panic("web: " + op.ID + " takes feed tokens, which are of a company, and needs none")
		}
		if f, ok := op.Input.FieldByName("Body"); ok && op.Access == InTenant && s.group.Zone == nil && decode.HasDateTime(f.Type) {
			panic("web: " + op.ID + " takes date-times, and its group has no Zone")
		}
		if s.group.Zone == nil && slices.ContainsFunc(op.Query, func(p Param) bool { return p.Format == "date-time" }) {
			panic("web: " + op.ID + " filters by date-times, and its group has no Zone")
		}
		taken[row], paths[form] = op.ID, op.Path
		s.methods[form] = append(s.methods[form], op.Method)
		h := s.operation(op)
		s.router.Method(op.Method, op.Path, h)
		if op.Method == http.MethodGet {
			s.methods[form] = append(s.methods[form], http.MethodHead)
			s.router.Method(http.MethodHead, op.Path, h)
		}
	}
	for form, path := range paths {
		own := slices.Concat(s.methods[form], []string{http.MethodOptions})
		slices.SortFunc(own, func(a, b string) int { return slices.Index(verbs, a) - slices.Index(verbs, b) })
		for _, method := range verbs {
			if !slices.Contains(own, method) {
				s.router.MethodFunc(method, path, s.otherMethod)
			}
		}
		s.methods[form] = own
	}
	s.router.NotFound(s.notFound)
	s.router.MethodNotAllowed(s.otherMethod)
}

// notFound answers requests for unknown paths: with a redirect if only the trailing slash is missing, else with 404. A
// preflight is not redirected, because a browser follows the redirect of a request but not of its preflight.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/") && len(s.methodsOf(r.URL.Path+"/")) > 0 {
		if isPreflight(r) {
			s.options(w, r, s.methodsOf(r.URL.Path+"/"))
			return
		}
		target := *r.URL
		target.Path, target.RawPath = r.URL.Path+"/", ""
		location := target.EscapedPath()
		if r.URL.RawQuery != "" {
			location += "?" + r.URL.RawQuery
		}
		status := http.StatusPermanentRedirect
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			status = http.StatusMovedPermanently
		}
		s.write(w, r, &plainReply{Status: status, Header: map[string]string{"Location": location}})
		return
	}
	s.fail(w, r, fault.ErrNotFound)
}

// otherMethod answers OPTIONS for every path that has an operation, and 405 for other methods.
func (s *Server) otherMethod(w http.ResponseWriter, r *http.Request) {
	methods := s.methodsOf(r.URL.Path)
	if len(methods) == 0 { // the router reports 405 for every method that it does not know
		s.notFound(w, r)
		return
	}
	if r.Method == http.MethodOptions {
		s.options(w, r, methods)
		return
	}
	s.write(w, r, &plainReply{
		Status: http.StatusMethodNotAllowed,
		Header: map[string]string{"Allow": allow(methods)},
		Body:   map[string]string{"detail": "Method \"" + callOf(r).event.RequestContext.HTTP.Method + "\" not allowed."},
	})
}

func (s *Server) options(w http.ResponseWriter, r *http.Request, methods []string) {
	s.write(w, r, &plainReply{Status: http.StatusNoContent, Header: map[string]string{"Allow": allow(methods)}})
}

func allow(methods []string) string { return strings.Join(methods, ", ") }

// methodsOf lists the methods of a path's operations; none if the path is unknown.
func (s *Server) methodsOf(path string) []string {
	return s.methods[shape(s.router.Find(chi.NewRouteContext(), http.MethodGet, path))]
}
