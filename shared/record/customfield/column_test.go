package customfield_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/record/customfield"
)

// TestNumber: of each type a value is the number that orders it, and a value of another type is none.
func TestNumber(t *testing.T) {
	for _, tt := range []struct {
		of   string // types
		json string
		want string // "" is none
	}{
		{"integer client", "5", "5"},
		{"integer client", "-9007199254740991", "-9007199254740991"},
		{"integer client", "5.0", ""},
		{"integer client", "5e1", ""},
		{"integer client", `"5"`, ""},
		{"integer client", "true", ""},
		{"decimal", "5", "500"},
		{"decimal", `"5.25"`, "525"},
		{"decimal", "-0.1", "-10"},
		{"decimal", "99999999999999.99", "9999999999999999"},
		{"decimal", "5.255", ""},
		{"decimal", "1e3", ""},
		{"decimal", `"x"`, ""},
		{"decimal", "true", ""},
		{"boolean", "true", "1"},
		{"boolean", "false", "0"},
		{"boolean", "1", ""},
		{"boolean", `"true"`, ""},
		{"date", `"1970-01-02"`, "1"},
		{"date", `"1969-12-31"`, "-1"},
		{"date", `"2024-02-30"`, ""},
		{"date", `"2024-02-29T00:00:00Z"`, ""},
		{"date", "1", ""},
		{"datetime", `"1970-01-01T00:00:01Z"`, "1000000"},
		{"datetime", `"1970-01-01T05:00:00.000001+05:00"`, "1"},
		{"datetime", `"1970-01-01T00:00:01"`, ""},
		{"datetime", `"1970-01-01"`, ""},
		{"string html color", "5", ""},
		{"string html color", `"5"`, ""},
	} {
		for of := range strings.FieldsSeq(tt.of) {
			d := customfield.Definition{Type: of}
			n, ok := d.Class().Number(customfield.Scalars([]byte(`{"f":`+tt.json+`}`), nil)["f"])
			if got := fmt.Sprint(n); ok != (tt.want != "") || ok && got != tt.want {
				t.Errorf("%s as %s: %s, %t", tt.json, of, got, ok)
			}
		}
	}
}

// TestText: only types of texts have one, and a text that is empty is none.
func TestText(t *testing.T) {
	for _, tt := range []struct{ of, json, want string }{
		{"string", `"Ёлка"`, "Ёлка"},
		{"string", `"\u0041\"\n"`, "A\"\n"},
		{"string", `" \t"`, ""},
		{"string", "5", ""},
		{"color", `"#0aF"`, "#0aF"},
		{"html", `"a"`, ""},
		{"date", `"2024-02-29"`, ""},
	} {
		d := customfield.Definition{Type: tt.of}
		text, ok := d.Class().Text(customfield.Scalars([]byte(`{"f":`+tt.json+`}`), nil)["f"])
		if ok != (tt.want != "") || ok && text != tt.want {
			t.Errorf("%s as %s: %q, %t", tt.json, tt.of, text, ok)
		}
	}
}

// TestScalars: lists, objects, null and long texts are none, and other free parts than objects have none.
func TestScalars(t *testing.T) {
	most := strings.Repeat("я", customfield.LongestText/2)
	extra := `{ "a" : 1.50 , "b":"` + most + `","c":"` + most + `.","d":[1],"e":{"f":1},"g":null,"h":false,"":"x","a":2}`
	want := map[string]any{"a": json.Number("2"), "b": most, "h": false, "": "x"}
	if got := customfield.Scalars([]byte(extra), nil); !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	within := map[string][]byte{"car": []byte(`{"a":true,"e":{}}`)}
	want = map[string]any{"a": json.Number("1"), "car\x00a": true}
	if got := customfield.Scalars([]byte(`{"a":1,"car\u0000a":2}`), within); !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := customfield.Scalars(nil, within); !maps.Equal(got, map[string]any{"car\x00a": true}) {
		t.Errorf("got %v", got)
	}
	for _, none := range []string{"", "null", "5", `"a"`, "[1]"} {
		if got := customfield.Scalars([]byte(none), nil); len(got) > 0 {
			t.Errorf("%s has %v", none, got)
		}
	}
}

// TestColumns: those fields have a column that lists are filtered or ordered by, under the class of their type and their name.
func TestColumns(t *testing.T) {
	var set customfield.Set
	for i, of := range customfield.Types() {
		for j, name := range []string{"none", "a:b", "c"} {
			set.List = append(set.List, customfield.Definition{Name: fmt.Sprint(name, i), Type: of, Filter: j == 1, Table: j == 2})
		}
	}
	letters := map[bool][]string{}
	for _, c := range customfield.Columns(set) {
		class, name, ok := customfield.Named(c.Letter)
		if !ok || c.Text != (class == customfield.ClassText) {
			t.Errorf("%+v is a column of %q", c, name)
		}
		letters[strings.HasPrefix(name, "c")] = append(letters[strings.HasPrefix(name, "c")], c.Letter)
	}
	for ordered, name := range map[bool]string{false: "a:b", true: "c"} {
		want := strings.Fields(strings.ReplaceAll("x:a:?3 x:b:?4 x:d:?5 x:i:?10 x:i:?11 x:i:?12 x:i:?13 x:i:?14 x:i:?15 "+
			"x:i:?2 x:i:?8 x:i:?9 x:m:?6 x:t:?0 x:t:?7", "?", name))
		if !slices.Equal(letters[ordered], want) {
			t.Errorf("%v, want %v", letters[ordered], want)
		}
	}
	for _, letter := range []string{"", "x", "x:", "x:i", "c", "id"} {
		if _, name, ok := customfield.Named(letter); ok {
			t.Errorf("%s is the column of %s", letter, name)
		}
	}
}
