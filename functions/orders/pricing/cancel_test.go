package pricing_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/money"
)

// What cancelling costs: row 25 of the reference, the borders of the rows, and how percents are rounded.
func TestCancellation(t *testing.T) {
	day := pricing.Day
	ladder := []pricing.CancellationRow{{Before: day, Percent: 50}, {Before: 3 * day, Percent: 20}}
	turned := []pricing.CancellationRow{ladder[1], ladder[0]}
	for _, tt := range []struct {
		name  string
		cents int64
		rows  []pricing.CancellationRow
		left  time.Duration
		want  string
	}{
		{"25 h before", 112_000_00, ladder, 25 * time.Hour, "22400.00"},
		{"24 h before", 112_000_00, ladder, 24 * time.Hour, "56000.00"},
		{"73 h before", 112_000_00, ladder, 73 * time.Hour, "0.00"},
		{"72 h before", 112_000_00, ladder, 72 * time.Hour, "22400.00"},
		{"a part of a second more than 24 h", 112_000_00, ladder, 24*time.Hour + time.Microsecond, "22400.00"},
		{"the rows the other way round", 112_000_00, turned, time.Hour, "56000.00"},
		{"at the start", 112_000_00, ladder, 0, "56000.00"},
		{"after the start", 112_000_00, ladder, -time.Hour, "56000.00"},
		{"a row of the start itself, before it", 100_00, []pricing.CancellationRow{{Before: 0, Percent: 100}}, time.Second, "0.00"},
		{"a row of the start itself, after it", 100_00, []pricing.CancellationRow{{Before: 0, Percent: 100}}, -time.Second, "100.00"},
		{"a row that is free", 100_00, []pricing.CancellationRow{{Before: day, Percent: 0}, {Before: 2 * day, Percent: 9}}, time.Hour, "0.00"},
		{"half a cent", 1_10, []pricing.CancellationRow{{Before: day, Percent: 5}}, 0, "0.06"},
		{"less than half a cent", 1_08, []pricing.CancellationRow{{Before: day, Percent: 5}}, 0, "0.05"},
		{"nothing set", 112_000_00, nil, 0, "0.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := pricing.Cancellation(money.FromCents(tt.cents), tt.rows, tt.left)
			if err != nil || got.String() != tt.want {
				t.Errorf("%s, %v, want %s", got, err, tt.want)
			}
		})
	}
}
