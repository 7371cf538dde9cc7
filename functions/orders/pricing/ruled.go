package pricing

import (
	"cmp"
	"math/big"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// least returns until when a line is priced, and a step for the minimum that makes it later than its end.
func (r Rules) least(it Item, rules []Rule) (end time.Time, steps []Step) {
	end = it.End
	var by *Rule
	for i := range rules {
		rule := &rules[i]
		if rule.Minimum <= 0 || !rule.holds(r.wall(it.Start)) || !r.fits(rule, it.Start, it.End) {
			continue
		}
		if until := r.plus(it.Start, rule.Minimum); until.After(end) {
			end, by = until, rule
		}
	}
	if by == nil {
		return end, nil
	}
	return end, []Step{{
		Kind: Minimum, Rule: &by.ID,
		Text: say.PricingUntilMinimum(say.Moment(end.In(cmp.Or(r.Zone, time.UTC))), inWords(by.Minimum), by.Name),
	}}
}

// apply changes the gross of a line by its price lists and percentages. Each has its share of the seconds that are priced, at least
// one. What a share costs stays exact; only totals are rounded, and a step is the difference of two.
func (r Rules) apply(it Item, rules []Rule, gross money.Amount) (total money.Amount, steps []Step, err error) {
	var fit []Rule
	for _, rule := range rules {
		if rule.Minimum <= 0 && (rule.Percent != nil || len(rule.Prices) > 0) && r.fits(&rule, it.Start, it.End) {
			fit = append(fit, rule)
		}
	}
	if len(fit) == 0 {
		return gross, nil, nil
	}
	elapsed := max(seconds(it.Start, it.End), 1)
	from := it.Start.Unix()
	t := tally{shares: r.shares(fit, from, from+int64(elapsed)), of: big.NewInt(int64(elapsed)), total: gross}
	for _, s := range t.shares {
		t.costs = append(t.costs, product(gross.Cents(), s.seconds))
	}
	listed := make([]bool, len(t.shares))
	for i, rule := range fit {
		held := t.held(i, listed)
		if len(rule.Prices) == 0 || held == 0 {
			continue
		}
		_, by, err := r.cost(it.listed(rule.Prices))
		if err != nil {
			return total, nil, err
		}
		for j, s := range t.shares {
			if s.holds[i] != 0 && !listed[j] {
				listed[j] = true
				t.costs[j] = product(by.Cents(), s.seconds)
			}
		}
		text := say.PricingAtList(timeOf(held, elapsed), rule.Name)
		if err := t.step(Step{Kind: PriceList, Text: text, Rule: &rule.ID}); err != nil {
			return total, nil, err
		}
	}
	for i, rule := range fit {
		held := t.held(i, nil)
		if rule.Percent == nil || len(rule.Prices) > 0 || held == 0 {
			continue
		}
		t.percent(i, *rule.Percent)
		text := say.PricingInRule(timeOf(held, elapsed), rule.Name, signed(*rule.Percent))
		if err := t.step(Step{Kind: PriceRule, Text: text, Rule: &rule.ID, Percent: rule.Percent}); err != nil {
			return total, nil, err
		}
	}
	return t.total, t.steps, nil
}

// listed is a line whose tariffs have the prices of a list, where it has them.
func (it Item) listed(prices []ListPrice) Item {
	of := map[int64]money.Amount{}
	for _, p := range prices {
		of[p.Tariff] = p.Price
	}
	if price, ok := of[it.Tariff]; ok && it.Tariff != 0 {
		it.Price = price
	}
	offer := it.Offer
	it.Offer = nil
	for _, t := range offer {
		if price, ok := of[t.ID]; ok {
			t.Price = price
		}
		it.Offer = append(it.Offer, t)
	}
	return it
}

// tally is what a rental costs while its rules are taken one after the other.
type tally struct {
	shares []share
	costs  []*big.Int // of the shares, in cents times of
	of     *big.Int
	total  money.Amount
	steps  []Step
}

// held is the time for which a rule holds. It leaves out some shares.
func (t *tally) held(rule int, but []bool) (n moment.Seconds) {
	for j, s := range t.shares {
		if s.holds[rule] != 0 && (but == nil || !but[j]) {
			n += moment.Seconds(s.seconds)
		}
	}
	return n
}

// percent adds a percentage to the shares in which a rule holds.
func (t *tally) percent(rule int, percent money.Amount) {
	const hundred = 100_00 // percent, as amounts have them
	plain, changed := big.NewInt(hundred), big.NewInt(hundred+percent.Cents())
	for j, s := range t.shares {
		if s.holds[rule] != 0 {
			t.costs[j].Mul(t.costs[j], changed)
		} else {
			t.costs[j].Mul(t.costs[j], plain)
		}
	}
	t.of.Mul(t.of, plain)
}

// step adds a step, which makes the total what the shares cost.
func (t *tally) step(s Step) error {
	sum := new(big.Int)
	for _, c := range t.costs {
		sum.Add(sum, c)
	}
	rounded := halfAway(sum, t.of)
	if rounded.CmpAbs(big.NewInt(mostCents)) > 0 {
		return money.ErrDigits
	}
	now := money.FromCents(rounded.Int64())
	s.Amount, t.total = now.Sub(t.total), now
	t.steps = append(t.steps, s)
	return nil
}

// halfAway is a ratio, rounded half away from zero.
func halfAway(n, of *big.Int) *big.Int {
	twice := new(big.Int).Lsh(new(big.Int).Abs(n), 1)
	q := twice.Add(twice, of)
	q.Quo(q, new(big.Int).Lsh(of, 1))
	if n.Sign() < 0 {
		q.Neg(q)
	}
	return q
}

func product(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// timeOf says which part of a time another one is: in days if both are whole days.
func timeOf(part, all moment.Seconds) say.Message {
	const hour = 3600
	switch {
	case part%Day == 0 && all%Day == 0:
		return say.TimeDaysOf(int64(part/Day), int64(all/Day))
	case part%hour == 0 && all%hour == 0:
		return say.TimeHoursOf(int64(part/hour), int64(all/hour))
	}
	return say.TimePartOf(inWords(part), inWords(all))
}

// signed is a percentage with its sign.
func signed(p money.Amount) string {
	if p.IsNegative() {
		return percentText(p)
	}
	return "+" + percentText(p)
}
