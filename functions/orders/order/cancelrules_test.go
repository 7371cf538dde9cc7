package order

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/tenant"
)

// What cancelling an order of 1,000 costs that begins at 24: half of it from then on, a fifth in the 12 hours before, and a tenth in the 12 before those.
func TestCancellation(t *testing.T) {
	settings := company.Rental{
		Cancellation:  []company.Cancellation{{Before: 24 * 3600, Percent: 10}, {Before: 0, Percent: 50}, {Before: 12 * 3600, Percent: 20}},
		NoShowPercent: 80,
	}
	amount := func(n int64) *money.Amount { return to(money.Whole(n)) }
	most, err := money.ParseAmount("99999999999999.99")
	if err != nil {
		t.Fatal(err)
	}
	of := func(status Status) *Order {
		o := orderOf(status, lasting(1, 1, 30, 40), lasting(2, 2, 24, 40))
		o.Price = money.Whole(1000)
		return o
	}
	timeless := orderOf(Reserved)
	timeless.Price = money.Whole(1000)
	sent := orderOf(Reserved)
	sent.Price, sent.RentStart = money.Whole(1000), to(hour(24))
	out := orderOf(Reserved, lasting(1, 1, 24, 40).handedOut(24))
	out.Price = money.Whole(1000)
	held := of(Request)
	held.Expires = to(hour(25))
	for _, tt := range []struct {
		name     string
		order    *Order
		settings company.Rental
		now      int64
		action   Action
		role     tenant.Role
		want     string
	}{
		{"nothing set", of(Request), company.Rental{}, 24, Action{}, tenant.Employee, "Cancellation 0.00"},
		{"before all rows", of(Request), settings, -1, Action{}, tenant.Employee, "Cancellation 0.00"},
		{"within the widest row", of(Request), settings, 0, Action{}, tenant.Employee, "Cancellation 100.00"},
		{"within the next one", of(Reserved), settings, 12, Action{}, tenant.Employee, "Cancellation 200.00"},
		{"past the start", of(Reserved), settings, 25, Action{}, tenant.Employee, "Cancellation 500.00"},
		{"by a time that was sent", sent, settings, 25, Action{}, tenant.Employee, "Cancellation 500.00"},
		{"without a time", timeless, settings, 25, Action{}, tenant.Employee, "Cancellation 0.00"},
		{"more by an employee", of(Reserved), settings, 12, Action{Fee: amount(201)}, tenant.Employee, "Cancellation 201.00"},
		{"as much by an employee", of(Reserved), settings, 12, Action{Fee: amount(200)}, tenant.Employee, "Cancellation 200.00"},
		{
			"less by an employee", of(Reserved), settings, 12,
			Action{Fee: amount(199)},
			tenant.Employee,
			"map[fee:[Ensure this value is at least 200.00: less needs a member with a higher role.]]",
		},
		{"less by a manager", of(Reserved), settings, 12, Action{Fee: amount(199)}, tenant.Manager, "Cancellation 199.00"},
		{"nothing by an owner", of(Reserved), settings, 12, Action{Fee: amount(0)}, tenant.Owner, "Cancellation 0.00"},
		{"nothing by what has no role", of(Reserved), settings, 12, Action{Fee: amount(0)}, "", "Cancellation 0.00"},
		{"nobody came", of(Reserved), settings, 24, Action{NoShow: true}, tenant.Employee, "No-show 800.00"},
		{"nobody came, and nothing is set", of(Reserved), company.Rental{}, 24, Action{NoShow: true}, tenant.Employee, "No-show 0.00"},
		{
			"nobody came, which is cheaper than to cancel", of(Reserved),
			company.Rental{Cancellation: settings.Cancellation, NoShowPercent: 40},
			24,
			Action{NoShow: true},
			tenant.Employee, "No-show 500.00",
		},
		{"nobody came, and more is charged", of(Reserved), settings, 24, Action{NoShow: true, Fee: amount(900)}, tenant.Employee, "No-show 900.00"},
		{
			"nobody came, and an employee charges less", of(Reserved), settings, 24,
			Action{NoShow: true, Fee: amount(700)},
			tenant.Employee,
			"map[fee:[Ensure this value is at least 800.00: less needs a member with a higher role.]]",
		},
		{"nobody came before the start", of(Reserved), settings, 23, Action{NoShow: true}, tenant.Employee, "no_show"},
		{"nobody came for a request", of(Request), settings, 24, Action{NoShow: true}, tenant.Employee, "no_show"},
		{"nobody came at no time", timeless, settings, 24, Action{NoShow: true}, tenant.Employee, "no_show"},
		{"somebody came", out, settings, 24, Action{NoShow: true}, tenant.Employee, "no_show"},
		{"its hold has ended", held, settings, 25, Action{lapsed: to(hour(25))}, "", "Cancellation 0.00"},
		{"its hold has ended, and an employee is faster", held, settings, 25, Action{}, tenant.Employee, "Cancellation 0.00"},
		{"its hold has not ended", held, settings, 24, Action{}, tenant.Employee, "Cancellation 500.00"},
		{"too many digits", of(Reserved), settings, 24, Action{Fee: &most}, tenant.Employee, refusal(errTooMuch)},
	} {
		f, err := tt.order.cancellation(tt.action, tt.settings, at(tt.now), tt.role)
		got := refusal(err)
		if err == nil {
			got = fmt.Sprint(*f.Comment, " ", f.Amount)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
