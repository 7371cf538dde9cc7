package customfield

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// The letter of a custom field's column: a prefix, the class of its values, a colon and the name. The class is a part of it, so that a
// segment from before a field got another type has no column of the field, rather than one whose numbers mean something else.
const columnPrefix = "x:"

// Class is what the column of a custom field holds.
type Class string

// The classes.
const (
	ClassInteger Class = "i" // a number as it is, also the id of a record
	ClassDecimal Class = "a" // hundredths; a decimal field has at most two fraction digits
	ClassBoolean Class = "b" // 0 or 1
	ClassDate    Class = "d" // days since 1970
	ClassTime    Class = "m" // microseconds since 1970
	ClassText    Class = "t" // the text, folded
)

// LongestText is how many bytes a text may have so that lists can be filtered and ordered by it. A longer one counts as no value.
const LongestText = 256

// Class is what the column of the field holds; "" for HTML, which has none.
func (d *Definition) Class() Class {
	switch d.Type {
	case typeString, typeColor:
		return ClassText
	case typeInteger:
		return ClassInteger
	case typeDecimal:
		return ClassDecimal
	case typeBoolean:
		return ClassBoolean
	case typeDate:
		return ClassDate
	case typeDatetime:
		return ClassTime
	}
	if slices.Contains(references, d.Type) {
		return ClassInteger
	}
	return ""
}

// Column is the column of the field in the search of its records; false if it has none. Only fields that lists are filtered or
// ordered by have one.
func (d *Definition) Column() (c segment.Column, ok bool) {
	class := d.Class()
	return columnOf(class, d.Name), class != "" && (d.Filter || d.Table)
}

func columnOf(class Class, name string) segment.Column {
	return segment.Column{Letter: columnPrefix + string(class) + ":" + name, Text: class == ClassText}
}

// Columns are the columns of all fields, by their letters.
func (s Set) Columns() (list segment.Shape) {
	for i := range s.List {
		if c, ok := s.List[i].Column(); ok {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b segment.Column) int { return strings.Compare(a.Letter, b.Letter) })
	return list
}

// Named is the class and the name of the field whose column has a letter; false if that is no column of a custom field.
func Named(letter string) (class Class, name string, ok bool) {
	rest, ok := strings.CutPrefix(letter, columnPrefix)
	if !ok {
		return "", "", false
	}
	of, name, ok := strings.Cut(rest, ":")
	return Class(of), name, ok
}

// Scalars are the values of a free part by which lists can be filtered: booleans, numbers and texts that are not too long.
func Scalars(extra decode.JSON) map[string]any {
	var fields map[string]json.RawMessage
	if len(extra) == 0 || json.Unmarshal(extra, &fields) != nil { // another value than an object has no fields
		return nil
	}
	scalars := make(map[string]any, len(fields))
	for name, raw := range fields {
		switch raw[0] {
		case '"':
			var text string
			if json.Unmarshal(raw, &text) == nil && len(text) <= LongestText {
				scalars[name] = text
			}
		case 't', 'f':
			scalars[name] = raw[0] == 't'
		case '{', '[', 'n':
		default:
			scalars[name] = json.Number(raw)
		}
	}
	return scalars
}

// Number is a scalar as a column of a class holds it. A value of another type is none.
func (c Class) Number(scalar any) (n int64, ok bool) {
	text, _ := scalar.(string)
	switch c {
	case ClassInteger:
		n, message := integer(scalar)
		return n, message == ""
	case ClassDecimal:
		amount, err := money.ParseAmount(decimalText(scalar))
		if err != nil {
			return 0, false
		}
		return amount.Cents(), true
	case ClassBoolean:
		yes, isBoolean := scalar.(bool)
		if yes {
			n = 1
		}
		return n, isBoolean
	case ClassDate:
		_, isDate := decode.ParseDate(text)
		at, err := time.Parse(time.DateOnly, text)
		return at.Unix() / int64(24*time.Hour/time.Second), isDate && err == nil
	case ClassTime:
		at, isTime := decode.ParseDateTime(text)
		return at.UnixMicro(), isTime
	}
	return 0, false
}

// Text is a scalar as a column of texts holds it before it is folded. An empty text is none.
func (c Class) Text(scalar any) (string, bool) {
	text, ok := scalar.(string)
	return text, ok && c == ClassText && strings.TrimSpace(text) != ""
}
