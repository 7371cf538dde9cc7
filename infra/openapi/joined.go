package openapi

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/shared/decode"
)

// placeholder is a parameter in a path.
var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// joinedIDs is the member of an operation that lists the ids of all that it describes, where they are several.
const joinedIDs = "x-operation-ids"

// add describes one more operation. OpenAPI has no two paths that differ only in the names of their parameters, and the
// tools of most callers refuse a document that has. Where a number and a uuid stand in the same place, both operations
// are therefore described at the path of the first, and if their method is the same, as one.
func (d *document) add(op *huma.Operation) {
	form := placeholder.ReplaceAllString(op.Path, "{}")
	if d.paths[form] == "" {
		d.paths[form] = op.Path
	}
	rename(op, d.paths[form])
	if first := d.described[op.Method+" "+op.Path]; first != nil {
		join(first, op)
		return
	}
	d.described[op.Method+" "+op.Path] = op
	d.AddOperation(op)
}

// rename gives an operation the path of another, of the same form.
func rename(op *huma.Operation, path string) {
	names := placeholder.FindAllString(path, -1)
	for i, own := range placeholder.FindAllString(op.Path, -1) {
		at := slices.IndexFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "path" && "{"+p.Name+"}" == own })
		if at >= 0 {
			op.Parameters[at].Name = strings.Trim(names[i], "{}")
		}
	}
	op.Path = path
}

// join describes two operations as one.
func join(op, other *huma.Operation) {
	ids, _ := op.Extensions[joinedIDs].([]string)
	if ids == nil {
		ids = []string{op.OperationID}
	}
	all := map[string]any{joinedIDs: append(ids, other.OperationID)}
	for _, one := range []*huma.Operation{op, other} {
		if needed, ok := one.Extensions[scopeOf]; ok {
			all[scopeOf] = needed
		}
	}
	op.Extensions = all
	op.Summary += " (" + other.Summary + ")"
	op.Description += "\n\n" + other.Summary + ": " + other.Description
	op.Security = slices.Concat(op.Security, other.Security)
	if len(other.Security) == 0 {
		op.Security = append(op.Security, map[string][]string{}) // no token is needed
	}
	for _, p := range other.Parameters {
		known := slices.IndexFunc(op.Parameters, func(own *huma.Param) bool {
			return own.Ref == p.Ref && own.In == p.In && own.Name == p.Name
		})
		switch {
		case known < 0:
			op.Parameters = append(op.Parameters, p)
		case p.In == "path":
			op.Parameters[known].Schema = anyOf(op.Parameters[known].Schema, p.Schema)
		}
	}
	for status, r := range other.Responses {
		own := op.Responses[status]
		switch {
		case own == nil:
			op.Responses[status] = r
		case own.Ref == "" && r.Ref == "":
			maps.Copy(own.Headers, r.Headers)
			if own.Content != nil && r.Content != nil {
				media := own.Content[decode.TypeJSON]
				media.Schema = anyOf(media.Schema, r.Content[decode.TypeJSON].Schema)
			}
		}
	}
}

// anyOf allows what one of two schemas allows.
func anyOf(s, other *huma.Schema) *huma.Schema {
	if s.Ref == other.Ref && s.Type == other.Type && s.Format == other.Format {
		return s
	}
	return &huma.Schema{AnyOf: []*huma.Schema{s, other}}
}
