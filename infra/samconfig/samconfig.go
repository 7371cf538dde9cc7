// Package samconfig reads what samconfig.toml says of stages: which stack each is, where, and the parameters that it is deployed with.
//
// What never goes in here: what SAM's other commands take from that file, which is SAM's to read.
package samconfig

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// File is where stages stand, below the root of the project.
const File = "samconfig.toml"

// Stage is what the file says of one.
type Stage struct {
	Stack, Region string
	// Overrides are parameters of the template, each as name=value.
	Overrides []string
}

// settings are those of one command, or of all.
type settings struct {
	Parameters struct {
		Stack     string `toml:"stack_name"`
		Region    string `toml:"region"`
		Overrides any    `toml:"parameter_overrides"`
	} `toml:"parameters"`
}

// Load reads a stage from a file. One that the file doesn't know is an error that says which it knows.
func Load(file, name string) (Stage, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Stage{}, err
	}
	stage, err := parse(text, name)
	if err != nil {
		return Stage{}, fmt.Errorf("%s: %w", file, err)
	}
	return stage, nil
}

func parse(text []byte, name string) (s Stage, err error) {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		return s, err
	}
	delete(all, "version")
	if _, known := all[name].(map[string]any); !known {
		return s, fmt.Errorf("it knows no stage %q; it knows %s", name, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	one, err := toml.Marshal(all[name])
	if err != nil {
		return s, err
	}
	var of struct {
		Global settings `toml:"global"`
		Deploy settings `toml:"deploy"`
	}
	if err := toml.Unmarshal(one, &of); err != nil {
		return s, err
	}
	// What is said of the command counts before what is said of all, as for SAM.
	for _, from := range []settings{of.Global, of.Deploy} {
		p := from.Parameters
		if p.Stack != "" {
			s.Stack = p.Stack
		}
		if p.Region != "" {
			s.Region = p.Region
		}
		if p.Overrides != nil {
			if s.Overrides, err = overrides(p.Overrides); err != nil {
				return s, err
			}
		}
	}
	if s.Stack == "" {
		return s, fmt.Errorf("stage %q has no stack_name", name)
	}
	return s, nil
}

// overrides reads a list of texts, or one text, as SAM takes both.
func overrides(value any) ([]string, error) {
	if text, ok := value.(string); ok {
		return []string{text}, nil
	}
	list, ok := value.([]any)
	var texts []string
	for _, item := range list {
		text, isText := item.(string)
		texts, ok = append(texts, text), ok && isText
	}
	if !ok {
		return nil, fmt.Errorf("parameter_overrides is %v; write a list of texts, name=value each", value)
	}
	return texts, nil
}
