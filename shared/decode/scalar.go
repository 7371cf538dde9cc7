package decode

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// scalar writes one value to dst, or returns what is wrong with it.
type scalar func(value any, dst reflect.Value, f *Field) (message say.Message)

var (
	jsonType     = reflect.TypeFor[JSON]()
	dateTimeType = reflect.TypeFor[DateTime]()

	scalars = map[reflect.Type]scalar{
		jsonType:                        toJSON,
		reflect.TypeFor[string]():       toText,
		reflect.TypeFor[int64]():        toInteger,
		reflect.TypeFor[bool]():         toBoolean,
		reflect.TypeFor[File]():         toFile,
		reflect.TypeFor[uuid.UUID]():    toUUID,
		reflect.TypeFor[Date]():         toDate,
		reflect.TypeFor[money.Amount](): toAmount,
		reflect.TypeFor[Time]():         toTime,
		reflect.TypeFor[Duration]():     toDuration,
	}
)

func isScalar(t reflect.Type) bool {
	_, ok := scalars[sentAs(t)]
	return ok || t == dateTimeType
}

// sentAs is what callers send for a type: int64 for seconds, and int64 or string for one that states its values.
func sentAs(t reflect.Type) reflect.Type {
	switch {
	case t == reflect.TypeFor[moment.Seconds]():
		return reflect.TypeFor[int64]()
	case enum.Is(t) && t.Kind() == reflect.String:
		return reflect.TypeFor[string]()
	case enum.Is(t):
		return reflect.TypeFor[int64]()
	}
	return t
}

func toText(value any, dst reflect.Value, f *Field) say.Message {
	if f.Enum != nil {
		s, ok := f.choose(value)
		if !ok && !(s == "" && f.Blank) {
			return badChoice(s)
		}
		dst.SetString(s)
		return ""
	}
	var s string
	switch v := value.(type) {
	case string:
		s = strings.TrimSpace(v)
	case json.Number:
		s = v.String()
	default:
		return say.InvalidString
	}
	switch {
	case s == "" && !f.Blank:
		return say.Blank
	case s == "":
	case f.MaxLength > 0 && utf8.RuneCountInString(s) > f.MaxLength:
		return say.TooLong(f.MaxLength)
	case strings.ContainsRune(s, 0):
		return say.NullCharacters
	case f.pattern != nil && !f.pattern.MatchString(s):
		return f.patternMessage
	}
	s, message := f.usual(s)
	dst.SetString(s)
	return message
}

// choose finds a value among the field's choices. It compares whole texts: " 1 " and 1.0 are
// not the choice 1.
func (f *Field) choose(value any) (string, bool) {
	s := text(value)
	if f.AnyCase {
		plain := strings.ReplaceAll(s, "_", "")
		if i := slices.IndexFunc(f.Enum, func(choice string) bool { return strings.EqualFold(choice, plain) }); i >= 0 {
			return f.Enum[i], true
		}
	}
	return s, slices.Contains(f.Enum, s)
}

// longestEcho is how much of a wrong value its error repeats.
const longestEcho = 100

func badChoice(s string) say.Message {
	if runes := []rune(s); len(runes) > longestEcho {
		s = string(runes[:longestEcho]) + "…"
	}
	return say.InvalidChoice(s)
}

// text returns a value in the form that a choice or an error shows.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "True"
		}
		return "False"
	case File:
		return v.Name
	}
	encoded, _ := encode.JSON(value) // a tree that came from JSON
	return string(encoded)
}

// longest is the length above which a number in a string is refused without parsing it.
const longest = 1000

// isInteger tells whether a text consists of digits, with or without a sign.
func isInteger(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func toInteger(value any, dst reflect.Value, f *Field) say.Message {
	if f.Enum != nil {
		s, ok := f.choose(value)
		n, err := strconv.ParseInt(s, 10, 64)
		if !ok || err != nil {
			return badChoice(s)
		}
		dst.SetInt(n)
		return ""
	}
	var s string
	switch v := value.(type) {
	case string:
		s = strings.TrimSpace(v)
	case json.Number:
		s = plain(v.String())
	default:
		return say.InvalidInteger
	}
	if len(s) > longest {
		return say.TextTooLarge
	}
	if whole, zeros, ok := strings.Cut(s, "."); ok && strings.Trim(zeros, "0") == "" {
		s = whole
	}
	if !isInteger(s) {
		return say.InvalidInteger
	}
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case f.Minimum != nil && n < *f.Minimum:
		return atLeast(*f.Minimum)
	case f.Maximum != nil && n > *f.Maximum:
		return atMost(*f.Maximum)
	case err != nil && n < 0: // beyond 64 bits
		return atLeast(n)
	case err != nil:
		return atMost(n)
	}
	dst.SetInt(n)
	return ""
}

