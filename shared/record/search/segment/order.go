package segment

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// level is one field of an order. Each source of records, a part or the changes, has keys for its rows that ascend in
// this order; keys of numbers mean the same in all sources, those of texts are positions in lists of their own.
type level struct {
	sources    []keys // by part, the changes last
	text       bool
	descending bool
}

// keys are the keys of one source. A row without a value has the greatest, which is absent for texts.
type keys struct {
	of   func(row uint32) uint64
	find func(text []byte) (at int, found bool) // the first position whose text isn't less, and whether it is equal
	at   func(i int) []byte                     // the text at a position, good until the next call

	byRow bool // the keys ascend with the rows
	rows  int  // how many rows there are, if byRow
}

// absent is beyond any position of a text.
const absent = 1 << 40

// key is the key of a row, in the direction of the order.
func (l *level) key(source int, row uint32) uint64 { return l.turn(l.sources[source].of(row)) }

// turn turns a key into one of a descending order, or back.
func (l *level) turn(key uint64) uint64 {
	switch {
	case !l.descending:
		return key
	case l.text:
		return absent - key
	}
	return ^key
}

// bound is where a key of one source comes among those of another: keys below come before it, and the same key is equal
// if there is one.
func (l *level) bound(key uint64, from, to int) (bound uint64, equal bool) {
	ascending := l.turn(key)
	if !l.text || from == to || ascending == absent {
		return key, true
	}
	at, found := l.sources[to].find(l.sources[from].at(int(ascending)))
	bound = l.turn(uint64(at))
	if l.descending && !found {
		bound++ // what is found there is greater, so it comes before
	}
	return bound, found
}

// compare compares two rows by their keys.
func (l *level) compare(a, b hit) int {
	if !l.text || a.source == b.source || l.turn(a.key) == absent || l.turn(b.key) == absent {
		return cmp.Compare(a.key, b.key)
	}
	textA := bytes.Clone(l.sources[a.source].at(int(l.turn(a.key))))
	c := bytes.Compare(textA, l.sources[b.source].at(int(l.turn(b.key))))
	if l.descending {
		return -c
	}
	return c
}

// keyOf is the key of a number: missing is the greatest.
func keyOf(n int64) uint64 { return uint64(n) ^ 1<<63 - 1 }

// levels are the fields of an order, down to one in which no two records are equal.
func (v *View) levels(order []By, m matches) (levels []level) {
	for _, by := range order {
		levels = append(levels, v.level(by, m))
		if by.Field == ID {
			return levels
		}
	}
	return append(levels, v.level(By{Field: ID, Descending: true}, m))
}

func (v *View) level(by By, m matches) level {
	l := level{descending: by.Descending, text: by.Text || by.Field == Name}
	l.sources = make([]keys, 0, len(v.parts)+1)
	for i := range v.parts {
		p := &v.parts[i]
		switch {
		case by.Field == Rank:
			l.sources = append(l.sources, keys{of: v.ranks(p, m.words, m.rows[i])})
		case by.Field == Name:
			l.sources = append(l.sources, p.nameKeys())
		case by.Text:
			l.sources = append(l.sources, p.column(by.Field, true).keys())
		default:
			l.sources = append(l.sources, keys{of: p.numbers(by.Field).keys(), byRow: by.Field == ID, rows: p.rows})
		}
	}
	l.sources = append(l.sources, v.changeKeys(by, l.text, m))
	return l
}

func (n *numbers) keys() func(row uint32) uint64 {
	if n == nil {
		return func(uint32) uint64 { return math.MaxUint64 }
	}
	base := n.base ^ 1<<63 - 1
	return func(row uint32) uint64 {
		if stored := n.at(int(row)); stored != 0 {
			return stored + base
		}
		return math.MaxUint64
	}
}

func (c *column) keys() keys {
	if c == nil {
		return keys{
			of:   func(uint32) uint64 { return absent },
			find: func([]byte) (int, bool) { return 0, false },
		}
	}
	return keys{
		of: func(row uint32) uint64 {
			if stored := c.numbers.at(int(row)); stored != 0 {
				return stored + c.base
			}
			return absent
		},
		find: c.texts.find, at: c.texts.at,
	}
}

func (s *Segment) nameKeys() keys {
	var buffer []byte
	return keys{
		of:   func(row uint32) uint64 { return uint64(s.place[row]) },
		find: s.findName,
		at: func(i int) []byte {
			buffer = s.nameAt(buffer[:0], i)
			return buffer
		},
	}
}

// ranks are the ranks of rows that match all the words: 2 for each word, 1 less at a beginning, 2 less if it is whole.
func (v *View) ranks(p *part, words []word, among set) func(row uint32) uint64 {
	var better []set
	for i := range words {
		better = append(better, v.word(p, &words[i], beginning, among), v.word(p, &words[i], whole, among))
	}
	return func(row uint32) uint64 {
		rank := uint64(middle * len(words))
		for _, s := range better {
			rank -= s.bit(int(row))
		}
		return rank
	}
}

// changeKeys are the keys of changes; their rows are positions in the changes.
func (v *View) changeKeys(by By, text bool, m matches) keys {
	switch {
	case by.Field == Rank:
		return keys{of: func(row uint32) uint64 {
			rank := 0
			for i := range m.words {
				rank += v.classIn(&v.changes[row], &m.words[i])
			}
			return uint64(rank)
		}}
	case text:
		return v.changeTexts(by, m)
	}
	return keys{of: func(row uint32) uint64 {
		if n, ok := v.changes[row].number(by.Field); ok {
			return keyOf(max(n, missing+1))
		}
		return math.MaxUint64
	}}
}

func (v *View) changeTexts(by By, m matches) keys {
	texts := make([][]byte, len(v.changes)) // nil for one without a value
	m.rows[len(v.parts)].each(func(i int) bool {
		if by.Field == Name {
			texts[i] = Encode(v.changes[i].Name)
		} else if text, ok := v.changes[i].Texts[by.Field]; ok {
			texts[i] = Encode(text)
		}
		return true
	})
	sorted := slices.DeleteFunc(slices.Clone(texts), func(t []byte) bool { return t == nil })
	slices.SortFunc(sorted, bytes.Compare)
	sorted = slices.CompactFunc(sorted, bytes.Equal)
	at := func(i int) []byte { return sorted[i] }
	find := func(text []byte) (int, bool) { return search(len(sorted), text, at) }
	return keys{find: find, at: at, of: func(row uint32) uint64 {
		if texts[row] == nil {
			return absent
		}
		i, _ := find(texts[row])
		return uint64(i)
	}}
}
