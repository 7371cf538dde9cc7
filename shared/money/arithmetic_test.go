package money_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/shared/money"
)

func TestComputed(t *testing.T) {
	a := func(s string) money.Amount { return parse(t, s) }
	for _, tt := range []struct {
		name string
		do   func() (money.Amount, error)
		want string
	}{
		{"5000 a day for 25 hours", func() (money.Amount, error) { return a("5000").Times(2) }, "10000.00"},
		{"3000 a day, late by 5.5 h, 1 h of grace, steps of 1 h", func() (money.Amount, error) { return a("3000").Ratio(4, 24) }, "500.00"},
		{"no step late", func() (money.Amount, error) { return a("3000").Ratio(0, 24) }, "0.00"},
		{"2.5 litres", func() (money.Amount, error) { return a("399.99").By(a("2.5")) }, "999.98"},
		{"half a cent of an amount by a count", func() (money.Amount, error) { return a("-0.05").By(a("0.10")) }, "-0.01"},
		{"an amount by too many", func() (money.Amount, error) { return a("10000000").By(a("10000000")) }, ""},
		{"half a cent goes up", func() (money.Amount, error) { return a("0.01").Ratio(1, 2) }, "0.01"},
		{"half a cent goes away from zero", func() (money.Amount, error) { return a("-0.01").Ratio(1, 2) }, "-0.01"},
		{"less than half a cent goes", func() (money.Amount, error) { return a("1.00").Ratio(1, 300) }, "0.00"},
		{"a third", func() (money.Amount, error) { return a("100").Ratio(1, 3) }, "33.33"},
		{"two thirds", func() (money.Amount, error) { return a("100").Ratio(2, 3) }, "66.67"},
		{"12 percent added", func() (money.Amount, error) { return a("100.04").Percent(a("12")) }, "12.00"},
		{"12.5 percent", func() (money.Amount, error) { return a("0.20").Percent(a("12.5")) }, "0.03"},
		{"12 percent inside", func() (money.Amount, error) { return a("112").PercentWithin(a("12")) }, "12.00"},
		{"12 percent inside, rounded", func() (money.Amount, error) { return a("100").PercentWithin(a("12")) }, "10.71"},
		{"no percent inside", func() (money.Amount, error) { return a("100").PercentWithin(a("0")) }, "0.00"},
		{"a debt", func() (money.Amount, error) { return a("-5.50").Times(3) }, "-16.50"},
		{"the largest", func() (money.Amount, error) { return a("33333333333333.33").Times(3) }, "99999999999999.99"},
		{"one more", func() (money.Amount, error) { return a("50000000000000").Times(2) }, ""},
		{"one less than the least", func() (money.Amount, error) { return a("50000000000000").Times(-2) }, ""},
		{"too many percent", func() (money.Amount, error) { return money.Most().Percent(a("101")) }, ""},
		{"up to one too many", func() (money.Amount, error) { return money.Most().Ratio(1_000_000_000_000_000, 999_999_999_999_999) }, ""},
		{"a sum", func() (money.Amount, error) { return money.Total(a("1.10"), a("2.20"), a("-0.30")) }, "3.00"},
		{"a sum of nothing", func() (money.Amount, error) { return money.Total() }, "0.00"},
		{"a sum of too much", func() (money.Amount, error) { return money.Total(money.Most(), a("0.01")) }, ""},
		{"the other sign", func() (money.Amount, error) { return a("1.10").Neg(), nil }, "-1.10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.do()
			if refused := errors.Is(err, money.ErrDigits); refused != (tt.want == "") || err != nil && !refused ||
				err == nil && got.String() != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		name, total string
		weights     []string
		want        string
	}{
		{"evenly", "100", []string{"1", "1"}, "[50.00 50.00]"},
		{"a cent over", "100", []string{"1", "1", "1"}, "[33.33 33.34 33.33]"},
		{"a cent for three", "0.01", []string{"1", "1", "1"}, "[0.00 0.01 0.00]"},
		{"by prices", "10", []string{"300", "0", "700.50"}, "[3.00 0.00 7.00]"},
		{"back", "-100", []string{"1", "1", "1"}, "[-33.33 -33.34 -33.33]"},
		{"weights of nothing", "1", []string{"0", "0", "0"}, "[0.33 0.34 0.33]"},
		{"nothing", "0", []string{"1", "2"}, "[0.00 0.00]"},
		{"to nobody", "1", nil, "[]"},
		{"to one", "1.23", []string{"0.01"}, "[1.23]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var weights []money.Amount
			for _, w := range tt.weights {
				weights = append(weights, parse(t, w))
			}
			if got := fmt.Sprint(parse(t, tt.total).Spread(weights...)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// cents makes an amount of a number of cents.
func cents(t *rapid.T, label string, least, most int64) (money.Amount, *big.Int) {
	n := rapid.Int64Range(least, most).Draw(t, label)
	a, err := money.Whole(n).Ratio(1, 100)
	if err != nil {
		t.Fatal(err)
	}
	return a, big.NewInt(n)
}

const mostCents = 99_999_999_999_999

// No cent is lost or made, and no part has another sign than what is spread, nor
// one that has no weight anything.
func TestSpreadingKeepsEveryCent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, n := cents(t, "total", -mostCents, mostCents)
		weights, weighty := make([]money.Amount, rapid.IntRange(1, 30).Draw(t, "parts")), false
		for i := range weights {
			weights[i], _ = cents(t, "weight", 0, rapid.SampledFrom([]int64{0, 3, mostCents}).Draw(t, "size"))
			weighty = weighty || !weights[i].IsZero()
		}
		parts := total.Spread(weights...)
		sum := money.Amount{}
		for i, p := range parts {
			sum = sum.Add(p)
			if p.Cmp(money.Amount{})*n.Sign() < 0 {
				t.Fatalf("part %d of %s is %s", i, total, p)
			}
			if weighty && weights[i].IsZero() && !p.IsZero() {
				t.Fatalf("part %d of no weight is %s", i, p)
			}
		}
		if sum.Cmp(total) != 0 {
			t.Fatalf("%s is spread to %s, %v", total, sum, parts)
		}
	})
}

// Ratio is what exact arithmetic says, rounded half away from zero.
func TestRatioIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, c := cents(t, "amount", -mostCents, mostCents)
		n, of := rapid.Int64Range(-1_000_000, 1_000_000).Draw(t, "n"), rapid.Int64Range(1, 1_000_000).Draw(t, "of")
		got, err := a.Ratio(n, of)
		exact := new(big.Int).Mul(c, big.NewInt(n))
		twice := new(big.Int).Abs(exact)
		twice.Mul(twice, big.NewInt(2)).Add(twice, big.NewInt(of)).Quo(twice, big.NewInt(2*of)) // |x|/of + 1/2, cut
		if exact.Sign() < 0 {
			twice.Neg(twice)
		}
		if tooLarge := new(big.Int).Abs(twice).Cmp(big.NewInt(9_999_999_999_999_999)) > 0; tooLarge != (err != nil) {
			t.Fatalf("%s × %d / %d: %v", a, n, of, err)
		} else if tooLarge {
			return
		}
		want, err := money.ParseAmount(text(twice))
		if err != nil || got.Cmp(want) != 0 {
			t.Fatalf("%s × %d / %d is %s, want %s, %v", a, n, of, got, want, err)
		}
	})
}

