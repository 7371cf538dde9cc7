package web

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

// call is the state of one request on its way through the middleware.
type call struct {
	event      *events.APIGatewayV2HTTPRequest
	body       []byte
	unreadable error // the body
	id         string
	turn       int64 // see domainCache
	meter      *meter.Meter
	op         *Operation
	principal  principal.Principal
	zone       func() (*time.Location, error) // reads the zone of the company; nil where the request has no company
	shows      bool                           // it is a Show's: the principal is known, and nobody's allowance is drawn on
	drawn      *allowance.Request             // nil if the operation doesn't draw
	unpaid     error                          // why the table doesn't know what was drawn
	status     int
	size       int
	err        error // what was answered as an error, for the log
}

type callKey struct{}

// callOf returns the call of a request, which invoke has put into its context.
func callOf(r *http.Request) *call {
	c, _ := r.Context().Value(callKey{}).(*call)
	return c
}

// Invoke turns the JSON of a gateway event into the JSON of its answer.
func (s *Server) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	e := new(events.APIGatewayV2HTTPRequest)
	if err := json.Unmarshal(payload, e); err != nil {
		return nil, fmt.Errorf("web: not a gateway event: %w", err)
	}
	c := &call{event: e, body: []byte(e.Body), id: e.RequestContext.RequestID}
	if c.id == "" {
		c.id = uuid.NewString()
	}
	if e.IsBase64Encoded {
		c.body, c.unreadable = base64.StdEncoding.DecodeString(e.Body)
	} else {
		c.body = unrepaired(c.body, e.Headers["content-length"])
	}
	answer, err := s.pass(ctx, c)
	if err != nil {
		return nil, err
	}
	return encode.JSON(answer)
}

// pass passes to the adapter only those parts of an event that it handles correctly. restore takes the rest from the event itself.
//
// The adapter parses path and query as one URL text and splits headers at
// commas; the gateway's rawPath is already decoded, so a "%" or "?" in it would
// break or move the parse. Therefore the adapter sees neither: restore sets
// path, query, headers and body from the event.
func (s *Server) pass(ctx context.Context, c *call) (events.APIGatewayV2HTTPResponse, error) {
	e := c.event
	bare := events.APIGatewayV2HTTPRequest{RawPath: "/", RequestContext: e.RequestContext}
	bare.RequestContext.DomainName = ""
	if !isToken(e.RequestContext.HTTP.Method) {
		bare.RequestContext.HTTP.Method = "INVALID"
	}
	return s.adapter.ProxyWithContext(context.WithValue(ctx, callKey{}, c), bare)
}

// unrepaired returns a body as the client sent it, as far as that can be told. A gateway
// replaces bytes that are not UTF-8 by U+FFFD, and the result would look like valid text. A
// client may also send that character itself. The Content-Length that the client sent tells
// the two cases apart. Where bytes were replaced, the result is invalid UTF-8 again, so that
// it is refused later.
func unrepaired(body []byte, announced string) []byte {
	const replacement = "\uFFFD"
	n, err := strconv.Atoi(announced)
	if err != nil || n == len(body) || !bytes.Contains(body, []byte(replacement)) {
		return body
	}
	return bytes.ReplaceAll(body, []byte(replacement), []byte{0xff})
}

func isToken(method string) bool {
	return method != "" && strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == ""
}

// restore puts the event's own path, query and headers into the request. It drops the headers
// in which older code of the adapter looks for the caller's identity: only the gateway's
// request context says who is calling.
func (s *Server) restore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := callOf(r).event
		path := e.RawPath
		if path == "" {
			path = e.RequestContext.HTTP.Path
		}
		r.URL = &url.URL{Path: path, RawQuery: e.RawQueryString}
		r.Host = hostOf(e)
		r.Header = make(http.Header, len(e.Headers))
		for name, value := range e.Headers {
			if !strings.HasPrefix(strings.ToLower(name), "x-golambdaproxy-") {
				r.Header.Set(name, value)
			}
		}
		next.ServeHTTP(w, r)
	})
}
