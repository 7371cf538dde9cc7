package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/tenantry/tenantry/shared/kinds"
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
	others := map[string]role{}
	for _, name := range roles() {
		others[name], err = readRole(root, name)
		if err == nil {
			err = areInvoked(all, others[name].Calls)
		}
		if err != nil {
			return nil, fmt.Errorf("functions/%s: %w", name, err)
		}
	}
	for i, d := range all {
		if d.Packs {
			all[i].access = merging(d.access, all)
		}
		if len(all[i].Indexes[changesIndex]) > 0 && d.Memory == 0 {
			all[i].Memory = searchingMemory
		}
	}
	if source, err = deployed(source, all, others); err != nil {
		return nil, err
	}
	files := map[string][]byte{templateFile: source}
	texts := template.Must(template.ParseFS(templates, "templates/*.go.tmpl"))
	write := func(name, text string, data any) {
		var b bytes.Buffer
		failed := texts.ExecuteTemplate(&b, text, data)
		if failed == nil {
			files[name], failed = format.Source(b.Bytes())
		}
		if failed != nil && err == nil {
			err = fmt.Errorf("%s: %w", name, failed)
		}
	}
	var groups []group
	var searching []string
	for _, d := range all {
		g := read(root, d.Name)
		groups = append(groups, g)
		if g.Searched {
			searching = append(searching, d.Name)
		}
		write("functions/"+d.Name+"/lambda/main.go", "main.go.tmpl", d)
	}
	write("infra/groups/groups_gen.go", "groups.go.tmpl", all)
	for name, work := range workers() {
		write("functions/"+name+"/groups_gen.go", "worker.go.tmpl", map[string]any{"Name": name, "Groups": working(groups, work)})
	}
	for _, d := range all {
		if d.Packs {
			write("functions/"+d.Name+"/groups_gen.go", "searched.go.tmpl", map[string]any{"Name": d.Name, "Groups": searching})
		}
		if d.Shows {
			write("functions/"+d.Name+"/groups_gen.go", "shown.go.tmpl", map[string]any{"Name": d.Name, "Groups": showing(all)})
		}
	}
	return files, err
}

// workers are the functions that carry out messages, each with the names of functions of groups that say what its messages mean, by their
// lane. What is urgent and fails is tried again with what is normal.
func workers() map[string][]string {
	return map[string][]string{"urgent": {"Urgent"}, "worker": {"Urgent", "Work"}, "bulk": {"Bulk"}}
}

// shown is a group, with the kinds whose records have their paths there.
type shown struct {
	Name  string
	Kinds []kinds.Code
}

// showing lists the groups that have paths of records. A path is of the group that has the longest prefix of it.
func showing(all []declaration) (groups []shown) {
	owner := func(path string) (name string) {
		longest := 0
		for _, d := range all {
			for _, prefix := range d.Prefixes {
				if strings.HasPrefix(path, prefix+"/") && len(prefix) > longest {
					name, longest = d.Name, len(prefix)
				}
			}
		}
		return name
	}
	for _, d := range all {
		g := shown{Name: d.Name}
		for _, k := range kinds.All() {
			if k.Path != "" && owner(k.Path) == d.Name {
				g.Kinds = append(g.Kinds, k.Code)
			}
		}
		if len(g.Kinds) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// working lists the groups that have messages of some lanes, with the functions of these lanes alone.
func working(all []group, work []string) (some []group) {
	for _, g := range all {
		g.Work = slices.DeleteFunc(slices.Clone(g.Work), func(name string) bool { return !slices.Contains(work, name) })
		if len(g.Work) > 0 {
			some = append(some, g)
		}
	}
	return some
}

// group is what the source code of a group, or of an invoked function, tells about it.
type group struct {
	Name     string
	Work     []string // functions that say what its messages mean, by their lane
	Clerk    bool     // those functions are in its package clerk
	Searched bool     // it has a function Searched, which lists its kinds that are searched
}

// read looks into the source code of a group, and of its clerk if it has one. What else a group's code has to be, or may not use, the
// compiler says of the files that are generated, and the judge of what the function does (infra/replay).
func read(root, name string) group {
	declares := func(folder, function string) bool {
		files, _ := filepath.Glob(filepath.Join(root, "functions", folder, "*.go")) // the pattern is right
		return slices.ContainsFunc(files, func(file string) bool {
			source, err := os.ReadFile(file)
			return err == nil && !strings.HasSuffix(file, "_test.go") && regexp.MustCompile(`(?m)^func `+function+`\(`).Match(source)
		})
	}
	g := group{Name: name, Searched: declares(name, "Searched")}
	for _, work := range []string{"Urgent", "Work", "Bulk"} {
		clerk := declares(name+"/clerk", work)
		if clerk || declares(name, work) {
			g.Work, g.Clerk = append(g.Work, work), g.Clerk || clerk
		}
	}
	return g
}
