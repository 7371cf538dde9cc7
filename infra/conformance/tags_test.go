package conformance_test

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/web"
)

// A tag is a promise. One that nobody reads, because its name is misspelt or because
// it means nothing on such a field, is neither kept nor described.
func TestEveryTagIsRead(t *testing.T) {
	all := unread{seen: map[reflect.Type]bool{}}
	for _, op := range operations() {
		all.input(op.Input)
		if body := op.body(); body != nil {
			all.body(body)
		}
		all.view(op.Output)
		for _, a := range op.Answers {
			all.view(a.Body)
		}
	}
	for _, at := range all.found {
		t.Error(at)
	}
}

// size is a type that states its values.
type size int64

func (size) Values() []enum.Value {
	return enum.Numbers(map[size]string{0: "small", 1: "large"})
}

func TestTagsThatNobodyReadsAreFound(t *testing.T) {
	type row struct {
		A decode.Optional[int64] `json:"a" maxlength:"3"`
	}
	type body struct {
		A decode.Optional[string]            `json:"a" maxlength:"3"`
		B decode.Optional[string]            `json:"b" minimum:"3"`
		C decode.Optional[int64]             `json:"c" maxLength:"3"`
		D decode.Optional[string]            `json:"d" format:"telephone"`
		E decode.Optional[string]            `json:"e" required:"yes"`
		F decode.Optional[string]            `json:"f" enum:"a,b" maxLength:"3"`
		G decode.Optional[int64]             `json:"g" default:"x"`
		H decode.Optional[[]decode.Row[row]] `json:"h" notEmpty:"true"`
		I decode.Optional[decode.JSON]       `json:"i" maxItems:"3"`
		J decode.Optional[string]            `json:"j" patternMessage:"x"`
		K decode.Optional[uuid.UUID]         `json:"k" format:"uuid"`
		M decode.Optional[[]money.Amount]    `json:"m" minimum:"0" maxItems:"3"`
		N decode.Optional[decode.File]       `json:"n" maxLength:"9" doc:"Right: \"it\"."`
		O decode.Optional[int64]             `json:"o" enum:"0,1" default:"1"`
		Q decode.Optional[money.Amount]      `json:"q" default:"0.00"`
		R decode.Optional[money.Amount]      `json:"r" default:"0.001"`
		S decode.Optional[string]            `json:"s" enum:"a,b" default:"b"`
		T decode.Optional[string]            `json:"t" enum:"a,b" default:"c"`
		U decode.Optional[size]              `json:"u" doc:"{values}" default:"1" enum:"0,1"`
		V decode.Optional[[]size]            `json:"v" maxItems:"3" minimum:"1"`
		W decode.Optional[int64]             `json:"w" doc:"{values}"`
		P decode.Optional[string]            `json:"p" nullable:"true" blank:"true" format:"iin" pattern:"1" patternMessage:"x"`
	}
	type inner struct {
		A string `json:"a" dock:"x"`
	}
	type view struct {
		A string  `json:"a" minimum:"3"`
		B *int64  `json:"b" nullable:"true" enum:"0,1" minimum:"0" dynamo:"b"`
		C []inner `json:"c"`
		D string  `json:"d" format:"datetime"`
		E string  `json:"e" format:"date-time"`
		F *size   `json:"f" nullable:"true" doc:"Its size: {values}" enum:"0,1"`
		G int64   `json:"g" doc:"{meanings}"`
		H []size  `json:"h" open:"true"`
		I int64   `json:"i" open:"true"`
	}
	type input struct {
		ID int64  `path:"id" documentation:"x"`
		Q  string `query:"q" doc:"x"`
	}
	all := unread{seen: map[reflect.Type]bool{}}
	all.input(reflect.TypeFor[input]())
	all.body(reflect.TypeFor[body]())
	all.body(reflect.StructOf([]reflect.StructField{{ // vet would find this one if it stood above
		Name: "L", Type: reflect.TypeFor[decode.Optional[string]](), Tag: `json:"l", maxLength:"3"`,
	}}))
	all.view(reflect.TypeFor[web.List[view]]())
	want := []string{
		"input.ID documentation", "body.A maxlength", "body.B minimum", "body.C maxLength", "body.D format", "body.E required", "body.F maxLength",
		"body.G default", "row.A maxlength", "body.I maxItems", "body.J patternMessage", "body.K format", "body.R default", "body.T default", "body.U enum", "body.V minimum", "body.W doc", ".L is malformed",
		"view.A minimum", "inner.A dock", "view.D format", "view.F enum", "view.G doc", "view.I open",
	}
	if !slices.Equal(all.found, want) {
		t.Errorf("got  %q\nwant %q", all.found, want)
	}
}

// unread collects the tags that nobody reads.
type unread struct {
	found []string
	seen  map[reflect.Type]bool
}

// fields looks at the tags of each field of a struct, which is looked at once.
func (u *unread) fields(t reflect.Type, look func(f reflect.StructField), reads func(f reflect.StructField, name, value string) bool) {
	if u.seen[t] {
		return
	}
	u.seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		look(f)
		at, rest := t.Name()+"."+f.Name, string(f.Tag)
		for rest != "" {
			m := oneTag.FindStringSubmatch(rest)
			if m == nil {
				u.found = append(u.found, at+" is malformed")
				break
			}
			if !reads(f, m[1], m[2]) {
				u.found = append(u.found, at+" "+m[1])
			}
			rest = rest[len(m[0]):]
		}
	}
}

