package match_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

func TestCompare(t *testing.T) {
	cases := []struct {
		name, want, got string
		diffs           []string
	}{
		{"the same", `{"a":[1,"x",null,true]}`, `{"a":[1,"x",null,true]}`, nil},
		{"another order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, nil},
		{"another number", `{"a":1}`, `{"a":1.0}`, []string{"a: 1.0, want 1"}},
		{"missing and extra", `{"a":1,"b":{"c":2}}`, `{"b":{"d":2}}`, []string{"body: a is missing", "b: c is missing", "b: d is not wanted (2)"}},
		{"lists of other lengths", `[1,2]`, `[1]`, []string{"body: [1], want a list of 2"}},
		{"inside a list", `{"r":[{"id":1}]}`, `{"r":[{"id":"1"}]}`, []string{`r.0.id: "1", want 1`}},
		{"any", `{"a":"<any>"}`, `{"a":{"b":[]}}`, nil},
		{"any is there", `{"a":"<any>"}`, `{}`, []string{"body: a is missing"}},
		{"a number", `"<int>"`, `17`, nil},
		{"a text of digits is no number", `"<int>"`, `"17"`, []string{`body: "17", want "<int>"`}},
		{"a fraction is no integer", `"<int>"`, `1.5`, []string{`body: 1.5, want "<int>"`}},
		{"uuid", `"<uuid>"`, `"0b9e4c1a-1f2d-4a5b-8c7d-0123456789ab"`, nil},
		{"no uuid", `"<uuid>"`, `"0b9e4c1a-1f2d-4a5b-8c7d-0123456789aX"`, []string{`body: "0b9e4c1a-1f2d-4a5b-8c7d-0123456789aX", want "<uuid>"`}},
		{"time", `"<datetime>"`, `"2026-03-02T09:30:00.123456Z"`, nil},
		{"a time with an offset", `"<datetime>"`, `"2026-03-02T09:30:00+05:00"`, []string{`body: "2026-03-02T09:30:00+05:00", want "<datetime>"`}},
		{"url", `"<url>"`, `"http://127.0.0.1:1/a?b=c"`, nil},
		{"no url", `"<url>"`, `"/a?b=c"`, []string{`body: "/a?b=c", want "<url>"`}},
		{"an empty text", `"<string>"`, `""`, []string{`body: "", want "<string>"`}},
		{"inside a text", `"wait <int> seconds, <uuid>."`, `"wait 59 seconds, 0b9e4c1a-1f2d-4a5b-8c7d-0123456789ab."`, nil},
		{"inside another text", `"wait <int> seconds."`, `"wait long seconds."`, []string{`body: "wait long seconds.", want "wait <int> seconds."`}},
		{"the rest is literal", `"a.c<int>"`, `"abc1"`, []string{`body: "abc1", want "a.c<int>"`}},
		{"other brackets are literal", `"<b>x</b>"`, `"<b>x</b>"`, nil},
		{"other brackets are no matcher", `"<b>x"`, `"<i>x"`, []string{`body: "<i>x", want "<b>x"`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want, err := match.Parse([]byte(c.want))
			if err != nil {
				t.Fatal(err)
			}
			got, err := match.Parse([]byte(c.got))
			if err != nil {
				t.Fatal(err)
			}
			if diffs := match.Compare("", want, got); strings.Join(diffs, "\n") != strings.Join(c.diffs, "\n") {
				t.Errorf("%q, want %q", diffs, c.diffs)
			}
		})
	}
}

func TestParseTakesOneDocument(t *testing.T) {
	for _, text := range []string{"", "{", "1 2", "{} x"} {
		if v, err := match.Parse([]byte(text)); err == nil {
			t.Errorf("%q: %v", text, v)
		}
	}
}
