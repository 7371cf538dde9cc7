package tenants

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// CompanyUsage is what a company may have, and what it had and used.
type CompanyUsage struct {
	Plan CompanyPlan `json:"plan"`
	Days []UsageDay  `json:"days" doc:"In order. A day that is not counted yet is left out, and so is today."`
}

// CompanyPlan is how much the host lets a company have and use.
type CompanyPlan struct {
	Records *int64 `json:"records" nullable:"true" doc:"How many records there may be; null: no limit"`
	Members *int64 `json:"members" nullable:"true" doc:"How many members and invitations there may be; null: no limit"`
	SMS     *int64 `json:"sms" nullable:"true" doc:"Segments of SMS in a month of the company's time zone; null: no limit"`
	Seals   *int64 `json:"seals" nullable:"true" doc:"Documents that everybody signs in such a month; null: no limit"`
}

// UsageDay is what a company had and used on a day.
type UsageDay struct {
	Date        decode.Date  `json:"date" doc:"In the company's time zone"`
	Records     *int64       `json:"records" nullable:"true" doc:"Of all kinds, deleted ones aside, when the day was counted; null: it was counted too late to tell"`
	RecordBytes *int64       `json:"record_bytes" nullable:"true" doc:"What they take: an estimate from the newest of each kind"`
	FileBytes   *int64       `json:"file_bytes" nullable:"true" doc:"What files take"`
	Members     *int64       `json:"members" nullable:"true"`
	SMS         int64        `json:"sms" doc:"Segments, those paid by the host among them. What was not sent is taken off on the day on which that is known."`
	SMSCost     money.Amount `json:"sms_cost" doc:"What the company's account paid for them"`
	Seals       int64        `json:"seals" doc:"Documents that everybody has signed by then"`
	Messages    int64        `json:"messages" doc:"E-mails and SMS that were handed over for sending"`
	Requests    int64        `json:"requests"`
	ReadUnits   float64      `json:"read_units" doc:"Of the table, by requests and by what follows from them"`
	WriteUnits  float64      `json:"write_units"`
}

const (
	usageFrom, usageTo = "date__gte", "date__lte"

	mostUsage  = 366 // days that one call shows
	usualUsage = 31  // that are shown where no period is named

	typeCSV = "text/csv"
)

func (g *group) usageOperations() []web.Operation {
	return []web.Operation{web.Op(web.Operation{
		ID:       "tenants-usage",
		Method:   http.MethodGet,
		Path:     "/v1/tenant/{id}/usage/",
		Access:   web.SignedIn,
		Produces: []string{decode.TypeJSON, typeCSV},
		Query: []web.Param{
			{Name: usageFrom, Format: "date", Doc: "The first day"},
			{Name: usageTo, Format: "date", Doc: "The last day"},
		},
		Faults:  []fault.Code{fault.Invalid, fault.Forbidden, fault.NotAcceptable},
		Summary: "What a company has and uses",
		Doc: "It takes an owner: else 403. A day is counted once, after it is over. A period has at most " + strconv.Itoa(mostUsage) +
			" days; without date__lte it ends yesterday, without date__gte it has " + strconv.Itoa(usualUsage) + ". Who accepts text/csv " +
			"and not JSON gets a sheet of the days, with a byte order mark and rows that end with CR and LF. What goes over the plan is " +
			"403 with the code plan, where `limit` names the limit and `most` is its number.",
	}, g.usage)}
}

func (g *group) usage(ctx context.Context, r *web.Request, in *companyInput) (*web.Reply[CompanyUsage], error) {
	if in.ID > table.MaxID {
		return nil, fault.ErrNotFound // the number may be longer than any number of ours
	}
	first, last, err := usageDays(r)
	if err != nil {
		return nil, err
	}
	scope := g.scope(r, tenant.ID(in.ID))
	c, err := g.owned(ctx, scope.Reading())
	if err != nil {
		return nil, err
	}
	zone, err := c.Zone()
	if err != nil {
		return nil, err
	}
	if first, last, err = usagePeriod(first, last, usage.Yesterday(g.env.Now(), zone)); err != nil {
		return nil, err
	}
	days, err := usage.Days(ctx, scope.Table, first, last)
	if err != nil {
		return nil, err
	}
	if r.AsksFor(typeCSV) {
		return usageSheet(days)
	}
	u := CompanyUsage{Plan: shownPlan(c.PlanOf()), Days: make([]UsageDay, len(days))}
	for i, d := range days {
		u.Days[i] = shownUsage(d)
	}
	return &web.Reply[CompanyUsage]{Body: &u}, nil
}

// usageDays reads the days that are asked for; one that isn't is empty.
func usageDays(r *web.Request) (first, last decode.Date, err error) {
	errs := fault.FieldErrors{}
	day := func(name string) (d decode.Date) {
		if sent := strings.TrimSpace(r.Param(name)); sent != "" {
			var ok bool
			if d, ok = decode.ParseDate(sent); !ok {
				errs.Add(name, say.InvalidDate)
			}
		}
		return d
	}
	first, last = day(usageFrom), day(usageTo)
	return first, last, errs.Err()
}

// usagePeriod is the period from a day to another one, of which either may be left out. A last day before the first one means no days.
func usagePeriod(first, last, yesterday decode.Date) (from, to decode.Date, err error) {
	errs := fault.FieldErrors{}
	if last == "" {
		last = yesterday
	}
	until, _ := time.Parse(time.DateOnly, string(last)) // it is a day
	if first == "" {
		first = max("0001-01-01", decode.Date(until.AddDate(0, 0, 1-usualUsage).Format(time.DateOnly)))
	}
	since, _ := time.Parse(time.DateOnly, string(first))
	if until.Sub(since) >= mostUsage*24*time.Hour {
		errs.Add(usageFrom, say.UsagePeriodTooLong(mostUsage))
	}
	return first, last, errs.Err()
}

func shownPlan(p company.Plan) CompanyPlan {
	limit := func(l company.Limit) *int64 {
		if n := p.Of(l); n > 0 {
			return &n
		}
		return nil
	}
	return CompanyPlan{
		Records: limit(company.LimitRecords), Members: limit(company.LimitMembers),
		SMS: limit(company.LimitSMS), Seals: limit(company.LimitSeals),
	}
}

func shownUsage(d usage.Day) UsageDay {
	v := UsageDay{
		Date: decode.Date(d.Date), SMS: d.SMS, SMSCost: d.Cost, Seals: d.Seals, Messages: d.Messages,
		Requests: d.Requests, ReadUnits: d.Read, WriteUnits: d.Write,
	}
	if s := d.Stored; s != nil {
		v.Records, v.RecordBytes, v.FileBytes, v.Members = &s.Records, &s.RecordBytes, &s.FileBytes, &s.Members
	}
	return v
}

// usageSheet answers with days as a sheet.
func usageSheet(days []usage.Day) (*web.Reply[CompanyUsage], error) {
	rows := make([][]sheet.Cell, len(days))
	for i, d := range days {
		rows[i] = d.Cells()
	}
	var file bytes.Buffer
	if err := sheet.Write(&file, sheet.CSV, usage.Titles(), rows); err != nil {
		return nil, err
	}
	return &web.Reply[CompanyUsage]{
		Raw: file.Bytes(), ContentType: typeCSV + "; charset=utf-8",
		Header: map[string]string{"Content-Disposition": `attachment; filename="usage.csv"`},
	}, nil
}
