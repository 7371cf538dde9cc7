package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// heavy are the packages whose tests walk the whole platform: nearly all of the module is below each, and together they take
// most of the time of `make test`. They run when the change is in them.
var heavy = []string{
	"infra/bench", "infra/browsercheck", "infra/clientcheck", "infra/compile", "infra/conformance", "infra/local", "infra/local/platform",
	"infra/local/samenv", "infra/openapicheck", "infra/pdfcheck", "infra/races", "infra/replay", "infra/smoke",
}

// pack is a package of the module, as go list tells of it. What it depends on is cut to what the module has, and relative to it.
type pack struct {
	ImportPath                         string
	Imports, Deps                      []string
	TestImports, XTestImports          []string
	GoFiles, TestGoFiles, XTestGoFiles []string
	EmbedFiles                         []string
	Module                             struct{ Path string }
}

// selection is what to check, each as folders or files relative to the module.
type selection struct {
	files  []string // that changed and are there
	lint   []string // packages with a file that changed
	test   []string // packages that changed, or depend on what changed: the nearest first
	own    int      // how many of these changed
	left   []string // packages that depend on it too, and are heavy
	borrow []string // packages of other groups, of which only tests use what depends on it
	others []string // files that no package is known to read
}

// selected says what to check after a change of files, of which some may be gone.
func selected(root string, packages map[string]*pack, changed []string) selection {
	var s selection
	touched, tested := map[string]bool{}, map[string]bool{} // packages: what imports them is tested as well, and only they are
	all := false
	for _, file := range changed {
		_, err := os.Stat(filepath.Join(root, file))
		if err == nil {
			s.files = append(s.files, file)
		}
		folder := home(root, packages, file)
		switch {
		case file == "go.mod" || file == "go.sum":
			all = true
			continue
		case folder == "":
		case packages[folder].compiles(strings.TrimPrefix(file, folder+"/")):
			touched[folder] = true
		default:
			tested[folder] = true
		}
		if path.Ext(file) == ".go" {
			switch folder {
			case path.Dir(file):
				s.lint = append(s.lint, folder)
			case "": // of a module within this one
				s.others = append(s.others, file)
			}
			continue
		}
		readers := naming(root, packages, path.Base(file))
		for _, reader := range readers {
			tested[reader] = true
		}
		if folder == "" && len(readers) == 0 {
			s.others = append(s.others, file)
		}
	}
	below := maps.Clone(touched)
	for folder, p := range packages {
		touched[folder] = all || touched[folder] || slices.ContainsFunc(p.Deps, func(d string) bool { return below[d] })
	}
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		p := packages[folder]
		depends, borrows := touched[folder] || tested[folder], false
		for _, i := range slices.Concat(p.TestImports, p.XTestImports) {
			depends = depends || touched[i] && !stranger(folder, i)
			borrows = borrows || touched[i]
		}
		switch {
		case !depends && !borrows || len(p.TestGoFiles)+len(p.XTestGoFiles) == 0:
		case !depends:
			s.borrow = append(s.borrow, folder)
		case slices.Contains(heavy, folder) && !within(changed, folder):
			s.left = append(s.left, folder)
		default:
			s.test = append(s.test, folder)
		}
	}
	slices.Sort(s.lint)
	s.lint = slices.Compact(s.lint)
	away := distances(packages, below, tested)
	part := func(folder string) int { return strings.Index("shared functions infra", strings.Split(folder, "/")[0]) }
	files := func(folder string) int { return len(packages[folder].TestGoFiles) + len(packages[folder].XTestGoFiles) } // few are soon done
	slices.SortStableFunc(s.test, func(a, b string) int {
		return cmp.Or(cmp.Compare(away[a], away[b]), cmp.Compare(part(a), part(b)), cmp.Compare(files(a), files(b)))
	})
	s.own = slices.IndexFunc(append(slices.Clone(s.test), ""), func(folder string) bool { return folder == "" || away[folder] > 0 })
	return s
}

