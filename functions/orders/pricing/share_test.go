package pricing_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/money"
)

// shares are the items of a rental that was swapped at some moments.
func shares(at ...time.Time) (list []pricing.Share) {
	var from time.Time
	for _, until := range append(at, time.Time{}) {
		list = append(list, pricing.Share{From: from, Until: until})
		from = until
	}
	return list
}

// Golden rows 23 and 24: the parts of a rental that was swapped after 10 days.
func TestShares(t *testing.T) {
	start := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	after := func(days int) time.Time { return start.AddDate(0, 0, days) }
	up := []pricing.Offered{offered(5, 20000, day), offered(6, 450000, month)}
	for _, tt := range []struct {
		name  string
		days  int
		offer []pricing.Offered
		part  int
		want  string
	}{
		{"31 days, the first item", 31, rental(), 0, "111290.32"},
		{"31 days, the second one", 31, rental(), 1, "233709.68"},
		{"two days more, the first item", 33, rental(), 0, "113636.36"},
		{"two days more, the second one", 33, rental(), 1, "261363.64"},
		{"30 days, the first item", 30, rental(), 0, "110000.00"},
		{"30 days, the second one at its own price", 30, up, 1, "300000.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			share := shares(after(10))[tt.part]
			p, err := pricing.Rules{}.Price(pricing.Item{Offer: tt.offer, Start: start, End: after(tt.days), Share: &share})
			if err != nil || p.Gross.String() != tt.want || p.Net.String() != tt.want {
				t.Errorf("%s, %s, %v; want %s", p.Gross, p.Net, err, tt.want)
			}
			sum := money.Amount{}
			for _, s := range p.Steps {
				sum = sum.Add(s.Amount)
			}
			if sum.Cmp(p.Net) != 0 {
				t.Errorf("the steps add up to %s, not to %s: %+v", sum, p.Net, p.Steps)
			}
		})
	}
}

// The parts of a rental add up to what all of it costs, and each costs what a spread by seconds gives it, whatever rules and discounts
// there are. A swap before the priced time begins, or after it ends, leaves nothing for what lies outside.
func TestSharesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2026, 3, 18, 7, 0, 0, 0, time.UTC)
	for range 2000 {
		it := pricing.Item{
			Offer: rental(), Rules: []pricing.Rule{nauryz(), long(-20)}, Start: start, End: start.Add(time.Duration(1+r.IntN(3_000_000)) * time.Second),
			Discount: pricing.Discount{Percent: percent(r.Int64N(100))}, Additional: money.FromCents(r.Int64N(500_000)),
		}
		whole, err := pricing.Rules{}.Price(it)
		if err != nil {
			t.Fatal(err)
		}
		var at []time.Time
		next := start.Add(-time.Hour)
		for range r.IntN(5) {
			next = next.Add(time.Duration(r.IntN(1_000_000)) * time.Second)
			at = append(at, next)
		}
		var weights []money.Amount
		gross, discount := money.Amount{}, money.Amount{}
		var got []money.Amount
		for _, share := range shares(at...) {
			it.Share = &share
			p, err := pricing.Rules{}.Price(it)
			if err != nil {
				t.Fatal(err)
			}
			from, until := share.Within(it.Start, it.End)
			weights = append(weights, money.Whole(int64(until.Sub(from)/time.Second)))
			got, gross, discount = append(got, p.Gross), gross.Add(p.Gross), discount.Add(p.Discount)
		}
		if gross.Cmp(whole.Gross) != 0 || discount.Cmp(whole.Discount) != 0 {
			t.Fatalf("%v of %s: %s less %s, want %s less %s", at, it.End, gross, discount, whole.Gross, whole.Discount)
		}
		for i, want := range whole.Gross.Spread(weights...) {
			if got[i].Cmp(want) != 0 {
				t.Fatalf("part %d of %v until %s: %s, want %s", i, at, it.End, got[i], want)
			}
		}
	}
}

// A late fee of the last item is charged in full, because only prices are shared.
func TestLatenessIsNotShared(t *testing.T) {
	start := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	it := pricing.Item{Offer: rental(), Start: start, End: start.AddDate(0, 0, 30)}
	rules := pricing.Rules{LateByTariffs: true}
	whole, err := rules.LateFee(it, start.AddDate(0, 0, 33))
	if err != nil || whole.String() != "45000.00" {
		t.Fatal(whole, err)
	}
	it.Share = &pricing.Share{From: start.AddDate(0, 0, 10)}
	if part, err := rules.LateFee(it, start.AddDate(0, 0, 33)); err != nil || part.Cmp(whole) != 0 {
		t.Errorf("%s, %v; want %s", part, err, whole)
	}
}
