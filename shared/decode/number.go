package decode

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Free JSON is given to other programs as it came. Many of them keep a number as a
// double: beyond its integers they would read another number than was sent, and
// send that back, or read none at all.
const (
	maxNumber = 1<<53 - 1 // the largest integer up to which a double holds every one
	maxDigits = 17        // those with which any double is written
)

const badNumber = "Numbers must lie within ±9007199254740991 and have at most 17 significant digits."

// numbersFit tells whether all the numbers in a tree are the same to every reader.
func numbersFit(tree any) bool {
	switch v := tree.(type) {
	case json.Number:
		return numberFits(v.String())
	case []any:
		for _, e := range v {
			if !numbersFit(e) {
				return false
			}
		}
	case map[string]any:
		for _, e := range v {
			if !numbersFit(e) {
				return false
			}
		}
	}
	return true
}

func numberFits(s string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
	mantissa = strings.TrimPrefix(mantissa, "-")
	digits := strings.Trim(strings.Replace(mantissa, ".", "", 1), "0")
	if digits == "" {
		return len(s) <= longest // zero, however it is written
	}
	x, err := strconv.ParseFloat(s, 64)
	return err == nil && x != 0 && math.Abs(x) <= maxNumber && len(digits) <= maxDigits && len(s) <= longest
}
