package segment

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// alphabet lists the characters beyond ASCII that take one byte each, in the order in which they sort: the Russian and
// Kazakh letters in the order of the Kazakh alphabet. Stored bytes mean these characters, so characters may only be
// added at the end.
const alphabet = "«»“”„–—’…№₸€°±·" +
	"àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ" +
	"аәбвгғдеёжзийкқлмнңоөпрстуұүфхһцчшщъыіьэюя"

const (
	firstLetter = 0x80
	// escape comes before a character of another form: before the UTF-8 bytes of one beyond ASCII, and before the
	// letter of a control character (@ for 0). So no text has a byte below the space.
	escape  = 0xFF
	control = '@'

	separator = '\n' // ends each text of a list
)

// letters and codes map the alphabet in both directions; they are made when first needed.
var (
	letters = sync.OnceValue(func() []rune { return []rune(alphabet) })
	codes   = sync.OnceValue(func() []byte {
		codes := make([]byte, '№'+1) // the greatest character of the alphabet
		for i, r := range letters() {
			codes[r] = byte(firstLetter + i)
		}
		return codes
	})
)

// Encode writes a text in its stored form, which is short and sorts by its bytes.
func Encode(text string) []byte { return appendEncoded(make([]byte, 0, len(text)), text) }

func appendEncoded(out []byte, text string) []byte {
	codes := codes()
	for _, r := range text {
		switch {
		case r < ' ':
			out = append(out, escape, byte(control+r))
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case int(r) < len(codes) && codes[r] != 0:
			out = append(out, codes[r])
		default:
			out = utf8.AppendRune(append(out, escape), r)
		}
	}
	return out
}

// Decode reads a stored text; a character that was cut in the middle is left out.
func Decode(stored []byte) string {
	var out strings.Builder
	out.Grow(2 * len(stored))
	letters := letters()
	for len(stored) > 0 {
		b := stored[0]
		size := sizeOf(stored)
		switch {
		case size > len(stored):
			return out.String()
		case b == escape && stored[1] < utf8.RuneSelf:
			out.WriteByte(stored[1] - control)
		case b == escape:
			out.Write(stored[1:size])
		case b >= firstLetter && int(b-firstLetter) < len(letters):
			out.WriteRune(letters[b-firstLetter])
		default:
			out.WriteByte(b)
		}
		stored = stored[size:]
	}
	return out.String()
}

// sizeOf is how many bytes the first character of a stored text takes; more than there are if it was cut.
func sizeOf(stored []byte) int {
	switch {
	case stored[0] != escape:
		return 1
	case len(stored) == 1 || !utf8.FullRune(stored[1:]):
		return len(stored) + 1
	}
	_, size := utf8.DecodeRune(stored[1:])
	return 1 + size
}

// within tells whether a stored text contains another. Bytes of one character may look like another one, so a text
// with escapes is compared from character to character.
func within(stored, part []byte) bool {
	if bytes.IndexByte(stored, escape) < 0 {
		return bytes.Contains(stored, part)
	}
	for len(stored) >= len(part) && len(stored) > 0 {
		if bytes.HasPrefix(stored, part) {
			return true
		}
		stored = stored[min(sizeOf(stored), len(stored)):]
	}
	return len(part) == 0
}
