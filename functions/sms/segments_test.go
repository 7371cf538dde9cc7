package sms

import (
	"strings"
	"testing"
)

func TestSegments(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int64
	}{
		{"a letter", "a", 1},
		{"160 letters", strings.Repeat("a", 160), 1},
		{"161 letters", strings.Repeat("a", 161), 2},
		{"two full segments", strings.Repeat("a", 306), 2},
		{"one letter more", strings.Repeat("a", 307), 3},
		{"the whole basic alphabet", gsmBasic, 1},
		{"80 of the extension", strings.Repeat("€", 80), 1},
		{"81 of the extension", strings.Repeat("{", 81), 2},
		{"a bracket isn't cut at the boundary", strings.Repeat("a", 152) + "[" + strings.Repeat("a", 152), 3},
		{"a bracket that fits", strings.Repeat("a", 151) + "[" + strings.Repeat("a", 153), 2},
		{"ten segments", strings.Repeat("a", 1530), 10},
		{"eleven segments", strings.Repeat("a", 1531), 11},
		{"70 Cyrillic letters", strings.Repeat("ж", 70), 1},
		{"71 Cyrillic letters", strings.Repeat("ж", 71), 2},
		{"two full segments in Cyrillic", strings.Repeat("ж", 134), 2},
		{"one Cyrillic letter more", strings.Repeat("ж", 135), 3},
		{"Kazakh letters", strings.Repeat("әғқңөұүһі", 8), 2},
		{"one letter outside of the alphabet", strings.Repeat("a", 70) + "ң", 2},
		{"a tenge sign", strings.Repeat("a", 69) + "₸", 1},
		{"a capital C with cedilla is in the alphabet", strings.Repeat("Ç", 160), 1},
		{"a small one is not", strings.Repeat("ç", 71), 2},
		{"35 emoji", strings.Repeat("🚗", 35), 1},
		{"36 emoji", strings.Repeat("🚗", 36), 2},
		{"an emoji isn't cut at the boundary", strings.Repeat("ж", 66) + "🚗" + strings.Repeat("ж", 66), 3},
		{"33 emoji fill a segment", strings.Repeat("🚗", 66), 2},
		{"67 emoji", strings.Repeat("🚗", 67), 3},
		{"2,000 emoji", strings.Repeat("🚗", 2000), 61},
		{"an emoji of several characters counts each of them", strings.Repeat("👨‍👩‍👧", 9), 2},
		{"a letter and its accent are two characters", strings.Repeat("e\u0301", 36), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := segments(c.text); got != c.want {
				t.Errorf("%d segments, want %d", got, c.want)
			}
		})
	}
}

// The alphabet has 128 places: one is the escape, two are for the ends of lines.
func TestTheAlphabetIsWhole(t *testing.T) {
	seen := map[rune]bool{}
	for _, r := range gsmBasic + gsmExtension {
		if seen[r] {
			t.Errorf("%q is there twice", r)
		}
		seen[r] = true
	}
	if n := len([]rune(gsmBasic)); n != 127 {
		t.Errorf("%d characters in the basic alphabet", n)
	}
}

func TestWhatCanBeSent(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"letters", "Сәлем, {you}!", true},
		{"lines", "one\ntwo", true},
		{"emoji with a joiner", "👨‍👩‍👧", true},
		{"a tab", "one\ttwo", false},
		{"a bell", "\a", false},
		{"a NUL", "a\x00b", false},
		{"a control character beyond ASCII", "a\u0085b", false},
		{"the mark of telephones in the index", "a\x1fb", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := canBeSent(c.text); got != c.want {
				t.Errorf("%q can be sent: %t", c.text, got)
			}
		})
	}
	if got := lines("one\r\ntwo\rthree\n"); got != "one\ntwo\nthree\n" {
		t.Errorf("%q", got)
	}
}
