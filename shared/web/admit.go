package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

// admit decides whether the caller may call the operation, and binds the
// request to its company.
func (s *Server) admit(ctx context.Context, c *call, op Operation, r *Request) error {
	c.principal = principal.FromContext(authorizerContext(c))
	switch c.principal.Verdict {
	case principal.OK:
	case principal.Invalid:
		return fault.ErrBadToken
	case principal.Unavailable:
		return fault.ErrUnavailable
	case principal.Throttled:
		return fault.TooMany(time.Duration(c.principal.Excess.Wait) * time.Second)
	default:
		return fault.ErrNoAuth
	}
	isFeed, isKey := c.principal.Feed != 0, c.principal.Key != 0
	if isFeed && !op.Feed || isKey && !c.principal.Scopes.Has(s.group.Scope(op)) {
		return fault.ErrForbidden
	}
	r.Principal = c.principal
	if op.Access == SignedIn {
		if !op.Named {
			return nil
		}
		_, err := named(c, r)
		return err
	}
	if err := s.company(ctx, c, r); err != nil {
		return err
	}
	if s.group.Zone != nil {
		c.zone = func() (*time.Location, error) { return s.group.Zone(ctx, table.Of(s.config.Table, c.principal.Tenant)) }
	}
	if err := op.stands(c.principal.Standing); err != nil {
		return err
	}
	switch {
	case isKey:
		r.Principal.Role = s.group.roleOf(op, c.principal)
	case !isFeed && !op.admits(c.principal):
		return fault.ErrForbidden
	}
	r.Table = table.Of(s.config.Table, c.principal.Tenant)
	return nil
}

// stands refuses what the standing of the company doesn't allow. It comes before the caller's role: a company that is suspended is so
// for all of its people.
func (o Operation) stands(s tenant.Standing) error {
	if err := s.Refusal(o.Method == http.MethodGet || o.OnlyReads); err != nil {
		return err
	}
	if o.MakesRecords {
		return s.Growth()
	}
	return nil
}

func authorizerContext(c *call) map[string]any {
	if a := c.event.RequestContext.Authorizer; a != nil {
		return a.Lambda
	}
	return nil
}

// company checks the part of the request that chose its company. The authorizer has already
// matched the header, host and origin with the caller's own companies. If it could not match a
// host, that host may belong to another company. The request is then meant for a company that
// the caller does not belong to, and is refused. The company of a feed, or of a key for programs, is
// that of its text: the header, or the hosts, may only agree.
func (s *Server) company(ctx context.Context, c *call, r *Request) error {
	if named, err := named(c, r); named || err != nil {
		return err
	}
	var own tenant.ID    // whose hosts may be among those that follow
	var foreign []string // hosts that take precedence over what was matched
	switch c.principal.Basis {
	case principal.ByHost:
	case principal.ByOrigin:
		foreign = []string{principal.Host(r.http.Host)}
	case principal.ByFeed, principal.ByKey:
		own, foreign = c.principal.Tenant, []string{principal.Host(r.http.Host), s.originHost(r)}
	case principal.ByOnly, principal.BySeveral, principal.ByNone:
		foreign = []string{principal.Host(r.http.Host), s.originHost(r)}
	default:
		return fault.ErrForbidden
	}
	for _, host := range foreign {
		if host == "" {
			continue
		}
		company, err := s.companyOf(ctx, host, own, c.turn)
		if err != nil {
			return err
		}
		if company != 0 && company != own {
			return fault.ErrForbidden
		}
	}
	switch {
	case c.principal.Basis == principal.BySeveral:
		return errCompanyRequired
	case c.principal.Tenant == 0:
		return fault.ErrForbidden
	}
	return nil
}

// named tells whether the request names its company by X-Tenant-Id. A company that is not the
// caller's is refused.
func named(c *call, r *Request) (bool, error) {
	header := strings.TrimSpace(r.http.Header.Get("X-Tenant-Id"))
	if header == "" {
		return false, nil
	}
	id, err := strconv.ParseInt(header, 10, 64)
	if err != nil {
		return false, fault.Field("X-Tenant-Id", say.InvalidInteger)
	}
	chosen := []principal.Basis{principal.ByHeader, principal.ByFeed, principal.ByKey}
	if !slices.Contains(chosen, c.principal.Basis) || c.principal.Tenant == 0 || int64(c.principal.Tenant) != id {
		return false, fault.ErrForbidden
	}
	return true, nil
}

// errCompanyRequired answers a caller who belongs to several companies and names none of them.
var errCompanyRequired = fault.New(fault.Forbidden, say.CompanyRequired).Coded()

// originHost returns the host of the Origin header. An origin that is configured belongs to
// the platform and to no company, so the result is empty for it and no look-up is needed.
func (s *Server) originHost(r *Request) string {
	origin := r.http.Header.Get("Origin")
	if s.isOwn(principal.Origin(origin)) {
		return ""
	}
	return principal.OriginHost(origin)
}
