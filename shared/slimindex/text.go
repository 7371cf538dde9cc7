package slimindex

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold makes a text comparable: case and composition of letters don't matter,
// nor how words are set apart.
func Fold(s string) string {
	folded := norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
	return strings.Join(strings.Fields(folded), " ")
}

// Words are the words that a search asks for, each of which must be found.
func Words(search string) []string {
	words := strings.Fields(Fold(search))
	slices.Sort(words)
	return slices.Compact(words)
}

// alphabet are the letters beyond ASCII that an entry holds in one byte each,
// in the order in which they sort: those of Russian and Kazakh by the Kazakh
// alphabet. Bytes that are stored mean these letters, so it only ever grows.
const alphabet = "«»“”„–—’…№₸€°±·" +
	"àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ" +
	"аәбвгғдеёжзийкқлмнңоөпрстуұүфхһцчшщъыіьэюя"

const (
	firstLetter = 0x80
	// escape comes before the UTF-8 bytes of a letter that has no byte.
	escape = 0xFF
)

// coder writes folded texts as they are stored: in that form they are short,
// and sort by their bytes.
type coder struct {
	bytes   map[rune]byte
	letters []rune
}

func newCoder() *coder {
	c := &coder{bytes: map[rune]byte{}, letters: []rune(alphabet)}
	for i, r := range c.letters {
		c.bytes[r] = byte(firstLetter + i)
	}
	return c
}

// encode writes a folded text.
func (c *coder) encode(folded string) []byte {
	out := make([]byte, 0, len(folded))
	for _, r := range folded {
		switch b, ok := c.bytes[r]; {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case ok:
			out = append(out, b)
		default:
			out = utf8.AppendRune(append(out, escape), r)
		}
	}
	return out
}

// decode reads a stored text; a letter that is cut in its middle is left out.
func (c *coder) decode(stored []byte) string {
	var out strings.Builder
	for len(stored) > 0 {
		b := stored[0]
		stored = stored[1:]
		switch {
		case b == escape:
			if !utf8.FullRune(stored) {
				return out.String()
			}
			r, size := utf8.DecodeRune(stored)
			out.WriteRune(r)
			stored = stored[size:]
		case b >= firstLetter && int(b-firstLetter) < len(c.letters):
			out.WriteRune(c.letters[b-firstLetter])
		default:
			out.WriteByte(b)
		}
	}
	return out.String()
}

// word is one word of a query in both forms.
type word struct {
	folded  string
	encoded []byte
	escaped bool
}

func (c *coder) words(folded []string) []word {
	words := make([]word, len(folded))
	for i, w := range folded {
		encoded := c.encode(w)
		words[i] = word{folded: w, encoded: encoded, escaped: bytes.IndexByte(encoded, escape) >= 0}
	}
	return words
}

// contain tells whether a stored text has all the words. Where a text has
// escapes, bytes of one letter may look like another's.
func (c *coder) contain(stored []byte, words []word) bool {
	escaped := bytes.IndexByte(stored, escape) >= 0
	folded := ""
	if escaped && len(words) > 0 {
		folded = c.decode(stored)
	}
	for _, w := range words {
		found := false
		switch {
		case escaped:
			found = strings.Contains(folded, w.folded)
		case !w.escaped:
			found = bytes.Contains(stored, w.encoded)
		}
		if !found {
			return false
		}
	}
	return true
}
