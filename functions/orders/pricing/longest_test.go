package pricing

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/money"
)

// Of equally long tariffs, the cheapest comes first over 400 days, as it does up to there.
func TestCheapestOfEquallyLong(t *testing.T) {
	offer := []Offered{
		{ID: 1, Terms: Terms{Price: money.Whole(500), Duration: Month}},
		{ID: 2, Terms: Terms{Price: money.Whole(330), Duration: Month}},
		{ID: 3, Terms: Terms{Price: money.Whole(400), Duration: Month}},
	}
	start := time.Date(2026, 3, 5, 10, 0, 0, 0, time.UTC)
	for days, months := range map[int]int64{400: 14, 401: 14, 500: 17} {
		for _, calendar := range []bool{false, true} {
			parts := Rules{CalendarMonths: calendar}.cheapest(offer, start, start.AddDate(0, 0, days))
			if len(parts) != 1 || parts[0].ID != 2 || !calendar && parts[0].Units != months {
				t.Errorf("%d days, calendar %t: %+v", days, calendar, parts)
			}
		}
	}
}
