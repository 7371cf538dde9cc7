package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Variable is the environment variable that can name another binary of the engine.
const Variable = "DYNOXIDE"

// Find returns the absolute path of the engine's binary. That is the one that the environment names, or else the one
// in the npm package for this machine, below the module's root.
func Find() (string, error) {
	if named := os.Getenv(Variable); named != "" {
		path, err := filepath.Abs(named)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return "", fmt.Errorf("engine: %s: %w", Variable, err)
		}
		return path, nil
	}
	root, err := ModuleRoot()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "infra", "local", "node_modules", "@dynoxide", platform(runtime.GOOS, runtime.GOARCH), binary(runtime.GOOS))
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w (%w)", ErrMissing, err)
	}
	return path, nil
}

// ModuleRoot returns the folder of the go.mod in the working directory or above it.
func ModuleRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("engine: %w", err)
	}
	for dir := start; ; {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", fmt.Errorf("engine: no go.mod above %s", start)
		}
		dir = above
	}
}

// platform returns the machine's name as npm writes it.
func platform(system, processor string) string {
	if system == "windows" {
		system = "win32"
	}
	if processor == "amd64" {
		processor = "x64"
	}
	return system + "-" + processor
}

func binary(system string) string {
	if system == "windows" {
		return "dynoxide.exe"
	}
	return "dynoxide"
}
