package webtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"
)

// Client sends requests as one caller.
type Client struct {
	api    *API
	t      testing.TB
	caller Caller
	header map[string]string
	ip     string
}

// As returns a client for a caller.
func (a *API) As(c Caller) *Client {
	return &Client{api: a, t: a.t, caller: c, ip: "203.0.113.7"}
}

// In returns the same client for a subtest, which then gets the failures.
func (c *Client) In(t testing.TB) *Client {
	d := *c
	d.t = t
	return &d
}

// With returns the same client with one more header; an empty value removes the header.
func (c *Client) With(name, value string) *Client {
	d := *c
	d.header = maps.Clone(c.header)
	if d.header == nil {
		d.header = map[string]string{}
	}
	if name = strings.ToLower(name); value == "" {
		delete(d.header, name)
	} else {
		d.header[name] = value
	}
	return &d
}

// From returns the same client with another IP address.
func (c *Client) From(ip string) *Client {
	d := *c
	d.ip = ip
	return &d
}

// Payload is a body that is not JSON.
type Payload struct {
	Type string
	Data []byte
}

// Form makes a body of application/x-www-form-urlencoded, from names and values.
func Form(pairs ...string) Payload {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return Payload{Type: "application/x-www-form-urlencoded", Data: []byte(values.Encode())}
}

// File is a part of a multipart body that carries a file.
type File struct{ Name, ContentType, Data string }

// Multipart makes a body of multipart/form-data: texts and Files by field.
func Multipart(fields map[string]any) Payload {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if f, ok := value.(File); ok {
			part, _ := w.CreatePart(map[string][]string{ // into memory: it can't fail
				"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": name, "filename": f.Name})},
				"Content-Type":        {f.ContentType},
			})
			_, _ = part.Write([]byte(f.Data))
			continue
		}
		_ = w.WriteField(name, fmt.Sprint(value))
	}
	_ = w.Close()
	return Payload{Type: w.FormDataContentType(), Data: b.Bytes()}
}

// Get sends a GET; the path may carry a query.
func (c *Client) Get(path string) *Answer { c.t.Helper(); return c.Do(http.MethodGet, path, nil) }

// Head sends a HEAD.
func (c *Client) Head(path string) *Answer { c.t.Helper(); return c.Do(http.MethodHead, path, nil) }

// Options sends an OPTIONS.
func (c *Client) Options(path string) *Answer {
	c.t.Helper()
	return c.Do(http.MethodOptions, path, nil)
}

// Delete sends a DELETE.
func (c *Client) Delete(path string) *Answer {
	c.t.Helper()
	return c.Do(http.MethodDelete, path, nil)
}

// Post sends a POST with a body; see Do.
func (c *Client) Post(path string, body any) *Answer {
	c.t.Helper()
	return c.Do(http.MethodPost, path, body)
}

// Put sends a PUT with a body; see Do.
func (c *Client) Put(path string, body any) *Answer {
	c.t.Helper()
	return c.Do(http.MethodPut, path, body)
}

// Patch sends a PATCH with a body; see Do.
func (c *Client) Patch(path string, body any) *Answer {
	c.t.Helper()
	return c.Do(http.MethodPatch, path, body)
}

// Do sends a request. body is nil, the text of a JSON document, a Payload, or a value to be
// encoded as JSON.
func (c *Client) Do(method, path string, body any) *Answer {
	c.t.Helper()
	return c.Send(c.Event(method, path, body))
}

// Send sends an event unchanged.
func (c *Client) Send(e events.APIGatewayV2HTTPRequest) *Answer {
	c.t.Helper()
	name := e.RequestContext.HTTP.Method + " " + e.RawPath
	if e.RawQueryString != "" {
		name += "?" + e.RawQueryString
	}
	payload, err := json.Marshal(e)
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	ctx, written := countWrites(c.api.context())
	logged := c.api.log.size()
	raw, err := c.api.route(e.RawPath).Invoke(ctx, payload)
	if err != nil {
		c.t.Fatalf("%s: the function failed: %v", name, err)
	}
	c.api.written.Add(written.items.Load())
	return c.answer(name, raw, c.api.log.of(e.RequestContext.RequestID, logged), written)
}

