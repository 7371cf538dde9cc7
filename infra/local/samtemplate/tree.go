package samtemplate

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

// lengthen gives CloudFormation's functions their long form, {Fn::Sub: …}, and makes a text of every scalar, because CloudFormation
// treats scalars so too.
func lengthen(n *yaml.Node) {
	for _, item := range n.Content {
		lengthen(item)
	}
	name, isFunction := strings.CutPrefix(n.Tag, "!")
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		n.Tag = "!!str"
	}
	if !isFunction || strings.HasPrefix(name, "!") {
		return
	}
	if name != "Ref" && name != "Condition" {
		name = "Fn::" + name
	}
	argument := *n
	if n.Kind != yaml.ScalarNode {
		argument.Tag = ""
	}
	*n = yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, &argument}}
}

// intrinsic returns the name and the argument of a function, without "Fn::". The argument of GetAtt is always one text,
// Resource.Attribute.
func intrinsic(v any) (name string, argument any, ok bool) {
	if m := tree.Object(v); len(m) == 1 {
		for name, argument = range m {
			name, ok = strings.CutPrefix(name, "Fn::")
		}
		if parts := tree.Texts(argument); name == "GetAtt" && len(parts) > 0 {
			argument = strings.Join(parts, ".")
		}
	}
	return name, argument, ok || name == "Ref" || name == "Condition"
}

// of returns the logical id in a reference to a resource, or to its attribute with this ending.
func of(value any, function, ending string) (id string, ok bool) {
	name, argument, isOne := intrinsic(value)
	id, ends := strings.CutSuffix(tree.Text(argument), ending)
	return id, isOne && ends && name == function
}

// integer returns a number; a missing value is zero.
func integer(v any) (int, error) {
	if v == nil {
		return 0, nil
	}
	return strconv.Atoi(tree.Text(v))
}
