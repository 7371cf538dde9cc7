package company

import (
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/moment"
)

// Months is how a company counts a tariff of 30 days.
type Months string

// The ways to count it.
const (
	DayMonths      Months = "days"
	CalendarMonths Months = "calendar"
)

// Values are the ways to count it.
func (Months) Values() []enum.Value { return enum.Named(DayMonths, CalendarMonths) }

// Rental is the settings by which a company rents out.
type Rental struct {
	LateGrace moment.Seconds `dynamo:"lg" json:"late_grace" doc:"Seconds that a return may be late without a fee"`
	LateStep  moment.Seconds `dynamo:"ls" json:"late_step" doc:"Seconds for which a late fee rises by a step"`
	Buffer    moment.Seconds `dynamo:"b" json:"buffer" doc:"Seconds that are kept free after each rental"`
	Month     Months         `dynamo:"m" json:"month" doc:"How a tariff of 2,592,000 seconds counts: 30 days, or a calendar month"`
}

// RentalRules returns the settings of a company, or those that hold while it has changed none.
func (c Company) RentalRules() Rental {
	if c.Rental == nil {
		return Rental{LateGrace: 3600, LateStep: 3600, Month: DayMonths}
	}
	return *c.Rental
}

// SetRentalRules gives a company other settings. The result writes them, for Change.
func (c *Company) SetRentalRules(to Rental) (set func(u *dynamo.Update)) {
	if to != c.RentalRules() {
		c.Rental = &to
	}
	return func(u *dynamo.Update) { u.Set("re", to) }
}
