package openapi

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/web"
)

// body describes the body that an operation takes, in JSON, and where it takes files in multipart.
func (d *document) body(op web.Operation, t reflect.Type) *huma.RequestBody {
	b := &bodies{
		schemas: d.outputs.registry.Map(),
		partial: op.Method == http.MethodPatch, create: op.Success() == http.StatusCreated,
	}
	if answered := fieldsOf(op.Output); len(answered) > 0 {
		b.answered = answered
	}
	content := map[string]*huma.MediaType{}
	var forms []string
	for _, media := range op.MediaTypes() {
		b.files = media == decode.TypeMultipart
		if media != decode.TypeJSON && !(b.files && hasFile(t)) {
			forms = append(forms, "`"+media+"`")
			continue
		}
		name := bodyName(op.ID)
		if b.files && hasFile(t) {
			name += "Multipart"
		}
		content[media] = &huma.MediaType{Schema: orRows(op, b.object(t, name))}
		if !b.files || !hasFile(t) { // bytes can't be shown
			b.schemas[name].Examples = []any{Example(t)}
		}
		if op.Access == web.InTenant {
			b.schemas[name].Properties[tenantField] = b.tenant()
		}
	}
	body := &huma.RequestBody{Required: b.required(t), Content: content}
	if forms != nil { // in words, because generators take media types with one schema for bodies that are all sent at once
		body.Description = "Forms with the same fields are taken too: " + strings.Join(forms, " and ") + "."
	}
	return body
}

// bodyName is the name of the schema of an operation's body. Operations on one thing at two addresses, as order-lines-create and
// order-order-lines-create, have one.
func bodyName(id string) string {
	if of, rest, _ := strings.Cut(id, "-"); strings.HasPrefix(rest, of+"-") {
		id = rest
	}
	return strings.TrimSuffix(title(id), "Request") + "Request"
}

// orRows also allows a list of a body, where the operation takes one.
func orRows(op web.Operation, one *huma.Schema) *huma.Schema {
	rows, ok := op.Input.FieldByName("Rows")
	if !ok {
		return one
	}
	most, err := strconv.Atoi(rows.Tag.Get("maxItems"))
	if err != nil {
		panic("openapi: " + op.ID + ": " + err.Error())
	}
	return &huma.Schema{OneOf: []*huma.Schema{one, {Type: huma.TypeArray, Items: one, MinItems: new(1), MaxItems: &most}}}
}

// tenantField is the name of the field that the web layer accepts in every body sent for a company.
const tenantField = "tenant"

func (b *bodies) tenant() *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeInteger, Format: "int64", Description: "The request's own company, if it is sent.",
		WriteOnly: b.answered != nil && !b.answered[tenantField],
	}
}

// bodies makes the schemas of bodies.
type bodies struct {
	schemas  map[string]*huma.Schema
	answered map[string]bool // fields of the answer; nil if it has none
	partial  bool            // PATCH: nothing is required
	create   bool            // fields that are left out get their default
	files    bool            // multipart: files are bytes, not addresses
}

func (b *bodies) required(t reflect.Type) bool {
	return !b.partial && slices.ContainsFunc(decode.Describe(t), func(f decode.Field) bool { return f.Required })
}

func (b *bodies) object(t reflect.Type, name string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}}
	for _, f := range decode.Describe(t) {
		if b.files && f.Type.Kind() == reflect.Slice && f.Type != reflect.TypeFor[decode.JSON]() &&
			f.Type.Elem() != reflect.TypeFor[decode.File]() {
			continue // a form has no way to write rows
		}
		p := b.value(f.Type, &f, name)
		doc := f.Doc
		if f.Maximum != nil && f.Type == reflect.TypeFor[money.Amount]() { // an amount is a text, whose schema can't hold a maximum
			doc = further(doc, fmt.Sprintf("At most %d.", *f.Maximum))
		}
		if f.Default != "" && b.create {
			doc = withDefault(doc, f.Default)
		}
		p.Description = strings.TrimSpace(scalars[f.Type].spelling + formats[f.Format].spelling + " " + doc)
		if f.Nullable && !b.files { // a form has no way to write null
			p = nullable(p)
		}
		if b.answered != nil && !b.answered[f.Name] {
			p.WriteOnly = true
		}
		s.Properties[f.Name] = p
		if f.Required && !b.partial {
			s.Required = append(s.Required, f.Name)
		}
	}
	b.schemas[name] = s
	return &huma.Schema{Ref: schemas + name}
}

