package pack

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/shared/kinds"
)

// The kinds whose segments are made are those that the groups may search: a kind that no group names in its Searched would never have
// segments, and one that no group.yaml names could not be searched on AWS, nor packed.
func TestEveryKindThatIsSearchedIsPacked(t *testing.T) {
	declared := map[kinds.Code][]string{} // the groups that search a kind
	files, err := filepath.Glob("../*/group.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no declarations: %v", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var group struct {
			Indexes map[string][]kinds.Code `yaml:"indexes"`
		}
		if err := yaml.Unmarshal(content, &group); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, kind := range group.Indexes["changes"] {
			declared[kind] = append(declared[kind], file)
		}
	}
	packed := map[kinds.Code]bool{}
	for _, kind := range searched() {
		if packed[kind.Code] {
			t.Errorf("%s is searched twice", kind.Code)
		}
		packed[kind.Code] = true
		if declared[kind.Code] == nil {
			t.Errorf("%s is searched, but no group.yaml has it among its changes", kind.Code)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(declared)) {
		if !packed[kind] {
			t.Errorf("%s is among the changes of %v, but no group's Searched has it", kind, declared[kind])
		}
	}
	if len(packed) == 0 {
		t.Error("nothing is searched")
	}
}
