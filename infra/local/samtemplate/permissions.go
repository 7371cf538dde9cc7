package samtemplate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Role is the role of a function.
type Role struct {
	ARN string
	// Policies are the role's own, by their names: maps, lists and texts, with all references resolved.
	Policies map[string]any
}

// Role returns the role of a function. It takes the values that Environment takes, and ARNs beside them.
func (t *Template) Role(function string, values map[string]string) (Role, error) {
	name, ok := of(t.resources[function].properties["Role"], "GetAtt", ".Arn")
	if !ok || t.resources[name].kind != "AWS::IAM::Role" {
		return Role{}, fmt.Errorf("samtemplate: %s: its role is none of the template", function)
	}
	p := t.resources[name].properties
	if p["ManagedPolicyArns"] != nil || p["PermissionsBoundary"] != nil {
		return Role{}, fmt.Errorf("samtemplate: %s: only policies of its own are known here", name)
	}
	role := Role{ARN: values[name+".Arn"], Policies: map[string]any{}}
	add := func(of string, policy map[string]any) error {
		tree, err := t.resolve(policy["PolicyDocument"], values)
		if err != nil {
			return fmt.Errorf("samtemplate: %s: %w", of, err)
		}
		role.Policies[text(policy["PolicyName"])] = tree
		return nil
	}
	for _, policy := range list(p["Policies"]) {
		if err := add(name, object(policy)); err != nil {
			return Role{}, err
		}
	}
	for _, id := range t.named("AWS::IAM::RolePolicy") {
		if to, ok := of(t.resources[id].properties["RoleName"], "Ref", ""); !ok || to != name {
			continue
		}
		there, err := t.there(id, values)
		if err != nil {
			return Role{}, err
		}
		if there {
			if err := add(id, t.resources[id].properties); err != nil {
				return Role{}, err
			}
		}
	}
	for _, kind := range []string{"AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"} {
		if ids := t.named(kind); len(ids) > 0 {
			return Role{}, fmt.Errorf("samtemplate: %s: policies of the type %s are not known here", ids[0], kind)
		}
	}
	return role, nil
}

// ResourcePolicies returns the policies of buckets and keys, by the ARN of what they belong to. A key without one has the one that
// KMS gives it, which leaves everything to the policies of roles.
func (t *Template) ResourcePolicies(values map[string]string) (map[string]any, error) {
	all := map[string]any{}
	for _, id := range t.named("AWS::S3::BucketPolicy") {
		bucket, ok := of(t.resources[id].properties["Bucket"], "Ref", "")
		if !ok {
			return nil, fmt.Errorf("samtemplate: %s: its bucket is none of the template", id)
		}
		tree, err := t.resolve(t.resources[id].properties["PolicyDocument"], values)
		if err != nil {
			return nil, fmt.Errorf("samtemplate: %s: %w", id, err)
		}
		all[values[bucket+".Arn"]] = tree
	}
	for _, id := range t.named("AWS::KMS::Key") {
		document, given := t.resources[id].properties["KeyPolicy"]
		if !given {
			document = map[string]any{"Version": "2012-10-17", "Statement": []any{map[string]any{
				"Effect": "Allow", "Principal": map[string]any{"AWS": "arn:aws:iam::" + values["AWS::AccountId"] + ":root"},
				"Action": "kms:*", "Resource": "*",
			}}}
		}
		tree, err := t.resolve(document, values)
		if err != nil {
			return nil, fmt.Errorf("samtemplate: %s: %w", id, err)
		}
		all[values[id+".Arn"]] = tree
	}
	return all, nil
}

// account is the account that everything is in, as it is in AWS's own examples.
const account = "123456789012"

// ARNs returns the pseudo parameters, the names and the ARNs of the template's resources in a region, under the names by which
// the template refers to them. names gives names of resources by their logical ids; a resource without one is called by its id.
func (t *Template) ARNs(region string, names map[string]string) map[string]string {
	values := map[string]string{
		"AWS::AccountId": account, "AWS::Partition": "aws", "AWS::Region": region, "AWS::StackName": "local",
		"AWS::URLSuffix": "amazonaws.com",
	}
	forms := map[string]string{
		"AWS::Serverless::Function": "lambda:" + region + ":" + account + ":function:",
		"AWS::IAM::Role":            "iam::" + account + ":role/",
		"AWS::DynamoDB::Table":      "dynamodb:" + region + ":" + account + ":table/",
		"AWS::S3::Bucket":           "s3:::",
		"AWS::KMS::Key":             "kms:" + region + ":" + account + ":key/",
		"AWS::Logs::LogGroup":       "logs:" + region + ":" + account + ":log-group:",
		"AWS::SQS::Queue":           "sqs:" + region + ":" + account + ":",
		"AWS::SNS::Topic":           "sns:" + region + ":" + account + ":",
	}
	for id, r := range t.resources {
		name := names[id]
		if name == "" {
			name = id
		}
		values[id] = name
		if form, ok := forms[r.kind]; ok {
			values[id+".Arn"] = "arn:aws:" + form + name
		}
		if r.kind == "AWS::DynamoDB::Table" {
			values[id+".StreamArn"] = values[id+".Arn"] + "/stream/2026-01-01T00:00:00.000"
		}
	}
	maps.Copy(values, names)
	return values
}

// of returns the logical id in a reference to a resource, or to its attribute with this ending.
func of(value any, function, ending string) (id string, ok bool) {
	i, isOne := value.(intrinsic)
	id, ends := strings.CutSuffix(text(i.argument), ending)
	return id, isOne && ends && i.name == function
}

// there tells whether a resource is made, which its condition decides.
func (t *Template) there(id string, values map[string]string) (bool, error) {
	condition := t.resources[id].condition
	if condition == "" {
		return true, nil
	}
	holds, err := t.holds(condition, values)
	if err != nil {
		return false, fmt.Errorf("samtemplate: %s: %w", id, err)
	}
	return holds, nil
}

// holds tells whether a condition of the template holds.
func (t *Template) holds(condition string, values map[string]string) (bool, error) {
	tree, ok := t.conditions[condition]
	if !ok {
		return false, fmt.Errorf("no condition %s", condition)
	}
	return t.decide(tree, values)
}

func (t *Template) decide(tree any, values map[string]string) (bool, error) {
	i, ok := tree.(intrinsic)
	if !ok {
		return false, fmt.Errorf("%v is no condition", tree)
	}
	if i.name == "Condition" {
		return t.holds(text(i.argument), values)
	}
	arguments := list(i.argument)
	if i.name == "Equals" && len(arguments) == 2 {
		a, err := t.text(arguments[0], values)
		if err != nil {
			return false, err
		}
		b, err := t.text(arguments[1], values)
		return a == b, err
	}
	var all []bool
	for _, argument := range arguments {
		holds, err := t.decide(argument, values)
		if err != nil {
			return false, err
		}
		all = append(all, holds)
	}
	switch {
	case i.name == "Not" && len(all) == 1:
		return !all[0], nil
	case i.name == "And":
		return !slices.Contains(all, false), nil
	case i.name == "Or":
		return slices.Contains(all, true), nil
	}
	return false, fmt.Errorf("!%s is not understood here", i.name)
}
