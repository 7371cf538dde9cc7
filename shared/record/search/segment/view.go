package segment

import (
	"iter"
	"math"
	"slices"
)

// Set is segments that belong together. Of several rows of one record only the latest counts.
type Set struct{ parts []part }

// part is a segment of a set.
type part struct {
	*Segment
	live set // the rows that count and aren't gone
}

// Everything is the range of all ids.
func Everything() Span { return Span{math.MinInt64, math.MaxInt64} }

// NewSet puts segments together, the oldest first. It takes a few milliseconds where they have large parts of the same
// records, so it pays to keep a set.
func NewSet(segments []*Segment) *Set { return NewRange(segments, Everything()) }

// NewRange puts together what segments have of a range of ids. A view of it wants the changes of this range alone.
func NewRange(segments []*Segment, ids Span) *Set {
	s := &Set{make([]part, len(segments))}
	for i, segment := range segments {
		live := allOf(segment.rows)
		first, last := segment.within(ids)
		live.cut(first, last)
		if segment.gone.width > 0 {
			live = segment.gone.filter(live, func(stored uint64) bool { return stored == 0 })
		}
		s.parts[i] = part{segment, live}
	}
	for i := range s.parts {
		for j := range i {
			outdate(&s.parts[j], &s.parts[i], ids)
		}
	}
	return s
}

// outdate drops the rows of two segments that the other has a later version of, in a range of ids.
func outdate(older, newer *part, ids Span) {
	few, many := newer, older
	first, last := few.within(ids)
	if from, to := many.within(ids); to-from < last-first {
		few, many, first, last = many, few, from, to
	}
	if first == last || many.rows == 0 || few.ids.value(last-1) < many.ids.value(0) {
		return
	}
	var at int
	var found bool
	for row := first; row < last; row++ {
		if at, found = many.find(few.ids.value(row), at); !found {
			if at == many.rows {
				return
			}
			continue
		}
		if few.changed.value(row) == many.changed.value(at) && few == newer || few.changed.value(row) > many.changed.value(at) {
			many.live.drop(at)
		} else {
			few.live.drop(row)
		}
	}
}

// View is a set with the changes since its segments were made. It answers queries.
type View struct {
	shape   Shape
	parts   []part
	changes []Entry // those that count, ascending
}

// NewView is a view of segments, the oldest first, and changes in any order.
func NewView(shape Shape, segments []*Segment, changes []Entry) *View {
	return NewSet(segments).View(shape, changes)
}

// View is the set with changes, in any order. Of two versions of one record the one with the greater Changed counts, of
// equal ones the later. The shape is what columns records have now.
func (s *Set) View(shape Shape, changes []Entry) *View {
	v := &View{shape: shape, parts: slices.Clone(s.parts)}
	own := make([]bool, len(v.parts)) // the live rows are a copy
	for i := 1; i < len(changes); i++ {
		if changes[i].ID <= changes[i-1].ID {
			changes = latest(changes)
			break
		}
	}
	v.changes = make([]Entry, 0, len(changes))
	for _, e := range changes {
		counts := true
		for i := range v.parts {
			p := &v.parts[i]
			row, found := p.find(e.ID, 0)
			if !found {
				continue
			}
			if p.changed.value(row) > e.Changed {
				counts = false
				continue
			}
			if !own[i] {
				p.live, own[i] = p.live.clone(), true
			}
			p.live.drop(row)
		}
		if counts && !e.Gone {
			v.changes = append(v.changes, e)
		}
	}
	return v
}

// Knows tells whether the segments have all the columns that a query asks for. Otherwise a record may have values of
// them that its segment doesn't know.
func (v *View) Knows(q Query) bool {
	for i := range v.parts {
		if !v.knows(v.parts[i].Segment, q) {
			return false
		}
	}
	return true
}

