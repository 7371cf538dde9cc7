package decode

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
)

// Row is an object in a list that keeps its own errors. If an empty text is not a valid value
// of a field, it means null in a Row. The list is not refused for errors in its rows: the code
// that reads them can find more errors, and reports all of them at once.
type Row[T any] struct {
	Value  T                 // with the fields that are right
	Errors fault.FieldErrors // by field; empty where all are right
	// Unknown are the names that were sent and that no field has, in order; of an object within the row as paths.
	Unknown []string
}

// Each fills dst, a pointer to a list of Rows, from a body that is itself a list. The error is that of zone, which is
// as in StructIn; what is wrong with an object is in its Row. In these Rows an empty text is a text, as in a body that
// is one such object.
func Each(list []any, dst any, zone func() (*time.Location, error)) error {
	r := &reader{zone: zone}
	out := reflect.MakeSlice(reflect.TypeOf(dst).Elem(), len(list), len(list))
	r.convertRows(list, out, func(row map[string]any) source { return object(row) })
	reflect.ValueOf(dst).Elem().Set(out)
	return r.failed
}

// inCells is how the Rows of a list within a body are read.
func inCells(row map[string]any) source { return cells(row) }

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
func (r *reader) convertRows(list []any, out reflect.Value, in func(row map[string]any) source) {
	for i, v := range list {
		to := out.Index(i)
		errs := notAnObject(v)
		if row, ok := v.(map[string]any); ok {
			errs = r.fields(in(row), to.Field(0), false)
			if names := unknown(to.Field(0).Type(), row, ""); names != nil {
				to.Field(2).Set(reflect.ValueOf(names))
			}
		}
		if len(errs) > 0 {
			to.Field(1).Set(reflect.ValueOf(errs))
		}
	}
}

// unknown returns the names in an object that no field of a struct has, in order.
func unknown(t reflect.Type, sent map[string]any, within string) (names []string) {
	fields := Describe(t)
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			names = append(names, within+name)
		} else if inner, ok := sent[name].(map[string]any); ok && isObject(fields[i].Type) {
			names = append(names, unknown(fields[i].Type, inner, within+name+".")...)
		}
	}
	return names
}

// Names returns the names of the fields of a body, those within objects as paths, as in Row.Unknown.
func Names(t reflect.Type) (names []string) {
	for _, f := range Describe(t) {
		names = append(names, f.Name)
		if isObject(f.Type) {
			for _, inner := range Names(f.Type) {
				names = append(names, f.Name+"."+inner)
			}
		}
	}
	return names
}

func isObject(t reflect.Type) bool { return t.Kind() == reflect.Struct && !isScalar(t) }
