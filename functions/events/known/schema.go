package known

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/money"
)

// schemaOf is the JSON Schema of the values of a type. The types of the data of events are few and small; infra/openapi, which describes
// everything else, is linked into no function.
func schemaOf(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[money.Amount]():
		return map[string]any{"type": "string", "format": "decimal"}
	case reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := schemaOf(t.Elem())
		if of, ok := s["type"].(string); ok {
			s["type"] = []string{of, "null"}
		}
		if values, ok := s["enum"].([]any); ok {
			s["enum"] = append(values, nil)
		}
		return s
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Struct:
		return objectOf(t)
	case reflect.String:
		return withValues(t, map[string]any{"type": "string"})
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return withValues(t, map[string]any{"type": "integer"})
	}
	panic("known: no schema of " + t.String())
}

func objectOf(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" || name == "" {
			continue
		}
		s := schemaOf(f.Type)
		of := f.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if doc := f.Tag.Get("doc"); doc != "" {
			s["description"] = enum.Describe(doc, enum.Of(of))
		}
		if format := f.Tag.Get("format"); format != "" {
			s["format"] = format
		}
		properties[name] = s
		if options == "" {
			required = append(required, name)
		}
	}
	s := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// withValues adds the values of a type that has a few only.
func withValues(t reflect.Type, s map[string]any) map[string]any {
	var values []any
	for _, v := range enum.Of(t) {
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil && s["type"] == "integer" {
			values = append(values, n)
		} else {
			values = append(values, v.Text)
		}
	}
	if values != nil {
		s["enum"] = values
	}
	return s
}
