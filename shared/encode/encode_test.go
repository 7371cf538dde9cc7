package encode_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
)

func TestJSON(t *testing.T) {
	for want, v := range map[string]any{
		`"<a href='x'>&</a>"`: "<a href='x'>&</a>",
		`"a\nb"`:              "a\nb",
		`"Договор"`:           "Договор",
		`{"a":null,"b":[1]}`:  map[string]any{"b": []int{1}, "a": nil},
	} {
		if got, err := encode.JSON(v); err != nil || string(got) != want {
			t.Errorf("%v: %s, %v", v, got, err)
		}
	}
	if got, err := encode.JSON(func() {}); err == nil {
		t.Errorf("a function became %s", got)
	}
}

func TestInstant(t *testing.T) {
	almaty := time.FixedZone("", 5*60*60)
	for want, at := range map[string]time.Time{
		"2026-03-02T09:30:00Z":        time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC),
		"2026-03-01T21:30:00Z":        time.Date(2026, 3, 2, 2, 30, 0, 999, almaty),
		"2026-03-02T09:30:00.500000Z": time.Date(2026, 3, 2, 9, 30, 0, 500_000_000, time.UTC),
		"2026-03-02T09:30:00.000001Z": time.Date(2026, 3, 2, 9, 30, 0, 1_999, time.UTC),
	} {
		if got := encode.Instant(at); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
