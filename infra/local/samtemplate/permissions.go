package samtemplate

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

// Role is the role of a function.
type Role struct {
	// Name is the logical id of the role in the template. It tells a role from a function, because functions may share one.
	Name string
	ARN  string
	// Policies are the role's own, by their names, and those beside it that name it, by their logical ids: maps, lists and texts, with all
	// references resolved.
	Policies map[string]any
}

// Role returns the role of a function. It takes the values that Environment takes, and ARNs beside them.
func (t *Template) Role(function string, values map[string]string) (Role, error) {
	name, ok := of(t.source.Resources[function].Properties["Role"], "GetAtt", ".Arn")
	if !ok || t.source.Resources[name].Type != "AWS::IAM::Role" {
		return Role{}, fmt.Errorf("samtemplate: %s: its role is none of the template", function)
	}
	p := t.source.Resources[name].Properties
	boundary, err := t.resolve(p["PermissionsBoundary"], values)
	if err != nil {
		return Role{}, fmt.Errorf("samtemplate: %s: %w", name, err)
	}
	if p["ManagedPolicyArns"] != nil || boundary != nil {
		return Role{}, fmt.Errorf("samtemplate: %s: only policies of its own are known here", name)
	}
	if ids := t.named("AWS::IAM::Policy"); len(ids) > 0 {
		return Role{}, fmt.Errorf("samtemplate: %s: policies of the type AWS::IAM::Policy are not known here", ids[0])
	}
	policies, err := t.Policies(name, values)
	return Role{Name: name, ARN: values[name+".Arn"], Policies: policies}, err
}

// Policies returns the policies of a role's own by their names, whoever takes the role on, or the one policy that is managed by itself,
// with all references resolved. It takes the values that Role takes.
func (t *Template) Policies(id string, values map[string]string) (map[string]any, error) {
	of := t.source.Resources[id]
	documents := map[string]any{}
	switch of.Type {
	case managedPolicyType:
		documents[id] = of.Properties["PolicyDocument"]
	case "AWS::IAM::Role":
		for _, policy := range tree.List(of.Properties["Policies"]) {
			documents[tree.Text(tree.At(policy, "PolicyName"))] = tree.At(policy, "PolicyDocument")
		}
	default:
		return nil, fmt.Errorf("samtemplate: %s is no role", id)
	}
	if err := t.addPolicies(documents, id, values); err != nil {
		return nil, err
	}
	return t.resolveEach(documents, values)
}

// addPolicies adds those that are resources beside their role.
func (t *Template) addPolicies(documents map[string]any, role string, values map[string]string) error {
	for _, id := range t.named("AWS::IAM::RolePolicy") {
		policy := t.source.Resources[id]
		if to, ok := of(policy.Properties["RoleName"], "Ref", ""); !ok || to != role {
			continue
		}
		there := policy.Condition == ""
		if !there {
			var err error
			if there, err = t.holds(policy.Condition, values); err != nil {
				return fmt.Errorf("samtemplate: %s: %w", id, err)
			}
		}
		if there {
			documents[tree.Text(policy.Properties["PolicyName"])] = policy.Properties["PolicyDocument"]
		}
	}
	for _, id := range t.named(managedPolicyType) {
		policy := t.source.Resources[id]
		if policy.Condition != "" {
			return fmt.Errorf("samtemplate: %s: managed policies with a condition are not known here", id)
		}
		for _, to := range tree.List(policy.Properties["Roles"]) {
			if named, ok := of(to, "Ref", ""); ok && named == role {
				documents[id] = policy.Properties["PolicyDocument"]
			}
		}
	}
	return nil
}

