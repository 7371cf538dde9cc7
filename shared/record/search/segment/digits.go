package segment

import (
	"math/bits"
	"strings"
)

const (
	trunkDigits = 11
	// trunkStep is what makes an 8 of the 7 that such a number begins with.
	trunkStep = 1e10

	// fastDigits is up to how many digits numbers are looked at without being written out.
	fastDigits = 18
)

// digits finds the digits of a word within those of numbers. It is an automaton that reads a number from its last digit
// on, three digits at once: a state is how many of the word's digits, from the last one on, were just read. The last
// state is that all of them were read.
type digits struct {
	text  string
	value uint64 // if there are at most fastDigits of them
	next  *steps // nil if there are more
}

// steps are the next states by the state and the digits that are read: one, two or three of them. There is room for more
// states and digits than there are, so that no index has to be checked.
type steps struct {
	one   [32][16]uint8
	two   [32][128]uint8
	three [32][1024]uint8
}

func newDigits(text string) *digits {
	d := &digits{text: text}
	if len(text) > fastDigits {
		return d
	}
	for _, digit := range []byte(text) {
		d.value = 10*d.value + uint64(digit-'0')
	}
	next := new(steps)
	for state := range len(text) + 1 {
		for digit := range 10 {
			next.one[state][digit] = d.after(state, byte('0'+digit))
		}
	}
	for state := range len(text) + 1 {
		for n := range 1000 {
			then := next.one[next.one[state][n%10]][n/10%10]
			if n < 100 {
				next.two[state][n] = then
			}
			next.three[state][n] = next.one[then][n/100]
		}
	}
	d.next = next
	return d
}

// after is the state after a digit: the longest end of the word that begins with the digit and goes on with what was read.
func (d *digits) after(state int, digit byte) uint8 {
	if state == len(d.text) {
		return uint8(state)
	}
	read := string(digit) + d.text[len(d.text)-state:]
	for !strings.HasSuffix(d.text, read) {
		read = read[:len(read)-1]
	}
	return uint8(len(read))
}

// class is how well the digits match a number: 0 all of a spelling, 1 its beginning, 2 a part of it; -1 not at all.
func (d *digits) class(n int64, spelling Spelling) int {
	if spelling.Width == 0 || n < 0 {
		return -1
	}
	if n >= 1e18 || spelling.Width > fastDigits {
		return d.written(spelling.Of(n))
	}
	if len(d.text) > fastDigits {
		return -1
	}
	count := max(spelling.Width, decimals(uint64(n)))
	trunk := spelling.Trunk && count == trunkDigits && n/trunkStep == 7
	class := -1
	if count >= len(d.text) {
		rest := tens[count-len(d.text)]
		if uint64(n)/rest == d.value || trunk && (uint64(n)+trunkStep)/rest == d.value {
			class = min(count-len(d.text), 1)
		}
	}
	if class < 0 && d.within(uint64(n), count) {
		class = 2
	}
	return class
}

// written is the class among spellings.
func (d *digits) written(spellings []string) int {
	best := -1
	for _, s := range spellings {
		if class := classOf(s, d.text); class >= 0 && (best < 0 || class < best) {
			best = class
		}
	}
	return best
}

// classOf is how well a part matches a word.
func classOf(word, part string) int {
	switch at := strings.Index(word, part); {
	case at < 0:
		return -1
	case at > 0:
		return 2
	case len(word) > len(part):
		return 1
	}
	return 0
}

// within tells whether the digits are among that many of a number.
func (d *digits) within(n uint64, count int) bool {
	state, next := uint8(0), d.next
	for ; count >= 6; count -= 6 { // halves of this size divide fast
		rest := n / 1_000_000
		six := uint32(n - 1_000_000*rest)
		upper := six / 1000
		state = next.three[state&31][(six-1000*upper)&1023]
		state = next.three[state&31][upper&1023]
		n = rest
	}
	few := uint32(n)
	if count >= 3 {
		rest := few / 1000
		state = next.three[state&31][(few-1000*rest)&1023]
		few, count = rest, count-3
	}
	switch count {
	case 2:
		state = next.two[state&31][few&127]
	case 1:
		state = next.one[state&31][few&15]
	}
	return int(state) == len(d.text)
}

// tens are the powers of ten.
var tens = [...]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// decimals is how many digits a number below 10^18 has; 0 has one.
func decimals(n uint64) int {
	about := bits.Len64(n|1) * 1233 >> 12 // log10 of 2 is about 1233/4096
	if n >= tens[about] {
		about++
	}
	return max(about, 1)
}
