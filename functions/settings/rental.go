package settings

import (
	"context"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// rentalBody is what a caller sends to change how the company rents out. No time but that before a start is longer than 31 days.
type rentalBody struct {
	LateGrace      decode.Optional[moment.Seconds]     `json:"late_grace" minimum:"0" maximum:"2678400" example:"3600" doc:"Seconds that a return may be late without a fee"`
	LateStep       decode.Optional[moment.Seconds]     `json:"late_step" minimum:"60" maximum:"2678400" example:"1800" doc:"Seconds for which a late fee rises by a step, where late is pro_rata"`
	Buffer         decode.Optional[moment.Seconds]     `json:"buffer" minimum:"0" maximum:"2678400" example:"900" doc:"Seconds that are kept free after each rental"`
	Hold           decode.Optional[moment.Seconds]     `json:"hold" minimum:"0" maximum:"2678400" example:"86400" doc:"Seconds for which a new request has its items, without a payment or a deposit: it is cancelled then. 0: without end"`
	Month          decode.Optional[company.Months]     `json:"month" example:"calendar" doc:"How a tariff of 2,592,000 seconds counts: 30 days, or a calendar month"`
	Combine        decode.Optional[bool]               `json:"combine" doc:"Whether a rental without a tariff costs the cheapest sum of tariffs; a group may say otherwise. New companies do, those from before there was the setting don't."`
	ServicesByTime decode.Optional[bool]               `json:"services_by_time" doc:"Whether services whose tariff has a duration are charged for the time. New companies do, those from before there was the setting don't."`
	Late           decode.Optional[company.Late]       `json:"late" example:"tariffs" doc:"What being late costs: {values}"`
	LatePercent    decode.Optional[int64]              `json:"late_percent" minimum:"0" maximum:"1000" example:"150" doc:"How much of that is charged"`
	LateDayCap     decode.Optional[money.Amount]       `json:"late_day_cap" nullable:"true" minimum:"0" doc:"The most that being late costs for each begun 24 hours; null: no bound"`
	Early          decode.Optional[company.Early]      `json:"early" example:"reprice" doc:"What becomes of the price where an item comes back early, or the end of a rental that is out is moved forward: {values}"`
	EarlyStart     decode.Optional[company.EarlyStart] `json:"early_start" example:"charged" doc:"What a hand-out costs that is more than late_grace early: {values}"`
	TaxPercent     decode.Optional[money.Amount]       `json:"tax_percent" minimum:"0" maximum:"100" example:"12.00" doc:"Of new orders that name none"`
	TaxIncluded    decode.Optional[bool]               `json:"tax_included" doc:"Of new orders that don't say"`
	MaxDiscount    decode.Optional[maxDiscountBody]    `json:"max_discount_percent" doc:"The most that a member may take off the price by tariffs, of a line and of an order; owners have no bound. Who is left out keeps their bound."`

	Cancellation  decode.Optional[[]cancellationBody] `json:"cancellation" maxItems:"10" example:"[{\"before\":86400,\"percent\":50},{\"before\":259200,\"percent\":20}]" doc:"What cancelling an order costs, each before once: of the rows whose before is not less than the seconds until its first start, the one with the least. []: nothing"`
	NoShowPercent decode.Optional[int64]              `json:"no_show_percent" minimum:"0" maximum:"100" example:"100" doc:"How much of the price of a reserved order is charged if nobody comes"`
	Accrual       decode.Optional[company.Accrual]    `json:"accrual" example:"daily" doc:"On which days metrics show a line of an order: {values}. An order is shown so from its next change on, or from a rebuild of the metrics."`
}

// cancellationBody is a row of what cancelling costs; before is at most 366 days.
type cancellationBody struct {
	Before  decode.Optional[moment.Seconds] `json:"before" required:"true" minimum:"0" maximum:"31622400" example:"86400" doc:"Seconds until the first planned start of the order"`
	Percent decode.Optional[int64]          `json:"percent" required:"true" minimum:"0" maximum:"100" example:"50" doc:"Of the order's price"`
}

type maxDiscountBody struct {
	Employee decode.Optional[int64] `json:"employee" minimum:"0" maximum:"100" example:"20"`
	Manager  decode.Optional[int64] `json:"manager" minimum:"0" maximum:"100" example:"100"`
}

// apply returns settings after the body was applied to them.
func (b rentalBody) apply(to company.Rental) company.Rental {
	b.LateGrace.Into(&to.LateGrace)
	b.LateStep.Into(&to.LateStep)
	b.Buffer.Into(&to.Buffer)
	b.Hold.Into(&to.Hold)
	b.Month.Into(&to.Month)
	b.Combine.Into(&to.Combine)
	b.ServicesByTime.Into(&to.ServicesByTime)
	b.Late.Into(&to.Late)
	percent, most := *to.LatePercent, *to.MaxDiscount // complete settings have both
	b.LatePercent.Into(&percent)
	b.LateDayCap.IntoNullable(&to.LateDayCap)
	b.Early.Into(&to.Early)
	b.EarlyStart.Into(&to.EarlyStart)
	b.TaxPercent.Into(&to.TaxPercent)
	b.TaxIncluded.Into(&to.TaxIncluded)
	b.MaxDiscount.Value.Employee.Into(&most.Employee)
	b.MaxDiscount.Value.Manager.Into(&most.Manager)
	to.LatePercent, to.MaxDiscount = &percent, &most
	b.NoShowPercent.Into(&to.NoShowPercent)
	b.Accrual.Into(&to.Accrual)
	if b.Cancellation.Set {
		to.Cancellation = make([]company.Cancellation, len(b.Cancellation.Value))
		for i, row := range b.Cancellation.Value {
			to.Cancellation[i] = company.Cancellation{Before: row.Before.Value, Percent: row.Percent.Value}
		}
	}
	return to
}

// RentalSettings is how a company rents out, as callers see it.
type RentalSettings struct{ company.Rental }

type rentalInput struct {
	IfMatch string `header:"If-Match"`
	Body    rentalBody
}

func rentalReply(c company.Company) *web.Reply[RentalSettings] {
	return &web.Reply[RentalSettings]{
		Header: map[string]string{"ETag": web.ETag(c.Revision)}, Body: web.Body(RentalSettings{c.RentalRules()}),
	}
}

// toldRental is the part of a company that changes here, as the company's history shows it.
func toldRental(c company.Company) any {
	return struct {
		Rental company.Rental `json:"rental"`
	}{c.RentalRules()}
}

func (s *service) readRental(ctx context.Context, r *web.Request, _ *struct{}) (*web.Reply[RentalSettings], error) {
	c, err := company.Get(ctx, resource.Scope(r, s.now).Reading())
	if err != nil {
		return nil, err
	}
	return rentalReply(c), nil
}

func (s *service) updateRental(ctx context.Context, r *web.Request, in *rentalInput) (*web.Reply[RentalSettings], error) {
	var c company.Company
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	o := web.OutcomeOf(r, func() (*web.Reply[RentalSettings], error) { return rentalReply(c), nil })
	return o.After(resource.Scope(r, s.now).Do(ctx, o, func(w *record.Work) (err error) {
		if c, err = company.Get(ctx, w); err != nil {
			return err
		}
		if err := r.Match(web.ETag(c.Revision)); err != nil {
			return err
		}
		before := c
		set := c.SetRentalRules(in.Body.apply(c.RentalRules()))
		if c.Change(w, before, toldRental, set) {
			staff.Stands(w, tenant.Manager)
			calendar.KeepGap(w, c.RentalRules().Buffer)
		}
		return nil
	}))
}

// check refuses rows of what cancelling costs that contradict each other.
func (b rentalBody) check() error {
	errs, befores := fault.FieldErrors{}, []int64{}
	for _, row := range b.Cancellation.Value {
		befores = append(befores, int64(row.Before.Value))
	}
	once(befores, "cancellation", ".before", errs)
	return errs.Err()
}
