package inventory

import (
	"context"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
)

// The parameters of a period.
const (
	startAt = "start_at"
	endAt   = "end_at"
)

const day = 24 * time.Hour

// longest is how many days a list may be asked to show.
const longest = 92

// period is a time that a list is asked for: [start, end).
type period struct{ start, end moment.Micros }

// periodParams describes the parameters of a period.
func periodParams(required bool, says string) []web.Param {
	const how = " A moment without an offset is the company's local time, and a day alone is the company's day: "
	return []web.Param{
		{Name: startAt, Required: required, Format: "date-time", Doc: "The beginning of " + says + "." + how + "its beginning."},
		{Name: endAt, Required: required, Format: "date-time", Doc: "The end of " + says + ", which is not part of it." + how + "its end."},
	}
}

// periodOf reads the period of a request, and adds what is wrong with it to errs.
func periodOf(ctx context.Context, r *web.Request, w *record.Work, errs fault.FieldErrors, required bool) (p period, err error) {
	for _, of := range []struct {
		name string
		to   *moment.Micros
	}{{startAt, &p.start}, {endAt, &p.end}} {
		text := strings.TrimSpace(r.Param(of.name))
		if text == "" {
			if required {
				errs.Add(of.name, say.Required)
			}
			continue
		}
		at, wrong, err := readMoment(ctx, w, text, of.name == endAt)
		if err != nil {
			return p, err
		}
		if wrong != "" {
			errs.Add(of.name, wrong)
		}
		*of.to = moment.Of(at)
	}
	if required && !errs.Has(startAt) && !errs.Has(endAt) && p.end <= p.start {
		errs.Add(endAt, say.PeriodEndNotAfterStart)
	}
	return p, nil
}

// readMoment reads a moment, or a day of the company: its beginning, or its end.
func readMoment(ctx context.Context, w *record.Work, text string, ends bool) (at time.Time, wrong say.Message, err error) {
	if at, ok := decode.ParseDateTime(text); ok {
		return at, "", nil
	}
	_, isDay := decode.ParseDate(text)
	if isDay {
		text += "T00:00:00"
	}
	wall, ok := decode.ParseDateTime(text + "Z")
	if !ok {
		return at, say.InvalidDatetime, nil
	}
	zone, err := zoneOf(ctx, w)
	if err != nil {
		return at, "", err
	}
	if isDay {
		if ends {
			wall = wall.AddDate(0, 0, 1)
		}
		return begin(wall, zone), "", nil
	}
	if at, ok = decode.Local(wall, zone); !ok {
		return at, say.NoSuchTime(zone.String()), nil
	}
	return at, "", nil
}

// begin returns the first moment of the day of wall in a zone. Where clocks go forward at midnight,
// the day begins later.
func begin(wall time.Time, zone *time.Location) time.Time {
	midnight := time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
	if at, ok := decode.Local(midnight, zone); ok {
		return at
	}
	at, _ := time.Date(wall.Year(), wall.Month(), wall.Day(), 12, 0, 0, 0, zone).ZoneBounds()
	return at
}

// isLong refuses a period of more than a number of days. A day may have an hour more.
func (p period) isLong(days int, errs fault.FieldErrors) {
	if !errs.Has(startAt) && !errs.Has(endAt) && p.end > p.start.Add(time.Duration(days)*day+time.Hour) {
		errs.Add(endAt, say.PeriodTooManyDays(days))
	}
}

// isShown refuses a period that can't be shown: one that is too long, or begins before what calendars keep.
func (p period) isShown(now time.Time, errs fault.FieldErrors) {
	p.isLong(longest, errs)
	if !errs.Has(startAt) && p.start < moment.Of(now.Add(-calendar.Kept)) {
		errs.Add(startAt, say.PeriodTooLongAgo(int(calendar.Kept/day)))
	}
}

// zoneOf returns the time zone of the company of a unit of work.
func zoneOf(ctx context.Context, w *record.Work) (*time.Location, error) {
	c, err := company.Get(ctx, w)
	if err != nil {
		return nil, err
	}
	return c.Zone()
}
