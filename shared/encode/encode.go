// Package encode writes JSON as clients of this API know it. It says how a
// value is spelled; what an answer holds is its group's affair.
package encode

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
)

// JSON is a value as JSON in one line: <, > and & stand as they are, which
// json.Marshal would escape for HTML.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Instant returns a moment in UTC. It has a fraction, of six digits, only if the moment has one.
func Instant(t time.Time) string { return string(AppendInstant(nil, t)) }

// AppendInstant appends the text of Instant to b.
func AppendInstant(b []byte, t time.Time) []byte {
	layout := "2006-01-02T15:04:05.000000Z"
	if t.Nanosecond() < int(time.Microsecond) {
		layout = "2006-01-02T15:04:05Z"
	}
	return t.UTC().AppendFormat(b, layout)
}

// Moment returns the text of a moment as Instant does. It returns nil for nil.
func Moment(at *moment.Micros) *string {
	if at == nil {
		return nil
	}
	text := Instant(at.Time())
	return &text
}
