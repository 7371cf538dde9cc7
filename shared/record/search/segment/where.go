package segment

import (
	"bytes"
	"math/bits"
	"slices"
)

// condition is a Condition with what is needed to compare.
type condition struct {
	Condition
	either    []condition
	words     []word
	texts     [][]byte
	low, high []byte
}

func newConditions(where []Condition) []condition {
	conditions := make([]condition, len(where))
	for i, w := range where {
		c := condition{Condition: w, either: newConditions(w.Any), words: newWords(w.Words)}
		for _, text := range w.Texts {
			c.texts = append(c.texts, Encode(text))
		}
		if w.Low != nil {
			c.low = Encode(*w.Low)
		}
		if w.High != nil {
			c.high = Encode(*w.High)
		}
		conditions[i] = c
	}
	return conditions
}

// where returns the rows of among for which a condition is true.
func (v *View) where(p *part, c *condition, among set) set {
	var found set
	switch {
	case c.Field != "":
		found = p.compare(c, among)
	case c.Words != nil:
		found = among.clone()
		for i := range c.words {
			found.keep(v.word(p, &c.words[i], middle, found))
		}
	default:
		found = newSet(p.rows)
		for i := range c.either {
			found.unite(v.where(p, &c.either[i], among))
		}
	}
	if !c.Not {
		return found
	}
	rest := among.clone()
	rest.remove(found)
	return rest
}

// compare returns the rows of among for which a condition on one field is true.
func (s *Segment) compare(c *condition, among set) set {
	switch c.Is {
	case Missing:
		return s.missing(c.Field, among)
	case Within:
		if n := s.numbers(c.Field); n != nil {
			return n.within(c.Spans, among)
		}
	case OneOf:
		if c.Field == ID {
			return s.idsOf(c.Set, among)
		}
		if n := s.numbers(c.Field); n != nil {
			return n.oneOf(c.Set, among)
		}
	case Among:
		if t := s.column(c.Field, true); t != nil {
			return t.among(c.texts, among)
		}
	case Between:
		if t := s.column(c.Field, true); t != nil {
			return t.between(c.low, c.high, c.Low != nil, c.High != nil, among)
		}
	}
	return newSet(s.rows)
}

func (s *Segment) missing(letter string, among set) set {
	if letter == ID {
		return newSet(s.rows)
	}
	i := s.shape.column(letter)
	if i < 0 {
		return among.clone()
	}
	n := &s.columns[i].numbers
	return n.filter(among, func(stored uint64) bool { return stored == 0 })
}

// filter returns the rows of among whose stored value passes a test.
func (n *numbers) filter(among set, test func(stored uint64) bool) set {
	found := newSet(n.count)
	for i, word := range among {
		for ; word != 0; word &= word - 1 {
			if test(n.at(i<<6 + bits.TrailingZeros64(word))) {
				found[i] |= word & -word
			}
		}
	}
	return found
}

func (n *numbers) within(spans []Span, among set) set {
	var stored []Span
	for _, span := range spans {
		if from, to := n.stored(span); from <= to {
			stored = append(stored, Span{int64(from), int64(to - from)})
		}
	}
	if len(stored) == 1 {
		from, length := uint64(stored[0].Low), uint64(stored[0].High)
		return n.filter(among, func(v uint64) bool { return v-from <= length })
	}
	return n.filter(among, func(v uint64) bool {
		return slices.ContainsFunc(stored, func(s Span) bool { return v-uint64(s.Low) <= uint64(s.High) })
	})
}

// mostBits is the widest range of wanted values that oneOf keeps as a set of bits. In a wider range it looks each value up in the list.
const mostBits = 1 << 24

func (n *numbers) oneOf(ascending []int64, among set) set {
	if len(ascending) == 0 {
		return newSet(n.count)
	}
	least, most := ascending[0], ascending[len(ascending)-1]
	if uint64(most)-uint64(least) < mostBits {
		wanted := newSet(int(most-least) + 1)
		for _, v := range ascending {
			wanted.add(int(v - least))
		}
		from, count := uint64(least)-n.base, uint64(most)-uint64(least)
		return n.filter(among, func(stored uint64) bool {
			return stored != 0 && stored-from <= count && wanted.has(int(stored-from))
		})
	}
	return n.filter(among, func(stored uint64) bool {
		_, found := slices.BinarySearch(ascending, int64(stored+n.base))
		return found && stored != 0
	})
}

func (s *Segment) idsOf(ascending []int64, among set) set {
	found := newSet(s.rows)
	var row int
	var is bool
	for _, id := range ascending {
		if row, is = s.find(id, row); is && among.has(row) {
			found.add(row)
		}
	}
	return found
}

func (c *column) among(texts [][]byte, among set) set {
	wanted, known := newSet(c.texts.len()+1), false
	for _, text := range texts {
		if at, found := c.texts.find(text); found {
			wanted.add(at + 1)
			known = true
		}
	}
	if !known {
		return newSet(c.count)
	}
	return c.filter(among, func(stored uint64) bool {
		return stored != 0 && wanted.has(int(stored+c.base+1))
	})
}

func (c *column) between(low, high []byte, isLow, isHigh bool, among set) set {
	from, to := 0, c.texts.len()
	if isLow {
		from, _ = c.texts.find(low)
	}
	if isHigh {
		at, found := c.texts.find(high)
		if to = at; found {
			to++
		}
	}
	return c.within([]Span{{int64(from), int64(to) - 1}}, among)
}

// meets tells whether a condition is true for an entry.
func (v *View) meets(e *Entry, c *condition) (meets bool) {
	switch {
	case c.Field != "":
		meets = e.compare(c)
	case c.Words != nil:
		meets = true
		for i := range c.words {
			meets = meets && v.has(e, &c.words[i])
		}
	default:
		for i := range c.either {
			meets = meets || v.meets(e, &c.either[i])
		}
	}
	return meets != c.Not
}

func (e *Entry) compare(c *condition) bool {
	number, isNumber := e.number(c.Field)
	text, isText := e.Texts[c.Field]
	switch c.Is {
	case Missing:
		return !isNumber && !isText
	case Within:
		return isNumber && slices.ContainsFunc(c.Spans, func(s Span) bool { return s.Low <= number && number <= s.High })
	case OneOf:
		_, found := slices.BinarySearch(c.Set, number)
		return isNumber && found
	case Among:
		return isText && slices.Contains(c.Condition.Texts, text)
	case Between:
		if !isText {
			return false
		}
		encoded := Encode(text)
		return (c.Low == nil || bytes.Compare(c.low, encoded) <= 0) && (c.High == nil || bytes.Compare(encoded, c.high) <= 0)
	}
	return false
}

func (e *Entry) number(field string) (n int64, ok bool) {
	if field == ID {
		return e.ID, true
	}
	n, ok = e.Numbers[field]
	return n, ok
}
