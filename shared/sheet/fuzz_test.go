package sheet_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/sheet"
)

// holds checks what is true of whatever is read.
func holds(t *testing.T, table sheet.Table, err error) {
	t.Helper()
	var known *sheet.Error
	if err != nil {
		if !errors.As(err, &known) || known.Text == "" || known.Row < 0 || known.Column < 0 || known.Column > 0 && known.Row == 0 {
			t.Fatalf("%#v", err)
		}
		return
	}
	if len(table.Header) == 0 || len(table.Header) > 100 || len(table.Rows) > 1000 {
		t.Fatalf("%d columns, %d rows", len(table.Header), len(table.Rows))
	}
	before := 0
	for _, row := range table.Rows {
		if row.Number <= before || len(row.Cells) != len(table.Header) || strings.TrimSpace(strings.Join(row.Cells, "")) == "" {
			t.Fatalf("row %d after %d: %q under %q", row.Number, before, row.Cells, table.Header)
		}
		before = row.Number
		if joined := strings.Join(row.Cells, ""); strings.ContainsAny(joined, "\x00\x1b\uFFFD") {
			t.Fatalf("%q", joined)
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"a;b\n1;2\n", "\"a\nb\",c\r\n", "\xFF\xFEa\x00;\x00", "\xC8\xEC\xFF;\xC0\n", "sep=\t\na\tb", "a\r1\r", "'=1,-2\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := sheet.Read("a.csv", "", data, sheet.Limits{})
		holds(t, table, err)
	})
}

func FuzzXLSX(f *testing.F) {
	b := newBook("")
	f.Add(
		header+`<row r="3"><c r="B3" t="s"><v>0</v></c><c s="3"><v>45351</v></c></row>`, b["xl/sharedStrings.xml"], b["xl/styles.xml"],
		b["xl/workbook.xml"],
	)
	f.Add(`<row><c t="inlineStr"><is><r><t>a</t></r></is></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c><f>1</f></c></row>`, "<sst/>", "<styleSheet/>", b["xl/workbook.xml"])
	f.Fuzz(func(t *testing.T, rows, shared, styles, workbook string) {
		b := newBook(rows).with("xl/sharedStrings.xml", shared).with("xl/styles.xml", styles).with("xl/workbook.xml", workbook)
		table, err := sheet.Read("a.xlsx", "", b.bytes(), sheet.Limits{})
		holds(t, table, err)
	})
}

func FuzzZip(f *testing.F) {
	f.Add(newBook(header).bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := sheet.Read("a.xlsx", "", data, sheet.Limits{})
		holds(t, table, err)
	})
}
