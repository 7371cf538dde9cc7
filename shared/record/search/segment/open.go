package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
)

const (
	magic   = "TSEG"
	version = 1
	// header is the magic, the version, the checksum of all that follows it, the number of rows and that of columns.
	header = len(magic) + 4 + 4 + 8 + 8
	summed = len(magic) + 4 + 4 // where the part begins that the checksum is of
)

// ErrBroken says that bytes are no segment of this version.
var ErrBroken = errors.New("segment: broken")

// Shape is the columns that rows have.
type Shape []Column

// column is the position of a column, or -1.
func (s Shape) column(letter string) int {
	for i := range s {
		if s[i].Letter == letter {
			return i
		}
	}
	return -1
}

// Segment is an open segment. It is immutable and keeps the bytes that it was opened from.
type Segment struct {
	shape   Shape
	bytes   int
	rows    int
	ids     numbers
	changed numbers
	gone    numbers
	words   list
	escapes bool // there are escapes among the words
	name    field
	more    field
	order   numbers  // the rows in the order of their names
	place   []uint32 // of each row: the first position in order of a row with this name
	columns []column
}

// column are the values of a column. Those of texts are positions in the list.
type column struct {
	numbers
	texts list
}

// field is a text of each row, as its words.
type field struct {
	words  numbers
	starts []uint32 // where the words of each row begin, and one beyond the last; nil if there are no words
	rows   []uint32 // the rows of each word, word by word, ascending
	from   []uint32 // where the rows of each word begin, and one beyond the last
}

// of are the rows that have one of the words from first to before last.
func (f *field) of(first, last int) []uint32 {
	if f.starts == nil {
		return nil
	}
	return f.rows[f.from[first]:f.from[last]]
}

// Size is how many bytes of memory the segment keeps.
func (s *Segment) Size() int {
	kept := len(s.place) + len(s.words.starts)
	for _, f := range []*field{&s.name, &s.more} {
		kept += len(f.starts) + len(f.rows) + len(f.from)
	}
	for i := range s.columns {
		kept += len(s.columns[i].texts.starts)
	}
	return s.bytes + 4*kept
}

// Rows is how many rows the segment has, tombstones included.
func (s *Segment) Rows() int { return s.rows }

// First is the lowest id of a segment that has rows.
func (s *Segment) First() int64 { return s.ids.value(0) }

// Shape is what columns the rows have.
func (s *Segment) Shape() Shape { return s.shape }

