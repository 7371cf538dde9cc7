package web_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// The rules of pages, as measured on DRF 3.14, over a list of 35.
func TestPages(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.ReadOnly(1))
	const at = webtest.BaseURL + "/v1/things/"
	for _, p := range []struct {
		query          string
		first, n       int // 0, 0: an invalid page
		next, previous string
	}{
		{"", 1, 10, "?page=2", ""},
		{"?page=1", 1, 10, "?page=2", ""},
		{"?page=2", 11, 10, "?page=3", "-"},
		{"?page=4", 31, 5, "", "?page=3"},
		{"?page=5", 0, 0, "", ""},
		{"?page=7&pageSize=5", 31, 5, "", "?page=6&pageSize=5"},
		{"?page=8&pageSize=5", 0, 0, "", ""},
		{"?page=0", 0, 0, "", ""},
		{"?page=-1", 0, 0, "", ""},
		{"?page=abc", 0, 0, "", ""},
		{"?page=1.0", 0, 0, "", ""},
		{"?page=", 1, 10, "?page=2", ""},
		{"?page=99999999999999999999999", 0, 0, "", ""},
		{"?page=9223372036854775807", 0, 0, "", ""},
		{"?page=9223372036854775807&pageSize=1000", 0, 0, "", ""},
		{"?page=1000000000000&pageSize=1", 0, 0, "", ""},
		{"?page=LAST", 0, 0, "", ""},
		{"?page=last", 31, 5, "", "?page=3"},
		{"?page=last&pageSize=35", 1, 35, "", ""},
		{"?page=%202", 11, 10, "?page=3", "-"},
		{"?page=%2B2", 11, 10, "?page=3", "-"},
		{"?page=2&page=3", 21, 10, "?page=4", "?page=2"},
		{"?pageSize=20", 1, 20, "?page=2&pageSize=20", ""},
		{"?pageSize=20&page=2", 21, 15, "", "?pageSize=20"},
		{"?pageSize=35", 1, 35, "", ""},
		{"?pageSize=34", 1, 34, "?page=2&pageSize=34", ""},
		{"?pageSize=0", 1, 10, "?page=2&pageSize=0", ""},
		{"?pageSize=-1", 1, 10, "?page=2&pageSize=-1", ""},
		{"?pageSize=x", 1, 10, "?page=2&pageSize=x", ""},
		{"?pageSize=", 1, 10, "?page=2&pageSize=", ""},
		{"?pageSize=1.5", 1, 10, "?page=2&pageSize=1.5", ""},
		{"?pageSize=1000", 1, 35, "", ""},
		{"?pageSize=1001", 1, 35, "", ""},
		{"?pageSize=99999999999999999999999", 1, 35, "", ""},
		{"?page_size=5", 1, 10, "?page=2&page_size=5", ""},
		{"?page=3&a=b&a=c", 21, 10, "?a=b&a=c&page=4", "?a=b&a=c&page=2"},
		{"?page=2&x=a+b", 11, 10, "?page=3&x=a+b", "?x=a+b"},
		{"?page=2&x=%D0%B0%26", 11, 10, "?page=3&x=%D0%B0%26", "?x=%D0%B0%26"},
		{"?page=2&x=50%", 11, 10, "?page=3&x=50%25", "?x=50%25"},
		{"?page=2&x=", 11, 10, "?page=3&x=", "?x="},
	} {
		t.Run(p.query, func(t *testing.T) {
			if p.n == 0 {
				c.In(t).Get("/v1/things/" + p.query).Status(404).JSON(`{"detail":"Invalid page."}`)
				return
			}
			link := func(query string) any {
				switch query {
				case "":
					return nil
				case "-":
					return at
				}
				return at + query
			}
			results := []map[string]any{}
			for i := range p.n {
				results = append(results, map[string]any{"id": p.first + i, "name": "t"})
			}
			want, _ := json.Marshal(map[string]any{"count": count, "next": link(p.next), "previous": link(p.previous), "results": results})
			c.In(t).Get("/v1/things/" + p.query).Status(200).JSON(string(want))
		})
	}
	const empty = `{"count":0,"next":null,"previous":null,"results":[]}`
	c.Get("/v1/things/?search=x").Status(200).JSON(empty)
	c.Get("/v1/things/?search=x&page=last").Status(200).JSON(empty)
	c.Get("/v1/things/?search=x&page=1&pageSize=5").Status(200).JSON(empty)
	c.Get("/v1/things/?search=x&page=2").Status(404).JSON(`{"detail":"Invalid page."}`)
	c.Get("/v1/things/?search=x&search=").Status(200).Field("count", "35") // of several the last
	c.With("host", "evil.test").With("X-Forwarded-Host", "evil.test").Get("/v1/things/").Status(200).NotContain(webtest.Host)
}

func TestOrdering(t *testing.T) {
	for query, want := range map[string][]web.Order{
		"":                            nil,
		"name":                        {{Field: "name"}},
		"-name":                       {{Field: "name", Desc: true}},
		" -name , id ":                {{Field: "name", Desc: true}, {Field: "id"}},
		"password,-name,--id,id;drop": {{Field: "name", Desc: true}},
		"NAME,,-":                     nil,
	} {
		r := &web.Request{Query: url.Values{"ordering": {"id", query}}}
		if got := r.Ordering("id", "name"); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}

func ExamplePage_Offset() {
	fmt.Println(
		web.Page{Number: 3, Size: 20}.Offset(100), web.Page{Last: true, Size: 20}.Offset(41), web.Page{Last: true, Size: 20}.Offset(0),
	)
	// Output: 40 40 0
}
