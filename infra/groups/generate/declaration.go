package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/shared/app"
)

// declarationFile says what AWS has to know about a group. It is in the group's folder.
const declarationFile = "group.yaml"

// declaration is the content of a group's declarationFile. The function has only the rights that it names.
type declaration struct {
	Name string `yaml:"-"` // the name of the folder
	// Description is the function's description on AWS.
	Description string `yaml:"description"`
	// Invoked says that the function has no paths: others call it, those that name it in calls or worker_calls.
	Invoked bool `yaml:"invoked"`
	// Packs says that the function makes the segments of what all groups search, which the worker asks it for. So it reads the
	// changes and the records of these kinds.
	Packs bool `yaml:"packs"`
	// Shows says that the function answers GET of records of all groups. So it links those that have a path of records.
	Shows bool `yaml:"shows"`
	// Prefixes are paths without a slash at the end. Every path below one of them belongs to the group. If prefixes of
	// several groups match, the longest wins; $default takes the paths that match no prefix. A prefix may have parameters,
	// such as /v2/documents/{ref}/sign below another group's /v2/documents; its first and last parts are literals.
	Prefixes []string `yaml:"prefixes"`
	// Memory in MB and Timeout in seconds, if they differ from the template's Globals. Functions with kinds in the index of changes have
	// searchingMemory otherwise.
	Memory  int `yaml:"memory"`
	Timeout int `yaml:"timeout"`
	// Beside are groups, of names before this one's, whose prefixes overlap with these in paths that neither group serves: both
	// answer 404 there, so it doesn't matter which of them AWS takes.
	Beside []string `yaml:"beside"`
	// Calls are the invoked functions that the group's requests call, and WorkerCalls those that its messages call.
	Calls       []string `yaml:"calls"`
	WorkerCalls []string `yaml:"worker_calls"`
	// Environment are the function's own variables, each with the template's parameter that gives it its value.
	Environment map[string]string `yaml:"environment"`
	access      `yaml:",inline"`
	// Files are actions on the bucket's folders, without "s3:".
	Files *files `yaml:"files"`
	// Signing are actions on the keys that sign tokens, Codes on those of one-time codes, Refresh on those of refresh tokens, Chain on
	// those that chain signing records, Hooks on those of which secrets of webhooks are made, without "kms:". Each key's own policy gives
	// them, and the role's policy too; reading public halves is the role's alone.
	Signing []string `yaml:"signing"`
	Codes   []string `yaml:"codes"`
	Refresh []string `yaml:"refresh"`
	Chain   []string `yaml:"chain"`
	Hooks   []string `yaml:"hooks"`
	// Seal are actions on the key that seals documents. One function may have them, and the key's own policy gives them, with the role's.
	Seal []string `yaml:"seal"`
	// Other are whole policy statements, for rights that the fields above can't express.
	Other []yaml.Node `yaml:"other"`
}

// searchingMemory is the memory in MB of functions that search, and of the one that makes segments: it brings one core, by which segments
// are opened, and has room for SEARCH_MEMORY (docs/decisions/0032-search-of-a-thousand-companies.md).
const searchingMemory = 1769

type files struct {
	Folders []string `yaml:"folders"`
	Actions []string `yaml:"actions"`
}

// declarations reads the declarations of all groups, in the order of their names.
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
			if owner[prefix] != "" {
				return nil, fmt.Errorf("%s: the prefix %s is of %s", path, prefix, owner[prefix])
			}
			for other, name := range owner {
				if name != d.Name && !slices.Contains(d.Beside, name) && overlap(prefix, other) {
					return nil, fmt.Errorf("%s: neither the prefix %s nor %s of %s is within the other", path, prefix, other, name)
				}
			}
			owner[prefix] = d.Name
		}
		all = append(all, d)
	}
	if seals := slices.DeleteFunc(slices.Clone(all), func(d declaration) bool { return !d.Seals() }); len(seals) > 1 {
		return nil, fmt.Errorf("functions/%s and functions/%s have the key that seals", seals[0].Name, seals[1].Name)
	}
	for _, d := range all {
		if err := areInvoked(all, slices.Concat(d.Calls, d.WorkerCalls)); err != nil {
			return nil, fmt.Errorf("functions/%s: %w", d.Name, err)
		}
	}
	return all, nil
}

// areInvoked refuses calls of what is no invoked function.
func areInvoked(all []declaration, called []string) error {
	for _, name := range called {
		if !slices.ContainsFunc(all, func(d declaration) bool { return d.Name == name && d.Invoked }) {
			return fmt.Errorf("it calls %s, which is no invoked function", name)
		}
	}
	return nil
}

// overlap tells whether two prefixes have paths in common, and it isn't simply the longer one that has them: AWS does not
// say which of two such routes it would take.
func overlap(a, b string) bool {
	short, long := strings.Split(a, "/"), strings.Split(b, "/")
	if len(short) > len(long) {
		short, long = long, short
	}
	exact := len(short) < len(long) // the longer one has all that the shorter one has
	for i, part := range short {
		switch isParameter := strings.HasPrefix(part, "{"); {
		case part == long[i]:
		case isParameter:
			exact = exact && !strings.HasPrefix(long[i], "{")
		case strings.HasPrefix(long[i], "{"):
			exact = false
		default:
			return false
		}
	}
	return !exact
}

func readDeclaration(path string) (declaration, error) {
	d := declaration{Name: filepath.Base(filepath.Dir(path))}
	if err := decode(path, &d); err != nil {
		return d, err
	}
	return d, d.check()
}

// Keys tells whether the function uses the platform's keys, and Seals whether it has the key that seals.
func (d declaration) Keys() bool {
	return len(d.Signing)+len(d.Codes)+len(d.Refresh)+len(d.Chain)+len(d.Hooks) > 0
}

func (d declaration) Seals() bool { return len(d.Seal) > 0 }

// check refuses values that would change the meaning of the template around them.
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
	case d.Invoked && new(app.Env).Callee(d.Name) == nil:
		return errors.New("app.Env has no field for this invoked function")
	case d.Packs && !d.Invoked:
		return errors.New("a function that packs is called by the worker alone")
	case d.Shows && !d.Invoked:
		return errors.New("a function that shows records to an owner is called, and serves no requests")
	case d.Invoked && len(d.Prefixes)+len(d.Calls)+len(d.WorkerCalls) > 0:
		return errors.New("an invoked function has no prefixes and calls nothing")
	case !d.Invoked && len(d.Prefixes) == 0:
		return errors.New("no prefixes")
	case d.Memory < 0 || d.Timeout < 0:
		return errors.New("memory and timeout are above zero")
	}
	const action = `[A-Z][A-Za-z]+`
	return errors.Join(
		matches("name of a group", `[a-z][a-z0-9]*`, d.Name),
		matches("prefix", `(/[a-z0-9_-]+(/\{[a-z]+\})?)*/[a-z0-9_-]+|`+regexp.QuoteMeta(defaultRoute), d.Prefixes...),
		matches("action", action, slices.Concat(f.Actions, d.Signing, d.Codes, d.Refresh, d.Chain, d.Hooks, d.Seal)...),
		matches("folder", `[a-z]+`, f.Folders...),
		matches("variable", `[A-Z][A-Z0-9_]*`, slices.Collect(maps.Keys(d.Environment))...),
		matches("parameter", `[A-Z][A-Za-z0-9]*`, slices.Collect(maps.Values(d.Environment))...),
	)
}
