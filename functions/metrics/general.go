package metrics

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

const (
	mostDays = 400 // that one call shows
	usual    = 30  // that are shown where no period is named
)

// MetricDay is what was accrued and collected on a day, in all and by type.
type MetricDay struct {
	Date       decode.Date   `json:"date"`
	Count      int64         `json:"count" doc:"How many rows the day has in all but those of the type request"`
	Prediction money.Amount  `json:"prediction" doc:"What was accrued"`
	Profit     money.Amount  `json:"profit" doc:"What of it was collected, and not refunded"`
	Delivery   row.MetricSum `json:"delivery"`
	Inventory  row.MetricSum `json:"inventory"`
	Penalty    row.MetricSum `json:"penalty"`
	Sale       row.MetricSum `json:"sale"`
	Service    row.MetricSum `json:"service"`
	Workshop   row.MetricSum `json:"workshop"`
	Request    row.MetricSum `json:"request" doc:"The orders that begin on the day, whole; they count in no total."`
}

// general is the operation that shows what came of each day.
func general(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "metrics-general", Method: http.MethodGet, Path: path + "general/", Role: role,
		Query:  append([]web.Param{{Name: on, Format: "date", Doc: "One day"}}, period()...),
		Faults: []fault.Code{fault.Invalid}, Summary: "List what was accrued and collected by day",
		Doc: fmt.Sprintf("Every day of a period of at most %d days, those without rows too. Without date__lte it ends today, or "+
			"%d days after a date__gte that is ahead; without date__gte it has %d days. `ordering` takes date; the default is -date. "+
			"The sums are those of the rows of general/detail/.", mostDays, usual, usual),
	}, func(ctx context.Context, r *web.Request, _ *listInput) (*web.List[MetricDay], error) {
		p, err := r.PageOf()
		if err != nil {
			return nil, err
		}
		first, last, err := periodOf(r, now)
		if err != nil {
			return nil, err
		}
		found, err := row.Days(ctx, resource.Scope(r, now), dateOf(first), dateOf(last))
		if err != nil {
			return nil, err
		}
		by := map[decode.Date]row.Day{}
		for _, d := range found {
			by[d.Date] = d
		}
		count := max(0, int(last.Sub(first)/aDay)+1)
		offset := p.Offset(count)
		descending := true
		for _, o := range r.Ordering(on) {
			descending = o.Desc
		}
		var views []MetricDay
		for n := offset; n < min(count, offset+p.Size); n++ {
			date := first.AddDate(0, 0, n)
			if descending {
				date = last.AddDate(0, 0, -n)
			}
			views = append(views, viewDay(dateOf(date), by[dateOf(date)]))
		}
		list, err := web.Envelope(r, p, count, views)
		return &list, err
	})
}

func viewDay(date decode.Date, d row.Day) MetricDay {
	all := d.Total()
	return MetricDay{
		Date: date, Count: all.Count, Prediction: all.Prediction, Profit: all.Profit,
		Delivery: d.Types[row.Delivery], Inventory: d.Types[row.Inventory], Penalty: d.Types[row.Penalty], Sale: d.Types[row.Sale],
		Service: d.Types[row.Service], Workshop: d.Types[row.Workshop], Request: d.Types[row.Request],
	}
}

// Days are midnights of UTC here, which are all 24 hours apart.
const aDay = 24 * time.Hour

// dateOf is a day, within the years that days have.
func dateOf(at time.Time) decode.Date {
	switch {
	case at.Year() < 1:
		return "0001-01-01"
	case at.Year() > 9999:
		return "9999-12-31"
	}
	return decode.Date(at.Format(time.DateOnly))
}

// periodOf reads the period that general shows. A last day before the first one means no days.
func periodOf(r *web.Request, now func() time.Time) (first, last time.Time, err error) {
	errs := fault.FieldErrors{}
	one, since, until := day(r, on, errs), day(r, from, errs), day(r, to, errs)
	if err := errs.Err(); err != nil {
		return first, last, err
	}
	if one != "" {
		since = max(since, one)
		if until == "" || until > one {
			until = one
		}
	}
	if until == "" {
		zone, err := r.Zone()()
		if err != nil {
			return first, last, err
		}
		if until = dateOf(now().In(zone)); since > until {
			until = dateOf(midnight(since).AddDate(0, 0, usual-1))
		}
	}
	if since == "" {
		since = dateOf(midnight(until).AddDate(0, 0, 1-usual))
	}
	first, last = midnight(since), midnight(until)
	if last.Sub(first) >= mostDays*aDay {
		errs.Add(from, say.MetricsTooManyDays(mostDays))
	}
	return first, last, errs.Err()
}

// midnight is where a day begins in UTC.
func midnight(d decode.Date) time.Time {
	at, _ := time.Parse(time.DateOnly, string(d)) // it is a day
	return at
}
