// Package column declares the values of a record by which its list is searched, filtered and
// ordered. One declaration says what the search index holds of a value, which query parameters
// a list takes for it, and how these are parsed.
//
// What never goes in here: HTTP, and filters that depend on more than one value of a record,
// which the face of a kind (functions/) adds.
package column

import (
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/record/search"
)

// Column is one value of a record; T is the stored struct. Flag, Choice and the like make a
// column that has no use yet; For adds its uses.
type Column[T any] struct {
	// Name is the field as callers see it. Letter is its name in the entries of the search
	// index; as it is stored, it must never change.
	Name, Letter string
	Says         string // what it means, for the API description
	Uses         Use
	Type         Type
	Choices      []string // the allowed values, if the column has only a few

	number func(rec *T) (int64, bool)
	text   func(rec *T) (string, bool)
	// read reads a value of a query. What can't be one of the column's is Wrong.
	read   func(text string, z Zone) (span, error)
	spell  func(text string) (string, bool) // for a text: the value as it is stored
	digits func(n int64) []string           // the spellings that a search finds
	most   int                              // the greatest number of bytes of the value in an entry
}

// Zone returns the time zone of a company, in which its days begin. It is called only if a
// value of a query needs it.
type Zone func() (*time.Location, error)

// Use is what a list can do with a column.
type Use int

// The uses of columns.
const (
	Equal  Use = 1 << iota // x=5
	In                     // x__in=5,6
	Range                  // x__gte=5, x__lte=6
	Order                  // ordering=x; records without a value come last, and first where it descends
	Search                 // search=5: for numbers that people write with separators
)

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

// For returns the column with some uses.
func (c Column[T]) For(uses Use) Column[T] { c.Uses = uses; return c }

// Doc returns the column with a description of its meaning.
func (c Column[T]) Doc(says string) Column[T] { c.Says = says; return c }

// Can tells whether the column has a use.
func (c Column[T]) Can(use Use) bool { return c.Uses&use != 0 }

// IsText tells whether the index holds the value as a short text; otherwise it is a number.
func (c Column[T]) IsText() bool { return c.text != nil }

// Most is how many bytes the column takes in an entry at most, with its letter.
func (c Column[T]) Most() int { return 1 + len(c.Letter) + c.most } // one more byte tells the type

// Put adds a record's value to the values of the record's entry.
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

// The sizes in bytes of the largest values in an entry: a number takes one byte for two digits,
// and two more.
const (
	flagBytes    = 2
	dayBytes     = 5
	idBytes      = 8
	secondBytes  = 7 // of microseconds: the zeros at their end take nothing
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
