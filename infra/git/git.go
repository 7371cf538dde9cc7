// Package git asks the history of a working tree. It runs the program git, which whoever has a clone has.
//
// What never goes in here: what commits, tags and files mean to a command.
package git

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Tree is a working tree.
type Tree struct{ Root string }

// Run runs git in the tree, and returns what it prints without the last end of a line. Of a failure the error tells what git said; it
// is an [exec.ExitError], wrapped, where git itself ended with another status than 0.
func (t Tree) Run(ctx context.Context, args ...string) (string, error) {
	git := exec.CommandContext(ctx, "git", append([]string{"-C", t.Root}, args...)...)
	var said strings.Builder
	git.Stderr = &said
	out, err := git.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return strings.TrimRight(string(out), "\n"), nil
}
