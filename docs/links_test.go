package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Each link of a document leads to a file, and to a heading of it where it names one. docs/README.md names each of its neighbours, and leads to
// all others.
func TestLinks(t *testing.T) {
	texts := documents(t)
	known := map[string][]string{}
	for name, text := range texts {
		for _, l := range links(text) {
			to := path.Join(path.Dir(name), l[0])
			if l[0] == "" {
				to = name
			}
			if _, err := os.Stat(filepath.Join("..", to)); err != nil {
				t.Errorf("%s: there is no %s", name, l[0])
			}
			if l[1] != "" && !headings(texts[to])[l[1]] {
				t.Errorf("%s: %s has no heading #%s", name, to, l[1])
			}
			known[name] = append(known[name], to)
		}
	}
	reached := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if reached[name] {
			return
		}
		reached[name] = true
		for _, to := range known[name] {
			visit(strings.TrimSuffix(to, "/"))
		}
	}
	visit("docs/README.md")
	for name := range texts {
		beside := path.Dir(name) == "docs" && name != "docs/README.md"
		if !reached[name] || beside && !slices.Contains(known["docs/README.md"], name) {
			t.Errorf("docs/README.md doesn't lead to %s", name)
		}
	}
	if len(texts) < 40 {
		t.Errorf("found %d documents", len(texts))
	}
}

// documents are the texts of all documents, by their paths.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "events/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.ToSlash(strings.TrimPrefix(file, ".."+string(filepath.Separator)))] = string(text)
		}
	}
	return texts
}

var (
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	link = regexp.MustCompile(`\]\(([^)#\s]*)#?([^)\s]*)\)`)
)

// links are paths and headings of the links that stay in the project.
func links(text string) (list [][2]string) {
	for _, l := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
		if !strings.Contains(l[1], "://") && !strings.HasPrefix(l[1], "mailto:") {
			list = append(list, [2]string{l[1], l[2]})
		}
	}
	return list
}

// headings are the names by which links find them.
func headings(text string) map[string]bool {
	names := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		names[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			default:
				return -1
			}
		}, heading[1])] = true
	}
	return names
}
