package column

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
)

// Comparison is the way in which a parameter of a list compares a column: what stands after the column's name in that of
// the parameter.
type Comparison string

// The comparisons.
const (
	Equal   Comparison = ""
	In      Comparison = "__in"     // several values, with commas between them
	AtLeast Comparison = "__gte"    // a whole day begins there
	AtMost  Comparison = "__lte"    // a whole day ends there
	IsNull  Comparison = "__isnull" // a boolean: true is for records without a value
)

// Limits of the values of a parameter In. Records may be named by as many ids as a page has.
const (
	MostValues = 100
	MostIDs    = 1000
)

// ranged are the comparisons of values that have an order, and unranged those of other values.
func ranged() []Comparison   { return []Comparison{Equal, In, AtLeast, AtMost, IsNull} }
func unranged() []Comparison { return []Comparison{Equal, In, IsNull} }

// ordering is the parameter by which callers order a list. A column of that name can't be compared without saying how.
const ordering = "ordering"

// Comparisons are the ways in which callers may compare the column.
func (f Field) Comparisons() []Comparison {
	switch {
	case f.Hidden:
		return nil
	case f.Name == ordering:
		return f.compared[1:]
	}
	return f.compared
}

// MostValues is how many values a parameter In takes.
func (f Field) MostValues() int {
	if f.Letter == segment.ID {
		return MostIDs
	}
	return MostValues
}

// Describe describes a parameter.
func (f Field) Describe(by Comparison) string {
	switch by {
	case In:
		return "Any of these values of `" + f.Name + "`, up to " + strconv.Itoa(f.MostValues()) + " of them with commas between them"
	case AtLeast:
		return "The least value of `" + f.Name + "`"
	case AtMost:
		return "The greatest value of `" + f.Name + "`"
	case IsNull:
		return "true: without a value of `" + f.Name + "`; false: with one"
	}
	return f.Says
}

// Condition is what a parameter with a value asks for. The error is a say.Message if the column can't have the value, or the error
// of z.
func (f Field) Condition(by Comparison, value string, z Zone) (segment.Condition, error) {
	switch by {
	case In:
		values := strings.Split(value, ",")
		if len(values) > f.MostValues() {
			return segment.Condition{}, say.TooManyItems(f.MostValues())
		}
		return f.among(values, z)
	case AtLeast, AtMost:
		return f.bounded(by, strings.TrimSpace(value), z)
	case IsNull:
		switch null, ok := decode.ParseBoolean(strings.TrimSpace(value)); {
		case !ok:
			return segment.Condition{}, say.InvalidBoolean
		case null:
			return segment.HasNone(f.Letter), nil
		}
		return segment.Has(f.Letter), nil
	}
	return f.among([]string{value}, z)
}

// among is for the records that have one of some values.
func (f Field) among(values []string, z Zone) (segment.Condition, error) {
	var texts []string
	var spans []segment.Span
	for _, value := range values {
		value = strings.TrimSpace(value)
		if f.IsText {
			text, ok := f.spell(value)
			if !ok {
				return segment.Condition{}, say.InvalidChoice(value)
			}
			texts = append(texts, search.Searchable(text))
			continue
		}
		span, err := f.read(value, z)
		if err != nil {
			return segment.Condition{}, err
		}
		spans = append(spans, span)
	}
	if f.IsText {
		return segment.Condition{Field: f.Letter, Is: segment.Among, Texts: texts}, nil
	}
	return ofSpans(f.Letter, spans), nil
}

// ofSpans is for the records that have a number of some spans. If each of these is one number, the condition is segment.In.
func ofSpans(letter string, spans []segment.Span) segment.Condition {
	spans = slices.DeleteFunc(spans, func(s segment.Span) bool { return s.Low > s.High })
	numbers := make([]int64, len(spans))
	for i, s := range spans {
		if s.Low != s.High {
			return segment.Condition{Field: letter, Is: segment.Within, Spans: spans}
		}
		numbers[i] = s.Low
	}
	return segment.In(letter, numbers...)
}

// bounded is for the records that have a value from a bound on, or up to it.
func (f Field) bounded(by Comparison, value string, z Zone) (segment.Condition, error) {
	if f.IsText {
		text, _ := f.spell(value)
		text = search.Searchable(text)
		if by == AtLeast {
			return segment.Condition{Field: f.Letter, Is: segment.Between, Low: &text}, nil
		}
		return segment.Condition{Field: f.Letter, Is: segment.Between, High: &text}, nil
	}
	span, err := f.read(value, z)
	switch {
	case err != nil:
		return segment.Condition{}, err
	case span.Low > span.High: // no record can have the value
		return segment.In(f.Letter), nil
	case by == AtLeast:
		span.High = math.MaxInt64
	default:
		span.Low = math.MinInt64
	}
	return segment.Condition{Field: f.Letter, Is: segment.Within, Spans: []segment.Span{span}}, nil
}

// Words are the words of a search. A text that as a whole is a number of one of the columns, as people write it with
// separators, is one word: searching for each group of digits by itself would find other numbers too.
func Words(fields []Field, text string) []string {
	for _, f := range fields {
		if word, ok := f.Whole(text); ok {
			return []string{word}
		}
	}
	return search.Words(text)
}

// Whole checks whether a text is one of the column's numbers, and returns the digits to look for.
func (f Field) Whole(text string) (word string, ok bool) {
	if f.digits.Width == 0 {
		return "", false
	}
	normal, ok := f.spell(strings.TrimSpace(text))
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
	spellings := f.digits.Of(n)
	if slices.ContainsFunc(spellings, func(s string) bool { return strings.Contains(s, written) }) {
		return written, true
	}
	return spellings[0], true
}
