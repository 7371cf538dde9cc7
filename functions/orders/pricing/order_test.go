package pricing_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// TestOrders is the golden table of totals. The result is discount (the order's own): net + tax = price.
func TestOrders(t *testing.T) {
	for _, tt := range []struct {
		name                                   string
		inventory, services, discounts, net    string
		percent, off, additional, tax, penalty string
		included                               bool
		want                                   string
	}{
		{name: "nothing", want: "0.00 (0.00): 0.00 + 0.00 = 0.00"},
		{name: "no discounts, no tax", inventory: "10000", services: "2000", net: "12000", want: "0.00 (0.00): 12000.00 + 0.00 = 12000.00"},
		{name: "discounts of the lines", inventory: "10000", discounts: "1000", net: "9000", want: "1000.00 (0.00): 9000.00 + 0.00 = 9000.00"},
		{name: "discounts on discounts", inventory: "10000", discounts: "1000", net: "9000", percent: "10", off: "100", additional: "50", want: "2050.00 (1050.00): 7950.00 + 0.00 = 7950.00"},
		{name: "discounts above what is left", inventory: "10000", discounts: "4000", net: "6000", percent: "50", off: "2000", additional: "2000", want: "10000.00 (6000.00): 0.00 + 0.00 = 0.00"},
		{name: "a tax that is added", inventory: "10000", net: "10000", tax: "12", want: "0.00 (0.00): 10000.00 + 1200.00 = 11200.00"},
		{name: "a tax that is included", inventory: "11200", net: "11200", tax: "12", included: true, want: "0.00 (0.00): 11200.00 + 1200.00 = 11200.00"},
		{name: "an added tax is on what discounts leave", inventory: "10000", discounts: "1000", net: "9000", off: "1000", tax: "12", want: "2000.00 (1000.00): 8000.00 + 960.00 = 8960.00"},
		{name: "an included tax is in what discounts leave", inventory: "10000", net: "10000", percent: "10", tax: "12", included: true, want: "1000.00 (1000.00): 9000.00 + 964.29 = 9000.00"},
		{name: "half a cent of tax goes up", inventory: "0.05", net: "0.05", tax: "10", want: "0.00 (0.00): 0.05 + 0.01 = 0.06"},
		{name: "a tax of 12.5 percent", inventory: "99.99", net: "99.99", tax: "12.5", want: "0.00 (0.00): 99.99 + 12.50 = 112.49"},
		{name: "a tax on nothing", inventory: "100", discounts: "100", net: "0", tax: "12", want: "100.00 (0.00): 0.00 + 0.00 = 0.00"},
		{name: "fees bear no discount and no tax", inventory: "1000", net: "1000", percent: "10", tax: "10", penalty: "500", want: "100.00 (100.00): 900.00 + 90.00 = 990.00"},
		{name: "too much with its tax", inventory: "99999999999999", net: "99999999999999", tax: "12", want: "refused"},
		{name: "too much with its fees", inventory: "99999999999999", net: "99999999999999", penalty: "1", want: "refused"},
		{name: "too much before discounts", inventory: "99999999999999", services: "1", discounts: "99999999999999", net: "1", want: "refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := pricing.Order(pricing.Sums{
				Inventory: amount(t, tt.inventory), Services: amount(t, tt.services), LineDiscounts: amount(t, tt.discounts),
				Net: amount(t, tt.net), Fees: amount(t, tt.penalty),
			}, pricing.Conditions{
				Discount:   pricing.Discount{Percent: maybe(t, tt.percent), Amount: maybe(t, tt.off)},
				Additional: amount(t, tt.additional), TaxPercent: amount(t, tt.tax), TaxIncluded: tt.included,
			})
			is := fmt.Sprintf("%s (%s): %s + %s = %s", got.Discount, got.OrderDiscount, got.Net, got.Tax, got.Price)
			if errors.Is(err, money.ErrDigits) {
				is = "refused"
			} else if err != nil {
				t.Fatal(err)
			}
			if is != tt.want {
				t.Errorf("got  %s\nwant %s", is, tt.want)
			}
		})
	}
}

