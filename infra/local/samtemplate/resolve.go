package samtemplate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

// noValue stands for what !If leaves out.
const noValue = "AWS::NoValue"

// resolve returns a value with everything in it that refers to parameters, resources and conditions replaced.
func (t *Template) resolve(value any, values map[string]string) (any, error) {
	if name, argument, ok := intrinsic(value); ok {
		return t.call(name, argument, values)
	}
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			resolved, err := t.resolve(item, values)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			if resolved != nil {
				out[key] = resolved
			}
		}
		return out, nil
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			resolved, err := t.resolve(item, values)
			if err != nil {
				return nil, err
			}
			if resolved != nil {
				out = append(out, resolved)
			}
		}
		return out, nil
	}
	return value, nil
}

// decode resolves some properties into a struct, whose fields have their names.
func (t *Template) decode(properties map[string]any, into any, names ...string) error {
	some := map[string]any{}
	for _, name := range names {
		some[name] = properties[name]
	}
	resolved, err := t.resolve(some, nil)
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(resolved)
	if err != nil {
		return err
	}
	return json.Unmarshal(encoded, into)
}

// call calls a function of CloudFormation. Only of !If it doesn't need all arguments.
func (t *Template) call(name string, argument any, values map[string]string) (any, error) {
	lookup := func(name string) (string, error) {
		if v, ok := values[name]; ok {
			return v, nil
		}
		if p := t.source.Parameters[name]; p.Default != nil {
			return *p.Default, nil
		}
		if t.source.Resources[name].Type == queueType {
			return queueURL(name), nil
		}
		if id, ok := strings.CutSuffix(name, aliasOf); ok && t.source.Resources[id].Type == functionType {
			return functionARN(cmp.Or(values["AWS::Region"], "local"), cmp.Or(values[id], id)) + ":" + alias, nil
		}
		return "", fmt.Errorf("nothing gives %s a value", name)
	}
	switch arguments := tree.List(argument); {
	case name == "Ref" && argument == noValue:
		return nil, nil
	case (name == "Ref" || name == "GetAtt") && tree.Text(argument) != "":
		return lookup(tree.Text(argument))
	case name == "Condition":
		return t.holds(tree.Text(argument), values)
	case name == "If" && len(arguments) == 3:
		holds, err := t.holds(tree.Text(arguments[0]), values)
		if err != nil {
			return nil, err
		}
		if holds {
			return t.resolve(arguments[1], values)
		}
		return t.resolve(arguments[2], values)
	}
	resolved, err := t.resolve(argument, values)
	if err != nil {
		return nil, err
	}
	arguments := tree.List(resolved)
	switch {
	case name == "Sub" && len(arguments) == 0:
		return substitute(tree.Text(resolved), nil, lookup)
	case name == "Sub" && len(arguments) == 2:
		return substitute(tree.Text(arguments[0]), tree.Object(arguments[1]), lookup)
	case name == "Equals" && len(arguments) == 2:
		return tree.Text(arguments[0]) == tree.Text(arguments[1]), nil
	case name == "Not" && len(arguments) == 1:
		return arguments[0] == false, nil
	case name == "And":
		return !slices.Contains(arguments, any(false)), nil
	case name == "Or":
		return slices.Contains(arguments, any(true)), nil
	case name == "Split" && len(arguments) == 2:
		var parts []any
		for part := range strings.SplitSeq(tree.Text(arguments[1]), tree.Text(arguments[0])) {
			parts = append(parts, part)
		}
		return parts, nil
	case name == "Join" && len(arguments) == 2:
		return strings.Join(tree.Texts(arguments[1]), tree.Text(arguments[0])), nil
	case name == "Select" && len(arguments) == 2:
		items := tree.List(arguments[1])
		at, err := strconv.Atoi(tree.Text(arguments[0]))
		if err != nil || at < 0 || at >= len(items) {
			return nil, fmt.Errorf("!Select of %v out of %d", arguments[0], len(items))
		}
		return items[at], nil
	}
	return nil, fmt.Errorf("!%s is not understood here", name)
}

// holds tells whether a condition of the template holds.
func (t *Template) holds(condition string, values map[string]string) (bool, error) {
	tree, ok := t.source.Conditions[condition]
	if !ok {
		return false, fmt.Errorf("no condition %s", condition)
	}
	resolved, err := t.resolve(tree, values)
	if err != nil {
		return false, err
	}
	holds, ok := resolved.(bool)
	if !ok {
		return false, fmt.Errorf("%s: %v is no condition", condition, resolved)
	}
	return holds, nil
}

var substituted = regexp.MustCompile(`\$\{(!?)([^}]*)(\}?)`)

// substitute replaces ${Name} and ${Name.Attribute}, by names of its own before all others. ${!literal} becomes ${literal}.
func substitute(s string, own map[string]any, lookup func(string) (string, error)) (_ string, err error) {
	out := substituted.ReplaceAllStringFunc(s, func(found string) string {
		parts := substituted.FindStringSubmatch(found)
		value, failed := tree.Text(own[parts[2]]), error(nil)
		switch {
		case parts[3] == "":
			failed = fmt.Errorf("!Sub without a closing brace: %q", s)
		case parts[1] != "":
			value = "${" + parts[2] + "}"
		case own[parts[2]] == nil:
			value, failed = lookup(parts[2])
		}
		if err == nil {
			err = failed
		}
		return value
	})
	return out, err
}
