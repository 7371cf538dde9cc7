package conformance

import (
	"os/exec"
	"strings"
	"testing"
)

// What runs on this machine only, or at build time, is in no function's program:
// it would be shipped, started and trusted there. Helpers of tests may lie beside
// what they help to test.
func TestFunctionsAreFreeOfTools(t *testing.T) {
	const module = "github.com/tenantry/tenantry/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}}", module+"functions/.../lambda").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 {
		t.Fatalf("only %d packages: the list is not what the functions are made of", len(deps))
	}
	for _, dep := range deps {
		for _, barred := range []string{
			module + "infra/", "github.com/versity/", "github.com/danielgtaylor/huma", "pgregory.net/rapid", "testing",
		} {
			if dep == barred || strings.HasSuffix(barred, "/") && strings.HasPrefix(dep, barred) || strings.HasPrefix(dep, barred+"/") {
				t.Errorf("the functions are built with %s", dep)
			}
		}
	}
}
