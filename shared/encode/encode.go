// Package encode writes JSON as clients of this API know it. It says how a
// value is spelled; what an answer holds is its group's affair.
package encode

import (
	"bytes"
	"encoding/json"
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
