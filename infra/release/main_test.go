package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const log = "# Changelog\n\n## Unreleased\n\n### Added\n- What is new.\n\n## 1.0.0 - 2026-01-01\n\n- The first one.\n"

// tree is a repository with one commit on main, and the tag v1.0.0.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		changelog: log, versionFile: "1.0.0\n", description: `{"version":"1.0.0"}`, "README.md": "read\n",
		typescript: "{\n  \"name\": \"client\",\n  \"version\": \"1.0.0\",\n  \"license\": \"Apache-2.0\"\n}\n",
		python:     "[project]\nversion = \"1.0.0\"\nrequires-python = \">=3.11\"\n",
	} {
		put(t, root, name, text)
	}
	inTree(t, root, "init", "--quiet", "--initial-branch=main")
	inTree(t, root, "config", "user.name", "T")
	inTree(t, root, "config", "user.email", "t@tenantry.example")
	inTree(t, root, "config", "commit.gpgsign", "false")
	inTree(t, root, "add", ".")
	inTree(t, root, "commit", "--quiet", "--message=first")
	inTree(t, root, "tag", "v1.0.0")
	return root
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func inTree(t *testing.T, root string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// of is a release of a tree, whose description is written from the version's file, as the real one is.
func of(root, version string) release {
	r := release{root: root, version: version, now: func() time.Time { return time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC) }, out: &strings.Builder{}}
	r.describe = func(context.Context) error {
		v, err := os.ReadFile(filepath.Join(root, versionFile))
		if err != nil {
			return err
		}
		return r.replace(description, `{"version":"`+strings.TrimSpace(string(v))+`"}`)
	}
	return r
}

// whole fails unless version 1.1.0 is there as it should be.
func whole(t *testing.T, root string) {
	t.Helper()
	for name, want := range map[string]string{
		changelog:   strings.Replace(log, "## Unreleased\n", "## Unreleased\n\n## 1.1.0 - 2026-03-01\n", 1),
		versionFile: "1.1.0", description: `{"version":"1.1.0"}`,
		typescript: "{\n  \"name\": \"client\",\n  \"version\": \"1.1.0\",\n  \"license\": \"Apache-2.0\"\n}",
		python:     "[project]\nversion = \"1.1.0\"\nrequires-python = \">=3.11\"",
	} {
		if got := inTree(t, root, "show", "v1.1.0:"+name); got != strings.TrimSpace(want) {
			t.Errorf("%s of the release is\n%s", name, got)
		}
	}
	if got := inTree(t, root, "log", "--format=%s", "main"); got != "release: 1.1.0\nfirst" {
		t.Errorf("the commits are %s", got)
	}
	if got := inTree(t, root, "rev-list", "-n", "1", "v1.1.0"); got != inTree(t, root, "rev-parse", "main") {
		t.Error("the tag isn't that of main")
	}
	if got := inTree(t, root, "status", "--porcelain", "--untracked-files=no"); got != "" {
		t.Errorf("left behind: %s", got)
	}
}

func TestARelease(t *testing.T) {
	root := tree(t)
	for range 2 { // the second time it is there already
		if err := of(root, "1.1.0").make(t.Context()); err != nil {
			t.Fatal(err)
		}
		whole(t, root)
	}
}

func TestWhatIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		version, says string
		before        func(root string)
	}{
		"no version":         {version: "", says: "is no version"},
		"a tag":              {version: "v1.1.0", says: "is no version"},
		"two numbers":        {version: "1.1", says: "is no version"},
		"a zero too many":    {version: "1.01.0", says: "is no version"},
		"an older one":       {version: "0.9.9", says: "v1.0.0 is newer"},
		"another branch":     {version: "1.1.0", says: "this is topic", before: func(root string) { inTree(t, root, "checkout", "--quiet", "-b", "topic") }},
		"a change":           {version: "1.1.0", says: "README.md isn't committed", before: func(root string) { put(t, root, "README.md", "x") }},
		"a change of theirs": {version: "1.1.0", says: "CHANGELOG.md isn't committed", before: func(root string) { put(t, root, changelog, log+"x") }},
		"a new file":         {version: "1.1.0", says: "new.md isn't committed", before: func(root string) { put(t, root, "new.md", "x") }},
		"nothing new": {version: "1.1.0", says: "nothing to release", before: func(root string) {
			put(t, root, changelog, strings.Replace(log, "### Added\n- What is new.\n", "", 1))
			inTree(t, root, "commit", "--quiet", "--all", "--message=nothing")
		}},
		"another commit's": {version: "1.0.0", says: "is another commit", before: func(root string) {
			put(t, root, "README.md", "x")
			inTree(t, root, "commit", "--quiet", "--all", "--message=second")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t)
			if test.before != nil {
				test.before(root)
			}
			was := inTree(t, root, "rev-parse", "HEAD") + inTree(t, root, "tag") + inTree(t, root, "status", "--porcelain")
			err := of(root, test.version).make(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("it said %v, not %q", err, test.says)
			}
			if now := inTree(t, root, "rev-parse", "HEAD") + inTree(t, root, "tag") + inTree(t, root, "status", "--porcelain"); now != was {
				t.Errorf("it has changed something: %s", now)
			}
		})
	}
}

// A run that is cut off after any of its steps is gone on with by the next one, and ends the same.
func TestCutOff(t *testing.T) {
	cut := errors.New("cut off")
	for name, before := range map[string]func(t *testing.T, root string){
		"before the changelog is in its place": func(t *testing.T, root string) { put(t, root, changelog+".new", "half") },
		"after the changelog": func(t *testing.T, root string) {
			put(t, root, changelog, strings.Replace(log, "## Unreleased\n", "## Unreleased\n\n## 1.1.0 - 2026-03-01\n", 1))
		},
		"before the description": func(t *testing.T, root string) {
			r := of(root, "1.1.0")
			r.describe = func(context.Context) error { return cut }
			if err := r.make(t.Context()); !errors.Is(err, cut) {
				t.Fatal(err)
			}
		},
		"before the commit": func(t *testing.T, root string) {
			if err := of(root, "1.1.0").write(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"before the tag": func(t *testing.T, root string) {
			if err := of(root, "1.1.0").make(t.Context()); err != nil {
				t.Fatal(err)
			}
			inTree(t, root, "tag", "--delete", "v1.1.0")
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t)
			before(t, root)
			if err := of(root, "1.1.0").make(t.Context()); err != nil {
				t.Fatal(err)
			}
			whole(t, root)
		})
	}
}
