// Command quick checks what changed since main: its format, its lint, the tests of the packages that changed and, the nearest first, of
// as many of those that depend on them as can begin within a minute. It runs none of the tests that walk the whole platform, unless they
// are what changed, and no race detector; `make check` runs all.
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
	"time"
)

func main() {
	linter := flag.String("linter", ".local/bin/golangci-lint", "golangci-lint's binary")
	list := flag.Bool("list", false, "only say what would be checked")
	begin := flag.Duration("begin", time.Minute, "how long tests of what only depends on the change may begin; make check runs the rest")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *linter, *begin, *list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// together are the packages that one go test runs: few, so that it ends soon, and enough to compile some while others run.
const together = 4

// run checks what changed in the module of the working directory. It goes on after a step that fails, so that all is seen at once.
// The tests of what changed are run whole. Those of what depends on it begin while less than a time has passed, the nearest first.
func run(ctx context.Context, out io.Writer, linter string, begin time.Duration, list bool) error {
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
	step("what depends on it, compiled and vetted", "go", []string{"vet"}, dotted(slices.Concat(s.test[s.own:], s.left, s.borrow)))
	test := []string{"test", "-vet=off"} // lint has vetted what changed
	step("tests of what changed", "go", test, dotted(s.test[:s.own]))
	rest, until := s.test[s.own:], time.Now().Add(begin)
	for len(rest) > 0 && time.Now().Before(until) {
		n := min(together, len(rest))
		step("tests of what depends on it", "go", test, dotted(rest[:n]))
		rest = rest[n:]
	}
	told(out, fmt.Sprintf("Left to make check, for they had not begun after %s", begin), rest)
	if len(failed) > 0 {
		return errors.New("quick: not right: " + strings.Join(failed, ", "))
	}
	return nil
}

// say tells what is checked and what isn't.
func (s selection) say(out io.Writer, changed int) {
	_, _ = fmt.Fprintf(out, "%d files changed since main; %d packages to lint, %d to test.\n", changed, len(s.lint), len(s.test))
	told(out, "To test, the nearest first", s.test)
	told(out, "Left to make check, for they walk the whole platform", s.left)
	told(out, "Left to make check, for only their tests use what changed", s.borrow)
	told(out, "Left to make check, for no package here names them", s.others)
}

func told(out io.Writer, what string, names []string) {
	if len(names) > 0 {
		_, _ = fmt.Fprintf(out, "%s: %s.\n", what, strings.Join(names, ", "))
	}
}

// dotted names folders as go's commands take them.
func dotted(folders []string) (named []string) {
	for _, f := range folders {
		named = append(named, "./"+f)
	}
	return named
}
