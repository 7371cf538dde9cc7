package sheets

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
)

// in is an import of a company whose amounts are in a currency.
func in(currency string) *attempt[*record.Meta, any] {
	return &attempt[*record.Meta, any]{service: &service[*record.Meta]{currency: func(context.Context, *record.Work) (string, error) { return currency, nil }}}
}

func TestAmounts(t *testing.T) {
	const dollars = "The amount is in $, and the company's amounts are in KZT."
	for _, tt := range []struct{ in, want, wrong string }{
		{"9000000", "9000000", ""},
		{"9E+06", "9000000", ""},
		{"-5", "-5", ""},
		{"−5", "-5", ""},
		{"0", "0", ""},
		{"1.5", "1.5", ""},
		{"1,5", "1.5", ""},
		// Thousands apart: by a space, one that does not break, a narrow one, a thin one, and by apostrophes.
		{"9 000 000,50 ₸", "9000000.50", ""},
		{"9\u00a0000\u00a0000,50\u00a0₸", "9000000.50", ""},
		{"9\u202f000\u202f000,50", "9000000.50", ""},
		{"9\u2009000\u2009000.50", "9000000.50", ""},
		{"9'000'000.50", "9000000.50", ""},
		{"9’000’000", "9000000", ""},
		{"- 9 000 ₸", "-9000", ""},
		// Both a point and a comma: the last one is before the hundredths. One that is repeated is between thousands.
		{"1.234,56", "1234.56", ""},
		{"1,234.56", "1234.56", ""},
		{"1.234.567", "1234567", ""},
		{"1,234,567", "1234567", ""},
		{"1,234,567.8", "1234567.8", ""},
		{"1.234.567,8", "1234567.8", ""},
		// Nobody knows whether these are thousands. With a zero before them they are not, and neither are four digits or more.
		{"1,234", "1,234", say.SheetAmountUnclear.Error()},
		{"123.456", "123.456", say.SheetAmountUnclear.Error()},
		{"-1.234 ₸", "-1.234 ₸", say.SheetAmountUnclear.Error()},
		{"0,123", "0.123", ""},
		{"1234,567", "1234.567", ""},
		{"1 234,567", "1234.567", ""},
		// The currency, before or behind the amount.
		{"₸9 000", "9000", ""},
		{"-₸5", "-5", ""},
		{"KZT 5", "5", ""},
		{"5kzt", "5", ""},
		{"5 тг.", "5", ""},
		{"5 тенге", "5", ""},
		{"5 Тг", "5", ""},
		{"$5", "$5", dollars},
		{"-5 $", "-5 $", dollars},
		{"5 €", "5 €", "The amount is in €, and the company's amounts are in KZT."},
		{"5 USD", "5 USD", "The amount is in USD, and the company's amounts are in KZT."},
		{"5 руб.", "5 руб.", "The amount is in руб., and the company's amounts are in KZT."},
		// These are no amounts; the field refuses them.
		{"", "", ""},
		{"five", "five", ""},
		{"₸", "₸", ""},
		{"5 kg", "5 kg", ""},
		{"₸5₸", "₸5₸", ""},
		{"10 00", "10 00", ""},
		{"1 2345", "1 2345", ""},
		{"1.23.456", "1.23.456", ""},
		{"1,234.567.890", "1,234.567.890", ""},
		{"1 234.567,8", "1 234.567,8", ""},
		{"12,34,567", "12,34,567", ""},
		{"1..2", "1..2", ""},
		{"5 6 ₸", "5 6 ₸", ""},
		{"1-2", "1-2", ""},
		{".5", ".5", ""},
		{"5.", "5", ""},
	} {
		got, wrong, err := in("KZT").amount(t.Context(), tt.in, "", true)
		if got != tt.want || wrong.Error() != tt.wrong || err != nil {
			t.Errorf("%q is %q, want %q; wrong %q, want %q (%v)", tt.in, got, tt.want, wrong, tt.wrong, err)
		}
	}
}

// What holds no money may have thousandths, and its currency counts only if it is written.
func TestAmountsThatAreNoMoney(t *testing.T) {
	for _, tt := range []struct{ in, beside, want, wrong string }{
		{"1,234", "", "1.234", ""},
		{"5", "$", "5", ""},
		{"5 ₸", "", "5", ""},
		{"1 000,5", "", "1000.5", ""},
		{"$5", "", "$5", "The amount is in $, and the company's amounts are in KZT."},
	} {
		if got, wrong, _ := in("KZT").amount(t.Context(), tt.in, tt.beside, false); got != tt.want || wrong.Error() != tt.wrong {
			t.Errorf("%q is %q, want %q; wrong %q", tt.in, got, tt.want, wrong)
		}
	}
}

// A number whose cell shows a currency is in that one. Other texts beside a number mean nothing.
func TestCurrencyOfTheCell(t *testing.T) {
	for _, tt := range []struct{ currency, beside, wrong string }{
		{"KZT", "", ""},
		{"KZT", "₸", ""},
		{"KZT", "дней", ""},
		{"USD", "$", ""},
		{"CAD", "$", ""},
		{"USD", "US$", ""},
		{"NOK", "NOK", ""},
		{"KZT", "$", "The amount is in $, and the company's amounts are in KZT."},
		{"EUR", "₸", "The amount is in ₸, and the company's amounts are in EUR."},
	} {
		if got, wrong, _ := in(tt.currency).amount(t.Context(), "5", tt.beside, true); wrong.Error() != tt.wrong || wrong == "" && got != "5" {
			t.Errorf("%s, beside %q: %q, want %q", tt.currency, tt.beside, wrong, tt.wrong)
		}
	}
	if got, wrong, _ := (&attempt[*record.Meta, any]{service: &service[*record.Meta]{}}).amount(t.Context(), "5 ₸", "", true); got != "5 ₸" || wrong != "" {
		t.Errorf("where the currency is not known: %q %q", got, wrong)
	}
}

func TestSignsInHeaders(t *testing.T) {
	for title, want := range map[string][2]string{
		"Цена, ₸": {"Цена", "₸"}, "Price (KZT)": {"Price", "KZT"}, "Цена покупки [тг.]": {"Цена покупки", "тг."}, "Price $": {"Price", "$"}, "Цена/руб": {"Цена", "руб"},
		"Price": {"Price", ""}, "Buy price": {"Buy price", ""}, "$": {"$", ""}, "": {"", ""}, "Price (pcs)": {"Price (pcs", ""},
	} {
		if rest, sign := headerSign(title); rest != want[0] || sign != want[1] {
			t.Errorf("%q: %q and %q", title, rest, sign)
		}
	}
}
