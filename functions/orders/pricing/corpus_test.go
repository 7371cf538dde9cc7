package pricing_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// referenceVariable names the environment variable with the path of the reference. Where it is set, the reference is asked for
// other cases than the recorded ones, too.
const referenceVariable = "PRICING_REFERENCE"

// recorded is what testdata/corpus.py writes.
type recorded struct {
	Companies []tuple `json:"companies"`
	Cases     []tuple `json:"cases"`
}

// tuple is an array whose elements are of several types.
type tuple []json.RawMessage

// read reads the first elements into variables.
func (u tuple) read(t testing.TB, into ...any) {
	t.Helper()
	for i, v := range into {
		if err := json.Unmarshal(u[i], v); err != nil {
			t.Fatalf("%s: %v", u, err)
		}
	}
}

// recordedRule is a rule of a case. Prices are cents, days are numbers such as 20260321, and weekdays begin on Monday.
type recordedRule struct {
	ID       int64            `json:"i"`
	Ordering int64            `json:"o"`
	Weekdays []int            `json:"w"`
	Hours    []moment.Seconds `json:"h"`
	AtLeast  moment.Seconds   `json:"a"`
	Below    moment.Seconds   `json:"b"`
	Prices   [][2]int64       `json:"l"`
	Minimum  moment.Seconds   `json:"m"`
	Season   []int            `json:"s"`
	Yearly   []int            `json:"y"`
	Percent  *int64           `json:"p"`
}

func (of recordedRule) rule() pricing.Rule {
	r := pricing.Rule{ID: of.ID, Ordering: of.Ordering, AtLeast: of.AtLeast, Below: of.Below, Minimum: of.Minimum}
	if of.Percent != nil {
		p := money.FromCents(*of.Percent)
		r.Percent = &p
	}
	for _, p := range of.Prices {
		r.Prices = append(r.Prices, pricing.ListPrice{Tariff: p[0], Price: money.FromCents(p[1])})
	}
	for _, d := range of.Weekdays {
		r.Weekdays = append(r.Weekdays, time.Weekday((d+1)%7))
	}
	if of.Hours != nil {
		r.Hours = &pricing.Hours{From: of.Hours[0], To: of.Hours[1]}
	}
	date := func(n int) pricing.Date {
		return pricing.Date{Year: n / 10000, Month: time.Month(n / 100 % 100), Day: n % 100}
	}
	if of.Season != nil {
		r.Season = &pricing.Season{First: date(of.Season[0]), Last: date(of.Season[1])}
	}
	if of.Yearly != nil {
		r.Season = &pricing.Season{First: date(of.Yearly[0]), Last: date(of.Yearly[1]), Yearly: true}
	}
	return r
}

func (c recorded) company(t testing.TB, at int) (r pricing.Rules) {
	var zone string
	var calendar, byTariffs int
	var percent, most int64
	c.Companies[at].read(t, &zone, &calendar, &r.LateGrace, &r.LateStep, &byTariffs, &percent, &most)
	r.Zone, r.CalendarMonths, r.LateByTariffs, r.LatePercent = load(t, zone), calendar != 0, byTariffs != 0, &percent
	if most >= 0 {
		a := money.FromCents(most)
		r.LateDayCap = &a
	}
	return r
}

// told is what is compared of a price, as the corpus has it: gross, parts, seconds that are priced, what the tariffs cost, what price
// lists add, what each percentage adds, the tariff that is shown, and the fee.
func compared(t testing.TB, r pricing.Rules, it pricing.Item, back time.Time) string {
	p, err := r.Price(it)
	if err != nil {
		t.Fatal(err)
	}
	units := [][2]int64{}
	for _, part := range p.Parts {
		units = append(units, [2]int64{part.ID, part.Units})
	}
	shown := it.Tariff
	if len(p.Parts) == 0 {
		units = append(units, [2]int64{it.Tariff, p.Units})
	} else {
		shown, it.Terms = p.Parts[0].ID, p.Parts[0].Terms
	}
	slices.SortFunc(units, func(a, b [2]int64) int { return int(a[0] - b[0]) })
	var tariffs, lists int64
	rules := []int64{}
	for _, s := range p.Steps {
		switch s.Kind {
		case pricing.Tariff:
			tariffs += s.Amount.Cents()
		case pricing.PriceList:
			lists += s.Amount.Cents()
		case pricing.PriceRule:
			rules = append(rules, s.Amount.Cents())
		}
	}
	fee, err := r.LateFee(it, back)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal([]any{p.Gross.Cents(), units, p.End.Unix() - it.Start.Unix(), tariffs, lists, rules, shown, fee.Cents()})
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func (c recorded) compare(t *testing.T) {
	for i, row := range c.Cases {
		var at int
		var offer []tuple
		var named, start, lasts, late int64
		var rules []recordedRule
		row.read(t, &at, &offer, &named, &rules, &start, &lasts, &late)
		r := c.company(t, at)
		it := pricing.Item{Start: time.Unix(start, 0), End: time.Unix(start+lasts, 0)}
		for _, of := range offer {
			o, price := pricing.Offered{}, int64(0)
			of.read(t, &o.ID, &price, &o.Duration)
			o.Price, o.Once = money.FromCents(price), len(of) > 3
			if it.Offer = append(it.Offer, o); o.ID == named {
				it.Tariff, it.Terms = o.ID, o.Terms
			}
		}
		if named != 0 {
			it.Offer = nil
		}
		for _, of := range rules {
			it.Rules = append(it.Rules, of.rule())
		}
		if got := compared(t, r, it, time.Unix(start+late, 0)); got != string(row[7]) {
			t.Errorf("case %d: got %s\nwant %s: %s", i, got, row[7], row)
		}
	}
}

func parseCorpus(t *testing.T, data []byte) (c recorded) {
	t.Helper()
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The package prices each recorded case as the reference did. Where PRICING_REFERENCE names the reference, it is asked for new cases too.
func TestCorpus(t *testing.T) {
	data, err := os.ReadFile("testdata/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	c := parseCorpus(t, data)
	if len(c.Cases) < 2000 {
		t.Errorf("the corpus has %d cases", len(c.Cases))
	}
	c.compare(t)
	reference := os.Getenv(referenceVariable)
	if reference == "" {
		return
	}
	seed := strconv.FormatInt(time.Now().Unix(), 10)
	data, err = exec.CommandContext(t.Context(), "python3", "testdata/corpus.py", reference, "500", seed).Output()
	if err != nil {
		t.Fatal(fmt.Errorf("the reference, seed %s: %w", seed, err))
	}
	t.Logf("live cases of seed %s", seed)
	parseCorpus(t, data).compare(t)
}
