package pricing_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// slow is prices as they are told, one sum or one second after the other.
type slow struct {
	zone     *time.Location
	calendar bool
}

func (s slow) clocks(at time.Time) time.Time {
	_, ahead := at.In(s.zone).Zone()
	return at.UTC().Add(time.Duration(ahead) * time.Second)
}

// at is the last moment, or the later one around a skipped time, at which the clocks show a time.
func (s slow) at(wall time.Time) time.Time {
	_, before := wall.Add(-24 * time.Hour).In(s.zone).Zone()
	_, after := wall.Add(24 * time.Hour).In(s.zone).Zone()
	early, late := wall.Add(-time.Duration(max(before, after))*time.Second), wall.Add(-time.Duration(min(before, after))*time.Second)
	if s.clocks(early).Equal(wall) && !s.clocks(late).Equal(wall) {
		return early
	}
	return late
}

func (s slow) reach(start time.Time, months, days int, seconds int64) time.Time {
	at := start
	if months != 0 || days != 0 {
		wall := s.clocks(start)
		first := time.Date(wall.Year(), wall.Month()+time.Month(months), 1, wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		at = s.at(first.AddDate(0, 0, min(wall.Day(), last)-1+days))
	}
	return at.Add(time.Duration(seconds) * time.Second)
}

func anyTime(t pricing.Offered) bool { return t.Once || t.Duration <= 0 }

// covers tells whether some units reach the end of a rental.
func (s slow) covers(offer []pricing.Offered, units []int64, start, end time.Time) bool {
	var months, days int
	var seconds int64
	for i, t := range offer {
		switch n := units[i]; {
		case n == 0:
		case anyTime(t):
			return true
		case t.Duration == month && s.calendar:
			months += int(n)
		case t.Duration%day == 0:
			days += int(n) * int(t.Duration/day)
		default:
			seconds += n * int64(t.Duration)
		}
	}
	return !s.reach(start, months, days, seconds).Before(end)
}

// better tells whether units are better than others: cheaper, then fewer, then with more of the longest.
func better(offer []pricing.Offered, a, b []int64) bool {
	if b == nil {
		return true
	}
	cost := func(units []int64) (cents, n int64) {
		for i, t := range offer {
			cents, n = cents+units[i]*t.Price.Cents(), n+units[i]
		}
		return cents, n
	}
	ca, na := cost(a)
	cb, nb := cost(b)
	if ca != cb || na != nb {
		return ca < cb || ca == cb && na < nb
	}
	order := make([]int, len(offer))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		long := func(i int) float64 {
			if anyTime(offer[i]) {
				return math.Inf(1)
			}
			return float64(offer[i].Duration)
		}
		switch {
		case long(i) > long(j), long(i) == long(j) && offer[i].ID < offer[j].ID:
			return -1
		}
		return 1
	})
	for _, i := range order {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return false
}

// best tries all sums whose units are at most what covers the time alone.
func (s slow) best(offer []pricing.Offered, start, end time.Time) (best []int64) {
	units := make([]int64, len(offer))
	take := func() {
		if better(offer, units, best) {
			best = slices.Clone(units)
		}
	}
	var combined []int
	for i, t := range offer {
		switch {
		case anyTime(t) || !start.Before(end):
			units[i] = 1
			take()
		case t.Duration%900 != 0:
			for units[i] = 1; !s.covers(offer, units, start, end); units[i]++ {
			}
			take()
		default:
			combined = append(combined, i)
		}
		units[i] = 0
	}
	if !start.Before(end) {
		return best
	}
	var try func(of []int)
	try = func(of []int) {
		if s.covers(offer, units, start, end) {
			take()
			return // more of them only cost more
		}
		if len(of) == 0 {
			return
		}
		for i := of[0]; ; units[i]++ {
			try(of[1:])
			if s.covers(offer, units, start, end) {
				units[i] = 0
				return
			}
		}
	}
	try(combined)
	return best
}

