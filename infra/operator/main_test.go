package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/platform"
)

// The program works with the platform of make run, which tells it where its table and bucket are.
func TestLocal(t *testing.T) {
	p, err := platform.Start(t.Context(), platform.Options{Addr: "127.0.0.1:0", Demo: true, Out: io.Discard, Patient: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	operator := func(in string, args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"-local", p.URL}, args...), strings.NewReader(in), &out)
		return out.String(), err
	}
	if said, err := operator("", "companies"); err != nil || strings.Count(said, "\n") != 2 || !strings.Contains(said, "active") {
		t.Errorf("%v\n%s", err, said)
	}
	// What makes a company with records of most kinds leaves nothing that differs.
	if said, err := operator("", "rebuild", "-tenant", "1", "-compare", "-part", "counters"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if said, err := operator("", "rebuild", "-tenant", "1", "-compare", "-part", "entries"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if said, err := operator("", "redrive"); err != nil || !strings.Contains(said, "No message was given up.") {
		t.Errorf("%v\n%s", err, said)
	}
	// A company that comes back where it was signed brings no marks, as the platform's own keys tell.
	folder := filepath.Join(t.TempDir(), "archive")
	if said, err := operator("y\n", "export", "-tenant", "1", "-to", folder); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if said, err := operator("y\n", "import", "-from", folder); err != nil || !strings.Contains(said, "\n0 signs have stages") {
		t.Errorf("%v\n%s", err, said)
	}
	if said, err := operator("n\n", "credit", "-tenant", "1", "-amount", "5", "-reference", "a"); err == nil ||
		!strings.Contains(err.Error(), "not confirmed") {
		t.Errorf("%v\n%s", err, said)
	}
	if said, err := operator("y\n", "credit", "-tenant", "1", "-amount", "5", "-reference", "a"); err != nil || !strings.Contains(said, "booked") {
		t.Errorf("%v\n%s", err, said)
	}
}

// The list of commands is whole, and what can't be understood says so.
func TestUsage(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commands() {
		if seen[c.Name] || c.Says == "" || strings.HasSuffix(c.Says, ".") || c.Run == nil {
			t.Errorf("%+v", c)
		}
		seen[c.Name] = true
	}
	for args, want := range map[string]string{
		"":                   "name a command",
		"-table t fly":       "fly is no command",
		"companies":          "say which stage",
		"-fast companies":    "not defined: -fast",
		"-table t companies": "name it with -bucket",
	} {
		var out bytes.Buffer
		err := run(t.Context(), strings.Fields(args), strings.NewReader(""), &out)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, strings.NewReader(""), &out); err != nil || !strings.Contains(out.String(), "  credit ") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	if err := run(t.Context(), strings.Fields("-table t credit -h"), strings.NewReader(""), &out); err != nil ||
		!strings.Contains(out.String(), "-reference") {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, c := range commands() { // without a stage
		out.Reset()
		if err := run(t.Context(), []string{c.Name, "-h"}, strings.NewReader(""), &out); err != nil || !strings.Contains(out.String(), "  -yes") {
			t.Errorf("%s: %v\n%s", c.Name, err, out.String())
		}
	}
}
