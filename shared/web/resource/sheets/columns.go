package sheets

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/sheet"
)

// Column is a column of the sheets of records. Its header may be the field's name
// or any of the titles, however they are spaced and in any case.
type Column[T any] struct {
	// Field is where an import takes the cells to, and where their errors stand.
	Field            string
	English, Russian string   // the titles that are written
	Also             []string // other headers that people use
	Holds            Holds
	Length           int      // of digits; zeros at the front that a sheet has left out come back
	Choices          []Choice // the cells hold titles, the field their values
	Example          string   // of a template, which is imported as it is
	// Value is what a cell holds of a record; "" leaves it empty.
	Value func(rec *T) string
	// Names is a kind of records: Value is the id of one, and the cell holds its name.
	Names kinds.Code
	// ExportOnly is a column for people to read, which no import takes. It is left out
	// where an import would take it for another, such as a custom field.
	ExportOnly bool
	// Refuse says what is wrong with a value, "" for a good one, in a column that an
	// import knows and takes nothing from.
	Refuse func(value string) string
}

// Holds is what the cells of a column hold, which says how they are read and
// written.
type Holds int

// What cells hold.
const (
	Text    Holds = iota
	Digits        // such as a phone's, which a sheet may have taken for a number
	Integer       // also an id
	Amount        // with a point or a comma
	Boolean       // yes and no
	Date
	Moment // a day with a time
)

// Choice is one value of a column that has few.
type Choice struct {
	Value            string
	English, Russian string
	Also             []string // what else people write
}

// ID is a column for people with the numbers of records.
func ID[T any]() Column[T] {
	return Column[T]{
		Field: "id", English: "ID", Russian: "ID", Holds: Integer, ExportOnly: true,
		Value: func(rec *T) string { return fmt.Sprint(record.ID(rec)) },
	}
}

// Created is a column for people that tells when records were made.
func Created[T any]() Column[T] {
	return Column[T]{
		Field: "created_at", English: "Created", Russian: "Создан", Holds: Moment, ExportOnly: true, Value: record.CreatedAt[T],
	}
}

// Optional is a value that a record may have; "" where it has none.
func Optional[V any](v *V) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// title is the header of a column in a language.
func (c Column[T]) title(language string) string { return either(language, c.English, c.Russian) }

func either(language, inEnglish, inRussian string) string {
	if language == russian {
		return inRussian
	}
	return inEnglish
}

// inTemplate tells whether a template has the column: whether it is there to be
// filled in.
func (c Column[T]) inTemplate() bool { return !c.ExportOnly && c.Refuse == nil }

// read is the text of a cell as the field of a row is sent.
func (c Column[T]) read(s string) any {
	for _, choice := range c.Choices {
		for _, name := range append([]string{choice.Value, choice.English, choice.Russian}, choice.Also...) {
			if headerKey(s) == headerKey(name) {
				return choice.Value
			}
		}
	}
	if c.Holds == Digits {
		return padded(s, c.Length)
	}
	return value(c.Holds, s)
}

// cell is a value as a cell of the column.
func (c Column[T]) cell(s, language string) sheet.Cell {
	for _, choice := range c.Choices {
		if s == choice.Value {
			return sheet.Text(either(language, choice.English, choice.Russian))
		}
	}
	switch {
	case c.Holds == Boolean && s == "true":
		s = either(language, "Yes", "Да")
	case c.Holds == Boolean && s == "false":
		s = either(language, "No", "Нет")
	}
	return cellOf(c.Holds, s)
}

// headerKey is a header as it is compared: its letters and digits.
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
