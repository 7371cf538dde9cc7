package samples

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Whenever the demo company is made, what has happened is past, what is out is due later, but for one
// thing that is overdue, and what is planned is to come.
func TestOrdersFitTheHour(t *testing.T) {
	day := time.Date(2026, time.February, 28, 0, 0, 0, 0, time.UTC)
	for minutes := 0; minutes < 24*60; minutes += 17 {
		now := day.Add(time.Duration(minutes) * time.Minute)
		overdue, busy := 0, map[string][]rental{}
		for _, r := range rentals(now) {
			for _, c := range r.then(now) {
				for _, field := range []string{"datetime", "date"} {
					if when, ok := c.Body[field]; ok && fmt.Sprint(when) > stamp(now) {
						t.Errorf("at %s: %s of %s has the %s %s", stamp(now), c.Path, r.who, field, when)
					}
				}
			}
			switch {
			case r.phase == out && r.to.IsZero():
			case r.phase == out && r.to.Before(now):
				overdue++
			case r.phase < out && !r.from.After(now):
				t.Errorf("at %s: what %s has planned begins at %s", stamp(now), r.who, stamp(r.from))
			case r.phase == partly && !r.to.After(now):
				t.Errorf("at %s: what %s has is late", stamp(now), r.who)
			}
			for id := range strings.FieldsSeq(r.items) {
				busy[id] = append(busy[id], r)
			}
		}
		if overdue != 1 {
			t.Errorf("at %s: %d are overdue", stamp(now), overdue)
		}
		for id, list := range busy {
			if fleetNames()[id] == "" {
				t.Errorf("there is no %s", id)
			}
			for i, r := range list[1:] {
				if before := list[i]; before.phase != cancelled && r.from.Before(before.to) {
					t.Errorf("at %s: %s is given twice at %s", stamp(now), id, stamp(r.from))
				}
			}
		}
	}
}
