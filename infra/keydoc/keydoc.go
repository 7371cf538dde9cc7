// Command keydoc writes docs/keys.md, which lists every key of the table and of the bucket. It reads them from the
// registry in shared/table/keyspace.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

//go:generate go run .

//go:embed keys.md.tmpl
var text string

func main() {
	root, err := engine.ModuleRoot()
	if err == nil {
		err = write(filepath.Join(root, "docs", "keys.md"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "keydoc:", err)
		os.Exit(1)
	}
}

func write(file string) error {
	page, err := template.New("keys.md").Funcs(template.FuncMap{"code": code, "unique": unique}).Parse(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := page.Execute(&out, map[string]any{
		"Partitions": keyspace.Partitions(), "Indexes": keyspace.Indexes(), "Folders": keyspace.Folders(), "Kinds": kinds.All(),
	}); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o644) //nolint:gosec // everybody may read it
}

// code is a name or a list of names as code.
func code(of any) string {
	list, _ := of.([]string)
	if one, ok := of.(string); ok {
		list = []string{one}
	}
	if len(list) == 0 {
		return ""
	}
	return "`" + strings.Join(list, "`, `") + "`"
}

// unique are the names of the values of a kind that are unique.
func unique(k kinds.Kind) (names []string) {
	for _, name := range k.Unique {
		names = append(names, k.UniqueName(name))
	}
	return names
}
