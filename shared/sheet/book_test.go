package sheet_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/sheet"
)

// book is a workbook that a test takes apart: its parts by name.
type book map[string]string

const (
	rels  = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>`
	rel   = `<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`
	start = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	end   = `</sheetData></worksheet>`
)

// newBook is a workbook with these rows.
func newBook(rows string) book {
	return book{
		"_rels/.rels": fmt.Sprintf(rels, fmt.Sprintf(rel, "rId1", "officeDocument", "xl/workbook.xml")),
		"xl/workbook.xml": `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr/>` +
			`<sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": fmt.Sprintf(rels, fmt.Sprintf(rel, "rId1", "worksheet", "worksheets/sheet1.xml")+
			fmt.Sprintf(rel, "rId2", "sharedStrings", "/xl/sharedStrings.xml")+fmt.Sprintf(rel, "rId3", "styles", "styles.xml")),
		"xl/worksheets/sheet1.xml": start + rows + end,
		"xl/sharedStrings.xml":     `<sst><si><t>shared</t></si><si><r><t>ri</t></r><r><rPr><b/></rPr><t>ch</t></r><rPh sb="0" eb="1"><t>said</t></rPh></si><si><t/></si></sst>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-419]dd\.mm\.yyyy;@"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/></numFmts>` +
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/></cellXfs></styleSheet>`,
	}
}

func (b book) with(name, content string) book {
	b = maps.Clone(b)
	b[name] = content
	return b
}

func (b book) without(name string) book {
	b = maps.Clone(b)
	delete(b, name)
	return b
}

func (b book) replace(name, old, by string) book {
	return b.with(name, strings.ReplaceAll(b[name], old, by))
}

func (b book) bytes() []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestSpeed) })
	for _, name := range slices.Sorted(maps.Keys(b)) {
		head := &zip.FileHeader{Name: name}
		if len(b[name]) > 1<<16 {
			head.Method = zip.Deflate
		}
		part, err := w.CreateHeader(head)
		if err == nil {
			_, err = io.WriteString(part, b[name])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// shown is a table, or why there is none, in a form that is easy to compare.
func shown(t sheet.Table, err error) string {
	if err != nil {
		var e *sheet.Error
		if !errors.As(err, &e) {
			return fmt.Sprintf("not *sheet.Error: %v", err)
		}
		return e.Error()
	}
	lines := []string{strings.Join(t.Header, "|")}
	for _, row := range t.Rows {
		lines = append(lines, fmt.Sprintf("%d:%s", row.Number, strings.Join(row.Cells, "|")))
	}
	return strings.Join(lines, " / ")
}

func read(name string, data []byte) string { return shown(sheet.Read(name, "", data, sheet.Limits{})) }

type example struct{ name, in, want string }

func check(t *testing.T, name, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %.300s\nwant %.300s", name, got, want)
	}
}