// text is a number of cents as an amount.
func text(cents *big.Int) string {
	sign := ""
	if cents.Sign() < 0 {
		sign = "-"
	}
	whole, rest := new(big.Int).QuoRem(new(big.Int).Abs(cents), big.NewInt(100), new(big.Int))
	return fmt.Sprintf("%s%s.%02d", sign, whole, rest.Int64())
}

func TestMistakesInArithmetic(t *testing.T) {
	for name, do := range map[string]func(){
		"a ratio of zero":   func() { _, _ = money.Whole(1).Ratio(1, 0) },
		"a ratio of less":   func() { _, _ = money.Whole(1).Ratio(1, -1) },
		"a negative weight": func() { money.Whole(1).Spread(money.Whole(-1)) },
		"a negative tax":    func() { _, _ = money.Whole(1).PercentWithin(money.Whole(-100)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			do()
		})
	}
}

// Two parts of amounts are compared as they are, and not as they are rounded.
func TestRatiosAreCompared(t *testing.T) {
	amount := func(s string) money.Amount {
		a, err := money.ParseAmount(s)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, tt := range []struct {
		a, of, b, bOf string
		want          int
	}{
		{"1", "3", "2", "6", 0},
		{"1", "3", "0.33", "1", 1},
		{"-1", "3", "0", "1", -1},
		{"20", "100", "199999999999.99", "999999999999.99", 1},
		{"99999999999999.99", "99999999999999.98", "99999999999999.98", "99999999999999.97", -1},
	} {
		if got := money.CmpRatios(amount(tt.a), amount(tt.of), amount(tt.b), amount(tt.bOf)); got != tt.want {
			t.Errorf("%s/%s is %d to %s/%s, want %d", tt.a, tt.of, got, tt.b, tt.bOf, tt.want)
		}
	}
}
