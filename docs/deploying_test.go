package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// deploying.md tells of each field of samconfig.toml and of each parameter of the template.
func TestDeployingNamesAll(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	said := read("docs/deploying.md")
	_, parameters, _ := strings.Cut(read("template.yaml"), "\nParameters:\n")
	parameters, _, _ = strings.Cut(parameters, "\nRules:\n")
	for of, names := range map[string][][]string{
		"samconfig.toml": regexp.MustCompile(`(?m)^(\w+) = `).FindAllStringSubmatch(read("samconfig.toml"), -1),
		"template.yaml":  regexp.MustCompile(`(?m)^  (\w+):$`).FindAllStringSubmatch(parameters, -1),
	} {
		if len(names) < 10 {
			t.Errorf("%s has %d names", of, len(names))
		}
		for _, name := range names {
			if !strings.Contains(said, "`"+name[1]+"`") {
				t.Errorf("deploying.md says nothing of %s of %s", name[1], of)
			}
		}
	}
}
