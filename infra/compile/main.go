// Command compile compiles each function as it is deployed, and says how much of it is generic code of this module.
//
// Generic code is in a binary once for each shape of its type parameters. All pointers have one shape and each struct has its own, so
// what is generic over records takes pointers to them (record.Stored). Where code takes structs instead, this grows first.
package main

import (
	"context"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
	"github.com/tenantry/tenantry/infra/local/program"
)

const (
	module = "github.com/tenantry/tenantry/"
	// bound is how many bytes of machine code the generic functions of this module may have in one binary.
	bound = 350 << 10
	// joined links the groups whose records it shows. The generic code of each group is bound in its own function.
	joined = "show"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run compiles the functions and prints a line for each. Its error names those over the bound.
func run(ctx context.Context, out io.Writer) error {
	mains, err := filepath.Glob("functions/*/lambda")
	if err != nil || len(mains) == 0 {
		return fmt.Errorf("compile: no functions here, %w", err)
	}
	folder, err := os.MkdirTemp("", "compile")
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	defer os.RemoveAll(folder)
	var over []string
	for _, main := range mains {
		name := filepath.Base(filepath.Dir(main))
		binary := filepath.Join(folder, name)
		if err := compile(ctx, main, binary); err != nil {
			return fmt.Errorf("compile: %w", err)
		}
		bytes, functions, err := generic(binary)
		if err != nil {
			return fmt.Errorf("compile: %s: %w", name, err)
		}
		fmt.Fprintf(out, "  %-12s %4d KB in %d generic functions\n", name, bytes>>10, functions)
		if bytes > bound && name != joined {
			over = append(over, name)
		}
	}
	if len(over) > 0 {
		return fmt.Errorf("compile: more than %d KB of generic code: %s", bound>>10, strings.Join(over, ", "))
	}
	return nil
}

// compile compiles a main package as SAM does, but keeps the symbols.
func compile(ctx context.Context, main, binary string) error {
	return program.Build(ctx, binary, program.Options{
		Root: ".", Package: filepath.ToSlash(main), Flags: []string{"-trimpath", "-tags=" + lambdaruntime.Tags, "-ldflags=-w"},
		Env: []string{"CGO_ENABLED=0", "GOFLAGS=", "GOOS=linux", "GOARCH=arm64"},
	})
}

// generic returns the size of the generic functions of this module in a binary.
func generic(binary string) (bytes, functions int, err error) {
	file, err := elf.Open(binary)
	if err != nil {
		return 0, 0, fmt.Errorf("compile: %w", err)
	}
	defer func() { _ = file.Close() }()
	symbols, err := file.Symbols()
	if err != nil {
		return 0, 0, fmt.Errorf("compile: %w", err)
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && isGeneric(s.Name) {
			bytes += int(s.Size)
			functions++
		}
	}
	return bytes, functions, nil
}

// isGeneric tells whether a symbol is a compiled body of a generic function of this module, or of a function within one.
func isGeneric(symbol string) bool {
	return strings.HasPrefix(symbol, module) && strings.Contains(symbol, "[go.shape.")
}
