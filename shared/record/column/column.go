// Package column declares the values of a record by which its list is searched, filtered and
// ordered. One declaration says what the search holds of a value, which query parameters
// a list takes for it, and how these are parsed. What a parameter asks for is data: a
// segment.Condition.
//
// What never goes in here: HTTP, and filters that depend on more than one value of a record,
// which the face of a kind (functions/) adds.
package column

import (
	"time"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// Column is one value of a record; T is the stored struct.
type Column[T any] struct {
	Field

	number func(rec T) (int64, bool)
	text   func(rec T) (string, bool)
}

// Field is a column as lists know it, whatever the record is. Lists filter by it and order by
// it; records without a value come last, and first where the order descends.
type Field struct {
	// Name is the field as callers see it. Letter is its name in the entries of the search
	// index; as it is stored, it must never change.
	Name, Letter string
	Says         string // what it means, for the API description
	Type         Type
	Choices      []string // the allowed values, if the column has only a few
	IsText       bool     // the index holds the value as a short text, otherwise as a number
	Hidden       bool     // only code asks for it, callers can't

	values   []enum.Value // those of Choices that have names
	compared []Comparison
	// read reads a value of a query that is a number in the index. What can't be one of the
	// column's is a say.Message.
	read   func(text string, z Zone) (segment.Span, error)
	spell  func(text string) (string, bool) // the value as it is stored, of a column of texts or of Digits
	digits segment.Spelling                 // how a search finds the number
}

// Zone returns the time zone of a company, in which its days begin. It is called only if a
// value of a query needs it.
type Zone func() (*time.Location, error)

// Type is the type of a column's values in a query.
type Type string

// The types of columns.
const (
	Boolean  Type = "boolean"
	Integer  Type = "integer"
	Decimal  Type = "decimal"
	Date     Type = "date"
	DateTime Type = "date-time"
	String   Type = "string"
)

// The letters of what every record has.
const (
	Created = "C" // when it was created
	Updated = "u" // when it was last changed
)

// Common are the fields that every record has. The id of records that are not searched can only be
// one of some.
func Common(searched bool) []Field {
	id := integer("id", segment.ID)
	id.Says, id.compared = "Id of the record", []Comparison{In}
	if !searched {
		return []Field{id}
	}
	id.compared = []Comparison{In, AtLeast, AtMost}
	created, updated := OfMoment("created_at", Created), OfMoment("updated_at", Updated)
	created.Says = "When the record was created: a time, or a whole day of the company"
	updated.Says = "When the record was last changed: a time, or a whole day of the company"
	return []Field{id, created, updated}
}

// Doc returns the column with a description of its meaning. {values} in it stands for the values of a Choice.
func (c Column[T]) Doc(says string) Column[T] { c.Says = enum.Describe(says, c.values); return c }

// Hide returns the column as one that only code asks for.
func (c Column[T]) Hide() Column[T] { c.Hidden = true; return c }

// Put adds a record's value to the values of the record's entry.
func (c Column[T]) Put(rec T, v *search.Values) {
	if c.text != nil {
		if text, ok := c.text(rec); ok {
			v.Texts[c.Letter] = search.Searchable(text)
		}
		return
	}
	if n, ok := c.number(rec); ok {
		v.Numbers[c.Letter] = n
	}
}

// Stored is the column as the index knows it.
func (f Field) Stored() segment.Column {
	return segment.Column{Letter: f.Letter, Text: f.IsText, Digits: f.digits}
}

// By is the order by the column.
func (f Field) By(descending bool) segment.By {
	return segment.By{Field: f.Letter, Text: f.IsText, Descending: descending}
}

func pointed[T, V any](of func(rec T) *V, number func(V) int64) func(rec T) (int64, bool) {
	return func(rec T) (int64, bool) {
		v := of(rec)
		if v == nil {
			return 0, false
		}
		return number(*v), true
	}
}

func same(n int64) int64 { return n }
