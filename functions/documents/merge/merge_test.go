package merge

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/shared/say"
)

func contract() Schema {
	line := Texts("name", "price", "note")
	line.Fields["tags"] = Schema{Row: &Schema{}}
	order := Texts("number", "total", "total_words")
	order.Fields["lines"] = Schema{Row: &line}
	return Schema{Fields: map[string]Schema{
		"client": Texts("name", "bin", "паспорт"), "order": order, "name": {},
	}}
}

func values() Value {
	line := func(name, price string, tags ...string) Value {
		v := Value{Fields: map[string]Value{"name": {Text: name}, "price": {Text: price}}}
		var rows []Value
		for _, tag := range tags {
			rows = append(rows, Value{Text: tag})
		}
		v.Fields["tags"] = Value{Rows: rows}
		return v
	}
	return Value{Fields: map[string]Value{
		"name":   {Text: "outer"},
		"client": {Fields: map[string]Value{"name": {Text: `Tom & "Jerry" <b>'s`}, "паспорт": {Text: "N1"}}},
		"order": {Fields: map[string]Value{
			"number": {Text: "{{name}}"},
			"lines":  {Rows: []Value{line("Drill", "10.00", "a", "b"), line("Saw", "")}},
		}},
	}}
}

func TestExecute(t *testing.T) {
	for _, c := range []struct{ name, template, want string }{
		{"no tags", "a } b { c }} d", "a } b { c }} d"},
		{"nothing", "", ""},
		{"a value is escaped", "<p>{{client.name}}</p>", "<p>Tom &amp; &#34;Jerry&#34; &lt;b&gt;&#39;s</p>"},
		{"a value isn't read again", "{{order.number}}", "{{name}}"},
		{"spaces in braces, as editors write them", "{{&nbsp;client.bin\n}}{{ name&#160;}}", "outer"},
		{"an unset value is empty", "[{{client.bin}}{{order.total}}]", "[]"},
		{"a name in another script", "{{client.паспорт}}", "N1"},
		{"if", "{{#if client.name}}yes{{else}}no{{/if}}", "yes"},
		{"if not", "{{#if client.bin}}yes{{else}}no{{/if}}", "no"},
		{"if not, and nothing else", "[{{#if client.bin}}yes{{/if}}]", "[]"},
		{"if an object has anything", "{{#if client}}yes{{/if}}", "yes"},
		{"if a list has rows", "{{#if order.lines}}yes{{/if}}", "yes"},
		{"unless", "{{#unless client.bin}}none{{else}}some{{/unless}}", "none"},
		{"unless not", "{{#unless client.name}}none{{else}}some{{/unless}}", "some"},
		{
			"rows of a table", "<table>{{#each order.lines}}<tr><td>{{name}}</td></tr>{{/each}}</table>",
			"<table><tr><td>Drill</td></tr><tr><td>Saw</td></tr></table>",
		},
		{
			"rows of a table, in comments", "<table><!--{{#each order.lines}}--><tr></tr><!--{{/each}}--></table>",
			"<table><!----><tr></tr><!----><tr></tr><!----></table>",
		},
		{"a row sees what is around it", "{{#each order.lines}}{{name}} {{client.паспорт}};{{/each}}{{name}}", "Drill N1;Saw N1;outer"},
		{"texts in rows", "{{#each order.lines}}{{#each tags}}{{this}},{{else}}none{{/each}};{{/each}}", "a,b,;none;"},
		{"an unset value of a row isn't one of the row before", "{{#each order.lines}}[{{price}}]{{/each}}", "[10.00][]"},
		{"a list without rows", "{{#each order.lines}}{{#if price}}{{price}}{{else}}free{{/if}} {{/each}}", "10.00 free "},
	} {
		t.Run(c.name, func(t *testing.T) {
			parsed, err := Parse(c.template)
			if err != nil {
				t.Fatal(err)
			}
			if err := parsed.Check(contract()); err != nil {
				t.Fatal(err)
			}
			got, err := parsed.Execute(contract(), values())
			if err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
			if _, err := parsed.Execute(contract(), Value{}); err != nil {
				t.Errorf("without values: %v", err)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, template, want string }{
		{"an end that is missing", "a\nбв {{client.name", "Line 2, column 4: {{ isn't ended by }}."},
		{"an end that is another tag's", "{{client.name {{name}}", "Line 1, column 1: {{ isn't ended by }}."},
		{"three braces", "{{{name}}}", "Line 1, column 1: there are three braces: values are always escaped."},
		{"nothing inside", "{{ }}", "Line 1, column 1: there is nothing between the braces."},
		{"a block that is open", "\n  {{#if client.name}}", "Line 2, column 3: {{#if client.name}} isn't ended by {{/if}}."},
		{"an end too many", "{{#if name}}{{/if}}{{/if}}", "Line 1, column 20: {{/if}} ends nothing."},
		{"crossed blocks", "{{#if name}}\n{{#each order.lines}}{{/if}}{{/each}}", "Line 2, column 22: {{/if}} can't end {{#each order.lines}} of line 2."},
		{"else outside", "{{else}}", "Line 1, column 1: {{else}} belongs into a block, once."},
		{"else twice", "{{#if name}}{{else}}{{else}}{{/if}}", "Line 1, column 21: {{else}} belongs into a block, once."},
		{"a call", "{{upper name}}", `Line 1, column 1: a value is one name, such as {{client.name}}: "upper name" are 2.`},
		{"a partial", "{{>header}}", `Line 1, column 1: ">header" is no name: letters, digits, _ and -, with points between, such as client.name.`},
		{"a tag inside", "{{<b>name</b>}}", `Line 1, column 1: "<b>name</b>" is no name: letters, digits, _ and -, with points between, such as client.name.`},
		{"another block", "{{#with client}}{{/with}}", `Line 1, column 1: there is no block "with": only each, if and unless.`},
		{"a block of nothing", "{{#each}}{{/each}}", "Line 1, column 1: {{#each}} takes one name, such as {{#each order.lines}}."},
		{"an end with a name", "{{#if name}}{{/if name}}", "Line 1, column 13: {{/if}} takes nothing more."},
		{"points", "{{client..name}}", `Line 1, column 1: "client..name" is no name: letters, digits, _ and -, with points between, such as client.name.`},
		{"a deep path", "{{a.b.c.d.e.f.g.h.i}}", `Line 1, column 1: "a.b.c.d.e.f.g.h.i" has more than 8 names.`},
		{"no UTF-8", "\xff", "Line 1, column 1: the template is no UTF-8."},
		{"depth", strings.Repeat("{{#if name}}", 17) + strings.Repeat("{{/if}}", 17), "Line 1, column 193: more than 16 blocks are inside each other."},
		{"length", strings.Repeat("a", MostTemplate+1), "Line 1, column 1: the template has more than 1000000 bytes."},
		{"tags", strings.Repeat("{{name}}", mostTags+1), "Line 1, column 80001: the template has more than 10000 tags."},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.template)
			var at *SyntaxError
			if !errors.As(err, &at) || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	parsed, err := Parse("{{client.nam}}\nя {{client}} {{order.lines}}{{#each name}}{{x}}{{/each}}" +
		"{{#if gone.away}}{{client.nam}}{{/if}}{{#each order.lines}}{{nme}}{{name.x}}{{this}}{{/each}}{{#if client.bin}}{{else}}{{late}}{{/if}}")
	if err != nil {
		t.Fatal(err)
	}
	want := UnknownError{
		{Place{1, 1}, "client.nam", say.TemplateNameUnknown("{{client.nam}}")},
		{Place{2, 3}, "client", say.TemplateNameOfSeveral("{{client}}")},
		{Place{2, 14}, "order.lines", say.TemplateNameList("{{order.lines}}", "{{#each}}")},
		{Place{2, 29}, "name", say.TemplateNameNoList("{{name}}", "{{#each}}")},
		{Place{2, 57}, "gone.away", say.TemplateNameUnknown("{{gone.away}}")},
		{Place{2, 74}, "client.nam", say.TemplateNameUnknown("{{client.nam}}")},
		{Place{2, 116}, "nme", say.TemplateNameUnknown("{{nme}}")},
		{Place{2, 123}, "name.x", say.TemplateNameUnknown("{{name.x}}")},
		{Place{2, 133}, "this", say.TemplateNameUnknown("{{this}}")},
		{Place{2, 176}, "late", say.TemplateNameUnknown("{{late}}")},
	}
	var got UnknownError
	if err := parsed.Check(contract()); !errors.As(err, &got) || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", err, want)
	}
	_, err = parsed.Execute(contract(), values())
	if !errors.As(err, &got) {
		t.Fatalf("it was made of what is unknown: %v", err)
	}
	if names := strings.Join(got.Names(), " "); names != "client.nam client order.lines name gone.away nme name.x this late" {
		t.Errorf("names: %s", names)
	}
}

func TestBudgets(t *testing.T) {
	row := Texts("name")
	inner := Schema{Fields: map[string]Schema{"rows": {Row: &row}, "big": {}, "list": {Row: &Schema{}}}}
	rows := Value{Rows: make([]Value, 1000)}
	for _, c := range []struct {
		name, template string
		value          Value
		want           error
	}{
		{"rows of rows of rows", "{{#each rows}}{{#each rows}}{{#each rows}}{{name}}{{/each}}{{/each}}{{/each}}", Value{Fields: map[string]Value{"rows": rows}}, ErrTooMuch},
		{"long texts in rows", "{{#each rows}}{{big}}{{/each}}", Value{Fields: map[string]Value{"rows": rows, "big": {Text: strings.Repeat("a", 5000)}}}, ErrTooLong},
		{"texts that grow by being escaped", "{{big}}", Value{Fields: map[string]Value{"big": {Text: strings.Repeat("&", 300_000)}}}, ErrTooLong},
		{"the template's own text in rows", "{{#each rows}}" + strings.Repeat("a", 5000) + "{{/each}}", Value{Fields: map[string]Value{"rows": rows}}, ErrTooLong},
		{"as much as there may be", "{{big}}", Value{Fields: map[string]Value{"big": {Text: strings.Repeat("a", MostOutput)}}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			parsed, err := Parse(c.template)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := parsed.Execute(inner, c.value); !errors.Is(err, c.want) || len(got) > MostOutput {
				t.Errorf("got %v, %d bytes", err, len(got))
			}
		})
	}
}

func TestPaths(t *testing.T) {
	want := "client.bin client.name client.паспорт name order.lines[].name order.lines[].note order.lines[].price order.lines[].tags[] " +
		"order.number order.total order.total_words"
	if got := strings.Join(contract().Paths(), " "); got != want {
		t.Errorf("got %s", got)
	}
}

// TestAnything puts pieces together in any order: the template is refused with a place inside it, or
// made without a tag of the values.
func TestAnything(t *testing.T) {
	pieces := []string{
		"{{#if name}}", "{{#each order.lines}}", "{{#unless client.bin}}", "{{else}}", "{{/if}}", "{{/each}}", "{{/unless}}",
		"{{name}}", "{{client.name}}", "{{this}}", "{{", "}}", "{", "}", "\n", "я", "text", "{{{", "{{#each tags}}", "{{gone}}",
	}
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		parsed, err := Parse(source)
		if err != nil {
			var at *SyntaxError
			if lines := strings.Split(source, "\n"); !errors.As(err, &at) || at.Line < 1 || at.Line > len(lines) ||
				at.Column < 1 || at.Column > len([]rune(lines[at.Line-1]))+1 {
				t.Fatalf("%q: %v", source, err)
			}
			return
		}
		checked := parsed.Check(contract())
		out, err := parsed.Execute(contract(), values())
		if (err == nil) != (checked == nil) {
			t.Fatalf("%q: checked %v, executed %v", source, checked, err)
		}
		if strings.Contains(out, "<b>") {
			t.Fatalf("%q: a value wasn't escaped: %s", source, out)
		}
	})
}
