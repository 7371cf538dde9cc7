package platform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine"
)

// The tours work as they are printed, in bash and in zsh: that of docs/tour.md on a new platform, and again on the data that the walks
// before have left; that of README.md on a new one, where it prints the tables that README.md shows.
func TestTour(t *testing.T) {
	shells := []string{"bash", "zsh"}
	if _, err := exec.LookPath("zsh"); err != nil {
		t.Log("zsh is not installed, so the tours are walked in bash alone")
		shells = shells[:1]
	}
	tour, options := blocks(t, "docs/tour.md", "sh"), withDemo(t)
	short, shown := blocks(t, "README.md", "sh"), blocks(t, "README.md", "text")
	_, short, _ = strings.Cut(short, "make test") // what starts the platform comes first
	_, short, _ = strings.Cut(short, "\n")        // with its comment
	for _, name := range []string{"first", "again"} {
		t.Run(name, func(t *testing.T) {
			url := start(t, options).URL
			if name == "first" {
				for _, shell := range shells {
					answers, refused, out := walk(t, shell, url, short)
					if got, want := cells(out), cells(shown); answers < 7 || refused != "" || got != want || want == "" {
						t.Errorf("%s: %d answers, refused were %q, printed was\n%s\nand README.md shows\n%s", shell, answers, refused, out, shown)
					}
				}
			}
			for _, shell := range shells {
				answers, refused, out := walk(t, shell, url, tour)
				if want := "409 POST /v1/crm/requests/"; refused != want || answers < 60 {
					t.Errorf("%s: %d answers, refused were %q, want %q\n%s", shell, answers, refused, want, out)
				}
				if strings.Contains(out, "undefined") {
					t.Errorf("%s: something was not found:\n%s", shell, out)
				}
			}
		})
	}
}

// blocks returns what stands in the blocks of a document that are in a language.
func blocks(t *testing.T, document, language string) string {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		found = append(found, block[1])
	}
	if len(found) == 0 {
		t.Fatalf("%s has no %s", document, language)
	}
	return strings.Join(found, "\n")
}

// cells are the rows of printed tables, without what versions of Node draw differently.
func cells(printed string) string {
	var rows []string
	for line := range strings.Lines(printed) {
		if fields := strings.Split(strings.TrimSpace(line), "│"); len(fields) > 1 {
			for i := range fields {
				fields[i] = strings.TrimSpace(fields[i])
			}
			rows = append(rows, strings.Join(fields, "|"))
		}
	}
	return strings.Join(rows, "\n")
}

// noted is put before the tour: each curl notes what was answered among the errors, where nobody reads it but the test.
const noted = `curl() { command curl -w '%{stderr}%{http_code} %{method} %{url_effective}\n' "$@"; }
`

// walk runs a tour in a shell, in which no command may fail, and returns the number of answers, those that refuse, and what is printed.
func walk(t *testing.T, shell, url, tour string) (answers int, refused, printed string) {
	t.Helper()
	const usual = "API=http://127.0.0.1:8000\n"
	if strings.Count(tour, usual) != 1 {
		t.Fatalf("the tour doesn't begin with %s", usual)
	}
	// It waits for what comes after an answer. If that never comes, what was answered until then tells why.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-euo", "pipefail", "-c", noted+strings.Replace(tour, usual, "API="+url+"\n", 1))
	cmd.Dir, cmd.WaitDelay = t.TempDir(), time.Second
	var out, notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &notes
	err := cmd.Run()
	if missing := new(exec.Error); errors.As(err, &missing) {
		t.Fatalf("the tour needs %s: %v", shell, err)
	}
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, notes.String(), out.String())
	}
	var all []string
	for _, a := range regexp.MustCompile(`(?m)^(\d{3}) ([A-Z]+) (\S+)$`).FindAllStringSubmatch(notes.String(), -1) {
		if answers++; a[1] >= "400" || a[1] < "200" {
			all = append(all, fmt.Sprintf("%s %s %s", a[1], a[2], strings.TrimPrefix(a[3], url)))
		}
	}
	return answers, strings.Join(all, ", "), out.String()
}
