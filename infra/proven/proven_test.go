package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// module is a repository with a package that imports another one, and a proof whose command counts its runs.
func module(t *testing.T) (root string, p proof) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module example.com/m\n\ngo 1.26\n",
		"go.sum":            "",
		"one/one.go":        "package one\n\nimport _ \"example.com/m/two\"\n",
		"one/one_test.go":   "package one\n",
		"two/two.go":        "package two\n\nimport _ \"embed\"\n\n//go:embed two.txt\nvar Text string\n",
		"two/two.txt":       "two",
		"three/three.go":    "package three\n",
		"data/a/one.yaml":   "1",
		"version":           "1.0",
		"count":             "",
		".gitignore":        ".local/\n/count\n",
		"data/ignored.yaml": "",
	} {
		write(t, root, name, text)
	}
	if said, err := exec.CommandContext(t.Context(), "git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return root, proof{
		name: "thing", packages: []string{"./one"}, files: []string{"data"}, versions: []string{"cat version"},
		command: []string{"sh", "-c", "echo run >>count"},
	}
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

// ran tells whether the command was run, and not skipped.
func ran(t *testing.T, root string, p proof, full bool) bool {
	t.Helper()
	write(t, root, "count", "")
	var said strings.Builder
	if err := p.run(t.Context(), root, full, &said); err != nil {
		t.Fatal(err)
	}
	count, err := os.ReadFile(filepath.Join(root, "count"))
	if err != nil {
		t.Fatal(err)
	}
	if skipped := strings.Contains(said.String(), "Skipped: thing passed here"); skipped == (len(count) > 0) {
		t.Fatalf("it ran %d bytes and said %q", len(count), &said)
	}
	return len(count) > 0
}

func TestProven(t *testing.T) {
	for what, c := range map[string]struct {
		change func(t *testing.T, root string, p *proof)
		full   bool
		runs   bool
	}{
		"nothing":             {},
		"nothing, and all":    {full: true, runs: true},
		"a package beside":    {change: file("three/three.go", "package three // changed\n")},
		"the package":         {change: file("one/one.go", "package one\n"), runs: true},
		"its test":            {change: file("one/one_test.go", "package one // changed\n"), runs: true},
		"a new test":          {change: file("one/two_test.go", "package one\n"), runs: true},
		"what it imports":     {change: file("two/two.go", "package two\n"), runs: true},
		"what that embeds":    {change: file("two/two.txt", "2"), runs: true},
		"a dependency":        {change: file("go.sum", "example.com/other v1.0.0 h1:x\n"), runs: true},
		"a file":              {change: file("data/a/one.yaml", "2"), runs: true},
		"a new file":          {change: file("data/a/b/two.yaml", ""), runs: true},
		"a program's version": {change: file("version", "1.1"), runs: true},
		"a file that is gone": {change: func(t *testing.T, root string, _ *proof) { _ = os.Remove(filepath.Join(root, "data/a/one.yaml")) }, runs: true},
		"the command":         {change: func(_ *testing.T, _ string, p *proof) { p.command[2] += " # changed" }, runs: true},
		"a variable of Go":    {change: func(t *testing.T, _ string, _ *proof) { t.Setenv("GOFLAGS", "-tags=x") }, runs: true},
	} {
		t.Run(what, func(t *testing.T) {
			root, p := module(t)
			if !ran(t, root, p, false) {
				t.Fatal("it was skipped before it had passed")
			}
			if c.change != nil {
				c.change(t, root, &p)
			}
			if got := ran(t, root, p, c.full); got != c.runs {
				t.Errorf("ran: %t", got)
			}
		})
	}
}

func file(name, text string) func(*testing.T, string, *proof) {
	return func(t *testing.T, root string, _ *proof) { write(t, root, name, text) }
}

// What fails, or reads files that change meanwhile, is run again.
func TestWhatIsNotProven(t *testing.T) {
	for what, command := range map[string]string{
		"fails":          "echo run >>count; [ -e again ] || { touch again; exit 1; }",
		"changes inputs": "echo run >>count; echo 2 >data/a/one.yaml",
	} {
		t.Run(what, func(t *testing.T) {
			root, p := module(t)
			p.command[2] = command
			err := p.run(t.Context(), root, false, t.Output())
			if (err != nil) != (what == "fails") {
				t.Fatal(err)
			}
			if !ran(t, root, p, false) {
				t.Error("it was skipped")
			}
			if ran(t, root, p, false) {
				t.Error("it was run once more")
			}
		})
	}
	// What passed once and fails now is not taken for proven when the inputs are as they were.
	root, p := module(t)
	ran(t, root, p, false)
	write(t, root, "data/a/one.yaml", "bad")
	p.command[2] = "exit 1"
	if p.run(t.Context(), root, true, t.Output()) == nil {
		t.Error("it passed")
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	root, p := module(t)
	p.files = []string{"data", "date"}
	if err := p.run(t.Context(), root, false, t.Output()); err == nil || !strings.Contains(err.Error(), "there is no date") {
		t.Errorf("%v", err)
	}
}
