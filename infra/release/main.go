// Command release makes a release of the commit that main is at: it puts the version and the date into CHANGELOG.md, the version into
// the API description and the packages of both clients, commits them and tags the commit. The hosted workflow does the rest when the tag
// is pushed, which is left to whoever runs this.
//
// A run that was cut off is gone on with by the next one: files are written whole and in one order, CHANGELOG.md first, and what is there
// already is left alone.
//
// What never goes in here: building and deploying, which are .github/workflows/release.yml.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/git"
)

func main() { command.Main("release", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	version := flags.String("version", "", "the `version`, such as 1.2.0")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r := release{root: ".", version: *version, now: time.Now, out: out, describe: func(ctx context.Context) error {
		generate := exec.CommandContext(ctx, "go", "generate", "./infra/openapi/...")
		generate.Stdout, generate.Stderr = out, os.Stderr
		return generate.Run()
	}}
	return r.make(ctx)
}

const (
	changelog   = "CHANGELOG.md"
	versionFile = "infra/openapi/version.txt"
	description = "docs/openapi.json"
	typescript  = "clients/typescript/package.json"
	python      = "clients/python/pyproject.toml"
	unreleased  = "## Unreleased\n"
)

// release is one release of the working tree at root.
type release struct {
	root, version string
	now           func() time.Time
	describe      func(ctx context.Context) error // writes the API description anew
	out           io.Writer
}

// tree is the working tree.
func (r release) tree() git.Tree { return git.Tree{Root: r.root} }

func (r release) make(ctx context.Context) error {
	number, ok := parse(r.version)
	if !ok {
		return fmt.Errorf("%q is no version: three numbers with dots between them, such as 1.2.0", r.version)
	}
	tag := "v" + r.version
	done, err := r.ready(ctx, tag, number)
	if err != nil || done {
		return err
	}
	if err := r.write(ctx); err != nil {
		return err
	}
	message := "release: " + r.version
	if dirty, err := r.dirty(ctx); err != nil {
		return err
	} else if len(dirty) > 0 {
		if _, err := r.tree().Run(ctx, append([]string{"commit", "--quiet", "--message=" + message, "--"}, dirty...)...); err != nil {
			return err
		}
	}
	if _, err := r.tree().Run(ctx, "tag", "--annotate", "--message="+message, tag); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "%s is made. Push it: git push --atomic origin main %s\n", tag, tag)
	return nil
}

// ready tells whether the release is there already, or why it can't be made from here.
func (r release) ready(ctx context.Context, tag string, number [3]int) (done bool, err error) {
	branch, err := r.tree().Run(ctx, "rev-parse", "--abbrev-ref", "HEAD")
	if err != nil {
		return false, err
	}
	if branch != "main" {
		return false, fmt.Errorf("a release is made of main, and this is %s", branch)
	}
	dirty, err := r.dirty(ctx)
	if err != nil {
		return false, err
	}
	begun, err := r.begun()
	if err != nil {
		return false, err
	}
	for _, file := range dirty {
		if !begun || !slices.Contains(written(), file) {
			return false, fmt.Errorf("%s isn't committed: a release is made of what is", file)
		}
	}
	tags, err := r.tree().Run(ctx, "tag", "--list", "v*")
	if err != nil {
		return false, err
	}
	for _, other := range strings.Fields(tags) {
		if other == tag {
			at, err := r.tree().Run(ctx, "rev-list", "-n", "1", tag)
			if err != nil {
				return false, err
			}
			if head, err := r.tree().Run(ctx, "rev-parse", "HEAD"); err != nil || head != at {
				return false, errors.Join(err, fmt.Errorf("%s is there already, and is another commit", tag))
			}
			fmt.Fprintf(r.out, "%s is made already. Push it: git push --atomic origin main %s\n", tag, tag)
			return true, nil
		}
		if n, ok := parse(strings.TrimPrefix(other, "v")); ok && slices.Compare(n[:], number[:]) > 0 {
			return false, fmt.Errorf("%s is newer than %s", other, tag)
		}
	}
	return false, nil
}

// begun tells whether a run before this one has written CHANGELOG.md.
func (r release) begun() (bool, error) {
	text, err := os.ReadFile(filepath.Join(r.root, changelog))
	return strings.Contains(string(text), "\n## "+r.version+" - "), err
}

// written are the files of a release, in the order in which they are written.
func written() []string { return []string{changelog, versionFile, typescript, python, description} }

func (r release) write(ctx context.Context) error {
	begun, err := r.begun()
	if err != nil {
		return err
	}
	if !begun {
		text, err := os.ReadFile(filepath.Join(r.root, changelog))
		if err != nil {
			return err
		}
		before, after, found := strings.Cut(string(text), unreleased)
		section, _, _ := strings.Cut(after, "\n## ")
		if !found || strings.TrimSpace(section) == "" {
			return fmt.Errorf("%s says nothing under Unreleased, so there is nothing to release", changelog)
		}
		dated := before + unreleased + "\n## " + r.version + " - " + r.now().UTC().Format(time.DateOnly) + "\n" + after
		if err := r.replace(changelog, dated); err != nil {
			return err
		}
	}
	if err := r.replace(versionFile, r.version+"\n"); err != nil {
		return err
	}
	for _, file := range []string{typescript, python} {
		if err := r.writePackage(file); err != nil {
			return err
		}
	}
	return r.describe(ctx)
}

// packageVersion is the line of a package's version, in JSON or in TOML.
var packageVersion = regexp.MustCompile(`(?m)^(  "version": "|version = ")[^"]*(",?)$`)

// writePackage gives the package of a client the version of the API that it is generated from.
func (r release) writePackage(file string) error {
	text, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	if !packageVersion.Match(text) {
		return fmt.Errorf("%s has no version", file)
	}
	return r.replace(file, packageVersion.ReplaceAllString(string(text), "${1}"+r.version+"${2}"))
}

// replace puts a file in the place of another, whole or not at all.
func (r release) replace(name, text string) error {
	file := filepath.Join(r.root, filepath.FromSlash(name))
	if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil { //nolint:gosec // for everybody to read
		return err
	}
	return os.Rename(file+".new", file)
}

// dirty are the files that git would commit or doesn't know, without what a cut off run may have left beside those of a release.
func (r release) dirty(ctx context.Context) ([]string, error) {
	out, err := r.tree().Run(ctx, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
	if err != nil || out == "" {
		return nil, err
	}
	var files []string
	for file := range strings.SplitSeq(strings.TrimRight(out, "\x00"), "\x00") {
		name := file[len("XY "):]
		if whole, left := strings.CutSuffix(name, ".new"); !left || !slices.Contains(written(), whole) {
			files = append(files, name)
		}
	}
	return files, nil
}

// parse reads a version of three numbers, none of which begins with a superfluous zero.
func parse(version string) (number [3]int, ok bool) {
	parts := strings.Split(version, ".")
	if len(parts) != len(number) {
		return number, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || strconv.Itoa(n) != part {
			return number, false
		}
		number[i] = n
	}
	return number, true
}