// Open reads a segment, which keeps the bytes. It checks all that later readings rely on, so that none can go wrong;
// what it can't read is ErrBroken.
func Open(data []byte) (*Segment, error) {
	if len(data) < header || string(data[:len(magic)]) != magic || binary.LittleEndian.Uint32(data[len(magic):]) != version ||
		binary.LittleEndian.Uint32(data[len(magic)+4:]) != checksum(data[summed:]) {
		return nil, ErrBroken
	}
	r := reader{rest: data[summed:]}
	s := &Segment{bytes: len(data), rows: r.count(math.MaxInt32)}
	s.shape = r.shape()
	s.ids = r.numbers(s.rows)
	if r.broken || !s.ascends() { // then the bytes bound how many rows there are, before anything is made for each of them
		return nil, ErrBroken
	}
	s.changed = r.numbers(s.rows)
	s.gone = r.numbers(s.rows)
	s.words = r.list()
	s.name = r.field(s.rows, s.words.len())
	s.more = r.field(s.rows, s.words.len())
	s.names(&r)
	s.columns = make([]column, len(s.shape))
	for i := range s.columns {
		r.column(&s.columns[i], s.rows, s.shape[i].Text)
	}
	if r.broken || len(r.rest) > 0 {
		return nil, ErrBroken
	}
	s.escapes = bytes.IndexByte(s.words.text, escape) >= 0
	return s, nil
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// ascends tells whether the ids do.
func (s *Segment) ascends() bool {
	for i := 1; i < s.rows; i++ {
		if s.ids.value(i) <= s.ids.value(i-1) {
			return false
		}
	}
	return true
}

// names reads the order by name.
func (s *Segment) names(r *reader) {
	s.order = r.numbers(s.rows)
	tied := r.numbers(s.rows)
	if r.broken || !s.order.indexes(s.rows) {
		r.broken = true
		return
	}
	s.place = make([]uint32, s.rows)
	placed, first := newSet(s.rows), 0
	for i := range s.rows {
		if tied.at(i) == 0 {
			first = i
		}
		row := int(s.order.value(i))
		s.place[row] = uint32(first)
		r.broken = r.broken || placed.has(row)
		placed.add(row)
	}
}

// reader reads sections one after the other. Once something is wrong all it reads is empty.
type reader struct {
	rest   []byte
	broken bool
}

func (r *reader) take(size int) []byte {
	if r.broken || size < 0 || size > len(r.rest) {
		r.broken = true
		return nil
	}
	taken := r.rest[:size:size]
	r.rest = r.rest[size:]
	return taken
}

func (r *reader) uint64() uint64 {
	if taken := r.take(8); taken != nil {
		return binary.LittleEndian.Uint64(taken)
	}
	return 0
}

// count reads how many there are of something.
func (r *reader) count(most int) int {
	n := r.uint64()
	if n > uint64(most) {
		r.broken = true
		return 0
	}
	return int(n)
}

func (r *reader) shape() Shape {
	shape := make(Shape, r.count(len(r.rest)/8))
	for i := range shape {
		about := r.take(8)
		if about == nil {
			return nil
		}
		shape[i] = Column{
			Text:   about[0]&isText != 0,
			Digits: Spelling{Trunk: about[0]&isTrunk != 0, Width: int(about[1])},
			Letter: string(r.take(int(binary.LittleEndian.Uint16(about[2:])))),
		}
	}
	return shape
}

// numbers reads a section of a known number of values.
func (r *reader) numbers(count int) numbers {
	n := numbers{count: r.count(math.MaxUint32), base: r.uint64(), width: uint(r.count(64))}
	if n.count != count || n.width > widest && n.width < 64 {
		r.broken = true
	}
	n.mask = 1<<n.width - 1
	n.data = r.take((n.count*int(n.width)+7)/8 + slack)
	return n
}

// indexes tells whether all the values are positions among that many.
func (n *numbers) indexes(among int) bool {
	if n.count > 0 && n.width == 0 { // nothing would bound how many there are
		return false
	}
	for i := range n.count {
		if n.at(i)+n.base >= uint64(among) || n.at(i) == 0 {
			return false
		}
	}
	return true
}

func (r *reader) list() list {
	count, size := r.count(len(r.rest)), r.count(math.MaxUint32)
	text := r.take(size)
	starts := make([]uint32, 1, min(count, len(text))+1)
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], separator)
		if end < 0 || len(starts) > count {
			r.broken = true
			break
		}
		at += end + 1
		starts = append(starts, uint32(at))
	}
	if r.broken || len(starts) != count+1 {
		r.broken = true
		return list{starts: []uint32{0}}
	}
	return list{text, starts}
}

func (r *reader) column(c *column, rows int, text bool) {
	if text {
		c.texts = r.list()
	}
	c.numbers = r.numbers(rows)
	if !text || r.broken {
		return
	}
	for i := range rows {
		if v := c.value(i); c.at(i) != 0 && (v < 0 || v >= int64(c.texts.len())) {
			r.broken = true
			return
		}
	}
}

// field reads the words of a text, and derives the rows of each word.
func (r *reader) field(rows, words int) field {
	counts := r.numbers(rows)
	total := r.count(min(8*len(r.rest), math.MaxUint32))
	f := field{words: r.numbers(total)}
	if r.broken || !f.words.indexes(words) {
		r.broken = true
		return field{}
	}
	if total == 0 && counts.width == 0 {
		return f
	}
	f.starts = make([]uint32, rows+1)
	next := uint64(0)
	for row := range rows {
		if stored := counts.at(row); stored != 0 {
			next += stored + counts.base
		}
		if next > uint64(total) {
			r.broken = true
			return field{}
		}
		f.starts[row+1] = uint32(next)
	}
	if next != uint64(total) {
		r.broken = true
		return field{}
	}
	f.invert(rows, words)
	return f
}

// invert finds the rows of each word, by counting.
func (f *field) invert(rows, words int) {
	f.from = make([]uint32, words+2)
	for i := range f.words.count {
		f.from[f.words.value(i)+2]++
	}
	for i := 2; i < len(f.from); i++ {
		f.from[i] += f.from[i-1]
	}
	f.rows = make([]uint32, f.words.count)
	for row := range rows { // now the rows of word w begin at from[w+1], which moves to their end
		for i := f.starts[row]; i < f.starts[row+1]; i++ {
			at := &f.from[f.words.value(int(i))+1]
			f.rows[*at] = uint32(row)
			*at++
		}
	}
	f.from = f.from[:words+1]
}
