package pricing_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// fullOffer is twelve tariffs on the grid of 900 seconds, cheaper by the hour the longer they are.
func fullOffer(more int64) (offer []pricing.Offered) {
	for i, d := range []moment.Seconds{900, 1800, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 3 * day, week, 14 * day, month} {
		price := 3000 - 120*int64(i) + more
		offer = append(offer, pricing.Offered{ID: int64(i + 1), Terms: pricing.Terms{
			Price: money.FromCents(price * int64(d) / 900), Duration: d,
		}})
	}
	return offer
}

// awkwardOffer is twelve tariffs of seconds of which the shortest is the cheapest by the hour, so that a search sees all of its grid.
func awkwardOffer(more int64) (offer []pricing.Offered) {
	for i := range int64(12) {
		d := 900 * (i + 97 + more%7)
		offer = append(offer, pricing.Offered{ID: i + 1, Terms: pricing.Terms{
			Price: money.FromCents(d + i), Duration: moment.Seconds(d),
		}})
	}
	return offer
}

// mixedRules are so many rules of a year of a company: seasons, weekdays, hours, lengths, some lists of prices and minimums.
func mixedRules(n int) (rules []pricing.Rule) {
	for i := range n {
		rule := pricing.Rule{ID: int64(i), Name: "Rule", Ordering: int64(i % 5)}
		date := func(days int) pricing.Date {
			d := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, days)
			return pricing.Date{Year: d.Year(), Month: d.Month(), Day: d.Day()}
		}
		switch i % 4 {
		case 0:
			rule.Season = &pricing.Season{First: date(i*7 + 50), Last: date(i*7 + 90), Yearly: i%8 == 0}
		case 1:
			rule.Weekdays = []time.Weekday{time.Weekday(i % 7), time.Weekday((i + 3) % 7)}
		case 2:
			rule.Hours = &pricing.Hours{From: moment.Seconds(i%24) * hour, To: moment.Seconds((i+9)%24)*hour + 60*moment.Seconds(i)}
		case 3:
			rule.AtLeast = moment.Seconds(i%10) * day
		}
		switch i % 10 {
		case 4, 5, 6:
			for id := range int64(12) {
				rule.Prices = append(rule.Prices, pricing.ListPrice{Tariff: id + 1, Price: money.FromCents(100_000 * (id + 1) * int64(i+3))})
			}
		case 9:
			rule.Minimum = day
		default:
			p := money.FromCents(int64(i)*73 - 500)
			rule.Percent = &p
		}
		rules = append(rules, rule)
	}
	return rules
}

// manyLists are so many lists of prices of four days each.
func manyLists(n int) (rules []pricing.Rule) {
	for i := range n {
		first := time.Date(2026, 3, 2+4*i, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 0, 3)
		rule := pricing.Rule{ID: int64(i), Name: "List", Season: &pricing.Season{
			First: pricing.Date{Year: first.Year(), Month: first.Month(), Day: first.Day()},
			Last:  pricing.Date{Year: last.Year(), Month: last.Month(), Day: last.Day()},
		}}
		for id := range int64(12) {
			rule.Prices = append(rule.Prices, pricing.ListPrice{Tariff: id + 1, Price: money.FromCents(900*(id+97) + int64(i))})
		}
		rules = append(rules, rule)
	}
	return rules
}

// quote prices 30 lines of as many groups, and returns what they cost.
func quote(b *testing.B, r pricing.Rules, offers [][]pricing.Offered, rules []pricing.Rule, start time.Time, lasts time.Duration) (total money.Amount) {
	b.Helper()
	for _, offer := range offers {
		p, err := r.Price(pricing.Item{Offer: offer, Rules: rules, Start: start, End: start.Add(lasts)})
		if err != nil {
			b.Fatal(err)
		}
		total = total.Add(p.Gross)
	}
	return total
}

// BenchmarkQuote is a quote of 30 combined lines of different groups under price rules. It is to take at most 30 ms.
func BenchmarkQuote(b *testing.B) {
	const lines = 30
	r := pricing.Rules{Zone: load(b, berlin)}
	start := momentIn(b, r.Zone, "2026-03-02 10:15")
	for _, bb := range []struct {
		name     string
		offer    func(more int64) []pricing.Offered
		rules    []pricing.Rule
		days     int
		calendar bool
	}{
		{name: "30 days", offer: fullOffer, rules: mixedRules(20), days: 30},
		{name: "400 days", offer: fullOffer, rules: mixedRules(20), days: 400},
		{name: "400 days, calendar months", offer: fullOffer, rules: mixedRules(20), days: 400, calendar: true},
		{name: "30 days, awkward tariffs", offer: awkwardOffer, rules: mixedRules(20), days: 30},
		{name: "400 days, awkward tariffs", offer: awkwardOffer, rules: mixedRules(20), days: 400},
		{name: "400 days, awkward tariffs and 100 rules", offer: awkwardOffer, rules: mixedRules(100), days: 400},
		{name: "400 days, awkward tariffs and 100 lists", offer: awkwardOffer, rules: manyLists(100), days: 400},
		{name: "400 days, no rules", offer: fullOffer, days: 400},
	} {
		b.Run(bb.name, func(b *testing.B) {
			r.CalendarMonths = bb.calendar
			var offers [][]pricing.Offered
			for i := range int64(lines) {
				offers = append(offers, bb.offer(i))
			}
			b.ReportAllocs()
			for b.Loop() {
				quote(b, r, offers, bb.rules, start, time.Duration(bb.days)*24*time.Hour+5*time.Hour)
			}
		})
	}
}
