package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// declarationFile says what AWS has to know of a group. It stands in the group's folder.
const declarationFile = "group.yaml"

// declaration is the content of a group's declarationFile. What it doesn't name the function may not do.
type declaration struct {
	Name string `yaml:"-"` // the folder's
	// Description is the function's, for who looks at it on AWS.
	Description string `yaml:"description"`
	// Prefixes are the paths below which all is the group's, without a slash at the end. The longest prefix of all groups
	// wins; $default takes what no prefix takes.
	Prefixes []string `yaml:"prefixes"`
	// Memory in MB and Timeout in seconds, where other than in the template's Globals.
	Memory  int `yaml:"memory"`
	Timeout int `yaml:"timeout"`
	// Table are actions on the table, without "dynamodb:".
	Table []string `yaml:"table"`
	// Indexes are those of the table's indexes that the group queries.
	Indexes []string `yaml:"indexes"`
	// Files are actions on the bucket's folders, without "s3:".
	Files *files `yaml:"files"`
	// Signing are actions on the key that signs tokens, Codes on the one that makes one-time codes, without "kms:".
	Signing []string `yaml:"signing"`
	Codes   []string `yaml:"codes"`
	// Other are whole statements of a policy, for what is none of the above.
	Other []yaml.Node `yaml:"other"`
}

type files struct {
	Folders []string `yaml:"folders"`
	Actions []string `yaml:"actions"`
}

// declarations reads those of all groups, in the order of their names.
func declarations(root string) ([]declaration, error) {
	paths, err := filepath.Glob(filepath.Join(root, "functions", "*", declarationFile))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no functions/*/%s in %s", declarationFile, root)
	}
	slices.Sort(paths)
	owner := map[string]string{}
	var all []declaration
	for _, path := range paths {
		d, err := readDeclaration(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, prefix := range d.Prefixes {
			if other, taken := owner[prefix]; taken {
				return nil, fmt.Errorf("%s: the prefix %s is of %s", path, prefix, other)
			}
			owner[prefix] = d.Name
		}
		all = append(all, d)
	}
	return all, nil
}

func readDeclaration(path string) (declaration, error) {
	d := declaration{Name: filepath.Base(filepath.Dir(path))}
	content, err := os.ReadFile(path)
	if err != nil {
		return d, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil {
		return d, err
	}
	return d, d.check()
}

// check refuses what would make a template that means something else.
func (d declaration) check() error {
	matches := func(what, pattern string, values ...string) error {
		for _, v := range values {
			if !regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString(v) {
				return fmt.Errorf("%q is no %s", v, what)
			}
		}
		return nil
	}
	f := files{}
	if d.Files != nil {
		f = *d.Files
		if len(f.Folders) == 0 || len(f.Actions) == 0 {
			return errors.New("files needs folders and actions")
		}
	}
	switch {
	case strings.TrimSpace(d.Description) == "":
		return errors.New("no description")
	case len(d.Prefixes) == 0:
		return errors.New("no prefixes")
	case d.Memory < 0 || d.Timeout < 0:
		return errors.New("memory and timeout are above zero")
	}
	const action = `[A-Z][A-Za-z]+`
	return errors.Join(
		matches("name of a group", `[a-z][a-z0-9]*`, d.Name),
		matches("prefix", `(/[a-z0-9_-]+)+|`+regexp.QuoteMeta(defaultRoute), d.Prefixes...),
		matches("action", action, slices.Concat(d.Table, f.Actions, d.Signing, d.Codes)...),
		matches("index", `[a-z]+`, d.Indexes...),
		matches("folder", `[a-z]+`, f.Folders...),
	)
}
