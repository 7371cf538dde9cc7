package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/seal/pdf"
	"github.com/tenantry/tenantry/functions/seal/pdf/pdftest"
)

func read(t *testing.T, data []byte) *pdf.File {
	t.Helper()
	f, err := pdf.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestObject(t *testing.T) {
	for _, c := range []struct {
		name, written string
		want          pdf.Value
	}{
		{"a number", "-12.50", pdf.Raw("-12.50")},
		{"a number before another", "[1 2 3]", pdf.Array{pdf.Raw("1"), pdf.Raw("2"), pdf.Raw("3")}},
		{"references", "[1 0 R 2 0 R 3]", pdf.Array{pdf.Ref{Number: 1}, pdf.Ref{Number: 2}, pdf.Raw("3")}},
		{"a string with brackets", `(a (b) \) c)`, pdf.Raw(`(a (b) \) c)`)},
		{"a string of digits", "<0a 0B>", pdf.Raw("<0a 0B>")},
		{"escaped names", "/A#42#20C", pdf.Name("AB C")},
		{"the end of a name that looks escaped", "/A#4", pdf.Name("A#4")},
		{"a key that is escaped", "<</Ty#70e/X>>", pdf.Dict{"Type": pdf.Name("X")}},
		{"nothing", "null", pdf.Null},
		{"a comment", "[true % /no ]\n false]", pdf.Array{pdf.Raw("true"), pdf.Raw("false")}},
		{"a dictionary in one", "<</A<</B[]>>>>", pdf.Dict{"A": pdf.Dict{"B": pdf.Array{}}}},
		{"a stream", "<</Length 3>>stream\r\nabc\nendstream", &pdf.Stream{Dict: pdf.Dict{"Length": pdf.Raw("3")}, Data: []byte("abc")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := read(t, pdftest.Of("/Root 1 0 R", map[int]string{1: c.written}))
			got, err := f.Object(pdf.Ref{Number: 1})
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Fatalf("%#v, %v", got, err)
			}
			u := f.Update()
			again := u.Add(got)
			whole, _ := u.Append([2]pdf.Raw{"<01>", "<02>"})
			copied, err := read(t, whole).Object(again)
			if s, ok := copied.(*pdf.Stream); err != nil || !ok && !reflect.DeepEqual(got, copied) || ok && string(s.Data) != "abc" {
				t.Errorf("written: %#v, %v", copied, err)
			}
		})
	}
}

func TestBadObject(t *testing.T) {
	for name, written := range map[string]string{
		"nothing":                         "",
		"a word":                          "what",
		"an array without end":            "[1 2",
		"a string without end":            "(a (b)",
		"digits without end":              "<0a",
		"a key that is no name":           "<<1 2>>",
		"a key twice":                     "<</A 1/A 2>>",
		"a key twice, once escaped":       "<</A 1/#41 2>>",
		"too deep":                        strings.Repeat("[", 100) + strings.Repeat("]", 100),
		"a stream that is too long":       "<</Length 300>>stream\nabc\nendstream",
		"a stream that is too short":      "<</Length 2>>stream\nabc\nendstream",
		"a stream without length":         "<<>>stream\nabc\nendstream",
		"a stream of its own length":      "<</Length 1 0 R>>stream\nabc\nendstream",
		"a length past all numbers":       "<</Length 99999999999999999999>>stream\nabc\nendstream",
		"a stream in the line of its key": "<</Length 3>>stream abc\nendstream",
		"more behind it":                  "1 1",
	} {
		t.Run(name, func(t *testing.T) {
			f := read(t, pdftest.Of("/Root 1 0 R", map[int]string{1: written}))
			if got, err := f.Object(pdf.Ref{Number: 1}); !errors.Is(err, pdf.ErrSyntax) {
				t.Errorf("%#v, %v", got, err)
			}
		})
	}
}

