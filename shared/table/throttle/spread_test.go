package throttle_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

func TestSpread(t *testing.T) {
	now := time.Date(2026, time.March, 2, 9, 34, 0, 0, time.UTC)
	limits := throttle.Open(tabletest.New(t), func() time.Time { return now })
	spread := throttle.Spread{
		Name: "doors", Each: throttle.Rule{Limit: 3, Window: 10 * time.Minute}, Things: 2, Window: time.Hour,
	}
	asked := 0
	try := func(caller, thing string, exempt bool, wait time.Duration) throttle.Tried {
		t.Helper()
		tried, err := limits.Try(t.Context(), spread, caller, thing, func() (bool, error) { asked++; return exempt, nil })
		f, _ := fault.As(err)
		if (wait == 0) != (err == nil) || wait > 0 && (f == nil || f.RetryAfter != wait) {
			t.Errorf("%s at %s: %v, want a wait of %s", caller, thing, err, wait)
		}
		return tried
	}
	const slot, hour = 6 * time.Minute, 26 * time.Minute
	for range 3 {
		try("eve", "a", false, 0)
	}
	try("eve", "a", true, slot) // an exemption is of the number of things alone
	try("eve", "b", false, 0)
	if asked != 0 {
		t.Errorf("%d exemptions were asked for", asked)
	}
	try("eve", "c", false, hour)
	try("eve", "b", false, 0)
	for range 3 {
		try("eve", "c", true, 0)
	}
	try("eve", "c", true, slot)
	try("ann", "c", false, 0)

	now = now.Add(slot) // another window of each, the same hour
	right := try("eve", "a", false, 0)
	try("eve", "c", false, hour-slot)
	limits.Succeed(t.Context(), right)
	try("eve", "c", false, 0)
	try("eve", "a", false, hour-slot)

	again := try("eve", "b", false, 0)
	try("eve", "b", false, 0)
	limits.Succeed(t.Context(), again) // the other try at it stays counted, as a try of it
	try("eve", "d", false, 0)
	try("eve", "b", true, 0)
	try("eve", "b", true, 0)
	try("eve", "b", true, 10*time.Minute)
	limits.Succeed(t.Context(), throttle.Tried{})

	now = now.Add(hour)
	for i := range 2 {
		try("eve", fmt.Sprint("e", i), false, 0)
	}
	if _, err := limits.Try(t.Context(), spread, "eve", "f", func() (bool, error) { return false, errors.New("away") }); err == nil {
		t.Error("an exemption that can't be asked for is none")
	}
}