// TestLate is the golden table of late fees.
func TestLate(t *testing.T) {
	for _, tt := range []struct {
		name        string
		price       string
		duration    moment.Seconds
		grace, step moment.Seconds
		late        time.Duration
		once, sale  bool
		want        string
	}{
		{name: "5.5 hours, an hour of grace", price: "3000", duration: day, grace: hour, step: hour, late: 330 * time.Minute, want: "500.00"},
		{name: "exactly the grace", price: "3000", duration: day, grace: hour, step: hour, late: time.Hour, want: "0.00"},
		{name: "a second less than a step after the grace", price: "3000", duration: day, grace: hour, step: hour, late: 2*time.Hour - time.Second, want: "0.00"},
		{name: "a microsecond less than a step", price: "3000", duration: day, grace: hour, step: hour, late: 2*time.Hour - time.Microsecond, want: "0.00"},
		{name: "exactly a step after the grace", price: "3000", duration: day, grace: hour, step: hour, late: 2 * time.Hour, want: "125.00"},
		{name: "no grace", price: "3000", duration: day, step: hour, late: time.Hour, want: "125.00"},
		{name: "on time", price: "3000", duration: day, step: hour, want: "0.00"},
		{name: "early", price: "3000", duration: day, step: hour, late: -50 * time.Hour, want: "0.00"},
		{name: "a day and more", price: "3000", duration: day, grace: hour, step: hour, late: 49 * time.Hour, want: "6000.00"},
		{name: "a step that isn't part of the duration", price: "3000", duration: day, step: 50_000, late: 50_000 * time.Second, want: "1500.00"},
		{name: "a step longer than the duration", price: "700", duration: hour, step: day, late: 48 * time.Hour, want: "1400.00"},
		{name: "rounded", price: "100", duration: day, step: hour, late: time.Hour, want: "4.17"},
		{name: "half a cent goes up", price: "0.12", duration: day, step: hour, late: time.Hour, want: "0.01"},
		{name: "a step of nothing is a minute", price: "1440", duration: day, late: time.Hour, want: "60.00"},
		{name: "a sale", price: "3000", duration: day, step: hour, late: 50 * time.Hour, sale: true, want: "0.00"},
		{name: "without a duration", price: "3000", step: hour, late: 50 * time.Hour, want: "0.00"},
		{name: "a one-time payment with a duration", price: "2400", duration: day, step: hour, late: time.Hour, once: true, want: "100.00"},
		{name: "free of charge", price: "0", duration: day, step: hour, late: 50 * time.Hour, want: "0.00"},
		{name: "too much", price: "99999999999999", duration: hour, step: hour, late: 2 * time.Hour, want: "refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			due := time.Date(2026, 3, 2, 10, 0, 0, 500_000_000, time.UTC)
			fee, err := pricing.Rules{LateGrace: tt.grace, LateStep: tt.step}.LateFee(
				pricing.Item{
					Terms: pricing.Terms{Price: amount(t, tt.price), Duration: tt.duration, Once: tt.once}, Sale: tt.sale,
					Start: due.Add(-time.Hour), End: due,
				}, due.Add(tt.late))
			got := fee.String()
			if errors.Is(err, money.ErrDigits) {
				got = "refused"
			} else if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCheapest(t *testing.T) {
	terms := func(price int64, duration moment.Seconds) pricing.Terms {
		return pricing.Terms{Price: money.Whole(price), Duration: duration}
	}
	const tooMuch = 99_999_999_999_999
	start := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		offered []pricing.Terms
		lasts   time.Duration
		want    int
	}{
		{"none", nil, time.Hour, -1},
		{"the only one", []pricing.Terms{terms(5, day)}, time.Hour, 0},
		{"by the hour for a short time", []pricing.Terms{terms(5000, day), terms(700, hour)}, 2 * time.Hour, 1},
		{"by the day for a long time", []pricing.Terms{terms(5000, day), terms(700, hour)}, 8 * time.Hour, 0},
		{"the first of equals", []pricing.Terms{terms(9, hour), terms(5, day), terms(5, week)}, 3 * time.Hour, 1},
		{"paid once", []pricing.Terms{terms(5, hour), {Price: money.Whole(20), Once: true}}, 5 * time.Hour, 1},
		{"free of charge", []pricing.Terms{terms(5, hour), terms(0, hour)}, time.Hour, 1},
		{"not a negative one", []pricing.Terms{terms(-5, hour), terms(5, hour)}, time.Hour, 1},
		{"not one whose total is no amount", []pricing.Terms{terms(tooMuch, hour), terms(tooMuch, day)}, 2 * time.Hour, 1},
		{"none that an order can have", []pricing.Terms{terms(tooMuch, hour), terms(-1, day)}, 2 * time.Hour, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (pricing.Rules{}).Cheapest(tt.offered, start, start.Add(tt.lasts)); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
