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

// Searchable makes the form of a text that the search stores and compares: folded, and with е instead of ё.
func Searchable(text string) string { return strings.ReplaceAll(Fold(text), "ё", "е") }

// Words returns the words that a search text asks for. A record has to have each of them.
func Words(search string) []string {
	words := strings.Fields(Searchable(search))
	slices.Sort(words)
	return slices.Compact(words)
}
