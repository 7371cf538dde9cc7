package gateway

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// These values identify the API on AWS. On one machine they have no meaning.
const (
	region  = "us-east-1"
	account = "000000000000"
	api     = "local"
	stage   = "$default"
)

// event is a request in payload format 2.0. As on AWS, fields that a request doesn't have are left out.
type event struct {
	Version         string            `json:"version"`
	RouteKey        string            `json:"routeKey"`
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Cookies         []string          `json:"cookies,omitempty"`
	Headers         map[string]string `json:"headers"`
	QueryParameters map[string]string `json:"queryStringParameters,omitempty"`
	Context         requestContext    `json:"requestContext"`
	PathParameters  map[string]string `json:"pathParameters,omitempty"`
	Body            string            `json:"body,omitempty"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

type requestContext struct {
	AccountID    string      `json:"accountId"`
	APIID        string      `json:"apiId"`
	Authorizer   *authorizer `json:"authorizer,omitempty"`
	DomainName   string      `json:"domainName"`
	DomainPrefix string      `json:"domainPrefix"`
	HTTP         description `json:"http"`
	RequestID    string      `json:"requestId"`
	RouteKey     string      `json:"routeKey"`
	Stage        string      `json:"stage"`
	Time         string      `json:"time"`
	TimeEpoch    int64       `json:"timeEpoch"`
}

// authorizer holds the values that a Lambda authorizer returned, unchanged.
type authorizer struct {
	Lambda json.RawMessage `json:"lambda"`
}

type description struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

// hopByHop are the headers that the gateway doesn't pass on.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func newEvent(r *http.Request, bodySize int, routeKey string, parameters map[string]string, id string, now time.Time) *event {
	source := r.RemoteAddr
	if host, _, err := net.SplitHostPort(source); err == nil {
		source = host
	}
	now = now.UTC()
	domainPrefix, _, _ := strings.Cut(r.Host, ".")
	e := &event{
		Version:         "2.0",
		RouteKey:        routeKey,
		RawPath:         r.URL.Path,
		RawQueryString:  r.URL.RawQuery,
		Headers:         headers(r, bodySize, source, now),
		QueryParameters: queryParameters(r.URL.RawQuery),
		PathParameters:  parameters,
		Context: requestContext{
			AccountID:    account,
			APIID:        api,
			DomainName:   r.Host,
			DomainPrefix: domainPrefix,
			HTTP: description{
				Method:    r.Method,
				Path:      r.URL.Path,
				Protocol:  r.Proto,
				SourceIP:  source,
				UserAgent: r.UserAgent(),
			},
			RequestID: id,
			RouteKey:  routeKey,
			Stage:     stage,
			Time:      now.Format("02/Jan/2006:15:04:05 -0700"),
			TimeEpoch: now.UnixMilli(),
		},
	}
	for _, line := range r.Header["Cookie"] {
		for cookie := range strings.SplitSeq(line, ";") {
			if cookie = strings.TrimSpace(cookie); cookie != "" {
				e.Cookies = append(e.Cookies, cookie)
			}
		}
	}
	return e
}

// headers returns the request's headers as an event has them: names are in lower case, several values of one name are
// joined by commas, and cookies are left out because the event has a field for them. The headers that describe the
// connection are set by the gateway and not by the client; only of x-forwarded-for the client's value is kept, before
// the source.
func headers(r *http.Request, bodySize int, source string, now time.Time) map[string]string {
	out := make(map[string]string, len(r.Header)+5)
	for name, values := range r.Header {
		out[strings.ToLower(name)] = strings.Join(values, ",")
	}
	for _, name := range hopByHop {
		delete(out, strings.ToLower(name))
	}
	delete(out, "cookie")
	out["host"] = r.Host
	out["content-length"] = strconv.Itoa(bodySize)
	if before := out["x-forwarded-for"]; before != "" {
		out["x-forwarded-for"] = before + ", " + source
	} else {
		out["x-forwarded-for"] = source
	}
	out["x-forwarded-proto"], out["x-forwarded-port"] = "http", "80"
	if r.TLS != nil {
		out["x-forwarded-proto"], out["x-forwarded-port"] = "https", "443"
	}
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		out["x-forwarded-port"] = port
	}
	if out["x-amzn-trace-id"] == "" {
		id := strings.ReplaceAll(uuid.NewString(), "-", "")
		out["x-amzn-trace-id"] = fmt.Sprintf("Root=1-%08x-%s", now.Unix(), id[:24])
	}
	return out
}

// queryParameters decodes a query and joins several values of one name by commas. A part that can't be decoded stays
// as it is.
func queryParameters(raw string) map[string]string {
	if raw == "" {
		return nil
	}
	out := map[string]string{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, value = decoded(name), decoded(value)
		if before, ok := out[name]; ok {
			value = before + "," + value
		}
		out[name] = value
	}
	return out
}

func decoded(s string) string {
	if d, err := url.QueryUnescape(s); err == nil {
		return d
	}
	return s
}

// setBody puts the body into the event. The few types that AWS passes as text are text; all others are base64, among
// them forms and bodies without a type.
func (e *event) setBody(body []byte, contentType string) {
	switch {
	case len(body) == 0:
	case isText(contentType):
		e.Body = string(body)
	default:
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
}

func isText(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	switch media {
	case "application/json", "application/xml", "application/javascript":
		return true
	}
	return strings.HasPrefix(media, "text/")
}
