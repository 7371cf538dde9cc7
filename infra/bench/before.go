package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// engineBefore is a commit from before there were segments: searches read an index of the table, whole.
const engineBefore = "8aeb9d8b60c8bbe8f66dcb3b78501576415caf93"

// before measures searches with the engine that was before segments, by that engine's own benchmark, in the same minutes on the same
// machine.
func (b *bench) before(ctx context.Context, r *section) error {
	r.Title = "The same searches with the engine before"
	tables, err := b.runBefore(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		b.say("  no engine before: %v", err)
		r.text("It is left out: %v.", err)
	default:
		r.text("From a copy of commit %.8s, measured by its own `-only client-search,search`.", engineBefore)
		r.Blocks = append(r.Blocks, parse(tables)...)
	}
	return nil
}

// runBefore runs the benchmark of that commit, from a copy, and returns the tables of its report.
func (b *bench) runBefore(ctx context.Context) (tables string, err error) {
	folder := filepath.Join(b.folder, "before")
	if err := os.Mkdir(folder, 0o750); err != nil {
		return "", err
	}
	b.say("  the benchmark of %.8s", engineBefore)
	archive := folder + ".tar"
	if out, err := exec.CommandContext(ctx, "git", "-C", b.root, "archive", "-o", archive, engineBefore).CombinedOutput(); err != nil {
		return "", fmt.Errorf("this copy of the project doesn't have that commit: %w: %.200s", err, out)
	}
	if out, err := exec.CommandContext(ctx, "tar", "-x", "-f", archive, "-C", folder).CombinedOutput(); err != nil {
		return "", fmt.Errorf("its files: %w: %.200s", err, out)
	}
	modules := filepath.Join("infra", "local", "node_modules")
	if err := os.Symlink(filepath.Join(b.root, modules), filepath.Join(folder, modules)); err != nil {
		return "", err
	}
	run := exec.CommandContext(ctx, "go", "run", "./infra/bench", "-only", "client-search,search")
	run.Dir, run.Stderr = folder, os.Stderr
	out, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("its benchmark: %w", err)
	}
	_, tables, found := strings.Cut(string(out), "\n## ") // what comes before are its figures
	if !found {
		return "", fmt.Errorf("its report has no tables")
	}
	return "### " + strings.TrimSpace(strings.ReplaceAll(tables, "\n## ", "\n### ")), nil
}
