// Package kz checks identification numbers of people, companies, bank accounts, banks and
// telephones in Kazakhstan. Each function returns a number in the form in which it is stored,
// and whether it is valid; if it is not, the text that is returned means nothing.
//
// What never goes in here: whether a field may be empty, or must be unique.
package kz

import (
	"strings"
	"time"
	"unicode"
)

const (
	numberLength = 12 // of an IIN or BIN
	ibanLength   = 20
)

// IIN is the number of a person: the date of birth as YYMMDD, a digit for
// century and sex, a serial number and a control digit.
func IIN(s string) (string, bool) {
	s = withoutSpaces(s)
	return s, isNumber(s) && hasBirthDate(s)
}

// BIN is the number of a company. The BIN of a sole trader is the person's IIN, so only what
// both have in common is checked.
func BIN(s string) (string, bool) {
	s = withoutSpaces(s)
	return s, isNumber(s)
}

// isNumber checks the digits that an IIN and a BIN have in common. The control digit is a
// weighted sum modulo 11. If that is 10, other weights are used; if it is 10 again, the number
// was never issued. Twelve zeros were never issued either.
func isNumber(s string) bool {
	if len(s) != numberLength || !all(s, isDigit) || strings.Trim(s, "0") == "" {
		return false
	}
	control := sum(s, 1)
	if control == 10 {
		control = sum(s, 3)
	}
	return control == int(s[11]-'0')
}

// sum multiplies the first 11 digits by the weights first, first+1, … 11, 1, 2 … and adds them
// up.
func sum(s string, first int) int {
	total := 0
	for i := range numberLength - 1 {
		total += int(s[i]-'0') * ((first-1+i)%11 + 1)
	}
	return total % 11
}

func hasBirthDate(s string) bool {
	century := map[byte]string{'1': "18", '2': "18", '3': "19", '4': "19", '5': "20", '6': "20"}[s[6]]
	_, err := time.Parse("20060102", century+s[:6])
	return err == nil
}

// IBAN is the number of a bank account in Kazakhstan.
func IBAN(s string) (string, bool) {
	s = strings.ToUpper(withoutSpaces(s))
	if len(s) != ibanLength || s[:2] != "KZ" || !all(s[2:7], isDigit) || !all(s[7:], isAlnum) {
		return s, false
	}
	rest := 0
	for _, c := range []byte(s[4:] + s[:4]) {
		if isDigit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return s, rest == 1
}

// BIK is the code of a bank in Kazakhstan: its SWIFT code, with or without the code of a
// branch.
func BIK(s string) (string, bool) {
	s = strings.ToUpper(withoutSpaces(s))
	return s, (len(s) == 8 || len(s) == 11) && all(s[:4], isUpper) && s[4:6] == "KZ" && all(s[6:], isAlnum)
}

const (
	longestPhone = 40 // including everything between its digits
	national     = 10 // digits of a number in Kazakhstan, without 7 or 8
)

// Phone is a telephone number in E.164. A number without a country code is taken as one of
// Kazakhstan; it may begin with 8, with 7 or with the area code.
func Phone(s string) (string, bool) {
	if len(s) > longestPhone {
		return s, false
	}
	number := strings.Map(func(r rune) rune {
		if strings.ContainsRune("-‐‑‒–().", r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	number, abroad := strings.CutPrefix(number, "+")
	if !all(number, isDigit) {
		return s, false
	}
	if !abroad {
		number, abroad = strings.CutPrefix(number, "00")
	}
	switch {
	case abroad:
	case len(number) == national+1 && (number[0] == '8' || number[0] == '7'):
		number = "7" + number[1:]
	case len(number) == national && number[0] == '7':
		number = "7" + number
	default:
		return s, false
	}
	switch {
	case len(number) < 8 || len(number) > 15 || number[0] == '0':
		return s, false
	case number[0] == '7' && (len(number) != national+1 || number[1] < '3'): // no area code begins with 0, 1 or 2
		return s, false
	}
	return "+" + number, true
}

func withoutSpaces(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func all(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isAlnum(c byte) bool { return isDigit(c) || isUpper(c) }
