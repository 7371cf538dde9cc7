// Command venv makes the Python environment of the template's checks: `go run ./venv`, in infra/tools.
//
// The interpreter comes inside a Go module and the packages from requirements.txt, so a machine needs no Python of its
// own and every machine has the same one. It knows Linux and macOS, on amd64 and arm64. Nothing of the platform
// belongs here.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/kluctl/go-embed-python/pip"
	"github.com/kluctl/go-embed-python/python"
)

const (
	interpreter  = ".python"
	environment  = ".venv"
	requirements = "requirements.txt"
)

func main() {
	if err := install(); err != nil {
		fmt.Fprintln(os.Stderr, "infra/tools/venv:", err)
		os.Exit(1)
	}
}

// install starts from nothing each time: what an interrupted run or older requirements left would stay otherwise.
func install() error {
	for _, dir := range []string{interpreter, environment} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	home, err := filepath.Abs(interpreter)
	if err != nil {
		return err
	}
	base, err := python.NewEmbeddedPythonWithTmpDir(home, false)
	if err != nil {
		return fmt.Errorf("unpack Python: %w", err)
	}
	exe, err := base.GetExePath()
	if err != nil {
		return fmt.Errorf("find Python: %w", err)
	}
	if err := run(nil, exe, "-m", "venv", "--without-pip", environment); err != nil {
		return err
	}
	installer, err := pip.NewPipLib("tenantry")
	if err != nil {
		return fmt.Errorf("unpack pip: %w", err)
	}
	defer func() { _ = installer.Cleanup() }() // what it leaves lies in the system's temporary folder

	bin := filepath.Join(environment, "bin")
	// pip brings uv and uv the rest, in seconds instead of a minute. The version of uv is among the requirements.
	env := []string{"PYTHONPATH=" + installer.GetExtractedPath()}
	if err := run(env, filepath.Join(bin, "python"), "-m", "pip", "install", "--quiet", "--constraint", requirements, "uv"); err != nil {
		return err
	}
	python := filepath.Join(bin, "python")
	return run(nil, filepath.Join(bin, "uv"), "pip", "install", "--quiet", "--python", python, "--requirements", requirements)
}

func run(env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %v: %w", name, args, err)
	}
	return nil
}
