package decode

import (
	"reflect"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
)

// Row is an object in a list that keeps its own errors. If an empty text is not a valid value
// of a field, it means null in a Row. The list is not refused for errors in its rows: the code
// that reads them can find more errors, and reports all of them at once.
type Row[T any] struct {
	Value  T                 // with the fields that are right
	Errors fault.FieldErrors // by field; empty where all are right
}

// keeper is implemented by every Row.
type keeper interface{ keepsErrors() }

func (Row[T]) keepsErrors() {}

// keepsErrors tells whether the objects of a list are Rows.
func keepsErrors(item reflect.Type) bool { return item.Implements(reflect.TypeFor[keeper]()) }

// cells is the JSON object of a Row, in which empty texts can mean null.
type cells object

func (c cells) value(f *Field) (any, bool) {
	v, sent := object(c).value(f)
	if s, ok := v.(string); ok && f.Nullable && !f.Blank && f.Type != jsonType && strings.TrimSpace(s) == "" {
		return nil, true
	}
	return v, sent
}

// convertRows fills Rows.
func (r *reader) convertRows(list []any, out reflect.Value) {
	for i, v := range list {
		to := out.Index(i)
		errs := notAnObject(v)
		if row, ok := v.(map[string]any); ok {
			errs = r.fields(cells(row), to.Field(0), false)
		}
		if len(errs) > 0 {
			to.Field(1).Set(reflect.ValueOf(errs))
		}
	}
}
