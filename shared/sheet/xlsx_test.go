package sheet_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/sheet"
)

// header makes a column of what is tried.
const header = `<row r="1"><c r="A1" t="inlineStr"><is><t>h</t></is></c></row>`

func TestCells(t *testing.T) {
	for _, c := range []example{
		{"shared text", `<c t="s"><v>0</v></c>`, "shared"},
		{"rich text", `<c t="s"><v> 1 </v></c>`, "rich"},
		{"inline text", `<c t="inlineStr"><is><t xml:space="preserve"> a &amp; b </t></is></c>`, " a & b "},
		{"rich inline text", `<c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r><rPh><t>c</t></rPh></is></c>`, "ab"},
		{"CDATA", `<c t="str"><v><![CDATA[<a>]]>b</v></c>`, "<a>b"},
		{"comment", `<c t="str"><v>a<!-- c -->b</v></c>`, "ab"},
		{"another prefix", `<x:c xmlns:x="y" t="str"><x:v>a</x:v></x:c>`, "a"},
		{"spelled characters", `<c t="str"><v>a_x000D__x000a_b_x005F_x0041_</v></c>`, "a\r\nb_x0041_"},
		{"spelled NUL", `<c t="str"><v>_x0000_</v></c>`, `Row 2, column A: The cell has a character that is no text: '\x00'.`},
		{"half a character", `<c t="str"><v>_xD83D_</v></c>`, `Row 2, column A: The cell has a character that is no text: '\ufffd'.`},
		{"emoji", `<c t="str"><v>😀</v></c>`, "😀"},

		{"formula with its value", `<c t="str"><f>HYPERLINK("x")</f><v>a</v></c>`, "a"},
		{"formula with a number", `<c><f>1+1</f><v>2</v></c>`, "2"},
		{"formula with nothing", `<c t="str"><f>""</f><v></v></c><c><v>1</v></c>`, "Row 2, column B: There is no header above this cell."},
		{"formula without its value", `<c><f>1+1</f></c>`, "Row 2, column A: The cell has a formula whose value was not saved: open the file in Excel and save it, or type the value."},
		{"formula with an empty value", `<c><f>1+1</f><v></v></c>`, "Row 2, column A: The cell has a formula whose value was not saved: open the file in Excel and save it, or type the value."},
		{"error", `<c t="e"><v>#REF!</v></c>`, "Row 2, column A: The cell holds the error #REF!."},
		{"error of a formula", `<c t="e"><f>1/0</f><v>#DIV/0!</v></c>`, "Row 2, column A: The cell holds the error #DIV/0!."},
		{"true", `<c t="b"><v>1</v></c>`, "true"},
		{"false", `<c t="b"><v>0</v></c>`, "false"},

		{"number", `<c><v>5</v></c>`, "5"},
		{"iin", `<c t="n"><v>850515300016</v></c>`, "850515300016"},
		{"iin with an exponent", `<c><v>8.50515300016E+11</v></c>`, "850515300016"},
		{"phone with an exponent", `<c><v>7.7011234567E10</v></c>`, "77011234567"},
		{"noise of a float", `<c><v>5.0999999999999996</v></c>`, "5.1"},
		{"sum of floats", `<c><v>0.30000000000000004</v></c>`, "0.3"},
		{"negative", `<c><v>-10.5</v></c>`, "-10.5"},
		{"more digits than a float has", `<c><v>12345678901234567890</v></c>`, "12345678901234567890"},
		{"small", `<c><v>1E-3</v></c>`, "0.001"},
		{"no number", `<c><v>x</v></c>`, "The workbook is broken (a number in row 2 is none): open it and save it again."},
		{"hexadecimal", `<c><v>0x10</v></c>`, "The workbook is broken (a number in row 2 is none): open it and save it again."},
		{"beyond floats", `<c><v>1E999</v></c>`, "The workbook is broken (a number in row 2 is none): open it and save it again."},
		{"not a number", `<c><v>NaN</v></c>`, "The workbook is broken (a number in row 2 is none): open it and save it again."},

		{"date", `<c s="1"><v>45351</v></c>`, "2024-02-29"},
		{"date of an own format", `<c s="3"><v>36526</v></c>`, "2000-01-01"},
		{"date before the leap day", `<c s="1"><v>59</v></c>`, "1900-02-28"},
		{"the first date", `<c s="1"><v>1</v></c>`, "1900-01-01"},
		{"date after the leap day", `<c s="1"><v>61</v></c>`, "1900-03-01"},
		{"the last date", `<c s="1"><v>2958465</v></c>`, "9999-12-31"},
		{"date with a time that is not shown", `<c s="1"><v>45351.75</v></c>`, "2024-02-29"},
		{"date and time", `<c s="2"><v>45351.75</v></c>`, "2024-02-29 18:00:00"},
		{"date and midnight", `<c s="2"><v>45351</v></c>`, "2024-02-29"},
		{"noise of a time", `<c s="2"><v>45351.749999999993</v></c>`, "2024-02-29 18:00:00"},
		{"time", `<c s="5"><v>0.5</v></c>`, "12:00:00"},
		{"two days", `<c s="5"><v>2</v></c>`, "48:00:00"},
		{"leap day that never was", `<c s="1"><v>60</v></c>`, "Row 2, column A: The cell shows a date, and its number 60 is none."},
		{"day 0", `<c s="1"><v>0</v></c>`, "Row 2, column A: The cell shows a date, and its number 0 is none."},
		{"negative date", `<c s="1"><v>-1</v></c>`, "Row 2, column A: The cell shows a date, and its number -1 is none."},
		{"date after all", `<c s="1"><v>2958466</v></c>`, "Row 2, column A: The cell shows a date, and its number 2958466 is none."},
		{"date of 13 digits", `<c s="1"><v>8505153000160</v></c>`, "Row 2, column A: The cell shows a date, and its number 8505153000160 is none."},
		{"days in a text of the format", `<c s="4"><v>3</v></c>`, "3"},
		{"style that is not there", `<c s="99"><v>3</v></c>`, "3"},
		{"ISO date", `<c t="d"><v>2024-02-29T00:00:00</v></c>`, "2024-02-29"},
		{"ISO date and time", `<c t="d"><v>2024-02-29T18:00:00</v></c>`, "2024-02-29 18:00:00"},

		{"apostrophe before a sign", `<c t="str"><v>'+77011234567</v></c>`, "+77011234567"},
		{"no such shared text", `<c t="s"><v>9</v></c>`, "The workbook is broken (a cell refers to a text that is not there): open it and save it again."},
		{"negative shared text", `<c t="s"><v>-1</v></c>`, "The workbook is broken (a cell refers to a text that is not there): open it and save it again."},
		{"longest text", `<c t="str"><v>` + strings.Repeat("я", 32767) + `</v></c>`, strings.Repeat("я", 32767)},
		{"too long a text", `<c t="str"><v>` + strings.Repeat("я", 32768) + `</v></c>`, "Row 2, column A: The cell is longer than 32767 characters."},
	} {
		want := c.want
		if !strings.HasPrefix(want, "Row ") && !strings.HasPrefix(want, "The workbook ") {
			want = "h / 2:" + want
		}
		check(t, c.name, read("a.xlsx", newBook(header+`<row r="2">`+c.in+`</row>`).bytes()), want)
	}
}