func fourZones(t testing.TB) []*time.Location {
	return []*time.Location{load(t, almaty), load(t, berlin), load(t, newYork), load(t, "Australia/Lord_Howe")}
}

// nearChanges draws a time near a change of clocks or a short month.
func nearChanges(t *rapid.T, zone *time.Location) time.Time {
	near := rapid.SampledFrom([]time.Time{
		time.Date(2026, 3, 25, 0, 0, 0, 0, zone), time.Date(2026, 10, 21, 0, 0, 0, 0, zone), time.Date(2026, 1, 29, 0, 0, 0, 0, zone),
		time.Date(2026, 3, 4, 0, 0, 0, 0, zone), time.Date(2026, 10, 28, 0, 0, 0, 0, zone), time.Date(2028, 1, 29, 0, 0, 0, 0, zone),
		time.Date(2026, 4, 2, 0, 0, 0, 0, zone), time.Date(2026, 10, 1, 0, 0, 0, 0, zone),
	}).Draw(t, "near")
	return near.Add(time.Duration(rapid.Int64Range(0, 6*48).Draw(t, "half hours")) * 30 * time.Minute)
}

func drawnOffer(t *rapid.T, durations []moment.Seconds, most int) (offer []pricing.Offered) {
	for i := range rapid.IntRange(1, most).Draw(t, "tariffs") {
		d := rapid.SampledFrom(durations).Draw(t, "duration")
		price := rapid.Int64Range(0, 60).Draw(t, "price")
		if rapid.Bool().Draw(t, "in proportion") {
			price = int64(d)/hour*rapid.Int64Range(5, 30).Draw(t, "an hour")/10 + 1
		}
		o := offered(int64(i+1), price, d)
		o.Once = rapid.IntRange(0, 15).Draw(t, "once") == 0
		offer = append(offer, o)
	}
	return rapid.Permutation(offer).Draw(t, "order")
}

// The cheapest sum is that which is found by trying all, to 40 days.
func TestCheapestSumIsTheBestOfAll(t *testing.T) {
	zones := fourZones(t)
	durations := []moment.Seconds{0, 900, hour, 5400, 7000, 12 * hour, day, day + 1, 2 * day, 3 * day, 36 * hour, week, 14 * day, month}
	rapid.Check(t, func(t *rapid.T) {
		s := slow{zone: rapid.SampledFrom(zones).Draw(t, "zone"), calendar: rapid.Bool().Draw(t, "calendar")}
		offer := drawnOffer(t, durations, 5)
		start := nearChanges(t, s.zone)
		most := int64(40 * day)
		if low := slices.MinFunc(offer, func(a, b pricing.Offered) int { return int(a.Duration - b.Duration) }); low.Duration < day {
			most = 3 * day / 2 // it takes all sums
		}
		end := start.Add(time.Duration(rapid.Int64Range(0, 2*most).Draw(t, "half seconds")) * time.Second / 2)
		it := pricing.Item{Offer: offer, Start: start, End: end}
		r := pricing.Rules{Zone: s.zone, CalendarMonths: s.calendar}
		p, err := r.Price(it)
		if err != nil {
			t.Fatal(err)
		}
		var want []pricing.Part
		for i, n := range s.best(offer, start, end) {
			if n > 0 {
				want = append(want, pricing.Part{Offered: offer[i], Units: n})
			}
		}
		told := func(list []pricing.Part) string {
			list = slices.Clone(list)
			slices.SortFunc(list, func(a, b pricing.Part) int { return int(a.ID - b.ID) })
			return parts(list)
		}
		if told(p.Parts) != told(want) {
			t.Fatalf("%s, want %s: %+v", told(p.Parts), told(want), it)
		}
		for _, o := range offer {
			alone, err := r.Price(pricing.Item{Terms: o.Terms, Start: start, End: end})
			if err != nil || alone.Gross.Cmp(p.Gross) < 0 {
				t.Fatalf("%s, but by tariff %d alone %s, %v", p.Gross, o.ID, alone.Gross, err)
			}
		}
		it.End = end.Add(time.Duration(rapid.Int64Range(0, 3*day).Draw(t, "more")) * time.Second)
		longer, err := r.Price(it)
		if err != nil || longer.Gross.Cmp(p.Gross) < 0 {
			t.Fatalf("%s until %s, but %s until %s, %v", p.Gross, end, longer.Gross, it.End, err)
		}
	})
}

