// Package merge puts values into the templates of companies:
//
//	{{client.name}}                              a value, always escaped
//	{{#if client.bin}}…{{else}}…{{/if}}          the first part if there is a value, else the second
//	{{#unless client.bin}}…{{else}}…{{/unless}}  the other way round
//	{{#each order.lines}}…{{else}}…{{/each}}     the first part for each row, or the second if there are none
//
// Inside each, the names of a row hide those around it; {{this}} is a row that is a text itself.
// There is nothing else: no functions, no includes, no unescaped values. Whoever writes a
// template is any user of any company, so all that it may cost is bounded.
//
// A template is a text, not parsed HTML, because an HTML parser moves what stands between the
// rows of a table out of it. An editor that does the same keeps comments where they are:
// <!--{{#each order.lines}}--><tr>…</tr><!--{{/each}}--> works too. Sanitise what comes out, not
// what goes in: values are safe as texts and inside quoted attributes, and nowhere else.
package merge

import "slices"

// Bounds of templates and of what is made of them.
const (
	MostTemplate = 1_000_000 // bytes of a template
	MostOutput   = 1_000_000 // bytes of a result
	mostTags     = 10_000
	mostSteps    = 200_000 // values, conditions and rows in a result
	mostDepth    = 16      // blocks in blocks
	mostParts    = 8       // names in a path
	mostName     = 64      // characters of a name
)

// Schema says which names there are. One without Fields and without Row is a text.
type Schema struct {
	Fields map[string]Schema // of an object
	Row    *Schema           // of a list
}

// Value is what a Schema describes. A value that isn't set is empty.
type Value struct {
	Text   string
	Fields map[string]Value
	Rows   []Value
}

// Texts is an object of texts, by their names.
func Texts(names ...string) Schema {
	s := Schema{Fields: make(map[string]Schema, len(names))}
	for _, name := range names {
		s.Fields[name] = Schema{}
	}
	return s
}

// Paths lists the values that a template may use, in order. A list has [] behind its name.
func (s Schema) Paths() []string {
	var all []string
	s.paths("", &all)
	slices.Sort(all)
	return all
}

func (s Schema) paths(before string, all *[]string) {
	switch {
	case s.Row != nil:
		s.Row.paths(before+"[]", all)
	case s.Fields != nil:
		for name, field := range s.Fields {
			if before != "" {
				name = before + "." + name
			}
			field.paths(name, all)
		}
	default:
		*all = append(*all, before)
	}
}
