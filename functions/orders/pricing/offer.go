package pricing

import (
	"cmp"
	"slices"
)

// Offered is a tariff of an offer.
type Offered struct {
	ID int64
	Terms
}

// Part is how often a tariff is in the cheapest sum.
type Part struct {
	Offered
	Units int64
}

// MostOffered is how many tariffs take part in a sum.
const MostOffered = 12

// Offer returns the tariffs of a list that take part in a sum: the first MostOffered by their ids.
func Offer(list []Offered) []Offered {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Offered) int { return cmp.Compare(a.ID, b.ID) })
	return list[:min(len(list), MostOffered)]
}

// anyTime tells whether a price is for any time.
func (t Terms) anyTime() bool { return t.Once || t.Duration <= 0 }

// longestFirst returns tariffs as equal sums prefer them: those for any time, then the longer ones, then the lower ids.
func longestFirst(offer []Offered) []Offered {
	offer = slices.Clone(offer)
	slices.SortStableFunc(offer, func(a, b Offered) int {
		switch {
		case a.anyTime() != b.anyTime():
			if a.anyTime() {
				return -1
			}
			return 1
		case !a.anyTime() && a.Duration != b.Duration:
			return cmp.Compare(b.Duration, a.Duration)
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return offer
}
