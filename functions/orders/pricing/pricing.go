// Package pricing is how a quote is explained and an order is priced. Both call the same
// functions, so that an invoice equals its quote to the cent.
//
// A line's price is its tariff's price, as often as the rented time holds the tariff's
// duration, or the cheapest sum of the tariffs that are offered for it (combine.go). Price rules
// change it by the times for which they hold (ruled.go). The discounts of the line come after
// them. An order's price is the sum of its lines, less the discounts of the order, plus a tax that
// is added. Being late costs a part of a tariff, or what the longer rental would cost more
// (late.go). Each result comes with the steps that led to it. Amounts are rounded half away from
// zero to two places, each line by itself; totals are sums of rounded lines.
//
// What never goes in here: HTTP, records, and what is owed or paid.
package pricing

import (
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// Terms are what a price is for: a tariff, as a line keeps it. The price is not negative.
type Terms struct {
	Price    money.Amount
	Duration moment.Seconds // that the price is for; 0: any time
	Once     bool           // it is paid once, however long the time is
}

// Discount is a percentage, an amount or both; nil means none. Neither is negative.
type Discount struct{ Percent, Amount *money.Amount }

// Rules are the settings by which a company prices rentals.
type Rules struct {
	Zone           *time.Location // where its days begin; nil is UTC
	CalendarMonths bool           // a tariff of Month counts calendar months
	LateGrace      moment.Seconds
	LateStep       moment.Seconds // at least MinLateStep
	LateByTariffs  bool           // being late costs what the longer rental would, and not a part of one tariff
	LatePercent    *int64         // of that, the fee; nil: 100
	LateDayCap     *money.Amount  // the most for each begun 24 hours; nil: no bound
}

// Durations.
const (
	Day         moment.Seconds = 86_400
	Month                      = 30 * Day // the duration that may mean a calendar month
	MinLateStep moment.Seconds = 60
)

// Item is what one line prices.
type Item struct {
	Terms                // of its tariff; not priced by where there is an offer
	Tariff     int64     // the id of its tariff, by which a price list finds it; 0: no tariff
	Offer      []Offered // the tariffs whose cheapest sum is the price; empty: Terms alone
	Rules      []Rule    // the price rules of its place, in any order
	Start, End time.Time // of a rental; ignored where the price counts once
	Sale       bool      // counts once
	Timeless   bool      // a service: it has no time, and counts once
	Count      int64     // how many pieces; 0 is 1
	Discount   Discount
	Additional money.Amount // a further discount, not negative
	Share      *Share       // nil: the line is the whole rental
}

// Price is the price of a line.
type Price struct {
	Units    int64        // how many times the price of the tariff, or of the longest one of the sum, is taken, for one piece
	Parts    []Part       // of an offer: the sum, the longest tariff first
	End      time.Time    // until when a rental is priced: later than its end if a rule has a minimum
	Gross    money.Amount // before discounts
	Discount money.Amount // all discounts, at most the gross
	Net      money.Amount // the gross less the discount
	Steps    []Step       // they add up to the net
}

// Price prices a line. It fails with one of the messages of ParseAmount if an amount would have more than 14 digits
// before the point. A rental counts at least one unit, whatever its time is.
func (r Rules) Price(it Item) (p Price, err error) {
	it.Count = max(it.Count, 1)
	rules := it.ruled()
	p.End, p.Steps = r.least(it, rules)
	it.End = p.End
	parts, gross, err := r.cost(it)
	if err != nil {
		return Price{}, err
	}
	p.Units, p.Gross = parts[0].Units, gross
	if it.combined() {
		p.Parts = parts
	}
	p.Steps = append(p.Steps, r.tariffSteps(it, parts)...)
	changed, steps, err := r.apply(it, rules, gross)
	if err != nil {
		return Price{}, err
	}
	p.Gross, p.Steps = changed, append(p.Steps, steps...)
	taken, steps, err := it.Discount.from(p.Gross, it.Additional)
	if err != nil {
		return Price{}, err
	}
	p.Discount, p.Net, p.Steps = taken, p.Gross.Sub(taken), append(p.Steps, steps...)
	if it.Share != nil {
		return it.shared(p)
	}
	return p, nil
}

// combined tells whether a line costs the cheapest sum of its offer.
func (it Item) combined() bool { return len(it.Offer) > 0 && !it.Sale && !it.Timeless }

// cost returns what a line costs by tariffs, for all pieces: the units of its tariff, or the cheapest sum of its offer.
func (r Rules) cost(it Item) (parts []Part, gross money.Amount, err error) {
	switch {
	case it.combined():
		if parts = r.cheapest(Offer(it.Offer), it.Start, it.End); parts == nil {
			return nil, gross, money.ErrDigits
		}
	case it.Sale || it.Timeless:
		parts = []Part{{Offered: Offered{ID: it.Tariff, Terms: it.Terms}, Units: 1}}
	default:
		parts = []Part{{Offered: Offered{ID: it.Tariff, Terms: it.Terms}, Units: r.unitsOf(it.Terms, it.Start, it.End)}}
	}
	one := money.Amount{}
	for _, p := range parts {
		of, err := p.Price.Times(p.Units)
		if err != nil {
			return nil, gross, err
		}
		one = one.Add(of)
	}
	gross, err = one.Times(it.Count)
	return parts, gross, err
}

// from returns what a discount and a further one take from an amount, which is at most all of it,
// and the steps. The percentage is of the amount as it was before any discount.
func (d Discount) from(whole, further money.Amount) (taken money.Amount, steps []Step, err error) {
	take := func(s Step, of money.Amount) {
		if of.IsZero() {
			return
		}
		taken, s.Amount = taken.Add(of), of.Neg()
		steps = append(steps, s)
	}
	if d.Percent != nil {
		of, err := whole.Percent(*d.Percent)
		if err != nil {
			return taken, nil, err
		}
		percent := *d.Percent
		take(Step{Kind: Percent, Text: say.PricingDiscountPercent(percentText(percent), whole.String()), Percent: &percent}, of)
	}
	if d.Amount != nil {
		take(Step{Kind: Amount, Text: say.PricingDiscountAmount(d.Amount.String())}, *d.Amount)
	}
	take(Step{Kind: Additional, Text: say.PricingDiscountAdditional(further.String())}, further)
	if most := atLeastZero(whole); taken.Cmp(most) > 0 {
		steps = append(steps, Step{
			Kind: DiscountLimit, Text: say.PricingDiscountLimit(whole.String()), Amount: taken.Sub(most),
		})
		taken = most
	}
	return taken, steps, nil
}

func atLeastZero(a money.Amount) money.Amount {
	if a.IsNegative() {
		return money.Amount{}
	}
	return a
}

// Cheapest returns the index of the tariff that has the lowest total for a rental, and of equal
// ones the first; -1 if there is none. It leaves out tariffs that no order can have: with a
// negative price, or with a total that is no amount.
func (r Rules) Cheapest(offered []Terms, start, end time.Time) int {
	best, lowest := -1, money.Amount{}
	for i, t := range offered {
		p, err := r.Price(Item{Terms: t, Start: start, End: end})
		if err != nil || t.Price.IsNegative() {
			continue
		}
		if best < 0 || p.Gross.Cmp(lowest) < 0 {
			best, lowest = i, p.Gross
		}
	}
	return best
}