func TestDateSystemOf1904(t *testing.T) {
	b := newBook(header+`<row><c s="1"><v>0</v></c></row><row><c s="1"><v>43889</v></c></row>`).
		replace("xl/workbook.xml", "<workbookPr/>", `<workbookPr date1904="1"/>`)
	check(t, "1904", read("a.xlsx", b.bytes()), "h / 2:1904-01-01 / 3:2024-02-29")
	b = b.replace("xl/worksheets/sheet1.xml", "43889", "2957004")
	check(t, "after all", read("a.xlsx", b.bytes()), "Row 3, column A: The cell shows a date, and its number 2957004 is none.")
}

func TestFormats(t *testing.T) {
	for format, want := range map[string]string{
		"General": "1.5", "0.00": "1.5", "@": "1.5", "#,##0.00_);[Red](#,##0.00)": "1.5", `0.00" дней"`: "1.5", `#,##0\ "₸"`: "1.5", `0.00E+00`: "1.5",
		`[$$-409]#,##0.00`: "1.5", "[Magenta]0": "1.5", `0\d`: "1.5", `_d0_d`: "1.5", "[>1]0": "1.5", `0;"d"`: "1.5", "0;yyyy": "1.5", `"open`: "1.5", "[open": "1.5", `\`: "1.5", "General;mm": "1.5",
		"yyyy-mm-dd": "1900-01-01", "DD/MM/YYYY": "1900-01-01", `dd\.mm\.yyyy`: "1900-01-01", "mmm": "1900-01-01", `[$-FC19]dd\ mmmm\ yyyy\ \г\.;@`: "1900-01-01", "d": "1900-01-01",
		"yyyy-mm-dd hh:mm": "1900-01-01 12:00:00", "h:mm AM/PM": "36:00:00", "[h]:mm": "36:00:00", "mm:ss.0": "36:00:00", "[ss]": "36:00:00",
	} {
		b := newBook(header+`<row><c s="0"><v>1.5</v></c></row>`).with("xl/styles.xml",
			`<styleSheet><numFmts><numFmt numFmtId="200" formatCode="`+strings.ReplaceAll(format, `"`, "&quot;")+`"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`)
		check(t, format, read("a.xlsx", b.bytes()), "h / 2:"+want)
	}
	for id, want := range map[string]string{
		"0": "1.5", "13": "1.5", "14": "1900-01-01", "17": "1900-01-01", "18": "36:00:00", "21": "36:00:00", "22": "1900-01-01 12:00:00", "23": "1.5", "30": "1900-01-01",
		"37": "1.5", "45": "36:00:00", "47": "36:00:00", "49": "1.5", "56": "36:00:00", "58": "1900-01-01", "x": "1.5", "": "1.5",
	} {
		b := newBook(header+`<row><c s="0"><v>1.5</v></c></row>`).
			with("xl/styles.xml", `<styleSheet><cellXfs><xf numFmtId="`+id+`"/></cellXfs></styleSheet>`)
		check(t, "format "+id, read("a.xlsx", b.bytes()), "h / 2:"+want)
	}
}

