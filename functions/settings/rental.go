package settings

import (
	"context"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// rentalBody is what a caller sends to change how the company rents out. No time is longer than 31 days.
type rentalBody struct {
	LateGrace decode.Optional[moment.Seconds] `json:"late_grace" minimum:"0" maximum:"2678400" example:"3600" doc:"Seconds that a return may be late without a fee"`
	LateStep  decode.Optional[moment.Seconds] `json:"late_step" minimum:"60" maximum:"2678400" example:"1800" doc:"Seconds for which a late fee rises by a step"`
	Buffer    decode.Optional[moment.Seconds] `json:"buffer" minimum:"0" maximum:"2678400" example:"900" doc:"Seconds that are kept free after each rental"`
	Month     decode.Optional[company.Months] `json:"month" example:"calendar" doc:"How a tariff of 2,592,000 seconds counts: 30 days, or a calendar month"`
}

// apply returns settings after the body was applied to them.
func (b rentalBody) apply(to company.Rental) company.Rental {
	b.LateGrace.Into(&to.LateGrace)
	b.LateStep.Into(&to.LateStep)
	b.Buffer.Into(&to.Buffer)
	b.Month.Into(&to.Month)
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
