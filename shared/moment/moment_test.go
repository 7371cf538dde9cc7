package moment_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
)

func TestAdd(t *testing.T) {
	for _, tt := range []struct {
		at   moment.Micros
		by   time.Duration
		want moment.Micros
	}{
		{5, 0, 5},
		{5, time.Second, 1_000_005},
		{5, -time.Second, -999_995},
		{5, time.Nanosecond, 5},
		{-5, time.Microsecond, -4},
		{moment.Last - 1_000_000, time.Second, moment.Last},
		{moment.Last - 999_999, time.Second, moment.Last},
		{moment.Last, time.Second, moment.Last},
		{moment.Last, -time.Microsecond, moment.Last - 1},
	} {
		if got := tt.at.Add(tt.by); got != tt.want {
			t.Errorf("%d and %s: %d, want %d", tt.at, tt.by, got, tt.want)
		}
	}
}

func TestOf(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 1_999, time.UTC)
	if got := moment.Of(at); got != moment.Micros(at.UnixMicro()) || !got.Time().Equal(at.Truncate(time.Microsecond)) {
		t.Errorf("%d is %s", got, got.Time().UTC())
	}
}

func TestDuration(t *testing.T) {
	if got := moment.Seconds(90).Duration(); got != 90*time.Second {
		t.Error(got)
	}
}

// Both are written as the integers that they are.
func TestJSON(t *testing.T) {
	got, err := json.Marshal([]any{moment.Micros(1_772_442_000_000_000), moment.Seconds(900)})
	if err != nil || string(got) != "[1772442000000000,900]" {
		t.Errorf("%s, %v", got, err)
	}
}
