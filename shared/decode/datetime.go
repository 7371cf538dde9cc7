package decode

import (
	"reflect"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
)

// DateTime is a moment, in UTC and to the microsecond. In a body it has an offset, or
// it is in the time zone of the company that the body is sent to.
type DateTime struct{ time.Time }

// MarshalJSON answers it as all moments are answered.
func (d DateTime) MarshalJSON() ([]byte, error) {
	return []byte(`"` + encode.Instant(d.Time) + `"`), nil
}

// Local is the moment at which clocks of a zone show what wall shows in UTC: of two
// the first. Where the clocks leave it out, ok is false.
func Local(wall time.Time, zone *time.Location) (at time.Time, ok bool) {
	near := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	begins, ends := near.ZoneBounds()
	for _, with := range []time.Time{begins.Add(-1), near, ends} { // the zone's offset before, now and after
		_, offset := with.Zone()
		moment := wall.Add(-time.Duration(offset) * time.Second)
		if _, has := moment.In(zone).Zone(); has == offset && (!ok || moment.Before(at)) {
			at, ok = moment, true
		}
	}
	return at, ok
}

// HasDateTime tells whether a body has a DateTime, be it within an object or a list.
func HasDateTime(body reflect.Type) bool {
	for _, f := range Describe(body) {
		t := f.Type
		if t.Kind() == reflect.Slice && !isScalar(t) {
			t = t.Elem()
		}
		if t == dateTimeType || !isScalar(t) && HasDateTime(t) {
			return true
		}
	}
	return false
}

func (r *reader) toDateTime(value any, dst reflect.Value) string {
	s, _ := value.(string)
	at, local, ok := parseDateTime(s)
	if !ok || local && r.zone == nil {
		return fault.BadDatetime
	}
	if local {
		zone := r.where()
		if zone == nil {
			return fault.BadDatetime // which nobody is told: the zone is not known
		}
		if at, ok = Local(at, zone); !ok {
			return fault.NoSuchTime(zone.String())
		}
	}
	if !inYears(at) {
		return fault.BadDatetime
	}
	dst.Set(reflect.ValueOf(DateTime{at}))
	return ""
}

// where is the company's time zone; nil where it can't be told.
func (r *reader) where() *time.Location {
	if r.known == nil && r.failed == nil {
		r.known, r.failed = r.zone()
	}
	return r.known
}
