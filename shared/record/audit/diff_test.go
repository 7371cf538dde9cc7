package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/table"
)

func TestDiff(t *testing.T) {
	long := `"` + strings.Repeat("x", 3000) + `"`
	for _, tt := range []struct{ name, before, after, want string }{
		{
			"created", ``, `{"id":1,"created_at":"x","updated_at":"x","name":"a","note":null,"tags":[],"on":false}`,
			`name:null>"a" on:null>false tags:null>[]`,
		},
		{"deleted", `{"id":1,"name":"a","note":null}`, ``, `name:"a">null`},
		{"nothing", `{"name":"a","updated_at":"1"}`, `{"name":"a","updated_at":"2"}`, ``},
		{"a field", `{"name":"a","n":1}`, `{"name":"b","n":1}`, `name:"a">"b"`},
		{"letters of HTML", `{"name":"<a>"}`, `{"name":"<b>&"}`, `name:"<a>">"<b>&"`},
		{"nested", `{"individual":{"iin":"1","id":2}}`, `{"individual":{"iin":"2","id":3}}`, `individual.id:2>3 individual.iin:"1">"2"`},
		{"nested, new", `{"legal":null}`, `{"legal":{"bin":"1","bik":null}}`, `legal.bin:null>"1"`},
		{"nested, gone", `{"legal":{"bin":"1","bik":null}}`, `{"legal":null}`, `legal.bin:"1">null`},
		{"of another shape", `{"extra":{"a":1}}`, `{"extra":[1]}`, `extra:null>[1] extra.a:1>null`},
		{"emptied object", `{"extra":{"a":1}}`, `{"extra":{}}`, `extra.a:1>null`},
		{"filled object", `{"extra":{}}`, `{"extra":{"a":1}}`, `extra.a:null>1`},
		{"an object that is gone", `{"extra":{}}`, `{"extra":null}`, `extra:{}>null`},
		{"in the order of keys", `{"extra":{"a":1,"b":2}}`, `{"extra":{"b":2,"a":1}}`, ``},
		{"deep", `{"e":{"a":{"b":{"c":{"d":1}}}}}`, `{"e":{"a":{"b":{"c":{"d":2}}}}}`, `e.a.b.c:{"d":1}>{"d":2}`},
		{"lists", `{"l":[1,{"a":2}]}`, `{"l":[1,{"a":3}]}`, `l:[1,{"a":2}]>[1,{"a":3}]`},
		{
			"long", `{"text":` + long + `}`, `{"text":"a"}`,
			`text:{"bytes":3002,"sha256":"47aa60bca6441ded9d59cbc5cd5dd4d4e53e1c6c6bb2e0fee61b4f1b61ea3a7a"}>"a"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := text(t, view(tt.before), view(tt.after))
			if tt.name == "long" {
				if !strings.HasPrefix(got, `text:{"bytes":3002,"sha256":"`) || !strings.HasSuffix(got, `"}>"a"`) || len(got) > 120 {
					t.Errorf("got %s", got)
				}
				return
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	for _, bad := range []any{func() {}, 5, []int{1}} {
		if _, err := diff(View{}, View{Fields: bad}); err == nil {
			t.Errorf("%T is taken for a view", bad)
		}
		if _, err := diff(View{Fields: bad}, View{}); err == nil {
			t.Errorf("%T is taken for a view", bad)
		}
	}
}

func view(s string) any {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func text(t *testing.T, before, after any) string {
	t.Helper()
	changes, err := diff(View{Fields: before}, View{Fields: after})
	if err != nil {
		t.Fatal(err)
	}
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = fmt.Sprintf("%s:%s>%s", c.Field, c.From, c.To)
	}
	return strings.Join(parts, " ")
}

// However large a record is, its audit record is not; and what fits is there.
func TestAuditRecordsAreBounded(t *testing.T) {
	many := func(n, size int) map[string]any {
		m := map[string]any{}
		for i := range n {
			m[fmt.Sprintf("field%04d", i)] = strings.Repeat(fmt.Sprintf("%04d", i), size/4)
		}
		return m
	}
	for name, tt := range map[string]struct {
		view  any
		least int // fields
	}{
		"one of 100 KB":               {map[string]any{"a": strings.Repeat("x", 100<<10)}, 1},
		"100 of 2 KB":                 {many(100, 2000), 100},
		"1000 of 100 bytes in extra":  {map[string]any{"name": "a", "extra": many(1000, 100)}, 2},
		"10000 of 4 bytes in extra":   {map[string]any{"name": "a", "extra": many(10_000, 4)}, 2},
		"a name of 70 KB in extra":    {map[string]any{"extra": map[string]any{strings.Repeat("k", 70<<10): 1}}, 1},
		"what can't be compressed is": {map[string]any{"a": "x"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			changes, err := diff(View{}, View{Fields: tt.view})
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := encode.JSON(changes)
			if err != nil || len(encoded) > 100<<10 || len(changes) < tt.least {
				t.Errorf("%d bytes, %d fields, %v", len(encoded), len(changes), err)
			}
			var a audit
			if err := a.set(changes); err != nil {
				t.Fatal(err)
			}
			a.SK = table.SortID(7)
			e, err := a.entry("client:1")
			if err != nil || e.ID != 7 || len(e.Changes) != len(changes) {
				t.Errorf("%d of %d changes read, %v", len(e.Changes), len(changes), err)
			}
			for i := range e.Changes {
				if e.Changes[i].Field != changes[i].Field || string(e.Changes[i].To) != string(changes[i].To) {
					t.Fatalf("%v became %v", changes[i], e.Changes[i])
				}
			}
		})
	}
	if _, err := diff(View{}, View{Fields: many(2000, 400)}); err == nil {
		t.Error("a view of 2000 fields is within bounds")
	}
}
