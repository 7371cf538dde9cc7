package segment

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
)

// bounds are what bounds the memory that a Stream takes.
type bounds struct {
	first  int // up to which position, and which size, a page is found by keeping the first rows of all views
	sample int // how many matches of a view tell where a page is that lies further back
	sorted int // about how many rows are put into order at a time
}

// usual are enough for a sample to mislead rarely; keys of names and some numbers take some 100 bytes a row.
func usual() bounds { return bounds{first: 50_000, sample: 1 << 14, sorted: 500_000} }

// Stream goes through views of different records that together are all that is searched. It calls do with one after the other, so that
// they needn't be in memory together. What a Stream answers has to be the same each time.
type Stream func(do func(v *View)) error

// Find is Find of all the views together. A row takes its place among those of other views by a key that has all fields of the order.
// Only keys are kept: those of the first rows, where the page is near the front. Otherwise a first pass takes a sample, which
// tells between which keys the page lies, and another pass keeps what is there.
func (s Stream) Find(q Query) (ids []int64, count int, err error) { return s.find(q, usual()) }

func (s Stream) find(q Query, b bounds) (ids []int64, count int, err error) {
	if q.Offset <= b.first && q.Size <= b.first {
		return s.first(q, 2*b.first)
	}
	marks, count, err := s.marks(q, b.sample)
	from, to := q.page(count)
	for margin := count/64 + 1; err == nil && len(ids) < to-from && margin/4 <= count; margin *= 4 { // the sample may mislead
		ids, err = s.between(q, marks, from, to, margin, b.sorted)
	}
	return ids, count, err
}

// matched are the matches of a query, and what puts them into order.
func (v *View) matched(q Query) (matches, *pager) {
	m := v.match(q)
	return m, &pager{levels: v.levels(q.Order, m)}
}

// first finds a page by keeping the first rows, of which there may be at most most.
func (s Stream) first(q Query, most int) (ids []int64, count int, err error) {
	var rows []string
	_, most = q.page(most)
	err = s(func(v *View) {
		m, p := v.matched(q)
		if m.count > 0 && most > 0 {
			p.find(m, 0, 0, min(m.count, most))
			for _, h := range p.hits {
				rows = append(rows, string(p.key(nil, h)))
			}
			sort.Strings(rows)
			rows = rows[:min(len(rows), most)]
		}
		count += m.count
	})
	from, to := q.page(len(rows))
	return idsOf(q, rows[from:to]), count, err
}

// mark is a row of a sample.
type mark struct {
	key  string
	rows int // how many it stands for
}

// marks are some of the rows, in their order.
func (s Stream) marks(q Query, sample int) (marks []mark, count int, err error) {
	err = s(func(v *View) {
		m, p := v.matched(q)
		n := m.count/sample + 1
		for _, h := range m.every(n) {
			marks = append(marks, mark{string(p.key(nil, h)), n})
		}
		count += m.count
	})
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.key, b.key) })
	return marks, count, err
}

// between finds a page between two marks that lie a margin before and after it. It finds less if the margin is too small. It puts
// about so many rows into order at a time as sorted says.
func (s Stream) between(q Query, marks []mark, from, to, margin, sorted int) (ids []int64, err error) {
	low, at, since, before := "", 0, 0, -1
	add := func(high string) error {
		rows, less, err := s.window(q, low, high)
		if before < 0 {
			before = less
		}
		sort.Strings(rows)
		if before <= from+len(ids) {
			first := min(from+len(ids)-before, len(rows))
			ids = append(ids, idsOf(q, rows[first:max(first, min(to-before, len(rows)))])...)
		}
		low, since, before = high, 0, before+len(rows)
		return err
	}
	for _, m := range marks {
		at += m.rows
		switch {
		case at <= from-margin:
			low = m.key
		case at >= to+margin:
			err = add(m.key)
			return ids, err
		default:
			if since += m.rows; since >= sorted {
				if err := add(m.key); err != nil {
					return nil, err
				}
			}
		}
	}
	err = add("")
	return ids, err
}

// window are the keys of rows from a low one up to before a high one, and how many are below; an empty key has no end.
func (s Stream) window(q Query, low, high string) (rows []string, less int, err error) {
	err = s(func(v *View) {
		m, p := v.matched(q)
		var key []byte
		for source := range m.rows {
			m.rows[source].each(func(row int) bool {
				key = p.key(key[:0], hit{row: uint32(row), source: uint32(source)})
				switch {
				case string(key) < low:
					less++
				case high == "" || string(key) < high:
					rows = append(rows, string(key))
				}
				return true
			})
		}
	})
	return rows, less, err
}

// key appends the fields of the order of a row, so that comparing the bytes compares rows of any views. It ends with the id.
func (p *pager) key(key []byte, h hit) []byte {
	for i := range p.levels {
		key = p.levels[i].append(key, h)
	}
	return key
}

func (l *level) append(key []byte, h hit) []byte {
	n := l.key(int(h.source), h.row)
	if !l.text {
		return binary.BigEndian.AppendUint64(key, n)
	}
	from, at := len(key), l.turn(n)
	if at == absent {
		key = append(key, escape, escape) // beyond all texts: no character begins so
	} else {
		key = append(append(key, l.sources[h.source].at(int(at))...), 0) // no text has a 0, so the shorter one comes first
	}
	for i := from; l.descending && i < len(key); i++ {
		key[i] = ^key[i]
	}
	return key
}

// idsOf are the ids of rows, with which their keys end.
func idsOf(q Query, rows []string) []int64 {
	last := level{descending: true}
	for _, by := range q.Order {
		if by.Field == ID {
			last.descending = by.Descending
			break
		}
	}
	ids := make([]int64, len(rows))
	for i, row := range rows {
		key := last.turn(binary.BigEndian.Uint64([]byte(row[len(row)-8:])))
		ids[i] = int64((key + 1) ^ 1<<63) // the opposite of keyOf
	}
	return ids
}
