// Package gateway is an API Gateway HTTP API on one machine. It turns HTTP requests into payload 2.0 events, asks the
// authorizer, invokes the function with the longest matching route, and turns the answer into HTTP. Limits and the
// bodies of errors are AWS's.
//
// It does what the real gateway was seen to do, even where the documentation says otherwise, so that nothing behaves
// differently after a deployment. Nothing of the platform goes in here: no function, no tenant, no path.
package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
	"github.com/tenantry/tenantry/shared/encode"
)

const (
	// requestTime is how long the gateway waits for a function, and authorizerTime how long for an authorizer.
	requestTime    = 30 * time.Second
	authorizerTime = 10 * time.Second
	// headerLimit is the most bytes of the request line and all header values together.
	headerLimit = 10240
	// bodyLimit is the gateway's limit. eventLimit and answerLimit are Lambda's; they count the whole JSON.
	bodyLimit   = 10 << 20
	eventLimit  = 6 << 20
	answerLimit = 6<<20 + 100
)

// Function is a function that routes lead to.
type Function struct {
	// Name is written in each Invocation, so that functions can be told apart.
	Name    string
	Handler lambdaruntime.Handler
	// Timeout is the function's timeout; if it is zero, only the gateway's counts.
	Timeout time.Duration
}

// Route leads requests to a function.
type Route struct {
	// Method is a method, or ANY.
	Method string
	// Path is a whole path, a prefix that ends in /{proxy+}, or $default, which takes what no other route does. Segments in
	// braces are parameters.
	Path     string
	Function *Function
	// Authorizer is asked before the function; nil lets every request through.
	Authorizer *Function
}

// Invocation is one call of a function or of the authorizer.
type Invocation struct {
	Function      string
	Event, Answer []byte
	Err           error
	Took          time.Duration
}

// Config of a gateway.
type Config struct {
	Routes []Route
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// NewID makes request ids; nil means random ids in AWS's form.
	NewID func() string
	// Record is called after each invocation, concurrently for concurrent requests; nil drops invocations.
	Record func(Invocation)
	// Timeout is how long the gateway waits for a function; zero means AWS's 30 seconds.
	Timeout time.Duration
	// Weather is asked for each request what AWS's gateway does on some days only; nil means that all days are fine.
	Weather func() Weather
}

type gateway struct {
	Config

	weather *weather
}

// New returns the gateway. It has to be the server's handler itself: behind an http.ServeMux, paths would be
// redirected that a real gateway passes on as they are.
func New(c Config) http.Handler {
	g := &gateway{Config: c, weather: &weather{now: c.Weather}}
	if g.Now == nil {
		g.Now = time.Now
	}
	if g.NewID == nil {
		g.NewID = newID
	}
	if g.Record == nil {
		g.Record = func(Invocation) {}
	}
	if c.Weather == nil {
		g.weather.now = func() Weather { return Weather{} }
	}
	g.Timeout = cmp.Or(g.Timeout, requestTime)
	return g
}

// newID makes an id of the form ATfSmjLgPHcESJw=.
func newID() string {
	random := make([]byte, 11)
	// Read never returns an error: it ends the process instead.
	_, _ = rand.Read(random)
	return base64.URLEncoding.EncodeToString(random)
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := g.NewID()
	w.Header().Set("Apigw-Requestid", id)
	answer := g.answer(r, id)
	g.weather.rename(answer.headers)
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
	route, parameters, ok := match(g.Routes, r.Method, r.URL.Path)
	if !ok {
		return message(http.StatusNotFound, "Not Found")
	}
	if g.weather.throttles() {
		return message(http.StatusTooManyRequests, "Too Many Requests")
	}
	event := newEvent(r, len(body), route.key(), parameters, id, g.Now())
	// As on Lambda, the function runs to its end even if the client no longer waits.
	ctx := context.WithoutCancel(r.Context())
	if route.Authorizer != nil {
		if g.weather.starves() {
			return internal()
		}
		identity, refused := g.authorize(ctx, route.Authorizer, event)
		if refused != nil {
			return *refused
		}
		event.Context.Authorizer = &authorizer{Lambda: identity}
	}
	event.setBody(body, r.Header.Get("Content-Type"))
	payload, err := encode.JSON(event)
	if err != nil {
		return internal()
	}
	if len(payload) > eventLimit {
		return message(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	}
	result, err := g.invoke(ctx, route.Function, payload, g.Timeout)
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

// invoke runs a function and waits until it answers, or until its own timeout or the limit, whichever is shorter.
func (g *gateway) invoke(ctx context.Context, f *Function, payload []byte, limit time.Duration) ([]byte, error) {
	late, wait := errGatewayTime, limit
	if f.Timeout > 0 && f.Timeout <= limit {
		late, wait = errFunctionTime, f.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{
		AwsRequestID:       uuid.NewString(),
		InvokedFunctionArn: "arn:aws:lambda:" + region + ":" + account + ":function:" + f.Name,
	})
	started := time.Now()
	answer, err := lambdaruntime.Call(ctx, f.Handler, payload)
	if err != nil && ctx.Err() != nil {
		err = late
	}
	g.Record(Invocation{Function: f.Name, Event: payload, Answer: answer, Err: err, Took: time.Since(started)})
	return answer, err
}

// headerSize counts the bytes that AWS counts against headerLimit.
func headerSize(r *http.Request) int {
	size := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len("  ") + len(r.Host)
	for _, values := range r.Header {
		for _, v := range values {
			size += len(v)
		}
	}
	return size
}