func TestRead(t *testing.T) {
	page := pdftest.Page()
	prev := fmt.Sprintf("/Prev %d", pdftest.Table(page))
	replaced := func(from, to string) []byte { return bytes.Replace(page, []byte(from), []byte(to), 1) }
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"nothing", nil, pdf.ErrSyntax},
		{"no PDF", []byte("GIF89a"), pdf.ErrSyntax},
		{"something before it", append([]byte("\n"), page...), pdf.ErrSyntax},
		{"the beginning of one", page[:len(page)/2], pdf.ErrSyntax},
		{"no table", replaced("xref\n0 1", "xxxx\n0 1"), pdf.ErrSyntax},
		{"no trailer", replaced("trailer", "trailed"), pdf.ErrSyntax},
		{"no catalog", pdftest.Of("", map[int]string{1: "1"}), pdf.ErrSyntax},
		{"a table past the end", replaced(fmt.Sprintf("startxref\n%d", pdftest.Table(page)), "startxref\n99999"), pdf.ErrSyntax},
		{"a table that is a stream", replaced(fmt.Sprintf("startxref\n%d", pdftest.Table(page)), fmt.Sprintf("startxref\n%d", bytes.Index(page, []byte("1 0 obj")))), pdf.ErrXRefStream},
		{"a table of both kinds", pdftest.Of("/Root 1 0 R/XRefStm 20", map[int]string{1: "1"}), pdf.ErrXRefStream},
		{"encrypted", pdftest.Of("/Root 1 0 R/Encrypt 1 0 R", map[int]string{1: "1"}), pdf.ErrEncrypted},
		{"encrypted, and hidden by an update", pdftest.Section(pdftest.Of("/Root 1 0 R/Encrypt 1 0 R", map[int]string{1: "1"}), fmt.Sprintf("/Root 1 0 R/Prev %d", pdftest.Table(pdftest.Of("/Root 1 0 R/Encrypt 1 0 R", map[int]string{1: "1"}))), map[int]string{2: "2"}), pdf.ErrEncrypted},
		{"a table before that is itself", pdftest.Section(page, fmt.Sprintf("/Root 1 0 R/Prev %d", pdftest.Table(pdftest.Section(page, "/Root 1 0 R/Prev 1", map[int]string{5: "5"}))), map[int]string{5: "5"}), pdf.ErrSyntax},
		{"a table before that is none", pdftest.Section(page, "/Root 1 0 R/Prev (x)", map[int]string{5: "5"}), pdf.ErrSyntax},
		{"too many objects", replaced("xref\n0 1", "xref\n0 9999999"), pdf.ErrSyntax},
		{"too large a number", replaced("xref\n0 1", "xref\n99999999 1"), pdf.ErrSyntax},
		{"an update", pdftest.Section(page, "/Root 1 0 R"+prev, map[int]string{5: "5"}), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := pdf.Read(c.data); !errors.Is(err, c.want) {
				t.Error(err)
			}
		})
	}
}

// An update beats what was before, leaves the rest, and the file before is its beginning.
func TestUpdate(t *testing.T) {
	f := read(t, pdftest.Page())
	u := f.Update()
	written := u.Reserve()
	u.SetWritten(written, []byte("(here)"))
	u.Set(pdf.Ref{Number: 3}, pdf.Dict{"Changed": pdf.Text("ұ𝄞")})
	added := u.Add(&pdf.Stream{Dict: pdf.Dict{"A#": pdf.Int(1)}, Data: []byte("\x00\r\n")})
	whole, at := u.Append([2]pdf.Raw{"<01>", "<02>"})
	if !bytes.HasPrefix(whole, f.Data) || !bytes.HasPrefix(whole[at[written]:], []byte("(here)")) {
		t.Error("its beginning, or what was written, is elsewhere")
	}
	g := read(t, whole)
	for r, want := range map[pdf.Ref]pdf.Value{
		{Number: 2}: pdf.Dict{
			"Type": pdf.Name("Pages"), "Kids": pdf.Array{pdf.Ref{Number: 3}}, "Count": pdf.Raw("1"),
			"MediaBox": pdf.Array{pdf.Raw("0"), pdf.Raw("0"), pdf.Raw("595"), pdf.Raw("842")},
		},
		{Number: 3}: pdf.Dict{"Changed": pdf.Raw("<feff04b1d834dd1e>")},
		added:       &pdf.Stream{Dict: pdf.Dict{"A#": pdf.Raw("1"), "Length": pdf.Raw("3")}, Data: []byte("\x00\r\n")},
		written:     pdf.Raw("(here)"),
		{Number: 9}: pdf.Null,
	} {
		if got, err := g.Object(r); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %#v, %v", r, got, err)
		}
	}
	if !reflect.DeepEqual(g.Trailer["ID"], pdf.Array{pdf.Raw("<01>"), pdf.Raw("<02>")}) || g.Trailer["Root"] != (pdf.Ref{Number: 1}) {
		t.Error(g.Trailer)
	}
}

// Objects that lie inside each other make a small file long to read.
func TestObjectsInside(t *testing.T) {
	const n = 3000
	var b, table strings.Builder
	b.WriteString("%PDF-1.7\n")
	for i := range n {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj (", i+1)
	}
	b.WriteString(strings.Repeat(") endobj ", n))
	at := b.Len()
	fmt.Fprintf(&b, "\nxref\n1 %d\n%strailer <</Root 1 0 R>>\nstartxref\n%d\n%%%%EOF", n, table.String(), at+1)
	f := read(t, []byte(b.String()))
	for r := range f.Objects() {
		if _, err := f.Object(r); err != nil {
			if !errors.Is(err, pdf.ErrSyntax) || r.Number < 5 || r.Number > 100 {
				t.Error(r, err)
			}
			return
		}
	}
	t.Error("all of it was read")
}

func FuzzRead(f *testing.F) {
	f.Add(pdftest.Page())
	f.Add(pdftest.Of("/Root 1 0 R", map[int]string{1: "<</Length 1 0 R/B(\\()/#41[<0>]>>stream\nx\nendstream"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := pdf.Read(data)
		if err != nil {
			return
		}
		u := file.Update()
		for r := range file.Objects() {
			if v, err := file.Object(r); err == nil {
				u.Set(r, pdf.Mapped(v, func(r pdf.Ref) pdf.Ref { return r }))
			}
		}
		whole, _ := u.Append([2]pdf.Raw{"<>", "<>"})
		if again, err := pdf.Read(whole); err != nil || again.Trailer["Root"] != file.Trailer["Root"] {
			t.Errorf("%v: %q", err, whole)
		}
	})
}
