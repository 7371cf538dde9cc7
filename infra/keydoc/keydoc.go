// Command keydoc writes docs/keys.md, which lists every key of the table and of the bucket. It reads them from the
// registry in shared/table/keyspace.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

//go:generate go run .

func main() {
	root, err := engine.ModuleRoot()
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "docs", "keys.md"), []byte(page()), 0o644) //nolint:gosec // everybody may read it
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "keydoc:", err)
		os.Exit(1)
	}
}

func page() string {
	var b strings.Builder
	b.WriteString(`# Keys

Written by ` + "`go generate ./infra/keydoc`" + ` from ` + "`shared/table/keyspace`" + `; not edited by hand. A key that is not here is
refused before it is sent.

Everything of a company is found so: *by name*, because kinds, unique values and shards are all known; *by number*, one partition for
each number that the kind has given out; *by time*, which nothing lists, and which the item's ttl ends; *of no company*, where
items that are a company's name it: its members, its host, the addresses that it invites.

## The table

Roles name partitions by the last column: ` + "`company`, `cli#log` for the histories of clients, `cli`" + ` for all that a kind has.

| Partition (pk) | Sort key (sk) | Item | Found | Name |
|---|---|---|---|---|
`)
	for _, p := range keyspace.Partitions() {
		for _, item := range p.Items {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", p.Key, item.Sort, item.Holds, p.Found, code(p.FullName()))
		}
	}
	b.WriteString(`
The directory of a kind, ` + "`<kind>#dir`" + `, sorts counters first, then pending ranges, then the manifest. One query
from ` + "`p#`" + ` on reads ranges and manifest; whoever doesn't want the manifest reads below ` + "`s#`" + `.
`)
	b.WriteString("\n| Index | Hash | Range | Partitions | Beside the keys | Holds |\n|---|---|---|---|---|---|\n")
	for _, i := range keyspace.Indexes() {
		holds := "nothing"
		if len(i.Holds) > 0 {
			holds = code(i.Holds...)
		}
		sort := code(i.Sort)
		if i.Number {
			sort += ", a number"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", i.Name, i.Hash, sort, code(i.Partition...), holds, i.Says)
	}
	b.WriteString("\n## The bucket\n\n| Object | Ends | Holds |\n|---|---|---|\n")
	for _, f := range keyspace.Folders() {
		ends := "with its company"
		switch {
		case f.Days > 0:
			ends = fmt.Sprintf("%d day after it was stored, by the bucket's lifecycle", f.Days)
		case f.Old > 0:
			ends = fmt.Sprintf("with its company, or %d days after it was deleted, by the bucket's lifecycle", f.Old)
		}
		fmt.Fprintf(&b, "| `%s/%s` | %s | %s |\n", f.Name, f.Key, ends, f.Holds)
	}
	b.WriteString("\n## The kinds\n\n| `<kind>` | Records | Unique values |\n|---|---|---|\n")
	for _, k := range kinds.All() {
		var unique []string
		for _, name := range k.Unique {
			unique = append(unique, k.UniqueName(name))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Code, k.Label, code(unique...))
	}
	return b.String()
}

func code(list ...string) string {
	if len(list) == 0 {
		return ""
	}
	return "`" + strings.Join(list, "`, `") + "`"
}
