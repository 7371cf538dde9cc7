package customfield

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
)

// The letter of a custom field's column: a prefix, the class of its values, a colon and the name. The class is a part of it, so that a
// segment from before a field got another type has no column of the field, rather than one whose numbers mean something else.
const columnPrefix = "x:"

// between stands in a column's name between the part of a record that the field is in and the field, where that is not the record's own
// free part. No custom field has it in its name.
const between = "\x00"

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

// Class tells what the column of the field holds. It is "" for HTML, because no list is filtered or ordered by it.
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

// Column returns the column of the field, by which the records are filtered and ordered. ok is false if the field has no column: only
// a field whose definition says Filter or Table has one.
// part is that of its key (kinds.ByField). Fields of one name and class in one part have one column, as those of cars and scooters.
func (d *Definition) Column(part string) (c segment.Column, ok bool) {
	class, name := d.Class(), d.Name
	if part != "" {
		name = part + between + name
	}
	return columnOf(class, name), class != "" && (d.Filter || d.Table)
}

func columnOf(class Class, name string) segment.Column {
	return segment.Column{Letter: columnPrefix + string(class) + ":" + name, Text: class == ClassText}
}

// Columns returns the columns of all fields of some sets, in the order of their letters.
func Columns(sets ...Set) (list segment.Shape) {
	for _, s := range sets {
		for i := range s.List {
			if c, ok := s.List[i].Column(s.Part()); ok {
				list = append(list, c)
			}
		}
	}
	slices.SortFunc(list, func(a, b segment.Column) int { return strings.Compare(a.Letter, b.Letter) })
	return slices.Compact(list)
}

// Part is the part of a record that the fields of the set are in; "" for the record's own free part.
func (s Set) Part() string {
	_, part, _ := kinds.ByField(s.SK)
	return part
}

// Idle says which flags of a definition have no effect, because no list is filtered or ordered by such a field, or no record has one.
func (d *Definition) Idle(key string) fault.FieldErrors {
	errs := fault.FieldErrors{}
	var filtered, ordered say.Message
	k, _, ok := kinds.ByField(key)
	if !ok || k.Array {
		filtered, ordered = say.KeyNeverFiltered(key), say.KeyNeverOrdered(key)
	} else if d.Class() == "" {
		filtered, ordered = say.TypeNeverFiltered(d.Type), say.TypeNeverOrdered(d.Type)
	}
	if d.Filter && filtered != "" {
		errs.Add("filter", filtered)
	}
	if d.Table && ordered != "" {
		errs.Add("table", ordered)
	}
	if d.Required && !ok {
		errs.Add("required", say.KeyWithoutRecords(key))
	}
	return errs
}

// Named reads a letter: the class of the custom field whose column has it, and its name among Scalars. ok is false for any other letter.
func Named(letter string) (class Class, name string, ok bool) {
	rest, ok := strings.CutPrefix(letter, columnPrefix)
	if !ok {
		return "", "", false
	}
	of, name, ok := strings.Cut(rest, ":")
	return Class(of), name, ok
}

// Scalars returns the values of free parts by which lists can be filtered, by their names: booleans, numbers, and texts of up to
// LongestText bytes. within are the free parts of parts of the record, by the names of these.
func Scalars(extra []byte, within map[string][]byte) map[string]any {
	scalars := scalarsOf(extra)
	maps.DeleteFunc(scalars, func(name string, _ any) bool { return strings.Contains(name, between) })
	for part, extra := range within {
		for name, scalar := range scalarsOf(extra) {
			if scalars == nil {
				scalars = map[string]any{}
			}
			scalars[part+between+name] = scalar
		}
	}
	return scalars
}

func scalarsOf(extra []byte) map[string]any {
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

// Number returns what a column of the class stores for a scalar. ok is false if the scalar has another type than the column: then the
// column stores nothing for it.
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

// Text returns what a column of texts stores for a scalar, not yet folded. ok is false for a scalar of another type, and for an empty
// text: then the column stores nothing.
func (c Class) Text(scalar any) (string, bool) {
	text, ok := scalar.(string)
	return text, ok && c == ClassText && strings.TrimSpace(text) != ""
}
