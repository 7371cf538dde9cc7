package web

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/web/idempotency"
)

// Request is what a handler may know of its request beside its typed input.
type Request struct {
	ID        string // X-Request-Id
	Principal principal.Principal
	Table     *table.Tenant // the company's table; nil where the operation has no company
	BaseURL   string        // scheme and host of the gateway, without a trailing slash
	Query     url.Values
	IP        string // the caller's address, from the request context only
	UserAgent string
	Accept    string
	// Wrong is what the decoder has found wrong with the body, which the handler of a
	// Thorough operation gets with what is right.
	Wrong fault.FieldErrors

	http    *http.Request
	body    []byte
	sent    map[string]any // the body, where it is a JSON object
	path    string
	zoneOf  func(ctx context.Context, t *table.Tenant) (*time.Location, error)
	success int                                                      // the operation's status
	slot    *idempotency.Slot                                        // of its Idempotency-Key; nil without one
	again   func(ctx context.Context, r *Request, body []byte) error // the operation's
}

// Param is a query parameter; of several of one name the last, as in Django.
func (r *Request) Param(name string) string {
	list := r.Query[name]
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// Head tells whether the request asks for the head of an answer alone. It is
// answered as a GET is; a handler that makes something may leave that out.
func (r *Request) Head() bool { return r.http.Method == http.MethodHead }

// zone gives the time zone of the request's company; nil where there is none.
func (r *Request) zone() func() (*time.Location, error) {
	if r.Table == nil || r.zoneOf == nil {
		return nil
	}
	return func() (*time.Location, error) { return r.zoneOf(r.http.Context(), r.Table) }
}

// Header is a header of the request as the client sent it.
func (r *Request) Header(name string) string { return r.http.Header.Get(name) }

// hostOf is the gateway's own name for itself; a header a client can send has
// no say in it.
func hostOf(e *events.APIGatewayV2HTTPRequest) string { return e.RequestContext.DomainName }
