package console

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every file of docs/guides is a guide, begins with its title, and is short.
func TestGuides(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), "docs", "guides", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	page := body(t, serve(handler(t, Config{}), request("GET", "/_local/guides")))
	for _, file := range files {
		found = append(found, strings.TrimSuffix(filepath.Base(file), ".md"))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "# ") || strings.Count(string(text), "\n") > 40 || !strings.Contains(page, string(text)) {
			t.Errorf("%s: has no title, has more than 40 lines, or is not shown", file)
		}
	}
	slices.Sort(found)
	if want := slices.Sorted(slices.Values(Guides())); !slices.Equal(found, want) {
		t.Errorf("docs/guides has %q, want %q", found, want)
	}
	if got := serve(handler(t, Config{Root: t.TempDir()}), request("GET", "/_local/guides")); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without the project: %d", got.StatusCode)
	}
}
