package pdflex_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/pdflex"
)

func TestPieces(t *testing.T) {
	whole := func(read func(l *pdflex.Lexer) string) func(l *pdflex.Lexer) (string, bool) {
		return func(l *pdflex.Lexer) (string, bool) { return read(l), true }
	}
	space := whole(func(l *pdflex.Lexer) string { l.Space(); return "" })
	word, name := whole((*pdflex.Lexer).Word), whole((*pdflex.Lexer).Name)
	text, hex := (*pdflex.Lexer).Text, (*pdflex.Lexer).Hex
	for _, c := range []struct {
		what, data string
		read       func(l *pdflex.Lexer) (string, bool)
		want       string
		ok         bool
		left       string
	}{
		{"white space", " \t\r\n\f\x00x", space, "", true, "x"},
		{"a comment", "% /no ]\n x", space, "", true, "x"},
		{"a comment to the end", "%x", space, "", true, ""},
		{"a number", "-1.5]", word, "-1.5", true, "]"},
		{"a keyword to the end", "endobj", word, "endobj", true, ""},
		{"no word", "(a)", word, "", true, "(a)"},
		{"a name", "/Type/Page", name, "Type", true, "/Page"},
		{"an empty name", "/ x", name, "", true, " x"},
		{"an escaped name", "/A#42#20C ", name, "AB C", true, " "},
		{"what looks like an escape", "/A#4", name, "A#4", true, ""},
		{"what is no escape", "/A#4xB", name, "A#4xB", true, ""},
		{"a string", `(a (b) \) c) d`, text, `(a (b) \) c)`, true, " d"},
		{"a string without end", "(a (b)", text, "", false, ""},
		{"a string that ends in an escape", `(a\`, text, "", false, ""},
		{"a string of digits", "<0a 0B>>", hex, "<0a 0B>", true, ">"},
		{"digits without end", "<0a", hex, "", false, "<0a"},
	} {
		l := pdflex.Lexer{Data: []byte(c.data)}
		got, ok := c.read(&l)
		if left := string(l.Data[l.At:]); got != c.want || ok != c.ok || left != c.left {
			t.Errorf("%s: %q, %t, and %q is left", c.what, got, ok, left)
		}
	}
}

func TestNext(t *testing.T) {
	l := pdflex.Lexer{Data: []byte("<<>>"), At: 2}
	if l.Next("<<") || !l.Next(">>") || l.Next(">>>") || l.At != 2 {
		t.Errorf("at %d", l.At)
	}
}
