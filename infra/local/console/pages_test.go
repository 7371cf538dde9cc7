package console

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
)

// page is the text of a part of a page.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(pages, "pages/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var imported = regexp.MustCompile(`(?:from|import\()\s*'\./([\w.]+)'`)

// modules returns the texts of the console's modules, app.js and all that it imports, by their names.
func modules(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for next := []string{"app.js"}; len(next) > 0; {
		name := next[0]
		next = next[1:]
		if _, ok := found[name]; ok || name == "htm.js" {
			continue
		}
		found[name] = page(t, name)
		for _, match := range imported.FindAllStringSubmatch(found[name], -1) {
			next = append(next, match[1])
		}
	}
	if len(found) < 5 {
		t.Fatalf("app.js imports %v", slices.Sorted(maps.Keys(found)))
	}
	return found
}

// The console is small as the browser gets it, so that it opens at once: what is ours, and what it is built on.
func TestConsoleIsSmall(t *testing.T) {
	h := handler(t, Config{Demo: demo})
	sent := func(name string) int {
		r := request("GET", "/_local/"+name)
		r.Header.Set("Accept-Encoding", "gzip, br")
		got := serve(h, r)
		compressed := body(t, got)
		unpacked, err := gzip.NewReader(strings.NewReader(compressed))
		if err != nil || got.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("%s: %v %v", name, got.Header, err)
		}
		if text, err := io.ReadAll(unpacked); err != nil || string(text) != body(t, serve(h, request("GET", "/_local/"+name))) {
			t.Errorf("%s is another one where it is compressed: %v", name, err)
		}
		return len(compressed)
	}
	ours := len(page(t, "console.html"))
	for _, match := range regexp.MustCompile(`href="/_local/([\w.]+css)"`).FindAllStringSubmatch(page(t, "console.html"), -1) {
		ours += sent(match[1])
	}
	for name := range modules(t) {
		ours += sent(name)
	}
	theirs := sent("htm.js")
	t.Logf("ours: %d bytes; htm with Preact: %d", ours, theirs)
	if ours > 60_000 || theirs > 6_000 {
		t.Errorf("the console is %d bytes, and what it is built on %d", ours, theirs)
	}
}

var (
	row       = regexp.MustCompile(`(?m)^  (\w+): \[((?:'(?:[^'\\\n]|\\.)*'|[\s,])*)\],$`)
	quoted    = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'`)
	parameter = regexp.MustCompile(`\{(\w+)\}`)
	spoken    = regexp.MustCompile(`\b(?:say|listed)\('(\w+)'(?:, \{([^}]*)\})?\)`)
	cyrillic  = regexp.MustCompile(`\p{Cyrillic}`)
)

// names are the parameters of a text, or the members of an object in a module, in order.
func names(list [][]string) []string {
	found := []string{}
	for _, match := range list {
		found = append(found, match[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Every text of the console is in three languages with the same parameters, is used, and is given these; and no text is elsewhere.
func TestTexts(t *testing.T) {
	table, _, _ := strings.Cut(page(t, "texts.js"), "\n};")
	texts := map[string][]string{} // the parameters
	for _, match := range row.FindAllStringSubmatch(table, -1) {
		all := quoted.FindAllStringSubmatch(match[2], -1)
		if len(all) != 3 || texts[match[1]] != nil {
			t.Errorf("%s has %d texts, or comes twice", match[1], len(all))
			continue
		}
		texts[match[1]] = names(parameter.FindAllStringSubmatch(all[0][1], -1))
		for _, text := range all {
			if text[1] == "" || !slices.Equal(names(parameter.FindAllStringSubmatch(text[1], -1)), texts[match[1]]) {
				t.Errorf("%s is %q", match[1], text[1])
			}
		}
	}
	if lines := regexp.MustCompile(`(?m)^  \w+: `).FindAllString(table, -1); len(lines) != len(texts) {
		t.Errorf("texts.js has %d rows, of which %d can be read", len(lines), len(texts))
	}
	used := map[string]bool{}
	for _, k := range registered() {
		if k.List != "" {
			used["kind_"+k.Name] = true
		}
	}
	for name, text := range modules(t) {
		if name == "texts.js" {
			continue
		}
		if cyrillic.MatchString(text) {
			t.Errorf("%s has a text of its own: %q", name, cyrillic.FindString(text))
		}
		for _, match := range spoken.FindAllStringSubmatch(text, -1) {
			used[match[1]] = true
			given := names(regexp.MustCompile(`(?:^|,)\s*(\w+)`).FindAllStringSubmatch(match[2], -1))
			if want, ok := texts[match[1]]; !ok || !slices.Equal(given, want) {
				t.Errorf("%s says %s with %v, which has %v", name, match[1], given, want)
			}
		}
	}
	for key := range texts {
		if !used[key] {
			t.Errorf("%s is said nowhere", key)
		}
	}
	for key := range used {
		if texts[key] == nil {
			t.Errorf("%s has no text", key)
		}
	}
}

// The console leads to the pages that stand by themselves, and these lead to it and to each other.
func TestPagesLeadToEachOther(t *testing.T) {
	h := handler(t, Config{Demo: demo})
	list := regexp.MustCompile(`\['(/_local/[\w/]*)'`).FindAllStringSubmatch(page(t, "app.js"), -1)
	if len(list) < 4 {
		t.Errorf("the console leads to %v", list)
	}
	for _, match := range list {
		text := body(t, serve(h, request("GET", match[1])))
		for _, other := range append(list, []string{"", "/_local/"}) {
			if !strings.Contains(text, `href="`+other[1]+`"`) {
				t.Errorf("%s does not lead to %s", match[1], other[1])
			}
		}
	}
}

// The registry of kinds says where the description of the API has the lists and the records.
func TestKinds(t *testing.T) {
	var list []kind
	if err := json.Unmarshal([]byte(body(t, serve(handler(t, Config{}), request("GET", "/_local/kinds")))), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != len(kinds.All()) {
		t.Errorf("%d of %d kinds", len(list), len(kinds.All()))
	}
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &api); err != nil {
		t.Fatal(err)
	}
	browsed := 0
	for _, k := range list {
		of, _ := kinds.ByName(k.Name)
		if k.Model != of.Model || k.History == of.NoHistory || k.Timeline != of.Timeline || !slices.Equal(k.Fields, append([]string{}, of.Fields...)) {
			t.Errorf("%+v, of %+v", k, of)
		}
		if k.List == "" {
			if of.Path != "" {
				t.Errorf("%s has the path %s and no list", k.Name, of.Path)
			}
			continue
		}
		browsed++
		if api.Paths[k.List]["get"] == nil {
			t.Errorf("%s is listed at %s, which the description does not have", k.Name, k.List)
		}
		if timeline := api.Paths[k.Path+"{id}/timeline/"]["get"]; k.Timeline && timeline == nil {
			t.Errorf("%s has no timeline at its records", k.Name)
		}
	}
	// Those of the others lie within records of these.
	for _, within := range []string{
		"/v1/crm/services/{service_id}/tarifs/", "/v1/crm/groups/{group_id}/tarifs/", "/v1/crm/inventories/{inventory_id}/blocks/",
		"/v1/crm/requests/{request_id}/deposits/", "/v1/crm/requests/{request_id}/penalties/", "/v1/sales/funnels/{funnel_id}/stages/",
	} {
		if api.Paths[within]["get"] == nil {
			t.Errorf("the description does not have %s", within)
		}
	}
	if browsed < 30 {
		t.Errorf("%d kinds can be browsed", browsed)
	}
}
