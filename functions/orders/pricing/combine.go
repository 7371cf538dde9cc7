package pricing

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

const (
	// grain is what the duration of a tariff is a multiple of if it is combined with others. It bounds the work of a search.
	grain moment.Seconds = 900
	// mostSearched is the longest time that is searched for its cheapest sum.
	mostSearched = 400 * Day
	// mostCents is the largest amount there is, in cents.
	mostCents int64 = 9_999_999_999_999_999
)

// cheapest returns the cheapest sum of units that covers a rental, the longest tariff first. It is nil if no sum is an amount.
//
// A sum covers the time if its units, laid end to end from the start, reach the end: calendar months, then whole days on the
// clocks, then seconds. Tariffs for any time, and those whose duration is no multiple of grain, cover it alone. Of equal sums it
// is the one with the fewest units, then with more units of the longest tariff, then of the lowest id.
//
// Of more than mostSearched, the least number of units of the longest tariff that leaves no more comes first.
func (r Rules) cheapest(offer []Offered, start, end time.Time) []Part {
	elapsed := seconds(start, end)
	s := search{
		clock: r.clock(), offer: longestFirst(offer), start: start.Unix(), end: start.Unix() + int64(elapsed), month: -1,
		best: sum{cost: mostCents, units: math.MaxInt64},
	}
	for i, t := range s.offer {
		switch {
		case elapsed <= 0 || t.anyTime() || t.Duration%grain != 0:
			n := r.unitsOf(t.Terms, start, end)
			s.take(sum{cost: times(cents(t.Price), n), units: n, alone: i + 1})
		case t.Duration == Month && r.CalendarMonths:
			if s.month < 0 || t.Price.Cmp(s.offer[s.month].Price) < 0 {
				s.month = i
			}
		case t.Duration%Day == 0:
			// More days than the rental has make no difference, and could be too many to count.
			s.days.add(unit{index: i, span: int64(min(t.Duration, elapsed+clocks+Day) / Day), price: cents(t.Price)})
		default:
			s.rest.add(unit{index: i, span: int64(t.Duration), price: cents(t.Price)})
		}
	}
	if elapsed > mostSearched {
		s.layLongest(r, elapsed)
	}
	if elapsed > 0 {
		s.combine()
	}
	if s.best.units == math.MaxInt64 {
		return nil
	}
	var parts []Part
	for i, n := range s.counts(s.best) {
		if n > 0 {
			parts = append(parts, Part{Offered: s.offer[i], Units: n})
		}
	}
	return parts
}

// search is a search for the cheapest sum.
type search struct {
	clock      clock
	offer      []Offered // the longest first
	start, end int64     // whole seconds
	month      int       // the index of the tariff that counts calendar months; -1: none
	days       sums      // of tariffs of whole days, by days
	rest       sums      // of the other ones, by their greatest common divisor
	first      sum       // the units of the longest tariff that come first in each sum
	best       sum
}

// sum is some units. What comes first is not in months, days and rest.
type sum struct {
	cost, units        int64
	alone              int   // the index of the only tariff, plus one; 0: they are combined
	months, days, rest int64 // how many months; days and multiples that the cheapest sums of the two classes cover
}

// take keeps a sum if it is better than the best before.
func (s *search) take(o sum) {
	switch b := s.best; {
	case o.cost > b.cost || o.cost == b.cost && o.units > b.units:
	case o.cost < b.cost || o.units < b.units || slices.Compare(s.counts(o), s.counts(b)) > 0:
		s.best = o
	}
}

// counts returns how often each tariff is in a sum.
func (s *search) counts(o sum) []int64 {
	n := make([]int64, len(s.offer))
	if o.alone > 0 {
		n[o.alone-1] = o.units
		return n
	}
	if s.first.units > 0 {
		n[s.first.alone-1] = s.first.units
	}
	if s.month >= 0 {
		n[s.month] += o.months
	}
	s.days.count(o.days, n)
	s.rest.count(o.rest, n)
	return n
}

// layLongest lays the least number of units of the longest tariff, of equally long ones the cheapest, that leaves a time that is searched.
func (s *search) layLongest(r Rules, elapsed moment.Seconds) {
	i := slices.IndexFunc(s.offer, func(t Offered) bool { return !t.anyTime() && t.Duration%grain == 0 })
	if i < 0 {
		return
	}
	for j := i + 1; j < len(s.offer) && s.offer[j].Duration == s.offer[i].Duration; j++ {
		if s.offer[j].Price.Cmp(s.offer[i].Price) < 0 {
			i = j
		}
	}
	t, last := s.offer[i], time.Unix(s.end-int64(mostSearched), 0)
	n := r.unitsOf(t.Terms, time.Unix(s.start, 0), last)
	s.first = sum{cost: times(cents(t.Price), n), units: n, alone: i + 1}
	switch {
	case t.Duration == Month && r.CalendarMonths:
		s.first.months = n
	case t.Duration%Day == 0:
		s.first.days = n * int64(min(t.Duration, elapsed+clocks+Day)/Day)
	default:
		s.end -= n * int64(t.Duration)
	}
}

