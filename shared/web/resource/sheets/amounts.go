package sheets

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
)

// This file reads amounts as people write them: with spaces between thousands, a comma, and the
// sign of a currency.

// currencies are the currencies that a sign or a word in sheets may stand for. A code stands
// for itself; that of the company does so even if it is not here.
var currencies = map[string]string{
	"₸": "KZT", "тг": "KZT", "тнг": "KZT", "тенге": "KZT", "теңге": "KZT", "tenge": "KZT", "kzt": "KZT",
	"$": "USD AUD CAD HKD NZD SGD", "us$": "USD", "доллар": "USD", "долларов": "USD", "долл": "USD", "usd": "USD",
	"€": "EUR", "евро": "EUR", "euro": "EUR", "eur": "EUR",
	"₽": "RUB", "руб": "RUB", "рублей": "RUB", "рубль": "RUB", "р": "RUB", "rub": "RUB",
	"£": "GBP", "gbp": "GBP", "¥": "CNY JPY", "юань": "CNY", "юаней": "CNY", "cny": "CNY", "rmb": "CNY", "jpy": "JPY", "chf": "CHF",
	"сом": "KGS", "kgs": "KGS", "сум": "UZS", "сўм": "UZS", "uzs": "UZS", "tjs": "TJS", "tmt": "TMT", "₼": "AZN", "azn": "AZN",
	"₾": "GEL", "gel": "GEL", "֏": "AMD", "amd": "AMD", "₴": "UAH", "грн": "UAH", "uah": "UAH", "byn": "BYN", "₺": "TRY", "try": "TRY",
	"₹": "INR", "inr": "INR", "₩": "KRW", "krw": "KRW", "aed": "AED", "zł": "PLN", "pln": "PLN",
}

// wrongCurrency returns what is wrong with a sign beside an amount, where amounts are in the
// given currency: "" if it is the sign of that. known is false if it is not a sign of any.
func wrongCurrency(sign, currency string) (message say.Message, known bool) {
	if strings.EqualFold(sign, currency) {
		return "", true
	}
	codes, known := currencies[currencyKey(sign)]
	if !known || slices.Contains(strings.Fields(codes), currency) {
		return "", known
	}
	return say.SheetAmountCurrency(sign, currency), true
}

func currencyKey(sign string) string { return strings.TrimSuffix(search.Fold(sign), ".") }

// headerSign returns the sign of a currency at the end of a header, and the header without it:
// "Цена" and "₸" of "Цена, ₸".
func headerSign(title string) (rest, sign string) {
	title = strings.TrimRight(strings.TrimSpace(title), ")]")
	between := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:/([", r) }
	at := strings.LastIndexFunc(title, between)
	if at < 0 {
		return title, ""
	}
	rest, sign = title[:at], strings.TrimFunc(title[at:], between)
	if _, known := currencies[currencyKey(sign)]; !known {
		return title, ""
	}
	return strings.TrimFunc(rest, between), sign
}

// split takes an amount apart: "-", "9 000 000,50" and "₸" of "-9 000 000,50 ₸". A sign may
// stand on either side. It returns false if there is no number between.
func split(s string) (minus, number, sign string, ok bool) {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	first, last := strings.IndexFunc(s, isDigit), strings.LastIndexFunc(s, isDigit)
	if first < 0 {
		return "", "", "", false
	}
	before, after := strings.TrimSpace(s[:first]), strings.TrimSpace(s[last+1:])
	for _, dash := range []string{"-", "−"} {
		switch {
		case minus != "":
		case strings.HasPrefix(before, dash):
			minus, before = "-", strings.TrimSpace(strings.TrimPrefix(before, dash))
		case strings.HasSuffix(before, dash):
			minus, before = "-", strings.TrimSpace(strings.TrimSuffix(before, dash))
		}
	}
	return minus, s[first : last+1], before + after, before == "" || after == ""
}

// plainAmount writes a number, without its sign, with a point and without separators between
// thousands. ok is false if it is not a number. sure is false if one point or comma stands
// before the last three digits, so that these may be thousandths or units.
func plainAmount(s string) (plain string, sure, ok bool) {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("'’ʼ`", r) {
			return ' '
		}
		return r
	}, s)
	whole, fraction, decimal := s, "", strings.LastIndexAny(s, ".,")
	separator := " "
	switch points, commas := strings.Count(s, "."), strings.Count(s, ","); {
	case points+commas == 0:
	case points+commas == 1:
		whole, fraction = s[:decimal], s[decimal+1:]
	case strings.Contains(s, " "):
		return "", false, false
	case points == 0 || commas == 0: // 1.234.567
		separator = s[decimal : decimal+1]
	case strings.Count(s, s[decimal:decimal+1]) == 1: // 1.234,56 and 1,234.56
		whole, fraction = s[:decimal], s[decimal+1:]
		separator = map[bool]string{true: ".", false: ","}[s[decimal] == ',']
	default:
		return "", false, false
	}
	groups := strings.Split(whole, separator)
	for i, g := range groups {
		if !decode.IsDigits(g) || len(groups) > 1 && (len(g) > 3 || i > 0 && len(g) != 3) {
			return "", false, false
		}
	}
	whole = strings.Join(groups, "")
	if fraction == "" {
		return whole, true, true
	}
	sure = len(groups) > 1 || len(fraction) != 3 || len(whole) > 3 || whole[0] == '0'
	return whole + "." + fraction, sure, decode.IsDigits(fraction)
}