// What a number format shows beside a number is kept, and nothing else of it.
func TestBesideNumbers(t *testing.T) {
	for format, want := range map[string]string{
		"0.00": "", "#,##0.00_);[Red](#,##0.00)": "", `0.00" дней"`: "дней", `#,##0\ "₸"`: "₸", `#,##0\ \₸`: "₸", `[$$-409]#,##0.00`: "$", `[$€]0`: "€", "[Magenta]0": "",
		`_-* #,##0.00\ [$₽-419]_-;-* #,##0.00\ [$€-419]_-`: "₽", "$0": "$", `"open`: "open", "[$open": "open", `\`: "\\", "_": "", "yyyy": "", "0%": "", `"` + strings.Repeat("ж", 99) + `"0`: strings.Repeat("ж", 99),
	} {
		b := newBook(header+`<row><c s="0"><v>1.5</v></c></row>`).with("xl/styles.xml",
			`<styleSheet><numFmts><numFmt numFmtId="200" formatCode="`+strings.ReplaceAll(format, `"`, "&quot;")+`"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`)
		table, err := sheet.Read("a.xlsx", "", b.bytes(), sheet.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Rows[0].Beside[0]; got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}

func TestSheets(t *testing.T) {
	two := newBook(header).with("xl/worksheets/sheet2.xml", start+`<row><c t="str"><v>second</v></c></row>`+end).
		replace("xl/_rels/workbook.xml.rels", "</Relationships>", `<Relationship Id="rId9" Type="x/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`).
		replace("xl/workbook.xml", "</sheets>", `<sheet name="B" sheetId="2" r:id="rId9"/></sheets>`)
	for _, c := range []struct {
		name string
		in   book
		want string
	}{
		{"no rows", newBook(""), "The file is empty."},
		{"header alone", newBook(header), "h"},
		{"empty rows and cells", newBook(`<row r="1"/><row r="3"><c r="A3" s="1"/><c r="B3" t="s"><v>2</v></c></row><row r="4"><c r="B4" t="s"><v>0</v></c><c r="XFD4" s="1"/></row>` +
			`<row r="9"><c r="B9"><v>1</v></c></row><row r="1048576"><c t="str"><v> </v></c></row>`), "|shared / 9:|1"},
		{"rows and cells without a reference", newBook(`<row><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row><row><c><v>1</v></c></row><row/><row><c/><c><v>2</v></c></row>`), "a|b / 2:1| / 4:|2"},
		{"header in spaces", newBook(`<row><c t="str"><v> a </v></c></row>`), "a"},
		{
			"cell under a blank header", newBook(`<row><c r="A1"><v>1</v></c><c r="C1"><v>3</v></c></row><row><c r="B2"><v>1</v></c></row>`),
			"Row 2, column B: There is no header above this cell.",
		},
		{"cell without a header", newBook(header + `<row><c r="C2"><v>1</v></c></row>`), "Row 2, column C: There is no header above this cell."},
		{"column 100", newBook(`<row><c r="CV1"><v>1</v></c></row>`), strings.Repeat("|", 99) + "1"},
		{"column 101", newBook(`<row><c r="CW1"><v>1</v></c></row>`), "Row 1, column CW: There are more than 100 columns."},
		{"column 16,384 in each row", newBook(strings.Repeat(`<row>`+strings.Repeat(`<c s="1"/>`, 16383)+`<c><v>1</v></c></row>`, 2)), "Row 1, column XFD: There are more than 100 columns."},
		{"column 16,385", newBook(`<row><c r="XFE1"><v>1</v></c></row>`), "The workbook is broken (the cells of row 1 are out of order): open it and save it again."},
		{"column of many letters", newBook(`<row><c r="` + strings.Repeat("A", 100) + `1"><v>1</v></c></row>`), "The workbook is broken (the cells of row 1 are out of order): open it and save it again."},
		{"row 1,048,577", newBook(`<row r="1048577"/>`), "The workbook is broken (its rows are out of order): open it and save it again."},
		{"rows out of order", newBook(`<row r="2"/><row r="1"/>`), "The workbook is broken (its rows are out of order): open it and save it again."},
		{"row 0", newBook(`<row r="0"/>`), "The workbook is broken (its rows are out of order): open it and save it again."},
		{"cells out of order", newBook(`<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>`), "The workbook is broken (the cells of row 1 are out of order): open it and save it again."},
		{"small letters", newBook(`<row><c r="a1"><v>1</v></c></row>`), "The workbook is broken (the cells of row 1 are out of order): open it and save it again."},

		{"first of two", two, "h"},
		{"first is hidden", two.replace("xl/workbook.xml", `name="A"`, `name="A" state="hidden"`), "second"},
		{"first is very hidden", two.replace("xl/workbook.xml", `name="A"`, `name="A" state="veryHidden"`), "second"},
		{"first is empty", two.with("xl/worksheets/sheet1.xml", start+`<row r="3"><c t="str"><v> </v></c></row>`+end), "second"},
		{"both are empty", two.with("xl/worksheets/sheet1.xml", start+end).with("xl/worksheets/sheet2.xml", start+end), "The file is empty."},
		{"first is a chart", two.replace("xl/_rels/workbook.xml.rels", `Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"`, `Id="rId1" Type="x/chartsheet"`), "second"},
		{"all hidden", two.replace("xl/workbook.xml", `name=`, `state="hidden" name=`), "The workbook has no visible sheet."},
		{"no shared texts", newBook(header).without("xl/sharedStrings.xml"), "h"},
		{"shared texts missing", newBook(`<row><c t="s"><v>0</v></c></row>`).without("xl/sharedStrings.xml"), "The workbook is broken (it has no xl/sharedStrings.xml): open it and save it again."},
		{"shared texts not named", newBook(`<row><c t="s"><v>0</v></c></row>`).replace("xl/_rels/workbook.xml.rels", "sharedStrings", "x"), "The workbook is broken (it has no shared texts): open it and save it again."},
		{"no styles", newBook(header).replace("xl/_rels/workbook.xml.rels", "/styles", "/x"), "h"},
		{"names in other letters", newBook(header).without("xl/workbook.xml").with("xl/Workbook.xml", newBook("")["xl/workbook.xml"]), "h"},
		{"a document", newBook(header).replace("_rels/.rels", "xl/workbook.xml", "word/document.xml").with("word/document.xml", "<document/>"), "The workbook has no visible sheet."},
		{"a binary workbook", newBook(header).replace("_rels/.rels", "xl/workbook.xml", "xl/workbook.bin"), "The file is no .xlsx workbook: save it as .xlsx or .csv."},
		{"an OpenDocument", book{"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"}, "The file is an OpenDocument: save it as .xlsx or .csv."},
		{"an archive", book{"a.txt": "a"}, "The file is no .xlsx workbook: save it as .xlsx or .csv."},
		{"an outside target", newBook(header).replace("xl/_rels/workbook.xml.rels", `Target="worksheets`, `TargetMode="External" Target="http://a/worksheets`), "The workbook has no visible sheet."},
		{"a target above", newBook(header).replace("xl/_rels/workbook.xml.rels", `"worksheets/`, `"../../../xl/worksheets/`), "h"},
	} {
		check(t, c.name, read("a.xlsx", c.in.bytes()), c.want)
	}
}

func TestRowLimit(t *testing.T) {
	rows := header + strings.Repeat(`<row><c><v>1</v></c></row>`, 1000)
	if table, err := sheet.Read("a.xlsx", "", newBook(rows).bytes(), sheet.Limits{}); err != nil || len(table.Rows) != 1000 ||
		table.Rows[999].Number != 1001 {
		t.Errorf("%d rows, %v", len(table.Rows), err)
	}
	check(t, "1,001", read("a.xlsx", newBook(rows+`<row><c><v>1</v></c></row>`).bytes()), "There are more than 1000 rows.")
	limits := sheet.Limits{Rows: 1, Columns: 1, MinColumns: 1}
	check(
		t, "of the caller",
		shown(sheet.Read("a.xlsx", "", newBook(header+`<row><c><v>1</v></c></row><row><c><v>1</v></c></row>`).bytes(), limits)),
		"There are more than 1 rows.",
	)
	check(
		t, "columns of the caller", shown(sheet.Read("a.xlsx", "", newBook(`<row><c><v>1</v></c><c><v>1</v></c></row>`).bytes(), limits)),
		"Row 1, column B: There are more than 1 columns.",
	)
	limits.Columns, limits.MinColumns = 2, 2
	check(t, "too few columns", shown(sheet.Read("a.xlsx", "", newBook(header).bytes(), limits)),
		"Row 1: The header has 1 of at least 2 columns.")
	check(t, "too few columns of text", shown(sheet.Read("a.csv", "", []byte("a\n1\n"), limits)),
		"Row 1: The header has 1 of at least 2 columns: separate columns by commas, semicolons or tabs.")
}

// Rows of one cell above the headers are titles. A file of such rows alone has no headers.
func TestTitles(t *testing.T) {
	one, wide := `<row><c t="str"><v>Clients</v></c></row>`, `<row><c r="C%d" t="str"><v>Clients</v></c></row>`
	rows := `<row><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row><row><c><v>1</v></c></row>`
	short := "Row 1: The header has 1 of at least 2 columns."
	limits := sheet.Limits{MinColumns: 2}
	for _, c := range []example{
		{"a title", one + rows, "a|b / 3:1|"},
		{"one in the middle, and an empty row", fmt.Sprintf(wide, 1) + `<row/>` + rows, "a|b / 4:1|"},
		{"five", strings.Repeat(one, 5) + rows, "a|b / 7:1|"},
		{"six", strings.Repeat(one, 6) + rows, short},
		{"nothing else", one, short},
	} {
		check(t, c.name, shown(sheet.Read("a.xlsx", "", newBook(c.in).bytes(), limits)), c.want)
	}
	separators := short[:len(short)-1] + ": separate columns by commas, semicolons or tabs."
	for _, c := range []example{
		{"a title with its separators", "Clients;\n;\na;b\n1;\n", "a|b / 4:1|"},
		{"another separator than these", "a|b\n1,5|2\n", separators},
	} {
		check(t, c.name, shown(sheet.Read("a.csv", "", []byte(c.in), limits)), c.want)
	}
}

// No cut of a workbook is taken for a whole one.
func TestCutOff(t *testing.T) {
	whole := newBook(header + `<row><c t="s"><v>0</v></c></row>`).bytes()
	for n := range len(whole) {
		if table, err := sheet.Read("a.xlsx", "", whole[:n], sheet.Limits{}); err == nil {
			t.Fatalf("cut at %d of %d: %v", n, len(whole), table)
		}
	}
	for _, part := range []string{"xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml", "xl/workbook.xml", "_rels/.rels"} {
		b := newBook(header + `<row><c t="s"><v>0</v></c></row>`)
		for n := range len(b[part]) {
			if table, err := sheet.Read("a.xlsx", "", b.with(part, b[part][:n]).bytes(), sheet.Limits{}); err == nil {
				t.Fatalf("%s cut at %d: %v", part, n, table)
			}
		}
	}
}

// A changed byte is found by the zip's checksum, wherever it is.
func TestCorrupted(t *testing.T) {
	whole := newBook(header).bytes()
	at := bytes.Index(whole, []byte("xl/worksheets/sheet1.xml")) + len("xl/worksheets/sheet1.xml")
	whole[at+20] ^= 0x55
	if got := read("a.xlsx", whole); !strings.Contains(got, "broken") {
		t.Error(got)
	}
	locked := newBook(header).bytes()
	directory := bytes.Index(locked, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint16(locked[directory+8:], 1)
	check(t, "an encrypted part", read("a.xlsx", locked), "The file is protected by a password: save it without one.")
}
