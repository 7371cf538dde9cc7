package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"slices"
)

// ErrTooLarge says that rows, their words or their texts are more than a segment can hold.
var ErrTooLarge = errors.New("segment: too large")

// errOrder says that the ids of entries don't ascend.
var errOrder = errors.New("segment: ids don't ascend")

// The flags of a stored column.
const (
	isText  = 1
	isTrunk = 2
)

// texts are distinct texts while a segment is built: each has a number, first in the order of its arrival.
type texts struct {
	numbers map[string]uint32
	arrived []string
}

func (t *texts) number(text []byte) uint32 {
	number, known := t.numbers[string(text)]
	if !known {
		if t.numbers == nil {
			t.numbers = map[string]uint32{}
		}
		number = uint32(len(t.arrived))
		t.arrived = append(t.arrived, string(text))
		t.numbers[t.arrived[number]] = number
	}
	return number
}

// sorted are the texts in their order as they are stored, and the new number of each.
func (t *texts) sorted() (stored stored, renumbered []uint32) {
	arrived := slices.Clone(t.arrived)
	slices.Sort(t.arrived)
	renumbered = make([]uint32, len(arrived))
	for i, text := range t.arrived {
		renumbered[t.numbers[text]] = uint32(i)
		stored.add([]byte(text))
	}
	return stored, renumbered
}

// stored are texts as a section holds them.
type stored struct {
	count int
	text  []byte
}

func (s *stored) add(text []byte) {
	s.text = append(append(s.text, text...), separator)
	s.count++
}

// rows are what a segment is written from.
type rows struct {
	shape       Shape
	count       int
	id, changed func(row int) int64
	gone        func(row int) bool
	words       stored
	name, more  fields
	order       []uint32
	value       func(column, row int) int64
	texts       []stored // by column
}

// fields are the words of all rows in one of their texts.
type fields struct {
	words  []uint32
	starts []uint32 // where the words of each row begin, and one beyond the last
}

func (f *fields) of(row uint32) []uint32 { return f.words[f.starts[row]:f.starts[row+1]] }

// end ends a row.
func (f *fields) end() {
	if f.starts == nil {
		f.starts = []uint32{0}
	}
	f.starts = append(f.starts, uint32(len(f.words)))
}

// byName compares rows by their names, then by their numbers. The words of a name sort as the whole does, as no character
// is below the space.
func (r *rows) byName(a, b uint32) int {
	return cmp.Or(slices.Compare(r.name.of(a), r.name.of(b)), cmp.Compare(a, b))
}

// segment writes the rows; about is the size that is expected.
func (r *rows) segment(about int) ([]byte, error) {
	tooLarge := r.count > math.MaxInt32 || len(r.words.text) > math.MaxUint32 ||
		len(r.name.words) > math.MaxUint32 || len(r.more.words) > math.MaxUint32
	for _, t := range r.texts {
		tooLarge = tooLarge || len(t.text) > math.MaxUint32
	}
	if tooLarge {
		return nil, ErrTooLarge
	}
	out := append(make([]byte, 0, about), magic...)
	out = binary.LittleEndian.AppendUint32(out, version)
	out = append(out, 0, 0, 0, 0) // the checksum
	out = binary.LittleEndian.AppendUint64(out, uint64(r.count))
	out, err := appendShape(out, r.shape)
	if err != nil {
		return nil, err
	}
	out = appendNumbers(out, r.count, r.id)
	out = appendNumbers(out, r.count, r.changed)
	out = appendNumbers(out, r.count, func(i int) int64 { return flag(r.gone(i)) })
	out = appendList(out, r.words.count, r.words.text)
	for _, f := range []*fields{&r.name, &r.more} {
		out = appendNumbers(out, r.count, func(i int) int64 {
			if words := int64(f.starts[i+1] - f.starts[i]); words > 0 {
				return words
			}
			return missing
		})
		out = binary.LittleEndian.AppendUint64(out, uint64(len(f.words)))
		out = appendNumbers(out, len(f.words), func(i int) int64 { return int64(f.words[i]) })
	}
	out = appendNumbers(out, r.count, func(i int) int64 { return int64(r.order[i]) })
	out = appendNumbers(out, r.count, func(i int) int64 {
		return flag(i > 0 && slices.Equal(r.name.of(r.order[i]), r.name.of(r.order[i-1])))
	})
	for c := range r.shape {
		if r.shape[c].Text {
			out = appendList(out, r.texts[c].count, r.texts[c].text)
		}
		out = appendNumbers(out, r.count, func(i int) int64 { return r.value(c, i) })
	}
	binary.LittleEndian.PutUint32(out[summed-4:], checksum(out[summed:]))
	return out, nil
}

