package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// maxBody is the largest body that a function reads. Larger files travel by
// presigned upload.
const maxBody = 4 << 20

// maxPublicBody is the largest body that is read where no token is needed, unless the operation is Large.
const maxPublicBody = 64 << 10

var errPublicBody = fault.New(fault.TooLarge, say.PublicBodyTooLarge)

// These headers go with every answer. They tell browsers to trust the declared content type,
// and to use only HTTPS.
const (
	noSniffing = "nosniff"
	httpsAlone = "max-age=31536000"
)

// handlerTime is how long a handler may take: a little less than the gateway
// waits, so that the caller gets our 503 and not the gateway's.
const handlerTime = 25 * time.Second

// silentTime is how long a request waits for the table and the keys while they don't answer; for the bucket half as long again.
// With the authorizer's time before it, a caller gets 503 within four seconds.
const silentTime = 2400 * time.Millisecond

// observe gives the request its id and its meter, and logs it when it is done.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r)
		start := s.config.Now()
		c.turn = s.domains.turns.Add(1)
		ctx, cancel := context.WithTimeout(r.Context(), handlerTime)
		defer cancel()
		ctx, c.meter = meter.Start(patience.Start(ctx, silentTime))
		h := w.Header()
		h.Set("X-Request-Id", c.id)
		h.Set("X-Content-Type-Options", noSniffing)
		h.Set("Strict-Transport-Security", httpsAlone)
		next.ServeHTTP(w, r.WithContext(ctx))
		s.log(c, r, s.config.Now().Sub(start))
	})
}

// recover answers a panic with 500 and logs where it was.
func (s *Server) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				s.fail(w, r, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// limit refuses bodies larger than maxBody, and bodies that can't be read, before anything
// else looks at them.
func (s *Server) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(callOf(r).body) > maxBody {
			s.fail(w, r, fault.ErrBodyTooLarge)
			return
		}
		if err := callOf(r).unreadable; err != nil {
			s.fail(w, r, fault.New(fault.Malformed, say.BodyNotBase64).Because(err))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// acceptable tells whether an Accept header allows one of the media types. Whoever takes errors as problems takes JSON.
func acceptable(header string, media []string) bool {
	if strings.TrimSpace(header) == "" || slices.Contains(media, "*/*") {
		return true
	}
	return slices.ContainsFunc(media, func(m string) bool {
		major, minor, _ := strings.Cut(m, "/")
		return accepts(header, major, minor) || m == decode.TypeJSON && wantsProblem(header)
	})
}

// accepts tells whether an Accept header allows a media type: the most specific range that
// matches decides, and q=0 refuses.
func accepts(header, major, minor string) bool {
	best, allowed := -1, false
	for _, term := range strings.Split(header, ",") {
		media, params, _ := strings.Cut(term, ";")
		a, b, _ := strings.Cut(strings.ToLower(strings.TrimSpace(media)), "/")
		rank := -1
		switch {
		case a == major && b == minor:
			rank = 2
		case a == major && b == "*":
			rank = 1
		case a == "*" && b == "*":
			rank = 0
		}
		if rank > best {
			best, allowed = rank, quality(params)
		}
	}
	return allowed
}

// quality tells whether the parameters of a range leave it above q=0.
func quality(params string) bool {
	for _, p := range strings.Split(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			return strings.Trim(strings.TrimSpace(value), "0.") != ""
		}
	}
	return true
}
