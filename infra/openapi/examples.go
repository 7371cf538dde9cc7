package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"github.com/google/uuid"

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
	text := t == reflect.TypeFor[string]() || t == reflect.TypeFor[money.Amount]() || t == reflect.TypeFor[uuid.UUID]() ||
		t == reflect.TypeFor[decode.Date]() || t == reflect.TypeFor[decode.Time]() || t == reflect.TypeFor[decode.DateTime]() ||
		t == reflect.TypeFor[decode.Duration]()
	switch {
	case f.Example == "":
		return madeUp(t, f)
	case text:
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
	switch t {
	case reflect.TypeFor[string]():
		return word(f)
	case reflect.TypeFor[int64]():
		if f.Enum != nil {
			n, _ := strconv.ParseInt(f.Enum[0], 10, 64) // can't fail: bodies.integer has checked it
			return n
		}
		if f.Minimum != nil {
			return *f.Minimum
		}
		return int64(1)
	case reflect.TypeFor[bool]():
		return true
	case reflect.TypeFor[money.Amount]():
		if f.Minimum != nil {
			return money.Whole(*f.Minimum)
		}
		return "1.00"
	case reflect.TypeFor[decode.Date]():
		return "2024-02-29"
	case reflect.TypeFor[decode.Time]():
		return "10:20:30"
	case reflect.TypeFor[decode.DateTime]():
		return "2024-02-29T10:20:30Z"
	case reflect.TypeFor[decode.Duration]():
		return "1 00:00:00"
	case reflect.TypeFor[uuid.UUID]():
		return "9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11"
	case reflect.TypeFor[decode.JSON]():
		return map[string]any{}
	case reflect.TypeFor[decode.File]():
		return "https://files.example.com/x"
	}
	if t.Kind() == reflect.Slice {
		return []any{madeUp(t.Elem(), f)}
	}
	return Example(t)
}

// word makes up a text that is within the bounds of a field.
func word(f *decode.Field) string {
	switch {
	case f.Enum != nil:
		return f.Enum[0]
	case f.Format == "email":
		return "someone@example.com"
	case f.Format == "uri":
		return "https://example.com/x"
	case f.Format == "phone":
		return "+77011234567"
	case f.Format == "iin":
		return "850515300016"
	case f.Format == "bin":
		return "140340010302"
	case f.Format == "iban":
		return "KZ86125KZT5004100100"
	case f.Format == "bik":
		return "KCJBKZKX"
	}
	for _, s := range []string{"some text", "text", "123456", "+77011234567", "longer text 1"} {
		if (f.MaxLength == 0 || len(s) <= f.MaxLength) && (f.Pattern == "" || regexp.MustCompile(`^(?:`+f.Pattern+`)$`).MatchString(s)) {
			return s
		}
	}
	return "x"
}
