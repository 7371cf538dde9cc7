package sheet_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/shared/sheet"
)

func written(t *testing.T, format sheet.Format, header []string, rows ...[]sheet.Cell) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := sheet.Write(&out, format, header, rows); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// dangerous are texts that some program could take for a formula, each with
// what stands in a CSV file for it.
var dangerous = map[string]string{
	"=1+1":                        "'=1+1",
	"+77011234567":                "'+77011234567",
	"-1+1":                        "'-1+1",
	"@SUM(A1)":                    "'@SUM(A1)",
	"\t=1":                        "'\t'=1",
	"\n=1":                        "'\n'=1",
	" =1":                         " '=1",
	"\u00a0=1":                    "\u00a0'=1",
	"＝1":                          "'＝1",
	"＋1":                          "'＋1",
	"－1":                          "'－1",
	"＠a":                          "'＠a",
	"'=1":                         "''=1",
	"''=1":                        "'''=1",
	"\"=1":                        "\"'=1",
	"a;=1":                        "a;'=1",
	"a; \"=cmd|' /C calc'!A0\";b": "a; \"'=cmd|' /C calc'!A0\";b",
	"a\n@b":                       "a\n'@b",
	"==1":                         "'==1",
	"'":                           "'",
	"'x":                          "'x",
	"a=b":                         "a=b",
	"a, -b":                       "a, -b",
	"O'-Neil":                     "O'-Neil",
	"it's; '":                     "it's; '",
	"":                            "",
}

