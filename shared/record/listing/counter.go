package listing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/table"
)

// The layout of a bucket.
const (
	span       = 9                   // how many consecutive ids a digit stands for
	digits     = 36                  // digits in an attribute
	attributes = 32                  // attributes in a bucket
	groups     = digits * attributes // groups of 9 ids in a bucket

	// Bucket is the number of ids in a bucket.
	Bucket = span * groups

	buckets = 1_000_000 // how many buckets the sort key has room for
	maxID   = int64(buckets) * Bucket

	names = "0123456789abcdefghijklmnopqrstuv" // the second letter of the attributes' names, after "c"
)

// A group is a run of 9 ids: the group g holds 9g+1 … 9g+9.
func groupOf(id int64) int64 { return (id - 1) / span }

func firstOf(group int64) int64 { return group*span + 1 }

func bucketOf(id int64) int { return int((id - 1) / Bucket) }

func name(attribute int) string { return "c" + names[attribute:attribute+1] }

// attribute returns the index of the attribute with a name, or -1 if no attribute has that name.
func attribute(name string) int {
	if len(name) != 2 || name[0] != 'c' {
		return -1
	}
	return strings.IndexByte(names, name[1])
}

// counter is the number in one attribute, as three limbs of 12 digits, lowest first. In an
// intermediate sum, limbs may be negative or too large.
type counter [3]int64

const limb = 1_000_000_000_000

// power is a power of ten within a limb.
func power(digit int) int64 {
	p := int64(1)
	for range digit {
		p *= 10
	}
	return p
}

// count adds a number of records to a digit.
func (c *counter) count(digit int, records int64) { c[digit/12] += records * power(digit%12) }

func (c *counter) add(o counter) {
	for i := range c {
		c[i] += o[i]
	}
}

// carried is the same number with carries done: each limb but the highest is in 0 … limb-1.
func (c counter) carried() counter {
	for i := range 2 {
		carry := c[i] / limb
		if c[i] %= limb; c[i] < 0 {
			c[i] += limb
			carry--
		}
		c[i+1] += carry
	}
	return c
}

// full is the counter in which every digit is 9.
func full() counter { return counter{limb - 1, limb - 1, limb - 1} }

// number is the counter in the form that the table stores.
func (c counter) number() table.Number {
	c, sign := c.carried(), ""
	if c[2] < 0 {
		c, sign = counter{-c[0], -c[1], -c[2]}.carried(), "-"
	}
	s := strings.TrimLeft(fmt.Sprintf("%d%012d%012d", c[2], c[1], c[0]), "0")
	if s == "" {
		return "0"
	}
	return table.Number(sign + s)
}

// parse reads a stored counter; a missing one is zero.
func parse(n table.Number) (c counter, err error) {
	s := string(n)
	if s == "" {
		return c, nil
	}
	s, negative := strings.CutPrefix(s, "-")
	if strings.ContainsAny(s, ".eE") {
		if s, err = plain(s); err != nil {
			return c, err
		}
	}
	if len(s) > digits {
		return c, fmt.Errorf("listing: counter of %d digits", len(s))
	}
	for i := range c {
		from := max(0, len(s)-12)
		for _, r := range []byte(s[from:]) {
			if r < '0' || r > '9' {
				return c, fmt.Errorf("listing: %q is no counter", n)
			}
			c[i] = c[i]*10 + int64(r-'0')
		}
		if negative {
			c[i] = -c[i]
		}
		s = s[:from]
	}
	return c, nil
}

// plain writes out a whole number that is in scientific notation; an engine may return round
// numbers in that form.
func plain(s string) (string, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	shift, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	if err != nil && exponent != "" {
		return "", fmt.Errorf("listing: %q is no counter", s)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	if shift -= len(fraction); shift < 0 || shift > digits {
		return "", fmt.Errorf("listing: %q is no counter", s)
	}
	return strings.TrimLeft(whole+fraction, "0") + strings.Repeat("0", shift), nil
}

// decode writes the digits, lowest first, and returns their sum. It fails for a number that
// can't be the counts of live records.
func (c counter) decode(to []uint8) (records int64, ok bool) {
	c = c.carried()
	if c[2] < 0 || c[2] >= limb {
		return 0, false
	}
	if c == (counter{}) {
		return 0, true
	}
	for i, l := range c {
		for d := range 12 {
			to[12*i+d] = uint8(l % 10)
			records += l % 10
			l /= 10
		}
	}
	return records, true
}
