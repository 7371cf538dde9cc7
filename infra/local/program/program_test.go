package program_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/infra/local/program"
)

// module is a folder with a program that prints what a package of its says.
func module(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	write(t, root, "go.mod", "module example.com/tiny\n\ngo 1.26\n")
	write(t, root, "word/word.go", "package word\n\nfunc Word() string { return \"one\" }\n")
	write(t, root, "say/main.go",
		"package main\n\nimport \"example.com/tiny/word\"\n\nvar more string\n\nfunc main() { print(word.Word(), more) }\n")
	return root
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// says starts a program and returns what it prints.
func says(t *testing.T, file string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), file).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func linked(t *testing.T, root string) (programs int) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(root, ".local", "programs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".lock") {
			programs++
		}
	}
	return programs
}

// One file is linked for all who ask, also at once; what changes below it, or how it is built, makes another, and who has the
// first keeps it.
func TestBuild(t *testing.T) {
	root := module(t)
	build := func(name string, flags ...string) string {
		out := filepath.Join(root, "out", name)
		if err := program.Build(t.Context(), out, program.Options{Root: root, Package: "say", Flags: flags}); err != nil {
			t.Error(err)
		}
		return out
	}
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "a"} {
		all.Go(func() { build(name) })
	}
	all.Wait()
	var infos []os.FileInfo
	for _, name := range []string{"a", "b", "c"} {
		info, err := os.Stat(filepath.Join(root, "out", name))
		if err != nil {
			t.Fatal(err)
		}
		infos = append(infos, info)
	}
	if !os.SameFile(infos[0], infos[1]) || !os.SameFile(infos[0], infos[2]) || linked(t, root) != 1 {
		t.Errorf("it was linked more than once")
	}
	write(t, root, "word/word.go", "package word\n\nfunc Word() string { return \"two\" }\n")
	first, second := filepath.Join(root, "out", "b"), build("a")
	write(t, root, "word/word.go", "package word\n\nfunc Word() string { return \"three\" }\n")
	fourth := filepath.Join(root, "out", "d")
	if err := program.Build(t.Context(), fourth, program.Options{Root: root, Package: "say", Once: true}); err != nil || says(t, fourth) != "two" {
		t.Errorf("%q of what was built once, %v", says(t, fourth), err)
	}
	third := build("c", "-ldflags=-X main.more=!")
	if a, b, c := says(t, first), says(t, second), says(t, third); a != "one" || b != "two" || c != "three!" || linked(t, root) != 2 {
		t.Errorf("%q, then %q, with flags %q; %d programs", a, b, c, linked(t, root))
	}
	left, err := os.ReadDir(filepath.Join(root, "out"))
	if err != nil || len(left) != 4 {
		t.Errorf("%v lie beside the programs, %v", left, err)
	}
}

func TestWhatDoesNotCompile(t *testing.T) {
	root := module(t)
	write(t, root, "word/word.go", "package word\n\nfunc Word() int { return 1 + x }\n")
	out := filepath.Join(t.TempDir(), "out")
	err := program.Build(t.Context(), out, program.Options{Root: root, Package: "say"})
	if err == nil || !strings.Contains(err.Error(), "undefined: x") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a program")
	}
}
