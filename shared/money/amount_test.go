package money_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/money"
)

func TestParseAmount(t *testing.T) {
	for _, c := range []struct {
		in, want string
		err      error // nil or a Refusal
	}{
		{"5", "5.00", nil},
		{"5.", "5.00", nil},
		{".5", "0.50", nil},
		{"-.5", "-0.50", nil},
		{"-5.", "-5.00", nil},
		{"0", "0.00", nil},
		{"-0", "0.00", nil},
		{"-0.00", "0.00", nil},
		{"007", "7.00", nil},
		{"10.50", "10.50", nil},
		{"99999999999999.99", "99999999999999.99", nil},
		{"-99999999999999.99", "-99999999999999.99", nil},

		{"", "", money.ErrNumber},
		{".", "", money.ErrNumber},
		{"-", "", money.ErrNumber},
		{"-.", "", money.ErrNumber},
		{"--5", "", money.ErrNumber},
		{"+5", "", money.ErrNumber},
		{"5-", "", money.ErrNumber},
		{"1.2.3", "", money.ErrNumber},
		{"1,5", "", money.ErrNumber},
		{"1_000", "", money.ErrNumber},
		{" 5", "", money.ErrNumber},
		{"٥", "", money.ErrNumber},
		{"0x10", "", money.ErrNumber},
		{"1e2", "", money.ErrNumber},
		{"1E2", "", money.ErrNumber},
		{"1e999999999", "", money.ErrNumber},
		{"1e-999999999", "", money.ErrNumber},
		{"NaN", "", money.ErrNumber},
		{"sNaN", "", money.ErrNumber},
		{"Infinity", "", money.ErrNumber},
		{"-inf", "", money.ErrNumber},

		{"1.500", "", money.ErrDecimals},
		{"0.001", "", money.ErrDecimals},
		{"100000000000000", "", money.ErrDigits},
		{"-100000000000000.5", "", money.ErrDigits},
		{strings.Repeat("9", 1<<20), "", money.ErrDigits},
	} {
		got, err := money.ParseAmount(c.in)
		if !errors.Is(err, c.err) {
			t.Errorf("%.40q: %v, want %v", c.in, err, c.err)
		}
		if err == nil && got.String() != c.want {
			t.Errorf("%q is %s, want %s", c.in, got, c.want)
		}
	}
}

func parse(t *testing.T, s string) money.Amount {
	t.Helper()
	a, err := money.ParseAmount(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return a
}

func TestArithmetic(t *testing.T) {
	sum := money.Amount{}
	for range 10 {
		sum = sum.Add(parse(t, "0.10"))
	}
	if sum.Cmp(money.Whole(1)) != 0 {
		t.Errorf("ten times 0.10 is %s", sum)
	}
	less := parse(t, "0.30").Sub(parse(t, "0.40"))
	if less.String() != "-0.10" || !less.IsNegative() || less.IsZero() {
		t.Errorf("0.30 less 0.40 is %s", less)
	}
	if zero := less.Add(parse(t, "0.1")); !zero.IsZero() || zero.IsNegative() || zero.String() != "0.00" {
		t.Errorf("nothing is %s", zero)
	}
	if less.Cmp(sum) != -1 || sum.Cmp(less) != 1 || parse(t, "5").Cmp(parse(t, "5.00")) != 0 {
		t.Error("Cmp")
	}
}

func TestJSON(t *testing.T) {
	five := parse(t, "5")
	got, err := json.Marshal(map[string]any{"zero": money.Amount{}, "five": five, "pointer": &five, "none": (*money.Amount)(nil)})
	if want := `{"five":"5.00","none":null,"pointer":"5.00","zero":"0.00"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestTable(t *testing.T) {
	type item struct {
		A money.Amount  `dynamo:"a"`
		P *money.Amount `dynamo:"p"`
		N *money.Amount `dynamo:"n"`
	}
	price := parse(t, "-10.5")
	stored, err := dynamo.MarshalItem(item{P: &price})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "0.00", "p": "-10.50"} {
		if n, ok := stored[name].(*types.AttributeValueMemberN); !ok || n.Value != want {
			t.Errorf("%s is stored as %#v", name, stored[name])
		}
	}
	if len(stored) != 2 {
		t.Errorf("stored %v", stored)
	}
	var back item
	if err := dynamo.UnmarshalItem(stored, &back); err != nil || back.P.Cmp(price) != 0 || !back.A.IsZero() || back.N != nil {
		t.Errorf("got %+v, %v", back, err)
	}
	for in, want := range map[string]string{
		"5": "5.00", "12345678901234567890.1": "12345678901234567890.10", "1E+2": "100.00", "5.000": "5.00",
		"5.001": "", "1E-3": "", "x": "", "": "",
	} {
		var a money.Amount
		err := a.UnmarshalDynamo(&types.AttributeValueMemberN{Value: in})
		if (err == nil) != (want != "") || err == nil && a.String() != want {
			t.Errorf("%q: %s, %v", in, a, err)
		}
	}
	var a money.Amount
	if err := a.UnmarshalDynamo(&types.AttributeValueMemberS{Value: "5"}); err == nil {
		t.Error("a text is an amount")
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, seed := range []string{"5", "-.5", "5.", "1e9", "00.10", "99999999999999.99", "-0", ".", "NaN"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := money.ParseAmount(s)
		if err != nil {
			return
		}
		again, err := money.ParseAmount(a.String())
		if err != nil || again.Cmp(a) != 0 || again.String() != a.String() {
			t.Errorf("%q is %s, which is %s, %v", s, a, again, err)
		}
	})
}
