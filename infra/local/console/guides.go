package console

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Guides are the short guides of docs/guides, in the order in which one reads them.
func Guides() []string {
	return []string{"first-steps", "signing-in", "lists", "money", "orders", "signing", "webhooks", "errors", "imports"}
}

// guides answers all guides as one text of Markdown, which the page of the reference shows.
func (k *console) guides(w http.ResponseWriter, _ *http.Request) {
	var all strings.Builder
	for _, name := range Guides() {
		text, err := os.ReadFile(filepath.Join(k.config.Root, "docs", "guides", name+".md"))
		if err != nil {
			detail(w, http.StatusServiceUnavailable, "The guides are read from docs/guides of the project, which is not here.")
			return
		}
		all.Write(append(text, '\n'))
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	_, _ = w.Write([]byte(all.String())) // it fails only if the client is gone
}
