package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/web/idempotency"
)

// Request is what a handler may know about its request besides its typed input.
type Request struct {
	ID        string // X-Request-Id
	Principal principal.Principal
	Table     *table.Tenant  // the company's table; nil if the operation belongs to no company
	Search    *search.Memory // of the function's instance; nil if it has none
	BaseURL   string         // scheme and host of the gateway, without a trailing slash
	Query     url.Values     // the query parameters that the operation declares; it reads no others
	IP        string         // the caller's address: see Viewers.Address
	UserAgent string
	Accept    string
	// Wrong has the errors that the decoder found in the body. Only the handler of a Thorough
	// operation is called in that case; it gets the fields that are right.
	Wrong fault.FieldErrors

	http    *http.Request
	body    []byte
	sent    func() map[string]any // the outline of the body, if it is a JSON object
	path    string
	query   url.Values // as it was sent
	strict  bool       // unknown query parameters are refused
	zoneOf  func(ctx context.Context, t *table.Tenant) (*time.Location, error)
	speaks  []say.Language                                           // what the stage does
	success int                                                      // the operation's status
	slot    *idempotency.Slot                                        // for its Idempotency-Key; nil without one
	again   func(ctx context.Context, r *Request, body []byte) error // the operation's
}

// Param returns a query parameter. If it was sent several times, the last one counts, as in
// Django.
func (r *Request) Param(name string) string {
	list := r.Query[name]
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// Values returns the values of a query parameter that takes several, with commas between them. If it was sent several
// times, all of them count.
func (r *Request) Values(name string) string {
	sent := slices.DeleteFunc(slices.Clone(r.Query[name]), func(value string) bool { return strings.TrimSpace(value) == "" })
	return strings.Join(sent, ",")
}

// Asks tells whether a request has a query parameter whose name begins in a way.
func (r *Request) Asks(prefix string) bool {
	for name := range r.Query {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Sent returns the body as it was sent, for a signature over its bytes. Nobody may change it.
func (r *Request) Sent() []byte { return r.body }

// Language is the language that the caller likes best, by Accept-Language, of those that the stage
// speaks. It is for what a handler writes itself; messages are said in it wherever they stand. A
// Reply in it says so.
func (r *Request) Language() say.Language {
	return say.Preferred(r.Header("Accept-Language"), r.speaks)
}

// Head tells whether the request is a HEAD request. It is answered like a GET; a handler that
// would create something for a GET may skip that.
func (r *Request) Head() bool { return r.http.Method == http.MethodHead }

// Zone returns a function that gives the time zone of the request's company, in which its days
// begin. It is nil if there is no company, or if the group has no Zone.
func (r *Request) Zone() func() (*time.Location, error) {
	if r.Table == nil || r.zoneOf == nil {
		return nil
	}
	return func() (*time.Location, error) { return r.zoneOf(r.http.Context(), r.Table) }
}

// Header returns a header of the request as the client sent it.
func (r *Request) Header(name string) string { return r.http.Header.Get(name) }

// hostOf returns the gateway's own name. No header that a client sends can change it.
func hostOf(e *events.APIGatewayV2HTTPRequest) string { return e.RequestContext.DomainName }
