// Package openapi writes the API description, OpenAPI 3.1, from the operations
// of all groups: their paths, the tags of their bodies and the types of their
// answers. `make openapi` writes it to docs/openapi.json, which is committed
// and served at /v1/openapi.json. A test fails if that file differs from what the
// code describes.
//
// huma provides the document's types and the schemas of answers. Bodies are
// described from the rules that shared/decode enforces, so the two can't differ.
//
// What never goes in here: anything that is true of one operation only. It
// belongs in the row of that operation in the group's table.
package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

//go:generate go run ./generate

const (
	bearer     = "bearer"
	feed       = "feed"
	key        = "key"
	scopeOf    = "x-scope" // the scope that a key needs for an operation
	components = "#/components/"
	schemas    = components + "schemas/"
)

// Describe writes the description of groups as indented JSON.
func Describe(groups map[string]app.New) ([]byte, error) {
	d := newDocument()
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := groups[name](Env()).Group
		d.Tags = append(d.Tags, &huma.Tag{Name: g.Name, Description: g.Doc})
		d.resources(g.Operations)
		for _, op := range g.Operations {
			d.add(d.operation(g, op))
		}
	}
	d.webhooks()
	d.finish()
	d.events()
	encoded, err := json.Marshal(d.OpenAPI)
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, append(encoded, '\n'), "", " "); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return b.Bytes(), nil
}

// Env returns an environment with which groups can be made and described. Their operations can't be called.
func Env() app.Env { return app.Env{Table: table.Open(nil, "none")} }

type document struct {
	*huma.OpenAPI
	outputs   *outputs
	errors    map[string]*huma.Response        // the answers to errors of components.yaml
	accepted  map[reflect.Type]map[string]bool // by type of answer: the fields that bodies accept
	paths     map[string]string                // the path of each form
	described map[string]*huma.Operation       // by method and path
}

// resources notes, for each type of answer, the fields that its operations also accept in
// bodies. All other fields are read-only.
func (d *document) resources(operations []web.Operation) {
	for _, op := range operations {
		body, ok := bodyOf(op)
		if !ok || op.Output.Kind() != reflect.Struct || isAction(op) {
			continue
		}
		if d.accepted[op.Output] == nil {
			d.accepted[op.Output] = map[string]bool{tenantField: op.Access == web.InTenant}
		}
		for _, f := range decode.Describe(body) {
			d.accepted[op.Output][f.Name] = true
		}
	}
}

func (d *document) operation(g web.Group, op web.Operation) *huma.Operation {
	tagged := tags(g, op.Path)
	o := &huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path, Tags: []string{g.Name},
		Summary: op.Summary, Description: strings.TrimSpace(op.Doc + "\n\n" + whoMayCall(g, op)),
		Parameters: d.parameters(op, tagged),
		Responses:  map[string]*huma.Response{},
	}
	o.Security = []map[string][]string{}
	if op.Access != web.Public {
		o.Security = []map[string][]string{{bearer: {}}}
	}
	if op.Feed {
		o.Security = append(o.Security, map[string][]string{feed: {}})
	}
	if needed := g.Scope(op); needed != "" {
		o.Security = append(o.Security, map[string][]string{key: {string(needed)}})
		o.Extensions = map[string]any{scopeOf: needed}
	}
	if body, ok := bodyOf(op); ok {
		o.RequestBody = d.body(op, body)
	}
	d.answers(op, o.Responses)
	addHeaders(op, o.Responses, tagged, makes(g, op))
	d.faults(op, o.Responses)
	return o
}

// whoMayCall says which rights the caller needs.
func whoMayCall(g web.Group, op web.Operation) string {
	switch op.Access {
	case web.Public:
		return "Needs no token."
	case web.SignedIn:
		return "Needs a token, and no company."
	}
	needs := fmt.Sprintf("Needs a token and a company, and there at least the role `%s`", op.LeastRole())
	if op.Finance {
		needs += ", or the right to read finance"
	}
	if needed := g.Scope(op); needed != "" {
		needs += "; or a key with the scope `" + string(needed) + "`"
	}
	if op.Feed {
		needs += "; or a feed token of the company"
	}
	return needs + "."
}

func bodyOf(op web.Operation) (reflect.Type, bool) {
	f, ok := op.Input.FieldByName("Body")
	return f.Type, ok
}

// isList tells whether an operation answers in pages.
func isList(op web.Operation) bool {
	for f := range op.Input.Fields() {
		if f.Tag.Get("query") == "page" {
			return true
		}
	}
	return strings.HasPrefix(op.Output.Name(), "List[") && op.Output.PkgPath() == reflect.TypeFor[web.Page]().PkgPath()
}

// tags tells whether the record at a path has an ETag: it has one if an operation at that path says so, or obeys
// If-Match.
func tags(g web.Group, path string) bool {
	return slices.ContainsFunc(g.Operations, func(op web.Operation) bool {
		return op.Path == path && (op.Tagged || hasFault(op, fault.Precondition))
	})
}

// makes tells whether an operation makes a record, and answers it with an ETag, perhaps with what is shown only once.
func makes(g web.Group, op web.Operation) bool {
	return op.Method == http.MethodPost && op.Success() == http.StatusCreated &&
		slices.ContainsFunc(g.Operations, func(read web.Operation) bool {
			return read.Method == http.MethodGet && holds(op.Output, read.Output) && tags(g, read.Path)
		})
}

// holds tells whether a type is another one, or begins with it.
func holds(t, other reflect.Type) bool {
	return t == other ||
		t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Anonymous && t.Field(0).Type == other
}

// isAction tells whether an operation does something with a record, and takes other fields than the record has.
func isAction(op web.Operation) bool {
	return op.Method == http.MethodPost && op.Success() == http.StatusOK && hasFault(op, fault.Precondition)
}

func hasFault(op web.Operation, code fault.Code) bool { return slices.Contains(op.Faults, code) }
