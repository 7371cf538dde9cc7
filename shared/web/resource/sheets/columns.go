package sheets

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
)

// Sample is an example that is the same in all languages, such as a number, a date or a name.
func Sample(text string) say.Message { return say.Message(text) }

// Column is a column in sheets of records. Its header may be the name of the field or its
// title in any language; spaces and case do not matter.
type Column[T any] struct {
	// Field is the field that an import sets from the cells, and the one that their errors
	// name. A field within another one is a path: "car.number".
	Field   string
	Title   say.Message // the header that is written
	Also    []string    // other headers that people use
	Holds   Holds
	Length  int         // the number of digits; an import restores leading zeros that a sheet has dropped
	Choices []Choice    // the cells hold the titles, the field holds the values
	Example say.Message // in the row of a template, which must be importable unchanged
	// Value returns what a cell shows for a record; "" leaves it empty.
	Value func(rec T) string
	// Names is a kind of records: Value is the id of such a record, and the cell shows its
	// name.
	Names kinds.Code
	// ExportOnly is a column for people to read, which imports ignore. It is left out of an
	// export if an import would take it for another column, such as a custom field.
	ExportOnly bool
	// Refuse belongs to a column that an import knows but does not use. It says what is wrong
	// with a value, "" if nothing is.
	Refuse func(value string) say.Message
}

// Holds says what the cells of a column hold, and so how they are read and written.
type Holds int

// The types of values that cells can hold.
const (
	Text    Holds = iota
	Digits        // such as a phone number, which a sheet may have turned into a number
	Integer       // also an id
	Amount        // with a point or a comma
	Boolean       // yes and no
	Date
	Moment // an instant, which a sheet shows by the company's clocks
)

// Choice is one value of a column that has only a few.
type Choice struct {
	Value string
	Title say.Message
	Also  []string // what else people write
}

// ID returns a column for people with the numbers of records.
func ID[T record.Stored]() Column[T] {
	return Column[T]{
		Field: "id", Title: say.ColumnID, Holds: Integer, ExportOnly: true,
		Value: func(rec T) string { return fmt.Sprint(record.ID(rec)) },
	}
}

// Created returns a column for people with the time at which records were made, by the company's clocks.
func Created[T record.Stored]() Column[T] {
	return Column[T]{
		Field: "created_at", Title: say.ColumnCreated, Holds: Moment, ExportOnly: true,
		Value: func(rec T) string { return record.CreatedAt(rec) },
	}
}

// Optional returns an optional value as a text; "" if it is nil.
func Optional[V any](v *V) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// spoken returns a text in each language, English first. A sheet is read whatever language it was
// written in, which need not be that of the request.
func spoken(m say.Message) []string {
	var all []string
	for _, language := range say.Languages() {
		if text := m.In(language); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// names returns the headers that an import takes for the column, besides the name of its field.
func (c Column[T]) names() []string { return append(spoken(c.Title), c.Also...) }

// inTemplate tells whether a template has the column, so that people fill it in.
func (c Column[T]) inTemplate() bool { return !c.ExportOnly && c.Refuse == nil }

// choose returns the value of the choice that a cell names.
func (c Column[T]) choose(s string) (value string, ok bool) {
	for _, choice := range c.Choices {
		for _, name := range slices.Concat([]string{choice.Value}, spoken(choice.Title), choice.Also) {
			if headerKey(s) == headerKey(name) {
				return choice.Value, true
			}
		}
	}
	return "", false
}

// refusedChoice says which choices there are, if a cell names none of them; "" where it does, or where anything may stand.
func (c Column[T]) refusedChoice(s string) say.Message {
	if _, ok := c.choose(s); ok || len(c.Choices) == 0 || c.Refuse != nil {
		return ""
	}
	last := len(c.Choices) - 1
	all := c.Choices[last].Title
	for _, choice := range slices.Backward(c.Choices[:last]) {
		all = say.SheetChoices(choice.Title, all)
	}
	return say.SheetChoice(cut(s, longestCell), all)
}

// read converts the text of a cell to the value that is sent for the field.
func (c Column[T]) read(s string) any {
	if chosen, ok := c.choose(s); ok {
		return chosen
	}
	if c.Holds == Digits {
		return padded(s, c.Length)
	}
	return value(c.Holds, s)
}

// cell makes a cell of the column from a value.
func (c Column[T]) cell(s string, language say.Language) sheet.Cell {
	for _, choice := range c.Choices {
		if s == choice.Value {
			return sheet.Text(choice.Title.In(language))
		}
	}
	if c.Holds == Boolean {
		s = yesOrNo(s, language)
	}
	return cellOf(c.Holds, s)
}

// headerKey reduces a header to its letters and digits, for comparison.
func headerKey(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 'ё':
			return 'е'
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return -1
	}, search.Fold(s))
}

// yesOrNo is a boolean as people read it. Any other text stays as it is.
func yesOrNo(s string, language say.Language) string {
	switch s {
	case "true":
		return say.WordYes.In(language)
	case "false":
		return say.WordNo.In(language)
	}
	return s
}
