package conformance_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What can't be a value of a query parameter is refused, all parameters at once, as a
// body's fields are; nothing is read for it.
func TestQueryParameters(t *testing.T) {
	typed := func(op operation) bool { return op.Method == "GET" && slices.ContainsFunc(op.Query, isTyped) }
	each(t, typed, func(t *testing.T, api *webtest.API, op operation) {
		query, want := url.Values{}, map[string]any{}
		for _, p := range op.Query {
			if p.Required && !isTyped(p) {
				query.Set(p.Name, p.Enum[0])
			}
			if isTyped(p) {
				query.Set(p.Name, "~")
				want[p.Name] = []string{wrongQuery(p)}
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
		if a := api.As(op.caller()).Head(op.path() + "?" + query.Encode()); a.Code() == 400 {
			t.Errorf("empty parameters are 400: %s", a.Body())
		}
	})
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
		return fault.BadDate
	case p.Format == "date-time":
		return fault.BadDatetime
	case p.Type == web.Boolean:
		return fault.BadBoolean
	case len(p.Enum) > 0:
		return fault.BadChoice("~")
	case p.Type == web.Number:
		return fault.BadNumber
	}
	return fault.BadInteger
}
