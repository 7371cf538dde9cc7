package fault

import (
	"fmt"
	"strconv"
	"strings"
)

// Fields are the errors of a body, by field name. A value is []string for a
// field's own messages, Fields for a nested object or an indexed list of
// scalars, or []Fields for a list of objects in step with its rows.
type Fields map[string]any

// NonField is the name under which errors of a whole object stand.
const NonField = "non_field_errors"

// Add appends a message to a field's own.
func (f Fields) Add(field, message string) {
	list, _ := f[field].([]string)
	f[field] = append(list, message)
}

// Nest puts the errors of a nested object under a field, if there are any.
func (f Fields) Nest(field string, inner Fields) {
	if len(inner) > 0 {
		f[field] = inner
	}
}

// Err is nil where there are no errors, and an Invalid fault where there are.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Code: Invalid, Fields: f}
}

// Field is an Invalid fault with one message on one field.
func Field(field, message string) *Error {
	return &Error{Code: Invalid, Fields: Fields{field: []string{message}}}
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

// AddAt appends a message to a field of a nested object, whose path has a dot
// for each step: "individual.iin". Where the object as a whole has an error,
// that stays alone.
func (f Fields) AddAt(path, message string) {
	first, rest, nested := strings.Cut(path, ".")
	if !nested {
		f.Add(first, message)
		return
	}
	inner, ok := f[first].(Fields)
	if !ok {
		if f[first] != nil {
			return
		}
		inner = Fields{}
		f[first] = inner
	}
	inner.AddAt(rest, message)
}
