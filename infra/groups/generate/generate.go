package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/tenantry/tenantry/shared/app"
)

// These are the generated files that list the groups, and their templates.
const (
	mapFile = "infra/groups/groups_gen.go"
	mapText = `// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package groups

import (
	{{range .}}"github.com/tenantry/tenantry/functions/{{.Name}}"
	{{end}}"github.com/tenantry/tenantry/shared/app"
)

// All are the endpoint groups by name.
func All() map[string]app.New {
	return map[string]app.New{
		{{range .}}{{if not .Invoked}}"{{.Name}}": {{.Name}}.New,
		{{end}}{{end}}
	}
}

// Invoked are the functions without operations by name, which others call.
func Invoked() map[string]app.NewFunction {
	return map[string]app.NewFunction{
		{{range .}}{{if .Invoked}}"{{.Name}}": {{.Name}}.New,
		{{end}}{{end}}
	}
}
`

	workFile = "functions/worker/groups_gen.go"
	// This list names handlers of messages and not groups: otherwise the worker would link the code of all operations,
	// and start later. A group whose package itself makes a start later has its handlers in a package clerk.
	workText = `// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package worker

import (
	{{range .}}{{if .Clerk}}{{.Name}} "github.com/tenantry/tenantry/functions/{{.Name}}/clerk"{{else -}}
	"github.com/tenantry/tenantry/functions/{{.Name}}"{{end}}
	{{end}}"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
)

// works say what the messages of the endpoint groups mean, by the group's name.
func works() map[string]func(app.Env) outbox.Work {
	return map[string]func(app.Env) outbox.Work{
		{{range .}}"{{.Name}}": {{.Name}}.Work,
		{{end}}
	}
}
`

	// packText names kinds and not groups, for the same reason.
	packText = `// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package {{.Name}}

import (
	"slices"

	{{range .Groups}}"github.com/tenantry/tenantry/functions/{{.}}"
	{{end}}"github.com/tenantry/tenantry/shared/record/search"
)

// searched are the kinds of all groups that are searched.
func searched() []search.Kind {
	return slices.Concat(
		{{range .Groups}}{{.}}.Searched(),
		{{end}}
	)
}
`

	mainText = `// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

// Command lambda is the Lambda function {{if .Invoked}}{{.Name}}, which others call{{else}}of the group {{.Name}}{{end}}.
package main

import (
	"github.com/tenantry/tenantry/functions/{{.Name}}"
	"github.com/tenantry/tenantry/shared/app"
	{{- if .Calls}}
	"github.com/tenantry/tenantry/shared/invoke/awslambda"{{end}}
	{{- if or .Keys .Seals}}
	"github.com/tenantry/tenantry/shared/keys/awskms"{{end}}
)

func main() { {{- template "main" .}} }

{{- define "main"}} app.{{if .Invoked}}Called{{else}}Main{{end}}({{.Name}}.New
	{{- if .Keys}}, app.WithKeys(awskms.New){{end}}
	{{- if .Seals}}, app.WithSealKey(awskms.New){{end}}
	{{- if .Calls}}, app.WithCalls(awslambda.New){{end}}) {{end}}
`
)

// generate returns the content of each file by its path below root.
func generate(root string) (map[string][]byte, error) {
	all, err := declarations(root)
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(filepath.Join(root, templateFile))
	if err != nil {
		return nil, err
	}
	others := map[string]access{}
	for _, name := range roles() {
		if others[name], err = readRole(root, name); err != nil {
			return nil, err
		}
	}
	for i, d := range all {
		if d.Packs {
			all[i].access = merging(d.access, all)
			if err := all[i].access.check(); err != nil {
				return nil, fmt.Errorf("functions/%s, which packs what is searched: %w", d.Name, err)
			}
		}
	}
	if source, err = deployed(source, all, others); err != nil {
		return nil, err
	}
	files := map[string][]byte{templateFile: source}
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
	var working []group
	var searching []string
	for _, d := range all {
		found, err := read(filepath.Join(root, "functions", d.Name))
		if err != nil {
			return nil, err
		}
		if declared := len(d.Signing)+len(d.Codes)+len(d.Refresh)+len(d.Chain) > 0; found.Keys != declared {
			return nil, fmt.Errorf("functions/%s: the code uses env.Keys: %t, and %s names actions on keys: %t",
				d.Name, found.Keys, declarationFile, declared)
		}
		if found.Seals != (len(d.Seal) > 0) {
			return nil, fmt.Errorf("functions/%s: the code uses env.SealSigner: %t, and %s names actions on that key: %t",
				d.Name, found.Seals, declarationFile, len(d.Seal) > 0)
		}
		declared := slices.Compact(slices.Sorted(slices.Values(slices.Concat(d.Calls, d.WorkerCalls))))
		if !slices.Equal(found.Calls, declared) {
			return nil, fmt.Errorf("functions/%s: the code calls %v, and %s names %v", d.Name, found.Calls, declarationFile, declared)
		}
		if found.Work {
			working = append(working, found)
		}
		if found.Searched {
			searching = append(searching, d.Name)
		}
		if err := write("functions/"+d.Name+"/lambda/main.go", mainText, program{found.Keys, found.Seals, d}); err != nil {
			return nil, err
		}
	}
	if err := write(mapFile, mapText, all); err != nil {
		return nil, err
	}
	if err := write(workFile, workText, working); err != nil {
		return nil, err
	}
	for _, d := range all {
		if d.Packs {
			data := map[string]any{"Name": d.Name, "Groups": searching}
			if err := write("functions/"+d.Name+"/groups_gen.go", packText, data); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// program is a function's main package.
type program struct {
	Keys, Seals bool
	declaration
}

// group is what the source code of a group, or of an invoked function, tells about it.
type group struct {
	Name  string
	Work  bool     // it has a function Work, which says what its messages mean
	Clerk bool     // that function is in its package clerk
	Keys  bool     // it uses the platform's keys: env.Keys
	Seals bool     // it uses the key that seals: env.SealSigner
	Calls []string // the functions that it calls: render for env.Render, seal for env.Seal

	Searched bool // it has a function Searched, which lists its kinds that are searched
}

// read reads the source code of a folder, and of its clerk if it has one. The folder has to be a package of the same name,
// with the function that makes the group.
func read(folder string) (group, error) {
	g, made := group{Name: filepath.Base(folder)}, false
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return g, err
	}
	clerks, err := filepath.Glob(filepath.Join(folder, "clerk", "*.go"))
	if err != nil {
		return g, err
	}
	for _, file := range slices.Concat(files, clerks) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return g, err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				made = made || n.Recv == nil && n.Name.Name == "New" && parsed.Name.Name == g.Name
				if n.Recv == nil && n.Name.Name == "Work" {
					g.Work, g.Clerk = true, parsed.Name.Name == "clerk"
				}
				g.Searched = g.Searched || n.Recv == nil && n.Name.Name == "Searched"
			case *ast.SelectorExpr:
				if !named(n.X, "env") {
					break
				}
				g.Keys = g.Keys || n.Sel.Name == "Keys"
				g.Seals = g.Seals || n.Sel.Name == "SealSigner"
				callee := strings.ToLower(n.Sel.Name)
				if new(app.Env).Callee(callee) != nil && !slices.Contains(g.Calls, callee) {
					g.Calls = append(g.Calls, callee)
				}
			}
			return true
		})
	}
	slices.Sort(g.Calls)
	if !made {
		return g, fmt.Errorf("functions/%s: no package %s with a function New", g.Name, g.Name)
	}
	return g, nil
}

func named(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
