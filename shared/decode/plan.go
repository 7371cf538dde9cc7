package decode

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/say"
)

// Field is what the tags of a field in a body say.
type Field struct {
	Name      string
	Type      reflect.Type // of the value, without its Optional, as callers send it; see sentAs
	Required  bool
	Nullable  bool
	Blank     bool
	MaxLength int
	MaxItems  int  // of a list; 0 is any number
	NotEmpty  bool // of a list
	Minimum   *int64
	Maximum   *int64
	Enum      []string
	AnyCase   bool // of Enum
	Format    string
	Pattern   string
	Default   string // at a create, for the API description
	Doc       string // for the API description
	Example   string // for the API description: a text as it is, any other value as JSON

	index          []int // the path of reflect.Value.FieldByIndex
	pattern        *regexp.Regexp
	patternMessage say.Message
}

// Describe lists the fields of a body. A struct that this package can't fill is a programming
// mistake, so Describe panics. It does so when the process starts, because the web layer
// describes the bodies of all operations then.
func Describe(t reflect.Type) []Field {
	if cached, ok := plans.Load(t); ok {
		list, _ := cached.([]Field) // nothing else is stored
		return list
	}
	var list []Field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, inner := range Describe(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				list = append(list, inner)
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			panic(fmt.Sprintf("decode: %s.%s has no name", t, f.Name))
		}
		o := f.Type
		if o.Kind() != reflect.Struct || o.NumField() != 3 || o.Field(0).Name != "Set" || o.Field(1).Name != "Null" ||
			o.Field(2).Name != "Value" {
			panic(fmt.Sprintf("decode: %s.%s is not Optional", t, f.Name))
		}
		list = append(list, fieldOf(f, name, []int{i}))
	}
	plans.Store(t, list)
	return list
}

var plans sync.Map // reflect.Type → []Field

func fieldOf(f reflect.StructField, name string, index []int) Field {
	field := Field{
		Name: name, Type: f.Type.Field(2).Type, index: index,
		Required: f.Tag.Get("required") == "true",
		Nullable: f.Tag.Get("nullable") == "true",
		Blank:    f.Tag.Get("blank") == "true",
		Minimum:  bound(f.Tag.Get("minimum")),
		Maximum:  bound(f.Tag.Get("maximum")),
		Format:   f.Tag.Get("format"),
		Pattern:  f.Tag.Get("pattern"),
		Default:  f.Tag.Get("default"),
		Doc:      f.Tag.Get("doc"),
		Example:  f.Tag.Get("example"),
		NotEmpty: f.Tag.Get("notEmpty") == "true",

		patternMessage: say.Named(cmp.Or(f.Tag.Get("patternMessage"), say.PatternMismatch.ID())),
	}
	field.MaxLength, field.MaxItems = limit(f, "maxLength"), limit(f, "maxItems")
	field.AnyCase = f.Tag.Get("anyCase") == "true"
	if e := f.Tag.Get("enum"); e != "" {
		field.Enum = strings.Split(e, ",")
	}
	field.state()
	if field.Pattern != "" {
		field.pattern = regexp.MustCompile(`^(?:` + field.Pattern + `)$`)
	}
	item := field.Type
	if item.Kind() == reflect.Slice && !isScalar(item) {
		if item = item.Elem(); keepsErrors(item) {
			item = item.Field(0).Type
			field.Type = reflect.SliceOf(item) // which is what callers send
		}
	}
	if !isScalar(item) {
		if item.Kind() != reflect.Struct {
			panic(fmt.Sprintf("decode: a body has a field of type %s", field.Type))
		}
		Describe(item)
	}
	return field
}

// state takes the values that the field's type states, or that of its items. Callers send them as plain integers or texts, as
// they send seconds.
func (f *Field) state() {
	isList := f.Type.Kind() == reflect.Slice && !isScalar(f.Type)
	item := f.Type
	if isList {
		item = item.Elem()
	}
	if values := enum.Of(item); values != nil {
		f.Enum, f.Doc = enum.Texts(values), enum.Describe(f.Doc, values)
	}
	sent := sentAs(item)
	switch {
	case sent == item:
	case isList:
		f.Type = reflect.SliceOf(sent)
	default:
		f.Type = sent
	}
}

// limit reads a tag that is a number above zero; it returns 0 if there is none.
func limit(f reflect.StructField, tag string) int {
	s := f.Tag.Get(tag)
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		panic("decode: " + tag + " " + s)
	}
	return n
}

// bound reads a bound of integers. A bound beyond 64 bits has no effect, because integers of
// that size are refused anyway.
func bound(s string) *int64 {
	if s == "" {
		return nil
	}
	if !isInteger(s) {
		panic("decode: bound " + s)
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}
