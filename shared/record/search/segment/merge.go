package segment

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// none is no row, or no word.
const none = math.MaxUint32

// merge is several segments that become one.
type merge struct {
	shape    Shape
	inputs   []*Segment
	from     []uint8  // of each new row: its segment
	row      []uint32 // and its row there
	newRow   [][]uint32
	newWord  [][]uint32
	newTexts [][][]uint32 // by column and segment
	columns  [][]*column  // by column and segment; nil if a segment has none
}

// Limit is how much a merged segment may have.
type Limit struct {
	IDs         Span // other rows are left out
	Rows, Bytes int
}

// Merge makes one segment of several, the oldest first, and of changes. Of two rows of one id the one with the greater
// Changed counts, of equal ones the later. dropGone leaves out those that are gone. Rows of a segment without a column have
// no value in it. If what has ids in the range is too large for one segment, it makes none, and returns before which ids the
// range is to be cut into parts of as many rows each.
func Merge(
	shape Shape, segments []*Segment, changes []Entry, dropGone bool, limit Limit,
) (data []byte, cuts []int64, err error) {
	m := merge{shape: shape, inputs: slices.Clip(segments)}
	if len(changes) > 0 {
		built, err := Build(shape, slices.Values(latest(changes)))
		if err != nil {
			return nil, nil, err
		}
		last, err := Open(built)
		if err != nil {
			return nil, nil, err
		}
		m.inputs = append(m.inputs, last)
	}
	if len(m.inputs) > math.MaxUint8 {
		return nil, nil, ErrTooLarge
	}
	m.pick(dropGone, limit.IDs)
	if len(m.from) <= limit.Rows {
		if data, err = m.segment(); err != nil || len(data) <= limit.Bytes || len(m.from) < 2 {
			return data, nil, err
		}
	}
	parts := max((len(m.from)+limit.Rows-1)/limit.Rows, 2)
	for i := 1; i < parts; i++ {
		cuts = append(cuts, m.id(len(m.from)*i/parts))
	}
	return nil, cuts, nil
}

// id is the id of a new row.
func (m *merge) id(row int) int64 { return m.inputs[m.from[row]].ids.value(int(m.row[row])) }

// segment writes the rows that were picked.
func (m *merge) segment() ([]byte, error) {
	shape := m.shape
	r := rows{
		shape: shape, count: len(m.from), texts: make([]stored, len(shape)),
		id:      m.id,
		changed: func(row int) int64 { return m.inputs[m.from[row]].changed.value(int(m.row[row])) },
		gone:    func(row int) bool { return m.inputs[m.from[row]].gone.at(int(m.row[row])) != 0 },
		value:   m.value,
	}
	m.words(&r)
	m.texts(&r)
	r.order = m.order(&r)
	about, count := 0, 0
	for _, s := range m.inputs {
		about, count = about+s.bytes, count+s.rows
	}
	if kept := len(m.from); kept < count/2 { // as of a part of a range
		about = about/count*kept + about/8
	}
	return r.segment(about)
}

// latest are the entries that count, one of each id, ascending.
func latest(changes []Entry) []Entry {
	order := make([]int, len(changes)) // their indices, which move faster than they do
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &changes[i], &changes[j]
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Changed, b.Changed), cmp.Compare(i, j))
	})
	kept := make([]Entry, 0, len(changes))
	for i, at := range order {
		if i+1 == len(order) || changes[order[i+1]].ID != changes[at].ID {
			kept = append(kept, changes[at])
		}
	}
	return kept
}

// pick finds the rows that count, in a range of ids.
func (m *merge) pick(dropGone bool, ids Span) {
	m.newRow = make([][]uint32, len(m.inputs))
	for s, input := range m.inputs {
		m.newRow[s] = make([]uint32, input.rows)
		for row := range m.newRow[s] {
			m.newRow[s][row] = none
		}
	}
	next := make([]int, len(m.inputs))
	for {
		best, id := -1, int64(0)
		for s, input := range m.inputs {
			if next[s] == input.rows {
				continue
			}
			other := input.ids.value(next[s])
			if best < 0 || other < id || other == id &&
				input.changed.value(next[s]) >= m.inputs[best].changed.value(next[best]) {
				best, id = s, other
			}
		}
		if best < 0 {
			return
		}
		row := next[best]
		for s, input := range m.inputs {
			if next[s] < input.rows && input.ids.value(next[s]) == id {
				next[s]++
			}
		}
		if dropGone && m.inputs[best].gone.at(row) != 0 || id < ids.Low || id > ids.High {
			continue
		}
		m.newRow[best][row] = uint32(len(m.from))
		m.from = append(m.from, uint8(best))
		m.row = append(m.row, uint32(row))
	}
}

