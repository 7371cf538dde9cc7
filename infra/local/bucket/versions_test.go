package bucket_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// The server and the platform are compiled of the same sources as far as they share any: another version of S3's client alone would be
// compiled for some ten seconds more, at each first start.
func TestTheServerSharesVersionsWithThePlatform(t *testing.T) {
	required := func(module string) map[string]string {
		t.Helper()
		edit := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
		edit.Dir = module
		said, err := edit.Output()
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Require []struct{ Path, Version string }
		}
		if err := json.Unmarshal(said, &file); err != nil {
			t.Fatal(err)
		}
		versions := map[string]string{}
		for _, r := range file.Require {
			versions[r.Path] = r.Version
		}
		return versions
	}
	platform, shared := required(filepath.Join("..", "..", "..")), 0
	for path, version := range required("server") {
		ours, both := platform[path]
		if !both {
			continue
		}
		shared++
		if ours != version {
			t.Errorf("%s: the platform needs %s and its file store %s; in infra/local/bucket/server: go get %s@%s", path, ours, version, path, ours)
		}
	}
	if shared < 10 {
		t.Fatalf("only %d modules are shared", shared)
	}
}
