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
	Percent       = "percent"        // a discount of some percent
	Amount        = "amount"         // a discount of an amount
	Additional    = "additional"     // a further discount
	DiscountLimit = "discount_limit" // what discounts would have taken beyond the price
	Inventory     = "inventory"      // the items of an order, before discounts
	Services      = "services"       // the services of an order, before discounts
	LineDiscounts = "line_discounts" // the discounts of all lines
	Tax           = "tax"            // a tax that is added
	TaxIncluded   = "tax_included"   // a tax that is part of the price already
	Fees          = "fees"           // what is owed besides the price
)

// Step is a step on the way to a price, for people and for machines.
type Step struct {
	Kind    string        `json:"kind" enum:"tariff,percent,amount,additional,discount_limit,inventory,services,line_discounts,tax,tax_included,fees"`
	Text    string        `json:"text" doc:"The step in words, such as \"2 × 5000.00 for 1 day (25 h)\""`
	Units   *int64        `json:"units" nullable:"true" doc:"How many times the tariff's price is taken, for one piece"`
	Count   *int64        `json:"count" nullable:"true" doc:"How many pieces"`
	Percent *money.Amount `json:"percent" nullable:"true" doc:"Of a discount or a tax"`
	Amount  money.Amount  `json:"amount" doc:"What the step adds to the price; negative for a discount. tax_included and fees add nothing."`
}

// tariffText says how the gross of a line came about.
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
	per := inWords(it.Duration)
	if calendar {
		per = "1 calendar month"
	}
	elapsed := seconds(it.Start, it.End)
	rented := inWords(max(elapsed, 0))
	if zone := r.Zone; zone != nil && !calendar && elapsed > 0 && units != int64((elapsed-1)/it.Duration+1) {
		rented += "; days begin and end by the clocks of " + zone.String() + ", which changed"
	}
	return fmt.Sprintf("%d × %s for %s (%s)%s", units, price, per, rented, each)
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
