package segment

import "slices"

// IsAny tells whether a query matches every record.
func (q Query) IsAny() bool { return len(q.Words)+len(q.InName)+len(q.Where) == 0 }

// Add adds conditions to those that a query has.
func (q *Query) Add(conditions ...Condition) { q.Where = append(q.Where, conditions...) }

// In is true for the records whose number is one of some; without any, for none.
func In(field string, numbers ...int64) Condition {
	set := slices.Clone(numbers)
	slices.Sort(set)
	return Condition{Field: field, Is: OneOf, Set: slices.Compact(set)}
}

// Has is true for the records that have a value.
func Has(field string) Condition { return Not(HasNone(field)) }

// HasNone is true for the records that have no value.
func HasNone(field string) Condition { return Condition{Field: field, Is: Missing} }

// Holding is true for the records that hold all of some folded words, as Query.Words.
func Holding(words ...string) Condition { return Condition{Words: words} }

// AnyOf is true where one of some conditions is.
func AnyOf(conditions ...Condition) Condition { return Condition{Any: conditions} }

// Not is the opposite of a condition.
func Not(c Condition) Condition {
	c.Not = !c.Not
	return c
}

// Takes tells whether a number fits a condition on a column of numbers.
func (c Condition) Takes(n int64) bool {
	fits := false
	switch c.Is {
	case Within:
		fits = slices.ContainsFunc(c.Spans, func(s Span) bool { return s.Low <= n && n <= s.High })
	case OneOf:
		_, fits = slices.BinarySearch(c.Set, n)
	case Missing, Among, Between:
	}
	return fits != c.Not
}
