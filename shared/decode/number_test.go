package decode

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/say"
)

func TestNumbersThatEveryReaderReads(t *testing.T) {
	for _, c := range []struct {
		name, number string
		fits         bool
	}{
		{"zero", "0", true},
		{"minus zero", "-0", true},
		{"zero with an exponent", "0e5", true},
		{"zero in many digits", "0." + strings.Repeat("0", 500), true},
		{"zero in far too many", "0." + strings.Repeat("0", 5000), false},
		{"the largest", "9007199254740991", true},
		{"the least", "-9007199254740991", true},
		{"one more", "9007199254740992", false},
		{"one less", "-9007199254740992", false},
		{"read as one more", "9007199254740993", false},
		{"the largest, as a fraction", "9007199254740991.0", true},
		{"one more, as a fraction", "9007199254740992.0", false},
		{"as many digits as a double has", "4503599627370496.5", true},
		{"the largest, with an exponent", "9.007199254740991e15", true},
		{"more, with an exponent", "1e16", false},
		{"an amount", "99999999999999.99", true},
		{"a sum of doubles", "0.30000000000000004", true},
		{"17 digits", "1.2345678901234567", true},
		{"18 digits", "1.23456789012345678", false},
		{"zeros that say nothing", "1.5000000000000000000", true},
		{"small", "1e-300", true},
		{"the smallest double", "5e-324", true},
		{"too small", "1e-400", false},
		{"too large", "1e400", false},
		{"far too large", "-1e99999999999999999999", false},
		{"far too small", "1e-99999999999999999999", false},
		{"a large mantissa, a small exponent", "12345678901234567000000e-10", true},
		{"20 digits", "12345678901234567890", false},
		{"thousands of digits", strings.Repeat("1", 5000), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := numberFits(c.number); got != c.fits {
				t.Errorf("%.40s: %v", c.number, got)
			}
		})
	}
}

func TestNumbersOfFreeJSON(t *testing.T) {
	type in struct {
		Extra Optional[JSON] `json:"extra"`
	}
	for _, c := range []struct {
		name, body string
		fits       bool
	}{
		{"in an object", `{"extra":{"a":9007199254740992}}`, false},
		{"in a list in an object", `{"extra":{"a":[1,{"b":1e400}]}}`, false},
		{"alone", `{"extra":9007199254740992}`, false},
		{"in a text", `{"extra":{"a":"9007199254740992"}}`, true},
		{"as a name", `{"extra":{"9007199254740992":1}}`, true},
		{"beside", `{"extra":{},"other":9007199254740992}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, err := Parse(TypeJSON, []byte(c.body), []string{TypeJSON})
			if err != nil {
				t.Fatal(err)
			}
			err = Struct(tree, new(in), false)
			if (err == nil) != c.fits || err != nil && !strings.Contains(err.Error(), say.NumberOutOfRange.Error()) {
				t.Errorf("%v", err)
			}
		})
	}
}
