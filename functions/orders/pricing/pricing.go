// Package pricing is how a quote is explained and an order is priced. Both call the same
// functions, so that an invoice equals its quote to the cent.
//
// A line's price is its tariff's price, as often as the rented time holds the tariff's
// duration, less the discounts of the line. An order's price is the sum of its lines, less the
// discounts of the order, plus a tax that is added. Each result comes with the steps that led to
// it. Amounts are rounded half away from zero to two places, each line by itself; totals are sums
// of rounded lines.
//
// What never goes in here: HTTP, records, and what is owed or paid.
package pricing

import (
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
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
}

// Durations.
const (
	Day         moment.Seconds = 86_400
	Month                      = 30 * Day // the duration that may mean a calendar month
	MinLateStep moment.Seconds = 60
)

// Item is what one line prices.
type Item struct {
	Terms
	Start, End time.Time // of a rental; ignored where the price counts once
	Sale       bool      // counts once
	Timeless   bool      // a service: it has no time, and counts once
	Count      int64     // how many pieces; 0 is 1
	Discount   Discount
	Additional money.Amount // a further discount, not negative
}

// Price is the price of a line.
type Price struct {
	Units    int64        // how many times the tariff's price is taken, for one piece
	Gross    money.Amount // before discounts
	Discount money.Amount // all discounts, at most the gross
	Net      money.Amount // the gross less the discount
	Steps    []Step       // they add up to the net
}

// Price prices a line. It fails with a money.Refusal if an amount would have more than 14 digits
// before the point. A rental counts at least one unit, whatever its time is.
func (r Rules) Price(it Item) (Price, error) {
	p := Price{Units: 1}
	if timed := !it.Sale && !it.Timeless && !it.Once && it.Duration > 0; timed {
		p.Units = r.units(it.Duration, it.Start, it.End)
	}
	count := max(it.Count, 1)
	one, err := it.Terms.Price.Times(p.Units)
	if err != nil {
		return Price{}, err
	}
	if p.Gross, err = one.Times(count); err != nil {
		return Price{}, err
	}
	p.Steps = []Step{{
		Kind: Tariff, Text: r.tariffText(it, p.Units, count), Units: &p.Units, Count: &count, Amount: p.Gross,
	}}
	taken, steps, err := it.Discount.from(p.Gross, it.Additional)
	if err != nil {
		return Price{}, err
	}
	p.Discount, p.Net, p.Steps = taken, p.Gross.Sub(taken), append(p.Steps, steps...)
	return p, nil
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
		take(Step{Kind: Percent, Text: "discount of " + percentText(percent) + " of " + whole.String(), Percent: &percent}, of)
	}
	if d.Amount != nil {
		take(Step{Kind: Amount, Text: "discount of " + d.Amount.String()}, *d.Amount)
	}
	take(Step{Kind: Additional, Text: "additional discount of " + further.String()}, further)
	if most := atLeastZero(whole); taken.Cmp(most) > 0 {
		steps = append(steps, Step{
			Kind: DiscountLimit, Text: "discounts are at most the price before them, " + whole.String(), Amount: taken.Sub(most),
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

// LateFee returns the fee for a line that was due at one time and came back at another. It is part of
// the tariff's price, before discounts, for each whole step after the grace. There is none for a
// sale, or if the tariff has no duration.
func (r Rules) LateFee(t Terms, sale bool, due, back time.Time) (money.Amount, error) {
	late := moment.Seconds(back.Unix() - due.Unix())
	if back.Nanosecond() < due.Nanosecond() {
		late-- // whole seconds only
	}
	if sale || t.Duration <= 0 || late <= r.LateGrace {
		return money.Amount{}, nil
	}
	step := max(r.LateStep, MinLateStep)
	return t.Price.Ratio(int64((late-r.LateGrace)/step), int64((t.Duration-1)/step+1))
}
