package fault

import (
	"fmt"
	"strconv"
	"strings"
)

// FieldErrors are the errors of a body, by field name. A value is []string for a
// field's own messages, FieldErrors for a nested object or an indexed list of
// scalars, or []FieldErrors for a list of objects in step with its rows.
type FieldErrors map[string]any

// NonField is the name under which errors of a whole object stand.
const NonField = "non_field_errors"

// Add appends a message to a field's own.
func (f FieldErrors) Add(field, message string) {
	list, _ := f[field].([]string)
	f[field] = append(list, message)
}

// Nest puts the errors of a nested object under a field, if there are any.
func (f FieldErrors) Nest(field string, inner FieldErrors) {
	if len(inner) > 0 {
		f[field] = inner
	}
}

// Err is nil where there are no errors, and an Invalid fault where there are.
func (f FieldErrors) Err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Code: Invalid, Fields: f}
}

// Field is an Invalid fault with one message on one field.
func Field(field, message string) *Error {
	return &Error{Code: Invalid, Fields: FieldErrors{field: []string{message}}}
}

// The messages, word for word as clients of the interface know them.
const (
	Required    = "This field is required."
	NotNull     = "This field may not be null."
	NotBlank    = "This field may not be blank."
	NotUnique   = "This field must be unique."
	BadNumber   = "A valid number is required."
	BadInteger  = "A valid integer is required."
	BadBoolean  = "Must be a valid boolean."
	BadString   = "Not a valid string."
	BadDecimals = "Ensure that there are no more than 2 decimal places."
	BadDigits   = "Ensure that there are no more than 14 digits before the decimal point."
	BadEmail    = "Enter a valid email address."
	BadURL      = "Enter a valid URL."
	BadUUID     = "Must be a valid UUID."
	BadDate     = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."
	BadDatetime = "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
)

// TooLong is the message of a text over its limit, counted in characters.
func TooLong(limit int) string {
	return "Ensure this field has no more than " + strconv.Itoa(limit) + " characters."
}

// BadChoice is the message of a value outside an enumeration.
func BadChoice(value any) string { return fmt.Sprintf("\"%v\" is not a valid choice.", value) }

// BadReference is the message of an id that names no record of the caller's
// company. It is the same for another company's record.
func BadReference(id any) string {
	return fmt.Sprintf("Invalid pk \"%v\" - object does not exist.", id)
}

// Expected is the message of a body of another shape.
func Expected(want, got string) string {
	return "Invalid data. Expected a " + want + ", but got " + got + "."
}

// AddAt appends a message to a field of a nested object or of an element of a
// list, whose path has a dot for each step: "individual.iin", "data.3.name". Where
// the object as a whole has an error, that stays alone.
func (f FieldErrors) AddAt(path, message string) {
	object, field := f.object(path)
	if object != nil {
		object.Add(field, message)
	}
}

// Merge adds errors to those of the object at a path, "" for the whole. What the
// errors name is no path: a caller may have chosen a name with dots.
func (f FieldErrors) Merge(path string, errs FieldErrors) {
	if len(errs) == 0 {
		return
	}
	to := f
	if path != "" {
		if to, _ = f.object(path + "."); to == nil {
			return
		}
	}
	to.merge(errs)
}

func (f FieldErrors) merge(errs FieldErrors) {
	for name, e := range errs {
		switch e := e.(type) {
		case []string:
			for _, message := range e {
				f.Add(name, message)
			}
		case FieldErrors:
			if len(e) == 0 {
				continue
			}
			if inner := f.inner(name); inner != nil {
				inner.merge(e)
			}
		case []FieldErrors:
			for i, row := range e {
				if at := f.element(name, i); at != nil {
					at.merge(row)
				}
			}
		}
	}
}

// InStep makes the errors of a list of objects, if there are any, as long as the
// list: {} stands for a good element.
func (f FieldErrors) InStep(path string, n int) {
	object, field := f, path
	if dot := strings.LastIndexByte(path, '.'); dot >= 0 {
		if object = f.find(path[:dot]); object == nil {
			return
		}
		field = path[dot+1:]
	}
	if list, ok := object[field].([]FieldErrors); ok {
		for len(list) < n {
			list = append(list, FieldErrors{})
		}
		object[field] = list
	}
}

// object gives the object that a path leads to, and the last step of it. It is
// nil where something on the way has an error as a whole.
func (f FieldErrors) object(path string) (object FieldErrors, field string) {
	field, rest, nested := strings.Cut(path, ".")
	if !nested {
		return f, field
	}
	var inner FieldErrors
	if i, after, ok := index(rest); ok {
		inner, rest = f.element(field, i), after
	} else {
		inner = f.inner(field)
	}
	if inner == nil {
		return nil, ""
	}
	return inner.object(rest)
}

// index is the place in a list with which a path begins, if it does and goes on.
func index(path string) (i int, rest string, ok bool) {
	step, rest, more := strings.Cut(path, ".")
	i, err := strconv.Atoi(step)
	return i, rest, more && err == nil && i >= 0
}

// inner are the errors of a nested object; nil where it has one as a whole.
func (f FieldErrors) inner(field string) FieldErrors {
	if f[field] == nil {
		f[field] = FieldErrors{}
	}
	inner, _ := f[field].(FieldErrors)
	return inner
}

// element are the errors of an element of a list; nil where the list has one as a
// whole.
func (f FieldErrors) element(field string, i int) FieldErrors {
	list, ok := f[field].([]FieldErrors)
	if !ok && f[field] != nil {
		return nil
	}
	for len(list) <= i {
		list = append(list, FieldErrors{})
	}
	f[field] = list
	return list[i]
}

// find is the object at a path, if it has errors.
func (f FieldErrors) find(path string) FieldErrors {
	field, rest, nested := strings.Cut(path, ".")
	switch e := f[field].(type) {
	case FieldErrors:
		if !nested {
			return e
		}
		return e.find(rest)
	case []FieldErrors:
		step, after, more := strings.Cut(rest, ".")
		if i, err := strconv.Atoi(step); err == nil && i < len(e) {
			if !more {
				return e[i]
			}
			return e[i].find(after)
		}
	}
	return nil
}
