// Command takeover writes what a stack needs that takes over the table, the bucket and the keys which another one, deleted or lost, has
// left: the template of an import, with nothing in it but them, and the list of what is imported. A deployment of template.yaml then makes
// everything else around them: docs/operations.md, A new stack for what was retained.
//
// What never goes in here: restoring data, and calls of AWS.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

func main() { command.Main("takeover", run) }

func run(_ context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("takeover", flag.ContinueOnError)
	template := flags.String("template", "template.yaml", "the `file` of the stage's template")
	of := flags.String("resources", "", "the `file` with the old stack's resources, as list-stack-resources prints them")
	to := flags.String("write", "import.json", "the `file` that the template of the import is written to")
	list := flags.String("list", "resources-to-import.json", "the `file` that the list of what is imported is written to")
	instead := map[string]string{}
	flags.Func("use", "what is imported instead of what the old stack had, such as `Table=name`; more than once", func(value string) error {
		id, name, ok := strings.Cut(value, "=")
		if !ok || id == "" || name == "" {
			return fmt.Errorf("%q is no id and name", value)
		}
		instead[id] = name
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	source, err := os.ReadFile(*template)
	if err != nil {
		return err
	}
	names := map[string]string{}
	if *of != "" {
		if names, err = physical(*of); err != nil {
			return err
		}
	}
	maps.Copy(names, instead)
	document, resources, err := derive(source, names)
	if err != nil {
		return err
	}
	if err := write(*to, document); err != nil {
		return err
	}
	if err := write(*list, resources); err != nil {
		return err
	}
	for _, r := range resources {
		fmt.Fprintf(out, "%s: %s\n", r.LogicalResourceID, r.ResourceIdentifier[identifiers()[r.ResourceType]])
	}
	fmt.Fprintf(out, "%d resources: the template is %s, the list %s\n", len(resources), *to, *list)
	return nil
}

func write(file string, value any) error {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}

// physical reads the names of resources by their logical ids.
func physical(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var printed struct {
		StackResourceSummaries []struct{ LogicalResourceId, PhysicalResourceId string }
	}
	if err := json.Unmarshal(text, &printed); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	names := map[string]string{}
	for _, r := range printed.StackResourceSummaries {
		names[r.LogicalResourceId] = r.PhysicalResourceId
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: has no StackResourceSummaries", file)
	}
	return names, nil
}

// resource is one that is imported, as CloudFormation reads it.
type resource struct {
	ResourceType       string            `json:"ResourceType"`
	LogicalResourceID  string            `json:"LogicalResourceId"`
	ResourceIdentifier map[string]string `json:"ResourceIdentifier"`
}

// identifiers are the kinds that outlive a stack, with what CloudFormation's registry knows one by.
func identifiers() map[string]string {
	return map[string]string{
		"AWS::DynamoDB::Table": "TableName", "AWS::S3::Bucket": "BucketName", "AWS::S3::BucketPolicy": "Bucket", "AWS::KMS::Key": "KeyId",
	}
}

// derive returns the template of an import and what it imports. names has the names of resources by their logical ids.
func derive(source []byte, names map[string]string) (map[string]any, []resource, error) {
	document, err := samtemplate.Document(source)
	if err != nil {
		return nil, nil, err
	}
	all := tree.Object(document["Resources"])
	kept := map[string]any{}
	var list []resource
	for _, id := range slices.Sorted(maps.Keys(all)) {
		r := tree.Object(all[id])
		kind := tree.Text(r["Type"])
		policy := tree.Text(r["DeletionPolicy"])
		if !strings.HasPrefix(policy, "Retain") {
			continue
		}
		identifier, known := identifiers()[kind]
		if !known {
			return nil, nil, fmt.Errorf("%s: how a %s is imported is not known here", id, kind)
		}
		name := names[id]
		if kind == "AWS::S3::BucketPolicy" && name == "" {
			name = names["Bucket"] // it is known by its bucket
		}
		if name == "" {
			return nil, nil, fmt.Errorf("%s: nothing says its name; -use %s=… does", id, id)
		}
		r["DeletionPolicy"] = "Retain" // what fails or is taken back leaves it as it was found
		kept[id] = r
		list = append(list, resource{kind, id, map[string]string{identifier: name}})
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("the template retains nothing")
	}
	for _, r := range kept {
		withoutOthers(r, kept, all)
	}
	imported := map[string]any{
		"AWSTemplateFormatVersion": document["AWSTemplateFormatVersion"], "Description": document["Description"], "Resources": kept,
	}
	// Their parameters, and those of the conditions; what nobody refers to would have to be given a value all the same.
	conditions := reached(kept, document["Conditions"])
	parameters := reached(kept, document["Parameters"])
	maps.Copy(parameters, reached(conditions, document["Parameters"]))
	for name, part := range map[string]map[string]any{"Conditions": conditions, "Parameters": parameters} {
		if len(part) > 0 {
			imported[name] = part
		}
	}
	return imported, list, nil
}

// withoutOthers takes out of a key's policy the statements that let roles use it which aren't imported. An import changes nothing of
// what it takes: the key's policy stays until the deployment afterwards writes it.
func withoutOthers(of any, kept, all map[string]any) {
	r := tree.Object(of)
	properties := tree.Object(r["Properties"])
	policy := tree.Object(properties["KeyPolicy"])
	statements := tree.List(policy["Statement"])
	if policy == nil {
		return
	}
	policy["Statement"] = slices.DeleteFunc(statements, func(s any) bool {
		for id := range references(s) {
			if _, here := kept[id]; all[id] != nil && !here {
				return true
			}
		}
		return false
	})
}

// references are the ids that a value refers to.
func references(of any) map[string]bool {
	found := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for key, item := range v {
				switch argument := item.(type) {
				case string:
					switch key {
					case "Ref", "Condition":
						found[argument] = true
					case "Fn::GetAtt":
						id, _, _ := strings.Cut(argument, ".")
						found[id] = true
					case "Fn::Sub":
						for _, part := range strings.Split(argument, "${")[1:] {
							name, _, _ := strings.Cut(part, "}")
							id, _, _ := strings.Cut(name, ".")
							found[id] = true
						}
					}
				case []any:
					if key == "Fn::If" || key == "Fn::GetAtt" {
						first := tree.Text(argument[0])
						found[first] = true
					}
				}
				walk(item)
			}
		}
	}
	walk(of)
	return found
}

// reached is the part of a section of the template that some value refers to.
func reached(by, section any) map[string]any {
	part := map[string]any{}
	whole := tree.Object(section)
	for id := range references(by) {
		if v, there := whole[id]; there {
			part[id] = v
		}
	}
	return part
}
