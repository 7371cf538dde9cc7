package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tree is a module: store is below its users, by code, by a test, and by a test of the whole platform.
var tree = map[string]string{
	"go.mod":                          "module example.com/tiny\n\ngo 1.26\n",
	"README.md":                       "",
	"template.yaml":                   "",
	"shared/store/store.go":           "package store\n",
	"shared/store/store_test.go":      "package store\n",
	"functions/orders/orders.go":      "package orders\n\nimport (\n\t_ \"embed\"\n\n\t_ \"example.com/tiny/shared/store\"\n)\n\n//go:embed page.html\nvar page string\n",
	"functions/orders/page.html":      "",
	"functions/orders/group.yaml":     "",
	"functions/orders/orders_test.go": "package orders\n",
	"functions/orders/more_test.go":   "package orders\n",
	"functions/orders/testdata/a.txt": "",
	"functions/orders/lambda/main.go": "package main\n\nimport _ \"example.com/tiny/functions/orders\"\n\nfunc main() {}\n",
	"functions/points/points.go":      "package points\n",
	"functions/points/points_test.go": "package points_test\n\nimport (\n\t_ \"example.com/tiny/functions/sales\"\n\t_ \"example.com/tiny/shared/store\"\n)\n",
	"functions/sales/sales.go":        "package sales\n",
	"infra/replay/replay.go":          "package replay\n\nimport _ \"example.com/tiny/functions/orders\"\n",
	"infra/replay/replay_test.go":     "package replay\n\nconst template = \"../../template.yaml\"\n",
	"infra/layers/layers.go":          "package layers\n",
	"infra/layers/layers_test.go":     "package layers\n\nconst template = \"template.yaml\"\n",
	"infra/tools/go.mod":              "module example.com/tools\n\ngo 1.26\n",
	"infra/tools/main.go":             "package main\n",
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

func git(t *testing.T, root string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", args...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

// repository is a clone in which a branch has left main, at the tree.
func repository(t *testing.T) (root string) {
	t.Helper()
	for _, name := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+name+"_NAME", "a")
		t.Setenv("GIT_"+name+"_EMAIL", "a@example.com")
	}
	root = t.TempDir()
	for name, text := range tree {
		write(t, root, name, text)
	}
	git(t, root, "init", "--quiet", "--initial-branch=main")
	git(t, root, "add", ".")
	git(t, root, "commit", "--quiet", "--message=first")
	git(t, root, "checkout", "--quiet", "-b", "topic")
	return root
}

func TestSelected(t *testing.T) {
	const store, orders, points, replay, layers = "shared/store", "functions/orders", "functions/points", "infra/replay", "infra/layers"
	root := repository(t)
	for _, c := range []struct {
		name, changed                        string // names, apart by spaces
		lint, test, left, borrow, unreadable []string
		own                                  int // of test: how many changed
	}{
		{
			name: "what others import", changed: "shared/store/store.go", lint: []string{store},
			test: []string{store, points, orders}, left: []string{replay}, own: 1,
		},
		{
			name: "a new file of it", changed: "shared/store/more.go", lint: []string{store},
			test: []string{store, points, orders}, left: []string{replay}, own: 1,
		},
		{name: "a test is nobody else's", changed: "shared/store/store_test.go", lint: []string{store}, test: []string{store}, own: 1},
		{name: "a group", changed: "functions/orders/orders.go", lint: []string{orders}, test: []string{orders}, left: []string{replay}, own: 1},
		{name: "a group that another's tests use", changed: "functions/sales/sales.go", lint: []string{"functions/sales"}, borrow: []string{points}},
		{name: "a main without tests", changed: "functions/orders/lambda/main.go", lint: []string{"functions/orders/lambda"}},
		{name: "what is embedded is code", changed: "functions/orders/page.html", test: []string{orders}, left: []string{replay}, own: 1},
		{name: "what lies beside it isn't", changed: "functions/orders/group.yaml functions/orders/testdata/a.txt", test: []string{orders}, own: 1},
		{name: "a heavy package itself", changed: "infra/replay/replay.go", lint: []string{replay}, test: []string{replay}, own: 1},
		{name: "a file that packages name", changed: "template.yaml", test: []string{layers}, left: []string{replay}, own: 1},
		{name: "a file that none names", changed: "README.md", unreadable: []string{"README.md"}},
		{name: "versions of modules", changed: "go.mod", test: []string{store, points, orders, layers}, left: []string{replay}},
		{name: "another module", changed: "infra/tools/main.go", unreadable: []string{"infra/tools/main.go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			packages, err := listed(t.Context(), root)
			if err != nil {
				t.Fatal(err)
			}
			s := selected(root, packages, strings.Fields(c.changed))
			for what, of := range map[string][2][]string{
				"linted": {s.lint, c.lint}, "tested": {s.test, c.test}, "left": {s.left, c.left}, "borrow": {s.borrow, c.borrow}, "unread": {s.others, c.unreadable},
			} {
				if what != "tested" { // which are in their order
					slices.Sort(of[1])
				}
				if !slices.Equal(of[0], of[1]) {
					t.Errorf("%s: %q, want %q", what, of[0], of[1])
				}
			}
			if s.own != c.own {
				t.Errorf("%d of them changed, want %d", s.own, c.own)
			}
		})
	}
}