// withDefault says in words what a field is that is left out. Generators of types take a member `default` for a promise that the field is
// always there, and then require it of callers.
func withDefault(doc, value string) string { return further(doc, "Default: "+value+".") }

// further adds a sentence to a description.
func further(doc, sentence string) string {
	if doc == "" {
		return sentence
	}
	return strings.TrimSuffix(doc, ".") + ". " + sentence
}

func (b *bodies) value(t reflect.Type, f *decode.Field, name string) *huma.Schema {
	if known, ok := scalars[t]; ok {
		return b.scalar(known.schema, t, f)
	}
	if t.Kind() == reflect.Slice {
		// The rows in a PATCH replace the stored rows, so each row has to be complete.
		rows := *b
		rows.partial, rows.answered = false, nil
		item := *f
		item.Name = singular(f.Name)
		list := &huma.Schema{Type: huma.TypeArray, Items: rows.value(t.Elem(), &item, name)}
		if f.MaxItems > 0 {
			list.MaxItems = &f.MaxItems
		}
		if f.NotEmpty {
			list.MinItems = new(1)
		}
		return list
	}
	within := *b
	within.answered = nil
	return within.object(t, name+title(f.Name))
}

// scalar adds the bounds of a field to the schema of its type.
func (b *bodies) scalar(s huma.Schema, t reflect.Type, f *decode.Field) *huma.Schema {
	switch t {
	case reflect.TypeFor[string]():
		s.Format, s.Pattern = f.Format, whole(f.Pattern)
		if f.MaxLength > 0 {
			s.MaxLength = &f.MaxLength
		}
		if !f.Blank && f.Enum == nil {
			s.MinLength = new(1)
		}
	case reflect.TypeFor[int64]():
		s.Minimum, s.Maximum = float(f.Minimum), float(f.Maximum)
	case reflect.TypeFor[money.Amount]():
		if f.Minimum != nil && *f.Minimum >= 0 {
			s.Pattern = "^" + amounts
		}
	case reflect.TypeFor[decode.File]():
		if b.files {
			s.Format = "binary"
		}
	}
	for _, e := range f.Enum {
		s.Enum = append(s.Enum, enumValue(e, s.Type))
	}
	return &s
}

// whole returns a pattern that has to match the whole text. A pattern of JSON Schema may
// otherwise match any part of it.
func whole(pattern string) string {
	if pattern == "" || strings.HasPrefix(pattern, "^") && strings.HasSuffix(pattern, "$") {
		return pattern
	}
	return "^(?:" + pattern + ")$"
}

func float(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// nullable makes a schema accept null too.
func nullable(s *huma.Schema) *huma.Schema {
	switch {
	case s.Ref != "":
		return &huma.Schema{OneOf: []*huma.Schema{{Ref: s.Ref}, {Type: "null"}}, Description: s.Description}
	case s.Type == "": // the schema allows any value, so also null
		return s
	case s.Enum != nil: // beside the values, because generators make one type of those, but several of values with null among them
		values := *s
		values.Description = ""
		return &huma.Schema{OneOf: []*huma.Schema{&values, {Type: "null"}}, Description: s.Description}
	}
	s.Nullable = true
	return s
}

func hasFile(t reflect.Type) bool {
	return slices.ContainsFunc(decode.Describe(t), func(f decode.Field) bool { return f.Type == reflect.TypeFor[decode.File]() })
}

// fieldsOf returns the names of an answer's fields.
func fieldsOf(t reflect.Type) map[string]bool {
	if t.Kind() != reflect.Struct {
		return nil
	}
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		names[jsonName(f)] = true
	}
	delete(names, "")
	delete(names, "-")
	return names
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// singular returns the name of one of several.
func singular(name string) string {
	if stem, ok := strings.CutSuffix(name, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(name, "s")
}

// title turns an operation's id or a field's name into the name of a schema.
func title(id string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
