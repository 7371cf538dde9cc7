package decode

import (
	"encoding/json"
	"reflect"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// Struct fills dst, a pointer to a struct of Optional fields, from a parsed body. partial
// (PATCH) makes required fields optional, except in the objects of a list, because these
// replace the old ones. The error is a fault that names every wrong field. The other fields
// are in dst nevertheless; a wrong field looks like one that was not sent, and an object with
// a wrong field has its other fields.
//
// A DateTime without an offset is refused; see StructIn.
func Struct(tree any, dst any, partial bool) error { return StructIn(tree, dst, partial, nil) }

// StructIn is Struct for the body of a company: a DateTime without an offset is in the
// company's time zone. zone is called at most once, and only for such a DateTime; if it fails,
// StructIn returns its error.
func StructIn(tree any, dst any, partial bool, zone func() (*time.Location, error)) error {
	r := &reader{zone: zone}
	err := r.object(tree, reflect.ValueOf(dst).Elem(), partial)
	if r.failed != nil {
		return r.failed
	}
	return err
}

// reader reads one body.
type reader struct {
	zone   func() (*time.Location, error) // nil if there is no company
	known  *time.Location
	failed error // the error of zone
}

func (r *reader) object(tree any, v reflect.Value, partial bool) error {
	switch tree := tree.(type) {
	case map[string]any:
		return r.fields(object(tree), v, partial).Err()
	case form:
		return r.fields(tree, v, partial).Err()
	case nil:
		return &fault.Error{Code: fault.Invalid, Fields: fault.FieldErrors{fault.NonField: []say.Message{say.NoData}}}
	default:
		return &fault.Error{Code: fault.Invalid, Fields: notAnObject(tree)}
	}
}

// source is where the fields of a struct come from.
type source interface {
	// value returns what was sent for a field, and whether anything was sent.
	value(f *Field) (any, bool)
}

// object is a JSON object.
type object map[string]any

func (o object) value(f *Field) (any, bool) {
	v, sent := o[f.Name]
	if text, ok := v.(string); ok && f.Nullable && f.Type.Kind() == reflect.Bool {
		switch text {
		case "", "null", "Null", "NULL":
			return nil, true
		}
	}
	return v, sent
}

// form is the content of a form: texts and Files by name, each in the order in which they were
// sent.
type form map[string][]any

// value returns the last of several values. If an empty text is not a valid value of the
// field, it means null, or that nothing was sent.
func (o form) value(f *Field) (any, bool) {
	list := o[f.Name]
	if len(list) == 0 {
		return nil, false
	}
	if f.Type.Kind() == reflect.Slice && f.Type != jsonType {
		return list, true
	}
	switch last := list[len(list)-1]; {
	case last != "" || f.Blank:
		if text, ok := last.(string); ok && f.Type == jsonType {
			return document(text), true
		}
		return last, true
	case f.Nullable:
		return nil, true
	default:
		return "", f.Required
	}
}

// document is a JSON document within a form.
type document string

func notAnObject(v any) fault.FieldErrors {
	if v == nil {
		return fault.FieldErrors{fault.NonField: []say.Message{say.Null}}
	}
	return fault.FieldErrors{fault.NonField: []say.Message{say.WrongType("dictionary", typeName(v))}}
}

// typeName returns the name of a JSON type as clients of the interface know it.
func typeName(v any) string {
	switch v := v.(type) {
	case bool:
		return "bool"
	case []any:
		return "list"
	case map[string]any:
		return "dict"
	case json.Number:
		if isInteger(v.String()) {
			return "int"
		}
		return "float"
	}
	return "str"
}

func (r *reader) fields(from source, dst reflect.Value, partial bool) fault.FieldErrors {
	errs := fault.FieldErrors{}
	plan := Describe(dst.Type())
	for i := range plan {
		f := &plan[i]
		value, sent := from.value(f)
		field := dst.FieldByIndex(f.index)
		switch {
		case !sent:
			if f.Required && !partial {
				errs.Add(f.Name, say.Required)
			}
		case value == nil:
			if !f.Nullable {
				errs.Add(f.Name, say.Null)
				continue
			}
			field.Field(0).SetBool(true)
			field.Field(1).SetBool(true)
		default:
			e, some := r.convert(value, field.Field(2), f, partial)
			if e != nil {
				errs[f.Name] = e
			}
			field.Field(0).SetBool(e == nil || some)
		}
	}
	return errs
}

// convert writes a value to dst. The result is nil or the field's errors: []string,
// fault.FieldErrors or []fault.FieldErrors. some tells whether dst has a usable value in spite
// of errors: the other fields of an object, or of the objects in a list.
func (r *reader) convert(value any, dst reflect.Value, f *Field, partial bool) (errs any, some bool) {
	if isScalar(dst.Type()) {
		if message := r.scalar(value, dst, f); message != "" {
			return []say.Message{message}, false
		}
		return nil, true
	}
	if dst.Kind() == reflect.Slice {
		return r.convertList(value, dst, f)
	}
	inner, ok := value.(map[string]any)
	if !ok {
		return notAnObject(value), false
	}
	if errs := r.fields(object(inner), dst, partial); len(errs) > 0 {
		return errs, true
	}
	return nil, true
}

// scalar writes one value to dst, or returns what is wrong with it.
func (r *reader) scalar(value any, dst reflect.Value, f *Field) say.Message {
	if dst.Type() == dateTimeType {
		return r.toDateTime(value, dst)
	}
	return scalars[sentAs(dst.Type())](value, dst, f)
}

// wrongLength returns what is wrong with the number of items of a list.
func (f *Field) wrongLength(n int) say.Message {
	switch {
	case n == 0 && f.NotEmpty:
		return say.EmptyList
	case f.MaxItems > 0 && n > f.MaxItems:
		return say.TooManyItems(f.MaxItems)
	}
	return ""
}

func (r *reader) convertList(value any, dst reflect.Value, f *Field) (errs any, some bool) {
	list, ok := value.([]any)
	item := dst.Type().Elem()
	message := f.wrongLength(len(list))
	if !ok {
		message = say.NotAList(typeName(value))
	}
	switch {
	case message != "" && isScalar(item):
		return []say.Message{message}, false
	case message != "":
		return fault.FieldErrors{fault.NonField: []say.Message{message}}, false
	}
	out := reflect.MakeSlice(dst.Type(), len(list), len(list))
	if keepsErrors(item) {
		r.convertRows(list, out, inCells)
		dst.Set(out)
		return nil, true
	}
	if isScalar(item) {
		errs := fault.FieldErrors{}
		for i, v := range list {
			if v == nil {
				errs.Add(strconv.Itoa(i), say.Null)
			} else if message := r.scalar(v, out.Index(i), f); message != "" {
				errs.Add(strconv.Itoa(i), message)
			}
		}
		if len(errs) > 0 {
			return errs, false
		}
		dst.Set(out)
		return nil, true
	}
	dst.Set(out)
	rows, bad := make([]fault.FieldErrors, len(list)), false
	for i, v := range list {
		row, ok := v.(map[string]any)
		if !ok {
			rows[i] = notAnObject(v)
		} else {
			rows[i] = r.fields(object(row), out.Index(i), false)
		}
		bad = bad || len(rows[i]) > 0
	}
	if bad {
		return rows, true
	}
	return nil, true
}