// To 400 days, the cheapest sum is that of a plain program over hours.
func TestCheapestSumOfLongRentals(t *testing.T) {
	const most = 400 * 24
	best := make([]int64, most+1)
	for h := 1; h <= most; h++ {
		best[h] = math.MaxInt64
		for _, o := range rental() {
			best[h] = min(best[h], best[max(h-int(o.Duration/hour), 0)]+o.Price.Cents())
		}
	}
	r := pricing.Rules{Zone: load(t, almaty)}
	start := momentIn(t, r.Zone, monday)
	for h := 1; h <= most; h++ {
		p, err := r.Price(pricing.Item{Offer: rental(), Start: start, End: start.Add(time.Duration(h) * time.Hour)})
		if err != nil || p.Gross.Cents() != best[h] {
			t.Fatalf("%d h: %s, want %d cents, %v", h, p.Gross, best[h], err)
		}
	}
}

// Longer than what is searched at once, a rental is still never cheaper than a shorter one.
func TestLongestRentalsAreNeverCheaper(t *testing.T) {
	zones := fourZones(t)
	durations := []moment.Seconds{0, 10 * day, month, 45 * day, 100 * day, 36 * hour, 1000*hour + 900, 500 * day}
	rapid.Check(t, func(t *rapid.T) {
		r := pricing.Rules{Zone: rapid.SampledFrom(zones).Draw(t, "zone"), CalendarMonths: rapid.Bool().Draw(t, "calendar")}
		it := pricing.Item{Offer: drawnOffer(t, durations, 4), Start: nearChanges(t, r.Zone)}
		last, days := money.Amount{}, 390
		for range 12 {
			it.End = it.Start.AddDate(0, 0, days)
			p, err := r.Price(it)
			if err != nil || p.Gross.Cmp(last) < 0 {
				t.Fatalf("%s after %s, %v: %+v", p.Gross, last, err, it)
			}
			last, days = p.Gross, days+rapid.IntRange(1, 40).Draw(t, "more days")
		}
	})
}

// drawnRule draws a rule for rentals near a time.
func drawnRule(t *rapid.T, id int64, near time.Time) pricing.Rule {
	rule := pricing.Rule{ID: id, Name: fmt.Sprint("R", id), Ordering: rapid.Int64Range(0, 3).Draw(t, "ordering")}
	date := func(days int) pricing.Date {
		d := near.AddDate(0, 0, days)
		return pricing.Date{Year: d.Year(), Month: d.Month(), Day: d.Day()}
	}
	switch rapid.IntRange(0, 4).Draw(t, "condition") {
	case 0:
		first := rapid.IntRange(-3, 10).Draw(t, "first")
		rule.Season = &pricing.Season{First: date(first), Last: date(first + rapid.IntRange(0, 6).Draw(t, "days"))}
	case 1:
		rule.Season = &pricing.Season{
			Yearly: true, First: date(rapid.IntRange(-3, 9).Draw(t, "first")), Last: date(rapid.IntRange(-3, 9).Draw(t, "last")),
		}
		rule.Season.First.Year, rule.Season.Last.Year = 2020, 0
	case 2:
		for d := range time.Weekday(7) {
			if rapid.Bool().Draw(t, d.String()) {
				rule.Weekdays = append(rule.Weekdays, d)
			}
		}
	case 3:
		times := []moment.Seconds{0, hour, 3 * hour / 2, 2 * hour, 5 * hour / 2, 3 * hour, 8*hour + 1, 22 * hour, day}
		rule.Hours = &pricing.Hours{From: rapid.SampledFrom(times).Draw(t, "from"), To: rapid.SampledFrom(times).Draw(t, "to")}
	}
	lengths := []moment.Seconds{0, 0, 0, hour, 20 * hour, day, 2 * day, 3 * day}
	rule.AtLeast, rule.Below = rapid.SampledFrom(lengths).Draw(t, "at least"), rapid.SampledFrom(lengths).Draw(t, "below")
	switch rapid.IntRange(0, 4).Draw(t, "effect") {
	case 0:
		for range rapid.IntRange(1, 3).Draw(t, "prices") {
			rule.Prices = append(rule.Prices, pricing.ListPrice{Tariff: rapid.Int64Range(1, 5).Draw(t, "tariff"), Price: cents(t, "price", 100_00)})
		}
	case 1:
		rule.Minimum = rapid.SampledFrom(lengths[3:]).Draw(t, "minimum")
	default:
		p := cents(t, "percent", 200_00).Sub(money.Whole(100))
		rule.Percent = &p
	}
	return rule
}

