package main

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/operator/stage"
)

// given are the flags of each command, and those before it under "": whether they take a value that is a word of its own.
func given(t *testing.T) map[string]map[string]bool {
	t.Helper()
	flags := func(usage string) map[string]bool {
		names := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^  -([a-z]+)( \S+)?`).FindAllStringSubmatch(usage, -1) {
			names[m[1]] = m[2] != "" && m[1] != "local" // whose address may be left out
		}
		return names
	}
	all := map[string]map[string]bool{}
	for _, c := range commands() {
		var out bytes.Buffer
		if err := c.Run(t.Context(), &stage.Env{Out: &out}, []string{"-h"}); err != nil && !errors.Is(err, flag.ErrHelp) {
			t.Fatalf("%s -h: %v", c.Name, err)
		}
		all[c.Name] = flags(out.String())
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, nil, &out); err != nil {
		t.Fatal(err)
	}
	all[""] = flags(out.String())
	return all
}

// wrong says what is wrong with the words behind the program's name.
func wrong(words []string, of map[string]map[string]bool) string {
	command := ""
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch name, isFlag := strings.CutPrefix(word, "-"); {
		case isFlag:
			valued, known := of[command][name]
			if !known {
				return strings.TrimSpace(command + " has no flag -" + name)
			}
			if valued {
				i++
			}
		case command == "" && (word == "COMMAND" || word == "…"):
			return ""
		case command == "":
			if _, known := of[word]; !known {
				return word + " is no command"
			}
			command = word
		case word == "flags" || word == "…":
		default:
			return command + " takes no word " + word
		}
	}
	return ""
}

// Whatever the documents say is run, is a command with flags that it has.
func TestDocumented(t *testing.T) {
	of := given(t)
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile("(?:go run \\./infra/operator |\\./operator |make operator ARGS='|`(?:operator|…) )([^`'#\\n]*[^`'#\\n ])")
	found := 0
	for _, file := range append(files, "../../README.md", "../operator.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range form.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\\\n", " "), -1) {
			if strings.Contains(m[0], "`… ") && !strings.HasPrefix(m[1], "rotate") {
				continue
			}
			found++
			words := strings.Fields(regexp.MustCompile(`'[^']*'?|"[^"]*"`).ReplaceAllString(m[1], "text"))
			if problem := wrong(words, of); problem != "" {
				t.Errorf("%s: %s: %s", filepath.Base(file), m[0], problem)
			}
		}
	}
	if found < 12 {
		t.Errorf("only %d commands were found", found)
	}
}

// The table of commands has each, with flags that it has and what it needs of those before it.
func TestTheTableOfCommands(t *testing.T) {
	of := given(t)
	runbook, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(runbook), "\n| Command | Does | Needs |\n|---|---|---|\n")
	text, _, _ = strings.Cut(text, "\n\n")
	quoted := regexp.MustCompile("`-?([a-z]+)`")
	flags := regexp.MustCompile("`-([a-z]+)`")
	told := map[string]bool{}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		own := map[string]bool{}
		for _, name := range quoted.FindAllStringSubmatch(cells[1], -1) {
			if _, known := of[name[1]]; !known {
				t.Errorf("%s is no command", name[1])
			}
			told[name[1]] = true
			maps.Copy(own, of[name[1]])
		}
		for _, name := range flags.FindAllStringSubmatch(cells[2], -1) {
			if _, has := own[name[1]]; !has {
				t.Errorf("no flag -%s:%s", name[1], cells[1])
			}
		}
		for _, name := range flags.FindAllStringSubmatch(cells[3], -1) {
			if _, has := of[""][name[1]]; !has {
				t.Errorf("no flag -%s before%s", name[1], cells[1])
			}
		}
	}
	for _, c := range commands() {
		if !told[c.Name] {
			t.Errorf("the table doesn't tell of %s", c.Name)
		}
	}
}
