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

// Distance returns how many letters have to be added, left out, replaced or swapped with their neighbours to make one text of another
// (Levenshtein's, where a swap counts as one).
func Distance(a, b string) int {
	from, to := letters(a), letters(b)
	// The distances from what was read of a to each beginning of b: with the letter before the last, with the last, and with this one.
	older, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, letter := range from {
		older, last, row = last, row, older
		row[0] = i + 1
		for j := range to {
			replaced := last[j]
			if letter != to[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && letter == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
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

// Typo returns the known name that s is most likely a misspelling of: the nearest one that differs in one letter of three or
// more, or in two of eight or more. Of several the first in the alphabet counts. It returns false if no name is that near.
func Typo(s string, known []string) (string, bool) {
	best, least := "", 0
	for _, name := range slices.Sorted(slices.Values(known)) {
		most := edits(letters(s), letters(name))
		if most == 0 {
			continue // a sheet may have hundreds of headers to compare
		}
		if d := Distance(s, name); d > 0 && d <= most && (best == "" || d < least) {
			best, least = name, d
		}
	}
	return best, best != ""
}

// edits returns in how many letters two names may differ so that one is most likely a misspelling of the other. Many names of three
// letters differ in the first or the last from another name (BIN, BIK, VIN, PIN), so of these one in the middle may differ, or two
// neighbours may be swapped.
func edits(a, b []rune) int {
	n, m := len(a), len(b)
	most := min(n, m, 8) / 4
	if min(n, m) == 3 && (a[0] == b[0] && a[n-1] == b[m-1] || sameLetters(a, b)) {
		most = 1
	}
	if max(n, m)-min(n, m) > most { // so many letters would have to be added or left out
		return 0
	}
	return most
}

// sameLetters tells whether two names have the same letters, in whatever order.
func sameLetters(a, b []rune) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
