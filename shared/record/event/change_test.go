package event_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/record/event"
)

// An event updated is small, whatever the fields of a free part are called.
func TestFields(t *testing.T) {
	for name, c := range map[string]struct {
		length, many, want int
	}{
		"none": {0, 0, 0}, "few": {10, 3, 3}, "many": {10, 60, 50}, "long": {1000, 10, 4}, "one that is too long": {5000, 1, 0},
	} {
		var fields []string
		for n := range c.many {
			fields = append(fields, fmt.Sprint(n, "extra.", strings.Repeat("x", c.length)))
		}
		data, err := event.Fields(fields)
		if err != nil {
			t.Fatal(err)
		}
		var got event.UpdatedData
		if err := json.Unmarshal(data, &got); err != nil || got.Fields == nil || len(got.Fields) != c.want || len(data) > 5<<10 {
			t.Errorf("%s: %d fields in %d bytes, want %d: %v", name, len(got.Fields), len(data), c.want, err)
		}
	}
}
