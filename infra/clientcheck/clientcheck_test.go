// Package clientcheck builds the clients of clients/ as their users do, and lets their own tests call a whole platform: that of TypeScript
// in Node.js and in a page of another origin in Chromium, that of Python as its wheel has it. `make client-check` installs what it needs
// and runs it; where CLIENTCHECK isn't set it is skipped.
//
// What never goes in here: what a client is to do, which the client's own tests say.
package clientcheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/platform"
)

const (
	typescript = "../../clients/typescript"
	python     = "../../clients/python"
)

func TestTypeScript(t *testing.T) {
	if os.Getenv("CLIENTCHECK") == "" {
		t.Skip("make client-check runs it")
	}
	// A clean checkout has no dist, so it has to come into the package from here.
	if err := os.RemoveAll(filepath.Join(typescript, "dist")); err != nil {
		t.Fatal(err)
	}
	run(t, typescript, nil, "./tarball")
	t.Run("package", packed)
	npm(t, nil, "run", "compile-tests")

	npm(t, []string{"TENANTRY_URL=" + start(t)}, "test")
}

func TestPython(t *testing.T) {
	if os.Getenv("CLIENTCHECK") == "" {
		t.Skip("make client-check runs it")
	}
	interpreter, err := filepath.Abs("../tools/.venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	run(t, python, nil, "./wheel")
	run(t, python, nil, interpreter, "-m", "mypy")

	wheels, err := filepath.Glob(filepath.Join(python, "dist", "*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("%v: %q is built", err, wheels)
	}
	installed := t.TempDir()
	run(t, ".", nil, interpreter, "-m", "zipfile", "-e", wheels[0], installed)
	for _, file := range []string{"tenantry/py.typed", "tenantry_client/py.typed"} {
		if _, err := os.Stat(filepath.Join(installed, file)); err != nil {
			t.Error(err)
		}
	}
	run(t, python, []string{"TENANTRY_URL=" + start(t), "PYTHONPATH=" + installed}, interpreter, "-m", "unittest", "discover", "-s", "test")
}

// start starts a platform with a demo company, and returns its address.
func start(t *testing.T) string {
	t.Helper()
	p, err := platform.Start(t.Context(), platform.Options{Addr: "127.0.0.1:0", Demo: true, Patient: true, Out: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p.URL
}

// packed compares the files of the package with those that belong into it: what src is compiled to, and what tells of it.
func packed(t *testing.T) {
	tarballs, err := filepath.Glob(filepath.Join(typescript, "*.tgz"))
	if err != nil || len(tarballs) != 1 {
		t.Fatalf("%v: %q is packed", err, tarballs)
	}
	var got []string
	for path := range strings.Lines(string(run(t, ".", nil, "tar", "tzf", tarballs[0]))) {
		got = append(got, strings.TrimPrefix(strings.TrimSpace(path), "package/"))
	}
	want := []string{"LICENSE", "README.md", "package.json"}
	sources, err := filepath.Glob(filepath.Join(typescript, "src", "*.ts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		name := "dist/" + strings.TrimSuffix(filepath.Base(source), ".ts")
		want = append(want, name+".js", name+".d.ts")
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("npm packs %q, want %q", got, want)
	}
}

// npm runs a command of npm in the folder of the client, and returns what it says.
func npm(t *testing.T, environment []string, command ...string) []byte {
	t.Helper()
	return run(t, typescript, environment, append([]string{"npm", "--silent"}, command...)...)
}

// run runs a command in a folder, and returns what it says.
func run(t *testing.T, folder string, environment []string, command ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Dir, c.Stderr, c.Env = folder, t.Output(), append(os.Environ(), environment...)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return out
}
