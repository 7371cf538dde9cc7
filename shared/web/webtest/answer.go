package webtest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

// Answer is the answer to a request. A check that fails reports it and goes on, except Status
// and the checks that need a body, which end the test.
type Answer struct {
	t      testing.TB
	name   string
	code   int
	header http.Header
	body   []byte
	sent   int // bytes of the body on the wire
	writes *writes
	cost   Cost

	writesChecked bool
}

// Cost is what a request has consumed, according to the server's log.
type Cost struct {
	ID    string  `json:"request_id"`
	Calls int     `json:"Calls"`
	Read  float64 `json:"ReadUnits"`
	Write float64 `json:"WriteUnits"`
	Error string  `json:"error"` // the internal error, which the caller does not see
}

// largest is the largest answer that Lambda accepts from a function.
const largest = 6 << 20

func (c *Client) answer(name string, raw []byte, lines [][]byte, writes *writes) *Answer {
	c.t.Helper()
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(raw, &answer); err != nil {
		c.t.Fatalf("%s: answer %s: %v", name, raw, err)
	}
	if len(raw) > largest {
		c.t.Errorf("%s: the answer has %d bytes, more than a Lambda may give", name, len(raw))
	}
	a := &Answer{t: c.t, name: name, code: answer.StatusCode, header: http.Header{}, body: []byte(answer.Body), writes: writes}
	for k, v := range answer.Headers {
		a.header.Set(k, v)
	}
	var err error
	if answer.IsBase64Encoded {
		if a.body, err = base64.StdEncoding.DecodeString(answer.Body); err != nil {
			c.t.Fatalf("%s: %v", name, err)
		}
	}
	a.sent = len(a.body)
	if a.header.Get("Content-Encoding") == "gzip" && len(a.body) > 0 {
		z, err := gzip.NewReader(bytes.NewReader(a.body))
		if err == nil {
			a.body, err = io.ReadAll(z)
		}
		if err != nil {
			c.t.Fatalf("%s: gzip: %v", name, err)
		}
	}
	for _, line := range lines {
		_ = json.Unmarshal(line, &a.cost) // a line of another form is not the request's
	}
	if got := a.header.Get("X-Request-Id"); got == "" {
		a.t.Errorf("%s: no X-Request-Id", name)
	}
	return a
}

// Code returns the status.
func (a *Answer) Code() int { return a.code }

// Body returns the body, decompressed.
func (a *Answer) Body() []byte { return a.body }

// Sent returns the number of bytes of the body as it was sent.
func (a *Answer) Sent() int { return a.sent }

// Cost returns what the request has consumed.
func (a *Answer) Cost() Cost { return a.cost }

// Get returns the value of a header.
func (a *Answer) Get(header string) string { return a.header.Get(header) }

// Status checks the status. A request that failed must not have written anything; call Writes
// first if it may.
func (a *Answer) Status(want int) *Answer {
	a.t.Helper()
	if a.code != want {
		a.t.Fatalf("%s: status %d, want %d\n%s\n%s", a.name, a.code, want, a.body, a.cost.Error)
	}
	if a.code >= 400 && !a.writesChecked {
		a.Writes(0)
	}
	return a
}

// Writes checks the exact number of items that the request has written. The item with its events is not counted; see Happened.
func (a *Answer) Writes(want int) *Answer {
	a.t.Helper()
	a.writesChecked = true
	if got := a.writes.items.Load(); got != int64(want) {
		a.t.Errorf("%s: %d items written, want %d (status %d)", a.name, got, want, a.code)
	}
	if events := a.writes.events; want == 0 && len(events) > 0 {
		a.t.Errorf("%s: %v happened, and nothing was written (status %d)", a.name, events, a.code)
	}
	return a
}

// Happened checks the names of the events that the request has left, in their order.
func (a *Answer) Happened(want ...string) *Answer {
	a.t.Helper()
	if got := slices.Concat(a.writes.events...); !slices.Equal(got, want) {
		a.t.Errorf("%s: %q happened, want %q", a.name, got, want)
	}
	return a
}

// Calls checks that at most so many calls to the table were made.
func (a *Answer) Calls(atMost int) *Answer {
	a.t.Helper()
	if a.cost.Calls > atMost {
		a.t.Errorf("%s: %d calls, want at most %d", a.name, a.cost.Calls, atMost)
	}
	return a
}

// unitsOfEvents are the write units of the events of one change: an item of a transaction, and its place in an index.
const unitsOfEvents = 3

// Units checks that at most so many read and write units were consumed, and as many more as events may cost.
func (a *Answer) Units(readAtMost, writeAtMost float64) *Answer {
	a.t.Helper()
	writeAtMost += float64(unitsOfEvents * len(a.writes.events))
	if a.cost.Read > readAtMost || a.cost.Write > writeAtMost {
		a.t.Errorf("%s: %v read and %v write units, want at most %v and %v", a.name, a.cost.Read, a.cost.Write, readAtMost, writeAtMost)
	}
	return a
}

