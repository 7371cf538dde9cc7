package search

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct{ a, b string }{
		{"ДОГОВОР Аренды", "договор аренды"},
		{"ҚАЗАҚСТАН Әуе Ғылым Өңір Ұлт Үй Һ Іс", "қазақстан әуе ғылым өңір ұлт үй һ іс"},
		{"Straße", "STRASSE"},
		{"  Два \t слова\n", "два слова"},
		{"Й и Ё", "й и е\u0308"},
		{"ÉCOLE", "e\u0301cole"},
		{"№ 12", "№ 12"},
	} {
		if a, b := Fold(tt.a), Fold(tt.b); a != b {
			t.Errorf("%q folds to %q, %q to %q", tt.a, a, tt.b, b)
		}
	}
	if got := Words(" Аренда  №5 аренда "); !slices.Equal(got, []string{"№5", "аренда"}) && !slices.Equal(got, []string{"аренда", "№5"}) {
		t.Errorf("words %q", got)
	}
	if got := Words(" \t"); len(got) != 0 {
		t.Errorf("words of nothing: %q", got)
	}
}

// Letters of one byte, of escapes, and of both that share bytes.
var runes = []rune("abz 19-_«№àéаәбёжзқңөүұһіьэюя" + "ß€字语😀ϊґї\u0301\u009a\u00ff")

func texts(t *rapid.T, label string) string {
	return Fold(rapid.StringOfN(rapid.RuneFrom(runes), 0, 60, -1).Draw(t, label))
}

func TestStoredTextIsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts(t, "text")
		if got := decode(encode(s)); got != s {
			t.Fatalf("%q is read back as %q", s, got)
		}
		stored := encode(s)
		n := rapid.IntRange(0, len(stored)).Draw(t, "cut at")
		if got := decode(stored[:n]); !strings.HasPrefix(s, got) {
			t.Fatalf("%q cut at %d is read as %q", s, n, got)
		}
	})
}

func nowhere(word) bool { return false }

func TestContain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts(t, "text")
		var words []string
		for range rapid.IntRange(0, 3).Draw(t, "words") {
			w := texts(t, "word")
			if s != "" && rapid.Bool().Draw(t, "of the text") {
				letters := []rune(s)
				from := rapid.IntRange(0, len(letters)-1).Draw(t, "from")
				w = string(letters[from:rapid.IntRange(from, len(letters)).Draw(t, "to")])
			}
			words = append(words, strings.Fields(w)...)
		}
		want := !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) })
		if got := contain(encode(s), encodeWords(words), nowhere); got != want {
			t.Fatalf("%q contains %q: %v, want %v", s, words, got, want)
		}
	})
}

// The bytes of one letter are not taken for another's.
func TestContainInEscapes(t *testing.T) {
	for _, r := range "字语😀ϊґїﬀ" {
		for _, letter := range alphabet {
			if contain(encode(string(r)), encodeWords([]string{string(letter)}), nowhere) {
				t.Errorf("%q is found in %q", letter, r)
			}
		}
	}
}

func TestOrderOfTexts(t *testing.T) {
	want := []string{
		"", "1", "2", "a", "ab", "b", "z", "é", "а", "аа", "ар", "ә", "б", "г", "ғ", "е", "ё", "ж", "қ", "н", "ң", "о", "ө", "у", "ұ", "ү", "һ", "ы", "і", "я", "字",
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int { return bytes.Compare(encode(a), encode(b)) })
	if !slices.Equal(got, want) {
		t.Errorf("sorted %q\nwant   %q", got, want)
	}
}

func TestAlphabet(t *testing.T) {
	if len(letters()) > escape-firstLetter || len(codes()) != len(letters()) {
		t.Fatalf("%d letters, %d of them different", len(letters()), len(codes()))
	}
	for _, r := range letters() {
		if Fold(string(r)) != string(r) {
			t.Errorf("%q is never in a folded text", r)
		}
	}
}
