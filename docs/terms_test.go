package docs

import (
	"os"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/phrases/catalogue"
)

// Each term has its three words and says where it comes from, and no Kazakh text has a word that docs/terms.md keeps out.
func TestTerms(t *testing.T) {
	content, err := os.ReadFile("terms.md")
	if err != nil {
		t.Fatal(err)
	}
	terms := rowsOf(string(content), "English")
	if len(terms) < 100 {
		t.Errorf("terms.md has %d terms", len(terms))
	}
	seen := map[string]bool{}
	for _, row := range terms {
		if len(row) != 4 || row[0] == "" || row[1] == "" || row[2] == "" || row[3] == "" {
			t.Errorf("terms.md: %q is not English, Russian, Kazakh and a source", row)
		} else if seen[row[0]] {
			t.Errorf("terms.md: %s is there twice", row[0])
		}
		seen[row[0]] = true
	}
	kept := rowsOf(string(content), "Not")
	if len(kept) == 0 {
		t.Error("terms.md keeps no word out")
	}
	texts, err := catalogue.Read(os.DirFS("../shared/say/catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		for _, row := range kept {
			if strings.Contains(strings.ToLower(text.Kazakh), row[0]) {
				t.Errorf("%s: %q has %q, which terms.md keeps out", text.ID, text.Kazakh, row[0])
			}
		}
	}
}

// rowsOf are the cells of all tables whose first column has this header.
func rowsOf(text, header string) (rows [][]string) {
	within := false
	for line := range strings.Lines(text) {
		line, found := strings.CutPrefix(strings.TrimSpace(line), "| ")
		if !found {
			within = within && strings.HasPrefix(line, "|---")
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		if within {
			rows = append(rows, cells)
		}
		within = within || cells[0] == header
	}
	return rows
}
