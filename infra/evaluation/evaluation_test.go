package evaluation

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/tenantry/tenantry/"

// listed is a package as the go command lists it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listing are all packages of the module, without their tests, and all that these import.
func listing(t *testing.T) (all []listed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles",
		module+"functions/...", module+"shared/...", module+"infra/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// checked is a package with its types. Its imports have been compiled.
func checked(t *testing.T, fset *token.FileSet, from types.Importer, path string, files ...*ast.File) Package {
	t.Helper()
	p := Package{Files: files, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	config := types.Config{Importer: from}
	if _, err := config.Check(path, fset, files, p.Info); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestThePlatform(t *testing.T) {
	all, exports := listing(t), map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var ours []Package
	for _, p := range all {
		if !strings.HasPrefix(p.ImportPath, module) {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		ours = append(ours, checked(t, fset, from, p.ImportPath, files...))
	}
	for _, fault := range Faults(fset, ours) {
		t.Error(fault)
	}
	if len(ours) < 100 {
		t.Errorf("only %d packages", len(ours))
	}
}

// Each fault that the rule is there for is found, and nothing that is allowed.
func TestPlantedFaults(t *testing.T) {
	for line, fault := range map[string]bool{
		"return n, get(&n)":                                      true,
		"return get(&n), n":                                      true,
		"return s.n, get(&s.n)":                                  true,
		"return s, get(&s.n)":                                    true,
		"return s.n, take(&s)":                                   true,
		"return n, run(func() { n = 2 })":                        true,
		"return n, run(func() { n++ })":                          true,
		"return n, run(func() { _ = get(&n) })":                  true,
		"return s, run(func() { s.n = 2 })":                      true,
		"set := func() int { n = 2; return n }; return n, set()": true,
		"set := func() { n = 2 }; return n, run(set)":            true,
		"return s.n, s.set()":                                    true,
		"return s, s.set()":                                      true,
		"return s.n, s.get()":                                    false,
		"return s.n, s.same()":                                   false, // by address, but it sets nothing
		"return n + get(&n), 0":                                  true,
		"return [2]int{n, get(&n)}, 0":                           true,
		"return add(n, get(&n)), 0":                              true,
		"o, u := n, get(&n); return o, u":                        true,
		"return get(&n), add(n, 0)":                              true,
		"return t{n: n, m: get(&n)}, 0":                          true,
		"return get(&s.n), s.get()":                              true,
		"return any(n), get(&n)":                                 true,
		"return add(n, 0), get(&n)":                              false, // the calls are ordered, and what they are given comes before them
		"o := get(&n); return n, o":                              false,
		"return n, add(n, 0)":                                    false,
		"return s.m, get(&s.n)":                                  true, // another field; two lines are clearer there, too
		"return s.set(), s.set()":                                false,
		"return p.n, p.set()":                                    false, // nobody knows who else has the pointer
		"return n, run(func() { o := 2; _ = o })":                false,
		"return n, run(func() { _ = n })":                        false,
		"return m, get(&n)":                                      false,
		"return 1, get(&n)":                                      false,
		"return n == 0 && get(&n) == 1, 0":                       false,
		"return take(&s), get(&s.n)":                             false,
	} {
		source := `package planted
type t struct{ n, m int }
func (s *t) set() int { s.n++; return s.n }
func (s *t) same() int { return s.n }
func (s t) get() int { return s.n }
func get(n *int) int { *n++; return *n }
func take(s *t) int { return s.set() }
func add(n, m int) int { return n + m }
func run(do func()) int { do(); return 1 }
func planted(n, m int, s t, p *t) (any, any) { ` + line + " }\n"
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "planted.go", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := Faults(fset, []Package{checked(t, fset, nil, "planted", file)}); (len(got) > 0) != fault {
			t.Errorf("%s: %q", line, got)
		}
	}
}
