// Command proven runs a command that proves something at length, unless the same command has passed here with the same inputs:
//
//	proven -name pdf -packages ./infra/pdfcheck -files infra/pdfcheck -versions 'qpdf --version' -- go test ./infra/pdfcheck
//
// The inputs are all that the packages and their tests are compiled from, below the module and beside it (go.sum has the hashes of the
// rest), the files that are named, what the commands under -versions print, the toolchain, and the command itself. Their hash is kept in
// .local/proven. With FULL in the environment the command runs in any case, as it does in CI.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// proof is a command, and what its result depends on.
type proof struct {
	name                      string
	packages, files, versions []string
	command                   []string
}

func main() {
	var p proof
	flag.StringVar(&p.name, "name", "", "what is proven, a `word`")
	packages := flag.String("packages", "", "Go `packages` whose tests are inputs, with all that they import; comma-separated")
	files := flag.String("files", "", "`files` and folders that are inputs; comma-separated")
	versions := flag.String("versions", "", "`commands` that print the versions of programs that take part; comma-separated")
	flag.Parse()
	p.packages, p.files, p.versions, p.command = list(*packages), list(*files), list(*versions), flag.Args()
	if p.name == "" || len(p.command) == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := p.run(context.Background(), ".", os.Getenv("FULL") != "", os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "proven: %v\n", err)
		os.Exit(1)
	}
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// run runs the command in the folder of a module, unless its inputs have the hash with which it passed.
func (p proof) run(ctx context.Context, root string, full bool, out io.Writer) error {
	key, err := p.key(ctx, root)
	if err != nil {
		return err
	}
	kept := filepath.Join(root, ".local", "proven", p.name)
	if before, err := os.ReadFile(kept); err == nil && string(before) == key && !full {
		_, _ = fmt.Fprintf(out, "Skipped: %s passed here, and none of its inputs has changed since (%.12s). FULL=1 runs it.\n", p.name, key)
		return nil
	}
	if err := os.Remove(kept); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	command := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	command.Dir, command.Stdout, command.Stderr = root, out, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	// A file that changed meanwhile was perhaps not read as it is now.
	if after, err := p.key(ctx, root); err != nil || after != key {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return err
	}
	return os.WriteFile(kept, []byte(key), 0o600)
}

// key is the hash of the inputs.
func (p proof) key(ctx context.Context, root string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n", p.command)
	for _, version := range append([]string{"go env GOVERSION GOOS GOARCH GOFLAGS CGO_ENABLED"}, p.versions...) {
		printed, err := output(ctx, root, true, strings.Fields(version)...)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q %q\n", version, printed)
	}
	files, err := p.inputs(ctx, root)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil && !errors.Is(err, os.ErrNotExist) { // git names what is deleted
			return "", err
		}
		fmt.Fprintf(sum, "%q %t %x\n", file, err == nil, sha256.Sum256(content))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// inputs are the files that the result depends on, relative to the root, in order.
func (p proof) inputs(ctx context.Context, root string) (files []string, err error) {
	if len(p.packages) > 0 {
		if files, err = compiled(ctx, root, p.packages); err != nil {
			return nil, err
		}
		files = append(files, "go.mod", "go.sum")
	}
	if len(p.files) > 0 {
		args := append([]string{"git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, p.files...)
		named, err := output(ctx, root, false, args...)
		if err != nil {
			return nil, err
		}
		for _, of := range p.files {
			if !strings.HasPrefix(named, of) && !strings.Contains(named, "\x00"+of) {
				return nil, fmt.Errorf("there is no %s", of)
			}
		}
		files = append(files, strings.FieldsFunc(named, func(r rune) bool { return r == 0 })...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// compiled are the files of the module that go into tests of packages.
func compiled(ctx context.Context, root string, packages []string) (files []string, err error) {
	args := append([]string{
		"go", "list", "-deps", "-test", "-json=Dir,Module,GoFiles,CgoFiles,EmbedFiles",
	}, packages...)
	listed, err := output(ctx, root, false, args...)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(strings.NewReader(listed)); ; {
		var p struct {
			Dir                           string
			Module                        struct{ Main bool }
			GoFiles, CgoFiles, EmbedFiles []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, err
		}
		if !p.Module.Main {
			continue // go.sum has its hash
		}
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, p.EmbedFiles) {
			if name, err := filepath.Rel(whole, filepath.Join(p.Dir, file)); err == nil && !strings.HasPrefix(name, "..") {
				files = append(files, name) // what is generated for a test lies elsewhere
			}
		}
	}
}

// output is what a command prints, on both of its outputs where that is wanted.
func output(ctx context.Context, root string, both bool, command ...string) (string, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	var out, said bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = root, &out, &said
	if both {
		c.Stderr = &out
	}
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, &said)
	}
	return out.String(), nil
}
