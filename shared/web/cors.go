package web

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

const (
	corsHeaders = "Authorization, Content-Type, X-Tenant-Id, Idempotency-Key, If-Match, If-None-Match, Prefer"
	corsExpose  = "ETag, Location, Retry-After, X-Request-Id, Idempotent-Replayed, RateLimit, " +
		"RateLimit-Policy, Preference-Applied"
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	corsMaxAge  = "7200"
)

// cors allows origins that are configured or are a company's domain. The answer depends on the
// Origin header in either case, so it has a Vary header for caches.
func (s *Server) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if origin == "" || !s.knows(r.Context(), origin) {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", corsExpose)
		if isPreflight(r) {
			h.Set("Access-Control-Allow-Methods", corsMethods)
			h.Set("Access-Control-Allow-Headers", corsHeaders)
			h.Set("Access-Control-Max-Age", corsMaxAge)
		}
		next.ServeHTTP(w, r)
	})
}

func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

func (s *Server) knows(ctx context.Context, origin string) bool {
	normal := principal.Origin(origin)
	if normal == "" {
		return false
	}
	if s.isOwn(normal) {
		return true
	}
	if s.config.Scheme == "https" && !strings.HasPrefix(normal, "https://") {
		return false // whoever is on the way could have written the page
	}
	company, err := s.companyOf(ctx, principal.OriginHost(origin), 0, anyTurn)
	return err == nil && company != 0 // without an answer the browser is refused, not the request
}

// isOwn tells whether an origin, as principal.Origin writes it, belongs to the platform and to no company.
func (s *Server) isOwn(origin string) bool {
	if slices.Contains(s.config.Origins, origin) {
		return true
	}
	host := principal.OriginHost(origin)
	return s.config.AnyLoopback && (host == "localhost" || net.ParseIP(host).IsLoopback())
}

// companyOf asks whose a host is; 0 if it is no company's. It does not ask where the form of the
// host rules that out: IP addresses, single labels, the gateway's own names, the platform
// domain itself. A cached answer that admits a request, because the host is nobody's or is own's,
// counts only if it was found out at the given turn or later (see domainCache).
func (s *Server) companyOf(ctx context.Context, host string, own tenant.ID, since int64) (tenant.ID, error) {
	platform := s.config.PlatformDomain
	switch {
	case net.ParseIP(host) != nil, !strings.Contains(host, "."), strings.HasSuffix(host, ".amazonaws.com"),
		host == platform, host == "api."+platform, s.config.Domains == nil:
		return 0, nil
	}
	return s.domains.lookup(ctx, host, own, since)
}

// domainCache remembers answers for a minute. CORS therefore asks for each host about once a
// minute, and notices a new company's domain within a minute.
//
// An old "nobody's" must not decide which company a request means: if a company proved the host
// a moment ago, the request would ignore that host and run in the caller's only company. Each
// request therefore gets a turn, and the decision ignores every "nobody's" that is older than
// the turn of its request; so it does with a host that is said to be of a feed's own company. The
// price is one consistent read for a host that could be another company's but is not. An old answer
// that names another company can only lead to a refusal, so CORS and this decision both use it.
type domainCache struct {
	source Domains
	now    func() time.Time
	turns  atomic.Int64 // requests that have begun
	mu     sync.Mutex
	hosts  map[string]domainAnswer
}

type domainAnswer struct {
	company tenant.ID
	until   time.Time
	turn    int64 // of the last request that had begun when it was asked for
}

const (
	domainTTL  = time.Minute
	anyTurn    = int64(0)
	maxDomains = 10_000 // hosts that a caller made up must not fill the memory
)

func (d *domainCache) lookup(ctx context.Context, host string, own tenant.ID, since int64) (tenant.ID, error) {
	now, turn := d.now(), d.turns.Load()
	d.mu.Lock()
	known, ok := d.hosts[host]
	d.mu.Unlock()
	if refuses := known.company != 0 && known.company != own; ok && now.Before(known.until) && (refuses || known.turn >= since) {
		return known.company, nil
	}
	company, err := d.source.CompanyOf(ctx, host)
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hosts == nil || len(d.hosts) >= maxDomains {
		d.hosts = map[string]domainAnswer{}
	}
	d.hosts[host] = domainAnswer{company: company, until: now.Add(domainTTL), turn: turn}
	return company, nil
}
