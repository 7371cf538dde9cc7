package web

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/shared/principal"
)

const (
	corsHeaders = "Authorization, Content-Type, X-Tenant-Id, Idempotency-Key, If-Match, If-None-Match"
	corsExpose  = "ETag, Location, Retry-After, X-Request-Id, Idempotent-Replayed"
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	corsMaxAge  = "7200"
)

// cors reflects origins that are a company's domain or configured. The answer
// depends on Origin either way, so caches are told.
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
	host := principal.OriginHost(origin)
	if host == "" {
		return false
	}
	if slices.Contains(s.config.Origins, host) {
		return true
	}
	company, err := s.isCompany(ctx, host)
	return err == nil && company // without an answer the browser is refused, not the request
}

// isCompany asks for a host, unless its form already says that no company can
// have it: addresses, single labels, the gateway's own names, the platform's
// domain itself.
func (s *Server) isCompany(ctx context.Context, host string) (bool, error) {
	platform := s.config.PlatformDomain
	switch {
	case net.ParseIP(host) != nil, !strings.Contains(host, "."), strings.HasSuffix(host, ".amazonaws.com"),
		host == platform, host == "api."+platform, s.config.Domains == nil:
		return false, nil
	}
	return s.domains.lookup(ctx, host)
}

// domainCache remembers answers for a minute, so that a function asks for each
// host it meets about once a minute. A new company's domain is seen by CORS
// within that time.
type domainCache struct {
	source Domains
	now    func() time.Time
	mu     sync.Mutex
	hosts  map[string]domainAnswer
}

type domainAnswer struct {
	company bool
	until   time.Time
}

const (
	domainTTL  = time.Minute
	maxDomains = 10_000 // hosts that a caller made up must not fill the memory
)

func (d *domainCache) lookup(ctx context.Context, host string) (bool, error) {
	now := d.now()
	d.mu.Lock()
	known, ok := d.hosts[host]
	d.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.company, nil
	}
	company, err := d.source.IsCompany(ctx, host)
	if err != nil {
		return false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hosts == nil || len(d.hosts) >= maxDomains {
		d.hosts = map[string]domainAnswer{}
	}
	d.hosts[host] = domainAnswer{company: company, until: now.Add(domainTTL)}
	return company, nil
}
