package company

import (
	"bytes"
	"encoding/json"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/tenant"
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

// Late is what a return costs that is late.
type Late string

// The ways to charge it.
const (
	LateProRata Late = "pro_rata" // a part of the tariff's price for each step
	LateTariffs Late = "tariffs"  // what the longer rental would cost more
)

// Values are the ways to charge it.
func (Late) Values() []enum.Value { return enum.Named(LateProRata, LateTariffs) }

// Early is what becomes of the price where an item is back before the end that was priced.
type Early string

// What becomes of it.
const (
	EarlyKeep    Early = "keep"    // it stays
	EarlyReprice Early = "reprice" // the time that was used is priced, if that is not dearer
)

// Values are what becomes of it.
func (Early) Values() []enum.Value { return enum.Named(EarlyKeep, EarlyReprice) }

// EarlyStart is what a hand-out costs that is early.
type EarlyStart string

// What it costs.
const (
	EarlyStartFree    EarlyStart = "free"    // nothing
	EarlyStartCharged EarlyStart = "charged" // the longer rental: its start moves to the hand-out
)

// Values are what it costs.
func (EarlyStart) Values() []enum.Value { return enum.Named(EarlyStartFree, EarlyStartCharged) }

// Accrual is on which days metrics show what a line of an order is worth, and what was collected for it.
type Accrual string

// The days.
const (
	AccrualFirstDay Accrual = "first_day" // that on which it begins
	AccrualDaily    Accrual = "daily"     // those of its time, and those on which the money was collected
)

// Values are the days.
func (Accrual) Values() []enum.Value { return enum.Named(AccrualFirstDay, AccrualDaily) }

// Rental is the settings by which a company rents out. What a company never set, and what was stored before a setting existed, prices as
// it did then; but Early is kept where it was never set, for lines that are new.
type Rental struct {
	LateGrace      moment.Seconds `dynamo:"lg" json:"late_grace" doc:"Seconds that a return may be late without a fee"`
	LateStep       moment.Seconds `dynamo:"ls" json:"late_step" doc:"Seconds for which a late fee rises by a step, where late is pro_rata"`
	Buffer         moment.Seconds `dynamo:"b" json:"buffer" doc:"Seconds that are kept free after each rental"`
	Hold           moment.Seconds `dynamo:"ho,omitempty" json:"hold" doc:"Seconds for which a new request has its items, without a payment or a deposit; 0: without end"`
	Month          Months         `dynamo:"m" json:"month" doc:"How a tariff of 2,592,000 seconds counts: 30 days, or a calendar month"`
	Combine        bool           `dynamo:"co,omitempty" json:"combine" doc:"Whether a rental without a tariff costs the cheapest sum of tariffs; a group may say otherwise"`
	ServicesByTime bool           `dynamo:"st,omitempty" json:"services_by_time" doc:"Whether services whose tariff has a duration are charged for the time"`
	Late           Late           `dynamo:"la,omitempty" json:"late" doc:"What being late costs: {values}. pro_rata: a part of the tariff's price for each late_step. tariffs: what the rental would have cost more if it had been as long."`
	LatePercent    *int64         `dynamo:"lp,omitempty" json:"late_percent" doc:"How much of that is charged"`
	LateDayCap     *money.Amount  `dynamo:"lc" json:"late_day_cap" nullable:"true" doc:"The most that being late costs for each begun 24 hours; null: no bound"`
	Early          Early          `dynamo:"ea,omitempty" json:"early" doc:"What becomes of the price where an item comes back early, or the end of a rental that is out is moved forward: {values}. keep: it stays. reprice: the time that was used is priced, if that is not dearer."`
	EarlyStart     EarlyStart     `dynamo:"es,omitempty" json:"early_start" doc:"What a hand-out costs that is more than late_grace early: {values}. charged: start_at moves to the hand-out, and the longer rental is priced."`
	TaxPercent     money.Amount   `dynamo:"tp" json:"tax_percent" doc:"Of new orders that name none"`
	TaxIncluded    bool           `dynamo:"ti,omitempty" json:"tax_included" doc:"Of new orders that don't say"`
	MaxDiscount    *MaxDiscount   `dynamo:"md,omitempty" json:"max_discount_percent" doc:"The most that a member may take off the price by tariffs, of a line and of an order; owners have no bound."`
	Cancellation   []Cancellation `dynamo:"ca,omitempty" json:"cancellation" doc:"What cancelling costs: of the rows whose before is not less than the seconds until the start, the one with the least; none: nothing"`
	NoShowPercent  int64          `dynamo:"ns,omitempty" json:"no_show_percent" doc:"How much of the price of a reserved order is charged if nobody comes"`
	Accrual        Accrual        `dynamo:"ac,omitempty" json:"accrual" doc:"On which days metrics show a line of an order: {values}. first_day: all of it on that on which it begins. daily: its prediction on the days of its time, by seconds, and its profit on those on which the money was collected. It counts for an order from the order's next change on, or from a rebuild of the metrics."`
}

// Cancellation is what cancelling an order costs as long as there are at most so many seconds until its first start.
type Cancellation struct {
	Before  moment.Seconds `dynamo:"b" json:"before" doc:"Seconds until the first planned start of the order"`
	Percent int64          `dynamo:"p" json:"percent" doc:"Of the order's price"`
}

// MaxDiscount is how many percent members with a role may take off a price.
type MaxDiscount struct {
	Employee int64 `dynamo:"e" json:"employee"`
	Manager  int64 `dynamo:"m" json:"manager"`
}

// Of is the bound of a role. Owners, and what has no role, have none.
func (m MaxDiscount) Of(role tenant.Role) int64 {
	switch role {
	case tenant.Owner, "":
		return 100
	case tenant.Manager:
		return m.Manager
	}
	return m.Employee
}

// NewRental returns the settings that new companies have.
func NewRental() *Rental {
	of := Company{}.RentalRules()
	of.Combine, of.ServicesByTime, of.MaxDiscount = true, true, &MaxDiscount{Employee: 20, Manager: 100}
	return &of
}

// RentalRules returns the settings of a company, complete: what it has not set is as it was before there was the setting.
func (c Company) RentalRules() Rental {
	of := Rental{LateGrace: 3600, LateStep: 3600, Month: DayMonths}
	if c.Rental != nil {
		of = *c.Rental
	}
	if of.Late == "" {
		of.Late = LateProRata
	}
	if of.Early == "" {
		of.Early = EarlyKeep
	}
	if of.EarlyStart == "" {
		of.EarlyStart = EarlyStartFree
	}
	if of.Accrual == "" {
		of.Accrual = AccrualFirstDay
	}
	if of.LatePercent == nil {
		all := int64(100)
		of.LatePercent = &all
	}
	if of.MaxDiscount == nil {
		of.MaxDiscount = &MaxDiscount{Employee: 100, Manager: 100}
	}
	if of.Cancellation == nil {
		of.Cancellation = []Cancellation{}
	}
	return of
}

// SetRentalRules gives a company other settings. The result writes them, for Change.
func (c *Company) SetRentalRules(to Rental) (set func(u *dynamo.Update)) {
	if !to.same(c.RentalRules()) {
		c.Rental = &to
	}
	return func(u *dynamo.Update) { u.Set("re", to) }
}

// same compares settings by what callers see: amounts are equal in more than one form.
func (r Rental) same(other Rental) bool {
	a, err := json.Marshal(r)
	b, bad := json.Marshal(other)
	return err == nil && bad == nil && bytes.Equal(a, b)
}
