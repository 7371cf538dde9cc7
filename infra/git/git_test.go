package git_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/git"
)

func TestRun(t *testing.T) {
	tree := git.Tree{Root: t.TempDir()}
	var failed *exec.ExitError
	if _, err := tree.Run(t.Context(), "rev-parse", "--git-dir"); !errors.As(err, &failed) || !strings.Contains(err.Error(), "git rev-parse: exit status") ||
		!strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("no repository: %v", err)
	}
	if _, err := tree.Run(t.Context(), "init", "--quiet", "--initial-branch=main"); err != nil {
		t.Fatal(err)
	}
	if out, err := tree.Run(t.Context(), "rev-parse", "--git-dir"); err != nil || out != ".git" {
		t.Errorf("%q, %v", out, err)
	}
}
