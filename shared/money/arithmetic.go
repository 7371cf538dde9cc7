package money

import (
	"fmt"

	"github.com/shopspring/decimal"
)

// What is computed here is rounded once, half away from zero, to two places. An amount
// that would have more than 14 digits before the point is refused with ErrDigits.

// Times is the amount n times.
func (a Amount) Times(n int64) (Amount, error) { return fitting(a.d.Mul(decimal.NewFromInt(n))) }

// Ratio is the n/of part of the amount. of is above zero: what a divisor of zero means
// is the caller's to decide.
func (a Amount) Ratio(n, of int64) (Amount, error) {
	if of <= 0 {
		panic(fmt.Sprintf("money: a ratio of %d", of))
	}
	return part(a.d, decimal.NewFromInt(n), decimal.NewFromInt(of))
}

// Percent is p percent of the amount: a tax that is added, or a discount.
func (a Amount) Percent(p Amount) (Amount, error) { return part(a.d, p.d, hundred()) }

// PercentWithin is what the amount has in it of p percent that were added: a tax that
// is inside of a price. p is not negative.
func (a Amount) PercentWithin(p Amount) (Amount, error) {
	if p.IsNegative() {
		panic("money: " + p.String() + " percent within an amount")
	}
	return part(a.d, p.d, hundred().Add(p.d))
}

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

// Spread divides the amount by weights, none of which is negative: each part is what
// is due to the weights up to its own, less what the parts before it got. So the parts
// make up the amount to the cent, and none has another sign than it. Where all weights
// are zero they count alike; without weights there are no parts.
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

// fitting refuses what callers could not write.
func fitting(d decimal.Decimal) (Amount, error) {
	if d.Abs().Cmp(Most().d) > 0 {
		return Amount{}, ErrDigits
	}
	return Amount{d}, nil
}
