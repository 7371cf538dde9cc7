package order

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
)

// What is collected is kept by its day, and what is refunded goes from the day of its payment.
func TestCollected(t *testing.T) {
	type step struct {
		day string
		by  int64 // less than 0: refunded
	}
	for _, tt := range []struct {
		name   string
		before int64 // paid before orders kept days
		steps  []step
		want   string
	}{
		{"nothing", 0, nil, "0.00:"},
		{"two days, the later one first", 0, []step{{"2026-03-05", 20}, {"2026-03-02", 10}}, "30.00: 2026-03-02 10.00, 2026-03-05 20.00"},
		{"twice on a day", 0, []step{{"2026-03-05", 20}, {"2026-03-05", 5}}, "25.00: 2026-03-05 25.00"},
		{"refunded in part", 0, []step{{"2026-03-02", 10}, {"2026-03-05", 20}, {"2026-03-02", -4}}, "26.00: 2026-03-02 6.00, 2026-03-05 20.00"},
		{"refunded whole", 0, []step{{"2026-03-02", 10}, {"2026-03-05", 20}, {"2026-03-05", -20}}, "10.00: 2026-03-02 10.00"},
		{"a refund that is of days before", 50, []step{{"2026-03-05", 20}, {"2026-03-02", -4}}, "66.00: 2026-03-05 20.00"},
		{"a refund that is of one day in part", 50, []step{{"2026-03-05", 20}, {"2026-03-05", -30}}, "40.00:"},
		{"a refund of a day that was joined with a later one", 0, []step{{"2026-03-02", 10}, {"2026-03-05", 20}, {"2026-03-04", -4}}, "26.00: 2026-03-02 10.00, 2026-03-05 16.00"},
		{"and of the last one", 0, []step{{"2026-03-02", 10}, {"2026-03-06", -4}}, "6.00: 2026-03-02 6.00"},
	} {
		o := &Order{PaidAmount: money.Whole(tt.before)}
		for _, s := range tt.steps {
			if s.by > 0 {
				o.collect(decode.Date(s.day), money.Whole(s.by))
			} else if err := o.refund(money.Whole(-s.by), decode.Date(s.day)); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		got := o.PaidAmount.String() + ":"
		for _, c := range o.Collected {
			got += fmt.Sprintf(" %s %s,", c.Day, c.Amount)
		}
		if got = strings.TrimSuffix(got, ","); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// However much is paid and refunded, what is kept by days is never more than what was paid, nor of more days than there may be.
func TestCollectedAtRandom(t *testing.T) {
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SampledFrom([]int64{0, 0, 70}).Draw(t, "before")
		o := &Order{PaidAmount: money.Whole(before)}
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			day := decode.Date(first.AddDate(0, 0, rapid.IntRange(0, 900).Draw(t, "day")).Format(time.DateOnly))
			by := rapid.Int64Range(-40, 60).Draw(t, "by")
			if by < 0 && o.PaidAmount.Cmp(money.Whole(-by)) < 0 {
				continue
			}
			if err := o.refund(money.Whole(-by), day); err != nil {
				t.Fatal(err)
			}
			sum, last := money.Amount{}, decode.Date("")
			for _, c := range o.Collected {
				if c.Amount.IsNegative() || c.Day <= last {
					t.Fatalf("%v", o.Collected)
				}
				sum, last = sum.Add(c.Amount), c.Day
			}
			if len(o.Collected) > MaxCollected || sum.Cmp(o.PaidAmount) > 0 || before == 0 && sum.Cmp(o.PaidAmount) != 0 {
				t.Fatalf("%s was paid, and of %d days %s", o.PaidAmount, len(o.Collected), sum)
			}
		}
	})
}

// The nearest days are joined once there are too many.
func TestCollectedOnManyDays(t *testing.T) {
	o := &Order{}
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range MaxCollected {
		o.collect(decode.Date(first.AddDate(0, 0, 10*n).Format(time.DateOnly)), money.Whole(1))
	}
	o.collect("2026-01-14", money.Whole(5))
	if got := o.Collected[1]; len(o.Collected) != MaxCollected || got.Day != "2026-01-14" || got.Amount.Cmp(money.Whole(6)) != 0 {
		t.Errorf("%d days, with %v", len(o.Collected), got)
	}
}
