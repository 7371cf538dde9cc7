package page

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"
)

// TestTexts: the languages say the same things, with the same values in them.
func TestTexts(t *testing.T) {
	braces := regexp.MustCompile(`\{\w+\}`)
	flat := func(lang string) map[string]string {
		body, err := textFiles.ReadFile("texts/" + lang + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		if err := json.Unmarshal(body, &tree); err != nil {
			t.Fatal(lang, err)
		}
		all := map[string]string{}
		flatten(all, "", tree)
		return all
	}
	russian := flat("ru")
	if len(russian) < 140 {
		t.Errorf("%d texts", len(russian))
	}
	for _, l := range languages() {
		other := flat(l.code)
		if len(other) != len(russian) {
			t.Errorf("%s: %d texts, not %d", l.code, len(other), len(russian))
		}
		for key, said := range russian {
			want, got := braces.FindAllString(said, -1), braces.FindAllString(other[key], -1)
			slices.Sort(want)
			slices.Sort(got)
			if other[key] == "" || !slices.Equal(got, want) {
				t.Errorf("%s: %s is %q", l.code, key, other[key])
			}
		}
		page, headers := Verify(l.code, Settings{})
		if headers["Content-Language"] != l.code || attr(elements(t, page)[0], "lang") != l.code {
			t.Errorf("%s isn't said", l.code)
		}
	}
	if _, headers := Verify("de", Settings{}); headers["Content-Language"] != "ru" {
		t.Error("another language isn't Russian")
	}
}

func flatten(all map[string]string, at string, v any) {
	switch v := v.(type) {
	case string:
		all[at] = v
	case map[string]any:
		for key, inner := range v {
			flatten(all, at+"."+key, inner)
		}
	case []any:
		for i, inner := range v {
			flatten(all, at+"."+string(rune('0'+i)), inner)
		}
	}
}
