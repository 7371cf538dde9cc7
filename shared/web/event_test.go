package web_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// The traps of the adapter between events and net/http, each closed.

func TestHeadersArriveAsTheyWereSent(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Nobody())
	const agent, accept = "Mozilla/5.0 (X11, Linux, like Gecko)", "text/html, application/json;q=0.5 ,*/*"
	c.With("User-Agent", agent).With("Accept", accept).Get("/v1/public/").Status(200).
		Field("agent", `"`+agent+`"`).Field("accept", `"`+accept+`"`)
}

// The gateway hands on a decoded path.
func TestDecodedPaths(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Owner(1))
	for _, path := range []string{
		"/v1/things/%/", "/v1/things/%zz/", "/v1/things/7?/", "/v1/things/#7/", "/v1/things/7#/", "/v1/things/a b/",
		"/v1/things/é/", "/v1/things/\x00/", "/v1/things/7\n/", "/v1/things/../../etc/passwd/", "v1/things/", "?", "%", "*", "\\",
	} {
		e := c.Event("GET", "/v1/things/7/", nil)
		e.RawPath, e.RequestContext.HTTP.Path = path, path
		c.Send(e).Status(404).JSON(notFound)
	}
	e := c.Event("GET", "/v1/things/7/?page=1", nil)
	e.RawPath = ""
	c.Send(e).Status(200).JSON(`{"id":7,"name":"t"}`)
	e = c.Event("GET", "/v1/things/%/x", nil)
	e.RawPath = "/v1/things/a%20b"
	c.Send(e).Status(301).Header("Location", "/v1/things/a%2520b/")
}

// What a gateway replaced in a body, because it could not read it, is refused; the
// same character of a client is a character.
func TestReplacedText(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Owner(1))
	const body = "{\"name\":\"a\uFFFD\"}"
	for _, e := range []struct {
		name, length string
		status       int
		want         string
	}{
		{"as the client sent it", fmt.Sprint(len(body)), 201, "{\"id\":1,\"name\":\"a\uFFFD\"}"},
		{"replaced by the gateway", fmt.Sprint(len(body) - 2), 400, `{"detail":"JSON parse error - the body is not valid UTF-8"}`},
		{"of no announced length", "", 201, "{\"id\":1,\"name\":\"a\uFFFD\"}"},
	} {
		t.Run(e.name, func(t *testing.T) {
			event := c.Event("POST", "/v1/things/", body)
			event.Headers["content-length"] = e.length
			c.In(t).Send(event).Status(e.status).JSON(e.want)
		})
	}
	plain := c.Event("POST", "/v1/things/", `{"name":"a"}`)
	plain.Headers["content-length"] = "3" // it says nothing of a text without the character
	c.Send(plain).Status(201)
}

func TestQueries(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Nobody())
	for raw, want := range map[string]string{
		"":                `{}`,
		"a=1&a=2,3&b":     `{"a":["1","2,3"],"b":[""]}`,
		"a=%D0%B0+%2B&&":  `{"a":["а +"]}`,
		"a=%zz&%=1":       `{"a":["%zz"],"%":["1"]}`,
		"a=b;c=d":         `{"a":["b;c=d"]}`,
		"a=\xff%ff":       `{"a":["��"]}`,
		"?a=/?#":          `{"?a":["/?#"]}`,
		"a[]=1&a%5B%5D=2": `{"a[]":["1","2"]}`,
	} {
		e := c.Event("GET", "/v1/public/", nil)
		e.RawQueryString, e.QueryStringParameters = raw, map[string]string{"ignored": "x"}
		c.Send(e).Status(200).Field("query", want)
	}
}

