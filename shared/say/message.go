package say

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
)

// mark begins a message, and divides its id from its parameters. No text of a caller begins with it: decoding refuses that.
const mark = "\x00"

// Message is something to be said: the id of a row of the catalogue with the values of its parameters. It is a comparable value
// and may be stored. What doesn't come from the catalogue is said as it stands, in whatever language.
type Message string

// ID is the id of the message's row, or empty for a text that isn't of the catalogue.
func (m Message) ID() string {
	rest, ok := strings.CutPrefix(string(m), mark)
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, mark)
	return id
}

// Params are the values of the message's parameters as a JSON object, nil if it has none. Messages among them are neutral.
func (m Message) Params() json.RawMessage {
	if rest, ok := strings.CutPrefix(string(m), mark); ok {
		if _, params, ok := strings.Cut(rest, mark); ok {
			return json.RawMessage(params)
		}
	}
	return nil
}

// Code is the name by which a program tells the message apart, empty for a text that isn't of the catalogue.
func (m Message) Code() string {
	if row, ok := find(m.ID()); ok {
		return cmp.Or(row.code, row.id)
	}
	return ""
}

// Error is the message in English, for logs: a rule may return a message as its error.
func (m Message) Error() string { return m.In(English) }

// Of is the message that an error is. The text of any other error stands as it is.
func Of(err error) Message {
	if m, ok := errors.AsType[Message](err); ok {
		return m
	}
	return Message(err.Error())
}

// In is the message in a language. Its moments are in UTC.
func (m Message) In(language Language) string { return m.by(voice{language: language}) }

// by is the message as a voice says it.
func (m Message) by(v voice) string {
	row, ok := find(m.ID())
	switch {
	case !ok && m.ID() != "": // stored by another release
		return ReferenceTextUnknown.by(v)
	case !ok:
		return string(m)
	}
	return fill(row.in(v.language), v, m.Params())
}

// row is a row of the catalogue.
type row struct {
	id, code   string
	en, ru, kk string
}

func (r row) in(language Language) string {
	switch language {
	case Russian:
		return r.ru
	case Kazakh:
		return r.kk
	case English:
	}
	return r.en
}

func find(id string) (row, bool) {
	if id == "" {
		return row{}, false
	}
	i, ok := slices.BinarySearchFunc(rows[:], id, func(r row, id string) int { return strings.Compare(r.id, id) })
	if !ok {
		return row{}, false
	}
	return rows[i], true
}

// Whole is a whole number of any type.
type Whole interface {
	~int | ~int32 | ~int64
}

// param is a parameter with its value.
type param struct {
	name  string
	value any
}

// with makes a message of a row with parameters. Their values are encoded at once, so that a message is a comparable text.
func with(id string, params ...param) Message {
	b := make([]byte, 0, 160)
	b = append(append(append(b, mark...), id...), mark+"{"...)
	for i, p := range params {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), p.name...), `":`...)
		b = appendValue(b, p.value)
	}
	return Message(append(b, '}'))
}

// appendValue appends a value as JSON. Texts and numbers, which nearly all values are, are written without reflection: an order's
// price has hundreds of them.
func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case string: // a caller's text is no message, whatever it holds
		return appendText(b, strings.ReplaceAll(v, mark, "\uFFFD"))
	case Message:
		return appendText(b, string(v))
	case time.Time:
		return append(encode.AppendInstant(append(b, '"'), v), '"')
	}
	encoded, err := encode.JSON(value)
	if err != nil { // a value of a caller is JSON, and all else is a text or a number
		return append(b, "null"...)
	}
	return append(b, bytes.ReplaceAll(encoded, []byte(`"\u0000`), []byte(`"\ufffd`))...)
}

func appendText(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, c := range []byte(strings.ToValidUTF8(text, "\uFFFD")) {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// Named is the message of a row that has no parameters, by the row's id. An id that no row has is a programmer's mistake, so it panics.
func Named(id string) Message {
	if _, ok := find(id); !ok {
		panic("say: no row has the id " + id)
	}
	return Message(mark + id)
}
