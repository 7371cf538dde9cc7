package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

// refusal is one change that may not be made in one release.
type refusal struct {
	change        string // its name, by which allowed.yaml lets it through
	why           string
	first, second string // what to do instead, in which release
}

// compare returns what may not change between a template and the next one, ordered by name.
func compare(before, after []byte) ([]refusal, error) {
	from, err := samtemplate.Document(before)
	if err != nil {
		return nil, fmt.Errorf("the template of before: %w", err)
	}
	to, err := samtemplate.Document(after)
	if err != nil {
		return nil, err
	}
	var all []refusal
	for _, rule := range []func(from, to map[string]any) []refusal{variables, grants, kept, indexes, parameters} {
		all = append(all, rule(from, to)...)
	}
	slices.SortFunc(all, func(a, b refusal) int { return strings.Compare(a.change, b.change) })
	return slices.CompactFunc(all, func(a, b refusal) bool { return a.change == b.change }), nil
}

const (
	secondStep = "In the release after, take it away, with a row in infra/templatediff/allowed.yaml that names the release of step 1."
	functions  = "AWS::Serverless::Function"
	tables     = "AWS::DynamoDB::Table"
)

// variables finds environment variables that a function no longer has. Those of all functions are named once.
func variables(from, to map[string]any) []refusal {
	const why = "The code of before reads it, and would start without it while the release lands, or when the release is taken back."
	var all []refusal
	missing := func(name, of string) {
		all = append(all, refusal{
			change: fmt.Sprintf("variable %s of %s", name, of), why: why,
			first: "Release the code that doesn't read it, or reads another name, with both in template.yaml.", second: secondStep,
		})
	}
	ofAll := []string{"Globals", "Function", "Environment", "Variables"}
	shared, sharedNow := object(at(from, ofAll...)), object(at(to, ofAll...))
	for _, id := range named(from, functions) {
		if text(at(to, "Resources", id, "Type")) != functions {
			continue // gone with the code that read them
		}
		ofOne := []string{"Resources", id, "Properties", "Environment", "Variables"}
		own, ownNow := object(at(from, ofOne...)), object(at(to, ofOne...))
		had := map[string]any{}
		maps.Copy(had, own)
		maps.Copy(had, shared)
		for name := range had {
			_, isOwn := ownNow[name]
			_, isShared := sharedNow[name]
			_, wasOwn := own[name]
			switch {
			case isOwn || isShared:
			case wasOwn:
				missing(name, id)
			default:
				missing(name, "all functions")
			}
		}
	}
	return all
}

// parameters finds parameters that are gone: a stage that gives them can't be deployed.
func parameters(from, to map[string]any) []refusal {
	var all []refusal
	for name := range object(from["Parameters"]) {
		if _, there := object(to["Parameters"])[name]; !there {
			all = append(all, refusal{
				change: "parameter " + name,
				why:    "Stages give it, and CloudFormation refuses a parameter that a template doesn't have.",
				first:  "Release the template that doesn't use it, the parameter still there; CHANGELOG.md tells stages to take it out.",
				second: secondStep,
			})
		}
	}
	return all
}

// named returns the logical ids of the resources of some types, sorted.
func named(template map[string]any, kinds ...string) []string {
	var ids []string
	for id, r := range object(template["Resources"]) {
		if slices.Contains(kinds, text(object(r)["Type"])) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// object, list and text return a value as the type that it should have, or an empty value of that type.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// at returns the value below v that is found by following the keys.
func at(v any, keys ...string) any {
	for _, key := range keys {
		v = object(v)[key]
	}
	return v
}

// written returns a value as a text that is the same for the same value, and readable where it is a reference: ${Table.Arn}.
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any:
		if len(v) == 1 {
			switch argument := v["Fn::Sub"]; {
			case text(argument) != "":
				return text(argument)
			case text(v["Ref"]) != "":
				return "${" + text(v["Ref"]) + "}"
			case text(v["Fn::GetAtt"]) != "":
				return "${" + text(v["Fn::GetAtt"]) + "}"
			case len(list(v["Fn::GetAtt"])) == 2:
				pair := list(v["Fn::GetAtt"])
				return "${" + text(pair[0]) + "." + text(pair[1]) + "}"
			}
		}
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps, lists and texts, of which there is none that JSON can't hold
	}
	return string(encoded)
}
