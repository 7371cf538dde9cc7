package say

import (
	"strconv"
	"strings"
)

// size is a number of bytes in the largest unit of which it is a whole number. A unit is of 1,000 or of 1,024, because limits are set
// by either and people call both by the same name.
func (v voice) size(bytes string) string {
	n, err := strconv.ParseInt(bytes, 10, 64)
	if err != nil {
		return bytes
	}
	whole := func(units ...int64) (int64, bool) {
		for _, unit := range units {
			if n >= unit && n%unit == 0 {
				return n / unit, true
			}
		}
		return 0, false
	}
	if count, ok := whole(1<<20, 1_000_000); ok {
		return SizeMegabytes(count).by(v)
	}
	if count, ok := whole(1<<10, 1_000); ok {
		return SizeKilobytes(count).by(v)
	}
	return SizeBytes(n).by(v)
}

// decimal is an amount or a percentage, as answers have them, with a comma, with thousands apart from five digits on, and without a
// fraction of nothing but zeros. Any other text stands as it is.
func decimal(text string) string {
	number, percent := strings.CutSuffix(text, "%")
	digits := strings.TrimLeft(number, "+-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return text
	}
	if len(whole) > 4 {
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + noBreak + whole[at:]
		}
	}
	if strings.Trim(fraction, "0") != "" {
		whole += "," + fraction
	}
	if percent {
		whole += noBreak + "%"
	}
	return number[:len(number)-len(digits)] + whole
}

// noBreak is a space at which a line doesn't break.
const noBreak = "\u00a0"
