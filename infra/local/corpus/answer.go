package corpus

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/encode"
)

// Answer is an expected answer as a list tells it. Headers are those that are not the usual ones; one that is null is usual, and
// isn't there. Body is nil if the answer has no body.
type Answer struct {
	Status  json.Number
	Headers map[string]*string
	Body    any
}

// AnswerTo returns what a list tells of an answer to an event. The whole answer has status, headers and body.
func AnswerTo(event []byte, whole map[string]any) Answer {
	a := Answer{Headers: map[string]*string{}, Body: whole["body"]}
	a.Status, _ = whole["status"].(json.Number)
	headers, _ := whole["headers"].(map[string]any)
	usual := usualHeaders(event, a.Body)
	for name := range usual {
		if headers[name] == nil {
			a.Headers[name] = nil
		}
	}
	for name, value := range headers {
		if text := fmt.Sprint(value); usual[name] != text {
			a.Headers[name] = &text
		}
	}
	return a
}

// whole is the answer with all its headers.
func (a Answer) whole(event []byte) map[string]any {
	headers := map[string]any{}
	for name, value := range usualHeaders(event, a.Body) {
		headers[name] = value
	}
	for name, value := range a.Headers {
		delete(headers, name)
		if value != nil {
			headers[name] = *value
		}
	}
	whole := map[string]any{"status": a.Status, "headers": headers}
	if a.Body != nil {
		whole["body"] = a.Body
	}
	return whole
}

// usualHeaders returns the headers that nearly all answers have.
func usualHeaders(event []byte, body any) map[string]string {
	var of struct {
		RequestContext struct {
			RequestID string `json:"requestId"`
		} `json:"requestContext"`
	}
	_ = json.Unmarshal(event, &of) // what is not JSON has no id
	usual := map[string]string{"Vary": "Origin", "X-Request-Id": of.RequestContext.RequestID}
	if body != nil {
		usual["Content-Type"] = "application/json"
	}
	return usual
}

// width is where the lines of an answer end, if they can be broken.
const width = 140

// laidOut writes a value as JSON for people. What fits into the rest of the line stays in it, and else texts and numbers share lines.
// Fields are in the order of their names.
func laidOut(v any, indent, used int) string {
	text := inOneLine(v)
	if used+utf8.RuneCountInString(text) <= width {
		return text
	}
	l := rows{margin: strings.Repeat(" ", indent+2)}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			l.add(quoted(name)+": ", v[name])
		}
		return "{\n" + l.text() + "}"
	case []any:
		for _, item := range v {
			l.add("", item)
		}
		return "[\n" + l.text() + "]"
	default:
		return text
	}
}

// rows are the lines between two brackets.
type rows struct {
	margin string
	all    []string
	shared bool // the last one, by whatever fits beside what it has
}

func (l *rows) add(key string, v any) {
	last := len(l.all) - 1
	switch v.(type) {
	case map[string]any, []any:
		l.shared = false
	default:
		text := key + inOneLine(v)
		if l.shared && utf8.RuneCountInString(l.all[last]+", "+text+",") <= width {
			l.all[last] += ", " + text
			return
		}
		l.shared = true
	}
	l.all = append(l.all, l.margin+key+laidOut(v, len(l.margin), len(l.margin)+utf8.RuneCountInString(key)+1))
}

func (l *rows) text() string { return strings.Join(l.all, ",\n") + "\n" + l.margin[2:] }

func inOneLine(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, quoted(name)+": "+inOneLine(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, inOneLine(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return quoted(v)
	default:
		return fmt.Sprint(jsonOf(v))
	}
}

// quoted writes a text. Characters that can't be seen are escaped.
func quoted(text string) string {
	var b strings.Builder
	for _, r := range jsonOf(text) {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

func jsonOf(v any) string {
	text, err := encode.JSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