func (v *View) knows(s *Segment, q Query) bool {
	for _, by := range q.Order {
		if by.Field != ID && by.Field != Name && by.Field != Rank && s.column(by.Field, by.Text) == nil {
			return false
		}
	}
	return v.knowsWords(s, q.Words) && v.knowsAll(s, q.Where)
}

func (v *View) knowsAll(s *Segment, where []Condition) bool {
	for _, c := range where {
		if c.Field != "" && c.Field != ID {
			i := s.shape.column(c.Field)
			text := c.Is == Among || c.Is == Between
			if i < 0 || c.Is != Missing && s.shape[i].Text != text {
				return false
			}
		}
		if !v.knowsWords(s, c.Words) || !v.knowsAll(s, c.Any) {
			return false
		}
	}
	return true
}

// knowsWords tells whether a segment has the numbers that words of digits may find.
func (v *View) knowsWords(s *Segment, words []string) bool {
	asked := slices.ContainsFunc(words, func(w string) bool { return digitsOf(w) != "" })
	return !asked || !slices.ContainsFunc(v.shape, func(c Column) bool {
		return c.Digits.Width > 0 && !c.Text && s.column(c.Letter, false) == nil
	})
}

// matches are the rows that a query matches.
type matches struct {
	words []word
	rows  []set // by source: the parts, then positions in the changes
	count int
}

func (v *View) match(q Query) matches {
	m := matches{words: newWords(q.Words), rows: make([]set, len(v.parts)+1)}
	inName, where := newWords(q.InName), newConditions(q.Where)
	for i := range v.parts {
		p := &v.parts[i]
		rows := p.live.clone()
		for w := 0; w < len(inName) && rows.any(); w++ {
			found := newSet(p.rows)
			p.addRows(found, &p.name, &inName[w], middle)
			rows.keep(found)
		}
		for w := 0; w < len(m.words) && rows.any(); w++ {
			rows.keep(v.word(p, &m.words[w], middle, rows))
		}
		for c := 0; c < len(where) && rows.any(); c++ {
			rows = v.where(p, &where[c], rows)
		}
		m.rows[i] = rows
		m.count += rows.count()
	}
	changes := newSet(len(v.changes))
	for i := range v.changes {
		if v.matches(&v.changes[i], m.words, inName, where) {
			changes.add(i)
			m.count++
		}
	}
	m.rows[len(v.parts)] = changes
	return m
}

func (v *View) matches(e *Entry, words, inName []word, where []condition) bool {
	for i := range inName {
		if !inName[i].within(e.Name) {
			return false
		}
	}
	for i := range words {
		if !v.has(e, &words[i]) {
			return false
		}
	}
	for i := range where {
		if !v.meets(e, &where[i]) {
			return false
		}
	}
	return true
}

// Each are all records that a query matches, in no particular order. Neither its order nor its page matters.
func (v *View) Each(q Query) iter.Seq[Row] { return v.all(v.match(q)) }

func (v *View) all(m matches) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for i, rows := range m.rows {
			next := rows.each(func(row int) bool {
				if i == len(v.parts) {
					return yield(Row{entry: &v.changes[row]})
				}
				return yield(Row{segment: v.parts[i].Segment, row: row})
			})
			if !next {
				return
			}
		}
	}
}

// Row is what is known of one record that a query matches.
type Row struct {
	segment *Segment
	row     int
	entry   *Entry
}

// ID is the number of the record.
func (r Row) ID() int64 {
	if r.entry != nil {
		return r.entry.ID
	}
	return r.segment.ids.value(r.row)
}

// Number is the value of a column of numbers, if the record has one.
func (r Row) Number(letter string) (n int64, ok bool) {
	if r.entry != nil {
		n, ok = r.entry.Numbers[letter]
		return n, ok
	}
	if c := r.segment.column(letter, false); c != nil {
		if v := c.value(r.row); v != missing {
			return v, true
		}
	}
	return 0, false
}

// Entry is all that is known of the record.
func (r Row) Entry() Entry {
	if r.entry != nil {
		return *r.entry
	}
	return r.segment.entry(r.row)
}
