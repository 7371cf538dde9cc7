package customfield

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// The greatest lengths of texts, in characters.
const (
	maxText = 10_000
	maxHTML = 100_000
)

// Reference is a record that a custom field refers to. The writer of extra has to look it up;
// if it does not exist, the field's error is say.DoesNotExist of the id.
type Reference struct {
	Field string // of extra
	Kind  kinds.Code
	ID    int64 // in the range of valid ids
}

// Check checks the extra of a record against the definitions. extra is the whole value that is about to be stored; it
// may be empty or null. Check returns the records that have to exist, and the errors by field of extra; the caller
// reports these at the field "extra".
func (s Set) Check(extra decode.JSON) (refs []Reference, errs fault.FieldErrors) {
	errs = fault.FieldErrors{}
	if len(s.List) == 0 {
		return nil, errs
	}
	values, wrong := fields(extra)
	if wrong != nil {
		return nil, wrong
	}
	for i := range s.List {
		d := &s.List[i]
		value, sent := values[d.Name]
		switch {
		case !sent && d.Required:
			errs.Add(d.Name, say.Required)
		case !sent:
		case value == nil && d.Required:
			errs.Add(d.Name, say.Null)
		case value == nil:
		case slices.Contains(references, d.Type):
			if kind, id, message := reference(d.Type, value); message != "" {
				errs.Add(d.Name, message)
			} else {
				refs = append(refs, Reference{Field: d.Name, Kind: kind, ID: id})
			}
		default:
			if message := d.wrong(value); message != "" {
				errs.Add(d.Name, message)
			}
		}
	}
	return refs, errs
}

// fields are the fields of extra, which has to be an object.
func fields(extra decode.JSON) (map[string]any, fault.FieldErrors) {
	tree, err := decode.Parse(decode.TypeJSON, extra, []string{decode.TypeJSON})
	if err == nil && tree != nil {
		err = decode.Struct(tree, new(struct{}), true) // makes the error for a value that is not an object
	}
	if f, ok := fault.As(err); ok && len(f.Fields) > 0 {
		return nil, f.Fields
	}
	if err != nil {
		return nil, fault.FieldErrors{fault.NonField: []say.Message{say.InvalidJSON}}
	}
	object, _ := tree.(map[string]any) // nil is null
	return object, nil
}

// wrong says what is wrong with a value whose type is not a reference; "" if nothing is.
func (d *Definition) wrong(value any) say.Message {
	switch d.Type {
	case typeString:
		return d.wrongText(value, maxText)
	case typeHTML:
		if message := d.wrongText(value, maxHTML); message != "" {
			return message
		}
		text, _ := value.(string)
		return wrongHTML(text)
	case typeInteger:
		_, message := integer(value)
		return message
	case typeDecimal:
		return wrongDecimal(value)
	case typeBoolean:
		if _, ok := value.(bool); !ok {
			return say.InvalidBoolean
		}
	case typeDate:
		text, _ := value.(string)
		if _, ok := decode.ParseDate(text); !ok {
			return say.InvalidDate
		}
	case typeDatetime:
		text, _ := value.(string)
		if _, ok := decode.ParseDateTime(text); !ok {
			return say.InvalidDatetime
		}
	case typeColor:
		if text, _ := value.(string); !isColor(text) {
			return say.InvalidColor
		}
	}
	return ""
}

func (d *Definition) wrongText(value any, most int) say.Message {
	text, ok := value.(string)
	switch {
	case !ok:
		return say.InvalidString
	case strings.TrimSpace(text) == "":
		if d.Required {
			return say.Blank
		}
		return ""
	case utf8.RuneCountInString(text) > most:
		return say.TooLong(most)
	case strings.ContainsRune(text, 0):
		return say.NullCharacters
	}
	if choices, _ := d.choices(); len(choices) > 0 && !slices.Contains(choices, text) {
		return say.InvalidChoice(cut(text))
	}
	return ""
}

// longestEcho is how much of a wrong value its error repeats, in characters.
const longestEcho = 100

func cut(s string) string {
	if runes := []rune(s); len(runes) > longestEcho {
		return string(runes[:longestEcho]) + "…"
	}
	return s
}

// integer reads an integer that is written as one: 5, but neither 5.0 nor 5e0 nor "5".
func integer(value any) (n int64, message say.Message) {
	number, ok := value.(json.Number)
	if !ok || strings.ContainsAny(number.String(), ".eE") {
		return 0, say.InvalidInteger
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	switch {
	case !errors.Is(err, strconv.ErrRange):
		return n, ""
	case n < 0:
		return 0, say.TooSmall(strconv.FormatInt(n, 10))
	default:
		return 0, say.TooLarge(strconv.FormatInt(n, 10))
	}
}

// reference reads the id of a record of a kind.
func reference(name string, value any) (kind kinds.Code, id int64, message say.Message) {
	number, ok := value.(json.Number)
	if !ok || strings.ContainsAny(number.String(), ".eE") {
		return "", 0, say.InvalidInteger
	}
	id, err := strconv.ParseInt(number.String(), 10, 64)
	k, known := kinds.ByName(name) // a kind that does not exist yet has no records
	if err != nil || !known || id <= 0 || id > table.MaxID {
		return "", 0, say.DoesNotExist(cut(number.String()))
	}
	return k.Code, id, ""
}

func isColor(s string) bool {
	digits, ok := strings.CutPrefix(s, "#")
	return ok && (len(digits) == 3 || len(digits) == 6) && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

// wrongDecimal says what is wrong with an amount, sent as a text or a number.
func wrongDecimal(value any) say.Message {
	if _, err := money.ParseAmount(decimalText(value)); err != nil {
		return say.Of(err)
	}
	return ""
}

func decimalText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
