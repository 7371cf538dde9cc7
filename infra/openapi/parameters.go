package openapi

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/web"
)

// texts are the descriptions of parameters that mean the same everywhere. A field with a doc tag has the tag's text
// instead.
var texts = map[string]string{
	"search": "Finds records whose name has every word, anywhere and in any case; where more than the name is searched, the " +
		"operation says so.",
	"ordering": "Field names, comma-separated, each with `-` before it for descending. Unknown names are ignored. Default: newest first.",
}

func (d *document) parameters(op web.Operation, tagged bool) []*huma.Param {
	var list []*huma.Param
	shared := func(name string) { list = append(list, &huma.Param{Ref: components + "parameters/" + name}) }
	if op.Access == web.InTenant || op.Named {
		shared("tenant")
	}
	if op.Idempotent {
		shared("idempotencyKey")
	}
	listed := map[string]bool{}
	switch {
	case hasFault(op, fault.Precondition):
		shared("ifMatch")
		listed["If-Match"] = true
	case tagged && op.Method == http.MethodGet && !op.Mixed:
		shared("ifNoneMatch")
	}
	if isList(op) {
		for _, name := range []string{"page", "pageSize"} {
			shared(name)
			listed[name] = true
		}
	}
	for f := range op.Input.Fields() {
		p := &huma.Param{Description: f.Tag.Get("doc"), Schema: parameterSchema(f.Type)}
		for _, in := range []string{"path", "query", "header"} {
			if name := f.Tag.Get(in); name != "" && !listed[name] {
				p.Name, p.In, p.Required = name, in, in == "path"
			}
		}
		switch {
		case p.In == "":
			continue
		case p.In == "path":
			p.Name = web.PathName(op.Path, p.Name)
		case p.Description == "":
			p.Description = texts[p.Name]
		}
		list = append(list, p)
	}
	for _, q := range op.Query {
		if q.Names != nil { // the description of all operations tells of them
			continue
		}
		list = append(list, queryParameter(q))
	}
	return list
}

// queryParameter describes a query parameter by its type.
func queryParameter(q web.Param) *huma.Param {
	p := &huma.Param{Name: q.Name, In: "query", Description: q.Doc, Required: q.Required}
	if p.Description == "" {
		p.Description = texts[p.Name]
	}
	one := &huma.Schema{Type: huma.TypeString, Format: q.Format}
	switch q.Type {
	case web.Boolean:
		one = &huma.Schema{Type: huma.TypeBoolean}
	case web.Integer, web.IntegerList:
		one = &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
	case web.Number:
		one = &huma.Schema{Type: huma.TypeNumber}
	}
	for _, e := range q.Enum {
		one.Enum = append(one.Enum, enumValue(e, one.Type))
	}
	p.Schema = one
	if q.Type == web.TextList || q.Type == web.IntegerList {
		explode := false
		p.Style, p.Explode, p.Schema = "form", &explode, &huma.Schema{Type: huma.TypeArray, Items: one}
	}
	return p
}

// enumValue returns a value of an enumeration as its JSON type.
func enumValue(text, of string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && of == huma.TypeInteger {
		return n
	}
	return text
}

func parameterSchema(t reflect.Type) *huma.Schema {
	switch t {
	case reflect.TypeFor[int64]():
		one, end := 1.0, float64(web.EndOfIDs) // a power of ten, so exact
		return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &one, ExclusiveMaximum: &end}
	case reflect.TypeFor[uuid.UUID]():
		return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
	default:
		return &huma.Schema{Type: huma.TypeString}
	}
}
