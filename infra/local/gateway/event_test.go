package gateway_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/infra/local/gateway"
)

// eventOf sends request bytes as they are and returns the event that the function got.
func eventOf(t *testing.T, path, request string) (events.APIGatewayV2HTTPRequest, map[string]json.RawMessage) {
	t.Helper()
	var seen recorder
	server := httptest.NewServer(gateway.New(gateway.Config{
		Routes: []gateway.Route{{Method: "ANY", Path: path, Function: function("f", "{}")}},
		Record: seen.add,
		Now:    func() time.Time { return time.Date(2026, 7, 10, 22, 19, 5, 766e6, time.FixedZone("", 3*3600)) },
		NewID:  func() string { return "id=" },
	}))
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, strings.ReplaceAll(request, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if len(seen.seen) != 1 {
		t.Fatalf("status %d, %d invocations", response.StatusCode, len(seen.seen))
	}
	var event events.APIGatewayV2HTTPRequest
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(seen.seen[0].Event, &event); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(seen.seen[0].Event, &raw); err != nil {
		t.Fatal(err)
	}
	return event, raw
}

func TestAnEventOfEverything(t *testing.T) {
	event, _ := eventOf(t, "/capture/{proxy+}", `POST /capture/space%20value/%D0%B0?repeat=one&repeat=two&redirect=https%3A%2F%2Fexample.com%2Fa&plus=a+b&encoded=a%2Bb&empty=&bare&bad=%zz HTTP/1.1
Host: api.example.com
User-Agent: test/1
X-Probe: first
x-probe: second
Cookie: session=abc123; theme=dark
Cookie: third=3
X-Forwarded-For: 203.0.113.9
X-Forwarded-Proto: gopher
X-Forwarded-Port: 1
Connection: keep-alive
Content-Type: application/json; charset=utf-8
Content-Length: 13

{"a":"<&>λ"}`)
	for _, c := range []struct{ what, got, want string }{
		{"version", event.Version, "2.0"},
		{"routeKey", event.RouteKey, "ANY /capture/{proxy+}"},
		{"context routeKey", event.RequestContext.RouteKey, "ANY /capture/{proxy+}"},
		{"rawPath", event.RawPath, "/capture/space value/а"},
		{"context path", event.RequestContext.HTTP.Path, "/capture/space value/а"},
		{"rawQueryString", event.RawQueryString, "repeat=one&repeat=two&redirect=https%3A%2F%2Fexample.com%2Fa&plus=a+b&encoded=a%2Bb&empty=&bare&bad=%zz"},
		{"proxy", event.PathParameters["proxy"], "space value/а"},
		{"body", event.Body, `{"a":"<&>λ"}`},
		{"method", event.RequestContext.HTTP.Method, "POST"},
		{"protocol", event.RequestContext.HTTP.Protocol, "HTTP/1.1"},
		{"sourceIp", event.RequestContext.HTTP.SourceIP, "127.0.0.1"},
		{"userAgent", event.RequestContext.HTTP.UserAgent, "test/1"},
		{"domainName", event.RequestContext.DomainName, "api.example.com"},
		{"domainPrefix", event.RequestContext.DomainPrefix, "api"},
		{"requestId", event.RequestContext.RequestID, "id="},
		{"stage", event.RequestContext.Stage, "$default"},
		{"time", event.RequestContext.Time, "10/Jul/2026:19:19:05 +0000"},
		{"joined header", event.Headers["x-probe"], "first,second"},
		{"host", event.Headers["host"], "api.example.com"},
		{"forwarded for", event.Headers["x-forwarded-for"], "203.0.113.9, 127.0.0.1"},
		{"forwarded proto", event.Headers["x-forwarded-proto"], "http"},
		{"forwarded port", event.Headers["x-forwarded-port"], "80"},
		{"content length", event.Headers["content-length"], "13"},
	} {
		if c.got != c.want {
			t.Errorf("%s %q, want %q", c.what, c.got, c.want)
		}
	}
	if event.RequestContext.TimeEpoch != 1783711145766 {
		t.Errorf("timeEpoch %d", event.RequestContext.TimeEpoch)
	}
	if !slices.Equal(event.Cookies, []string{"session=abc123", "theme=dark", "third=3"}) {
		t.Errorf("cookies %q", event.Cookies)
	}
	query := map[string]string{
		"repeat": "one,two", "redirect": "https://example.com/a", "plus": "a b", "encoded": "a+b", "empty": "", "bare": "", "bad": "%zz",
	}
	if !maps.Equal(event.QueryStringParameters, query) {
		t.Errorf("query %v", event.QueryStringParameters)
	}
	for _, name := range []string{"cookie", "connection", "Host", "X-Probe"} {
		if v, ok := event.Headers[name]; ok {
			t.Errorf("header %s: %q", name, v)
		}
	}
	if !strings.HasPrefix(event.Headers["x-amzn-trace-id"], "Root=1-6a5145a9-") ||
		len(event.Headers["x-amzn-trace-id"]) != len("Root=1-6a5145a9-1bae89e2512ec92d5d9438a0") {
		t.Errorf("trace id %q", event.Headers["x-amzn-trace-id"])
	}
	if event.IsBase64Encoded || event.RequestContext.Authorizer != nil {
		t.Errorf("base64 %v, authorizer %v", event.IsBase64Encoded, event.RequestContext.Authorizer)
	}
}

func TestAnEventOfNothing(t *testing.T) {
	event, raw := eventOf(t, "$default", "GET / HTTP/1.1\nHost: 127.0.0.1:8000\n\n")
	if got := slices.Sorted(maps.Keys(raw)); !slices.Equal(
		got, []string{"headers", "isBase64Encoded", "rawPath", "rawQueryString", "requestContext", "routeKey", "version"},
	) {
		t.Errorf("fields %v", got)
	}
	if event.RouteKey != "$default" || event.RawPath != "/" || event.RawQueryString != "" {
		t.Errorf("route %q path %q query %q", event.RouteKey, event.RawPath, event.RawQueryString)
	}
	// A port in the host stays: without it no absolute URL of a local platform would work.
	if event.RequestContext.DomainName != "127.0.0.1:8000" || event.Headers["x-forwarded-port"] != "8000" {
		t.Errorf("domain %q, port %q", event.RequestContext.DomainName, event.Headers["x-forwarded-port"])
	}
	if event.Headers["content-length"] != "0" {
		t.Errorf("content length %q", event.Headers["content-length"])
	}
}

func TestPathsAreHandedOverDecodedAndUncleaned(t *testing.T) {
	for sent, want := range map[string]string{
		"/a%2Fb":     "/a/b",
		"/a%25":      "/a%",
		"/a%3Fb%23c": "/a?b#c",
		"//a//b/":    "//a//b/",
		"/a/../b/./": "/a/../b/./",
	} {
		event, _ := eventOf(t, "$default", "GET "+sent+" HTTP/1.1\nHost: x\n\n")
		if event.RawPath != want {
			t.Errorf("%s arrived as %q, want %q", sent, event.RawPath, want)
		}
	}
}

func TestAChunkedBodyHasALength(t *testing.T) {
	event, _ := eventOf(t, "$default", "POST / HTTP/1.1\nHost: x\nContent-Type: text/plain\nTransfer-Encoding: chunked\n\n3\nabc\n2\nde\n0\n\n")
	if _, ok := event.Headers["transfer-encoding"]; ok || event.Body != "abcde" || event.Headers["content-length"] != "5" {
		t.Errorf("body %q, headers %v", event.Body, event.Headers)
	}
}

func TestOnlyAFewTypesArriveAsText(t *testing.T) {
	for contentType, text := range map[string]bool{
		"application/json":                  true,
		"Application/JSON ; charset=utf-8":  true,
		"application/xml":                   true,
		"application/javascript":            true,
		"text/plain":                        true,
		"text/csv;header=present":           true,
		"":                                  false,
		"application/x-www-form-urlencoded": false,
		"multipart/form-data; boundary=b":   false,
		"application/octet-stream":          false,
		"application/pdf":                   false,
		"image/svg+xml":                     false,
		"application/problem+json":          false,
		"application/jsonp":                 false,
	} {
		header := ""
		if contentType != "" {
			header = "Content-Type: " + contentType + "\n"
		}
		event, _ := eventOf(t, "$default", "POST / HTTP/1.1\nHost: x\n"+header+"Content-Length: 3\n\na=1")
		want := "a=1"
		if !text {
			want = base64.StdEncoding.EncodeToString([]byte("a=1"))
		}
		if event.IsBase64Encoded == text || event.Body != want {
			t.Errorf("%q: body %q, base64 %v", contentType, event.Body, event.IsBase64Encoded)
		}
	}
}
