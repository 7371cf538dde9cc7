package penalty

import (
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/say"
)

// happenIn works out the moment of the violation from its date and time, which a penalty has both, in a zone.
func (p *Penalty) happenIn(zone *time.Location, errs fault.FieldErrors) {
	at, ok := momentOf(*p.Date, *p.Time, zone)
	switch year := at.UTC().Year(); {
	case !ok:
		errs.Add("violation_time", say.NoSuchTime(zone.String()))
		return
	case year < 1 || year > 9999: // the first and the last hours that dates have are others in UTC
		errs.Add("violation_date", say.InvalidDate)
		return
	}
	violated := moment.Of(at)
	p.ViolatedAt = &violated
}

// momentOf is a date and a time of a zone as one moment; ok is false if the clocks skip that time.
func momentOf(date decode.Date, at decode.Time, zone *time.Location) (_ time.Time, ok bool) {
	wall, err := time.Parse(time.DateTime, string(date)+" "+string(at))
	if err != nil {
		return time.Time{}, false // not reached: the decoder takes only dates and times
	}
	return decode.Local(wall, zone)
}
