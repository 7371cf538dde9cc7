package column

import (
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/search"
)

// Wrong says what is wrong with a value of a query, in the words of a field error.
type Wrong string

func (w Wrong) Error() string { return string(w) }

// span is the range of numbers that one value of a query stands for.
type span struct{ low, high int64 }

func exactly(n int64) span { return span{n, n} }

// none is an empty span, for a value that no record can have.
func none() span { return span{1, 0} }

func (s span) holds(n int64) bool { return s.low <= n && n <= s.high }

// Parameter is a query parameter by which a list is filtered.
type Parameter struct {
	Name string
	List bool // it takes several values, separated by commas
	// Add adds the condition to a query. The error is Wrong if the column can't have the value,
	// or the error of z.
	Add func(q *search.Query, value string, z Zone) error
}

// Parameters are the query parameters that a list takes for the column.
func (c Column[T]) Parameters() (list []Parameter) {
	if c.Can(Equal) {
		list = append(list, Parameter{Name: c.Name, Add: func(q *search.Query, value string, z Zone) error {
			return c.among(q, []string{value}, z)
		}})
	}
	if c.Can(In) {
		list = append(list, Parameter{Name: c.Name + "__in", List: true, Add: func(q *search.Query, value string, z Zone) error {
			return c.among(q, strings.Split(value, ","), z)
		}})
	}
	if c.Can(Range) {
		list = append(
			list,
			Parameter{Name: c.Name + "__gte", Add: c.within(func(s span, n int64) bool { return n >= s.low })},
			Parameter{Name: c.Name + "__lte", Add: c.within(func(s span, n int64) bool { return n <= s.high })},
		)
	}
	return list
}

// among matches the records that have one of the values.
func (c Column[T]) among(q *search.Query, values []string, z Zone) error {
	if c.IsText() {
		return c.amongTexts(q, values)
	}
	spans := make([]span, len(values))
	for i, v := range values {
		var err error
		if spans[i], err = c.read(strings.TrimSpace(v), z); err != nil {
			return err
		}
	}
	q.Where(func(e search.Entry) bool {
		return e.Has(c.Letter) && slices.ContainsFunc(spans, func(s span) bool { return s.holds(e.Number(c.Letter)) })
	})
	return nil
}

func (c Column[T]) amongTexts(q *search.Query, values []string) error {
	one := search.OneOf{Field: c.Letter}
	for _, v := range values {
		text, ok := c.spell(strings.TrimSpace(v))
		if !ok {
			return Wrong(fault.BadChoice(v))
		}
		one.Texts = append(one.Texts, text)
	}
	q.Texts = append(q.Texts, one)
	return nil
}

func (c Column[T]) within(fits func(s span, n int64) bool) func(*search.Query, string, Zone) error {
	return func(q *search.Query, value string, z Zone) error {
		s, err := c.read(value, z)
		if err == nil {
			q.Where(func(e search.Entry) bool { return e.Has(c.Letter) && fits(s, e.Number(c.Letter)) })
		}
		return err
	}
}

// Whole checks whether the whole text of a search is one of the column's numbers, as people
// write them with separators, and returns the digits to look for. Searching for each group of
// digits separately would find other numbers too.
func (c Column[T]) Whole(text string) (word string, ok bool) {
	if !c.Can(Search) || c.digits == nil {
		return "", false
	}
	normal, ok := c.spell(strings.TrimSpace(text))
	if !ok {
		return "", false
	}
	n, ok := digits(normal)
	if !ok {
		return "", false
	}
	written := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	spellings := c.digits(n)
	if slices.ContainsFunc(spellings, func(s string) bool { return strings.Contains(s, written) }) {
		return written, true
	}
	return spellings[0], true
}
