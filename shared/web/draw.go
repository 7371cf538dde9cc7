package web

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

// FreePageSize is the size up to which the pages of plain lists are free: they are what people look at. Larger ones are what
// programs read everything by, and are charged to the allowances.
const FreePageSize = 100

// drawing serves an operation that may draw on the allowances of its caller. It charges what the request has read, all of it,
// if it has drawn. That it could not be charged is no reason to refuse what was read: a later request pays, and the log says
// why.
func (s *Server) drawing(ctx context.Context, c *call, op Operation, r *Request) (any, error) {
	by := allowance.Reader{User: r.Principal.User, Feed: r.Principal.Feed, Key: r.Principal.Key}
	ctx, c.drawn = s.reads.Begin(ctx, r.Table, by)
	if page, err := r.PageOf(); op.paged() && err == nil && page.Size > FreePageSize {
		if err := allowance.Draw(ctx); err != nil {
			return nil, err
		}
	}
	before := c.meter.Usage().ReadUnits
	result, err := op.serve(ctx, r)
	if c.drawn != nil {
		c.unpaid = c.drawn.Pay(ctx, c.meter.Usage().ReadUnits-before)
	}
	return result, err
}

// tell says in an answer which limit of requests was exceeded, or what is left of allowances of which little is left.
func (c *call) tell(h http.Header) {
	var policy, limit string
	switch {
	case c.principal.Verdict == principal.Throttled:
		policy, limit = c.principal.Excess.Header()
	case c.drawn != nil:
		policy, limit = c.drawn.Header()
	}
	if policy != "" {
		h.Set("RateLimit-Policy", policy)
		h.Set("RateLimit", limit)
	}
}
