package samtemplate

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// intrinsic is a CloudFormation function in its short or its long form. Its name has no "Fn::", and the argument of
// GetAtt is always one string, Resource.Attribute.
type intrinsic struct {
	name     string
	argument any
}

// plain turns a YAML node into maps, lists, strings and intrinsics. Every scalar becomes a string, because
// CloudFormation treats scalars so too; null becomes nil.
func plain(n *yaml.Node) (any, error) {
	value, err := untagged(n)
	if err != nil {
		return nil, err
	}
	if name, ok := strings.CutPrefix(n.Tag, "!"); ok && !strings.HasPrefix(name, "!") {
		return call(name, value)
	}
	if m, ok := value.(map[string]any); ok && len(m) == 1 {
		for key, argument := range m {
			if name, ok := strings.CutPrefix(key, "Fn::"); ok {
				return call(name, argument)
			}
			if key == "Ref" || key == "Condition" {
				return call(key, argument)
			}
		}
	}
	return value, nil
}

func untagged(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.DocumentNode:
		return plain(n.Content[0])
	case yaml.AliasNode:
		return plain(n.Alias)
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return nil, nil
		}
		return n.Value, nil
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := plain(item)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			if _, twice := m[key.Value]; twice {
				return nil, fmt.Errorf("line %d: %s stands twice", key.Line, key.Value)
			}
			v, err := plain(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			m[key.Value] = v
		}
		return m, nil
	}
	return nil, fmt.Errorf("line %d: empty document", n.Line)
}

func call(name string, argument any) (any, error) {
	if name != "GetAtt" {
		return intrinsic{name, argument}, nil
	}
	switch v := argument.(type) {
	case string:
		return intrinsic{name, v}, nil
	case []any:
		if len(v) == 2 {
			return intrinsic{name, text(v[0]) + "." + text(v[1])}, nil
		}
	}
	return nil, fmt.Errorf("GetAtt with %v", argument)
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

func texts(v any) []string {
	var out []string
	for _, item := range list(v) {
		out = append(out, text(item))
	}
	return out
}

// integer returns a number; a missing value is zero.
func integer(v any) (int, error) {
	if v == nil {
		return 0, nil
	}
	return strconv.Atoi(text(v))
}

// at returns the value below v that is found by following the keys.
func at(v any, keys ...string) any {
	for _, key := range keys {
		v = object(v)[key]
	}
	return v
}