var oneTag = regexp.MustCompile(`^(\w+):"((?:[^"\\]|\\.)*)"(?: |$)`)

func nothing(reflect.StructField) {}

// input looks at the parameters of an operation.
func (u *unread) input(t reflect.Type) {
	u.fields(t, nothing, func(f reflect.StructField, name, _ string) bool {
		return f.Name == "Rows" && name == "maxItems" || slices.Contains([]string{"path", "query", "header", "doc"}, name)
	})
}

// body looks at the fields of a body: an Optional each, of a value or a list.
func (u *unread) body(t reflect.Type) {
	u.fields(t, func(f reflect.StructField) {
		if f.Anonymous {
			u.body(f.Type)
			return
		}
		if value, _ := valueOf(f); value.Kind() == reflect.Struct && !slices.Contains(wholes, value) {
			u.body(value)
		}
	}, readsInBody)
}

// wholes are the structs that are one value.
var wholes = []reflect.Type{reflect.TypeFor[money.Amount](), reflect.TypeFor[decode.File](), reflect.TypeFor[decode.DateTime]()}

// valueOf is the type of a field's value, or of the items of its list.
func valueOf(f reflect.StructField) (value reflect.Type, isList bool) {
	value = f.Type.Field(2).Type
	if value.Kind() == reflect.Slice && value != reflect.TypeFor[decode.JSON]() {
		value, isList = value.Elem(), true
	}
	if strings.HasPrefix(value.Name(), "Row[") {
		value = value.Field(0).Type
	}
	return value, isList
}

// readsInBody tells whether the decoder or the API description reads a tag.
func readsInBody(f reflect.StructField, name, tagged string) bool {
	value, isList := valueOf(f)
	stated := enum.Of(value)
	choices := append(enum.Texts(stated), strings.Split(f.Tag.Get("enum"), ",")...)
	chosen := stated != nil || f.Tag.Get("enum") != "" // then nothing else bounds it
	isText := value == reflect.TypeFor[string]() || stated != nil && value.Kind() == reflect.String
	isInteger := value == reflect.TypeFor[int64]() || value == reflect.TypeFor[moment.Seconds]() || stated != nil && value.Kind() == reflect.Int64
	switch name {
	case "json", "example":
		return true
	case "doc":
		return namesValues(tagged, stated)
	case "required", "nullable":
		return tagged == "true"
	case "blank":
		return isText && tagged == "true"
	case "notEmpty":
		return isList && tagged == "true"
	case "maxItems":
		return isList
	case "maxLength":
		return !chosen && (isText || value == reflect.TypeFor[decode.File]())
	case "minimum", "maximum":
		return !chosen && (isInteger || value == reflect.TypeFor[money.Amount]() || value == reflect.TypeFor[decode.Duration]())
	case "enum":
		return (isText || isInteger) && stated == nil
	case "anyCase":
		return chosen && isText && tagged == "true"
	case "format":
		return !chosen && isText && slices.Contains(decode.Formats(), tagged)
	case "pattern":
		return !chosen && isText
	case "patternMessage":
		return f.Tag.Get("pattern") != ""
	case "default":
		_, err := strconv.ParseInt(tagged, 10, 64)
		_, bad := money.ParseAmount(tagged)
		return chosen && isText && slices.Contains(choices, tagged) ||
			value == reflect.TypeFor[money.Amount]() && bad == nil || isInteger && err == nil || value.Kind() == reflect.Bool && (tagged == "true" || tagged == "false")
	}
	return false
}

// namesValues tells whether a text names only values that its field's type states.
func namesValues(text string, stated []enum.Value) bool {
	return stated != nil || !strings.Contains(text, "{values}") && !strings.Contains(text, "{meanings}")
}

// view looks at the fields of an answer, and of what is within it.
func (u *unread) view(t reflect.Type) {
	for t != nil && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map}, t.Kind()) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || slices.Contains(wholes, t) {
		return
	}
	u.fields(t, func(f reflect.StructField) { u.view(f.Type) }, readsInView)
}

// readsInView tells whether the API description reads a tag, or the table does.
func readsInView(f reflect.StructField, name, tagged string) bool {
	of := f.Type
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	stated := enum.Of(of)
	switch name {
	case "json", "dynamo":
		return true
	case "doc":
		return namesValues(tagged, stated)
	case "open":
		return stated != nil && tagged == "true"
	case "nullable":
		return tagged == "true" && (f.Type.Kind() == reflect.Pointer || f.Type.Kind() == reflect.Slice)
	case "format":
		return slices.Contains([]string{"date-time", "date", "uuid", "uri", "email"}, tagged)
	case "enum":
		return stated == nil && (of.Kind() == reflect.String || of.Kind() == reflect.Int64)
	case "maxLength":
		return of.Kind() == reflect.String
	case "minimum", "maximum":
		return of.Kind() == reflect.Int64 || of.Kind() == reflect.Int
	}
	return false
}
