package pricing

import (
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// Kinds of steps.
const (
	Tariff        = "tariff"         // the price of the tariff, units × count times
	Minimum       = "minimum"        // a price rule by which a longer time is priced; it adds nothing itself
	PriceList     = "prices"         // a price rule that has other prices of tariffs for a part of the time
	PriceRule     = "rule"           // a price rule of some percent for a part of the time
	Percent       = "percent"        // a discount of some percent
	Amount        = "amount"         // a discount of an amount
	Additional    = "additional"     // a further discount
	DiscountLimit = "discount_limit" // what discounts would have taken beyond the price
	Shared        = "share"          // what other items cost that the rental had at other times
	Inventory     = "inventory"      // the items of an order, before discounts
	Services      = "services"       // the services of an order, before discounts
	LineDiscounts = "line_discounts" // the discounts of all lines
	Tax           = "tax"            // a tax that is added
	TaxIncluded   = "tax_included"   // a tax that is part of the price already
	Fees          = "fees"           // what is owed besides the price
)

// Step is a step on the way to a price, for people and for machines.
type Step struct {
	Kind    string        `json:"kind" enum:"tariff,minimum,prices,rule,percent,amount,additional,discount_limit,share,inventory,services,line_discounts,tax,tax_included,fees"`
	Text    string        `json:"text" doc:"The step in words, such as \"2 × 5000.00 for 1 day (25 h)\""`
	Units   *int64        `json:"units" nullable:"true" doc:"How many times the tariff's price is taken, for one piece. A sum of tariffs has a step for each, the longest first."`
	Count   *int64        `json:"count" nullable:"true" doc:"How many pieces"`
	Percent *money.Amount `json:"percent" nullable:"true" doc:"Of a discount, a price rule or a tax"`
	Tariff  *int64        `json:"tarif" nullable:"true" doc:"The id of the tariff of the step, where it is known"`
	Rule    *int64        `json:"rule" nullable:"true" doc:"The id of the price rule of the step"`
	Amount  money.Amount  `json:"amount" doc:"What the step adds to the price; negative for a discount. minimum, tax_included and fees add nothing."`
}

// tariffSteps say how the gross of a line by its tariffs came about.
func (r Rules) tariffSteps(it Item, parts []Part) (steps []Step) {
	for i, p := range parts {
		it.Terms = p.Terms
		text := r.partText(it, p.Units)
		switch {
		case len(parts) == 1:
			text = r.tariffText(it, p.Units, it.Count)
		case i == 0:
			text += " (" + inWords(seconds(it.Start, it.End)) + " in all)"
		}
		amount := money.FromCents(times(times(cents(p.Price), p.Units), it.Count))
		step := Step{Kind: Tariff, Text: text, Units: &p.Units, Count: &it.Count, Amount: amount}
		if p.ID != 0 {
			step.Tariff = &p.ID
		}
		steps = append(steps, step)
	}
	return steps
}

// partText says what one tariff of a sum adds to it.
func (r Rules) partText(it Item, units int64) string {
	each := ""
	if it.Count > 1 {
		each = fmt.Sprintf(", for each of %d", it.Count)
	}
	return fmt.Sprintf("%d × %s for %s%s", units, it.Terms.Price, r.per(it.Duration), each)
}

// per is the time that a tariff is for.
func (r Rules) per(duration moment.Seconds) string {
	if duration == Month && r.CalendarMonths {
		return "1 calendar month"
	}
	return inWords(duration)
}

// tariffText says what one tariff costs for the time of a line.
func (r Rules) tariffText(it Item, units, count int64) string {
	price := it.Terms.Price.String()
	times, each := "", ""
	if count > 1 {
		times, each = fmt.Sprintf("%d × ", count), fmt.Sprintf(", for each of %d", count)
	}
	switch {
	case it.Timeless:
		return fmt.Sprintf("%d × %s", count, price)
	case it.Sale:
		return times + price + ", sold"
	case it.Once:
		return times + price + ", paid once"
	case it.Duration <= 0:
		return times + price + " for any time"
	}
	calendar := it.Duration == Month && r.CalendarMonths
	elapsed := seconds(it.Start, it.End)
	rented := inWords(max(elapsed, 0))
	if zone := r.Zone; zone != nil && !calendar && elapsed > 0 && units != int64((elapsed-1)/it.Duration+1) {
		rented += "; days begin and end by the clocks of " + zone.String() + ", which changed"
	}
	return fmt.Sprintf("%d × %s for %s (%s)%s", units, price, r.per(it.Duration), rented, each)
}

// inWords writes a time as people say it. Up to two days are told in hours, because a rental of 25 h
// is easier to see in them, unless it is exactly one day.
func inWords(s moment.Seconds) string {
	if s == Day {
		return "1 day"
	}
	var parts []string
	if days := s / Day; days >= 2 {
		parts, s = append(parts, fmt.Sprintf("%d days", days)), s%Day
	}
	for _, unit := range []struct {
		seconds moment.Seconds
		name    string
	}{{3600, "h"}, {60, "min"}, {1, "s"}} {
		if n := s / unit.seconds; n > 0 {
			parts, s = append(parts, fmt.Sprintf("%d %s", n, unit.name)), s%unit.seconds
		}
	}
	if parts == nil {
		return "0 s"
	}
	return strings.Join(parts, " ")
}

// percentText writes a percentage without zeros at its end.
func percentText(p money.Amount) string {
	return strings.TrimRight(strings.TrimRight(p.String(), "0"), ".") + "%"
}
