package catalogue_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tenantry/tenantry/infra/phrases/catalogue"
)

// The generated Go file is what the rows of the catalogue give today.
func TestSourceIsCurrent(t *testing.T) {
	rows, err := catalogue.Read(os.DirFS("../../../shared/say/catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := catalogue.Go(rows)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../shared/say/messages_gen.go")
	if err != nil || !bytes.Equal(got, want) {
		t.Error("shared/say/messages_gen.go is not that of the catalogue: go generate ./shared/say", err)
	}
}

func TestFaults(t *testing.T) {
	const good = "a_b:\n  params: {n: number, who: text}\n  en: '{n} {n|file|files} of {who}'\n  ru: '{n} {n|файл|файла|файлов}: {who}'\n  kk: '{who}: {n} файл'\n"
	for name, c := range map[string]struct{ old, new, want string }{
		"as it should be":           {"", "", ""},
		"no text":                   {"  kk: '{who}: {n} файл'\n", "", "a_b: kk: the text is missing"},
		"an empty text":             {"'{who}: {n} файл'", "''", "a_b: kk: the text is missing"},
		"a space too many":          {" файл'", " файл '", "spaces around it"},
		"a parameter left out":      {"'{who}: {n} файл'", "'{n} файл'", "kk: parameter who is not used"},
		"an unknown parameter":      {"{who}: {n} файл", "{who}: {n} файл {m}", `kk: there is no parameter "m"`},
		"a form that is missing":    {"|файла", "", "ru: n needs 3 forms"},
		"a form too many":           {"|files}", "|files|filess}", "en: n needs 2 forms"},
		"forms of a text":           {"of {who}", "of {who|a|b}", "en: forms go with a number, and who is none"},
		"a type that is none":       {"who: text", "who: string", `parameter who has no type "string", but one of decimal, `},
		"a parameter nobody uses":   {"who: text}", "who: text, x: text}", "en: parameter x is not used"},
		"a brace that is left open": {"of {who}", "of {who} {", "en: a brace is not closed"},
		"an id with capitals":       {"a_b:", "aB:", "an id is lower-case words"},
		"a code with a space":       {"  params", "  code: a b\n  params", "a code is lower-case words"},
		"an unknown member":         {"  params", "  kz: x\n  params", "kz"},
		"a parameter left unsaid":   {"who: text}", "who: text, x: text}\n  unsaid: [x]", ""},
		"an unsaid one that is":     {"  params", "  unsaid: [who]\n  params", "en: parameter who is not used, or is a term"},
		"a size in bytes":           {"n: number", "n: size", "ru: forms go with a number, and n is none"},
		"a word left out":           {"who: text}", "who: text, x: text}\n  words: [x]", "kk: parameter x is not used"},
		"a word in English":         {"  params", "  words: [who]\n  params", "en: parameter who is not used, or is a term"},
		"a term in Russian":         {"  params", "  terms: [who]\n  params", "ru: parameter who is not used, or is a term"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if name != "as it should be" && text == good {
			t.Fatal(name)
		}
		rows, err := catalogue.Read(fstest.MapFS{"x.yaml": {Data: []byte(text)}})
		switch {
		case c.want == "" && (err != nil || len(rows) != 1):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	_, err := catalogue.Read(fstest.MapFS{"x.yaml": {Data: []byte(good)}, "y.yaml": {Data: []byte(good)}})
	if err == nil || !strings.Contains(err.Error(), "y.yaml: a_b: is in x.yaml too") {
		t.Errorf("a row twice: %v", err)
	}
}

func TestGo(t *testing.T) {
	rows, err := catalogue.Read(fstest.MapFS{"x.yaml": {Data: []byte("pdf_of_type:\n  params: {type: text, max: number}\n  en: '{max}, {type}'\n  ru: '{type} {max}'\n  kk: '{type} {max}'\n" +
		"full:\n  params: {max: size, left: decimal}\n  en: '{left} {max} {max|byte|bytes}'\n  ru: '{left} {max}'\n  kk: '{max} {left}'\n" +
		"plain:\n  code: other\n  en: A\n  ru: B\n  kk: C\n")}})
	if err != nil {
		t.Fatal(err)
	}
	source, err := catalogue.Go(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"func PDFOfType[N1 Whole](max_ N1, type_ string) Message {\n\treturn with(\"pdf_of_type\", param{\"max\", int64(max_)}, param{\"type\", type_})\n}",
		"func Full[N1 Whole](left string, max_ N1) Message {\n\treturn with(\"full\", param{\"left\", left}, param{\"max\", int64(max_)})\n}",
		"\"{left} {max} {max|byte|bytes}\",\n\t\t\"{left:decimal} {max:size}\",\n\t\t\"{max:size} {left:decimal}\",",
		"const Plain Message = mark + \"plain\"",
		"\"plain\", \"other\",\n\t\t\"A\",\n\t\t\"B\",\n\t\t\"C\",",
	} {
		if !strings.Contains(string(source), want) {
			t.Errorf("%s\nis not in\n%s", want, source)
		}
	}
}
