package page

import (
	"os/exec"
	"testing"
)

// TestModules runs the tests of the scripts' parts that don't need a browser.
func TestModules(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("Node.js is missing: the platform needs it anyway")
	}
	out, err := exec.CommandContext(t.Context(), node, "--test", "testdata/modules.test.mjs").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
