package events_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/events/known"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/record/eventlog"
)

// docs/events.md lists every type of events, and tells the bounds that the code has.
func TestDocs(t *testing.T) {
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "events.md"))
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	kind := ""
	for _, one := range known.Types() {
		_, what, _ := strings.Cut(string(one.Type), ".")
		switch one.Object {
		case kind:
			table.WriteString(", `" + what + "`")
		default:
			if kind != "" {
				table.WriteString(" |\n")
			}
			kind = one.Object
			table.WriteString("| `" + kind + "` | `" + what + "`")
		}
	}
	table.WriteString(" |\n")
	_, listed, _ := strings.Cut(string(text), "| Kind | Events |\n|---|---|\n")
	if listed != table.String() {
		t.Errorf("the table of docs/events.md is to be\n%s", table.String())
	}
	if eventlog.Most != 1000 || !strings.Contains(string(text), "up to 1,000 events") {
		t.Errorf("an answer has up to %d events", eventlog.Most)
	}
}
