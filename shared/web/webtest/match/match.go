// Package match compares JSON documents with expected ones. In an expected document,
// placeholders stand for generated values: <uuid> matches any uuid. The expectations of tests
// and the recorded answers of events are read the same way.
//
// Where the documents come from never goes in here.
package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// patterns are the placeholders. As a whole value, <any> matches everything and <int> a
// number; inside a text they match a part of it.
var patterns = map[string]string{
	"<any>":      `.*`,
	"<string>":   `.+`,
	"<int>":      `-?\d+`,
	"<uuid>":     `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
	"<date>":     `\d{4}-\d\d-\d\d`,
	"<datetime>": `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z`,
	"<url>":      `[a-z][a-z0-9+.-]*://[^/\s]+\S*`,
}

var matcher = regexp.MustCompile(`<[a-z]+>`)

// Parse reads one JSON document; its numbers stay as they are written.
func Parse(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one document")
	}
	return v, nil
}

// Compare lists where got differs from want. Each difference begins with its path, which
// begins with path.
func Compare(path string, want, got any) []string {
	at := strings.TrimPrefix(path, ".")
	if at == "" {
		at = "body"
	}
	switch want := want.(type) {
	case string:
		if !fits(want, got) {
			return []string{fmt.Sprintf("%s: %s, want %s", at, show(got), show(want))}
		}
		return nil
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: %s, want an object", at, show(got))}
		}
		return compareObjects(path, at, want, object)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return []string{fmt.Sprintf("%s: %s, want a list of %d", at, show(got), len(want))}
		}
		var diffs []string
		for i := range want {
			diffs = append(diffs, Compare(path+"."+strconv.Itoa(i), want[i], list[i])...)
		}
		return diffs
	}
	if want != got {
		return []string{fmt.Sprintf("%s: %s, want %s", at, show(got), show(want))}
	}
	return nil
}

func compareObjects(path, at string, want, got map[string]any) (diffs []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if v, ok := got[name]; ok {
			diffs = append(diffs, Compare(path+"."+name, want[name], v)...)
		} else {
			diffs = append(diffs, fmt.Sprintf("%s: %s is missing", at, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			diffs = append(diffs, fmt.Sprintf("%s: %s is not wanted (%s)", at, name, show(got[name])))
		}
	}
	return diffs
}

// fits tells whether a value matches a text that may have placeholders.
func fits(want string, got any) bool {
	switch want {
	case "<any>":
		return true
	case "<int>":
		n, _ := got.(json.Number)
		_, err := n.Int64()
		return err == nil
	}
	s, ok := got.(string)
	if !ok {
		return false
	}
	if s == want {
		return true
	}
	var pattern strings.Builder
	known, rest := false, want
	for {
		at := matcher.FindStringIndex(rest)
		if at == nil {
			break
		}
		pattern.WriteString(regexp.QuoteMeta(rest[:at[0]]))
		if p, ok := patterns[rest[at[0]:at[1]]]; ok {
			known = true
			pattern.WriteString("(?:" + p + ")")
		} else {
			pattern.WriteString(regexp.QuoteMeta(rest[at[0]:at[1]]))
		}
		rest = rest[at[1]:]
	}
	if !known {
		return false
	}
	pattern.WriteString(regexp.QuoteMeta(rest))
	return regexp.MustCompile("(?s)^" + pattern.String() + "$").MatchString(s)
}

func show(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