// flag is a number that has a value if something is so.
func flag(so bool) int64 {
	if so {
		return 1
	}
	return missing
}

func appendShape(out []byte, shape Shape) ([]byte, error) {
	out = binary.LittleEndian.AppendUint64(out, uint64(len(shape)))
	for _, c := range shape {
		if len(c.Letter) > math.MaxUint16 || c.Digits.Width < 0 || c.Digits.Width > math.MaxUint8 {
			return nil, ErrTooLarge
		}
		flags := byte(0)
		if c.Text {
			flags |= isText
		}
		if c.Digits.Trunk {
			flags |= isTrunk
		}
		out = append(out, flags, byte(c.Digits.Width))
		out = binary.LittleEndian.AppendUint16(out, uint16(len(c.Letter)))
		out = append(append(out, 0, 0, 0, 0), c.Letter...)
	}
	return out, nil
}

// builder collects rows from entries.
type builder struct {
	shape        Shape
	ids, changed []int64
	gone         []bool
	words        texts
	name, more   fields
	values       [][]int64 // by column
	texts        []texts
	encoded      []byte
}

// Build makes a segment from entries, whose ids ascend. Of an entry that is gone it keeps the id and the time. The
// least number that a column can hold is one more than the least of int64.
func Build(shape Shape, entries iter.Seq[Entry]) ([]byte, error) {
	b := builder{shape: shape, values: make([][]int64, len(shape)), texts: make([]texts, len(shape))}
	for e := range entries {
		if len(b.ids) > 0 && e.ID <= b.ids[len(b.ids)-1] {
			return nil, errOrder
		}
		b.add(e)
	}
	r := rows{
		shape: shape, count: len(b.ids), texts: make([]stored, len(shape)), name: b.name, more: b.more,
		id:      func(row int) int64 { return b.ids[row] },
		changed: func(row int) int64 { return b.changed[row] },
		gone:    func(row int) bool { return b.gone[row] },
		value:   func(column, row int) int64 { return b.values[column][row] },
	}
	words, renumbered := b.words.sorted()
	r.words = words
	for _, list := range [][]uint32{r.name.words, r.more.words} {
		for i := range list {
			list[i] = renumbered[list[i]]
		}
	}
	for c := range shape {
		if !shape[c].Text {
			continue
		}
		r.texts[c], renumbered = b.texts[c].sorted()
		for i, v := range b.values[c] {
			if v != missing {
				b.values[c][i] = int64(renumbered[v])
			}
		}
	}
	r.order = make([]uint32, r.count)
	for i := range r.order {
		r.order[i] = uint32(i)
	}
	slices.SortFunc(r.order, r.byName)
	return r.segment(0)
}

func (b *builder) add(e Entry) {
	if e.Gone {
		e.Values = Values{}
	}
	b.ids = append(b.ids, e.ID)
	b.changed = append(b.changed, e.Changed)
	b.gone = append(b.gone, e.Gone)
	b.split(&b.name, e.Name)
	b.split(&b.more, e.More)
	for c := range b.shape {
		value := int64(missing)
		if b.shape[c].Text {
			if text, ok := e.Texts[b.shape[c].Letter]; ok {
				b.encoded = appendEncoded(b.encoded[:0], text)
				value = int64(b.texts[c].number(b.encoded))
			}
		} else if n, ok := e.Numbers[b.shape[c].Letter]; ok {
			value = max(n, missing+1)
		}
		b.values[c] = append(b.values[c], value)
	}
}

// split adds the words of a text as a row.
func (b *builder) split(to *fields, text string) {
	if text != "" {
		b.encoded = appendEncoded(b.encoded[:0], text)
		for word := range bytes.SplitSeq(b.encoded, []byte{' '}) {
			to.words = append(to.words, b.words.number(word))
		}
	}
	to.end()
}
