package conformance_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What can't be a value of a query parameter is refused, all parameters at once, as a
// body's fields are; nothing is read for it.
func TestQueryParameters(t *testing.T) {
	typed := func(op operation) bool { return op.Method == "GET" && slices.ContainsFunc(op.Query, isTyped) }
	together(t, typed, func(t *testing.T, api *webtest.API, op operation) {
		query, want := url.Values{}, map[string]any{}
		for _, p := range op.Query {
			if p.Required && !isTyped(p) {
				query.Set(p.Name, p.Enum[0])
			}
			if isTyped(p) {
				query.Set(p.Name, "~")
				want[p.Name] = []string{wrongQuery(p)}
				if p.Type == web.TextList || p.Type == web.IntegerList { // all that are sent count
					query.Add(p.Name, "2026-03-10")
				}
			}
		}
		encoded, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		api.As(op.caller()).Get(op.path()+"?"+query.Encode()).Status(400).JSON(string(encoded)).Units(0, 0)
		for name := range query {
			if !strings.HasPrefix(query.Get(name), "~") {
				continue
			}
			query.Set(name, " ") // which is nothing
		}
		for _, p := range op.Query {
			if p.Required && isTyped(p) {
				query.Set(p.Name, sent(p))
			}
		}
		if path := op.path() + "?" + query.Encode(); api.As(op.caller()).Head(path).Code() == 400 {
			if a := api.As(op.caller()).Get(path); !ofSent(a, op) {
				t.Errorf("empty parameters are 400: %s", a.Body())
			}
		}
	})
}

// ofSent tells whether an answer is about nothing but required parameters, which may name records that are not there.
func ofSent(a *webtest.Answer, op operation) bool {
	var wrong map[string]any
	return json.Unmarshal(a.Body(), &wrong) == nil && len(wrong) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(wrong)), func(name string) bool {
		return !slices.ContainsFunc(op.Query, func(p web.Param) bool { return p.Name == name && p.Required })
	})
}

// Under Prefer: handling=strict an operation takes every query parameter that it declares, and refuses any other with the name
// that is nearest, before anything is read. Without it the same request is answered as if the other were not there.
func TestUnknownQueryParameters(t *testing.T) {
	each(t, every, func(t *testing.T, api *webtest.API, op operation) {
		known := op.parameters()
		if isPaged(op.Output) && (!slices.Contains(known, "page") || !slices.Contains(known, "pageSize")) {
			t.Errorf("it answers in pages, and declares only %v: a handler gets no other parameters", known)
		}
		send := func(query url.Values, prefer string) *webtest.Answer {
			c := api.As(op.caller())
			if prefer != "" {
				c = c.With("Prefer", prefer)
			}
			return c.Do(op.Method, op.path()+"?"+query.Encode(), op.sent())
		}
		query, want := url.Values{"~": {"1"}}, map[string]any{"~": []string{"Unknown parameter."}}
		for _, name := range known {
			query.Set(name+"~", "1")
			want[name+"~"] = []string{`Unknown parameter. Did you mean "` + name + `"?`}
			want["~"] = []string{`Unknown parameter. Did you mean "` + slices.MinFunc(known, byLength) + `"?`}
		}
		encoded, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		send(query, "handling=strict").Status(400).JSON(string(encoded)).Units(0, 0).Writes(0).
			Header("Preference-Applied", "handling=strict")
		all := url.Values{}
		for _, name := range known {
			all.Set(name, "")
		}
		if a := send(all, "handling=strict"); a.Code() == 400 && bytes.Contains(a.Body(), []byte("Unknown parameter")) {
			t.Errorf("of %v: %s", known, a.Body())
		}
		if a := send(query, ""); a.Code() == 400 && bytes.Contains(a.Body(), []byte("Unknown parameter")) {
			t.Errorf("without the preference: %d %s", a.Code(), a.Body())
		}
	})
}

// isPaged tells whether a type is the envelope of pages.
func isPaged(of reflect.Type) bool {
	if of == nil || of.Kind() != reflect.Struct {
		return false
	}
	_, ok := of.FieldByName("Previous")
	return ok
}

// parameters are the names of all query parameters that the operation declares and the description shows.
func (op operation) parameters() (names []string) {
	for i := range op.Input.NumField() {
		if name := op.Input.Field(i).Tag.Get("query"); name != "" {
			names = append(names, name)
		}
	}
	for _, p := range op.Query {
		if p.Names == nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// byLength orders names, the shortest first, and those of one length by the alphabet.
func byLength(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// sent is a value of a parameter that is required: a period ends after its beginning.
func sent(p web.Param) string {
	if p.Name == "end_at" {
		return "2026-03-12T00:00:00Z"
	}
	return "2026-03-10T00:00:00Z"
}

// asked is the query that the operation requires, with its question mark.
func (op operation) asked() string {
	query := url.Values{}
	for _, p := range op.Query {
		if p.Required && isTyped(p) {
			query.Set(p.Name, sent(p))
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

func isTyped(p web.Param) bool {
	return p.Type != web.Text && p.Type != web.TextList || p.Format != ""
}

func wrongQuery(p web.Param) string {
	switch {
	case p.Format == "date":
		return say.InvalidDate.Error()
	case p.Format == "date-time":
		return say.InvalidDatetime.Error()
	case p.Type == web.Boolean:
		return say.InvalidBoolean.Error()
	case len(p.Enum) > 0:
		return say.InvalidChoice("~").Error()
	case p.Type == web.Number:
		return say.InvalidNumber.Error()
	}
	return say.InvalidInteger.Error()
}
