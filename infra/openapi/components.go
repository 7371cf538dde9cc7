package openapi

import (
	_ "embed"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
)

// about describes what is true of every operation.
//
//go:embed about.md
var about string

// shared is what components.yaml describes: what many operations refer to.
//
//go:embed components.yaml
var shared []byte

// version is that of the last release; `make release` writes it.
//
//go:embed version.txt
var version string

// newDocument makes a description without operations.
func newDocument() *document {
	var parts struct {
		SecuritySchemes map[string]*huma.SecurityScheme `yaml:"securitySchemes"`
		Parameters      map[string]*huma.Param
		Headers         map[string]*huma.Header
		Responses       map[string]*huma.Response
		Schemas         map[string]*huma.Schema
	}
	if err := yaml.Unmarshal(shared, &parts); err != nil {
		panic("openapi: components.yaml: " + err.Error())
	}
	out := newOutputs()
	for name, s := range parts.Schemas {
		out.registry.Map()[name] = s
	}
	out.registry.Map()["ErrorCode"] = errorCode()
	for _, answer := range parts.Responses {
		answer.Content[web.TypeProblem] = &huma.MediaType{Schema: &huma.Schema{Ref: schemas + "Problem"}}
	}
	return &document{
		outputs: out, errors: parts.Responses, accepted: map[reflect.Type]map[string]bool{},
		paths: map[string]string{}, described: map[string]*huma.Operation{},
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Tenantry", Version: strings.TrimSpace(version), Description: strings.TrimSpace(about),
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "The host that serves this description"}},
			Components: &huma.Components{
				Schemas: out.registry, Responses: map[string]*huma.Response{}, Parameters: parts.Parameters, Headers: parts.Headers,
				SecuritySchemes: parts.SecuritySchemes,
			},
		},
	}
}

// errorCode is the schema of the codes of all errors, from the catalogue of what is said.
func errorCode() *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeString, Description: "The name by which programs tell an error apart: /v1/errors/ says what each means.",
	}
	for _, code := range slices.Sorted(maps.Keys(say.Codes())) {
		s.Enum = append(s.Enum, code)
	}
	return s
}
