// Package enum is for types that have a few values only, such as the status of an order. Such a
// type states its values, and what they mean, by a method:
//
//	type Size int64
//
//	const (
//		Small Size = 0
//		Large Size = 1
//	)
//
//	func (Size) Values() []enum.Value { return enum.Numbers(map[Size]string{Small: "small", Large: "large"}) }
//
// Everything else reads that method: the decoder refuses other values, lists take no others in
// their filters, and the API description lists them. Its texts can name them: in a doc tag
// {values} is "0 small, 1 large", and {meanings} has of each value all that is said of it.
//
// What never goes in here: what follows from a value. That is a method of the type.
package enum

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Value is one value of a type.
type Value struct {
	Text    string // as callers write it: "0", "active"
	Name    string // what it is called, where the text is a number
	Meaning string // what else is said of it
}

// Type is a type that states its values. Its values are integers or texts.
type Type interface{ Values() []Value }

var typeOfType = reflect.TypeFor[Type]()

// Of returns the values of a type; nil if it doesn't state any.
func Of(t reflect.Type) []Value {
	if !Is(t) {
		return nil
	}
	of, _ := reflect.Zero(t).Interface().(Type) // it implements that
	return of.Values()
}

// Is tells whether a type states its values.
func Is(t reflect.Type) bool {
	return (t.Kind() == reflect.Int64 || t.Kind() == reflect.String) && t.PkgPath() != "" && t.Implements(typeOfType)
}

// Numbers returns the values of a type of integers in their order, by their names.
func Numbers[T ~int64](names map[T]string) []Value {
	return Table(names, func(name string) (string, string) { return name, "" })
}

// Table returns the values of a type of integers in their order, out of a table that says more of
// each than its name.
func Table[T ~int64, Row any](rows map[T]Row, told func(Row) (name, meaning string)) []Value {
	list := make([]Value, 0, len(rows))
	for _, n := range slices.Sorted(maps.Keys(rows)) {
		name, meaning := told(rows[n])
		list = append(list, Value{Text: strconv.FormatInt(int64(n), 10), Name: name, Meaning: meaning})
	}
	return list
}

// Named returns the values of a type of texts, in the order in which they are given.
func Named[T ~string](texts ...T) []Value {
	list := make([]Value, len(texts))
	for i, text := range texts {
		list[i].Text = string(text)
	}
	return list
}

// Texts are the values as callers write them; nil if there are none.
func Texts(values []Value) []string {
	var list []string
	for _, v := range values {
		list = append(list, v.Text)
	}
	return list
}

// Describe fills the values into a text of the API description.
func Describe(text string, values []Value) string {
	if len(values) == 0 || !strings.Contains(text, "{") {
		return text
	}
	var names, meanings []string
	for _, v := range values {
		name := strings.TrimSpace(v.Text + " " + v.Name)
		names = append(names, name)
		if v.Meaning != "" {
			name += ": " + v.Meaning
		}
		meanings = append(meanings, name)
	}
	return strings.NewReplacer("{values}", strings.Join(names, ", "), "{meanings}", strings.Join(meanings, ", ")).Replace(text)
}
