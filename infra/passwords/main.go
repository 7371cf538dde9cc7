// Command passwords makes the filter of functions/identity/denylist of a list with a password a line, which it reads. `make
// passwords` gives it the list that Django refuses, from the pinned package.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/tenantry/tenantry/functions/identity/denylist"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "passwords:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var list []string
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		list = append(list, lines.Text())
	}
	if err := lines.Err(); err != nil {
		return err
	}
	_, err := out.Write(denylist.Filter(list))
	return err
}
