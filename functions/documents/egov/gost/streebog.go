// Package gost verifies signatures by GOST R 34.10-2012, which Kazakhstan calls GOST 2015, and
// hashes by GOST R 34.11-2012 (Streebog).
//
// It only verifies: everything that it touches is public, so that nothing here takes care to last
// equally long whatever the values are. It is checked against the examples of the standards and
// test material of Kazakhstan's certification centre, but is no certified cryptographic tool.
//
// What never goes in here: private keys, and anything of certificates but keys and signatures.
package gost

import (
	"encoding/binary"
	"hash"
	"math/bits"
)

const (
	block = 64

	// Size512 is the length of the longer hash.
	Size512 = 64
	// Size256 is the length of the shorter one.
	Size256 = 32
)

// words are 512 bits, the least significant word first.
type words [8]uint64

// linear holds what substitution and linear transformation make of each byte at each place.
type linear [8][256]uint64

// tables computes them, which takes some microseconds.
func tables() *linear {
	t := new(linear)
	for place := range t {
		var transformed [256]uint64
		for value := 1; value < len(transformed); value++ {
			transformed[value] = transformed[value&(value-1)] ^ matrix[8*place+bits.TrailingZeros8(uint8(value))]
		}
		for value := range t[place] {
			t[place][value] = transformed[substitution[value]]
		}
	}
	return t
}

// digest is a hash that has eaten whole blocks, and the beginning of the next one.
type digest struct {
	size      int
	state     words // h
	count     words // N, in bits
	sum       words // Σ
	table     *linear
	rest      [block]byte
	inRest    int
	beginning uint64
}

// New512 makes a Streebog hash of 512 bits.
func New512() hash.Hash { return newHash(Size512, 0) }

// New256 makes a Streebog hash of 256 bits.
func New256() hash.Hash { return newHash(Size256, 0x0101010101010101) }

func newHash(size int, beginning uint64) *digest {
	d := &digest{size: size, beginning: beginning, table: tables()}
	d.Reset()
	return d
}

// Size is the length of the sum in bytes.
func (d *digest) Size() int { return d.size }

// BlockSize is how many bytes are hashed at once.
func (d *digest) BlockSize() int { return block }

// Reset begins anew.
func (d *digest) Reset() {
	*d = digest{size: d.size, beginning: d.beginning, table: d.table}
	for i := range d.state {
		d.state[i] = d.beginning
	}
}

// Write hashes more bytes; it never fails.
func (d *digest) Write(p []byte) (int, error) {
	n := len(p)
	if d.inRest > 0 {
		taken := copy(d.rest[d.inRest:], p)
		d.inRest += taken
		p = p[taken:]
		if d.inRest < block {
			return n, nil
		}
		d.eat(load(d.rest[:]), 8*block)
		d.inRest = 0
	}
	for ; len(p) >= block; p = p[block:] {
		d.eat(load(p), 8*block)
	}
	d.inRest = copy(d.rest[:], p)
	return n, nil
}

// Sum appends the hash of what was written, after which more can be written.
func (d *digest) Sum(b []byte) []byte {
	c := *d
	var last [block]byte
	copy(last[:], c.rest[:c.inRest])
	last[c.inRest] = 1
	c.eat(load(last[:]), uint64(8*c.inRest))
	c.compress(&words{}, &c.count)
	c.compress(&words{}, &c.sum)
	var out [block]byte
	for i, w := range c.state {
		binary.LittleEndian.PutUint64(out[8*i:], w)
	}
	return append(b, out[block-c.size:]...)
}

func load(p []byte) *words {
	var w words
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(p[8*i:])
	}
	return &w
}

// eat takes one block of which a number of bits count.
func (d *digest) eat(m *words, length uint64) {
	d.compress(&d.count, m)
	d.count.add(&words{length})
	d.sum.add(m)
}

// add adds modulo 2⁵¹².
func (w *words) add(other *words) {
	var carry uint64
	for i := range w {
		w[i], carry = bits.Add64(w[i], other[i], carry)
	}
}

// compress is the function g: it takes a block into the state.
func (d *digest) compress(n, m *words) {
	var key, state words
	lps(d.table, &key, &d.state, n)
	state = *m
	for i := range constants {
		previous := key
		lps(d.table, &state, &state, &previous)
		lps(d.table, &key, &previous, &constants[i])
	}
	for i := range d.state {
		d.state[i] ^= state[i] ^ key[i] ^ m[i]
	}
}

// lps is what a round does to the sum of two values: it substitutes bytes, transposes them and
// transforms the rows.
func lps(t *linear, to, a, b *words) {
	x0, x1, x2, x3 := a[0]^b[0], a[1]^b[1], a[2]^b[2], a[3]^b[3]
	x4, x5, x6, x7 := a[4]^b[4], a[5]^b[5], a[6]^b[6], a[7]^b[7]
	for i := range to {
		to[i] = t[0][byte(x0)] ^ t[1][byte(x1)] ^ t[2][byte(x2)] ^ t[3][byte(x3)] ^
			t[4][byte(x4)] ^ t[5][byte(x5)] ^ t[6][byte(x6)] ^ t[7][byte(x7)]
		x0, x1, x2, x3 = x0>>8, x1>>8, x2>>8, x3>>8
		x4, x5, x6, x7 = x4>>8, x5>>8, x6>>8, x7>>8
	}
}
