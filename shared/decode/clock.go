package decode

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/say"
)

// Time is a time of day: HH:MM:SS, followed by a fraction of six digits if it is not zero.
type Time string

// ParseTime reads a time of day. Seconds, their fraction and leading zeros may be left out.
// Digits beyond microseconds are cut off.
func ParseTime(s string) (Time, bool) {
	clock, fraction, ok := cutFraction(s)
	parts := strings.Split(clock, ":")
	if !ok || len(parts) < 2 || len(parts) > 3 || fraction != "" && len(parts) < 3 {
		return "", false
	}
	var at [3]int
	for i, part := range parts {
		if len(part) > 2 || !IsDigits(part) {
			return "", false
		}
		at[i], _ = strconv.Atoi(part) // one digit or two
	}
	if at[0] > 23 || at[1] > 59 || at[2] > 59 {
		return "", false
	}
	return Time(fmt.Sprintf("%02d:%02d:%02d%s", at[0], at[1], at[2], shownFraction(microseconds(fraction)))), true
}

// Duration is a length of time, to the microsecond.
type Duration time.Duration

// longestDuration bounds durations, so that sums of several can't overflow.
const longestDuration = 36_500 * 24 * time.Hour

// ParseDuration reads a length of time: seconds, or D HH:MM:SS, where days and hours may be
// left out. The fraction of seconds is read to the microsecond. A minus before the days
// applies only to the days, one before the time only to the time.
func ParseDuration(s string) (Duration, bool) {
	var days time.Duration
	if before, after, ok := strings.Cut(s, " "); ok {
		number := strings.TrimPrefix(before, "-")
		n, err := strconv.ParseInt(before, 10, 32)
		if err != nil || !IsDigits(number) || n < -36_500 || n > 36_500 {
			return 0, false
		}
		days, s = time.Duration(n)*24*time.Hour, after
	}
	s, negative := strings.CutPrefix(s, "-")
	clock, fraction, ok := cutFraction(s)
	parts := strings.Split(clock, ":")
	if !ok || len(parts) > 3 {
		return 0, false
	}
	var seconds int64
	for _, part := range parts {
		n, err := strconv.ParseInt(part, 10, 33)
		if err != nil || !IsDigits(part) {
			return 0, false
		}
		seconds = seconds*60 + n
	}
	if seconds > int64(longestDuration/time.Second) {
		return 0, false
	}
	d := time.Duration(seconds)*time.Second + time.Duration(microseconds(fraction))*time.Microsecond
	if negative {
		d = -d
	}
	d += days
	return Duration(d), d <= longestDuration && d >= -longestDuration
}

// String returns the duration as it is answered: HH:MM:SS, with days before it if there are
// any, and with a fraction of six digits if it is not zero. In a negative duration only the
// days are negative.
func (d Duration) String() string {
	const day = 24 * time.Hour
	days, rest := time.Duration(d)/day, time.Duration(d)%day
	if rest < 0 {
		days, rest = days-1, rest+day
	}
	seconds := int64(rest / time.Second)
	s := fmt.Sprintf("%02d:%02d:%02d%s", seconds/3600, seconds/60%60, seconds%60, shownFraction(int64(rest%time.Second/time.Microsecond)))
	if days != 0 {
		s = strconv.FormatInt(int64(days), 10) + " " + s
	}
	return s
}

// MarshalJSON writes a string.
func (d Duration) MarshalJSON() ([]byte, error) { return []byte(`"` + d.String() + `"`), nil }

// cutFraction cuts the fraction of seconds off a text: 1 to 12 digits after a point or a
// comma.
func cutFraction(s string) (before, fraction string, ok bool) {
	i := strings.IndexAny(s, ".,")
	if i < 0 {
		return s, "", true
	}
	fraction = s[i+1:]
	return s[:i], fraction, IsDigits(fraction) && len(fraction) <= 12
}

// microseconds converts a fraction of a second.
func microseconds(fraction string) int64 {
	n, _ := strconv.ParseInt((fraction + "000000")[:6], 10, 64) // digits
	return n
}

func shownFraction(microseconds int64) string {
	if microseconds == 0 {
		return ""
	}
	return fmt.Sprintf(".%06d", microseconds)
}

// IsDigits tells whether a text consists of ASCII digits, and has at least one.
func IsDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func toTime(value any, dst reflect.Value, _ *Field) say.Message {
	s, _ := value.(string)
	at, ok := ParseTime(s)
	if !ok {
		return say.InvalidTime
	}
	dst.SetString(string(at))
	return ""
}

// toDuration takes a string, or a number of seconds. Bounds are in seconds.
func toDuration(value any, dst reflect.Value, f *Field) say.Message {
	var s string
	switch v := value.(type) {
	case string:
		s = strings.TrimSpace(v)
	case json.Number:
		s = plain(v.String())
	}
	d, ok := ParseDuration(s)
	seconds := func(n int64) Duration { return Duration(time.Duration(n) * time.Second) }
	switch {
	case !ok:
		return say.InvalidDuration
	case f.Minimum != nil && d < seconds(*f.Minimum):
		return say.TooSmall(seconds(*f.Minimum).String())
	case f.Maximum != nil && d > seconds(*f.Maximum):
		return say.TooLarge(seconds(*f.Maximum).String())
	}
	dst.SetInt(int64(d))
	return ""
}
