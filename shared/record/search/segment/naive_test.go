package segment_test

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// naive answers queries as their documentation says, entry by entry.
type naive struct {
	shape   segment.Shape
	entries []segment.Entry
}

// newest are the entries that count among several versions, in the order in which these came.
func newest(lists ...[]segment.Entry) (kept []segment.Entry) {
	last := map[int64]segment.Entry{}
	for _, list := range lists {
		for _, e := range list {
			if before, known := last[e.ID]; !known || e.Changed >= before.Changed {
				last[e.ID] = e
			}
		}
	}
	for _, e := range last {
		kept = append(kept, e)
	}
	slices.SortFunc(kept, func(a, b segment.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return kept
}

func newNaive(shape segment.Shape, lists ...[]segment.Entry) *naive {
	return &naive{shape, slices.DeleteFunc(newest(lists...), func(e segment.Entry) bool { return e.Gone })}
}

func (n *naive) find(q segment.Query) (ids []int64, count int) {
	matched := n.matched(q)
	slices.SortFunc(matched, func(a, b segment.Entry) int { return n.compare(q, a, b) })
	for i, e := range matched {
		if i >= q.Offset && i < q.Offset+q.Size {
			ids = append(ids, e.ID)
		}
	}
	return ids, len(matched)
}

func (n *naive) matched(q segment.Query) (matched []segment.Entry) {
	for _, e := range n.entries {
		if n.matches(q, e) {
			matched = append(matched, e)
		}
	}
	return matched
}

func (n *naive) matches(q segment.Query, e segment.Entry) bool {
	for _, w := range q.InName {
		if !strings.Contains(e.Name, w) {
			return false
		}
	}
	for _, c := range q.Where {
		if !n.holds(c, e) {
			return false
		}
	}
	return n.hasAll(q.Words, e)
}

func (n *naive) hasAll(words []string, e segment.Entry) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return n.class(w, e) < 0 })
}

// class is the best class of a word; -1 if the entry doesn't have it.
func (n *naive) class(word string, e segment.Entry) int {
	best := -1
	look := func(in, part string) {
		class := -1
		switch {
		case in == part:
			class = 0
		case strings.HasPrefix(in, part):
			class = 1
		case strings.Contains(in, part):
			class = 2
		}
		if class >= 0 && (best < 0 || class < best) {
			best = class
		}
	}
	const signs = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~«»“”„–—’…№₸€°±·"
	for _, in := range strings.Fields(e.Name + " " + e.More) {
		look(in, word)
		inner := strings.TrimLeft(in, signs)
		for _, from := range []string{in, inner} {
			if rest, begins := strings.CutPrefix(from, word); begins && strings.Trim(rest, signs) == "" {
				look(word, word)
			}
		}
		look(inner, word)
	}
	digits := word
	for _, c := range "+()-" {
		digits = strings.ReplaceAll(digits, string(c), "")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return best
	}
	for _, c := range n.shape {
		if number, ok := e.Numbers[c.Letter]; ok {
			for _, spelling := range c.Digits.Of(number) {
				look(spelling, digits)
			}
		}
	}
	return best
}

func (n *naive) holds(c segment.Condition, e segment.Entry) bool {
	return n.isTrue(c, e) != c.Not
}

func (n *naive) isTrue(c segment.Condition, e segment.Entry) bool {
	switch {
	case c.Any != nil:
		return slices.ContainsFunc(c.Any, func(one segment.Condition) bool { return n.holds(one, e) })
	case c.Words != nil:
		return n.hasAll(c.Words, e)
	}
	number, isNumber := e.Numbers[c.Field]
	if c.Field == segment.ID {
		number, isNumber = e.ID, true
	}
	text, isText := e.Texts[c.Field]
	switch c.Is {
	case segment.Missing:
		return !isNumber && !isText
	case segment.Within:
		return isNumber && slices.ContainsFunc(c.Spans, func(s segment.Span) bool { return s.Low <= number && number <= s.High })
	case segment.OneOf:
		return isNumber && slices.Contains(c.Set, number)
	case segment.Among:
		return isText && slices.Contains(c.Texts, text)
	case segment.Between:
		return isText && (c.Low == nil || compareTexts(*c.Low, text) <= 0) && (c.High == nil || compareTexts(text, *c.High) <= 0)
	}
	return false
}

func compareTexts(a, b string) int { return bytes.Compare(segment.Encode(a), segment.Encode(b)) }

func (n *naive) rank(q segment.Query, e segment.Entry) (sum int) {
	for _, w := range q.Words {
		sum += n.class(w, e)
	}
	return sum
}

func (n *naive) compare(q segment.Query, a, b segment.Entry) int {
	for _, by := range q.Order {
		var c int
		switch {
		case by.Field == segment.ID:
			c = cmp.Compare(a.ID, b.ID)
		case by.Field == segment.Name:
			c = compareTexts(a.Name, b.Name)
		case by.Field == segment.Rank:
			c = cmp.Compare(n.rank(q, a), n.rank(q, b))
		case by.Text:
			textA, isA := a.Texts[by.Field]
			textB, isB := b.Texts[by.Field]
			if c = lastWithout(isA, isB); c == 0 {
				c = compareTexts(textA, textB)
			}
		default:
			numberA, isA := a.Numbers[by.Field]
			numberB, isB := b.Numbers[by.Field]
			if c = lastWithout(isA, isB); c == 0 {
				c = cmp.Compare(numberA, numberB)
			}
		}
		if by.Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(b.ID, a.ID)
}

func lastWithout(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