// distances are the numbers of imports that lie between packages and the nearest one of some; more than there can be, where none do.
func distances(packages map[string]*pack, from ...map[string]bool) map[string]int {
	away := map[string]int{}
	for folder := range packages {
		away[folder] = len(packages)
	}
	for _, some := range from {
		for folder := range some {
			away[folder] = 0
		}
	}
	for far, grown := 1, true; grown; far++ {
		grown = false
		for folder, p := range packages {
			near := func(i string) bool { d, ours := away[i]; return ours && d < far }
			if away[folder] > far && slices.ContainsFunc(slices.Concat(p.Imports, p.TestImports, p.XTestImports), near) {
				away[folder], grown = far, true
			}
		}
	}
	return away
}

// stranger tells whether a package is of another group than the one whose tests use it, for records of theirs. The group's own tests
// and those of whoever compiles it find its faults.
func stranger(tests, used string) bool {
	group := func(folder string) string { return strings.Join(append(strings.Split(folder, "/"), "")[:2], "/") }
	return strings.HasPrefix(tests, "functions/") && strings.HasPrefix(used, "functions/") && group(tests) != group(used)
}

// within tells whether a file that changed is of the package of a folder.
func within(changed []string, folder string) bool {
	return slices.ContainsFunc(changed, func(file string) bool {
		return path.Dir(file) == folder || strings.HasPrefix(file, folder+"/testdata/")
	})
}

// compiles tells whether a file of the package's folder, which may be gone, is part of the package and not only of its tests.
func (p *pack) compiles(file string) bool {
	code := path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "testdata/")
	return code || slices.Contains(p.EmbedFiles, file)
}

// home is the package that a file belongs to: that of its folder, or the next one above. Modules within this one are not ours.
func home(root string, packages map[string]*pack, file string) string {
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		if packages[folder] != nil {
			return folder
		}
		if _, err := os.Stat(filepath.Join(root, folder, "go.mod")); err == nil {
			return ""
		}
	}
	if packages["."] != nil {
		return "."
	}
	return ""
}

// naming are the packages whose code names a file, in a string that ends with its name.
func naming(root string, packages map[string]*pack, name string) (folders []string) {
	for folder, p := range packages {
		for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			text, err := os.ReadFile(filepath.Join(root, folder, file))
			if err == nil && (bytes.Contains(text, []byte(`"`+name+`"`)) || bytes.Contains(text, []byte(`/`+name+`"`))) {
				folders = append(folders, folder)
				break
			}
		}
	}
	return folders
}

// listed reads the packages of the module at root.
func listed(ctx context.Context, root string) (map[string]*pack, error) {
	out, err := output(ctx, root, "go", "list", "-e",
		"-json=ImportPath,Imports,Deps,TestImports,XTestImports,GoFiles,TestGoFiles,XTestGoFiles,EmbedFiles,Module", "./...")
	if err != nil {
		return nil, err
	}
	packages := map[string]*pack{}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		p := &pack{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		relative := func(imports []string) (ours []string) {
			for _, i := range imports {
				if within, ok := strings.CutPrefix(i+"/", p.Module.Path+"/"); ok {
					ours = append(ours, path.Clean(within))
				}
			}
			return ours
		}
		for _, imports := range []*[]string{&p.Imports, &p.Deps, &p.TestImports, &p.XTestImports} {
			*imports = relative(*imports)
		}
		packages[relative([]string{p.ImportPath})[0]] = p
	}
}

// changes are the files that differ from where this branch left main: committed, not yet committed, and new.
func changes(ctx context.Context, root string) ([]string, error) {
	main := "origin/main"
	if _, err := output(ctx, root, "git", "rev-parse", "--verify", "--quiet", main); err != nil {
		main = "main"
	}
	base, err := output(ctx, root, "git", "merge-base", "HEAD", main)
	if err != nil {
		return nil, fmt.Errorf("what changed since main is not known: %w", err)
	}
	differ, err := output(ctx, root, "git", "diff", "--name-only", "--no-renames", "-z", strings.TrimSpace(base))
	if err != nil {
		return nil, err
	}
	created, err := output(ctx, root, "git", "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	files := strings.FieldsFunc(differ+created, func(r rune) bool { return r == 0 })
	slices.Sort(files)
	return slices.Compact(files), nil
}

// output runs a program in the module and returns what it prints.
func output(ctx context.Context, root, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = root
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, &said)
	}
	return string(out), nil
}
