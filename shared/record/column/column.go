// Package column declares the values of a record by which its list is searched,
// filtered and ordered. One declaration says what the search index holds of a value,
// which query parameters a list takes for it, and how they are read.
//
// What never goes in here: HTTP, and a filter that is decided by more than one
// value of a record; the face of a kind adds it.
package column

import (
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/record/search"
)

// Column is one value of a record; T is the stored struct. It is made by Flag, Choice
// and their like, which leave it without any use, and For gives it some.
type Column[T any] struct {
	// Name is the field as callers see it. Letter is what the entries of the
	// search index call it: what is stored says so for ever.
	Name, Letter string
	Says         string // what it means, for the API description
	Uses         Use
	Type         Type
	Choices      []string // the only values, of a column that has few

	number func(rec *T) (int64, bool)
	text   func(rec *T) (string, bool)
	// read reads a value of a query. What can't be one of the column's is Wrong.
	read   func(text string, z Zone) (span, error)
	spell  func(text string) (string, bool) // of a text column: the value as it is stored
	digits func(n int64) []string           // the spellings that a search finds
	most   int                              // bytes of the value in an entry
}

// Zone is where the days of a company begin; it is asked only where a value of a
// query needs it.
type Zone func() (*time.Location, error)

// Use is what a list can do with a column.
type Use int

// The uses of columns.
const (
	Equal  Use = 1 << iota // x=5
	In                     // x__in=5,6
	Range                  // x__gte=5, x__lte=6
	Order                  // ordering=x; records without a value come last, and first where it descends
	Search                 // search=5: of digits that people write with signs
)

// Type is that of a column's values in a query.
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

// For is the column with some uses.
func (c Column[T]) For(uses Use) Column[T] { c.Uses = uses; return c }

// Doc is the column with what it means.
func (c Column[T]) Doc(says string) Column[T] { c.Says = says; return c }

// Can tells whether the column has a use.
func (c Column[T]) Can(use Use) bool { return c.Uses&use != 0 }

// IsText tells whether the index holds a short text of it, and else a number.
func (c Column[T]) IsText() bool { return c.text != nil }

// Most is how many bytes the column takes of an entry, with its letter.
func (c Column[T]) Most() int { return 1 + len(c.Letter) + c.most } // and one that says of which type it is

// Put adds a record's value to those of its entry.
func (c Column[T]) Put(rec *T, v *search.Values) {
	if c.text != nil {
		if text, ok := c.text(rec); ok {
			v.Texts[c.Letter] = text
		}
		return
	}
	if n, ok := c.number(rec); ok {
		v.Numbers[c.Letter] = n
	}
}

// Spellings are the digits by which a search finds an entry.
func (c Column[T]) Spellings(e search.Entry) []string {
	if !c.Can(Search) || c.digits == nil || !e.Has(c.Letter) {
		return nil
	}
	return c.digits(e.Number(c.Letter))
}

// By is the order by the column.
func (c Column[T]) By(descending bool) search.By {
	return search.By{Field: c.Letter, Short: c.IsText(), Descending: descending}
}

// The bytes of the largest values in an entry: a number has one for two digits, and
// two.
const (
	flagBytes    = 2
	dayBytes     = 5
	idBytes      = 8
	digitsBytes  = 9
	amountBytes  = 10
	momentBytes  = 11
	integerBytes = 12
)

func pointed[T, V any](of func(rec *T) *V, number func(V) int64) func(rec *T) (int64, bool) {
	return func(rec *T) (int64, bool) {
		v := of(rec)
		if v == nil {
			return 0, false
		}
		return number(*v), true
	}
}

func texts(choices []int64) (list []string) {
	for _, n := range choices {
		list = append(list, strconv.FormatInt(n, 10))
	}
	return list
}
