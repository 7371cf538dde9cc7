// Package spelling finds the known name that a person who wrote another one has most likely meant.
//
// What never goes in here: which names there are, and what is done about a wrong one.
package spelling

import (
	"slices"
	"strings"
)

// longest is how many letters of a name are compared. The time that this takes grows with their square.
const longest = 100

// Distance returns how many letters have to be added, left out or replaced to make one text of another (Levenshtein).
func Distance(a, b string) int {
	from, to := letters(a), letters(b)
	row := make([]int, len(to)+1) // the distances from what was read of a to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i, letter := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			replaced := diagonal
			if letter != to[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(to)]
}

func letters(s string) []rune {
	r := []rune(s)
	return r[:min(len(r), longest)]
}

// Nearest returns the known name that is nearest to s, in any case, however far that is; of several the first in the alphabet. It
// returns "" if no name is known.
func Nearest(s string, known []string) (near string) {
	least := 0
	for _, name := range slices.Sorted(slices.Values(known)) {
		if d := Distance(strings.ToLower(s), strings.ToLower(name)); near == "" || d < least {
			near, least = name, d
		}
	}
	return near
}

// Typo returns the known name that s is most likely a misspelling of: the nearest one that differs in one letter of four or
// more, or in two of eight or more. Of several the first in the alphabet counts. It returns false if no name is that near.
func Typo(s string, known []string) (string, bool) {
	best, least := "", 0
	for _, name := range slices.Sorted(slices.Values(known)) {
		n, m := len(letters(s)), len(letters(name))
		most := min(n, m, 8) / 4
		if max(n, m)-min(n, m) > most {
			continue // so many letters would have to be added or left out; a sheet may have hundreds of headers to compare
		}
		if d := Distance(s, name); d > 0 && d <= most && (best == "" || d < least) {
			best, least = name, d
		}
	}
	return best, best != ""
}
