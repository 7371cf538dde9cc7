package search

import (
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold makes a text comparable: it removes differences in case, in the composition of letters,
// and in the white space between words.
func Fold(s string) string {
	folded := norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
	return strings.Join(strings.Fields(folded), " ")
}

// Searchable is a text as the search stores it and is asked for it: folded, and without a difference between е and ё.
func Searchable(text string) string { return strings.ReplaceAll(Fold(text), "ё", "е") }

// Words are the words that a search text asks for; each of them must be found.
func Words(search string) []string {
	words := strings.Fields(Searchable(search))
	slices.Sort(words)
	return slices.Compact(words)
}
