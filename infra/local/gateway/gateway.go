// Package gateway is an API Gateway HTTP API on one machine: it turns HTTP requests into payload 2.0 events, asks the
// authorizer, invokes the function of the longest route, and turns the answer into HTTP, with the limits and the bodies
// that AWS has.
//
// It copies what was seen of the real gateway, also where that differs from its documentation, so that nothing behaves
// otherwise after a deployment. It knows no function, no tenant and no path of the platform.
package gateway

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

const (
	// requestTime is how long the gateway waits for a function, authorizerTime for an authorizer.
	requestTime    = 30 * time.Second
	authorizerTime = 10 * time.Second
	// headerLimit holds for the request line and the header values together.
	headerLimit = 10240
	// bodyLimit is the gateway's own; eventLimit and answerLimit are Lambda's, for the whole JSON.
	bodyLimit   = 10 << 20
	eventLimit  = 6 << 20
	answerLimit = 6<<20 + 100
)

// Invoker runs a function: event in, answer out. A lambda.Handler is one. An error is a failed invocation.
type Invoker interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// Function is a function that routes lead to.
type Function struct {
	// Name tells the function's invocations apart in the record.
	Name    string
	Handler Invoker
	// Timeout is the function's own; zero leaves it the gateway's.
	Timeout time.Duration
}

// Route leads requests to a function.
type Route struct {
	// Method is a method, or ANY.
	Method string
	// Path is a whole path, a prefix that ends in /{proxy+}, or $default, which takes what no other route does.
	Path     string
	Function *Function
	// Authorizer is asked before the function; nil lets every request through.
	Authorizer *Function
}

// Invocation is one call of a function, the authorizer's too.
type Invocation struct {
	Function      string
	Event, Answer []byte
	Err           error
	Took          time.Duration
}

// Config of a gateway.
type Config struct {
	Routes []Route
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// NewID makes request ids; nil makes random ones of AWS's shape.
	NewID func() string
	// Record takes each invocation after it ended, from as many goroutines as there are requests; nil drops them.
	Record func(Invocation)
	// Timeout is how long the gateway waits for a function; zero is AWS's 30 seconds.
	Timeout time.Duration
}

type gateway struct {
	routes  []Route
	now     func() time.Time
	newID   func() string
	record  func(Invocation)
	timeout time.Duration
}

// New returns the gateway. It has to be the server's handler itself: http.ServeMux would redirect paths
// that a real gateway hands over as they are.
func New(c Config) http.Handler {
	g := &gateway{routes: c.Routes, now: c.Now, newID: c.NewID, record: c.Record, timeout: c.Timeout}
	if g.now == nil {
		g.now = time.Now
	}
	if g.newID == nil {
		g.newID = newID
	}
	if g.record == nil {
		g.record = func(Invocation) {}
	}
	if g.timeout == 0 {
		g.timeout = requestTime
	}
	return g
}

// newID makes an id such as ATfSmjLgPHcESJw=.
func newID() string {
	random := make([]byte, 11)
	// Read never fails: it ends the process instead.
	_, _ = rand.Read(random)
	return base64.URLEncoding.EncodeToString(random)
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := g.newID()
	w.Header().Set("Apigw-Requestid", id)
	answer := g.answer(r, id)
	answer.write(w, r.Method)
}

func (g *gateway) answer(r *http.Request, id string) answer {
	if headerSize(r) > headerLimit {
		return message(http.StatusRequestHeaderFieldsTooLarge, "Request Header Fields Too Large")
	}
	if !strings.HasPrefix(r.URL.Path, "/") {
		return message(http.StatusBadRequest, "Bad Request")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit+1))
	if err != nil {
		return message(http.StatusBadRequest, "Bad Request")
	}
	if len(body) > bodyLimit {
		return message(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	}
	route, parameters, ok := match(g.routes, r.Method, r.URL.Path)
	if !ok {
		return message(http.StatusNotFound, "Not Found")
	}
	event := newEvent(r, len(body), route.key(), parameters, id, g.now())
	// Lambda works on, whether or not the client still waits.
	ctx := context.WithoutCancel(r.Context())
	if route.Authorizer != nil {
		identity, refused := g.authorize(ctx, route.Authorizer, event)
		if refused != nil {
			return *refused
		}
		event.Context.Authorizer = &authorizer{Lambda: identity}
	}
	event.setBody(body, r.Header.Get("Content-Type"))
	payload, err := encode(event)
	if err != nil {
		return internal()
	}
	if len(payload) > eventLimit {
		return message(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	}
	result, err := g.invoke(ctx, route.Function, payload, g.timeout)
	switch {
	case errors.Is(err, errGatewayTime):
		return message(http.StatusServiceUnavailable, "Service Unavailable")
	case err != nil || len(result) > answerLimit:
		return internal()
	}
	return parseAnswer(result)
}

var (
	errGatewayTime  = errors.New("gateway: no answer in time")
	errFunctionTime = errors.New("gateway: the function ran into its timeout")
)

// invoke runs a function and waits for it until its own timeout or limit, whichever is first.
func (g *gateway) invoke(ctx context.Context, f *Function, payload []byte, limit time.Duration) ([]byte, error) {
	late, wait := errGatewayTime, limit
	if f.Timeout > 0 && f.Timeout <= limit {
		late, wait = errFunctionTime, f.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{
		AwsRequestID:       requestUUID(),
		InvokedFunctionArn: "arn:aws:lambda:" + region + ":" + account + ":function:" + f.Name,
	})
	type outcome struct {
		answer []byte
		err    error
	}
	done := make(chan outcome, 1)
	started := time.Now()
	go func() {
		defer func() {
			// A function's panic ends its process on AWS, not the gateway's.
			if cause := recover(); cause != nil {
				done <- outcome{err: fmt.Errorf("gateway: %s panicked: %v", f.Name, cause)}
			}
		}()
		answer, err := f.Handler.Invoke(ctx, payload)
		done <- outcome{answer, err}
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		o.err = late
	}
	g.record(Invocation{Function: f.Name, Event: payload, Answer: o.answer, Err: o.err, Took: time.Since(started)})
	return o.answer, o.err
}

// requestUUID makes Lambda's own id of an invocation.
func requestUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// headerSize counts what AWS counts against its limit.
func headerSize(r *http.Request) int {
	size := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len("  ") + len(r.Host)
	for _, values := range r.Header {
		for _, v := range values {
			size += len(v)
		}
	}
	return size
}
