// Command quick checks what changed since main: its format, its lint, and the tests of the packages that changed and of those that
// depend on them. It runs none of the tests that walk the whole platform, unless they are what changed, and no race detector; `make check`
// runs all.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

func main() {
	linter := flag.String("linter", ".local/bin/golangci-lint", "golangci-lint's binary")
	list := flag.Bool("list", false, "only say what would be checked")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *linter, *list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run checks what changed in the module of the working directory. It goes on after a step that fails, so that all is seen at once.
func run(ctx context.Context, out io.Writer, linter string, list bool) error {
	changed, err := changes(ctx, ".")
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		_, _ = fmt.Fprintln(out, "Nothing changed since main.")
		return nil
	}
	packages, err := listed(ctx, ".")
	if err != nil {
		return err
	}
	s := selected(".", packages, changed)
	s.say(out, len(changed))
	if list {
		return nil
	}
	var failed []string
	step := func(title, program string, args []string, what []string) {
		if len(what) == 0 {
			return
		}
		_, _ = fmt.Fprintln(out, "== "+title)
		command := exec.CommandContext(ctx, program, append(args, what...)...)
		command.Stdout, command.Stderr = out, out
		if command.Run() != nil {
			failed = append(failed, title)
		}
	}
	step("format", linter, []string{"fmt", "--diff"}, slices.DeleteFunc(slices.Clone(s.files), func(f string) bool {
		return path.Ext(f) != ".go"
	}))
	step("lint", linter, []string{"run"}, dotted(s.lint))
	step("what is left, compiled and vetted", "go", []string{"vet"}, dotted(slices.Concat(s.left, s.borrow)))
	step("tests", "go", []string{"test", "-vet=off"}, dotted(s.test)) // lint has vetted what changed
	if len(failed) > 0 {
		return errors.New("quick: not right: " + strings.Join(failed, ", "))
	}
	return nil
}

// say tells what is checked and what isn't.
func (s selection) say(out io.Writer, changed int) {
	_, _ = fmt.Fprintf(out, "%d files changed since main; %d packages are linted, %d tested.\n", changed, len(s.lint), len(s.test))
	for _, told := range []struct {
		what  string
		names []string
	}{
		{"Tested", s.test},
		{"Left to make check, for they walk the whole platform", s.left},
		{"Left to make check, for only their tests use what changed", s.borrow},
		{"Left to make check, for no package here names them", s.others},
	} {
		if len(told.names) > 0 {
			_, _ = fmt.Fprintf(out, "%s: %s.\n", told.what, strings.Join(told.names, ", "))
		}
	}
}

// dotted names folders as go's commands take them.
func dotted(folders []string) (named []string) {
	for _, f := range folders {
		named = append(named, "./"+f)
	}
	return named
}
