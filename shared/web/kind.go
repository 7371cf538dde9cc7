package web

import (
	"reflect"
	"slices"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/decode"
)

// kind is the type of a path's parameter, as Shape writes it.
type kind string

// The kinds of parameters. A number and a uuid are told apart by their values, a text from nothing.
const (
	aNumber kind = "{number}"
	aUUID   kind = "{uuid}"
	aText   kind = "{text}"
)

// takes tells whether a parameter of this kind can mean the value. A number that no record can have is a number
// all the same: that it is not found is said by its operation, to those who may call it.
func (k kind) takes(value string) bool {
	switch k {
	case aNumber:
		return decode.IsDigits(value)
	case aUUID:
		_, ok := parseUUID(value)
		return ok
	default:
		return true
	}
}

// toldApart tells whether no values fit both of two paths of one shape.
func toldApart(a, b []kind) bool {
	for i := range a {
		if a[i] != b[i] && a[i] != aText && b[i] != aText {
			return true
		}
	}
	return false
}

// kinds lists the kinds of the path's parameters. What the input doesn't take is a text.
func (o Operation) kinds() []kind {
	list := slices.Repeat([]kind{aText}, len(parameters(o.Path)))
	for i := range o.Input.NumField() {
		f := o.Input.Field(i)
		if tag := f.Tag.Get("path"); tag != "" {
			list[placeOf(o.Path, tag)] = kindOf(f.Type)
		}
	}
	return list
}

func kindOf(t reflect.Type) kind {
	switch t {
	case reflect.TypeFor[int64]():
		return aNumber
	case reflect.TypeFor[uuid.UUID]():
		return aUUID
	case reflect.TypeFor[string]():
		return aText
	}
	panic("web: path parameter of type " + t.String())
}

// Shape is the operation's path with the kinds of its parameters instead of their names:
// "/v2/documents/{number}/". No two operations of one method have the same.
func (o Operation) Shape() string {
	kinds := o.kinds()
	return withParameters(o.Path, func(place int) string { return string(kinds[place]) })
}
