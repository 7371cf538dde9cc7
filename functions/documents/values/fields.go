package values

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"github.com/tenantry/tenantry/functions/documents/words"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
)

// scope is where a value is taken from: the source, and in a list the row.
type scope struct {
	*Source
	number  int // of the row, from 1
	line    line
	service *order.ServiceLine
}

// field is a variable. An unset value is an empty text.
type field struct {
	name string
	says say.Message
	of   func(scope) string
}

// list is a variable with rows.
type list struct {
	name   string
	fields []field
	rows   func() []scope
}

// one is a variable.
func one(name string, says say.Message, of func(scope) string) []field {
	return []field{{name, says, of}}
}

// maybe is a variable for a text that may be unset.
func maybe(name string, says say.Message, of func(scope) *string) []field {
	return one(name, says, func(s scope) string { return deref(of(s)) })
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// inWords are the variables of a value in words, one a language.
func inWords(name string, what say.Message, of func(s scope, language words.Language) string) (list []field) {
	for _, l := range words.Languages() {
		list = append(list, field{name + "_words." + string(l), saysInWords(what, l), func(s scope) string {
			return of(s, l)
		}})
	}
	return list
}

func saysInWords(what say.Message, l words.Language) say.Message {
	switch l {
	case words.Russian:
		return say.VariableInWordsRu(what)
	case words.Kazakh:
		return say.VariableInWordsKk(what)
	case words.English:
	}
	return say.VariableInWordsEn(what)
}

// amount are the variables of an amount: in figures, and in words with the company's currency.
func amount(name string, says say.Message, of func(scope) *money.Amount) []field {
	return append(
		one(name, says, func(s scope) string { return figures(of(s)) }),
		inWords(name, says, func(s scope, language words.Language) string {
			a := of(s)
			if a == nil {
				return ""
			}
			return words.Amount(*a, s.company.Currency, language)
		})...)
}

// figures writes an amount as contracts do: 125 000,00, with spaces at which no line breaks.
func figures(a *money.Amount) string {
	if a == nil {
		return ""
	}
	whole, cents, _ := strings.Cut(a.String(), ".")
	sign := ""
	if rest, negative := strings.CutPrefix(whole, "-"); negative {
		sign, whole = "-", rest
	}
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "\u00a0" + whole[at:]
	}
	return sign + whole + "," + cents
}

// day are the variables of a date: 22.11.2026, and in words.
func day(name string, says say.Message, of func(scope) *decode.Date) []field {
	at := func(s scope) *time.Time {
		d := of(s)
		if d == nil {
			return nil
		}
		return calendar(string(*d))
	}
	return dated(name, says, at, one(name, says, func(s scope) string { return layout(at(s), "02.01.2006") }))
}

// calendar is the day of a date; nil where the text is none.
func calendar(date string) *time.Time {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil
	}
	return &t
}

// timed are the variables of a moment where the company is: 22.11.2026 14:05, its date, its time, and the date in words.
func timed(name string, says say.Message, of func(scope) *moment.Micros) []field {
	at := func(s scope) *time.Time {
		m := of(s)
		if m == nil {
			return nil
		}
		t := m.Time().In(s.zone)
		return &t
	}
	list := one(name, says, func(s scope) string { return layout(at(s), "02.01.2006 15:04") })
	list = append(list, one(name+"_date", say.VariableDateAlone(says), func(s scope) string { return layout(at(s), "02.01.2006") })...)
	list = append(list, one(name+"_time", say.VariableTimeAlone(says), func(s scope) string { return layout(at(s), "15:04") })...)
	return dated(name, says, at, list)
}

func layout(t *time.Time, as string) string {
	if t == nil {
		return ""
	}
	return t.Format(as)
}

// dated adds a date in words.
func dated(name string, says say.Message, at func(scope) *time.Time, list []field) []field {
	return append(list, inWords(name, says, func(s scope, language words.Language) string {
		t := at(s)
		if t == nil {
			return ""
		}
		return words.Date(*t, language)
	})...)
}

// image is the variable of an image: the address of an upload in this API. An image elsewhere isn't fetched, so it counts
// as unset.
func image(name string, says say.Message, path func(scope) string, of func(scope) *uploads.Image) []field {
	return one(name, says, func(s scope) string {
		if i := of(s); !i.IsUpload() {
			return ""
		}
		return s.Base + path(s)
	})
}

// extras are the variables of the custom fields of some keys: those of the keys before hide those of the same name.
func (s *Source) extras(
	prefix string, says func(label string) say.Message, of func(scope) decode.JSON, keys ...string,
) (list []field) {
	seen := map[string]bool{}
	for _, key := range keys {
		for _, d := range s.fields[key].List {
			name := nameOf(d.Name)
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			list = append(list, one(prefix+name, says(d.Label), func(s scope) string {
				return s.custom(d, extra(string(of(s)))[d.Name])
			})...)
		}
	}
	return list
}

// nameOf is the name of a custom field as templates write it: what isn't a letter or a digit becomes _.
func nameOf(name string) string {
	const most = 64
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '-' {
			return r
		}
		return '_'
	}, name))
	return string(runes[:min(len(runes), most)])
}

// extra are the fields of a free part; nil where it is no object.
func extra(free string) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader([]byte(free)))
	decoder.UseNumber()
	var fields map[string]any
	if decoder.Decode(&fields) != nil {
		return nil
	}
	return fields
}

// custom is the value of a custom field as a text. A value that isn't of the field's type, because it is older than the
// definition, is written as it is.
func (s *Source) custom(d customfield.Definition, value any) string {
	written := text(value)
	switch d.Type {
	case "date":
		if date := calendar(written); date != nil {
			return layout(date, "02.01.2006")
		}
	case "datetime":
		if at, ok := decode.ParseDateTime(written); ok {
			return at.In(s.zone).Format("02.01.2006 15:04")
		}
	case "html":
		return plain(written)
	}
	return written
}

// text is a value of JSON as a text. A boolean is empty where it is false, so that {{#if}} can ask for it.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "✓"
		}
	}
	return ""
}

// plain is the text of HTML.
func plain(source string) string {
	var b strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(source))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			b.Write(tokens.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
			b.WriteByte(' ')
		}
	}
}
