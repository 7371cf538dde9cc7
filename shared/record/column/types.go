package column

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
)

// exactly is the span of one number.
func exactly(n int64) segment.Span { return segment.Span{Low: n, High: n} }

// none is an empty span, for a value that no record can have.
func none() segment.Span { return segment.Span{Low: 1, High: 0} }

// Flag is a column of booleans.
func Flag[T any](name, letter string, of func(rec T) bool) Column[T] {
	return Column[T]{Field: flag(name, letter), number: func(rec T) (int64, bool) { return bit(of(rec)), true }}
}

func flag(name, letter string) Field {
	return Field{
		Name: name, Letter: letter, Type: Boolean, compared: unranged(),
		read: func(text string, _ Zone) (segment.Span, error) {
			value, ok := decode.ParseBoolean(text)
			if !ok {
				return segment.Span{}, say.InvalidBoolean
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

// Choice is a column of a type that states its values. They describe it, where nothing else does.
func Choice[T any, V number](name, letter string, of func(rec T) *V) Column[T] {
	return Column[T]{
		Field:  choice(name, letter, enum.Of(reflect.TypeFor[V]())),
		number: pointed(of, func(v V) int64 { return int64(v) }),
	}
}

// number is a type of integers that states its values.
type number interface {
	~int64
	enum.Type
}

func choice(name, letter string, values []enum.Value) Field {
	choices := enum.Texts(values)
	return Field{
		Name: name, Letter: letter, Type: Integer, Choices: choices, Says: enum.Describe("{values}", values), values: values,
		compared: ranged(),
		read: func(text string, z Zone) (segment.Span, error) {
			if !slices.Contains(choices, text) {
				return segment.Span{}, say.InvalidChoice(text)
			}
			return readInteger(text, z)
		},
	}
}

// Number is a column of integers.
func Number[T any](name, letter string, of func(rec T) *int64) Column[T] {
	return Column[T]{Field: integer(name, letter), number: pointed(of, same)}
}

// Reference is a column of ids of other records.
func Reference[T any](name, letter string, of func(rec T) *int64) Column[T] {
	c := Number(name, letter, of)
	return c
}

func integer(name, letter string) Field {
	return Field{Name: name, Letter: letter, Type: Integer, compared: ranged(), read: readInteger}
}

func readInteger(text string, _ Zone) (segment.Span, error) {
	n, ok := decode.ParseInteger(text)
	if !ok {
		return segment.Span{}, say.InvalidInteger
	}
	return exactly(n), nil
}

// Amount is a column of amounts, in hundredths.
func Amount[T any](name, letter string, of func(rec T) *money.Amount) Column[T] {
	return Column[T]{Field: amount(name, letter), number: pointed(of, money.Amount.Cents)}
}

func amount(name, letter string) Field {
	return Field{
		Name: name, Letter: letter, Type: Decimal, compared: ranged(),
		read: func(text string, _ Zone) (segment.Span, error) {
			a, err := money.ParseAmount(text)
			if err != nil {
				return segment.Span{}, say.Of(err)
			}
			return exactly(a.Cents()), nil
		},
	}
}

// Day is a column of dates, in days since 1970.
func Day[T any](name, letter string, of func(rec T) *decode.Date) Column[T] {
	return Column[T]{
		Field: day(name, letter), number: pointed(of, func(d decode.Date) int64 { n, _ := days(string(d)); return n }),
	}
}

func day(name, letter string) Field {
	return Field{
		Name: name, Letter: letter, Type: Date, compared: ranged(),
		read: func(text string, _ Zone) (segment.Span, error) {
			n, ok := days(text)
			if !ok {
				return segment.Span{}, say.InvalidDate
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

// Moment is a column of times. A query gives a time with an offset,
// a local time of the company, or a whole day of the company.
func Moment[T any](name, letter string, of func(rec T) *moment.Micros) Column[T] {
	return Column[T]{Field: OfMoment(name, letter), number: pointed(of, func(at moment.Micros) int64 { return int64(at) })}
}

// OfMoment is the field of a column of times.
func OfMoment(name, letter string) Field {
	return Field{Name: name, Letter: letter, Type: DateTime, compared: ranged(), read: readMoment}
}

// Second is a Moment of which the index holds whole seconds, between the years 1653 and 2286. It takes
// less of an entry.
func Second[T any](name, letter string, of func(rec T) *moment.Micros) Column[T] {
	const last = 9_999_999_999
	c := Moment(name, letter, of)
	held := func(seconds int64) int64 { return min(max(seconds, -last), last) * time.Second.Microseconds() }
	c.number = pointed(of, func(at moment.Micros) int64 { return held(at.Time().Unix()) })
	c.read = func(text string, z Zone) (segment.Span, error) {
		span, err := readMoment(text, z)
		span.Low, span.High = min(max(span.Low, held(-last)), held(last)), min(max(span.High, held(-last)), held(last))
		return span, err
	}
	return c
}

func readMoment(text string, z Zone) (segment.Span, error) {
	if at, ok := decode.ParseDateTime(text); ok {
		return exactly(at.UnixMicro()), nil
	}
	day, isDay := decode.ParseDate(text)
	local, isLocal := decode.ParseLocal(text)
	if !isDay && !isLocal || z == nil {
		return segment.Span{}, say.InvalidDatetime
	}
	zone, err := z()
	if err != nil {
		return segment.Span{}, err
	}
	if isLocal {
		at, ok := decode.Local(local, zone)
		if !ok {
			return segment.Span{}, say.NoSuchTime(zone.String())
		}
		return exactly(at.UnixMicro()), nil
	}
	at, _ := time.ParseInLocation(time.DateOnly, string(day), zone) // it is a date
	return segment.Span{Low: at.UnixMicro(), High: at.AddDate(0, 0, 1).UnixMicro() - 1}, nil
}

// Digits is a column of numbers that people write with separators, such as telephone or
// personal numbers. normal returns a number in its stored form, with or without a plus before
// its digits; false means that the text is no such number, and then it matches no record.
// A search finds a number by any part of its spellings.
func Digits[T any](
	name, letter string, of func(rec T) *string, normal func(text string) (string, bool), spelling segment.Spelling,
) Column[T] {
	return Column[T]{
		Field: digitsField(name, letter, normal, spelling),
		number: func(rec T) (int64, bool) {
			text := of(rec)
			if text == nil {
				return 0, false
			}
			return digits(*text)
		},
	}
}

func digitsField(name, letter string, normal func(text string) (string, bool), spelling segment.Spelling) Field {
	return Field{
		Name: name, Letter: letter, Type: String, digits: spelling, spell: normal, compared: ranged(),
		read: func(text string, _ Zone) (segment.Span, error) {
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
// longer, the record is read. Case does not matter, and an empty text is no value.
func Text[T any](name, letter string, of func(rec T) *string) Column[T] {
	return Column[T]{
		Field: ofText(name, letter),
		text: func(rec T) (string, bool) {
			text := of(rec)
			if text == nil {
				return "", false
			}
			return *text, *text != ""
		},
	}
}

func ofText(name, letter string) Field {
	return Field{
		Name: name, Letter: letter, Type: String, IsText: true, compared: ranged(),
		spell: func(text string) (string, bool) { return text, true },
	}
}

// Code is a Text that people write in several ways; normal returns the one that is stored.
func Code[T any](name, letter string, of func(rec T) *string, normal func(text string) string) Column[T] {
	c := Text(name, letter, of)
	c.spell = func(text string) (string, bool) { return normal(text), true }
	return c
}

// Named is one of a few allowed texts: the names that callers use, and the stored form.
type Named struct {
	Names  []string // the first one is shown
	Stored string
}

// Name is a column with a few allowed texts, which have no order that callers know. A query may
// write them in any case; of returns the stored form.
func Name[T any](name, letter string, of func(rec T) *string, choices ...Named) Column[T] {
	c := Text(name, letter, of)
	c.compared = unranged()
	for _, choice := range choices {
		c.Choices = append(c.Choices, choice.Names[0])
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
