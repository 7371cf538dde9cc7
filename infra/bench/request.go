package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/web"
)

// cost is what a request consumed of the table.
type cost struct {
	calls       int
	read, write float64
}

// answer is the result of an event.
type answer struct {
	cost
	status int
	body   []byte
	took   time.Duration
}

// event returns the gateway's event for a request that a company's owner sends. headers are pairs of a name and a
// value.
func event(company tenant.ID, method, target, body string, headers ...string) []byte {
	path, query, _ := strings.Cut(target, "?")
	who := principal.Principal{
		Verdict: principal.OK, User: user, Family: "11111111-1111-4111-8111-111111111111",
		Tenant: company, Role: tenant.Owner, Basis: principal.ByOnly,
	}
	var e events.APIGatewayV2HTTPRequest
	e.Version, e.RouteKey, e.RawPath, e.RawQueryString, e.Body = "2.0", "ANY "+path, path, query, body
	e.Headers = map[string]string{
		"accept": "application/json", "authorization": "Bearer " + strings.Repeat("x", 300), "host": "api." + domain,
		"user-agent": "bench/1.0", "content-type": "application/json", "content-length": strconv.Itoa(len(body)),
		"x-forwarded-for": "203.0.113.7", "x-forwarded-port": "443", "x-forwarded-proto": "https",
	}
	of := &e.RequestContext
	of.RequestID, of.DomainName, of.Stage = uuid.NewString(), "api."+domain, "$default"
	of.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: who.Context()}
	of.HTTP.Method, of.HTTP.Path, of.HTTP.Protocol, of.HTTP.SourceIP = method, path, "HTTP/1.1", "203.0.113.7"
	for i := 0; i < len(headers); i += 2 {
		e.Headers[headers[i]] = headers[i+1]
	}
	encoded, _ := json.Marshal(e) // can't fail: only texts and numbers
	return encoded
}

var timing = regexp.MustCompile(`\d+ calls [0-9.]+ rcu [0-9.]+ wcu`)

// ask sends an event to a function and reads from the answer what it consumed.
func ask(ctx context.Context, function lambda.Handler, payload []byte) (a answer, err error) {
	start := time.Now()
	raw, err := function.Invoke(ctx, payload)
	a.took = time.Since(start)
	if err != nil {
		return a, err
	}
	var answered events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(raw, &answered); err != nil {
		return a, err
	}
	a.status, a.body = answered.StatusCode, []byte(answered.Body)
	used := timing.FindString(answered.Headers["Server-Timing"])
	if _, err := fmt.Sscanf(used, "%d calls %g rcu %g wcu", &a.calls, &a.read, &a.write); err != nil {
		return a, fmt.Errorf("status %d, and no word of what it cost: %s", a.status, a.body)
	}
	return a, nil
}

// must sends an event to a function, and returns an error unless it is answered with success.
func must(ctx context.Context, function lambda.Handler, payload []byte) (answer, error) {
	a, err := ask(ctx, function, payload)
	if err == nil && a.status >= http.StatusBadRequest {
		err = fmt.Errorf("answered %d: %.300s", a.status, a.body)
	}
	return a, err
}

// list is the page in an answer.
type list struct {
	Count   int              `json:"count"`
	Results []map[string]any `json:"results"`
}

// client is one who asks a group's function about a company.
type client struct {
	company tenant.ID
	server  *web.Server
	used    *counts
}

// client returns one of a company, to which the function is a new instance.
func (b *bench) client(ctx context.Context, company, group string, changes ...func(*app.Env)) (c client, err error) {
	if c.company, err = b.company(ctx, company); err == nil {
		c.server, err = b.server(group, append(changes, func(env *app.Env) { c.used, _ = env.Log.(*counts) })...)
	}
	return c, err
}

// send sends a request, and returns an error unless it is answered with success.
func (c client) send(ctx context.Context, method, target, body string, headers ...string) (answer, error) {
	return must(ctx, c.server, event(c.company, method, target, body, headers...))
}

// page asks for a page of a list.
func (c client) page(ctx context.Context, target string) (l list, a answer, err error) {
	if a, err = c.send(ctx, http.MethodGet, target, ""); err == nil {
		err = json.Unmarshal(a.body, &l)
	}
	return l, a, err
}

// whole reads a whole list, the last record first.
func (c client) whole(ctx context.Context, path string) (rows []map[string]any, err error) {
	for n := 1; ; n++ {
		l, _, err := c.page(ctx, fmt.Sprintf("%s?page=%d&pageSize=1000", path, n))
		if rows = append(rows, l.Results...); err != nil || len(rows) >= l.Count {
			return rows, err
		}
	}
}

// sample collects many requests of a kind.
type sample struct {
	costs []cost
	times []time.Duration
	gets  int // requests to the bucket of the last one, by a new instance
}

func (s *sample) add(a answer) {
	s.costs = append(s.costs, a.cost)
	s.times = append(s.times, a.took)
}

// most is the highest value of each cost.
func (s *sample) most() (c cost) {
	for _, x := range s.costs {
		c = cost{calls: max(c.calls, x.calls), read: max(c.read, x.read), write: max(c.write, x.write)}
	}
	return c
}

func units(u float64) string { return strconv.FormatFloat(u, 'f', -1, 64) }
