package openapi

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/idempotency"
)

// parameters returns the parameters that many operations share.
func parameters() map[string]*huma.Param {
	one, largest := 1.0, float64(web.MaxPageSize)
	shortest, longest := 1, idempotency.MaxKey
	return map[string]*huma.Param{
		"page": {
			Name:        "page",
			In:          "query",
			Description: "The page, from 1, or `last`. A page that the list does not have is 404.",
			Schema: &huma.Schema{
				OneOf:   []*huma.Schema{{Type: huma.TypeInteger, Minimum: &one}, {Type: huma.TypeString, Enum: []any{"last"}}},
				Default: 1,
			},
		},
		"pageSize": {
			Name: "pageSize", In: "query",
			Description: "Records on a page. 0 and what is no number give the default; more than the maximum gives the maximum.",
			Schema:      &huma.Schema{Type: huma.TypeInteger, Minimum: &one, Maximum: &largest, Default: web.DefaultPageSize},
		},
		"idempotencyKey": {
			Name: "Idempotency-Key", In: "header",
			Description: "Makes the request safe to repeat: for a day, the same request with the same key is answered as the first one " +
				"was, and happens once. A key is the caller's own, at this operation; with another request it is 422, and 409 while " +
				"the first one is under way. Only success is kept. 1 to 255 visible ASCII characters, such as a uuid.",
			Schema: &huma.Schema{Type: huma.TypeString, MinLength: &shortest, MaxLength: &longest, Pattern: "^[!-~]+$"},
		},
		"ifMatch": {
			Name: "If-Match", In: "header", Description: texts["If-Match"], Schema: &huma.Schema{Type: huma.TypeString},
		},
		"ifNoneMatch": {
			Name: "If-None-Match",
			In:   "header",
			Description: "ETags of the record as it was read, or `*`: a record that still has one of them is answered with 304, " +
				"without a body.",
			Schema: &huma.Schema{Type: huma.TypeString},
		},
		"tenant": {
			Name: "X-Tenant-Id", In: "header",
			Description: "The company in whose context the request runs: an id that `GET /v1/tenant/` lists. Without it the " +
				"host of the request or of `Origin` decides, else it is the caller's only company.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64"},
		},
	}
}

// texts are the descriptions of parameters that mean the same everywhere. A field with a doc tag has the tag's text
// instead.
var texts = map[string]string{
	"If-Match": "ETags of the record as it was read, or `*`: the change is refused (412) where it has changed since.",

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
	for i := range op.Input.NumField() {
		f := op.Input.Field(i)
		p := &huma.Param{Description: f.Tag.Get("doc"), Schema: parameterSchema(f.Type)}
		switch {
		case f.Tag.Get("path") != "":
			p.Name, p.In, p.Required = web.PathName(op.Path, f.Tag.Get("path")), "path", true
		case f.Tag.Get("query") != "" && !listed[f.Tag.Get("query")]:
			p.Name, p.In = f.Tag.Get("query"), "query"
			if p.Description == "" {
				p.Description = texts[p.Name]
			}
		case f.Tag.Get("header") != "" && !listed[f.Tag.Get("header")]:
			p.Name, p.In = f.Tag.Get("header"), "header"
			if p.Description == "" {
				p.Description = texts[p.Name]
			}
		default:
			continue
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