// plain rewrites a JSON number without its exponent, if it is an integer that a float holds
// exactly.
func plain(s string) string {
	if !strings.ContainsAny(s, "eE") {
		return s
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil && x == math.Trunc(x) && math.Abs(x) < 1e16 {
		return strconv.FormatInt(int64(x), 10)
	}
	return s
}

func atMost(n int64) say.Message {
	return say.TooLarge(strconv.FormatInt(n, 10))
}

func atLeast(n int64) say.Message {
	return say.TooSmall(strconv.FormatInt(n, 10))
}

func toAmount(value any, dst reflect.Value, f *Field) say.Message {
	var s string
	switch v := value.(type) {
	case string:
		s = strings.TrimSpace(v)
	case json.Number:
		s = v.String()
	}
	if len(s) > longest {
		return say.TextTooLarge
	}
	amount, err := money.ParseAmount(s)
	switch {
	case err != nil:
		return say.Of(err)
	case f.Minimum != nil && amount.Cmp(money.Whole(*f.Minimum)) < 0:
		return atLeast(*f.Minimum)
	case f.Maximum != nil && amount.Cmp(money.Whole(*f.Maximum)) > 0:
		return atMost(*f.Maximum)
	}
	dst.Set(reflect.ValueOf(amount))
	return ""
}

func toBoolean(value any, dst reflect.Value, _ *Field) say.Message {
	var s string
	switch v := value.(type) {
	case bool:
		dst.SetBool(v)
		return ""
	case json.Number:
		s = strings.TrimSuffix(v.String(), ".0")
	case string:
		s = v
	}
	b, ok := ParseBoolean(s)
	if !ok {
		return say.InvalidBoolean
	}
	dst.SetBool(b)
	return ""
}

// ParseBoolean reads the spellings of true and false that a body or a query may have.
func ParseBoolean(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "t", "yes", "y", "on", "1":
		return true, true
	case "false", "f", "no", "n", "off", "0":
		return false, true
	}
	return false, false
}

// ParseInteger reads an integer from a query.
func ParseInteger(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && isInteger(s)
}

func toJSON(value any, dst reflect.Value, _ *Field) say.Message {
	if d, ok := value.(document); ok {
		tree, err := parseJSON([]byte(d))
		if err != nil {
			return say.InvalidJSON
		}
		value = tree
	}
	if !numbersFit(value) {
		return say.NumberOutOfRange
	}
	encoded, err := encode.JSON(value)
	if err != nil {
		return say.InvalidJSON
	}
	if hasNull(encoded) {
		return say.NullCharacters
	}
	dst.SetBytes(encoded)
	return ""
}

// hasNull tells whether a text in JSON begins with the character NUL, as messages do (package say): no caller's text may be one.
func hasNull(encoded []byte) bool { return bytes.Contains(encoded, []byte(`"\u0000`)) }

func toUUID(value any, dst reflect.Value, _ *Field) say.Message {
	s, _ := value.(string)
	s = strings.TrimSpace(s)
	id, err := uuid.Parse(s)
	if err != nil || len(s) != 36 && len(s) != 32 {
		return say.InvalidUUID
	}
	dst.Set(reflect.ValueOf(id))
	return ""
}

func toFile(value any, dst reflect.Value, f *Field) say.Message {
	switch v := value.(type) {
	case File:
		if len(v.Data) == 0 {
			return say.EmptyFile
		}
		dst.Set(reflect.ValueOf(v))
		return ""
	case string:
		var uri string
		if m := toText(v, reflect.ValueOf(&uri).Elem(), &Field{Format: "uri", MaxLength: f.MaxLength}); m != "" {
			return m
		}
		dst.Set(reflect.ValueOf(File{URI: uri}))
		return ""
	}
	return say.InvalidString
}
