package tree_test

import (
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

// What is there is returned, and what has another type is as if it were not there.
func TestTree(t *testing.T) {
	document := map[string]any{"a": map[string]any{"b": []any{"x", "y"}, "c": "text"}}
	for name, c := range map[string]struct{ got, want any }{
		"at":            {tree.At(document, "a", "c"), "text"},
		"at nothing":    {tree.At(document, "a", "none", "c"), nil},
		"below a text":  {tree.At(document, "a", "c", "d"), nil},
		"texts":         {tree.Texts(tree.At(document, "a", "b")), []string{"x", "y"}},
		"list":          {len(tree.List(tree.At(document, "a", "b"))), 2},
		"no list":       {len(tree.List("text")), 0},
		"text":          {tree.Text("text"), "text"},
		"no text":       {tree.Text([]any{"x"}), ""},
		"object":        {len(tree.Object(document)), 1},
		"no object":     {len(tree.Object("text")), 0},
		"texts of none": {len(tree.Texts(nil)), 0},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}
