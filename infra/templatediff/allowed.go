package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
)

// allowed are the second steps: what the code needs no longer since a release, and may go after it.
type allowed []struct {
	Change string `yaml:"change"`
	After  string `yaml:"after"`
	Why    string `yaml:"why"`
}

func readAllowed(file string) (allowed, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	decoder.KnownFields(true)
	var rows allowed
	if err := decoder.Decode(&rows); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for n, row := range rows {
		if row.Change == "" || row.After == "" || row.Why == "" {
			return nil, fmt.Errorf("%s: row %d needs change, after and why", file, n+1)
		}
	}
	return rows, nil
}

// let returns what is refused all the same: what no row names, and what is named before the release is out after which it may go.
// It tells the rows that let nothing through, which can go.
func (a allowed) let(refused []refusal, released func(tag string) (bool, error), out io.Writer) ([]refusal, error) {
	rows := map[string]int{}
	for n, row := range a {
		rows[row.Change] = n
	}
	used := map[int]bool{}
	var left []refusal
	for _, r := range refused {
		n, there := rows[r.change]
		if !there {
			left = append(left, r)
			continue
		}
		used[n] = true
		is, err := released(a[n].After)
		if err != nil {
			return nil, err
		}
		if !is {
			r.why += " allowed.yaml lets it go after " + a[n].After + ", which isn't out."
			left = append(left, r)
		}
	}
	for n, row := range a {
		if !used[n] {
			fmt.Fprintf(out, "  --  allowed.yaml: %q is no change since the last release; the row can go\n", row.Change)
		}
	}
	return left, nil
}
