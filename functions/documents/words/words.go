// Package words writes numbers, amounts of money and dates as contracts do, in Russian, Kazakh and
// English: "сто двадцать одна тысяча тенге 50 тиын", "2026 жылғы 22 қараша", "22 November 2026".
//
// What never goes in here: formats of numbers in digits, and the case endings of a sentence around
// them. Words stand in the nominative, as they do in brackets behind digits.
package words

import (
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/money"
)

// Language is a language that documents are written in.
type Language string

// The languages.
const (
	Russian Language = "ru"
	Kazakh  Language = "kk"
	English Language = "en"
)

// Languages lists them all.
func Languages() []Language { return []Language{Russian, Kazakh, English} }

// minus is the word before a number below zero.
func minus(l Language) string {
	if l == English {
		return "minus "
	}
	return "минус "
}

// Integer is a number in words.
func Integer(n int64, l Language) string { return integer(n, l, masculine) }

func integer(n int64, l Language, g gender) string {
	if n < 0 {
		return minus(l) + cardinal(-uint64(n), l, g)
	}
	return cardinal(uint64(n), l, g)
}

func cardinal(n uint64, l Language, g gender) string {
	switch l {
	case Kazakh:
		return kazakh(n)
	case English:
		return english(n)
	}
	return russian(n, g)
}

// Amount is an amount of money in words: its whole part in words, its hundredths in digits. code is
// that of the currency (ISO 4217). Of a currency that it doesn't know, it writes the code itself, and the hundredths
// as a fraction.
func Amount(a money.Amount, code string, l Language) string {
	cents, sign := uint64(a.Cents()), ""
	if a.IsNegative() {
		cents, sign = -cents, minus(l)
	}
	whole, part := cents/100, cents%100
	digits := strconv.FormatUint(part+100, 10)[1:]
	c, ok := currencies[code]
	if !ok {
		return sign + cardinal(whole, l, masculine) + " " + code + " " + digits + "/100"
	}
	switch l {
	case Kazakh:
		return sign + kazakh(whole) + " " + c.kazakh[0] + " " + digits + " " + c.kazakh[1]
	case English:
		return sign + english(whole) + " " + ofTwo(whole, c.english[0]) + " " + digits + " " + ofTwo(part, c.english[1])
	}
	return sign + russian(whole, c.gender) + " " + ofThree(whole, c.russian[0]) + " " + digits + " " + ofThree(part, c.russian[1])
}

// Date is the day of a time, in the time's zone.
func Date(t time.Time, l Language) string {
	year, month, day := t.Date()
	switch y, d := strconv.Itoa(year), strconv.Itoa(day); l {
	case Kazakh:
		return y + " жылғы " + d + " " + months[month-1][1]
	case English:
		return d + " " + month.String() + " " + y
	default:
		return d + " " + months[month-1][0] + " " + y + " года"
	}
}

// months are those of a date in Russian and in Kazakh.
var months = [...][2]string{
	{"января", "қаңтар"},
	{"февраля", "ақпан"},
	{"марта", "наурыз"},
	{"апреля", "сәуір"},
	{"мая", "мамыр"},
	{"июня", "маусым"},
	{"июля", "шілде"},
	{"августа", "тамыз"},
	{"сентября", "қыркүйек"},
	{"октября", "қазан"},
	{"ноября", "қараша"},
	{"декабря", "желтоқсан"},
}

// groups calls a function for each group of three digits that isn't 0, from the highest.
func groups(n uint64, each func(group uint64, power int)) {
	for power, of := 6, uint64(1e18); ; power, of = power-1, of/1000 {
		if group := n / of % 1000; group > 0 {
			each(group, power)
		}
		if power == 0 {
			return
		}
	}
}

// join puts words together that aren't empty.
func join(words []string) string {
	kept := words[:0]
	for _, word := range words {
		if word != "" {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// ofTwo is the singular or the plural of an English word.
func ofTwo(n uint64, forms [2]string) string {
	if n == 1 {
		return forms[0]
	}
	return forms[1]
}

// ofThree is the form of a Russian word behind a number: 1 рубль, 2 рубля, 5 рублей.
func ofThree(n uint64, forms [3]string) string {
	switch last, teen := n%10, n%100/10 == 1; {
	case last == 1 && !teen:
		return forms[0]
	case last >= 2 && last <= 4 && !teen:
		return forms[1]
	}
	return forms[2]
}
