package penalties_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyPenalties: an order that is entered late gets all penalties of its time, also more than one message matches.
func TestManyPenalties(t *testing.T) {
	api, c := newFleet(t)
	rows := make([]string, 120)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"outer_id":%d,"protocol_number":"KZ%d","violation_date":"2026-03-01","violation_time":"%02d:%02d",`+
			`"car":{"number":"001AAA02"}}`, i+1, i+1, 16+i/60, i%60)
	}
	c.Post(list, "["+strings.Join(rows, ",")+"]").Status(200)
	settle(api)
	c.Get(list+"?client=1").Status(200).Field("count", "0")
	rent(c, 1, 1, 1, 5).Status(201)
	settle(api)
	settle(api) // the messages that the first ones have left
	c.Get(list+"?client=1").Status(200).Field("count", "120")
	c.Get(list+"?request=1").Status(200).Field("count", "120")
}
