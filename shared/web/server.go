package web

import (
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"
	"github.com/go-chi/chi/v5"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/idempotency"
)

// Domains tells to which company a host name belongs; 0 is none. It is asked for hosts that the
// authorizer could not match with a company of the caller.
type Domains interface {
	CompanyOf(ctx context.Context, host string) (tenant.ID, error)
}

// Config is what a Server needs from its environment.
type Config struct {
	Table          *table.Conn
	Domains        Domains
	PlatformDomain string         // the companies' subdomains are below it; no company owns the domain itself
	Origins        []string       // that CORS allows besides the companies' domains, as principal.Origin writes them
	AnyLoopback    bool           // CORS allows every origin of the caller's own machine too, at any port: for the local platform only
	Scheme         string         // of absolute URLs; if it is "https", as behind the real gateway, companies' origins must have it too
	Stage          string         // the deployment's name in the log
	Languages      []say.Language // in which it answers, the default one first; none are English alone
	Now            func() time.Time
	Log            io.Writer          // one JSON line a request
	ServerTiming   bool               // send the Server-Timing header
	Refused        func(*fault.Error) // is told each refusal before it is said in a language, for tests; nil if nobody is
	// Viewers tells the addresses of callers behind CloudFront; nil if nobody is behind it.
	Viewers   Viewers
	Allowance allowance.Limits // of read units, for operations that draw on it
	Search    *search.Memory   // what the function's instance remembers for searches; nil if they read records
	// Large stores the large ones among the answers that are kept under an Idempotency-Key;
	// nil if no operation has large answers.
	Large idempotency.Large
}

// Server serves one group. It is a lambda.Handler for gateway events.
type Server struct {
	group   Group
	config  Config
	router  *chi.Mux
	domains *domainCache
	reads   *allowance.Keeper
	adapter *httpadapter.HandlerAdapterV2
	ways    map[string][]*way // by shape of their paths
}

// NewServer registers the operations of a group.
func NewServer(g Group, c Config) *Server {
	if c.Log == nil {
		c.Log = io.Discard
	}
	if c.Scheme == "" {
		c.Scheme = "https"
	}
	s := &Server{group: g, config: c, router: chi.NewRouter()}
	s.domains = &domainCache{source: c.Domains, now: c.Now}
	s.reads = allowance.New(c.Allowance, c.Now)
	s.register(g.Operations)
	s.adapter = httpadapter.NewV2(s.chain())
	return s
}

// chain is the middleware of every request, outermost first.
func (s *Server) chain() http.Handler {
	var h http.Handler = s.router
	for _, wrap := range slices.Backward([]func(http.Handler) http.Handler{
		s.restore, // the request as the client sent it
		s.observe, // request id, cost meter, one log line
		s.recover, // a panic is a 500, not a dead process
		s.cors,    // origins of companies
		s.limit,   // 413
	}) {
		h = wrap(h)
	}
	return h
}

// operation is what an endpoint does before and after its handler: identity,
// company, role, then the typed handler, then its answer.
func (s *Server) operation(op Operation) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		c := callOf(hr)
		c.op = &op
		if !acceptable(hr.Header.Get("Accept"), op.produces()) {
			s.fail(w, hr, fault.ErrNotAccepted)
			return
		}
		if op.Access == Public && !op.Large && len(c.body) > maxPublicBody {
			s.fail(w, hr, errPublicBody)
			return
		}
		query := decode.Query(hr.URL.RawQuery)
		r := &Request{
			ID: c.id, Query: op.declared(query), query: query,
			IP:        s.config.Viewers.Address(c.event.Headers, c.event.RequestContext.HTTP.SourceIP),
			UserAgent: hr.Header.Get("User-Agent"), Accept: hr.Header.Get("Accept"), Search: s.config.Search,
			BaseURL: s.config.Scheme + "://" + hostOf(c.event),
			http:    hr, body: c.body, zoneOf: s.group.Zone, speaks: s.config.Languages, path: hr.URL.Path, success: op.Success(),
		}
		if r.strict = isStrict(hr.Header); r.strict {
			w.Header().Set(appliedHeader, handling+"="+strict)
			w.Header().Add("Vary", preferHeader)
		}
		result, err := s.handle(hr.Context(), c, op, r)
		c.tell(w.Header())
		if err != nil {
			s.fail(w, hr, err)
			return
		}
		s.succeed(w, hr, op, result)
	}
}

func (s *Server) handle(ctx context.Context, c *call, op Operation, r *Request) (any, error) {
	if c.shows {
		return s.show(ctx, c, op, r)
	}
	if op.Access != Public {
		if err := s.admit(ctx, c, op, r); err != nil {
			return nil, err
		}
	}
	if r.strict {
		if err := op.refuseUnknown(ctx, r); err != nil {
			return nil, err
		}
	}
	if op.Idempotent {
		if err := s.slot(op, r); err != nil {
			return nil, err
		}
	}
	if op.Draws {
		return s.drawing(ctx, c, op, r)
	}
	return op.serve(ctx, r)
}
