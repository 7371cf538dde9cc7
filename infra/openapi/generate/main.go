// Command generate writes docs/openapi.json; run it by `make openapi` after
// changing an operation.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/openapi"
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
	description, err := openapi.Describe(groups.All())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "openapi.json"), description, 0o644) //nolint:gosec // for everybody to read
}
