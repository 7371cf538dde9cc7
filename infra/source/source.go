// Package source reads the packages of the module with the types of their expressions, for tests that look at the code as a whole.
package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
)

// Module is how the paths of the module's packages begin.
const Module = "github.com/tenantry/tenantry/"

// Package is a package whose types are known.
type Package struct {
	Path  string // within the module
	Files []*ast.File
	Info  *types.Info
}

// Reader reads packages. What these import has been compiled.
type Reader struct {
	Fset    *token.FileSet
	exports map[string]string // files of compiled packages, by path
	from    types.Importer
	listed  []listed
}

// listed is a package as the go command lists it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// New is a reader of some packages of the module, which patterns like "shared/..." name, and of all that they import.
func New(ctx context.Context, patterns ...string) (*Reader, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}
	for _, p := range patterns {
		args = append(args, Module+p)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	r := &Reader{Fset: token.NewFileSet(), exports: map[string]string{}}
	r.from = importer.ForCompiler(r.Fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(r.exports[path]) })
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil {
			return nil, err
		}
		r.listed = append(r.listed, p)
		r.exports[p.ImportPath] = p.Export
	}
}

// Packages returns the packages of the module, without their tests.
func (r *Reader) Packages() (list []Package, err error) {
	for _, l := range r.listed {
		path, ours := strings.CutPrefix(l.ImportPath, Module)
		if !ours {
			continue
		}
		var files []*ast.File
		for _, name := range l.GoFiles {
			file, err := parser.ParseFile(r.Fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution|parser.ParseComments)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		p, err := r.check(path, files...)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// Planted is a package of one file, which may import what has been listed.
func (r *Reader) Planted(source string) (Package, error) {
	file, err := parser.ParseFile(r.Fset, "planted.go", source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return Package{}, err
	}
	return r.check("planted", file)
}

func (r *Reader) check(path string, files ...*ast.File) (Package, error) {
	p := Package{Path: path, Files: files, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	config := types.Config{Importer: r.from}
	if _, err := config.Check(Module+path, r.Fset, files, p.Info); err != nil {
		return Package{}, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}
