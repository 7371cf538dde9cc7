// Command generate reads the declarations of the groups, functions/*/group.yaml. From them it writes the functions, routes and
// rights in template.yaml, the lists of groups, and each group's main package. `go generate ./infra/groups` runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tenantry/tenantry/infra/local/engine"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := engine.ModuleRoot()
	if err != nil {
		return err
	}
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // source code, for everybody to read
			return err
		}
	}
	return nil
}
