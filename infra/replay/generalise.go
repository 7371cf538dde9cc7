package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// kinds are the forms that generated texts have, the narrowest first.
var kinds = []struct {
	matcher string
	pattern *regexp.Regexp
}{
	{"<uuid>", regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)},
	{"<url>", regexp.MustCompile(`^https?://\S+$`)},
}

var (
	instant = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$`)
	sum     = regexp.MustCompile(`^"[0-9a-f]{32,}"$`)                         // an ETag that changes with the code
	ofPages = regexp.MustCompile(`^default-src .* https?://127\.0\.0\.1:\d+`) // a page's policy names the bucket of this run
	seconds = regexp.MustCompile(`^(.* available in )\d+( seconds\.)$`)
)

// generalise compares two answers to one event, and puts a matcher in the place of each value that was generated:
// values that differ, and times, which can be the same by chance.
func generalise(a, b any) any {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return "<any>"
		}
		out := map[string]any{}
		for name, value := range a {
			other, there := b[name]
			if !there {
				out[name] = value // if it differs, the next replay reports it
				continue
			}
			out[name] = generalise(value, other)
			if name == "Retry-After" {
				out[name] = "<string>" // the number of seconds depends on when it is asked
			}
		}
		return out
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return "<any>"
		}
		out := make([]any, len(a))
		for i := range a {
			out[i] = generalise(a[i], b[i])
		}
		return out
	case string:
		return generaliseText(a, b)
	case json.Number:
		if a == b {
			return a
		}
		return "<int>"
	}
	if a == b {
		return a
	}
	return "<any>"
}

func generaliseText(a string, b any) any {
	if instant.MatchString(a) {
		return "<datetime>"
	}
	if parts := seconds.FindStringSubmatch(a); parts != nil {
		return parts[1] + "<int>" + parts[2]
	}
	if at, err := time.Parse(time.DateOnly, a); err == nil && time.Since(at).Abs() < 2*24*time.Hour {
		return "<date>" // of today, wherever a company is
	}
	other, ok := b.(string)
	switch {
	case !ok:
		return "<any>"
	case sum.MatchString(a), ofPages.MatchString(a):
		return "<string>"
	case a == other && !strings.Contains(a, "X-Amz-Signature"):
		return a
	}
	for _, k := range kinds {
		if k.pattern.MatchString(a) && k.pattern.MatchString(other) {
			return k.matcher
		}
	}
	return "<string>"
}
