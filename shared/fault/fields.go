package fault

import (
	"fmt"
	"slices"
	"strconv"
)

// FieldErrors are the errors of a body, by field name. A value is []string for a
// field's own messages, FieldErrors for a nested object or an indexed list of
// scalars, or []FieldErrors for a list of objects in step with its rows.
//
// The first error of a field is kept. If a field has an error, or the object or list around it
// has one as a whole, further errors of that field are dropped; an object or list that has
// errors inside gets none as a whole. So if the decoder has refused a field, a rule sees the
// field unset and may report an error for it, which is then dropped.
type FieldErrors map[string]any

// NonField is the name for errors of a whole object. They are reported together with those of
// its fields.
const NonField = "non_field_errors"

// Add adds an error to a field.
func (f FieldErrors) Add(field, message string) {
	if !isWrong(f[field]) {
		f[field] = []string{message}
	}
}

// Nest puts the errors of a nested object under a field, if there are any.
func (f FieldErrors) Nest(field string, inner FieldErrors) {
	if isWrong(inner) && !isWrong(f[field]) {
		f[field] = inner
	}
}

// Any tells whether anything is wrong.
func (f FieldErrors) Any() bool { return isWrong(f) }

// isWrong tells whether there is a message among the errors of one field.
func isWrong(e any) bool {
	switch e := e.(type) {
	case []string:
		return len(e) > 0
	case FieldErrors:
		for _, inner := range e {
			if isWrong(inner) {
				return true
			}
		}
	case []FieldErrors:
		return slices.ContainsFunc(e, FieldErrors.Any)
	}
	return false
}

// Err returns nil if there are no errors, and an Invalid fault otherwise.
func (f FieldErrors) Err() error {
	if !f.Any() {
		return nil
	}
	return &Error{Code: Invalid, Fields: f.tidy()}
}

// Field returns an Invalid fault with one message for one field.
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
	BadTime     = "Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]]."
	BadDuration = "Duration has wrong format. Use one of these formats instead: [DD] [HH:[MM:]]ss[.uuuuuu]."
)

// NoSuchTime is the message of a local time that the clocks of a zone skip.
func NoSuchTime(zone string) string {
	return fmt.Sprintf("Invalid datetime for the timezone %q.", zone)
}

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

// Expected is the message of a body that has the wrong JSON type.
func Expected(want, got string) string {
	return "Invalid data. Expected a " + want + ", but got " + got + "."
}
