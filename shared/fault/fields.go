package fault

import (
	"slices"

	"github.com/tenantry/tenantry/shared/say"
)

// FieldErrors are the errors of a body, by field name. A value is []say.Message for a
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
func (f FieldErrors) Add(field string, message say.Message) {
	if !isWrong(f[field]) {
		f[field] = []say.Message{message}
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
	case []say.Message:
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
func Field(field string, message say.Message) *Error {
	return &Error{Code: Invalid, Fields: FieldErrors{field: []say.Message{message}}}
}
