package openapi

import (
	"maps"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/web"
)

// outputs makes the schemas of answers.
type outputs struct {
	registry huma.Registry
	names    map[string]reflect.Type
}

func newOutputs() *outputs {
	huma.DefaultArrayNullable = false // a list without records is []
	o := &outputs{names: map[string]reflect.Type{}}
	o.registry = huma.NewMapRegistry(schemas, o.name)
	o.registry.RegisterTypeAlias(reflect.TypeFor[decode.JSON](), reflect.TypeFor[any]())
	return o
}

// name names a type's schema: a list of T is TList, and of two types of one
// name the second has its package's before it.
func (o *outputs) name(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := t.Name()
	if name == "" {
		return hint
	}
	if generic, of, ok := strings.Cut(strings.TrimSuffix(name, "]"), "["); ok {
		name = of[strings.LastIndex(of, ".")+1:] + generic
	}
	name = title(name)
	if other, taken := o.names[name]; taken && other != t {
		name = title(path.Base(t.PkgPath())) + name
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
		to[strconv.Itoa(a.Status)] = r
	}
}

func (d *document) answer(op web.Operation, text string, body reflect.Type) *huma.Response {
	r := &huma.Response{Description: text, Headers: requestID()}
	switch {
	case body == nil, body == reflect.TypeFor[web.None](), body == reflect.TypeFor[*web.Reply]():
	default:
		r.Content = map[string]*huma.MediaType{decode.TypeJSON: {Schema: d.outputs.schema(body, title(op.ID)+"Answer")}}
	}
	return r
}

func requestID() map[string]*huma.Header {
	return map[string]*huma.Header{"X-Request-Id": {Ref: components + "headers/X-Request-Id"}}
}

// finish completes the schemas of answers once all are known: what no body
// takes is read-only, null is a value of a nullable enumeration, and fields may
// be added later.
func (d *document) finish() {
	named := d.outputs.registry.Map()
	for name, t := range d.outputs.names {
		s, accepted := named[name], d.accepted[t]
		if s == nil {
			continue
		}
		s.AdditionalProperties = nil
		for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
			p := s.Properties[field]
			if p.Nullable && p.Enum != nil && !slices.Contains(p.Enum, nil) {
				p.Enum = append(p.Enum, nil)
			}
			switch {
			case accepted == nil || accepted[field]:
			case p.Ref != "": // nothing may stand beside a reference in older tools
				s.Properties[field] = &huma.Schema{AllOf: []*huma.Schema{{Ref: p.Ref}}, Description: p.Description, ReadOnly: true}
			default:
				p.ReadOnly = true
			}
		}
	}
}