func TestNoFormulas(t *testing.T) {
	for in, want := range dangerous {
		data := written(t, sheet.CSV, []string{"x", "h"}, []sheet.Cell{sheet.Text("x"), sheet.Text(in)})
		r := csv.NewReader(bytes.NewReader(bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\uFEFF")), []byte("\r\n"), []byte("\n"))))
		cells, err := r.ReadAll()
		if err != nil || cells[1][1] != strings.ReplaceAll(want, "\r\n", "\n") {
			t.Errorf("%q is %q in CSV, %v, want %q", in, cells, err, want)
		}
		// A program that is set up for semicolons or tabs, and one that knows no quotes.
		for _, comma := range ";\t" {
			for _, cell := range strings.FieldsFunc(string(data), func(r rune) bool { return r == comma || r == '\n' || r == '\r' }) {
				if cell = strings.TrimLeft(cell, "\" \u00a0\uFEFF"); cell != "" && strings.ContainsAny(cell[:1], "=+-@") {
					t.Errorf("%q gives the cell %q between %q", in, cell, comma)
				}
			}
		}
		book := written(t, sheet.XLSX, []string{"x", "h"}, []sheet.Cell{sheet.Text("x"), sheet.Text(in)})
		for format, data := range map[string][]byte{"a.csv": data, "a.xlsx": book} {
			table, err := sheet.Read(format, "", data, sheet.Limits{})
			if err != nil || len(table.Rows) != 1 || strings.TrimSpace(in) != "" && table.Rows[0].Cells[1] != in {
				t.Errorf("%s: %q came back as %q", format, in, shown(table, err))
			}
		}
	}
}

func TestCSVBytes(t *testing.T) {
	got := written(
		t, sheet.CSV, []string{"имя", "=x"},
		[]sheet.Cell{sheet.Text("a,\"b\""), sheet.Number("-10.50")},
		[]sheet.Cell{sheet.Date("2024-02-29"), {}},
		[]sheet.Cell{sheet.Number("=1"), sheet.Date("=1")},
		[]sheet.Cell{sheet.Text("\xff"), sheet.Text("\r=1")},
		[]sheet.Cell{sheet.Text("a\r\nb\rc\nd")},
	)
	want := "\uFEFFимя,'=x\r\n\"a,\"\"b\"\"\",-10.50\r\n2024-02-29,\r\n'=1,'=1\r\n\uFFFD,\"'\r\n'=1\"\r\n\"a\r\nb\r\nc\r\nd\"\r\n"
	if string(got) != want {
		t.Errorf("got %q", got)
	}
}

// Another program reads what we write.
func TestExcelReads(t *testing.T) {
	header := []string{"name", "amount", "born", "=x"}
	long := strings.Repeat("я", 32768)
	data := written(
		t, sheet.XLSX, header,
		[]sheet.Cell{sheet.Text(" <a> & \"b\"\t_x0041_ "), sheet.Number("-10.50"), sheet.Date("2024-02-29"), sheet.Text("=1+1")},
		[]sheet.Cell{sheet.Text("+77011234567"), sheet.Number("850515300016"), sheet.Date("1899-12-31"), {}},
		[]sheet.Cell{{}, sheet.Number("x"), sheet.Date("9999-12-31"), sheet.Text("a\nb\x01")},
		[]sheet.Cell{sheet.Text(long), sheet.Number("1234567890123456"), sheet.Date("0001-01-01")},
		[]sheet.Cell{sheet.Moment("2026-03-02 14:30:59"), sheet.Moment("9999-12-31 23:59:59"), sheet.Moment("1899-12-31 00:00:01"), sheet.Moment("soon")},
	)
	f, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := f.GetRows("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		header,
		{" <a> & \"b\"\t_x0041_ ", "-10.5", "2024-02-29", "=1+1"},
		{"+77011234567", "850515300016", "1899-12-31"},
		{"", "x", "9999-12-31", "a\nb "},
		{long[:2*32766] + "…", "1234567890123456", "0001-01-01"},
		{"2026-03-02 14:30:59", "9999-12-31 23:59:59", "1899-12-31 00:00:01", "soon"},
	}
	rows[1][1] = strings.TrimSuffix(rows[1][1], "0") // Excel shows no zeros
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got %.500q", rows)
	}
	for cell, want := range map[string]excelize.CellType{
		"B2": excelize.CellTypeUnset, "D2": excelize.CellTypeInlineString, "A3": excelize.CellTypeInlineString,
	} {
		if kind, err := f.GetCellType("Sheet1", cell); err != nil || kind != want {
			t.Errorf("%s is of type %v, %v", cell, kind, err)
		}
	}
	for _, cell := range []string{"D1", "D2", "A3"} {
		if formula, err := f.GetCellFormula("Sheet1", cell); err != nil || formula != "" {
			t.Errorf("%s has the formula %q, %v", cell, formula, err)
		}
	}
	style, err := f.GetCellStyle("Sheet1", "A1")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := f.GetStyle(style); err != nil || !s.Font.Bold {
		t.Errorf("the header's style is %+v, %v", s, err)
	}
	if width, err := f.GetColWidth("Sheet1", "A"); err != nil || width <= float64(len("2026-03-02 14:30:59")) { // else it is shown as ####
		t.Errorf("the width of A is %v, %v", width, err)
	}
}

// We read what another program writes.
func TestExcelWrites(t *testing.T) {
	f := excelize.NewFile()
	if _, err := f.NewSheet("Second"); err != nil {
		t.Fatal(err)
	}
	date, err := f.NewStyle(&excelize.Style{NumFmt: 14})
	if err != nil {
		t.Fatal(err)
	}
	for cell, value := range map[string]any{
		"A1": "name", "B1": "born", "C1": "amount", "D1": "yes",
		"A2": "Иван", "B2": 45351, "C2": 5.1, "D2": true,
		"A4": "+77011234567", "C4": 850515300016,
	} {
		if err := f.SetCellValue("Sheet1", cell, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.SetCellStyle("Sheet1", "B2", "B4", date), f.SetSheetVisible("Sheet1", true)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	check(t, "excelize", read("a.xlsx", out.Bytes()), "name|born|amount|yes / 2:Иван|2024-02-29|5.1|true / 4:+77011234567||850515300016|")
}

func TestRoundTrip(t *testing.T) {
	text := rapid.StringMatching(`[ -~а-яА-Я＝＋\t\n;,'"=+@_x0-9\-]{0,12}[a-zа-я=]`)
	rapid.Check(t, func(r *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(text, 3, 3), 1, 5).Draw(r, "rows")
		var cells [][]sheet.Cell
		for _, row := range rows {
			cells = append(cells, []sheet.Cell{sheet.Text(row[0]), sheet.Text(row[1]), sheet.Text(row[2])})
		}
		for _, format := range []sheet.Format{sheet.XLSX, sheet.CSV} {
			var out bytes.Buffer
			if err := sheet.Write(&out, format, []string{"a", "b", "c"}, cells); err != nil {
				r.Fatal(err)
			}
			table, err := sheet.Read("", format.ContentType(), out.Bytes(), sheet.Limits{MinColumns: 3})
			if err != nil {
				r.Fatal(err)
			}
			var got [][]string
			for _, row := range table.Rows {
				got = append(got, row.Cells)
			}
			if !reflect.DeepEqual(got, rows) {
				r.Fatalf("%s: %q came back as %q", format, rows, got)
			}
		}
	})
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestWriterErrors(t *testing.T) {
	if _, err := sheet.NewWriter(io.Discard, "ods", nil); err == nil {
		t.Error("a format that is not known")
	}
	for _, format := range []sheet.Format{sheet.XLSX, sheet.CSV} {
		w, err := sheet.NewWriter(io.Discard, format, []string{"a"})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Row(make([]sheet.Cell, 2)); err == nil {
			t.Error("a row is wider than its header")
		}
		whole := len(written(t, format, []string{"a"}, []sheet.Cell{sheet.Text("b")}))
		for after := 0; after < whole; after += 1 + whole/50 {
			err := sheet.Write(&failing{after}, format, []string{"a"}, [][]sheet.Cell{{sheet.Text("b")}})
			if !errors.Is(err, io.ErrShortWrite) {
				t.Fatalf("%s: %v after %d of %d bytes", format, err, after, whole)
			}
		}
	}
}
