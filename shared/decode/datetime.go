package decode

import (
	"reflect"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/say"
)

// DateTime is a moment, in UTC and to the microsecond. In a body it has an offset; without one
// it is in the time zone of the company that the body is sent to.
type DateTime struct{ time.Time }

// IntoMicros writes a moment that was sent to dst, with nil for null.
func IntoMicros(in Optional[DateTime], dst **moment.Micros) {
	switch {
	case !in.Set:
	case in.Null:
		*dst = nil
	default:
		at := moment.Of(in.Value.Time)
		*dst = &at
	}
}

// MarshalJSON writes it in the form that all moments have in answers.
func (d DateTime) MarshalJSON() ([]byte, error) {
	return []byte(`"` + encode.Instant(d.Time) + `"`), nil
}

// Local returns the moment at which clocks in a zone show the time that wall shows in UTC. If
// there are two such moments, it returns the first. If the clocks skip that time, ok is false.
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

// HasDateTime tells whether a body has a DateTime, at any depth.
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

func (r *reader) toDateTime(value any, dst reflect.Value) say.Message {
	s, _ := value.(string)
	at, local, ok := parseDateTime(s)
	if !ok || local && r.zone == nil {
		return say.InvalidDatetime
	}
	if local {
		zone := r.where()
		if zone == nil {
			return say.InvalidDatetime // never shown: without the zone, the request fails as a whole
		}
		if at, ok = Local(at, zone); !ok {
			return say.NoSuchTime(zone.String())
		}
	}
	if !inYears(at) {
		return say.InvalidDatetime
	}
	dst.Set(reflect.ValueOf(DateTime{at}))
	return ""
}

// where returns the company's time zone; nil if it can't be read.
func (r *reader) where() *time.Location {
	if r.known == nil && r.failed == nil {
		r.known, r.failed = r.zone()
	}
	return r.known
}
