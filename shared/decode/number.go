package decode

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Free JSON is passed on to other programs as it came. Many of them store a number as a
// double. Outside of the range in which a double is exact, they would read another number than
// was sent and perhaps send that back, or fail to read it.
const (
	maxNumber = 1<<53 - 1 // a double holds every integer up to this one
	maxDigits = 17        // with so many digits any double can be written
)

// numbersFit tells whether every reader reads the same numbers in a tree.
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
