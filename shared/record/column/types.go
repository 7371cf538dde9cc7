package column

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/search"
)

// Flag is a column of booleans.
func Flag[T any](name, letter string, of func(rec *T) bool) Column[T] {
	return Column[T]{
		Name: name, Letter: letter, Type: Boolean, most: flagBytes,
		number: func(rec *T) (int64, bool) { return bit(of(rec)), true },
		read: func(text string, _ Zone) (span, error) {
			value, ok := decode.ParseBoolean(text)
			if !ok {
				return span{}, Wrong(fault.BadBoolean)
			}
			return exactly(bit(value)), nil
		},
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Choice is a column with a few allowed numbers.
func Choice[T any](name, letter string, of func(rec *T) *int64, choices ...int64) Column[T] {
	return Column[T]{
		Name: name, Letter: letter, Type: Integer, Choices: texts(choices), most: flagBytes,
		number: pointed(of, func(n int64) int64 { return n }),
		read: func(text string, _ Zone) (span, error) {
			for _, n := range choices {
				if strconv.FormatInt(n, 10) == text {
					return exactly(n), nil
				}
			}
			return span{}, Wrong(fault.BadChoice(text))
		},
	}
}

// Number is a column of integers.
func Number[T any](name, letter string, of func(rec *T) *int64) Column[T] {
	return Column[T]{
		Name: name, Letter: letter, Type: Integer, most: integerBytes,
		number: pointed(of, func(n int64) int64 { return n }), read: readInteger,
	}
}

// Reference is a column of ids of other records.
func Reference[T any](name, letter string, of func(rec *T) *int64) Column[T] {
	c := Number(name, letter, of)
	c.most = idBytes
	return c
}

func readInteger(text string, _ Zone) (span, error) {
	n, ok := decode.ParseInteger(text)
	if !ok {
		return span{}, Wrong(fault.BadInteger)
	}
	return exactly(n), nil
}

// Amount is a column of amounts, in hundredths.
func Amount[T any](name, letter string, of func(rec *T) *money.Amount) Column[T] {
	return Column[T]{
		Name: name, Letter: letter, Type: Decimal, most: amountBytes,
		number: pointed(of, money.Amount.Cents),
		read: func(text string, _ Zone) (span, error) {
			a, err := money.ParseAmount(text)
			if err != nil {
				return span{}, Wrong(err.Error())
			}
			return exactly(a.Cents()), nil
		},
	}
}

// Day is a column of dates, in days since 1970.
func Day[T any](name, letter string, of func(rec *T) *decode.Date) Column[T] {
	return Column[T]{
		Name: name, Letter: letter, Type: Date, most: dayBytes,
		number: pointed(of, func(d decode.Date) int64 { n, _ := days(string(d)); return n }),
		read: func(text string, _ Zone) (span, error) {
			n, ok := days(text)
			if !ok {
				return span{}, Wrong(fault.BadDate)
			}
			return exactly(n), nil
		},
	}
}

func days(date string) (int64, bool) {
	if _, ok := decode.ParseDate(date); !ok {
		return 0, false
	}
	at, err := time.Parse(time.DateOnly, date)
	return at.Unix() / int64(24*time.Hour/time.Second), err == nil
}

// Moment is a column of times, in microseconds since 1970. A query gives a time with an offset,
// a local time of the company, or a whole day of the company.
func Moment[T any](name, letter string, of func(rec *T) *int64) Column[T] {
	return Column[T]{
		Name: name, Letter: letter, Type: DateTime, most: momentBytes,
		number: pointed(of, func(n int64) int64 { return n }), read: readMoment,
	}
}

// Second is a Moment of which the index holds whole seconds, between the years 1653 and 2286. It takes
// less of an entry.
func Second[T any](name, letter string, of func(rec *T) *int64) Column[T] {
	const last = 9_999_999_999
	c := Moment(name, letter, of)
	c.most = secondBytes
	c.number = pointed(of, func(n int64) int64 {
		return min(max(time.UnixMicro(n).Unix(), -last), last) * time.Second.Microseconds()
	})
	return c
}

func readMoment(text string, z Zone) (span, error) {
	if at, ok := decode.ParseDateTime(text); ok {
		return exactly(at.UnixMicro()), nil
	}
	day, isDay := decode.ParseDate(text)
	local, isLocal := decode.ParseDateTime(text + "Z")
	if !isDay && !isLocal || z == nil {
		return span{}, Wrong(fault.BadDatetime)
	}
	zone, err := z()
	if err != nil {
		return span{}, err
	}
	if isLocal {
		at := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), zone)
		return exactly(at.UnixMicro()), nil
	}
	at, _ := time.ParseInLocation(time.DateOnly, string(day), zone) // it is a date
	return span{at.UnixMicro(), at.AddDate(0, 0, 1).UnixMicro() - 1}, nil
}

// Digits is a column of numbers that people write with separators, such as telephone or
// personal numbers. normal returns a number in its stored form, with or without a plus before
// its digits; false means that the text is no such number, and then it matches no record.
// spellings returns the digit sequences by which a search finds a number, however it is
// written.
func Digits[T any](
	name, letter string, of func(rec *T) *string, normal func(text string) (string, bool), spellings func(n int64) []string,
) Column[T] {
	return Column[T]{
		Name: name, Letter: letter, Type: String, most: digitsBytes, digits: spellings, spell: normal,
		number: func(rec *T) (int64, bool) {
			text := of(rec)
			if text == nil {
				return 0, false
			}
			return digits(*text)
		},
		read: func(text string, _ Zone) (span, error) {
			text, ok := normal(text)
			if !ok {
				return none(), nil
			}
			n, ok := digits(text)
			if !ok {
				return none(), nil
			}
			return exactly(n), nil
		},
	}
}

func digits(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64)
	return n, err == nil
}

// Text is a column of short texts. The index holds about the first 24 letters; if a text is
// longer, the record is read. Case does not matter.
func Text[T any](name, letter string, of func(rec *T) *string) Column[T] {
	return Column[T]{
		Name: name, Letter: letter, Type: String, most: search.ShortBytes,
		text: func(rec *T) (string, bool) {
			text := of(rec)
			if text == nil {
				return "", false
			}
			return *text, true
		},
		spell: func(text string) (string, bool) { return text, true },
	}
}

// Named is one of a few allowed texts: the names that callers use, and the stored form.
type Named struct {
	Names  []string // the first one is shown
	Stored string
}

// Name is a column with a few allowed texts. A query may write them in any case; of returns the
// stored form.
func Name[T any](name, letter string, of func(rec *T) *string, choices ...Named) Column[T] {
	c := Text(name, letter, of)
	c.most = 0
	for _, choice := range choices {
		c.Choices = append(c.Choices, choice.Names[0])
		c.most = max(c.most, min(len(choice.Stored), search.ShortBytes))
	}
	c.spell = func(text string) (string, bool) {
		for _, choice := range choices {
			if slices.ContainsFunc(choice.Names, func(n string) bool { return strings.EqualFold(n, text) }) {
				return choice.Stored, true
			}
		}
		return "", false
	}
	return c
}
