package money

import (
	"fmt"

	"github.com/shopspring/decimal"
)

// Results are rounded once, half away from zero, to two places. A result with more than 14
// digits before the point is refused with ErrDigits.

// Times is the amount n times.
func (a Amount) Times(n int64) (Amount, error) { return fitting(a.d.Mul(decimal.NewFromInt(n))) }

// By is the amount as many times as count says, such as the price of 2.5 litres.
func (a Amount) By(count Amount) (Amount, error) { return fitting(a.d.Mul(count.d)) }

// Ratio is n/of of the amount. of must be above zero: the caller decides what a divisor of
// zero means.
func (a Amount) Ratio(n, of int64) (Amount, error) {
	if of <= 0 {
		panic(fmt.Sprintf("money: a ratio of %d", of))
	}
	return part(a.d, decimal.NewFromInt(n), decimal.NewFromInt(of))
}

// Percent is p percent of the amount: a tax that is added, or a discount.
func (a Amount) Percent(p Amount) (Amount, error) { return part(a.d, p.d, hundred()) }

// PercentWithin is the part of the amount that was added to it as p percent, such as a tax
// that is included in a price. p is not negative.
func (a Amount) PercentWithin(p Amount) (Amount, error) {
	if p.IsNegative() {
		panic("money: " + p.String() + " percent within an amount")
	}
	return part(a.d, p.d, hundred().Add(p.d))
}

// CmpRatios is -1, 0 or 1: a/of is less than, equal to or more than b/bOf, exactly. Both divisors are above zero.
func CmpRatios(a, of, b, bOf Amount) int { return a.d.Mul(bOf.d).Cmp(b.d.Mul(of.d)) }

// Neg is the amount with the other sign.
func (a Amount) Neg() Amount { return Amount{a.d.Neg()} }

// Total is the sum of amounts.
func Total(amounts ...Amount) (Amount, error) {
	var sum decimal.Decimal
	for _, a := range amounts {
		sum = sum.Add(a.d)
	}
	return fitting(sum)
}

// Spread divides the amount in proportion to weights, none of which is negative. Each part is
// the share of all weights up to its own, minus the parts before it. The parts therefore add
// up to the amount exactly, and none has the opposite sign. If all weights are zero, they
// count as equal; without weights there are no parts.
func (a Amount) Spread(weights ...Amount) []Amount {
	var sum decimal.Decimal
	for _, w := range weights {
		if w.IsNegative() {
			panic("money: a weight of " + w.String())
		}
		sum = sum.Add(w.d)
	}
	alike := sum.IsZero()
	if alike {
		sum = decimal.NewFromInt(int64(len(weights)))
	}
	parts := make([]Amount, len(weights))
	var upTo, given decimal.Decimal
	for i, w := range weights {
		if alike {
			w = Whole(1)
		}
		upTo = upTo.Add(w.d)
		due := a.d.Mul(upTo).DivRound(sum, fractionDigits)
		parts[i], given = Amount{due.Sub(given)}, due
	}
	return parts
}

func hundred() decimal.Decimal { return decimal.NewFromInt(100) }

// part is n/of of an amount.
func part(d, n, of decimal.Decimal) (Amount, error) {
	return fitting(d.Mul(n).DivRound(of, fractionDigits))
}

// fitting refuses a result that callers could not write.
func fitting(d decimal.Decimal) (Amount, error) {
	if d.Abs().Cmp(Most().d) > 0 {
		return Amount{}, ErrDigits
	}
	return Amount{d}, nil
}