func TestOddEvents(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Owner(1))
	for name, o := range map[string]struct {
		change func(*events.APIGatewayV2HTTPRequest)
		status int
	}{
		"method with a space": {func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.HTTP.Method = "GET /x" }, 405},
		"no method":           {func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.HTTP.Method = "" }, 405},
		"small letters":       {func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.HTTP.Method = "get" }, 405},
		"odd domain name":     {func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.DomainName = "a b/?#%" }, 200},
		"no headers":          {func(e *events.APIGatewayV2HTTPRequest) { e.Headers = nil }, 200},
		"body that is no base64": {func(e *events.APIGatewayV2HTTPRequest) {
			e.RequestContext.HTTP.Method, e.Body, e.IsBase64Encoded = "PUT", "%%%", true
		}, 400},
		"JSON in base64": {func(e *events.APIGatewayV2HTTPRequest) {
			e.RequestContext.HTTP.Method, e.IsBase64Encoded = "PUT", true
			e.Body, e.Headers["content-type"] = base64.StdEncoding.EncodeToString([]byte(`{"name":"a"}`)), "application/json"
		}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			e := c.Event("GET", "/v1/things/7/", nil)
			o.change(&e)
			c.In(t).Send(e).Status(o.status)
		})
	}
	e := c.Event("GET", "/v1/who/", nil)
	id := e.RequestContext.RequestID
	c.Send(e).Status(200).Header("X-Request-Id", id).Field("id", `"`+id+`"`)
	e.RequestContext.RequestID = ""
	if a := c.Send(e).Status(200); len(a.Get("X-Request-Id")) != 36 {
		t.Errorf("request id %q", a.Get("X-Request-Id"))
	}
	if out, err := api.Env.Server(things(api.Env)).Invoke(t.Context(), []byte(`[`)); err == nil {
		t.Errorf("what is no event was answered: %s", out)
	}
}

// Each request is one line of JSON, and a metric.
func TestLog(t *testing.T) {
	api := webtest.New(t, things)
	api.As(webtest.Owner(3)).With("Authorization", "Bearer s3cret").Get("/v1/things/7/?token=s3cret").Status(200).
		Header("Server-Timing", `table;desc="0 calls 0 rcu 0 wcu";dur=0.0`)
	api.As(webtest.Nobody()).Post("/v1/login/", `{"token":"s3cret"}`).Status(200)
	api.As(webtest.Nobody()).Get("/made/up/by/the/caller/").Status(404)
	api.As(webtest.Owner(3)).Get("/v1/things/99/").Status(404)
	log := api.Log()
	if strings.Contains(log, "s3cret") {
		t.Errorf("the log has a secret: %s", log)
	}
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines: %s", len(lines), log)
	}
	var first, third map[string]any
	for i, into := range map[int]*map[string]any{0: &first, 2: &third} {
		if err := json.Unmarshal([]byte(lines[i]), into); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]any{
		"level": "info", "function": "things", "Stage": "test", "Route": "GET/v1/things/{id}/", "method": "GET", "status": 200.0,
		"tenant": 3.0, "user": 34.0, "Calls": 0.0, "Bytes": 19.0,
	} {
		if first[name] != want {
			t.Errorf("%s is %v, want %v", name, first[name], want)
		}
	}
	metrics := first["_aws"].(map[string]any)["CloudWatchMetrics"].([]any)[0].(map[string]any)
	if d := metrics["Dimensions"].([]any); len(d) != 1 || len(d[0].([]any)) != 2 || d[0].([]any)[0] != "Stage" ||
		d[0].([]any)[1] != "function" {
		t.Errorf("dimensions %v: each value is billed", d)
	}
	if n := len(metrics["Metrics"].([]any)); n != 2 {
		t.Errorf("%d metrics: each is billed for each function", n)
	}
	for _, m := range metrics["Metrics"].([]any) {
		if _, ok := first[m.(map[string]any)["Name"].(string)].(float64); !ok {
			t.Errorf("metric %v has no value in the line", m)
		}
	}
	if third["Route"] != "unmatched" || third["path"] != "/made/up/by/the/caller/" {
		t.Errorf("a path that a caller made up became a route: %s", lines[2])
	}
}