// Event returns the event that the gateway would make of a request.
func (c *Client) Event(method, path string, body any) events.APIGatewayV2HTTPRequest {
	c.t.Helper()
	contentType, data := c.encode(body)
	rawPath, query, _ := strings.Cut(path, "?")
	if decoded, err := url.PathUnescape(rawPath); err == nil {
		rawPath = decoded // the gateway passes on a decoded path
	}
	now := c.api.Clock.Now()
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "$default", RawPath: rawPath, RawQueryString: query,
		Headers: map[string]string{
			"accept": "*/*", "host": Host, "user-agent": "webtest/1.0", "x-forwarded-for": c.ip,
			"x-forwarded-port": "443", "x-forwarded-proto": "https", "content-length": fmt.Sprint(len(data)),
		},
		QueryStringParameters: parameters(query),
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: "$default", AccountID: "123456789012", Stage: "$default", RequestID: uuid.NewString(), APIID: "abcdef1234",
			DomainName: Host, DomainPrefix: "api",
			Time: now.Format("02/Jan/2006:15:04:05 -0700"), TimeEpoch: now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: method, Path: rawPath, Protocol: "HTTP/1.1", SourceIP: c.ip, UserAgent: "webtest/1.0",
			},
		},
	}
	if contentType != "" {
		e.Headers["content-type"] = contentType
	}
	if c.caller.token != "" {
		e.Headers["authorization"] = "Bearer " + c.caller.token
	}
	maps.Copy(e.Headers, c.header)
	if host := c.header["host"]; host != "" {
		e.RequestContext.DomainName = host
	}
	if e.IsBase64Encoded = binary(e.Headers["content-type"], data); e.IsBase64Encoded {
		e.Body = base64.StdEncoding.EncodeToString(data)
	} else {
		e.Body = string(data)
	}
	e.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: c.identify(e)}
	return e
}

func (c *Client) encode(body any) (contentType string, data []byte) {
	c.t.Helper()
	switch body := body.(type) {
	case nil:
		return "", nil
	case Payload:
		return body.Type, body.Data
	case string:
		return "application/json", []byte(body)
	default:
		encoded, err := json.Marshal(body)
		if err != nil {
			c.t.Fatalf("body: %v", err)
		}
		return "application/json", encoded
	}
}

// binary tells whether the gateway passes a body on as base64.
func binary(contentType string, data []byte) bool {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	text := media == "" || strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml")
	return len(data) > 0 && (!text || !utf8.Valid(data))
}

// parameters returns the query as the gateway passes it on: several values of one name are joined.
func parameters(query string) map[string]string {
	values, _ := url.ParseQuery(query)
	if len(values) == 0 {
		return nil
	}
	m := make(map[string]string, len(values))
	for name, list := range values {
		m[name] = strings.Join(list, ",")
	}
	return m
}

// identify returns the authorizer's context for a request.
func (c *Client) identify(e events.APIGatewayV2HTTPRequest) map[string]any {
	c.t.Helper()
	if c.api.authorizer == nil {
		return c.caller.chosen(strings.TrimSpace(e.Headers["x-tenant-id"])).Context()
	}
	asked, err := json.Marshal(events.APIGatewayV2CustomAuthorizerV2Request{
		Version: "2.0", Type: "REQUEST", RouteArn: "arn:aws:execute-api:eu-central-1:123456789012:abcdef1234/$default/$default",
		RouteKey: e.RouteKey, RawPath: e.RawPath, RawQueryString: e.RawQueryString, Headers: e.Headers,
		QueryStringParameters: e.QueryStringParameters, RequestContext: e.RequestContext,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(c.api.context(), 30*time.Second)
	defer cancel()
	raw, err := c.api.authorizer.Invoke(ctx, asked)
	if err != nil {
		c.t.Fatalf("the authorizer failed: %v", err)
	}
	var answer events.APIGatewayV2CustomAuthorizerSimpleResponse
	if err := json.Unmarshal(raw, &answer); err != nil || !answer.IsAuthorized {
		c.t.Fatalf("the authorizer answered %s (%v); it has to let every request through", raw, err)
	}
	return answer.Context
}
