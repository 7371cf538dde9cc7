package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// verbs are the methods that a path may take, in the order of Allow.
var verbs = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// parameters lists the names of a path's parameters, in their order.
func parameters(path string) []string {
	names := strings.Split(path, "{")[1:]
	for place, rest := range names {
		names[place], _, _ = strings.Cut(rest, "}")
	}
	return names
}

// shape returns a path without the names of its parameters.
func shape(path string) string { return withParameters(path, func(int) string { return "{}" }) }

// withParameters returns a path with what stands for its parameters, which are counted from 0.
func withParameters(path string, of func(place int) string) string {
	var b strings.Builder
	for place := 0; ; place++ {
		before, rest, found := strings.Cut(path, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(of(place))
		_, path, _ = strings.Cut(rest, "}")
	}
}

// way is the operations of one path. Several ways have one shape if the types of their parameters
// differ: a number of the company's own documents and the uuid of a link stand in the same place.
type way struct {
	id       string // of one of its operations
	path     string
	kinds    []kind
	methods  []string // in the order of Allow
	handlers map[string]http.HandlerFunc
}

// register gives every shape a handler for all methods: the operations that stand there, and 405 for
// the other methods. Otherwise the router would try other paths for such a method, and could take the
// literal part of one path for a parameter of another: GET /documents/uploads/ would read the
// document "uploads".
func (s *Server) register(operations []Operation) {
	s.router.NotFound(s.notFound) // before the paths, because the router tells those that it already has one by one
	s.router.MethodNotAllowed(s.otherMethod)
	s.ways = map[string][]*way{}
	for _, op := range operations {
		if op.Idempotent && op.Access == Public {
			panic("web: " + op.ID + " is idempotent, and nobody's: a key is its user's")
		}
		if op.Draws && op.Access != InTenant {
			panic("web: " + op.ID + " draws on the allowance of a company, and needs none")
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
		s.wayOf(op).add(op, s.operation(op))
	}
	for _, ways := range s.ways {
		for _, one := range ways {
			served := one.methods
			one.methods = slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool {
				return verb != http.MethodOptions && !slices.Contains(served, verb)
			})
		}
		s.router.HandleFunc(ways[0].path, s.choose(ways))
	}
}

// wayOf returns the way that an operation belongs to, and makes it if the operation is the first.
func (s *Server) wayOf(op Operation) *way {
	form, kinds := shape(op.Path), op.kinds()
	for _, other := range s.ways[form] {
		if slices.Equal(other.kinds, kinds) {
			return other
		}
		if !toldApart(kinds, other.kinds) {
			panic("web: no value tells the path of " + op.ID + " from that of " + other.id)
		}
	}
	one := &way{id: op.ID, path: op.Path, kinds: kinds, handlers: map[string]http.HandlerFunc{}}
	s.ways[form] = append(s.ways[form], one)
	return one
}

func (one *way) add(op Operation, h http.HandlerFunc) {
	methods := []string{op.Method}
	if op.Method == http.MethodGet {
		methods = append(methods, http.MethodHead)
	}
	for _, method := range methods {
		if one.handlers[method] != nil {
			panic("web: " + op.ID + " and another operation have one path")
		}
		one.methods, one.handlers[method] = append(one.methods, method), h
	}
}

// choose serves the ways of one shape.
func (s *Server) choose(ways []*way) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		one := chosen(ways, chi.RouteContext(r.Context()).URLParams.Values)
		switch {
		case one == nil:
			s.fail(w, r, fault.ErrNotFound)
		case one.handlers[r.Method] == nil:
			s.otherMethod(w, r)
		default:
			one.handlers[r.Method](w, r)
		}
	}
}

// chosen returns the way that the values of a path's parameters mean. A way that is alone takes every value, so that
// whoever has no token gets 401 before it is looked at.
func chosen(ways []*way, values []string) *way {
	if len(ways) == 1 {
		return ways[0]
	}
	i := slices.IndexFunc(ways, func(one *way) bool { return one.takes(values) })
	if i < 0 {
		return nil
	}
	return ways[i]
}

func (one *way) takes(values []string) bool {
	for i, k := range one.kinds {
		if !k.takes(values[i]) {
			return false
		}
	}
	return true
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
	w.Header().Set("Allow", allow(methods))
	s.fail(w, r, fault.New(notAllowed, say.MethodNotAllowed(callOf(r).event.RequestContext.HTTP.Method)))
}

func (s *Server) options(w http.ResponseWriter, r *http.Request, methods []string) {
	s.write(w, r, &plainReply{Status: http.StatusNoContent, Header: map[string]string{"Allow": allow(methods)}})
}

func allow(methods []string) string { return strings.Join(methods, ", ") }

// methodsOf lists the methods of a path's operations; none if the path is unknown.
func (s *Server) methodsOf(path string) []string {
	found := chi.NewRouteContext()
	ways := s.ways[shape(s.router.Find(found, http.MethodGet, path))]
	if one := chosen(ways, found.URLParams.Values); one != nil {
		return one.methods
	}
	return nil
}
