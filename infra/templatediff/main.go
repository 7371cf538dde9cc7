// Command templatediff compares template.yaml with that of the last release, the newest tag, and refuses what may not change in one
// release. While a deployment runs, functions of the release before still answer, with its code, and the table, the roles and the
// variables are already the new ones; and a release that is taken back meets them too. So what the code of before needs goes one
// release after the code that needs it, and each refusal prints the two steps.
//
// The second step is named in allowed.yaml beside this file, with the tag after which it may go.
//
// What never goes in here: what must be true of a template by itself (infra/templatecheck), and whether data can be read by the release
// before (functions/*/corpus).
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
	"strings"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/git"
)

func main() { command.Main("templatediff", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("templatediff", flag.ContinueOnError)
	root := flags.String("root", ".", "the working `tree`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	repository := repository{git.Tree{Root: *root}}
	tag, err := repository.lastTag(ctx)
	if err != nil {
		return err
	}
	if tag == "" {
		fmt.Fprintln(out, "  ok  no tag is to be seen from here, so there is no release to compare template.yaml with")
		return nil
	}
	before, err := repository.at(ctx, tag, "template.yaml")
	if err != nil {
		return err
	}
	after, err := os.ReadFile(filepath.Join(*root, "template.yaml"))
	if err != nil {
		return err
	}
	listed, err := readAllowed(filepath.Join(*root, "infra", "templatediff", "allowed.yaml"))
	if err != nil {
		return err
	}
	refused, err := compare(before, after)
	if err != nil {
		return err
	}
	released := func(of string) (bool, error) { return repository.contains(ctx, tag, of) }
	if refused, err = listed.let(refused, released, out); err != nil {
		return err
	}
	if len(refused) == 0 {
		fmt.Fprintf(out, "  ok  template.yaml may follow that of %s\n", tag)
		return nil
	}
	for _, r := range refused {
		fmt.Fprintf(out, "  BAD since %s: %s\n        %s\n        1. %s\n        2. %s\n", tag, r.change, r.why, r.first, r.second)
	}
	return command.ErrFound
}

// repository is the history of a working tree.
type repository struct{ git.Tree }

// lastTag is the newest tag that HEAD comes from; empty where there is none, or no history.
func (r repository) lastTag(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "describe", "--tags", "--abbrev=0")
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

func (r repository) at(ctx context.Context, tag, file string) ([]byte, error) {
	out, err := r.Run(ctx, "show", tag+":"+file)
	if err != nil {
		return nil, fmt.Errorf("%s at %s: %w", file, tag, err)
	}
	return []byte(out), nil
}

// contains tells whether a release, a tag, comes from another one, or is it.
func (r repository) contains(ctx context.Context, tag, other string) (bool, error) {
	if _, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", other+"^{commit}"); err != nil {
		return false, nil //nolint:nilerr // a release that isn't out yet
	}
	_, err := r.Run(ctx, "merge-base", "--is-ancestor", other, tag)
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}
