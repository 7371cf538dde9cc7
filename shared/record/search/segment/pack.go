package segment

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// missing stands for no value among the numbers of a column.
const missing = math.MinInt64

// widest is how many bits a value may have so that one load of eight bytes holds it, wherever it begins.
const widest = 57

// slack are bytes after the values of a section, so that eight bytes can be loaded at each value.
const slack = 8

// numbers are values of a fixed width in bits. 0 stands for no value, any other for base more.
type numbers struct {
	data  []byte
	base  uint64
	width uint
	mask  uint64
	count int
}

// at is the value as it is stored.
func (n *numbers) at(i int) uint64 {
	bit := uint(i) * n.width
	return binary.LittleEndian.Uint64(n.data[bit>>3:]) >> (bit & 7) & n.mask
}

// value is the number, or missing.
func (n *numbers) value(i int) int64 {
	if stored := n.at(i); stored != 0 {
		return int64(stored + n.base)
	}
	return missing
}

// stored is the span of stored values that stand for a span of numbers; from > to if there are none.
func (n *numbers) stored(span Span) (from, to uint64) {
	least, most := int64(n.base+1), int64(n.base+n.mask)
	if n.mask == 0 || span.High < least || most >= least && span.Low > most {
		return 1, 0
	}
	from, to = 1, n.mask
	if span.Low > least {
		from = uint64(span.Low) - n.base
	}
	if most < least || span.High < most { // most is beyond the largest number, so the span ends before it
		to = uint64(span.High) - n.base
	}
	return from, to
}

// appendNumbers writes a section of numbers.
func appendNumbers(out []byte, count int, value func(i int) int64) []byte {
	least, most, some := int64(math.MaxInt64), int64(math.MinInt64), false
	for i := range count {
		if v := value(i); v != missing {
			least, most, some = min(least, v), max(most, v), true
		}
	}
	base, width := uint64(0), 0
	if some {
		base = uint64(least) - 1
		if width = bits.Len64(uint64(most) - base); width > widest {
			width = 64
		}
	}
	out = binary.LittleEndian.AppendUint64(out, uint64(count))
	out = binary.LittleEndian.AppendUint64(out, base)
	out = binary.LittleEndian.AppendUint64(out, uint64(width))
	if width > 0 {
		out = appendPacked(out, count, width, base, value)
	}
	return append(out, make([]byte, slack)...)
}

func appendPacked(out []byte, count, width int, base uint64, value func(i int) int64) []byte {
	word, used := uint64(0), 0
	for i := range count {
		stored := uint64(0)
		if v := value(i); v != missing {
			stored = uint64(v) - base
		}
		word |= stored << used
		if used += width; used >= 64 {
			out = binary.LittleEndian.AppendUint64(out, word)
			used -= 64
			word = stored >> (width - used) // all of it is gone if used is 0, as a shift by 64 gives 0
		}
	}
	for ; used > 0; used -= 8 {
		out = append(out, byte(word))
		word >>= 8
	}
	return out
}

// list are texts, each ended by the separator.
type list struct {
	text   []byte
	starts []uint32 // where each text begins, and one beyond the last
}

func (l *list) len() int        { return len(l.starts) - 1 }
func (l *list) at(i int) []byte { return l.text[l.starts[i] : l.starts[i+1]-1] }

// find is the position of the first text that is not less than the given one, and whether it is this text.
func (l *list) find(text []byte) (at int, found bool) {
	return search(l.len(), text, l.at)
}

// search finds a text among ascending ones.
func search(count int, text []byte, of func(i int) []byte) (at int, found bool) {
	from, to := 0, count
	for from < to {
		middle := int(uint(from+to) >> 1)
		if bytes.Compare(of(middle), text) < 0 {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from, from < count && bytes.Equal(of(from), text)
}

// appendList writes a section of texts, which are given each with its separator.
func appendList(out []byte, count int, text []byte) []byte {
	out = binary.LittleEndian.AppendUint64(out, uint64(count))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(text)))
	return append(out, text...)
}
