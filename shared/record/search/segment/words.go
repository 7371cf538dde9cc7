package segment

import (
	"bytes"
	"math/bits"
	"strings"
)

// class is how well a word of a query matches one of a text, or the digits of a number. Signs before and after the word of a text, such as
// quotes, may be left out.
const (
	whole = iota
	beginning
	middle
)

// word is a word of a query.
type word struct {
	folded  string
	encoded []byte
	digits  *digits // nil unless the word has only digits and the separators of telephone numbers
}

func newWords(folded []string) []word {
	words := make([]word, 0, len(folded))
	for _, w := range folded {
		if w == "" {
			continue
		}
		next := word{folded: w, encoded: Encode(w)}
		if text := digitsOf(w); text != "" {
			next.digits = newDigits(text)
		}
		words = append(words, next)
	}
	return words
}

// digitsOf are the digits of a word that has only digits and the separators of telephone numbers; otherwise none.
func digitsOf(word string) string {
	if strings.Trim(word, "0123456789+()-") != "" {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r < '0' {
			return -1
		}
		return r
	}, word)
}

// within tells whether the word is in a folded text.
func (w *word) within(text string) bool { return strings.Contains(text, w.folded) }

// addRows adds the rows whose text has the word, at least as well as the class says.
func (s *Segment) addRows(to set, f *field, w *word, class int) {
	if f.starts == nil {
		return
	}
	if class == middle {
		s.contain(w.encoded, func(at int) { to.addAll(f.of(at, at+1)) })
		return
	}
	add := func(first, last int) {
		for at := first; at < last; at++ {
			if w.classOf(s.words.at(at)) <= class {
				to.addAll(f.of(at, at+1))
			}
		}
	}
	first, last := s.words.prefixed(w.encoded)
	if class == beginning {
		to.addAll(f.of(first, last))
	} else {
		add(first, last)
	}
	for _, r := range signs() {
		first, _ := s.words.find([]byte{r.first})
		last, _ := s.words.find([]byte{r.last + 1})
		add(first, last)
	}
}

// classOf is how well the word matches a stored one that contains it.
func (w *word) classOf(stored []byte) int {
	class := middle
	for _, from := range [2]int{0, leading(stored)} {
		if rest, begins := bytes.CutPrefix(stored[from:], w.encoded); begins {
			class = min(class, beginning)
			if leading(rest) == len(rest) {
				return whole
			}
		}
	}
	return class
}

// leading is with how many signs a stored text begins.
func leading(stored []byte) (n int) {
	for n < len(stored) && isSign(stored[n]) {
		n++
	}
	return n
}

func isSign(b byte) bool {
	for _, r := range signs() {
		if r.first <= b && b <= r.last {
			return true
		}
	}
	return false
}

// signs are the stored characters that are neither letters nor digits: those of ASCII, and what the alphabet has before its letters.
func signs() [4]struct{ first, last byte } {
	return [4]struct{ first, last byte }{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', firstLetter + 14}}
}

func (s set) addAll(rows []uint32) {
	for _, row := range rows {
		s[row>>6] |= 1 << (row & 63)
	}
}

// contain calls do with the words that contain a part.
func (s *Segment) contain(part []byte, do func(at int)) {
	text, at, from := s.words.text, 0, 0
	for {
		i := bytes.Index(text[from:], part)
		if i < 0 {
			return
		}
		at = s.words.wordAt(uint32(from+i), at)
		if !s.escapes || within(s.words.at(at), part) {
			do(at)
		}
		from = int(s.words.starts[at+1])
	}
}

// addDigits adds those of some rows of whose number the word has digits, at least as well as the class says.
func (w *word) addDigits(to set, n *numbers, spelling Spelling, class int, among set) {
	d := w.digits
	fast := class == middle && d.next != nil && spelling.Width <= fastDigits && n.below(1e18) &&
		!(spelling.Trunk && d.text[0] == '8')
	limit := tens[min(spelling.Width, fastDigits)]
	for i, word := range among {
		for ; word != 0; word &= word - 1 {
			stored := n.at(i<<6 + bits.TrailingZeros64(word))
			if stored == 0 {
				continue
			}
			v := stored + n.base
			var is bool
			if fast && v < limit {
				is = d.within(v, spelling.Width)
			} else {
				found := d.class(int64(v), spelling)
				is = found >= 0 && found <= class
			}
			if is {
				to[i] |= word & -word
			}
		}
	}
}

// below tells whether all values are from 0 to below a number.
func (n *numbers) below(limit uint64) bool {
	return n.base+1 < limit && n.mask < limit && n.base+n.mask < limit
}

// word are rows that have a word at least as well as the class says; of the rows in among, all of them.
func (v *View) word(p *part, w *word, class int, among set) set {
	found := newSet(p.rows)
	p.addRows(found, &p.name, w, class)
	p.addRows(found, &p.more, w, class)
	if w.digits == nil {
		return found
	}
	var rest set
	for _, c := range v.shape {
		if n := p.numbers(c.Letter); n != nil && c.Digits.Width > 0 && !c.Text {
			if rest == nil {
				rest = among.clone()
				rest.remove(found)
			}
			w.addDigits(found, n, c.Digits, class, rest)
		}
	}
	return found
}

// classIn is how well a word matches an entry; -1 not at all.
func (v *View) classIn(e *Entry, w *word) int {
	best := -1
	better := func(class int) {
		if class >= 0 && (best < 0 || class < best) {
			best = class
		}
	}
	for _, text := range []string{e.Name, e.More} {
		if !w.within(text) {
			continue
		}
		for part := range strings.SplitSeq(text, " ") {
			if w.within(part) {
				better(w.classOf(Encode(part)))
			}
		}
	}
	if best == whole || w.digits == nil {
		return best
	}
	for _, c := range v.shape {
		if n, ok := e.Numbers[c.Letter]; ok && c.Digits.Width > 0 && !c.Text {
			better(w.digits.class(n, c.Digits))
		}
	}
	return best
}

// has tells whether an entry has a word.
func (v *View) has(e *Entry, w *word) bool {
	return w.within(e.Name) || w.within(e.More) || w.digits != nil && v.classIn(e, w) >= 0
}