// combine searches the sums of more than one tariff.
func (s *search) combine() {
	grid := s.rest.grid()
	from := time.Unix(s.clock.wall(s.start), 0).UTC()
	for n := s.first.months; ; n++ {
		cost, units := s.first.cost, s.first.units+n-s.first.months
		if n > s.first.months {
			cost += times(cents(s.offer[s.month].Price), n-s.first.months)
		}
		if cost > s.best.cost {
			return
		}
		wall := addMonths(from, int(n)).Unix()
		left := func(days int64) int64 {
			if days += s.first.days; n > 0 || days > 0 {
				return s.end - s.clock.moment(wall+days*int64(Day))
			}
			return s.end - s.start
		}
		most := int64(0) // the fewest days that reach the end
		if len(s.days.of) > 0 {
			for most = max(left(0)/int64(Day)-int64(clocks/Day), 0); left(most) > 0; most++ {
			}
		}
		s.days.grow(most, math.MaxInt64)
		for d := most; d >= 0; d-- {
			o := sum{cost: cost + s.days.best[d].cost, units: units + s.days.best[d].units, months: n - s.first.months, days: d}
			if over := left(d); over > 0 {
				if len(s.rest.of) == 0 {
					break
				}
				o.rest = (over-1)/grid + 1
				if o.cost+s.rest.atLeast(o.rest) > s.best.cost || !s.rest.grow(o.rest, s.best.cost-o.cost) {
					continue
				}
				o.cost, o.units = o.cost+s.rest.best[o.rest].cost, o.units+s.rest.best[o.rest].units
			}
			s.take(o)
		}
		if s.month < 0 || left(0) <= 0 {
			return
		}
	}
}

// unit is one of the tariffs whose units are laid in the same way.
type unit struct {
	index       int // in the offer
	span, price int64
}

// cheaper tells whether a tariff costs less than another one for what it covers.
func (u unit) cheaper(other unit) bool {
	high, low := bits.Mul64(uint64(u.price), uint64(other.span))
	otherHigh, otherLow := bits.Mul64(uint64(other.price), uint64(u.span))
	return high < otherHigh || high == otherHigh && low < otherLow
}

// sums are the cheapest sums of such tariffs, by how much they cover at least.
type sums struct {
	of   []unit // the longest first; none costs as much as a longer one
	best []price
	rate unit // the one that costs least for what it covers
}

// price is what a sum costs, and of how many units it is.
type price struct{ cost, units int64 }

// add adds a tariff that is not longer than those before it. It leaves out what is never in the best sum: a tariff that costs no
// less than a longer one, or than an equally long one that comes first.
func (s *sums) add(u unit) {
	last := len(s.of) - 1
	if last >= 0 && u.price >= s.of[last].price {
		return
	}
	if last >= 0 && u.span == s.of[last].span {
		s.of = s.of[:last]
	}
	s.of = append(s.of, u)
}

// grid makes the greatest common divisor of the spans their unit, and returns it.
func (s *sums) grid() (of int64) {
	for _, u := range s.of {
		for n := u.span; n != 0; {
			of, n = n, of%n
		}
	}
	for i := range s.of {
		s.of[i].span /= of
		if i == 0 || s.of[i].cheaper(s.rate) {
			s.rate = s.of[i]
		}
	}
	return of
}

// atLeast is at most what the cheapest sum costs that covers so much.
func (s *sums) atLeast(covers int64) int64 { return times(s.rate.price, covers/s.rate.span) }

// grow computes the cheapest sums that cover up to so much, and tells whether that one costs at most so many cents. It stops where
// more than them is needed, because what covers more never costs less.
func (s *sums) grow(to, most int64) bool {
	if s.best == nil {
		s.best = []price{{}}
	}
	s.best = slices.Grow(s.best, int(max(to+1-int64(len(s.best)), 0)))
	for q := int64(len(s.best)); q <= to; q++ {
		if s.best[q-1].cost > most {
			return false
		}
		best := price{cost: mostCents + 1}
		for _, u := range s.of {
			before := s.best[max(q-u.span, 0)]
			if c := before.cost + u.price; c < best.cost || c == best.cost && before.units < best.units {
				best = price{cost: c, units: before.units}
			}
		}
		best.units++
		s.best = append(s.best, best)
	}
	return s.best[to].cost <= most
}

// count adds how often each tariff is in the cheapest sum that covers so much. The longest tariff that is in any of the equal sums
// is in the one that has most of it, so taking it as long as it can be taken finds that one.
func (s *sums) count(covers int64, n []int64) {
	for covers > 0 {
		for _, u := range s.of {
			before := max(covers-u.span, 0)
			if (price{s.best[before].cost + u.price, s.best[before].units + 1}) == s.best[covers] {
				n[u.index], covers = n[u.index]+1, before
				break
			}
		}
	}
}

// cents is an amount in cents; one that is too large is one more than the largest.
func cents(a money.Amount) int64 {
	if a.Cmp(money.Most()) > 0 {
		return mostCents + 1
	}
	return a.Cents()
}

// times is some cents n times, at most one more than the largest amount.
func times(c, n int64) int64 {
	if c > 0 && n > mostCents/c {
		return mostCents + 1
	}
	return c * n
}
