package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
)

// Example returns a body that works as it stands: it has the required fields, lists of objects, and every field with
// an example. The description shows this body, and the conformance tests send it.
func Example(t reflect.Type) map[string]any {
	body := map[string]any{}
	for _, f := range decode.Describe(t) {
		if f.Required || f.NotEmpty || f.Example != "" || isRows(f.Type) {
			body[f.Name] = exampleOf(f.Type, &f)
		}
	}
	return body
}

// isRows tells whether a field is a list of objects. Such a list is the main content of its body.
func isRows(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

func exampleOf(t reflect.Type, f *decode.Field) any {
	switch {
	case f.Example == "":
		return madeUp(t, f)
	case scalars[t].schema.Type == huma.TypeString:
		return f.Example
	}
	var v any
	if err := json.Unmarshal([]byte(f.Example), &v); err != nil {
		panic(fmt.Sprintf("openapi: the example of %s is no JSON: %v", f.Name, err))
	}
	return v
}

// madeUp makes up a value that is within the bounds of a field without an example.
func madeUp(t reflect.Type, f *decode.Field) any {
	known, ok := scalars[t]
	switch {
	case t.Kind() == reflect.Slice && !ok:
		return []any{madeUp(t.Elem(), f)}
	case !ok:
		return Example(t)
	case f.Enum != nil:
		return enumValue(f.Enum[0], known.schema.Type)
	case t == reflect.TypeFor[string]():
		return word(f)
	case t == reflect.TypeFor[int64]() && f.Minimum != nil:
		return *f.Minimum
	case t == reflect.TypeFor[money.Amount]() && f.Minimum != nil:
		return money.Whole(*f.Minimum)
	}
	return known.example
}

// word makes up a text that is within the bounds of a field.
func word(f *decode.Field) string {
	if known := formats[f.Format].example; known != "" {
		return known
	}
	for _, s := range []string{"some text", "text", "123456", "+77011234567", "longer text 1"} {
		if (f.MaxLength == 0 || len(s) <= f.MaxLength) && (f.Pattern == "" || regexp.MustCompile(`^(?:`+f.Pattern+`)$`).MatchString(s)) {
			return s
		}
	}
	return "x"
}
