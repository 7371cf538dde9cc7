package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/infra/phrases/catalogue"
	"github.com/tenantry/tenantry/shared/say"
)

// Every refusal that is recorded in English has a code, because each of its texts fits a row of the catalogue. The scenarios prove more,
// that the row's own message was returned (webtest.Refusal).
func TestRecordedRefusalsHaveCodes(t *testing.T) {
	root := moduleRoot(t)
	rows, err := catalogue.Read(os.DirFS(filepath.Join(root, "shared/say/catalogue")))
	if err != nil {
		t.Fatal(err)
	}
	refuse := map[string]bool{}
	for _, sayings := range say.Codes() {
		for _, s := range sayings {
			refuse[s.ID] = true
		}
	}
	var patterns []string
	for _, r := range rows {
		if refuse[r.ID] && strings.Trim(braces.ReplaceAllString(regexp.QuoteMeta(r.English), ""), ` :;,.()"\`) != "" { // else it fits every text
			patterns = append(patterns, pattern(r.English))
		}
	}
	known := regexp.MustCompile(`(?s)^(?:` + strings.Join(patterns, "|") + `)$`)
	if known.MatchString("Nobody has written this.") || !known.MatchString("Request was throttled. Expected available in 60 seconds.") {
		t.Fatal("the patterns take everything, or nothing")
	}
	groups, err := corpus.Groups(root)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, group := range groups {
		entries, err := corpus.Read(root, group)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			language := e.Answered["Content-Language"]
			if e.Status < 400 || language == nil || *language != "en" || e.Answered["Content-Type"] != nil {
				continue
			}
			var body map[string]any
			if err := e.Answer.Decode(&body); err != nil {
				t.Fatal(e.ID(), err)
			}
			for _, text := range refusals(body) {
				if text == "<string>" { // it holds a moment
					continue
				}
				if checked++; !known.MatchString(text) {
					t.Errorf("%s: %q is the text of no row", e.ID(), text)
				}
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d texts were found", checked)
	}
}

var braces = regexp.MustCompile(`\\\{[^{}]*\}`)

// pattern is the expression of a text of the catalogue.
func pattern(text string) string {
	return braces.ReplaceAllStringFunc(regexp.QuoteMeta(text), func(inside string) string {
		forms := strings.Split(strings.TrimSuffix(strings.TrimPrefix(inside, `\{`), `\}`), `\|`)
		if len(forms) == 1 {
			return ".*"
		}
		return "(?:" + strings.Join(forms[1:], "|") + ")"
	})
}

// refusals are the texts of a refusal: its detail, and the lists of texts that its fields have.
func refusals(body map[string]any) (texts []string) {
	for name, value := range body {
		switch value := value.(type) {
		case string:
			if name == "detail" {
				texts = append(texts, value)
			}
		case map[string]any:
			texts = append(texts, refusals(value)...)
		case []any:
			for _, item := range value {
				switch item := item.(type) {
				case string:
					texts = append(texts, item)
				case map[string]any:
					texts = append(texts, refusals(item)...)
				}
			}
		}
	}
	return texts
}
