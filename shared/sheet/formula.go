package sheet

import (
	"strings"
	"unicode"
)

// escaped returns a text that no spreadsheet takes for a formula when it opens a CSV file. It
// puts an apostrophe before each sign that could begin a formula: at the beginning, and after
// every character that some spreadsheet could take for a separator of cells. Telephone numbers
// get an apostrophe too, because a spreadsheet would turn them into numbers. unescaped removes
// all of them, so that what was written can be read again.
func escaped(s string) string {
	return walk(s, func(out *strings.Builder, apostrophes int) {
		out.WriteString(strings.Repeat("'", apostrophes+1))
	})
}

// unescaped returns the text that was escaped. People also type such an apostrophe to keep the
// sign as text, so it is removed from any text.
func unescaped(s string) string {
	return walk(s, func(out *strings.Builder, apostrophes int) {
		out.WriteString(strings.Repeat("'", max(0, apostrophes-1)))
	})
}

// marked is for files whose cells are never formulas. It adds an apostrophe only to a text
// that has such apostrophes already, so that unescaped returns the same text.
func marked(s string) string {
	return walk(s, func(out *strings.Builder, apostrophes int) {
		if apostrophes > 0 {
			out.WriteString(strings.Repeat("'", apostrophes+1))
		}
	})
}

// walk copies a text but for the apostrophes before each sign that could begin
// a formula, which sign writes: how many there were is given, often 0.
func walk(s string, sign func(out *strings.Builder, apostrophes int)) string {
	if !strings.ContainsAny(s, "=+-@＝＋－＠\t\r\n") {
		return s
	}
	var out strings.Builder
	begins, apostrophes := true, 0 // of a cell
	for i, r := range s {
		if begins && r == '\'' {
			apostrophes++
			continue
		}
		first := i == apostrophes // nothing but apostrophes before
		if begins && (strings.ContainsRune("=+-@＝＋－＠", r) || first && strings.ContainsRune("\t\r\n", r)) {
			sign(&out, apostrophes)
		} else {
			out.WriteString(s[i-apostrophes : i])
		}
		apostrophes = 0
		out.WriteRune(r)
		begins = strings.ContainsRune("\t\r\n;", r) || begins && (r == '"' || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf))
	}
	out.WriteString(s[len(s)-apostrophes:])
	return out.String()
}