// price takes a rule after the other for each second.
func (s slow) price(t *rapid.T, r pricing.Rules, it pricing.Item) (end time.Time, gross *big.Rat) {
	plus := func(n moment.Seconds) time.Time {
		if n%day == 0 {
			return s.reach(it.Start, 0, int(n/day), 0)
		}
		return it.Start.Add(n.Duration())
	}
	fits := func(rule pricing.Rule) bool {
		return !plus(rule.AtLeast).After(it.End) && (rule.Below == 0 || plus(rule.Below).After(it.End))
	}
	holds := func(rule pricing.Rule, at time.Time) bool {
		w := s.clocks(at)
		if season := rule.Season; season != nil {
			n := func(y int, m time.Month, d int) int {
				if season.Yearly {
					y = 0
				}
				return (y*100+int(m))*100 + d
			}
			first, last := n(season.First.Year, season.First.Month, season.First.Day), n(season.Last.Year, season.Last.Month, season.Last.Day)
			now := n(w.Date())
			if wraps := season.Yearly && last < first; !wraps && (now < first || now > last) || wraps && now < first && now > last {
				return false
			}
		}
		if rule.Weekdays != nil && !slices.Contains(rule.Weekdays, w.Weekday()) {
			return false
		}
		if h := rule.Hours; h != nil {
			now := moment.Seconds(w.Hour()*3600 + w.Minute()*60 + w.Second())
			if over := h.To <= h.From; !over && (now < h.From || now >= h.To) || over && now < h.From && now >= h.To {
				return false
			}
		}
		return true
	}
	end = it.End
	for _, rule := range it.Rules {
		if rule.Minimum > 0 && holds(rule, it.Start) && fits(rule) && plus(rule.Minimum).After(end) {
			end = plus(rule.Minimum)
		}
	}
	it.End = end
	rules := slices.Clone(it.Rules)
	slices.SortFunc(rules, func(a, b pricing.Rule) int {
		if a.Ordering != b.Ordering {
			return int(a.Ordering - b.Ordering)
		}
		return int(a.ID - b.ID)
	})
	of := func(prices []pricing.ListPrice) *big.Rat {
		other := pricing.Item{Start: it.Start, End: it.End}
		for _, o := range it.Offer {
			for _, p := range prices {
				if p.Tariff == o.ID {
					o.Price = p.Price
				}
			}
			other.Offer = append(other.Offer, o)
		}
		p, err := r.Price(other)
		if err != nil {
			t.Fatal(err)
		}
		return big.NewRat(p.Gross.Cents(), 1)
	}
	costs := make([]*big.Rat, len(rules))
	for i, rule := range rules {
		if rule.Prices != nil {
			costs[i] = of(rule.Prices)
		}
	}
	base, n := of(nil), int64(0)
	seen := map[string]*big.Rat{} // what a second costs, by the rules that hold
	gross = new(big.Rat)
	for at := it.Start; at.Before(it.End) || n == 0; at = at.Add(time.Second) {
		n++
		key := make([]byte, len(rules))
		for i, rule := range rules {
			if rule.Minimum == 0 && fits(rule) && holds(rule, at) {
				key[i] = 1
			}
		}
		cost := seen[string(key)]
		if cost == nil {
			cost = base
			if i := slices.IndexFunc(rules, func(rule pricing.Rule) bool {
				return rule.Prices != nil && fits(rule) && holds(rule, at)
			}); i >= 0 {
				cost = costs[i]
			}
			for i, rule := range rules {
				if key[i] == 1 && rule.Percent != nil {
					cost = new(big.Rat).Mul(cost, big.NewRat(100_00+rule.Percent.Cents(), 100_00))
				}
			}
			seen[string(key)] = cost
		}
		gross.Add(gross, cost)
	}
	return end, gross.Quo(gross, big.NewRat(n, 1))
}

