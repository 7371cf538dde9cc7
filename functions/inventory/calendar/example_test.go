package calendar_test

import (
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/moment"
)

// A rule takes values and answers values: no context, no table, no clock of its own. It either changes the calendar or refuses and leaves
// it as it was.
func ExampleCalendar_Occupy() {
	now := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	hours := func(from, to int) calendar.Entry {
		return calendar.Entry{
			Line: int64(from), Order: 1,
			Start: moment.Of(now.Add(time.Duration(from) * time.Hour)), End: moment.Of(now.Add(time.Duration(to) * time.Hour)),
		}
	}
	var c calendar.Calendar
	fmt.Println(c.Occupy(hours(1, 3), now))
	fmt.Println(c.Occupy(hours(3, 5), now))
	fmt.Println(c.Occupy(hours(2, 4), now))
	fmt.Println(len(c.Entries))
	// Output:
	// <nil>
	// <nil>
	// conflict: The item is occupied at this time.
	// 2
}