// ResourcePolicies returns the policies of buckets and keys, by the ARN of what they belong to. A key without one has the one that
// KMS gives it, which leaves everything to the policies of roles.
func (t *Template) ResourcePolicies(values map[string]string) (map[string]any, error) {
	all := map[string]any{}
	for _, id := range t.named("AWS::S3::BucketPolicy") {
		bucket, ok := of(t.source.Resources[id].Properties["Bucket"], "Ref", "")
		if !ok {
			return nil, fmt.Errorf("samtemplate: %s: its bucket is none of the template", id)
		}
		all[values[bucket+".Arn"]] = t.source.Resources[id].Properties["PolicyDocument"]
	}
	for _, id := range t.named("AWS::KMS::Key") {
		document, given := t.source.Resources[id].Properties["KeyPolicy"]
		if !given {
			document = map[string]any{"Version": "2012-10-17", "Statement": []any{map[string]any{
				"Effect": "Allow", "Principal": map[string]any{"AWS": "arn:aws:iam::" + values["AWS::AccountId"] + ":root"},
				"Action": "kms:*", "Resource": "*",
			}}}
		}
		all[values[id+".Arn"]] = document
	}
	return t.resolveEach(all, values)
}

// resolveEach resolves policies, by whatever name they have.
func (t *Template) resolveEach(policies map[string]any, values map[string]string) (map[string]any, error) {
	resolved := map[string]any{}
	for name, policy := range policies {
		var err error
		if resolved[name], err = t.resolve(policy, values); err != nil {
			return nil, fmt.Errorf("samtemplate: the policy %s: %w", name, err)
		}
	}
	return resolved, nil
}

// account is the account that everything is in, as it is in AWS's own examples.
const account = "123456789012"

const (
	functionType      = "AWS::Serverless::Function"
	managedPolicyType = "AWS::IAM::ManagedPolicy"
	// alias is what functions are called at, and aliasOf ends the logical id that SAM gives it: that of its function stands before.
	alias   = "live"
	aliasOf = "Alias" + alias
)

// functionARN is the ARN of a function by its name.
func functionARN(region, name string) string {
	return "arn:aws:lambda:" + region + ":" + account + ":function:" + name
}

// queueType is the type of queues, to which a reference is their address.
const queueType = "AWS::SQS::Queue"

// queueURL is the address of a queue. Its host is nobody's: clients only name a queue by it, and reach SQS by its endpoint.
func queueURL(name string) string { return "https://sqs.invalid/" + account + "/" + name }

// ARNs returns the pseudo parameters, the names and the ARNs of the template's resources in a region, under the names by which
// the template refers to them. names gives names of resources by their logical ids; a resource without one is called by its id.
func (t *Template) ARNs(region string, names map[string]string) map[string]string {
	values := map[string]string{
		"AWS::AccountId": account, "AWS::Partition": "aws", "AWS::Region": region, "AWS::StackName": "local",
		"AWS::URLSuffix": "amazonaws.com",
	}
	forms := map[string]string{
		"AWS::IAM::Role":       "iam::" + account + ":role/",
		"AWS::DynamoDB::Table": "dynamodb:" + region + ":" + account + ":table/",
		"AWS::S3::Bucket":      "s3:::",
		"AWS::KMS::Key":        "kms:" + region + ":" + account + ":key/",
		"AWS::Logs::LogGroup":  "logs:" + region + ":" + account + ":log-group:",
		queueType:              "sqs:" + region + ":" + account + ":",
		"AWS::SNS::Topic":      "sns:" + region + ":" + account + ":",
	}
	for id, r := range t.source.Resources {
		name := cmp.Or(names[id], id)
		if r.Type == "AWS::IAM::Role" {
			name = cmp.Or(names[id], values["AWS::StackName"]+"-"+id+"-1") // as CloudFormation names it, by which keys know it
		}
		values[id] = name
		if r.Type == queueType {
			values[id] = queueURL(name)
		}
		if form, ok := forms[r.Type]; ok {
			values[id+".Arn"] = "arn:aws:" + form + name
		}
		if r.Type == functionType {
			values[id+".Arn"] = functionARN(region, name)
			values[id+aliasOf] = functionARN(region, name) + ":" + alias
		}
		if r.Type == "AWS::DynamoDB::Table" {
			values[id+".StreamArn"] = values[id+".Arn"] + "/stream/2026-01-01T00:00:00.000"
		}
	}
	maps.Copy(values, names)
	return values
}
