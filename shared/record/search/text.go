package search

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold makes a text comparable: it removes differences in case, in the composition of letters,
// and in the white space between words.
func Fold(s string) string {
	folded := norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
	return strings.Join(strings.Fields(folded), " ")
}

// Words are the words that a search text asks for; each of them must be found.
func Words(search string) []string {
	words := strings.Fields(Fold(search))
	slices.Sort(words)
	return slices.Compact(words)
}

// alphabet lists the characters beyond ASCII that an entry stores in one byte each, in the
// order in which they sort: the Russian and Kazakh letters in the order of the Kazakh alphabet.
// Stored bytes mean these characters, so characters may only be added at the end.
const alphabet = "«»“”„–—’…№₸€°±·" +
	"àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ" +
	"аәбвгғдеёжзийкқлмнңоөпрстуұүфхһцчшщъыіьэюя"

const (
	firstLetter = 0x80
	// escape comes before the UTF-8 bytes of a character that is not in the alphabet.
	escape = 0xFF
)

// letters and codes map the alphabet in both directions; they are made when first needed.
var (
	letters = sync.OnceValue(func() []rune { return []rune(alphabet) })
	codes   = sync.OnceValue(func() map[rune]byte {
		codes := map[rune]byte{}
		for i, r := range letters() {
			codes[r] = byte(firstLetter + i)
		}
		return codes
	})
)

// encode writes a folded text in its stored form, which is short and sorts by its bytes.
func encode(folded string) []byte {
	codes := codes()
	out := make([]byte, 0, len(folded))
	for _, r := range folded {
		switch b, ok := codes[r]; {
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

// decode reads a stored text; a character that was cut in the middle is left out.
func decode(stored []byte) string {
	var out strings.Builder
	letters := letters()
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
		case b >= firstLetter && int(b-firstLetter) < len(letters):
			out.WriteRune(letters[b-firstLetter])
		default:
			out.WriteByte(b)
		}
	}
	return out.String()
}

// word is one word of a query, folded and encoded.
type word struct {
	folded  string
	encoded []byte
	escaped bool
	digits  string // the digits of a word that has only digits and the separators of telephone numbers; else ""
}

func encodeWords(folded []string) []word {
	unsigned := strings.NewReplacer("+", "", "(", "", ")", "", "-", "")
	words := make([]word, len(folded))
	for i, w := range folded {
		encoded := encode(w)
		words[i] = word{folded: w, encoded: encoded, escaped: bytes.IndexByte(encoded, escape) >= 0}
		if strings.Trim(w, "0123456789+()-") == "" {
			words[i].digits = unsigned.Replace(w)
		}
	}
	return words
}

// contain tells whether a stored text contains all the words, except those that elsewhere
// finds. If a text has escapes it is decoded first, because bytes of one character may look
// like another one.
func contain(stored []byte, words []word, elsewhere func(word) bool) bool {
	escaped := bytes.IndexByte(stored, escape) >= 0
	folded := ""
	if escaped && len(words) > 0 {
		folded = decode(stored)
	}
	for _, w := range words {
		found := false
		switch {
		case escaped:
			found = strings.Contains(folded, w.folded)
		case !w.escaped:
			found = bytes.Contains(stored, w.encoded)
		}
		if !found && !elsewhere(w) {
			return false
		}
	}
	return true
}
