package decode

import (
	"reflect"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/say"
)

// Date is a day of the calendar as YYYY-MM-DD, of the years 1 to 9999.
type Date string

const dateLayout = time.DateOnly

// ParseDate tells whether a text is a Date.
func ParseDate(s string) (Date, bool) {
	day, err := time.Parse(dateLayout, s)
	return Date(s), err == nil && inYears(day)
}

// ParseDateTime reads a moment in ISO 8601: a date, T or a space, a time whose seconds and
// fraction may be left out, and Z or an offset. The result is in UTC, to the microsecond. A
// date without a time, or a time without an offset, is refused.
func ParseDateTime(s string) (time.Time, bool) {
	at, local, ok := parseDateTime(s)
	return at, ok && !local && inYears(at)
}

// ParseLocal reads a date-time without an offset. The result is the local time as if it were UTC; Local tells which moment it is.
func ParseLocal(s string) (wall time.Time, ok bool) {
	wall, local, ok := parseDateTime(s)
	return wall, ok && local && inYears(wall)
}

// parseDateTime does what ParseDateTime does, but also takes a time without an offset. local
// is then true, and the result is the local time as if it were UTC.
func parseDateTime(s string) (at time.Time, local, ok bool) {
	const shape = "2006-01-02T15:04" // the library would take an hour of one digit
	if len(s) < len(shape) || (s[len(dateLayout)] != 'T' && s[len(dateLayout)] != ' ') || s[len("2006-01-02T15")] != ':' {
		return time.Time{}, false, false
	}
	layout := shape
	if s[len(shape):] != "" && s[len(shape)] == ':' {
		layout += ":05" // and a fraction, if there is one
	}
	s = strings.Replace(s, " ", "T", 1)
	for _, zone := range []string{"Z07:00", "Z0700", "Z07", ""} {
		if at, err := time.Parse(layout+zone, s); err == nil {
			if _, offset := at.Zone(); max(offset, -offset) >= int((24 * time.Hour).Seconds()) { // the library takes 24 hours
				return time.Time{}, false, false
			}
			return at.UTC().Truncate(time.Microsecond), zone == "", true
		}
	}
	return time.Time{}, false, false
}

func inYears(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

func toDate(value any, dst reflect.Value, _ *Field) say.Message {
	s, _ := value.(string)
	date, ok := ParseDate(s)
	if !ok {
		return say.InvalidDate
	}
	dst.SetString(string(date))
	return ""
}
