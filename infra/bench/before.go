package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// engineBefore is the last commit at which searches read an index of the table.
const engineBefore = "8aeb9d8d"

// before measures searches with the engine that was before segments, by that engine's own benchmark, in the same minutes on the same
// machine.
func (b *bench) before(ctx context.Context, r *section) error {
	r.title = "The same searches with the engine before"
	out, err := b.runBefore(ctx)
	if err != nil && ctx.Err() == nil {
		b.say("  no engine before: %v", err)
		r.text("It is left out: %v.", err)
		return nil
	}
	if err != nil {
		return err
	}
	_, tables, _ := strings.Cut(out, "\n## ") // what is before are its figures
	r.text("From a copy of commit %s, measured by its own `-only client-search,search`.", engineBefore)
	r.text("%s", "### "+strings.TrimSpace(strings.ReplaceAll(tables, "\n## ", "\n### ")))
	return nil
}

// runBefore runs the benchmark of that commit, from a copy, and returns its report.
func (b *bench) runBefore(ctx context.Context) (report string, err error) {
	folder := filepath.Join(b.folder, "before")
	if err := os.Mkdir(folder, 0o750); err != nil {
		return "", err
	}
	b.say("  the benchmark of %s", engineBefore)
	copied := fmt.Sprintf("git -C %q archive %s | tar -x -C %q", b.root, engineBefore, folder)
	if out, err := exec.CommandContext(ctx, "sh", "-c", copied).CombinedOutput(); err != nil {
		return "", fmt.Errorf("this copy of the project doesn't have its history: %w: %.200s", err, out)
	}
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
		return "", fmt.Errorf("this copy of the project doesn't have its history: %w", err)
	}
	modules := filepath.Join("infra", "local", "node_modules")
	if err := os.Symlink(filepath.Join(b.root, modules), filepath.Join(folder, modules)); err != nil {
		return "", err
	}
	run := exec.CommandContext(ctx, "go", "run", "./infra/bench", "-only", "client-search,search")
	run.Dir = folder
	out, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("its benchmark: %w", err)
	}
	return string(out), nil
}
