// Command phrases writes shared/say/messages_gen.go from the rows of the catalogue, and refuses a catalogue with a fault.
// It runs in shared/say. With -unreviewed it lists the Kazakh texts that no speaker has signed off.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/tenantry/tenantry/infra/phrases/catalogue"
)

func main() {
	unreviewed := flag.Bool("unreviewed", false, "list the Kazakh texts that no speaker has signed off")
	dir := flag.String("dir", "catalogue", "the directory of the catalogue")
	flag.Parse()
	if err := run(*dir, *unreviewed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string, unreviewed bool) error {
	rows, err := catalogue.Read(os.DirFS(dir))
	if err != nil {
		return err
	}
	if unreviewed {
		for _, r := range rows {
			if r.Reviewed == "" {
				fmt.Printf("%s\n  ru %s\n  kk %s\n", r.ID, r.Russian, r.Kazakh)
			}
		}
		return nil
	}
	source, err := catalogue.Go(rows)
	if err != nil {
		return err
	}
	return os.WriteFile("messages_gen.go", source, 0o644) //nolint:gosec // a source file
}
