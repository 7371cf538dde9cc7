package decode

import (
	"reflect"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
)

// Row is an object in a list that keeps what is wrong with it, and in which an
// empty text stands for null where that is a value. Such a list is
// not refused for its rows: their reader has more to find fault with, and says
// everything at once.
type Row[T any] struct {
	Value  T                 // with the fields that are right
	Errors fault.FieldErrors // by field; empty where all are right
}

// keeper is what every Row is.
type keeper interface{ keepsErrors() }

func (Row[T]) keepsErrors() {}

// keepsErrors tells whether the objects of a list are Rows.
func keepsErrors(item reflect.Type) bool { return item.Implements(reflect.TypeFor[keeper]()) }

// cells is the JSON object of a Row: people leave cells empty.
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
