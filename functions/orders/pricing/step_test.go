package pricing_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// told returns steps as a clerk reads them, in English.
func told(steps []pricing.Step) (lines []string) {
	for _, s := range steps {
		lines = append(lines, s.Kind+": "+s.Text.Error()+": "+s.Amount.String())
	}
	return lines
}

func TestStepsOfALine(t *testing.T) {
	for _, tt := range []struct {
		name, zone, start, end string
		calendar               bool
		item                   pricing.Item
		want                   []string
	}{
		{
			name: "25 hours", start: "2026-03-02 10:00", end: "2026-03-03 11:00",
			item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(5000), Duration: day}},
			want: []string{"tariff: 2 × 5000.00 for 1 day (25 h): 10000.00"},
		},
		{
			name: "discounts that are limited", start: "2026-03-02 10:00", end: "2026-03-02 11:30",
			item: pricing.Item{
				Terms:    pricing.Terms{Price: money.Whole(700), Duration: hour},
				Discount: pricing.Discount{Percent: maybe(t, "12.5"), Amount: maybe(t, "1000")}, Additional: money.Whole(500),
			},
			want: []string{
				"tariff: 2 × 700.00 for 1 h (1 h 30 min): 1400.00", "percent: discount of 12.5% of 1400.00: -175.00",
				"amount: discount of 1000.00: -1000.00", "additional: additional discount of 500.00: -500.00",
				"discount_limit: discounts are at most the price before them, 1400.00: 275.00",
			},
		},
		{
			name: "a day that has 25 hours", zone: berlin, start: "2026-10-24 10:00", end: "2026-10-25 10:00",
			item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(100), Duration: day}},
			want: []string{"tariff: 1 × 100.00 for 1 day (25 h; days begin and end by the clocks of Europe/Berlin, which changed): 100.00"},
		},
		{
			name: "calendar months", start: "2026-03-02 10:00", end: "2026-04-02 10:00", calendar: true,
			item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(90000), Duration: month}},
			want: []string{"tariff: 1 × 90000.00 for 1 calendar month (31 days): 90000.00"},
		},
		{
			name: "odd times", start: "2026-03-02 10:00", end: "2026-03-12 11:02:03",
			item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(10), Duration: 2*day + 1}},
			want: []string{"tariff: 6 × 10.00 for 2 days 1 s (10 days 1 h 2 min 3 s): 60.00"},
		},
		{
			name: "pieces for a time", start: "2026-03-02 10:00", end: "2026-03-04 10:00",
			item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(10), Duration: day}, Count: 3},
			want: []string{"tariff: 2 × 10.00 for 1 day (2 days), for each of 3: 60.00"},
		},
		{
			name: "no time", start: "2026-03-02 10:00", end: "2026-03-01 10:00",
			item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(10), Duration: day}},
			want: []string{"tariff: 1 × 10.00 for 1 day (0 s): 10.00"},
		},
		{
			name: "a service", item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(1500), Duration: day, Once: true}, Timeless: true, Count: 2},
			want: []string{"tariff: 2 × 1500.00: 3000.00"},
		},
		{name: "once", item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(10), Once: true}}, want: []string{"tariff: 10.00, paid once: 10.00"}},
		{name: "sold", item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(10)}, Sale: true}, want: []string{"tariff: 10.00, sold: 10.00"}},
		{name: "pieces", item: pricing.Item{Terms: pricing.Terms{Price: money.Whole(10)}, Count: 3}, want: []string{"tariff: 3 × 10.00 for any time: 30.00"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.zone == "" {
				tt.zone = almaty
			}
			rules := pricing.Rules{Zone: load(t, tt.zone), CalendarMonths: tt.calendar}
			if tt.start != "" {
				tt.item.Start, tt.item.End = momentIn(t, rules.Zone, tt.start), momentIn(t, rules.Zone, tt.end)
			}
			p, err := rules.Price(tt.item)
			if got := told(p.Steps); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

// A clerk sees the tariffs of a sum, and what each price rule adds to it.
func TestStepsOfARental(t *testing.T) {
	list := pricing.Rule{ID: 5, Name: "Summer", Ordering: 9, Season: march(22, 24), Prices: []pricing.ListPrice{{Tariff: 2, Price: money.Whole(16000)}}}
	long := long(-10)
	evening := pricing.Rule{ID: 6, Name: "Evening", Percent: maybe(t, "12.5"), Hours: &pricing.Hours{From: 20 * hour, To: 22 * hour}}
	for _, tt := range []struct {
		name, zone, start, end string
		calendar               bool
		offer                  []pricing.Offered
		rules                  []pricing.Rule
		count                  int64
		want                   []string
	}{
		{
			name: "a sum", start: "2026-03-02 10:00", end: "2026-04-02 10:00", offer: rental(),
			want: []string{"tariff: 1 × 330000.00 for 30 days (31 days in all): 330000.00", "tariff: 1 × 15000.00 for 1 day: 15000.00"},
		},
		{
			name: "pieces for calendar months and hours", start: "2026-03-02 10:00", end: "2026-05-02 12:00", calendar: true, offer: rental(), count: 2,
			want: []string{
				"tariff: 2 × 330000.00 for 1 calendar month, for each of 2 (61 days 2 h in all): 1320000.00",
				"tariff: 2 × 2000.00 for 1 h, for each of 2: 8000.00",
			},
		},
		{
			name: "one tariff of an offer", zone: berlin, start: "2026-10-24 10:00", end: "2026-10-25 10:00", offer: rental(),
			want: []string{"tariff: 1 × 15000.00 for 1 day (25 h; days begin and end by the clocks of Europe/Berlin, which changed): 15000.00"},
		},
		{
			name: "any time", start: "2026-03-02 10:00", end: "2026-04-02 10:00", offer: []pricing.Offered{offered(9, 10, 0)},
			want: []string{"tariff: 10.00 for any time: 10.00"},
		},
		{
			name: "a season", start: "2026-03-20 00:00", end: "2026-03-25 00:00", offer: rental(), rules: []pricing.Rule{nauryz(), long},
			want: []string{"tariff: 5 × 15000.00 for 1 day (5 days): 75000.00", "rule: 2 of 5 days in Nauryz +20%: 6000.00"},
		},
		{
			name: "all of them", start: "2026-03-20 00:00", end: "2026-03-22 00:00", offer: rental(), rules: []pricing.Rule{
				{ID: 8, Name: "Week", Ordering: 8, Minimum: 7 * day}, nauryz(), list, long,
			},
			want: []string{
				"minimum: priced until 27 March 2026, 00:00 (UTC+5), the minimum of 7 days in Week: 0.00", "tariff: 1 × 91000.00 for 7 days (7 days): 91000.00",
				"prices: 3 of 7 days at the prices of Summer: 0.00", "rule: 2 of 7 days in Nauryz +20%: 5200.00", "rule: 7 of 7 days in Week -10%: -9620.00",
			},
		},
		{
			name: "hours", start: "2026-03-22 10:00", end: "2026-03-23 21:00", offer: rental(), rules: []pricing.Rule{list, evening},
			want: []string{
				"tariff: 2 × 15000.00 for 1 day (35 h): 30000.00", "prices: 35 of 35 h at the prices of Summer: 2000.00",
				"rule: 3 of 35 h in Evening +12.5%: 342.86",
			},
		},
		{
			name: "a day", start: "2026-03-22 00:00", end: "2026-03-23 00:00", offer: rental(), rules: []pricing.Rule{nauryz()},
			want: []string{"tariff: 1 × 15000.00 for 1 day (1 day): 15000.00", "rule: 1 of 1 day in Nauryz +20%: 3000.00"},
		},
		{
			name: "minutes", start: "2026-03-22 21:30", end: "2026-03-22 23:00", offer: rental(), rules: []pricing.Rule{evening},
			want: []string{"tariff: 2 × 2000.00 for 1 h (1 h 30 min): 4000.00", "rule: 30 min of 1 h 30 min in Evening +12.5%: 166.67"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.zone == "" {
				tt.zone = almaty
			}
			r := pricing.Rules{Zone: load(t, tt.zone), CalendarMonths: tt.calendar}
			p, err := r.Price(pricing.Item{
				Offer: tt.offer, Rules: tt.rules, Count: tt.count, Start: momentIn(t, r.Zone, tt.start), End: momentIn(t, r.Zone, tt.end),
			})
			if got := told(p.Steps); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

// A step names its tariff and its rule.
func TestStepNames(t *testing.T) {
	at := momentIn(t, load(t, almaty), "2026-03-22 00:00")
	p, err := pricing.Rules{Zone: load(t, almaty)}.Price(pricing.Item{
		Offer: rental(), Start: at, End: at.AddDate(0, 0, 1), Rules: []pricing.Rule{nauryz(), {ID: 9, Minimum: 8 * day}},
	})
	got, bad := json.Marshal(p.Steps)
	got = say.Spoken(got, say.English, nil)
	const want = `[{"kind":"minimum","text":"priced until 30 March 2026, 00:00 (UTC+5), the minimum of 8 days in ",` +
		`"units":null,"count":null,"percent":null,"tarif":null,"rule":9,"amount":"0.00"},` +
		`{"kind":"tariff","text":"1 × 91000.00 for 7 days (8 days in all)","units":1,"count":1,"percent":null,"tarif":3,"rule":null,"amount":"91000.00"},` +
		`{"kind":"tariff","text":"1 × 15000.00 for 1 day","units":1,"count":1,"percent":null,"tarif":2,"rule":null,"amount":"15000.00"},` +
		`{"kind":"rule","text":"1 of 8 days in Nauryz +20%","units":null,"count":null,"percent":"20.00","tarif":null,"rule":1,"amount":"2650.00"}]`
	if err != nil || bad != nil || string(got) != want {
		t.Errorf("got %s, %v, %v", got, err, bad)
	}
}

func TestStepsOfAnOrder(t *testing.T) {
	sums := pricing.Sums{
		Inventory: money.Whole(10000), Services: money.Whole(2000), LineDiscounts: money.Whole(1000), Net: money.Whole(11000),
		Fees: money.Whole(500),
	}
	conditions := pricing.Conditions{
		Discount: pricing.Discount{Percent: maybe(t, "10"), Amount: maybe(t, "100")}, Additional: money.Whole(50), TaxPercent: money.Whole(12),
	}
	before := []string{
		"inventory: items: 10000.00", "services: services: 2000.00", "line_discounts: discounts of single items and services: -1000.00",
		"percent: discount of 10% of 11000.00: -1100.00", "amount: discount of 100.00: -100.00",
		"additional: additional discount of 50.00: -50.00",
	}
	const fees = "fees: fees, owed besides the price; they bear no discount and no tax: 500.00"
	for included, tax := range map[bool]string{
		false: "tax: tax of 12% on 9750.00: 1170.00",
		true:  "tax_included: tax of 12%, included in 9750.00: 1044.64",
	} {
		conditions.TaxIncluded = included
		got, err := pricing.Order(sums, conditions)
		if want := append(slices.Clone(before), tax, fees); err != nil || !slices.Equal(told(got.Steps), want) {
			t.Errorf("got %q, %v\nwant %q", told(got.Steps), err, want)
		}
	}
}

// What a step doesn't have is null.
func TestStepJSON(t *testing.T) {
	p, err := pricing.Rules{}.Price(pricing.Item{
		Terms: pricing.Terms{Price: money.Whole(10)}, Count: 2, Discount: pricing.Discount{Percent: maybe(t, "5")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(p.Steps)
	got = say.Spoken(got, say.English, nil)
	const want = `[{"kind":"tariff","text":"2 × 10.00 for any time","units":1,"count":2,"percent":null,"tarif":null,"rule":null,"amount":"20.00"},` +
		`{"kind":"percent","text":"discount of 5% of 20.00","units":null,"count":null,"percent":"5.00","tarif":null,"rule":null,"amount":"-1.00"}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}
