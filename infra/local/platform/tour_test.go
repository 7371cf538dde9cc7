package platform

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/engine"
)

// The README's tour works as it is printed: on a new platform, and again on the data that the first walk has left.
func TestTour(t *testing.T) {
	tour, data := readTour(t), t.TempDir()
	for _, name := range []string{"first", "again", "once more"} {
		t.Run(name, func(t *testing.T) { walk(t, start(t, Options{Data: data, Demo: true}).URL, tour) })
	}
}

// readTour returns the commands of the tour.
func readTour(t *testing.T) string {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, begins := strings.Cut(string(readme), "\n## A tour by curl\n")
	section, _, ends := strings.Cut(after, "\n## ")
	if !begins || !ends {
		t.Fatal("README.md has no tour")
	}
	var commands []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1) {
		commands = append(commands, block[1])
	}
	if len(commands) < 4 {
		t.Fatalf("the tour has %d blocks of commands", len(commands))
	}
	return strings.Join(commands, "\n")
}

// noted is put before the tour: each curl notes what was answered among the errors, where nobody reads it but the test.
const noted = `curl() { command curl -w '%{stderr}%{http_code} %{method} %{url_effective}\n' "$@"; }
`

// walk runs the tour in bash. No command may fail, and no request but the booking that comes second.
func walk(t *testing.T, url, tour string) {
	t.Helper()
	const usual = "API=http://127.0.0.1:8000\n"
	if strings.Count(tour, usual) != 1 {
		t.Fatalf("the tour doesn't begin with %s", usual)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", noted+strings.Replace(tour, usual, "API="+url+"\n", 1))
	cmd.Dir = t.TempDir()
	var out, notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &notes
	err := cmd.Run()
	if missing := new(exec.Error); errors.As(err, &missing) {
		t.Fatalf("the tour needs bash: %v", err)
	}
	answers := regexp.MustCompile(`(?m)^(\d{3}) ([A-Z]+) (\S+)$`).FindAllStringSubmatch(notes.String(), -1)
	var refused []string
	for _, a := range answers {
		if a[1] >= "400" || a[1] < "200" {
			refused = append(refused, fmt.Sprintf("%s %s %s", a[1], a[2], strings.TrimPrefix(a[3], url)))
		}
	}
	if want := "409 POST /v1/crm/requests/"; err != nil || strings.Join(refused, ", ") != want || len(answers) < 60 {
		t.Errorf("%v: %d answers, refused were %q, want %q\n%s\n%s", err, len(answers), refused, want, notes.String(), out.String())
	}
	if strings.Contains(out.String(), "undefined") {
		t.Errorf("something was not found:\n%s", out.String())
	}
}
