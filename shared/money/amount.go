// Package money is amounts of money as this API reads, stores and answers them: exact decimals
// with two fraction digits, never floats.
//
// What never goes in here: the meaning of an amount. Prices, fees and balances are rules of
// their groups; the company determines the currency.
package money

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	wholeDigits    = 14
	fractionDigits = 2
)

// What ParseAmount refuses: the messages of the field.
const (
	ErrNumber   = say.InvalidNumber
	ErrDecimals = say.TooManyDecimals
	ErrDigits   = say.TooManyDigits
)

// Amount is an amount of money. Its zero value is 0. Compare amounts with Cmp, because == may
// be false for equal amounts.
type Amount struct{ d decimal.Decimal }

// Whole is an amount without a fraction.
func Whole(n int64) Amount { return Amount{decimal.NewFromInt(n)} }

// FromCents is an amount that is given in hundredths.
func FromCents(n int64) Amount { return Amount{decimal.New(n, -fractionDigits)} }

// Most is the largest amount there is: 14 digits before the point.
func Most() Amount { return Amount{decimal.New(1, wholeDigits).Sub(decimal.New(1, -fractionDigits))} }

// Least is the smallest amount there is.
func Least() Amount { return Amount{Most().d.Neg()} }

// ParseAmount reads an amount as callers write it: an optional minus, up to 14 digits, and up
// to 2 after a point; "5." and ".5" are amounts. Exponents are refused, so that a short text
// can't stand for a huge number.
func ParseAmount(s string) (Amount, error) {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	switch {
	case whole+fraction == "" || strings.Trim(whole, digits) != "" || strings.Trim(fraction, digits) != "":
		return Amount{}, ErrNumber
	case len(fraction) > fractionDigits:
		return Amount{}, ErrDecimals
	case len(whole) > wholeDigits:
		return Amount{}, ErrDigits
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return Amount{}, ErrNumber
	}
	return Amount{d}, nil
}

const digits = "0123456789"

// String is the amount with exactly two fraction digits.
func (a Amount) String() string { return a.d.StringFixed(fractionDigits) }

// Cents is the amount in hundredths.
func (a Amount) Cents() int64 { return a.d.Shift(fractionDigits).IntPart() }

// Cmp is -1, 0 or 1: the amount is less than, equal to or more than another.
func (a Amount) Cmp(other Amount) int { return a.d.Cmp(other.d) }

// IsZero tells whether it is 0.
func (a Amount) IsZero() bool { return a.d.IsZero() }

// IsNegative tells whether it is less than 0.
func (a Amount) IsNegative() bool { return a.d.IsNegative() }

// Add is the sum of two amounts.
func (a Amount) Add(other Amount) Amount { return Amount{a.d.Add(other.d)} }

// Sub is the amount less another.
func (a Amount) Sub(other Amount) Amount { return Amount{a.d.Sub(other.d)} }

// MarshalJSON writes a string, because many readers convert JSON numbers to floats.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(`"` + a.String() + `"`), nil }

// MarshalDynamo stores a number, which the table can add to.
func (a Amount) MarshalDynamo() (table.Value, error) { return table.Number(a.String()).MarshalDynamo() }

// UnmarshalDynamo reads what was stored. Sums may have more digits than callers
// may write.
func (a *Amount) UnmarshalDynamo(v table.Value) error {
	var n table.Number
	if err := n.UnmarshalDynamo(v); err != nil {
		return fmt.Errorf("money: %w", err)
	}
	d, err := decimal.NewFromString(string(n))
	if err != nil {
		return fmt.Errorf("money: %w", err)
	}
	if !d.Equal(d.Truncate(fractionDigits)) {
		return fmt.Errorf("money: %s has more than %d fraction digits", n, fractionDigits)
	}
	a.d = d
	return nil
}
