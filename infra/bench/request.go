package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
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
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY /v2/documents/{proxy+}", RawPath: path, RawQueryString: query, Body: body,
		Headers: map[string]string{
			"accept": "application/json", "authorization": "Bearer " + strings.Repeat("x", 300), "host": "api." + domain,
			"user-agent": "bench/1.0", "content-type": "application/json", "content-length": strconv.Itoa(len(body)),
			"x-forwarded-for": "203.0.113.7", "x-forwarded-port": "443", "x-forwarded-proto": "https",
		},
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey:     "ANY /v2/documents/{proxy+}",
			AccountID:    "000000000000",
			APIID:        "bench",
			Stage:        "$default",
			RequestID:    uuid.NewString(),
			DomainName:   "api." + domain,
			DomainPrefix: "api",
			Authorizer:   &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: who.Context()},
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: method, Path: path, Protocol: "HTTP/1.1", SourceIP: "203.0.113.7", UserAgent: "bench/1.0",
			},
		},
	}
	for i := 0; i < len(headers); i += 2 {
		e.Headers[headers[i]] = headers[i+1]
	}
	encoded, _ := json.Marshal(e) // can't fail: only texts and numbers
	return encoded
}

var timing = regexp.MustCompile(`(\d+) calls ([0-9.]+) rcu ([0-9.]+) wcu`)

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
	found := timing.FindStringSubmatch(answered.Headers["Server-Timing"])
	if found == nil {
		return a, fmt.Errorf("status %d, and no word of what it cost: %s", a.status, a.body)
	}
	if a.calls, err = strconv.Atoi(found[1]); err != nil {
		return a, err
	}
	if a.read, err = strconv.ParseFloat(found[2], 64); err != nil {
		return a, err
	}
	a.write, err = strconv.ParseFloat(found[3], 64)
	return a, err
}

// must sends an event to a function, and returns an error unless the answer has the given status.
func must(ctx context.Context, function lambda.Handler, payload []byte, status int) (answer, error) {
	a, err := ask(ctx, function, payload)
	if err == nil && a.status != status {
		err = fmt.Errorf("answered %d: %.300s", a.status, a.body)
	}
	return a, err
}

// list is the page in an answer.
type list struct {
	Count   int `json:"count"`
	Results []struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	} `json:"results"`
}

func listOf(a answer) (l list, err error) {
	err = json.Unmarshal(a.body, &l)
	return l, err
}

// sample collects many requests of a kind.
type sample struct {
	costs []cost
	times []time.Duration
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

func (s *sample) average() (read, write float64) {
	for _, x := range s.costs {
		read, write = read+x.read, write+x.write
	}
	n := float64(max(len(s.costs), 1))
	return read / n, write / n
}

func units(u float64) string { return strconv.FormatFloat(u, 'f', -1, 64) }
