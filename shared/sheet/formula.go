package sheet

import (
	"strings"
	"unicode"
)

// escaped is a text that no spreadsheet takes for a formula when it opens a CSV
// file: an apostrophe stands before each sign that could begin one. Such a sign
// stands at the beginning, or after what a spreadsheet set up for another
// separator takes for the end of a cell. Telephone numbers get their
// apostrophe too: without it a spreadsheet makes numbers of them. unescaped
// takes all of them away, so that what is written can be read again.
func escaped(s string) string {
	return walk(s, func(out *strings.Builder, apostrophes int) {
		out.WriteString(strings.Repeat("'", apostrophes+1))
	})
}

// unescaped is the text that was escaped. In texts that were not, an
// apostrophe before such a sign is what people type to keep it one.
func unescaped(s string) string {
	return walk(s, func(out *strings.Builder, apostrophes int) {
		out.WriteString(strings.Repeat("'", max(0, apostrophes-1)))
	})
}

// marked is a text from which unescaped takes away what this adds, for files
// whose cells are never formulas: only a text that has such apostrophes gets
// one more.
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
