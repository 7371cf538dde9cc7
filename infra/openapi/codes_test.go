package openapi_test

import (
	"cmp"
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
	"github.com/tenantry/tenantry/infra/phrases/catalogue"
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
	coded, codes := regexp.MustCompile(`say\.(\w+)(?:\[int\])?(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\)\.\s*Coded\(\)`), codesOfRows(t, root)
	calls := 0
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
			for _, m := range coded.FindAllSubmatch(source, -1) {
				given[codes[string(m[1])]] = true
			}
			calls += strings.Count(string(source), "Coded()") - strings.Count(string(source), ") Coded()") - len(coded.FindAll(source, -1))
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
	if calls != 0 {
		t.Errorf("%d calls of Coded don't follow a text of the catalogue", calls)
	}
	text := fmt.Sprint(find(parse(t, docs.OpenAPI()), "info/description"))
	_, paragraph, _ := strings.Cut(text, "**Codes.**")
	paragraph, _, _ = strings.Cut(paragraph, "**Errors**")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(paragraph, -1) {
		listed[m[1]] = true
	}
	delete(listed, "code")
	if !maps.Equal(given, listed) {
		t.Errorf("about.md lists %v, the code gives %v", slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(given)))
	}
}

// codesOfRows are the codes of the catalogue by the names of its constants and functions.
func codesOfRows(t *testing.T, root string) map[string]string {
	t.Helper()
	rows, err := catalogue.Read(os.DirFS(filepath.Join(root, "shared", "say", "catalogue")))
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{}
	for _, r := range rows {
		codes[r.Name()] = cmp.Or(r.Code, r.ID)
	}
	return codes
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
