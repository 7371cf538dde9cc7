package console_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/platform"
)

// The commands of the guides work as they stand, one guide after the other, and twice on the same data: an answer without what a guide
// takes of it ends the script.
func TestTheGuidesWork(t *testing.T) {
	for _, program := range []string{"bash", "curl", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	p, err := platform.Start(t.Context(), platform.Options{Addr: "127.0.0.1:0", Demo: true, Patient: true, Out: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	script := "set -eo pipefail\n"
	for _, name := range console.Guides() {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "guides", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		script += "echo '== " + name + "'\n"
		for i, part := range strings.Split(string(text), "```") {
			if commands, ok := strings.CutPrefix(part, "sh\n"); ok && i%2 == 1 {
				script += commands
			}
		}
	}
	if !strings.Contains(script, "API=http://127.0.0.1:8000\n") {
		t.Fatal("the first guide doesn't say where the platform is")
	}
	script = strings.Replace(script, "http://127.0.0.1:8000", p.URL, 1)
	for range 2 {
		bash := exec.CommandContext(t.Context(), "bash", "-c", script)
		bash.Dir = t.TempDir()
		out, err := bash.CombinedOutput()
		if err != nil || strings.Contains(string(out), "undefined") {
			t.Fatalf("%v:\n%s", err, out)
		}
		for _, want := range []string{"Demo Rentals", "Bauyrzhan Omarov", "The order was made", "/sign/", "\nblank\n"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("the guides don't show %q:\n%s", want, out)
			}
		}
	}
}
