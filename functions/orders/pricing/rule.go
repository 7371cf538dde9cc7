package pricing

import (
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// Rule is a price rule of a company. It has at most one of Season, Weekdays and Hours, may have a length besides, and has exactly
// one effect: a Percent, Prices or a Minimum.
//
// Minimums come first: their conditions are at the start of the rental, and their length is the time without any minimum. All other
// rules see the time that is priced then, each second of it by what the clocks show at its beginning. A second belongs to the first
// price list that holds it, and has each percentage that holds it, one after the other.
type Rule struct {
	ID       int64
	Name     string
	Ordering int64 // percents are taken, and price lists are asked, by (Ordering, ID)

	Season   *Season
	Weekdays []time.Weekday
	Hours    *Hours
	AtLeast  moment.Seconds // of the length of the rental; whole days count on the clocks
	Below    moment.Seconds // 0: no bound

	Percent *money.Amount // at least -100
	Prices  []ListPrice
	Minimum moment.Seconds // the least time that is priced
}

// Season is some days, the first and the last one included. 29 February is between 28 February and 1 March in all years.
type Season struct {
	First, Last Date
	Yearly      bool // in each year, whatever the years of the days are; it may go over the end of a year
}

// Date is a day of a calendar.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// Hours is a time of the day, in seconds of the clocks after midnight; over midnight where To is not after From.
type Hours struct{ From, To moment.Seconds }

// ListPrice is the price of a tariff while a rule holds.
type ListPrice struct {
	Tariff int64
	Price  money.Amount
}
