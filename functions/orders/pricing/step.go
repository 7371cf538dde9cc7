package pricing

import (
	"strings"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
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
	Text    say.Message   `json:"text" doc:"The step in words, such as \"2 × 5000.00 for 1 day (25 h)\""`
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
		var text say.Message
		switch {
		case len(parts) == 1:
			text = r.tariffText(it, p.Units, it.Count)
		case i == 0:
			text = say.PricingInAll(r.partText(it, p.Units), inWords(seconds(it.Start, it.End)))
		default:
			text = r.partText(it, p.Units)
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
func (r Rules) partText(it Item, units int64) say.Message {
	return forEach(it.Count, say.PricingForTime(units, it.Terms.Price.String(), r.per(it.Duration)))
}

// forEach is a price of one piece of several.
func forEach(count int64, price say.Message) say.Message {
	if count > 1 {
		return say.PricingForEach(price, count)
	}
	return price
}

// per is the time that a tariff is for.
func (r Rules) per(duration moment.Seconds) say.Message {
	if duration == Month && r.CalendarMonths {
		return say.CalendarMonth
	}
	return inWords(duration)
}

// tariffText says what one tariff costs for the time of a line.
func (r Rules) tariffText(it Item, units, count int64) say.Message {
	price := it.Terms.Price.String()
	all := say.Message(price) // of all pieces
	if count > 1 || it.Timeless {
		all = say.PricingTimes(count, price)
	}
	switch {
	case it.Timeless:
		return all
	case it.Sale:
		return say.PricingSold(all)
	case it.Once:
		return say.PricingOnce(all)
	case it.Duration <= 0:
		return say.PricingAnyTime(all)
	}
	calendar := it.Duration == Month && r.CalendarMonths
	elapsed := seconds(it.Start, it.End)
	rented := inWords(max(elapsed, 0))
	if zone := r.Zone; zone != nil && !calendar && elapsed > 0 && units != int64((elapsed-1)/it.Duration+1) {
		rented = say.PricingByClocks(rented, zone.String())
	}
	return forEach(count, say.PricingForTimeRented(units, price, r.per(it.Duration), rented))
}

// inWords writes a time as people say it. Up to two days are told in hours, because a rental of 25 h
// is easier to see in them, unless it is exactly one day.
func inWords(s moment.Seconds) say.Message {
	if s == Day {
		return say.TimeDays(1)
	}
	var parts []say.Message
	if days := s / Day; days >= 2 {
		parts, s = append(parts, say.TimeDays(int64(days))), s%Day
	}
	for _, unit := range []struct {
		seconds moment.Seconds
		say     func(int64) say.Message
	}{{3600, say.TimeHours[int64]}, {60, say.TimeMinutes[int64]}, {1, say.TimeSeconds[int64]}} {
		if n := s / unit.seconds; n > 0 {
			parts, s = append(parts, unit.say(int64(n))), s%unit.seconds
		}
	}
	switch len(parts) {
	case 0:
		return say.TimeSeconds(0)
	case 1:
		return parts[0]
	case 2:
		return say.TimeOfTwo(parts[0], parts[1])
	case 3:
		return say.TimeOfThree(parts[0], parts[1], parts[2])
	}
	return say.TimeOfFour(parts[0], parts[1], parts[2], parts[3])
}

// percentText writes a percentage without zeros at its end.
func percentText(p money.Amount) string {
	return strings.TrimRight(strings.TrimRight(p.String(), "0"), ".") + "%"
}
