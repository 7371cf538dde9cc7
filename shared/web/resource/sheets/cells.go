package sheets

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
)

// The functions of this file convert what people type into sheets to the form of fields, and
// back.

// value returns the text of a cell as it would be sent in JSON. If the text can't be converted
// to the type that the column holds, it stays a text, which the field then refuses.
func value(h Holds, s string) any {
	switch h {
	case Digits:
		return plainNumber(s)
	case Integer:
		if n := plainNumber(s); decode.IsDigits(strings.TrimPrefix(n, "-")) {
			return json.Number(withoutZeros(n))
		}
	case Amount:
		return decimal(s)
	case Boolean:
		switch strings.ToLower(s) {
		case "true", "yes", "1", "да", "истина", "иә", "+":
			return true
		case "false", "no", "0", "нет", "ложь", "жоқ", "-":
			return false
		}
	case Date:
		return plainDate(s)
	case Text, Moment:
	}
	return s
}

// cellOf makes a cell from a value.
func cellOf(h Holds, s string) sheet.Cell {
	switch {
	case s == "":
		return sheet.Cell{}
	case h == Integer || h == Amount:
		return sheet.Number(s)
	case h == Date:
		return sheet.Date(s)
	case h == Moment:
		return sheet.Moment(s)
	}
	return sheet.Text(s)
}

// holds returns what the cells of a custom field hold.
func holds(d *customfield.Definition) Holds {
	switch d.Type {
	case "integer", "client", "inventory", "inventory_group", "inventory_set", "service", "workshop", "document", "template":
		return Integer
	case "decimal":
		return Amount
	case "boolean":
		return Boolean
	case "date":
		return Date
	}
	return Text
}

// customCell makes a cell from the value of a custom field.
func customCell(d *customfield.Definition, value json.RawMessage, language say.Language) sheet.Cell {
	var s string
	if string(value) != "null" && json.Unmarshal(value, &s) != nil {
		s = string(value)
	}
	if holds(d) == Boolean && language != say.English { // in which it is true and false, as it always was
		s = yesOrNo(s, language)
	}
	return cellOf(holds(d), s)
}

// padded adds up to three leading zeros to digits, which a sheet drops if it takes them for a
// number.
func padded(s string, length int) string {
	if s = plainNumber(s); decode.IsDigits(s) && len(s) < length && len(s) >= length-3 {
		s = strings.Repeat("0", length-len(s)) + s
	}
	return s
}

// withoutZeros returns an integer as JSON writes it.
func withoutZeros(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	if s = strings.TrimLeft(s, "0"); s == "" {
		return "0"
	}
	return sign + s
}

// exact is the largest integer that sheets keep exactly: they keep 15 digits.
const exact = 1e15

// plainNumber writes an integer without an exponent and without a fraction of zeros. Any other
// text stays as it is.
func plainNumber(s string) string {
	if !strings.ContainsAny(s, ".eE") || strings.Trim(s, "0123456789.eE+-") != "" {
		return s
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) >= exact {
		return s
	}
	return strconv.FormatInt(int64(x), 10)
}

// Sheets count days from the end of 1899. A number below firstDay is more likely a year, or a
// day of a month.
const (
	firstDay = 10_000    // 1927-05-18
	lastDay  = 2_958_465 // 9999-12-31

	// A date outside of these years is most likely a typing error, and is refused.
	firstYear = 1900
	lastYear  = 2100
)

// plainDate writes a date as YYYY-MM-DD. Any other text stays as it is.
func plainDate(s string) string {
	if day, ok := dayOf(s); ok {
		return day.Format(time.DateOnly)
	}
	return s
}

// refusedDate says what is wrong with a date that people can read. It returns "" if nothing is
// wrong, or if s is not a date.
func refusedDate(s string) say.Message {
	if day, ok := dayOf(s); ok {
		if day.Year() < firstYear || day.Year() > lastYear {
			return say.SheetDateYear
		}
		return ""
	}
	s = withoutYear(s)
	switch _, read := eitherOrder(s); {
	case s == "":
		return ""
	case read:
		return say.SheetDateUnclear
	case isNoDay(s):
		return say.SheetNoSuchDay(s)
	}
	for _, layout := range []string{"2.1.06", "2/1/06", "1/2/06", "2-1-06"} {
		if _, err := time.Parse(layout, s); err == nil {
			return say.SheetDateShortYear
		}
	}
	return say.SheetDate
}

// withoutYear takes away the word for a year, in Russian or Kazakh: "02.06.1994 г.".
func withoutYear(s string) string {
	for _, word := range []string{"г.", "г", "ж.", "ж"} {
		if date, ok := strings.CutSuffix(s, word); ok {
			return strings.TrimSpace(date)
		}
	}
	return s
}

// eitherOrder reads a date whose day or month may be first. Of one that is another day in each order it returns the zero time.
func eitherOrder(s string) (day time.Time, read bool) {
	s = strings.ReplaceAll(s, "-", "/")
	first, errFirst := time.Parse("2/1/2006", s)
	second, errSecond := time.Parse("1/2/2006", s)
	switch {
	case errFirst != nil && errSecond != nil:
		return day, false
	case errFirst != nil:
		return second, true
	case errSecond != nil || first.Equal(second):
		return first, true
	}
	return day, true
}

// isNoDay tells whether s is written as a date with a clear order, and its month has no such day or its year no such month.
func isNoDay(s string) bool {
	for _, separator := range []string{".", "-", "/"} {
		parts := strings.Split(s, separator)
		if len(parts) != 3 || slices.ContainsFunc(parts, func(p string) bool { return !decode.IsDigits(p) || len(p) > 4 }) {
			continue
		}
		year, day := parts[0], parts[2]
		if len(year) != 4 {
			year, day = day, year
		}
		return len(year) == 4 && len(parts[1]) <= 2 && len(day) <= 2
	}
	return false
}

// dayOf reads a date. It takes dots with the day first, as is usual in Kazakhstan; the year
// first; slashes where they leave no doubt; a date with the time midnight; or the number of a day.
func dayOf(s string) (time.Time, bool) {
	s = withoutYear(s)
	if day, read := eitherOrder(s); read {
		return day, !day.IsZero()
	}
	for _, layout := range []string{
		"2.1.2006", "2006.1.2", "2006/1/2", "2006-1-2",
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2.1.2006 15:04:05", "2.1.2006 15:04",
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Truncate(24*time.Hour).Equal(t) {
			return t, true
		}
	}
	if n := plainNumber(s); decode.IsDigits(n) {
		if days, err := strconv.Atoi(n); err == nil && days >= firstDay && days <= lastDay {
			return time.Date(1899, time.December, 30+days, 0, 0, 0, 0, time.UTC), true
		}
	}
	return time.Time{}, false
}
