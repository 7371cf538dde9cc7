package segment

import (
	"math/bits"
	"slices"
)

// set is a set of rows, a bit each.
type set []uint64

func newSet(rows int) set { return make(set, (rows+63)/64) }

// allOf is the set of all rows.
func allOf(rows int) set {
	s := newSet(rows)
	for i := range s {
		s[i] = ^uint64(0)
	}
	if odd := rows % 64; odd != 0 {
		s[len(s)-1] = 1<<odd - 1
	}
	return s
}

func (s set) has(row int) bool { return s[row>>6]>>(row&63)&1 != 0 }
func (s set) add(row int)      { s[row>>6] |= 1 << (row & 63) }
func (s set) drop(row int)     { s[row>>6] &^= 1 << (row & 63) }

// bit is 1 if the set has the row, otherwise 0.
func (s set) bit(row int) uint64 { return s[row>>6] >> (row & 63) & 1 }

// cut drops the rows before a first and from a last one on.
func (s set) cut(first, last int) {
	for row := range first {
		s.drop(row)
	}
	for row := last; row < len(s)<<6; row++ {
		s.drop(row)
	}
}

func (s set) clone() set { return append(set(nil), s...) }

func (s set) keep(other set) {
	for i := range s {
		s[i] &= other[i]
	}
}

func (s set) remove(other set) {
	for i := range s {
		s[i] &^= other[i]
	}
}

func (s set) unite(other set) {
	for i := range s {
		s[i] |= other[i]
	}
}

func (s set) any() bool {
	return slices.ContainsFunc(s, func(word uint64) bool { return word != 0 })
}

func (s set) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// each calls do with the rows, ascending, until it returns false.
func (s set) each(do func(row int) bool) bool {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !do(i<<6 + bits.TrailingZeros64(word)) {
				return false
			}
		}
	}
	return true
}
