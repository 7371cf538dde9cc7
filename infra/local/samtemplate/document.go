package samtemplate

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Document reads a template as maps, lists and texts, without any meaning: CloudFormation's functions have their long form, and the
// argument of GetAtt is what the template writes. Package tree reads it.
func Document(source []byte) (map[string]any, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(source, &node); err != nil {
		return nil, fmt.Errorf("samtemplate: %w", err)
	}
	lengthen(&node)
	var document map[string]any
	if err := node.Decode(&document); err != nil {
		return nil, fmt.Errorf("samtemplate: %w", err)
	}
	return document, nil
}
