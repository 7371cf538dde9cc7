package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

// outputs are the files that hold lists of groups, by their templates.
const (
	mapFile = "infra/groups/groups_gen.go"
	mapText = `// Code generated from template.yaml by infra/groups/generate; DO NOT EDIT.

package groups

import (
	{{range .}}"github.com/tenantry/tenantry/functions/{{.}}"
	{{end}}"github.com/tenantry/tenantry/shared/function"
)

// All are the endpoint groups by name.
func All() map[string]function.New {
	return map[string]function.New{
		{{range .}}"{{.}}": {{.}}.New,
		{{end}}
	}
}
`

	workFile = "functions/outbox/groups_gen.go"
	workText = `// Code generated from template.yaml by infra/groups/generate; DO NOT EDIT.

package outbox

import (
	{{range .}}"github.com/tenantry/tenantry/functions/{{.}}"
	{{end}}"github.com/tenantry/tenantry/shared/function"
)

// groups are the endpoint groups, whose messages the worker carries out.
func groups() []function.New {
	return []function.New{
		{{range .}}{{.}}.New,
		{{end}}
	}
}
`

	mainText = `// Code generated from template.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function of the group {{.}}.
package main

import (
	"github.com/tenantry/tenantry/functions/{{.}}"
	"github.com/tenantry/tenantry/shared/function"
)

func main() { function.Main({{.}}.New) }
`
)

// generate gives the content of each file by its name below root.
func generate(root string) (map[string][]byte, error) {
	deployed, err := samtemplate.Load(filepath.Join(root, "template.yaml"))
	if err != nil {
		return nil, err
	}
	groups := groupsOf(deployed)
	if len(groups) == 0 {
		return nil, fmt.Errorf("template.yaml has no function with a route")
	}
	files := map[string][]byte{}
	write := func(name, text string, data any) error {
		var b bytes.Buffer
		if err := template.Must(template.New(name).Parse(text)).Execute(&b, data); err != nil {
			return err
		}
		content, err := format.Source(b.Bytes())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files[name] = content
		return nil
	}
	for _, group := range groups {
		if err := hasNew(filepath.Join(root, "functions", group)); err != nil {
			return nil, err
		}
		if err := write("functions/"+group+"/lambda/main.go", mainText, group); err != nil {
			return nil, err
		}
	}
	if err := write(mapFile, mapText, groups); err != nil {
		return nil, err
	}
	if err := write(workFile, workText, groups); err != nil {
		return nil, err
	}
	return files, nil
}

// groupsOf lists the groups that have a route, sorted.
func groupsOf(t *samtemplate.Template) []string {
	names := map[string]bool{}
	for _, r := range t.Routes {
		names[t.Functions[r.Function].Group()] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// hasNew makes sure that a folder is a package named like it with the function
// that makes a group.
func hasNew(folder string) error {
	name := filepath.Base(folder)
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "New" && parsed.Name.Name == name {
				return nil
			}
		}
	}
	return fmt.Errorf("functions/%s: no package %s with a function New", name, name)
}
