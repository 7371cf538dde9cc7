package openapi_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/fault"
)

// Every code by which programs tell errors apart stands in the description, and no other.
func TestCodesAreListed(t *testing.T) {
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{string(fault.BadToken): true}
	with := regexp.MustCompile(`With\("code", "(\w+)"\)`)
	// Problems of uploads that are normalised, and of what is drawn, have the codes of the function render. Those of its layout
	// leave as texts.
	drawn, named := regexp.MustCompile(`(?:[rR]efused?\(|"code", )job\.(\w+)`), codesOfRender(t, root)
	for _, folder := range []string{"shared", "functions"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range with.FindAllSubmatch(source, -1) {
				given[string(m[1])] = true
			}
			for _, m := range drawn.FindAllSubmatch(source, -1) {
				if code := named[string(m[1])]; !strings.Contains(path, filepath.Join("render", "layout")) {
					given[code] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprint(find(parse(t, docs.OpenAPI()), "info/description"))
	_, codes, _ := strings.Cut(text, "**Codes.**")
	codes, _, _ = strings.Cut(codes, "**Errors**")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(codes, -1) {
		listed[m[1]] = true
	}
	delete(listed, "code")
	if !maps.Equal(given, listed) {
		t.Errorf("about.md lists %v, the code gives %v", slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(given)))
	}
}

// codesOfRender are the codes of problems by their names.
func codesOfRender(t *testing.T, root string) map[string]string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, "functions", "render", "job", "job.go"))
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += "(\w+)"`).FindAllSubmatch(source, -1) {
		codes[string(m[1])] = string(m[2])
	}
	return codes
}
