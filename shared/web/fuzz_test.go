package web_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Whatever a client sends, the answer is one of ours and never a 5xx.
func FuzzInvoke(f *testing.F) {
	env := webtest.New(f).Env
	group := things(env)
	var operations []web.Operation
	for _, op := range group.Operations {
		if !strings.HasPrefix(op.Path, "/v1/fail/") && !strings.HasPrefix(op.Path, "/v1/text/") { // they fail on purpose
			operations = append(operations, op)
		}
	}
	group.Operations = operations
	server := web.NewServer(group.Group, web.Config{Table: env.Table, Now: env.Now, PlatformDomain: "tenantry.test"})
	owner := webtest.Owner(1).Context()
	for _, s := range [][5]string{
		{"GET", "/v1/things/", "page=2&pageSize=x%", "application/json", ""},
		{"POST", "/v1/things/", "", "application/json", `{"name":"\ud83d\ude00"}`},
		{"PATCH", "/v1/things/7/", "", "application/json; charset=utf-8", `{"n":1e400}`},
		{"POST", "/v1/login/", "", "multipart/form-data; boundary=a", "--a\r\nContent-Disposition: form-data; name=token\r\n\r\nx\r\n--a--"},
		{"POST", "/v1/login", "", "application/x-www-form-urlencoded", "token=%"},
		{"GET", "/v1/files/11111111-1111-4111-8111-111111111111/", "", "", ""},
		{"OPTIONS", "//%2f?#", "&&=", "x", "x"},
	} {
		f.Add(s[0], s[1], s[2], s[3], s[4], "*/*", "https://a.tenantry.test", "", false)
	}
	f.Fuzz(func(t *testing.T, method, path, query, contentType, body, accept, origin, tenant string, encoded bool) {
		payload, err := json.Marshal(events.APIGatewayV2HTTPRequest{
			Version: "2.0", RawPath: path, RawQueryString: query, Body: body, IsBase64Encoded: encoded,
			Headers: map[string]string{
				"content-type": contentType, "accept": accept, "origin": origin, "x-tenant-id": tenant,
				"accept-encoding": accept, "x-golambdaproxy-apigw-context": body, contentType: origin,
			},
			RequestContext: events.APIGatewayV2HTTPRequestContext{
				DomainName: "api.tenantry.test", Authorizer: &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: owner},
				HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: method, Path: path},
			},
		})
		if err != nil {
			t.Skip("no event")
		}
		out, err := server.Invoke(t.Context(), payload)
		if err != nil {
			t.Fatal(err)
		}
		var answer events.APIGatewayV2HTTPResponse
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode < 200 || answer.StatusCode > 499 {
			t.Fatalf("status %d: %s", answer.StatusCode, answer.Body)
		}
		for name, value := range answer.Headers {
			if strings.ContainsAny(name+value, "\r\n") || !utf8.ValidString(value) {
				t.Fatalf("header %q: %q", name, value)
			}
		}
		if answer.StatusCode >= 400 && method != "HEAD" {
			var shape map[string]any
			if err := json.Unmarshal([]byte(answer.Body), &shape); err != nil && !answer.IsBase64Encoded ||
				answer.Headers["Content-Type"] != "application/json" {
				t.Fatalf("status %d: %v %q %s", answer.StatusCode, err, answer.Headers, answer.Body)
			}
		}
	})
}

func BenchmarkInvoke(b *testing.B) {
	api := webtest.New(b, things)
	server := api.Env.Server(things(api.Env))
	for name, e := range map[string]events.APIGatewayV2HTTPRequest{
		"get":  api.As(webtest.Owner(1)).Event("GET", "/v1/things/7/", nil),
		"list": api.As(webtest.Owner(1)).Event("GET", "/v1/things/?pageSize=20&page=1", nil),
		"post": api.As(webtest.Owner(1)).Event("POST", "/v1/things/", `{"name":"a"}`),
	} {
		payload, err := json.Marshal(e)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := server.Invoke(b.Context(), payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
