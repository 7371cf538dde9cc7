package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/web"
)

// parameters are those that many operations share.
func parameters() map[string]*huma.Param {
	one, largest := 1.0, float64(web.MaxPageSize)
	return map[string]*huma.Param{
		"page": {
			Name: "page", In: "query",
			Description: "The page, from 1, or `last`. A page that the list does not have is 404.",
			Schema:      &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeInteger, Minimum: &one}, {Type: huma.TypeString, Enum: []any{"last"}}}, Default: 1},
		},
		"pageSize": {
			Name: "pageSize", In: "query",
			Description: "Records on a page. 0 and what is no number give the default; more than the maximum gives the maximum.",
			Schema:      &huma.Schema{Type: huma.TypeInteger, Minimum: &one, Maximum: &largest, Default: web.DefaultPageSize},
		},
		"tenant": {
			Name: "X-Tenant-Id", In: "header",
			Description: "The company in whose context the request runs: an id that `GET /v1/tenant/` lists. Without it the " +
				"host of the request or of `Origin` decides, else it is the caller's only company.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64"},
		},
	}
}

// texts are the descriptions of parameters that mean the same everywhere; a tag
// doc beats them.
var texts = map[string]string{
	"If-Match": "ETags of the record as it was read, or `*`: the change is refused (412) where it has changed since.",

	"search":   "Finds records whose name has every word, anywhere and in any case.",
	"ordering": "Field names, comma-separated, each with `-` before it for descending. Unknown names are ignored. Default: newest first.",
}

func (d *document) parameters(op web.Operation) []*huma.Param {
	var list []*huma.Param
	shared := func(name string) { list = append(list, &huma.Param{Ref: components + "parameters/" + name}) }
	if op.Access == web.InTenant {
		shared("tenant")
	}
	listed := map[string]bool{}
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
			p.Name, p.In, p.Required = f.Tag.Get("path"), "path", true
		case f.Tag.Get("query") != "" && !listed[f.Tag.Get("query")]:
			p.Name, p.In = f.Tag.Get("query"), "query"
			if p.Description == "" {
				p.Description = texts[p.Name]
			}
		case f.Tag.Get("header") != "":
			p.Name, p.In = f.Tag.Get("header"), "header"
			if p.Description == "" {
				p.Description = texts[p.Name]
			}
		default:
			continue
		}
		list = append(list, p)
	}
	return list
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
