// Package program builds the programs that tests and the local platform start: functions, the file store, the platform itself.
//
// Go keeps what it compiles, but links each program anew for whoever asks. Here a program is linked once for all processes: it lies in
// .local/programs, under the name of its package and of how it is built, so there are as many files as programs. Whether it is current is
// decided by go build, which finds in the file the hash of all that went into it: sources, versions, flags and the toolchain.
package program

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tenantry/tenantry/infra/local/lock"
)

// Options of Build.
type Options struct {
	// Root is the platform's folder.
	Root string
	// Module is the folder of the program's module relative to the root, with slashes, and empty for the root's.
	Module string
	// Package is the folder of the program's package, relative to its module, with slashes. Empty is the module's own.
	Package string
	// Flags of go build, and the variables that it gets besides those of this process.
	Flags, Env []string
	// Once takes what this process has built before for current, without asking go build.
	Once bool
}

// lean lets a compiler collect its garbage only where it needs more memory than this, so it takes a fifth less of the processor. What is
// compiled stays the same.
var lean = []string{"GOGC=off", "GOMEMLIMIT=768MiB"}

// built has the files of programs that this process has built.
var built sync.Map

// Build builds a program and puts it at out, in a file that no later build changes.
func Build(ctx context.Context, out string, o Options) error {
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return fmt.Errorf("program: %w", err)
	}
	of := path.Join(o.Module, o.Package)
	how := sha256.Sum256([]byte(strings.Join(slices.Concat([]string{of}, o.Flags, o.Env), "\x00")))
	kept := filepath.Join(root, ".local", "programs", strings.ReplaceAll(of, "/", "-")+"-"+hex.EncodeToString(how[:4]))
	for _, folder := range []string{filepath.Dir(kept), filepath.Dir(out)} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("program: %w", err)
		}
	}
	alone, err := lock.File(kept+".lock", true)
	if err != nil {
		return fmt.Errorf("program: %w", err)
	}
	defer alone.Close()
	if _, before := built.Load(kept); !before || !o.Once {
		args := slices.Concat([]string{"build", "-buildvcs=false", "-o", kept}, o.Flags, []string{"./" + o.Package})
		build := exec.CommandContext(ctx, "go", args...)
		build.Dir, build.Env = filepath.Join(root, o.Module), slices.Concat(lean, os.Environ(), o.Env)
		if said, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("program: build %s: %w\n%s", of, err, said)
		}
		built.Store(kept, true)
	}
	if err := put(kept, out); err != nil {
		return fmt.Errorf("program: %w", err)
	}
	return nil
}

// put gives a file a second name, in place of what has it, or copies it where that can't be. Go never writes into a program, it makes
// a new file, so the second name stays with what was built.
func put(file, name string) error {
	made, err := os.MkdirTemp(filepath.Dir(name), "program-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	at := filepath.Join(made, "program")
	if os.Link(file, at) != nil {
		content, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(at, content, 0o755) //nolint:gosec // a program
		}
		if err != nil {
			return err
		}
	}
	return os.Rename(at, name)
}
