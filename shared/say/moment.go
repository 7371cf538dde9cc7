package say

import (
	"fmt"
	"time"
)

// Moment is a moment as a letter writes it, to the minute and in the moment's own zone, which it names by its distance from UTC.
func Moment(at time.Time) Message {
	months := [...]func(day, year int, time, zone string) Message{
		MomentInJanuary[int, int], MomentInFebruary[int, int], MomentInMarch[int, int], MomentInApril[int, int],
		MomentInMay[int, int], MomentInJune[int, int], MomentInJuly[int, int], MomentInAugust[int, int],
		MomentInSeptember[int, int], MomentInOctober[int, int], MomentInNovember[int, int], MomentInDecember[int, int],
	}
	return months[at.Month()-time.January](at.Day(), at.Year(), at.Format("15:04"), zone(at))
}

// voice says messages in a language, and the moments in them on the clock of a zone, or of UTC.
type voice struct {
	language Language
	zone     func() *time.Location
}

// written is a value as people write one of a kind, or as it stands where the text asks for none.
func (v voice) written(value, kind string) string {
	switch kind {
	case "moment":
		return v.moment(value)
	case "size":
		return v.size(value)
	case "decimal":
		return decimal(value)
	}
	return value
}

// moment writes an instant in words. A text that encode.Instant has not made is returned as it is.
func (v voice) moment(instant string) string {
	at, err := time.Parse(time.RFC3339, instant)
	if err != nil {
		return instant
	}
	if v.zone != nil {
		at = at.In(v.zone())
	}
	return Moment(at).In(v.language)
}

// zone is how far a moment's clock is from UTC: UTC, UTC+5, UTC-3:30.
func zone(at time.Time) string {
	_, seconds := at.Zone()
	if seconds == 0 {
		return "UTC"
	}
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	hours, minutes := seconds/3600, seconds/60%60
	if minutes == 0 {
		return fmt.Sprintf("UTC%c%d", sign, hours)
	}
	return fmt.Sprintf("UTC%c%d:%02d", sign, hours, minutes)
}
