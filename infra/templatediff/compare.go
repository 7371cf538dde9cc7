package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
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
	shared, sharedNow := tree.Object(tree.At(from, ofAll...)), tree.Object(tree.At(to, ofAll...))
	for _, id := range named(from, functions) {
		if tree.Text(tree.At(to, "Resources", id, "Type")) != functions {
			continue // gone with the code that read them
		}
		ofOne := []string{"Resources", id, "Properties", "Environment", "Variables"}
		own, ownNow := tree.Object(tree.At(from, ofOne...)), tree.Object(tree.At(to, ofOne...))
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
	for name := range tree.Object(from["Parameters"]) {
		if _, there := tree.Object(to["Parameters"])[name]; !there {
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
	for id, r := range tree.Object(template["Resources"]) {
		if slices.Contains(kinds, tree.Text(tree.Object(r)["Type"])) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
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
			case tree.Text(argument) != "":
				return tree.Text(argument)
			case tree.Text(v["Ref"]) != "":
				return "${" + tree.Text(v["Ref"]) + "}"
			case tree.Text(v["Fn::GetAtt"]) != "":
				return "${" + tree.Text(v["Fn::GetAtt"]) + "}"
			case len(tree.List(v["Fn::GetAtt"])) == 2:
				pair := tree.List(v["Fn::GetAtt"])
				return "${" + tree.Text(pair[0]) + "." + tree.Text(pair[1]) + "}"
			}
		}
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps, lists and texts, of which there is none that JSON can't hold
	}
	return string(encoded)
}
