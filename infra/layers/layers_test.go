package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tenantry/tenantry/"

// ours are the module's own packages and their imports, without those of tests.
func ours(t *testing.T) (list []Package) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"functions/...", module+"shared/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		made := Package{Path: strings.TrimPrefix(p.ImportPath, module)}
		for _, to := range p.Imports {
			made.Imports = append(made.Imports, strings.TrimPrefix(to, module))
		}
		list = append(list, made)
	}
}

func TestThePlatform(t *testing.T) {
	packages := ours(t)
	for _, f := range Faults(packages) {
		t.Error(f)
	}
	for _, d := range Domains() {
		if !slices.ContainsFunc(packages, func(p Package) bool { return p.Path == "functions/"+d }) {
			t.Errorf("the domain %s has a rank, and is not there", d)
		}
	}
	if len(packages) < 40 {
		t.Errorf("only %d packages", len(packages))
	}
}

// Each fault that the rules are there for is found, and nothing that is allowed.
func TestPlantedFaults(t *testing.T) {
	low, high := Domains()[0], Domains()[len(Domains())-1]
	for _, tt := range []struct {
		from, to string
		fault    bool
	}{
		{"functions/points", "functions/clients", true},
		{"shared/files", "shared/web/webtest", true},
		{"shared/files/filestest", "shared/web/webtest", false},
		{"functions/points", "functions/worker", true},
		{"functions/points", "functions/" + high, false},
		{"functions/points", "shared/web", false},
		{"functions/points", "functions/points/lambda", true},
		{"functions/points/lambda", "functions/points", false},
		{"functions/points/lambda", "functions/clients", true},
		{"functions/points/lambda", "functions/" + low, true},
		{"functions/" + high, "functions/" + low, false},
		{"functions/" + low, "functions/" + high, true},
		{"functions/" + low, "functions/" + low, true},
		{"functions/" + high, "functions/points", true},
		{"functions/" + high, "functions/clients", true},
		{"functions/" + high, "shared/web", true},
		{"functions/" + high, "shared/record", false},
		{"functions/worker", "functions/clients", false},
		{"functions/urgent", "functions/clients", false},
		{"functions/bulk", "functions/clients", false},
		{"functions/dispatch", "functions/clients", true},
		{"shared/outbox/worker", "shared/app", false},
		{"shared/outbox/worker", "shared/web", true},
		{"functions/deliver", "functions/clients", true},
		{"functions/deliver", "functions/" + low, false},
		{"functions/deliver", "functions/webhooks", true},
		{"functions/worker", "functions/webhooks/clerk", false},
		{"shared/remote/public", "net/http", false},
		{"shared/remote/public", "shared/web", true},
		{"functions/pack", "functions/clients", false},
		{"functions/show", "functions/clients", false},
		{"functions/worker", "functions/" + low, false},
		{"functions/authorizer", "functions/identity", true},
		{"functions/authorizer", "functions/" + low, true},
		{"functions/fallback", "functions/clients", true},
		{"shared/record", "functions/" + low, true},
		{"shared/record", "shared/web", true},
		{"shared/record/audit", "shared/web", true},
		{"shared/web/resource", "shared/web", false},
		{"shared/app", "shared/web", false},
		{"functions/" + high, "shared/web/resource", true},
		{"functions/" + high, "shared/app", true},
		{"functions/" + high, "shared/web/webtest", true},
		{"functions/" + high, "net/http", true},
		{"functions/points", "net/http", false},
		{"functions/points", "infra/bench", true},
		{"shared/record", "net/http", true},
		{"shared/record", "infra/local/platform", true},
		{"shared/record/recordtest", "infra/local/engine/enginetest", false},
		{"shared/files", "net/http", false},
		{"shared/files", "shared/web", true},
		{"shared/record/audit", "shared/web/resource", true},
		{"infra/local/platform", "functions/clients", false},
		{"functions/identity/oidc", "net/http", false},
		{"functions/identity/oidc", "shared/web", true},
		{"functions/identity/oidc", "functions/" + low, true},
		{"functions/identity/oidc", "functions/identity", true},
		{"functions/identity", "functions/identity/oidc", false},
		{"functions/tenants", "functions/identity/oidc", true},
		{"functions/" + high, "functions/identity/oidc", true},
		{"functions/documents", "functions/documents/clerk", false},
		{"functions/worker", "functions/documents/clerk", false},
		{"functions/points", "functions/documents/clerk", true},
		{"functions/" + high, "functions/documents/clerk", true},
		{"functions/points/lambda", "functions/points/clerk", true},
		{"functions/documents/clerk", "functions/" + high, false},
		{"functions/documents/clerk", "shared/app", false},
		{"functions/documents/clerk", "shared/web", true},
		{"functions/documents/clerk", "functions/documents", true},
		{"functions/documents/clerk", "functions/clients/clerk", true},
	} {
		got := Faults([]Package{{Path: tt.from, Imports: []string{tt.to}}})
		if (len(got) > 0) != tt.fault {
			t.Errorf("%s imports %s: %v", tt.from, tt.to, got)
		}
	}
	if got := Faults([]Package{{Path: "functions/novel/thing"}}); len(got) != 1 {
		t.Errorf("a domain without a rank: %v", got)
	}
}

// Rules are plain functions of values, so a table of values tests them: one beside each file of them.
func TestRulesHaveTables(t *testing.T) {
	files, err := filepath.Glob("../../functions/*/*/*rules.go")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files of rules, %v", len(files), err)
	}
	for _, file := range files {
		if _, err := os.Stat(strings.TrimSuffix(file, ".go") + "_test.go"); err != nil {
			t.Errorf("%s has no table: %v", file, err)
		}
	}
}