// decimal returns the text of a cell as a decimal number without a currency. Any other text
// stays as it is.
func decimal(s string) string {
	minus, number, sign, ok := split(plainNumber(s))
	if !ok || sign != "" {
		return s
	}
	if plain, _, ok := plainAmount(number); ok {
		return minus + plain
	}
	return s
}

// amount reads a cell that holds an amount, and says what is wrong with it. beside is what the
// cell shows beside its number. What holds no money, such as a weight, has no currency unless
// it is written, and may have thousandths.
func (a *attempt[T, V]) amount(ctx context.Context, s, beside string, money bool) (value string, wrong say.Message, err error) {
	minus, number, sign, ok := split(plainNumber(s))
	if !ok {
		return s, "", nil
	}
	written := sign != ""
	if !written && money {
		sign = beside
	}
	if sign != "" && a.currency != nil {
		currency, err := a.currency(ctx, a.read)
		if err != nil {
			return "", "", err
		}
		wrong, known := wrongCurrency(sign, currency)
		if wrong != "" || !known && written {
			return s, wrong, nil
		}
	} else if written {
		return s, "", nil
	}
	plain, sure, ok := plainAmount(number)
	switch {
	case !ok:
		return s, "", nil
	case money && !sure:
		return s, say.SheetAmountUnclear, nil
	}
	return minus + plain, "", nil
}

// checkSigns refuses a sheet that says in the header of a column of amounts another currency
// than the company's. A custom field whose own label has a sign is in that currency, whatever the company's is.
func (a *attempt[T, V]) checkSigns(ctx context.Context, places []*place[T], titles []string) error {
	for i, p := range places {
		if p == nil || p.holds() != Amount || a.currency == nil {
			continue
		}
		_, sign := headerSign(titles[i])
		own := ""
		if p.custom != nil {
			_, own = headerSign(p.custom.Label)
		}
		if sign == "" || sign == own {
			continue
		}
		currency, err := a.currency(ctx, a.read)
		if err != nil {
			return err
		}
		wrong, _ := wrongCurrency(sign, currency)
		if own != "" {
			wrong = say.SheetAmountFieldCurrency(sign, own)
		}
		if wrong != "" {
			column := sheet.ColumnName(i + 1)
			return BadFile(say.SheetColumnWrong(column, quoted(titles[i]), wrong)).With("column", column)
		}
	}
	return nil
}
