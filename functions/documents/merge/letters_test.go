package merge

import (
	"errors"
	"strings"
	"testing"
)

// A value that can't be drawn is named, with the place in the template where it would have stood.
func TestValuesThatCannotBeDrawn(t *testing.T) {
	schema := Schema{Fields: map[string]Schema{"client": Texts("name", "city")}}
	parsed, err := Parse("<p>\n{{client.city}}: {{client.name}}</p>")
	if err != nil {
		t.Fatal(err)
	}
	value := func(name string) Value {
		return Value{Fields: map[string]Value{"client": {Fields: map[string]Value{"name": {Text: name}, "city": {Text: "Oʻsh"}}}}}
	}
	if _, err := parsed.Execute(schema, value("Ƣ")); err == nil {
		t.Error("a letter of no alphabet that is written is taken")
	}
	var at *SyntaxError
	if _, err := parsed.Execute(schema, value("A 王")); !errors.As(err, &at) || at.Line != 2 || !strings.Contains(at.Error(), "{{client.name}}") ||
		!strings.Contains(at.Error(), `"王" (U+738B), which is number 3`) {
		t.Errorf("%v", err)
	}
	if _, err := parsed.Execute(schema, value("Ғани Gʻani")); err != nil {
		t.Error(err)
	}
}
