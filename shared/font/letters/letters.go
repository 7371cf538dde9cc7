// Package letters says which letters the faces of our PDFs have (shared/font), what stands for some others, and which is the first of a
// text that can't be drawn. Whoever only has to know that doesn't link the faces.
//
// The ranges are those by which infra/fonts/cut makes the faces; a test compares them.
package letters

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/tenantry/tenantry/shared/say"
)

// ranges are what the faces have, in order.
func ranges() [][2]rune {
	return [][2]rune{
		{0x20, 0x7e},
		{0xa0, 0x17f},
		{0x18f, 0x18f},
		{0x192, 0x192},
		{0x19f, 0x19f},
		{0x1e6, 0x1e7},
		{0x1f4, 0x1f5},
		{0x218, 0x21b},
		{0x259, 0x259},
		{0x275, 0x275},
		{0x2bb, 0x2bc},
		{0x2c6, 0x2c7},
		{0x2d8, 0x2dd},
		{0x400, 0x482},
		{0x48a, 0x52f},
		{0x1e9e, 0x1e9e},
		{0x2010, 0x2015},
		{0x2018, 0x201e},
		{0x2020, 0x2022},
		{0x2026, 0x2026},
		{0x2030, 0x2030},
		{0x2032, 0x2033},
		{0x2039, 0x203a},
		{0x2044, 0x2044},
		{0x2070, 0x2070},
		{0x2074, 0x2079},
		{0x2080, 0x2089},
		{0x20ac, 0x20ac},
		{0x20b4, 0x20b4},
		{0x20b8, 0x20b8},
		{0x20ba, 0x20ba},
		{0x20bc, 0x20be},
		{0x2116, 0x2116},
		{0x2122, 0x2122},
		{0x2212, 0x2212},
		{0xfffd, 0xfffd},
	}
}

// Has tells whether the faces have a letter that is seen, or a space.
func Has(r rune) bool {
	if r >= ' ' && r <= '~' {
		return true
	}
	for _, in := range ranges() {
		if r <= in[1] {
			return r >= in[0] && r != softHyphen
		}
	}
	return false
}

const softHyphen = '\u00ad'

// StandIn is what is drawn for a letter that the faces don't have: nothing for what isn't seen.
func StandIn(r rune) (drawn string, ok bool) {
	switch r {
	case softHyphen, '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\ufeff', '\ufe0e', '\ufe0f',
		'\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069':
		return "", true
	case '\u2000', '\u2001', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2008', '\u2009', '\u200a', '\u205f', '\u3000',
		'\u2028', '\u2029':
		return " ", true
	case '\u202f', '\u2007':
		return "\u00a0", true
	case '≤':
		return "<=", true
	case '≥':
		return ">=", true
	case '≠':
		return "!=", true
	case '≈':
		return "~", true
	case '→', '➔', '➜':
		return "->", true
	case '←':
		return "<-", true
	case '☐', '□', '▢', '◻':
		return "[\u00a0\u00a0]", true
	case '☑', '☒', '✅', '🗹':
		return "[x]", true
	case '✓', '✔':
		return "+", true
	case '●', '■', '▪', '◦', '○', '▫', '∙', '⁃', '◆', '★':
		return "•", true
	}
	if r < ' ' || r >= 0x7f && r < 0xa0 { // no letters: white space, or nothing
		return "", true
	}
	return "", false
}

// Place is a letter of a text, the first of which is at 1.
type Place struct {
	Letter rune
	At     int
	text   string
}

// Missing finds the first letter of a text that can't be drawn. Marks that make one letter with the one before them, as и and a breve
// make й, are drawn as that letter.
func Missing(text string) (p Place, found bool) {
	if !strings.ContainsFunc(text, unknown) {
		return p, false
	}
	at := 1
	for rest := text; rest != ""; {
		n := norm.NFC.NextBoundaryInString(rest, true)
		if n <= 0 {
			n = len(rest)
		}
		for _, r := range norm.NFC.String(rest[:n]) {
			if unknown(r) {
				return Place{r, at, text}, true
			}
		}
		at += utf8.RuneCountInString(rest[:n])
		rest = rest[n:]
	}
	return Place{}, false
}

func unknown(r rune) bool {
	if Has(r) {
		return false
	}
	_, ok := StandIn(r)
	return !ok
}

// around is how many letters of the text before and behind are shown.
const around = 20

// Message is a sentence about what can't be drawn.
func (p Place) Message() say.Message {
	all := []rune(p.text)
	part := strings.TrimSpace(string(all[max(0, p.At-1-around):min(len(all), p.At+around)]))
	letter := strconv.Quote(string(p.Letter)) // one that can't be seen is written as an escape
	return say.LetterNotDrawn(letter[1:len(letter)-1], fmt.Sprintf("%04X", p.Letter), p.At, part)
}

// Drawn is a text as it is drawn where it isn't refused: what can't be is a sign that says so.
func Drawn(text string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(text) {
		switch stands, ok := StandIn(r); {
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case ok:
			b.WriteString(stands)
		case Has(r):
			b.WriteRune(r)
		default:
			b.WriteRune(utf8.RuneError)
		}
	}
	return b.String()
}
