package openapi

import (
	"maps"
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
)

// outputs makes the schemas of answers.
type outputs struct {
	registry huma.Registry
	names    map[string]reflect.Type
}

func newOutputs() *outputs {
	huma.DefaultArrayNullable = false // an empty list is [], not null
	o := &outputs{names: map[string]reflect.Type{}}
	o.registry = huma.NewMapRegistry(schemas, o.name)
	o.registry.RegisterTypeAlias(reflect.TypeFor[decode.JSON](), reflect.TypeFor[any]())
	o.registry.RegisterTypeAlias(reflect.TypeFor[say.Message](), reflect.TypeFor[string]()) // it is said before it leaves
	o.registry.RegisterTypeAlias(reflect.TypeFor[money.Amount](), reflect.TypeFor[answered[money.Amount]]())
	o.registry.RegisterTypeAlias(reflect.TypeFor[decode.Date](), reflect.TypeFor[answered[decode.Date]]())
	o.registry.RegisterTypeAlias(reflect.TypeFor[decode.DateTime](), reflect.TypeFor[answered[decode.DateTime]]())
	o.registry.RegisterTypeAlias(reflect.TypeFor[decode.Duration](), reflect.TypeFor[answered[decode.Duration]]())
	return o
}

// called are the names of schemas whose types have a name that is clear in their package alone, or that generators of clients take for
// something of their own: openapi-python-client calls Client what sends requests.
var called = map[string]string{
	"clients.Client":       "ClientRecord",
	"document.Seen":        "SigningView",
	"document.SeenCompany": "SigningCompany",
	"document.SeenConfirm": "SigningConfirmation",
	"document.SeenConsent": "SigningConsent",
	"document.SeenFile":    "SigningFile",
	"document.SeenOther":   "SigningOther",
	"document.SeenSign":    "SigningSign",
	"document.SeenText":    "SigningText",
}

// name returns the name of a type's schema. A list of T is TList. If two types have the
// same name, the second one begins with the name of its package, and a list with that of its items' package.
func (o *outputs) name(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := t.Name()
	if name == "" {
		return hint
	}
	from := t.PkgPath()
	if generic, of, ok := strings.Cut(strings.TrimSuffix(name, "]"), "["); ok {
		dot := strings.LastIndex(of, ".")
		name, from = of[dot+1:]+generic, of[:max(dot, 0)]
	}
	if better := called[path.Base(from)+"."+name]; better != "" {
		name = better
	}
	name = title(name)
	if other, taken := o.names[name]; taken && other != t {
		name = title(path.Base(from)) + name
	}
	o.names[name] = t
	return name
}

func (o *outputs) schema(t reflect.Type, hint string) *huma.Schema {
	return o.registry.Schema(t, true, hint)
}

// answers describes the answers of success.
func (d *document) answers(op web.Operation, to map[string]*huma.Response) {
	to[strconv.Itoa(op.Success())] = d.answer(op, http.StatusText(op.Success()), op.Output)
	for _, a := range op.Answers {
		r := d.answer(op, a.Doc, a.Body)
		for name, meaning := range a.Header {
			r.Headers[name] = &huma.Header{Description: meaning, Schema: &huma.Schema{Type: huma.TypeString}}
		}
		status := strconv.Itoa(a.Status)
		media := r.Content[decode.TypeJSON]
		if other := to[status]; other != nil && other.Content != nil && media != nil { // one status with bodies of two shapes
			maps.Copy(r.Headers, other.Headers)
			if first := other.Content[decode.TypeJSON].Schema; !reflect.DeepEqual(first, media.Schema) {
				r.Description = other.Description + " " + r.Description
				media.Schema = &huma.Schema{OneOf: []*huma.Schema{first, media.Schema}}
			}
		}
		to[status] = r
	}
}

func (d *document) answer(op web.Operation, text string, body reflect.Type) *huma.Response {
	r := &huma.Response{Description: text, Headers: requestID()}
	switch {
	case body == nil, body == reflect.TypeFor[web.None]():
	case body == reflect.TypeFor[web.HTML]():
		r.Content = map[string]*huma.MediaType{"text/html": {Schema: &huma.Schema{Type: huma.TypeString}}}
	default:
		r.Content = map[string]*huma.MediaType{decode.TypeJSON: {Schema: d.outputs.schema(body, title(op.ID)+"Answer")}}
	}
	return r
}

// addHeaders describes the headers that tell about a record: either the record at the
// operation's own path, or the record that the operation makes below that path.
func addHeaders(op web.Operation, to map[string]*huma.Response, tagged, makes bool) {
	success := to[strconv.Itoa(op.Success())]
	share := func(name string) { success.Headers[name] = &huma.Header{Ref: components + "headers/" + name} }
	if op.Idempotent {
		share("Idempotent-Replayed")
	}
	if op.Draws {
		share("RateLimit")
		share("RateLimit-Policy")
	}
	if makes {
		share("ETag")
		share("Location")
	}
	if !tagged || success.Content == nil {
		return
	}
	share("ETag")
	if op.Method == http.MethodGet && !op.Mixed {
		h := requestID()
		h["ETag"] = &huma.Header{Ref: components + "headers/ETag"}
		to[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "The record has the ETag of If-None-Match.", Headers: h}
	}
}

// adjust lists the values of the fields of an answer whose types state them, and names them in their descriptions. It allows null for
// fields that are pointers to objects.
func adjust(s *huma.Schema, t reflect.Type) {
	for _, f := range reflect.VisibleFields(t) {
		name := jsonName(f)
		p := s.Properties[name]
		if p == nil {
			continue
		}
		if p.Ref != "" && f.Type.Kind() == reflect.Pointer {
			s.Properties[name] = nullable(p)
		}
		of := f.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		values := enum.Of(of)
		if values == nil {
			continue
		}
		p.Description = enum.Describe(p.Description, values)
		if f.Tag.Get("open") == "true" { // more values may come
			continue
		}
		if p.Type == huma.TypeArray {
			p = p.Items
		}
		for _, v := range values {
			p.Enum = append(p.Enum, enumValue(v.Text, p.Type))
		}
	}
}

func requestID() map[string]*huma.Header {
	return map[string]*huma.Header{"X-Request-Id": {Ref: components + "headers/X-Request-Id"}}
}

// finish completes the schemas of answers once all are known: fields that no body takes
// are read-only, nullable enumerations have null beside their values, and further fields may be
// added later.
func (d *document) finish() {
	named := d.outputs.registry.Map()
	for name, t := range d.outputs.names {
		s, accepted := named[name], d.accepted[t]
		if s == nil {
			continue
		}
		s.AdditionalProperties = nil
		adjust(s, t)
		for field, p := range s.Properties {
			if p.Nullable && p.Enum != nil {
				p.Nullable = false
				p = nullable(p)
				s.Properties[field] = p
			}
			switch {
			case accepted == nil || accepted[field]:
			case p.Ref != "": // older tools ignore everything beside a reference
				s.Properties[field] = &huma.Schema{AllOf: []*huma.Schema{{Ref: p.Ref}}, Description: p.Description, ReadOnly: true}
			default:
				p.ReadOnly = true
			}
		}
	}
}
