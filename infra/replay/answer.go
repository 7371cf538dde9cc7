package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

// reply is what a function answered, in a form that people can read. For a group's function it has status, headers and the
// decoded body; for any other function it has the whole answer.
type reply map[string]any

// ignored headers are about the transport and not about the answer, or are the same on every answer.
var ignored = []string{"Content-Length", "Server-Timing", "Strict-Transport-Security", "X-Content-Type-Options"}

// ofStaff is the Cache-Control of every answer to the staff of a company, which infra/conformance proves. Others are recorded.
const ofStaff = "private, no-store"

func read(raw []byte) (reply, error) {
	tree, err := match.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("the function answered %s: %w", raw, err)
	}
	object, _ := tree.(map[string]any)
	status, isHTTP := object["statusCode"]
	if !isHTTP {
		return reply{"answer": tree}, nil
	}
	var a events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("the function answered %s: %w", raw, err)
	}
	headers, kept := http.Header{}, map[string]any{}
	for name, value := range a.Headers {
		headers.Set(name, value)
	}
	for name := range headers {
		if !slices.Contains(ignored, name) && !(name == "Cache-Control" && headers.Get(name) == ofStaff) {
			kept[name] = headers.Get(name)
		}
	}
	r := reply{"status": status, "headers": kept}
	body, err := body(a, headers)
	if body != nil {
		r["body"] = body
	}
	return r, err
}

// body returns the body of an answer: decoded if it is JSON, or else as a text. It returns nil for an empty body.
func body(a events.APIGatewayV2HTTPResponse, headers http.Header) (_ any, err error) {
	content := []byte(a.Body)
	if a.IsBase64Encoded {
		if content, err = base64.StdEncoding.DecodeString(a.Body); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
	}
	if headers.Get("Content-Encoding") == "gzip" && len(content) > 0 {
		zipped, err := gzip.NewReader(bytes.NewReader(content))
		if err == nil {
			content, err = io.ReadAll(zipped)
		}
		if err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
	}
	switch {
	case len(content) == 0:
		return nil, nil
	case !utf8.Valid(content): // a file of which nobody reads the bytes
		return fmt.Sprintf("%d bytes with the SHA-256 %x", len(content), sha256.Sum256(content)), nil
	case headers.Get("Content-Type") == "application/json":
		return match.Parse(content)
	}
	return string(content), nil
}

// differences returns where the reply differs from a recorded answer.
func (r reply) differences(want any) []string { return match.Compare("", want, map[string]any(r)) }

func (r reply) print(out io.Writer) {
	if whole, ok := r["answer"]; ok {
		fmt.Fprintf(out, "%s\n", pretty(whole))
		return
	}
	fmt.Fprintf(out, "%v\n", r["status"])
	headers, _ := r["headers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		fmt.Fprintf(out, "%s: %v\n", name, headers[name])
	}
	switch body := r["body"].(type) {
	case nil:
	case string:
		fmt.Fprintf(out, "\n%s\n", body)
	default:
		fmt.Fprintf(out, "\n%s\n", pretty(body))
	}
}

// pretty returns JSON for people: indented, and without HTML escapes.
func pretty(v any) string {
	text, err := encode.JSON(v)
	if err == nil {
		text, err = corpus.Indented(text)
	}
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(string(text), "\n")
}
