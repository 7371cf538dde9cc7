package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// lines counts the lines of code of each group.
func (b *bench) lines(_ context.Context, r *section) error {
	r.Title = "Lines of the groups"
	rows := [][]string{{"Group", "Lines", "of them code", "Lines of tests"}}
	for _, group := range b.groups() {
		files, err := filepath.Glob(filepath.Join(b.root, "functions", group, "*.go"))
		if err != nil {
			return err
		}
		var whole, code, tests int
		for _, name := range files {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			n := bytes.Count(content, []byte("\n"))
			if strings.HasSuffix(name, "_test.go") {
				tests += n
				continue
			}
			whole, code = whole+n, code+codeOf(content)
		}
		if group == "points" {
			r.Figures = append(r.Figures, figure{
				What:     "a group of plain records, without its tests (points)",
				Measured: fmt.Sprintf("%d lines, %d of them code", whole, code),
			})
		}
		rows = append(rows, []string{group, thousands(whole), thousands(code), thousands(tests)})
	}
	r.table(rows)
	r.text("Of the packages in `functions/`; their main packages are generated. Code is what is neither empty nor a comment alone.")
	return nil
}

// codeOf counts the lines that hold code: neither empty nor only a comment.
func codeOf(content []byte) (n int) {
	for line := range bytes.Lines(content) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			n++
		}
	}
	return n
}