// unite merges ascending lists of texts. Of each it takes those whose new number isn't none, and sets that.
func unite(lists []*list, renumbered [][]uint32) (united stored) {
	next := make([]int, len(lists))
	for s := range lists {
		next[s] = nextUsed(renumbered[s], 0)
	}
	for {
		var least []byte
		best := -1
		for s, list := range lists {
			if next[s] < len(renumbered[s]) {
				if text := list.at(next[s]); best < 0 || bytes.Compare(text, least) < 0 {
					best, least = s, text
				}
			}
		}
		if best < 0 {
			return united
		}
		for s, list := range lists {
			if next[s] < len(renumbered[s]) && (s == best || bytes.Equal(list.at(next[s]), least)) {
				renumbered[s][next[s]] = uint32(united.count)
				next[s] = nextUsed(renumbered[s], next[s]+1)
			}
		}
		united.add(least)
	}
}

func nextUsed(renumbered []uint32, from int) int {
	for from < len(renumbered) && renumbered[from] == none {
		from++
	}
	return from
}

// unused are numbers of texts, of which none is used yet.
func unused(count int) []uint32 {
	numbers := make([]uint32, count)
	for i := range numbers {
		numbers[i] = none
	}
	return numbers
}

// words merges the words, and writes the rows with their new numbers.
func (m *merge) words(r *rows) {
	lists := make([]*list, len(m.inputs))
	m.newWord = make([][]uint32, len(m.inputs))
	for s, input := range m.inputs {
		lists[s], m.newWord[s] = &input.words, unused(input.words.len())
		for _, f := range []*field{&input.name, &input.more} {
			if f.starts == nil {
				continue
			}
			for row, to := range m.newRow[s] {
				if to == none {
					continue
				}
				for i := f.starts[row]; i < f.starts[row+1]; i++ {
					m.newWord[s][f.words.value(int(i))] = 0
				}
			}
		}
	}
	r.words = unite(lists, m.newWord)
	m.field(&r.name, func(s *Segment) *field { return &s.name })
	m.field(&r.more, func(s *Segment) *field { return &s.more })
}

func (m *merge) field(to *fields, of func(s *Segment) *field) {
	total := 0
	for _, input := range m.inputs {
		total += of(input).words.count
	}
	to.words = make([]uint32, 0, total)
	to.starts = append(make([]uint32, 0, len(m.from)+1), 0)
	for i, s := range m.from {
		if f := of(m.inputs[s]); f.starts != nil {
			for at := f.starts[m.row[i]]; at < f.starts[m.row[i]+1]; at++ {
				to.words = append(to.words, m.newWord[s][f.words.value(int(at))])
			}
		}
		to.end()
	}
}

// texts merges the lists of the columns of texts.
func (m *merge) texts(r *rows) {
	m.newTexts = make([][][]uint32, len(m.shape))
	m.columns = make([][]*column, len(m.shape))
	for c, of := range m.shape {
		m.columns[c] = make([]*column, len(m.inputs))
		m.newTexts[c] = make([][]uint32, len(m.inputs))
		lists := make([]*list, len(m.inputs))
		for s, input := range m.inputs {
			column := input.column(of.Letter, of.Text)
			if m.columns[c][s] = column; column == nil || !of.Text {
				continue
			}
			lists[s], m.newTexts[c][s] = &column.texts, unused(column.texts.len())
			for row, to := range m.newRow[s] {
				if v := column.value(row); to != none && v != missing {
					m.newTexts[c][s][v] = 0
				}
			}
		}
		if of.Text {
			r.texts[c] = unite(lists, m.newTexts[c])
		}
	}
}

func (m *merge) value(c, row int) int64 {
	s := m.from[row]
	if m.columns[c][s] == nil {
		return missing
	}
	v := m.columns[c][s].value(int(m.row[row]))
	if v == missing || !m.shape[c].Text {
		return v
	}
	return int64(m.newTexts[c][s][v])
}

// order merges the orders by name, the last and smallest ones first.
func (m *merge) order(r *rows) (merged []uint32) {
	for s, input := range slices.Backward(m.inputs) {
		kept := make([]uint32, 0, len(m.from))
		for i := range input.rows {
			if to := m.newRow[s][input.order.value(i)]; to != none {
				kept = append(kept, to)
			}
		}
		merged = mergeOrders(kept, merged, r)
	}
	return merged
}

func mergeOrders(a, b []uint32, r *rows) []uint32 {
	if len(b) == 0 {
		return a
	}
	merged := make([]uint32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if r.byName(a[0], b[0]) <= 0 {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	return append(append(merged, a...), b...)
}
