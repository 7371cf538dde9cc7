// Package samtemplate reads what the local platform needs from template.yaml: functions with their environment,
// routes, the authorizer, the table and the bucket, and the policies of roles, buckets and keys.
//
// What the template says in a way that this package doesn't understand is an error and never a guess, because
// otherwise the local platform could silently differ from the deployed one. What a policy means never goes in here: that is in
// package policy. Nor do alarms.
package samtemplate

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

// Template is a template that was read.
type Template struct {
	// Functions are the functions by logical id.
	Functions map[string]Function
	// Routes are the routes of the HTTP API, ordered by path.
	Routes []Route

	source source
}

// source is what is read of the template's text.
type source struct {
	Parameters map[string]struct {
		Default *string `yaml:"Default"`
	} `yaml:"Parameters"`
	Conditions map[string]any `yaml:"Conditions"`
	Globals    struct {
		Function map[string]any `yaml:"Function"`
	} `yaml:"Globals"`
	Resources map[string]struct {
		Type       string         `yaml:"Type"`
		Condition  string         `yaml:"Condition"`
		Properties map[string]any `yaml:"Properties"`
	} `yaml:"Resources"`
}

// Function is one AWS::Serverless::Function with the template's global settings merged in.
type Function struct {
	// CodeURI is the folder of the function's main package, relative to the template.
	CodeURI string
	// Timeout and MemoryMB are the function's settings; zero means Lambda's default.
	Timeout  time.Duration
	MemoryMB int

	environment map[string]any
}

// Group returns the name of the folder that holds the function. For functions/identity/lambda/ it is identity.
func (f Function) Group() string {
	return path.Base(path.Dir(path.Clean(f.CodeURI)))
}

// Of returns the function of a group, and its logical id.
func (t *Template) Of(group string) (id string, f Function, ok bool) {
	for id, f := range t.Functions {
		if f.Group() == group {
			return id, f, true
		}
	}
	return "", Function{}, false
}

// Route is one route of the HTTP API.
type Route struct {
	// Path is the path as the template writes it: /v2/documents, /v2/documents/{proxy+} or $default.
	Path string
	// Method is a method in capitals, or ANY.
	Method string
	// Function and Authorizer are logical ids. If Authorizer is empty, every request is let through.
	Function, Authorizer string
}

// Load reads the template from a file.
func Load(file string) (*Template, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("samtemplate: %w", err)
	}
	return Parse(source)
}

// Parse reads a template.
func Parse(text []byte) (*Template, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("samtemplate: %w", err)
	}
	lengthen(&document)
	t := &Template{Functions: map[string]Function{}}
	if err := document.Decode(&t.source); err != nil {
		return nil, fmt.Errorf("samtemplate: %w", err)
	}
	if err := t.readFunctions(t.source.Globals.Function); err != nil {
		return nil, fmt.Errorf("samtemplate: %w", err)
	}
	if err := t.readRoutes(); err != nil {
		return nil, fmt.Errorf("samtemplate: %w", err)
	}
	return t, nil
}

func (t *Template) readFunctions(globals map[string]any) error {
	for _, name := range t.named(functionType) {
		own := t.source.Resources[name].Properties
		for event, e := range tree.Object(own["Events"]) {
			if kind := tree.Text(tree.Object(e)["Type"]); kind == "HttpApi" || kind == "Api" {
				return fmt.Errorf("%s: event %s: routes are read from the API's DefinitionBody only", name, event)
			}
		}
		property := func(key string) any {
			if v, ok := own[key]; ok {
				return v
			}
			return globals[key]
		}
		f := Function{CodeURI: tree.Text(property("CodeUri")), environment: map[string]any{}}
		if f.CodeURI == "" {
			return fmt.Errorf("%s: no CodeUri", name)
		}
		for _, from := range []map[string]any{globals, own} {
			maps.Copy(f.environment, tree.Object(tree.At(from, "Environment", "Variables")))
		}
		seconds, err := integer(property("Timeout"))
		if err != nil {
			return fmt.Errorf("%s: Timeout: %w", name, err)
		}
		f.Timeout = time.Duration(seconds) * time.Second
		if f.MemoryMB, err = integer(property("MemorySize")); err != nil {
			return fmt.Errorf("%s: MemorySize: %w", name, err)
		}
		t.Functions[name] = f
	}
	return nil
}

// Environment returns a function's environment variables as Lambda would set them. values holds what the deployment
// decides: parameters without a default or with another value, names of resources under their logical id (Table),
// attributes under id.attribute (Table.Arn), and pseudo parameters under their own names. Queues have addresses without that.
func (t *Template) Environment(function string, values map[string]string) (map[string]string, error) {
	f, ok := t.Functions[function]
	if !ok {
		return nil, fmt.Errorf("samtemplate: no function %s", function)
	}
	out := make(map[string]string, len(f.environment))
	for key, value := range f.environment {
		resolved, err := t.resolve(value, values)
		text, ok := resolved.(string)
		if err != nil || !ok {
			return nil, fmt.Errorf("samtemplate: %s: %s: %T is no text, %w", function, key, resolved, err)
		}
		out[key] = text
	}
	return out, nil
}

// Declared returns the names of a function's environment variables, sorted.
func (t *Template) Declared(function string) []string {
	return slices.Sorted(maps.Keys(t.Functions[function].environment))
}

// named returns the logical ids of the resources of one type, sorted.
func (t *Template) named(kind string) []string {
	var names []string
	for name, r := range t.source.Resources {
		if r.Type == kind {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// only returns the resource of a type; another number than one is an error.
func (t *Template) only(kind string) (string, map[string]any, error) {
	names := t.named(kind)
	if len(names) != 1 {
		return "", nil, fmt.Errorf("samtemplate: %d resources of type %s, want one", len(names), kind)
	}
	return names[0], t.source.Resources[names[0]].Properties, nil
}