// Header checks a header's exact value.
func (a *Answer) Header(name, want string) *Answer {
	a.t.Helper()
	if got := a.header.Get(name); got != want {
		a.t.Errorf("%s: %s is %q, want %q", a.name, name, got, want)
	}
	return a
}

// NoHeader checks that headers are absent.
func (a *Answer) NoHeader(names ...string) *Answer {
	a.t.Helper()
	for _, name := range names {
		if got, ok := a.header[http.CanonicalHeaderKey(name)]; ok {
			a.t.Errorf("%s: %s is %q, want none", a.name, name, got)
		}
	}
	return a
}

// NotContain checks that neither body nor headers contain a text.
func (a *Answer) NotContain(texts ...string) *Answer {
	a.t.Helper()
	for _, text := range texts {
		if bytes.Contains(a.body, []byte(text)) {
			a.t.Errorf("%s: the body contains %q:\n%s", a.name, text, a.body)
		}
		for name, values := range a.header {
			if strings.Contains(strings.Join(values, ","), text) {
				a.t.Errorf("%s: header %s contains %q", a.name, name, text)
			}
		}
	}
	return a
}

// Empty checks that there is no body.
func (a *Answer) Empty() *Answer {
	a.t.Helper()
	if len(a.body) > 0 {
		a.t.Errorf("%s: body %s, want none", a.name, a.body)
	}
	return a
}

// JSON checks the whole body: every key and value, in any order of keys. The
// matchers of package match (<uuid>, <datetime>, <int>, <any> …) stand for
// generated values.
func (a *Answer) JSON(want string) *Answer {
	a.t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/json" && got != web.TypeProblem {
		a.t.Errorf("%s: Content-Type %q, want application/json, or %s", a.name, got, web.TypeProblem)
	}
	expected, err := match.Parse([]byte(want))
	if err != nil {
		a.t.Fatalf("%s: the expected JSON: %v\n%s", a.name, err, want)
	}
	if diffs := match.Compare("", expected, a.tree()); len(diffs) > 0 {
		a.t.Errorf("%s: body differs:\n  %s\ngot %s", a.name, strings.Join(diffs, "\n  "), a.body)
	}
	return a
}

// Field checks one value of the body, by a path such as results.0.id; want is
// JSON with JSON's matchers.
func (a *Answer) Field(path, want string) *Answer {
	a.t.Helper()
	expected, err := match.Parse([]byte(want))
	if err != nil {
		a.t.Fatalf("%s: the expected JSON: %v\n%s", a.name, err, want)
	}
	if diffs := match.Compare(path, expected, a.Value(path)); len(diffs) > 0 {
		a.t.Errorf("%s: body differs:\n  %s\ngot %s", a.name, strings.Join(diffs, "\n  "), a.body)
	}
	return a
}

// Value returns one value of the body, by a path such as results.0.id. Numbers are json.Number.
func (a *Answer) Value(path string) any {
	a.t.Helper()
	v := a.tree()
	for _, step := range strings.Split(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			next, ok := node[step]
			if !ok {
				a.t.Fatalf("%s: no %s in %s", a.name, path, a.body)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(node) {
				a.t.Fatalf("%s: no %s in %s", a.name, path, a.body)
			}
			v = node[i]
		default:
			a.t.Fatalf("%s: no %s in %s", a.name, path, a.body)
		}
	}
	return v
}

// Text returns one text of the body.
func (a *Answer) Text(path string) string {
	a.t.Helper()
	s, ok := a.Value(path).(string)
	if !ok {
		a.t.Fatalf("%s: %s is no text in %s", a.name, path, a.body)
	}
	return s
}

// Int returns one integer of the body.
func (a *Answer) Int(path string) int64 {
	a.t.Helper()
	number, _ := a.Value(path).(json.Number)
	n, err := number.Int64()
	if err != nil {
		a.t.Fatalf("%s: %s is no integer in %s", a.name, path, a.body)
	}
	return n
}

// IDs returns the ids of the records on a page of a list.
func (a *Answer) IDs() (ids []int64) {
	a.t.Helper()
	page, ok := a.Value("results").([]any)
	if !ok {
		a.t.Fatalf("%s: this is no page: %s", a.name, a.body)
	}
	for _, of := range page {
		record, _ := of.(map[string]any)
		number, _ := record["id"].(json.Number)
		id, err := number.Int64()
		if err != nil {
			a.t.Fatalf("%s: a record has no id in %s", a.name, a.body)
		}
		ids = append(ids, id)
	}
	return ids
}

func (a *Answer) tree() any {
	a.t.Helper()
	v, err := match.Parse(a.body)
	if err != nil {
		a.t.Fatalf("%s: the body is no JSON: %v\n%s", a.name, err, a.body)
	}
	return v
}
