package gost

import (
	"encoding/binary"
	"math/big"
	"math/bits"
)

// element is an integer modulo a prime, the least significant word first, times 2^(64·words): so a
// product needs no division (Montgomery). With big.Int a signature takes three times as long, and makes 5 MB of garbage.
type element [maxWords]uint64

const maxWords = Size512 / 8

// field is the integers modulo a prime.
type field struct {
	words  int
	prime  element // as it is
	lowest uint64  // −1/prime modulo 2^64
	p      *big.Int
}

func newField(p *big.Int) *field {
	f := &field{words: (p.BitLen() + 63) / 64, p: p}
	f.prime = f.plain(p)
	inverse := uint64(1)
	for range 6 { // each round doubles the bits that are right: 1, 2, 4 … 64
		inverse *= 2 - f.prime[0]*inverse
	}
	f.lowest = -inverse
	return f
}

// plain writes a number as words.
func (f *field) plain(n *big.Int) (e element) {
	var raw [8 * maxWords]byte
	n.FillBytes(raw[:])
	for i := range e {
		e[i] = binary.BigEndian.Uint64(raw[len(raw)-8*(i+1):])
	}
	return e
}

// of returns the element for a number.
func (f *field) of(n *big.Int) element {
	n = new(big.Int).Lsh(n, uint(64*f.words))
	return f.plain(n.Mod(n, f.p))
}

// number returns the number for an element.
func (f *field) number(e *element) *big.Int {
	one := element{1}
	var out element
	f.mul(&out, e, &one)
	var raw [8 * maxWords]byte
	for i, w := range out {
		binary.BigEndian.PutUint64(raw[len(raw)-8*(i+1):], w)
	}
	return new(big.Int).SetBytes(raw[:])
}

func (e *element) zero() bool { return *e == element{} }

// mul makes z the product of x and y.
func (f *field) mul(z, x, y *element) {
	var t element       // the sum so far
	var above [2]uint64 // and what doesn't fit into it
	n := f.words
	for i := range n {
		over := row(&t, n, 0, 0, x[i], y)
		var carry uint64
		above[0], above[1] = bits.Add64(above[0], over, 0)
		factor := t[0] * f.lowest // makes the lowest word 0
		high, low := bits.Mul64(factor, f.prime[0])
		_, carry = bits.Add64(low, t[0], 0)
		over = row(&t, n, 1, high+carry, factor, &f.prime)
		t[n-1], carry = bits.Add64(above[0], over, 0) //nolint:gosec // n is at most maxWords
		above[0] = above[1] + carry
	}
	f.reduce(z, &t, above[0])
}

// row adds a·y to t, from a word on and beginning with a carry, and moves the sum down by as many words.
func row(t *element, n, from int, carry, a uint64, y *element) uint64 {
	for j := from; j < n; j++ {
		high, low := bits.Mul64(a, y[j])
		var c uint64
		low, c = bits.Add64(low, t[j], 0)
		high += c
		low, c = bits.Add64(low, carry, 0)
		t[j-from], carry = low, high+c
	}
	return carry
}

// reduce makes z what t, and a word above it, is less the prime, if it isn't less already.
func (f *field) reduce(z, t *element, above uint64) {
	var less element
	var borrow uint64
	for i := range f.words {
		less[i], borrow = bits.Sub64(t[i], f.prime[i], borrow)
	}
	if above >= borrow {
		*z = less
		return
	}
	*z = *t
}

func (f *field) add(z, x, y *element) {
	var sum element
	var carry uint64
	for i := range f.words {
		sum[i], carry = bits.Add64(x[i], y[i], carry)
	}
	f.reduce(z, &sum, carry)
}

func (f *field) sub(z, x, y *element) {
	var difference element
	var borrow, carry uint64
	for i := range f.words {
		difference[i], borrow = bits.Sub64(x[i], y[i], borrow)
	}
	if borrow != 0 {
		for i := range f.words {
			difference[i], carry = bits.Add64(difference[i], f.prime[i], carry)
		}
	}
	*z = difference
}
