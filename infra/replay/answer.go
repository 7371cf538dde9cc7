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
	object, ok := tree.(map[string]any)
	if status, isHTTP := object["statusCode"]; ok && isHTTP {
		headers := http.Header{}
		named, _ := object["headers"].(map[string]any)
		for name, value := range named {
			headers.Set(name, fmt.Sprint(value))
		}
		r := reply{"status": status}
		if body, err := body(object, headers); err != nil || body != nil {
			if err != nil {
				return nil, err
			}
			r["body"] = body
		}
		kept := map[string]any{}
		for name := range headers {
			if !slices.Contains(ignored, name) && !(name == "Cache-Control" && headers.Get(name) == ofStaff) {
				kept[name] = headers.Get(name)
			}
		}
		r["headers"] = kept
		return r, nil
	}
	return reply{"answer": tree}, nil
}

// body returns the body of an answer: decoded if it is JSON, or else as a text. It returns nil for an empty body.
func body(object map[string]any, headers http.Header) (any, error) {
	text, _ := object["body"].(string)
	content := []byte(text)
	if packed, _ := object["isBase64Encoded"].(bool); packed {
		var err error
		if content, err = base64.StdEncoding.DecodeString(text); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
	}
	if headers.Get("Content-Encoding") == "gzip" && len(content) > 0 {
		zipped, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
		if content, err = io.ReadAll(zipped); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
	}
	if len(content) == 0 {
		return nil, nil
	}
	if !utf8.Valid(content) { // a file of which nobody reads the bytes
		return fmt.Sprintf("%d bytes with the SHA-256 %x", len(content), sha256.Sum256(content)), nil
	}
	if headers.Get("Content-Type") == "application/json" {
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
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
