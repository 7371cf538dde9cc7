package gateway_test

import (
	"net/http"
	"slices"
	"testing"
)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, method, answer string
		status               int
		contentType, body    string
	}{
		{"proxy answer", "GET", `{"statusCode":201,"headers":{"content-type":"application/json"},"body":"{}"}`, 201, "application/json", "{}"},
		{"no type", "GET", `{"statusCode":200,"body":"hi"}`, 200, "text/plain; charset=utf-8", "hi"},
		{"no body", "GET", `{"statusCode":301,"headers":{"Location":"/x/"}}`, 301, "text/plain; charset=utf-8", ""},
		{"nulls", "GET", `{"statusCode":200,"headers":null,"cookies":null,"body":null,"isBase64Encoded":null}`, 200, "text/plain; charset=utf-8", ""},
		{"no content", "DELETE", `{"statusCode":204,"headers":{"Content-Length":"5"},"body":"hello"}`, 204, "text/plain; charset=utf-8", ""},
		{"base64", "GET", `{"statusCode":200,"headers":{"Content-Type":"image/png"},"body":"AAECAw==","isBase64Encoded":true}`, 200, "image/png", "\x00\x01\x02\x03"},
		{"bad base64", "GET", `{"statusCode":200,"body":"%%%","isBase64Encoded":true}`, 500, "application/json", `{"message":"Internal Server Error"}`},
		{"own length is wrong", "GET", `{"statusCode":200,"headers":{"Content-Length":"99","Transfer-Encoding":"chunked","Connection":"close"},"body":"hi"}`, 200, "text/plain; charset=utf-8", "hi"},
		{"multi-value headers are of 1.0", "GET", `{"statusCode":200,"multiValueHeaders":{"Content-Type":["a/b"]},"body":"hi"}`, 200, "text/plain; charset=utf-8", "hi"},
		{"object without status", "GET", `{"a": 1}`, 200, "application/json", `{"a": 1}`},
		{"string without status", "GET", `"a\"b"`, 200, "application/json", `a"b`},
		{"number without status", "GET", `5`, 200, "application/json", `5`},
		{"no JSON at all", "GET", `{"a":`, 200, "application/json", `{"a":`},
		{"status as a text", "GET", `{"statusCode":"200"}`, 500, "application/json", `{"message":"Internal Server Error"}`},
		{"status as a fraction", "GET", `{"statusCode":200.5}`, 500, "application/json", `{"message":"Internal Server Error"}`},
		{"status zero", "GET", `{"statusCode":0}`, 500, "application/json", `{"message":"Internal Server Error"}`},
		{"status of no answer", "GET", `{"statusCode":100}`, 500, "application/json", `{"message":"Internal Server Error"}`},
		{"status too high", "GET", `{"statusCode":600}`, 500, "application/json", `{"message":"Internal Server Error"}`},
		{"body as an object", "GET", `{"statusCode":200,"body":{"a":1}}`, 500, "application/json", `{"message":"Internal Server Error"}`},
		{"header as a list", "GET", `{"statusCode":200,"headers":{"A":["b"]}}`, 500, "application/json", `{"message":"Internal Server Error"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			response, body := do(t, c.method, single(t, function("f", c.answer), nil).URL, "", nil)
			if response.StatusCode != c.status || body != c.body || response.Header.Get("Content-Type") != c.contentType {
				t.Fatalf(
					"%d %q %q, want %d %q %q", response.StatusCode, response.Header.Get("Content-Type"), body, c.status, c.contentType,
					c.body,
				)
			}
			if response.Header.Get("Apigw-Requestid") == "" {
				t.Fatal("no request id")
			}
		})
	}
}

func TestHeadHasNoBodyButItsLength(t *testing.T) {
	server := single(t, function("f", `{"statusCode":200,"headers":{"X-A":"b"},"body":"hello"}`), nil)
	response, body := do(t, http.MethodHead, server.URL, "", nil)
	if body != "" || response.ContentLength != 5 || response.Header.Get("X-A") != "b" {
		t.Fatalf("body %q, length %d, headers %v", body, response.ContentLength, response.Header)
	}
}

// A function that leaves the body out says how long it would be.
func TestHeadKeepsTheFunctionsLength(t *testing.T) {
	server := single(t, function("f", `{"statusCode":200,"headers":{"Content-Length":"5"}}`), nil)
	if response, body := do(t, http.MethodHead, server.URL, "", nil); body != "" || response.ContentLength != 5 {
		t.Fatalf("body %q, length %d", body, response.ContentLength)
	}
}

func TestHeadersAndCookies(t *testing.T) {
	server := single(t, function("f", `{"statusCode":200,"headers":{"x-count":5,"x-on":true,"x-none":null,"vary":"Origin, Accept"},"cookies":["a=1; Path=/","b=2"]}`), nil)
	response, _ := do(t, http.MethodGet, server.URL, "", nil)
	if got := response.Header.Values("Set-Cookie"); !slices.Equal(got, []string{"a=1; Path=/", "b=2"}) {
		t.Errorf("cookies %q", got)
	}
	for name, want := range map[string]string{"X-Count": "5", "X-On": "true", "X-None": "", "Vary": "Origin, Accept"} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s %q, want %q", name, got, want)
		}
	}
}
