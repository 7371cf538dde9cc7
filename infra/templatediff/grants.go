package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

// statement is a statement of a policy.
type statement struct {
	deny                           bool
	principals, actions, resources []string
	conditions                     map[string][]string // by operator and key
	when                           string              // the condition of the template under which it is there
}

// leading is the condition by which rights on the table are told apart.
const leading = "dynamodb:LeadingKeys"

// grants finds rights that a function had and has no longer, by its role or by the policy of a bucket or key.
func grants(from, to map[string]any) []refusal {
	var all []refusal
	for _, id := range named(from, functions) {
		before, after := roleOf(from, id), roleOf(to, id)
		if tree.At(to, "Resources", id) != nil && before != "" {
			all = append(all, narrowed(before, ofRole(from, before), ofRole(to, after))...)
		}
	}
	for kind, property := range map[string]string{"AWS::S3::BucketPolicy": "PolicyDocument", "AWS::KMS::Key": "KeyPolicy"} {
		for _, id := range named(from, kind) {
			if tree.At(to, "Resources", id) != nil {
				all = append(all, narrowed(id, statements(from, tree.At(from, "Resources", id, "Properties", property), ""),
					statements(to, tree.At(to, "Resources", id, "Properties", property), ""))...)
			}
		}
	}
	return all
}

// roleOf is the logical id of a function's role.
func roleOf(template map[string]any, function string) string {
	role := written(tree.At(template, "Resources", function, "Properties", "Role"))
	return strings.TrimSuffix(strings.TrimPrefix(role, "${"), ".Arn}")
}

// ofRole are the statements of a role: its own, and of policies that name it.
func ofRole(template map[string]any, role string) []statement {
	var all []statement
	for _, policy := range tree.List(tree.At(template, "Resources", role, "Properties", "Policies")) {
		all = append(all, statements(template, tree.At(policy, "PolicyDocument"), "")...)
	}
	for _, id := range named(template, "AWS::IAM::RolePolicy", "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy") {
		policy := tree.At(template, "Resources", id)
		to := append(tree.List(tree.At(policy, "Properties", "Roles")), tree.At(policy, "Properties", "RoleName"))
		if slices.ContainsFunc(to, func(v any) bool { return written(v) == "${"+role+"}" }) {
			condition := tree.Text(tree.At(policy, "Condition"))
			if condition != "" {
				condition = "if " + condition + " " + written(tree.At(template, "Conditions", condition))
			}
			all = append(all, statements(template, tree.At(policy, "Properties", "PolicyDocument"), condition)...)
		}
	}
	return all
}

// statements reads a policy. What is under Fn::If is there under its condition.
func statements(template map[string]any, policy any, when string) []statement {
	var all []statement
	var add func(v any, when string)
	add = func(v any, when string) {
		if choice := tree.List(tree.At(v, "Fn::If")); len(choice) == 3 {
			condition := tree.Text(choice[0])
			add(choice[1], when+"if "+condition+" "+written(tree.At(template, "Conditions", condition)))
			add(choice[2], when+"unless "+condition+" "+written(tree.At(template, "Conditions", condition)))
			return
		}
		if tree.Text(tree.At(v, "Effect")) == "" {
			return // NoValue
		}
		s := statement{
			deny: tree.Text(tree.At(v, "Effect")) == "Deny", when: when, conditions: map[string][]string{},
			actions: either(v, "Action"), resources: either(v, "Resource"), principals: principals(v),
		}
		for operator, keys := range tree.Object(tree.At(v, "Condition")) {
			for key, values := range tree.Object(keys) {
				s.conditions[operator+" "+key] = many(values)
			}
		}
		all = append(all, s)
	}
	for _, v := range tree.List(tree.At(policy, "Statement")) {
		add(v, when)
	}
	return all
}

// either are the values of an element, or of its opposite, which is compared as it is written.
func either(v any, element string) []string {
	if not := tree.At(v, "Not"+element); not != nil {
		return []string{"all but " + written(not)}
	}
	return many(tree.At(v, element))
}