// What is committed, changed, new, gone and renamed since main counts; what is ignored, and what main has got since then, does not.
func TestChanges(t *testing.T) {
	root := repository(t)
	if files, err := changes(t.Context(), root); err != nil || len(files) != 0 {
		t.Fatalf("%q, %v", files, err)
	}
	t.Run("said", func(t *testing.T) {
		t.Chdir(root)
		var out bytes.Buffer
		if err := run(t.Context(), &out, "none", time.Minute, false); err != nil || out.String() != "Nothing changed since main.\n" {
			t.Errorf("%q, %v", &out, err)
		}
	})
	write(t, root, "committed.md", "")
	write(t, root, ".gitignore", "ignored.md\n")
	git(t, root, "add", ".")
	git(t, root, "mv", "functions/orders/page.html", "functions/orders/face.html")
	git(t, root, "commit", "--quiet", "--message=second")
	git(t, root, "checkout", "--quiet", "main")
	write(t, root, "main.md", "")
	git(t, root, "add", ".")
	git(t, root, "commit", "--quiet", "--message=of main")
	git(t, root, "checkout", "--quiet", "topic")
	write(t, root, "template.yaml", "more")
	write(t, root, "new name.md", "")
	write(t, root, "ignored.md", "")
	git(t, root, "rm", "--quiet", "README.md")
	want := []string{
		".gitignore", "README.md", "committed.md", "functions/orders/face.html", "functions/orders/page.html", "new name.md", "template.yaml",
	}
	if files, err := changes(t.Context(), root); err != nil || !slices.Equal(files, want) {
		t.Errorf("%q, %v", files, err)
	}
}

// A step that fails doesn't hide the others, and the whole fails.
func TestSteps(t *testing.T) {
	root := repository(t)
	write(t, root, "shared/store/store_test.go", "package store\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) { t.Error(\"broken\") }\n")
	write(t, root, "linter", "#!/bin/sh\necho \"linter $*\"\n[ $1 = run ]\n")
	if err := os.Chmod(filepath.Join(root, "linter"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	var out bytes.Buffer
	err := run(t.Context(), &out, "./linter", time.Minute, false)
	if err == nil || !strings.HasSuffix(err.Error(), ": format, tests of what changed") {
		t.Errorf("%v", err)
	}
	for _, says := range []string{"linter fmt --diff shared/store/store_test.go\n", "linter run ./shared/store\n", "broken"} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("it does not say %q:\n%s", says, &out)
		}
	}
	write(t, root, "shared/store/store.go", "package store\n\n// It is another one.\n")
	for begin, left := range map[time.Duration]bool{0: true, time.Hour: false} {
		out.Reset()
		if err := run(t.Context(), &out, "./linter", begin, false); err == nil {
			t.Error("what is broken passes")
		}
		if strings.Contains(out.String(), "not begun after 0s: functions/points, functions/orders.\n") != left ||
			strings.Contains(out.String(), "example.com/tiny/functions/orders\t") == left || !strings.Contains(out.String(), "broken") {
			t.Errorf("within %s:\n%s", begin, &out)
		}
	}
	for _, heavy := range heavy {
		if info, err := os.Stat(filepath.Join(moduleRoot, heavy)); err != nil || !info.IsDir() {
			t.Errorf("%s is not there", heavy)
		}
	}
}

var moduleRoot = func() string {
	here, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return here
}()
