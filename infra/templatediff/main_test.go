package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/command"
)

const row = "- change: variable OWN of OneFunction\n  after: %\n  why: the function reads MINE\n"

// One working tree after another, as releases go: what is said of each, and whether it is refused.
func TestRun(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{
			"-C", root, "-c", "user.name=T", "-c", "user.email=t@tenantry.example", "-c", "commit.gpgsign=false",
		}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	both := strings.Replace(small, "{OWN: x}", "{OWN: x, MINE: x}", 1)
	without := strings.Replace(small, "{OWN: x}", "{MINE: x}", 1)
	for _, step := range []struct {
		name, template, allowed string
		tag                     string // is made afterwards
		says                    string
		refused                 bool
	}{
		{name: "no history", template: small, says: "no tag is to be seen"},
		{name: "no tag", template: small, tag: "v1.0.0", says: "no tag is to be seen"},
		{name: "at once", template: without, refused: true, says: "variable OWN of OneFunction"},
		{name: "at once, named", template: without, allowed: strings.Replace(row, "%", "v1.1.0", 1), refused: true, says: "which isn't out"},
		{name: "first step", template: both, tag: "v1.1.0", says: "may follow that of v1.0.0"},
		{name: "second step, unnamed", template: without, refused: true, says: "2. In the release after"},
		{name: "second step", template: without, allowed: strings.Replace(row, "%", "v1.1.0", 1), tag: "v1.2.0", says: "may follow that of v1.1.0"},
		{name: "afterwards", template: without, allowed: strings.Replace(row, "%", "v1.1.0", 1), says: "the row can go"},
	} {
		write("template.yaml", step.template)
		write("infra/templatediff/allowed.yaml", "# rows\n"+step.allowed)
		var out strings.Builder
		err := run(t.Context(), []string{"-root", root}, &out)
		if step.refused != errors.Is(err, command.ErrFound) || err != nil && !step.refused || !strings.Contains(out.String(), step.says) {
			t.Fatalf("%s: %v\n%s", step.name, err, &out)
		}
		if step.name == "no history" {
			git("init", "--quiet", "--initial-branch=main")
		}
		if step.tag != "" {
			git("add", ".")
			git("commit", "--quiet", "--message="+step.name)
			git("tag", step.tag)
		}
	}
	write("infra/templatediff/allowed.yaml", "- change: all\n")
	if err := run(t.Context(), []string{"-root", root}, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("a row without a reason: %v", err)
	}
}