func principals(v any) []string {
	if tree.At(v, "Principal") == nil {
		return either(map[string]any{"NotPrincipal": tree.At(v, "NotPrincipal")}, "Principal")
	}
	var all []string
	for kind, values := range tree.Object(tree.At(v, "Principal")) {
		for _, value := range many(values) {
			all = append(all, kind+" "+value)
		}
	}
	if whole := tree.Text(tree.At(v, "Principal")); whole != "" {
		all = []string{whole}
	}
	return all
}

// many are one or many values as a list.
func many(v any) []string {
	values, isList := v.([]any)
	if !isList {
		values = []any{v}
	}
	all := make([]string, 0, len(values))
	for _, value := range values {
		all = append(all, written(value))
	}
	return all
}

// single are the statements that say the same of one principal, action and resource each.
func (s statement) single() []statement {
	var all []statement
	for _, principal := range s.principals {
		for _, action := range s.actions {
			for _, resource := range s.resources {
				one := s
				one.principals, one.actions, one.resources = []string{principal}, []string{action}, []string{resource}
				all = append(all, one)
			}
		}
	}
	return all
}

// narrowed finds what one policy allows and the next one doesn't, and what the next one denies besides.
func narrowed(id string, before, after []statement) []refusal {
	var all []refusal
	add := func(what string) {
		all = append(all, refusal{
			change: "right of " + id + ": " + what,
			why:    "The code of before uses it while the release lands, or when the release is taken back: roles have no versions.",
			first:  "Release the code that doesn't need it, and leave the right, where it is generated in its role.yaml or group.yaml.",
			second: secondStep,
		})
	}
	for _, s := range before {
		for _, one := range s.single() {
			if !s.deny && !covered(after, one) {
				for _, what := range missing(after, one) {
					add(what)
				}
			}
		}
	}
	for _, s := range after {
		for _, one := range s.single() {
			if s.deny && !covered(before, one) {
				add(one.String() + " is denied")
			}
		}
	}
	return all
}

func (s statement) String() string {
	out := s.actions[0] + " on " + s.resources[0]
	if s.principals[0] != "" {
		out += " by " + s.principals[0]
	}
	return out
}

// missing names what of a single right is gone: the leading keys that no statement has any more, or all of it.
func missing(after []statement, one statement) []string {
	for name, keys := range one.conditions {
		if !strings.HasSuffix(name, "Like "+leading) {
			continue
		}
		var gone []string
		for _, key := range keys {
			of := one
			of.conditions = maps.Clone(one.conditions)
			of.conditions[name] = []string{key}
			if !covered(after, of) {
				gone = append(gone, one.String()+" for "+key)
			}
		}
		if len(gone) == 0 {
			gone = []string{one.String() + " for all of its keys in one request"}
		}
		if len(gone) < len(keys) || len(keys) == 1 {
			return gone
		}
	}
	return []string{fmt.Sprint(one)}
}

// covered tells whether one of the statements has the effect of a single one at least.
func covered(by []statement, one statement) bool {
	return slices.ContainsFunc(by, func(wide statement) bool {
		return wide.deny == one.deny && (wide.when == "" || wide.when == one.when) &&
			fits(wide.principals, one.principals[0]) && fits(wide.actions, one.actions[0]) && fits(wide.resources, one.resources[0]) &&
			looser(wide.conditions, one.conditions)
	})
}

// looser tells whether all that meets some conditions meets those too: each of them is asked there, for no other values.
func looser(wide, narrow map[string][]string) bool {
	for name, values := range wide {
		of, there := narrow[name]
		if !there {
			return false
		}
		if strings.Contains(name, "Not") {
			of, values = values, of // the more values are excluded, the less is left
		}
		for _, value := range of {
			if !fits(values, value) {
				return false
			}
		}
	}
	return true
}

// fits tells whether one of the patterns matches a text, in which stars are stars. The template has no other wildcards.
func fits(patterns []string, value string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return pattern == value || matches(pattern, value)
	})
}

// matches compares from both ends, and finds what is between stars from the left.
func matches(pattern, value string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 || !strings.HasPrefix(value, parts[0]) {
		return false
	}
	value = value[len(parts[0]):]
	for _, part := range parts[1:last] {
		_, rest, found := strings.Cut(value, part)
		if !found {
			return false
		}
		value = rest
	}
	return strings.HasSuffix(value, parts[last])
}
