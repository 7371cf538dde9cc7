package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/steps"
)

// What a list names is given, or kept by a step before. So a step is left out only because of what happened, and each says what status it
// expects.
func TestLists(t *testing.T) {
	files, err := lists.ReadDir(".")
	if err != nil || len(files) < 12 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := lists.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		list, err := steps.Parse(content)
		if err != nil {
			t.Fatalf("%s: %v", file.Name(), err)
		}
		known := slices.AppendSeq(told(), maps.Keys(given()))
		for _, s := range list {
			for _, name := range append(s.Names(), s.If, s.Unless) {
				if name != "" && name != s.Unless && !slices.Contains(known, name) {
					t.Errorf("%s: %s: nothing keeps %s", file.Name(), s.Do, name)
				}
			}
			if len(s.Status) == 0 || s.Do == "" {
				t.Errorf("%s: %s %s: it has no name or no status", file.Name(), s.Do, s.Request)
			}
			known = slices.AppendSeq(known, maps.Keys(s.Keep))
		}
		if !strings.HasPrefix(string(content), "# ") {
			t.Errorf("%s doesn't say what it is", file.Name())
		}
	}
}