// Rules give what they give when each second is priced by itself, and the steps add up.
func TestRulesSecondBySecond(t *testing.T) {
	zones := fourZones(t)
	rapid.Check(t, func(t *rapid.T) {
		s := slow{zone: rapid.SampledFrom(zones).Draw(t, "zone")}
		r := pricing.Rules{Zone: s.zone}
		it := pricing.Item{Offer: drawnOffer(t, []moment.Seconds{0, hour, 12 * hour, day, 3 * day}, 4), Start: nearChanges(t, s.zone)}
		it.Start = it.Start.Add(time.Duration(rapid.Int64Range(0, 4*hour).Draw(t, "start")) * time.Second / 4)
		it.End = it.Start.Add(time.Duration(rapid.Int64Range(0, 3*day*4).Draw(t, "time")) * time.Second / 4)
		for i := range rapid.IntRange(0, 5).Draw(t, "rules") {
			it.Rules = append(it.Rules, drawnRule(t, int64(i+1), it.Start.In(s.zone)))
		}
		p, err := r.Price(it)
		if err != nil {
			t.Fatal(err)
		}
		end, gross := s.price(t, r, it)
		want := gross.Quo(gross, big.NewRat(100, 1)).FloatString(2) // it rounds half away
		if p.Gross.String() != want || !p.End.Equal(end) {
			t.Fatalf("%s until %s, want %s until %s: %q of %+v", p.Gross, p.End, want, end, told(p.Steps), it)
		}
		if sum(p.Steps).Cmp(p.Net) != 0 {
			t.Fatalf("%s by %q", p.Net, told(p.Steps))
		}
	})
}

// A season that is cut in two gives what the whole one gives.
func TestSeasonsSideBySide(t *testing.T) {
	r := pricing.Rules{Zone: load(t, berlin)}
	rapid.Check(t, func(t *rapid.T) {
		it := pricing.Item{Offer: rental(), Start: nearChanges(t, r.Zone)}
		it.End = it.Start.Add(time.Duration(rapid.Int64Range(1, 20*day).Draw(t, "time")) * time.Second)
		season := func(p *money.Amount, from, to int) pricing.Rule {
			date := func(days int) pricing.Date {
				d := it.Start.In(r.Zone).AddDate(0, 0, days)
				return pricing.Date{Year: d.Year(), Month: d.Month(), Day: d.Day()}
			}
			return pricing.Rule{Percent: p, Season: &pricing.Season{First: date(from), Last: date(to)}}
		}
		p, cut := cents(t, "percent", 90_00), rapid.IntRange(0, 20).Draw(t, "cut")
		it.Rules = []pricing.Rule{season(&p, -1, 30)}
		whole, err := r.Price(it)
		if err != nil {
			t.Fatal(err)
		}
		it.Rules = []pricing.Rule{season(&p, -1, cut), season(&p, cut+1, 30)}
		if two, err := r.Price(it); err != nil || two.Gross.Cmp(whole.Gross) != 0 {
			t.Fatalf("%s, %v, in two %s", whole.Gross, err, two.Gross)
		}
	})
}
