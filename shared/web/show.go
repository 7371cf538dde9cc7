package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

// Show answers GET of a path, which may have a query, as any owner of a company is answered who asks at a host of the gateway. No
// authorizer has spoken, so whoever calls it has to be allowed to see all that an owner sees. What is read is charged to nobody. Paths
// that belong to no company are 404, because they show something about their caller, and nobody calls here.
func (s *Server) Show(ctx context.Context, company tenant.ID, host, path string) (events.APIGatewayV2HTTPResponse, error) {
	path, query, _ := strings.Cut(path, "?")
	e := &events.APIGatewayV2HTTPRequest{RawPath: path, RawQueryString: query}
	e.RequestContext.DomainName, e.RequestContext.HTTP.Method = host, http.MethodGet
	owner := principal.Principal{Verdict: principal.OK, Tenant: company, Role: tenant.Owner, Basis: principal.ByHeader}
	return s.pass(ctx, &call{event: e, id: uuid.NewString(), principal: owner, shows: true})
}

// show serves an operation that Show asks for.
func (s *Server) show(ctx context.Context, c *call, op Operation, r *Request) (any, error) {
	if op.Access != InTenant {
		return nil, fault.ErrNotFound
	}
	r.Principal, r.Table = c.principal, table.Of(s.config.Table, c.principal.Tenant)
	return op.serve(ctx, r)
}
