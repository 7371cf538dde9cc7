package sheet_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"github.com/tenantry/tenantry/shared/sheet"
)

func utf16le(s string) string {
	var b bytes.Buffer
	for _, u := range utf16.Encode([]rune(s)) {
		b.Write([]byte{byte(u), byte(u >> 8)})
	}
	return b.String()
}

func utf16be(s string) string {
	var b bytes.Buffer
	for _, u := range utf16.Encode([]rune(s)) {
		b.Write([]byte{byte(u >> 8), byte(u)})
	}
	return b.String()
}

func encoded(t *testing.T, m *charmap.Charmap, s string) string {
	t.Helper()
	out, err := m.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCSV(t *testing.T) {
	const (
		russian  = "Имя;ИИН;Адрес\r\nИван Ёлкин;850515300016;г. Алматы, ул. «Абая» № 5 — кв. 7\r\n"
		wantText = "Имя|ИИН|Адрес / 2:Иван Ёлкин|850515300016|г. Алматы, ул. «Абая» № 5 — кв. 7"
		noText   = "The text cannot be read: save the file as CSV in UTF-8."
	)
	wide := strings.Repeat("a,", 16383) + "a"
	for _, c := range []example{
		{"commas", "a,b\n1,2\n", "a|b / 2:1|2"},
		{"semicolons", "a;b\n1,5;2\n", "a|b / 2:1,5|2"},
		{"tabs", "a\tb\n1,5\t2;3", "a|b / 2:1,5|2;3"},
		{"more of one", "a,b;c;d\n1;2;3", "a,b|c|d / 2:1|2|3"},
		{"as many of both", "a,b;c\n1;2", "a,b|c / 2:1|2"},
		{"separators in quotes", "\"a;b;c\",d\n1,2", "a;b;c|d / 2:1|2"},
		{"separators of empty lines", ";;;\n\na;b\n1;2", "a|b / 4:1|2"},
		{"one that is said", "sep=,\r\na;b;c,d\r\n1,2\r\n", "a;b;c|d / 2:1|2"},
		{"one that is said alone", "sep=;", "sep="},
		{"one that can't be", "sep=x\n1", "sep=x / 2:1"},
		{"one column", "a\n1\n2", "a / 2:1 / 3:2"},
		{"header alone", "a;b", "a|b"},
		{"CR", "a;b\r1;2\r3;4\r", "a|b / 2:1|2 / 3:3|4"},
		{"empty rows", "\r\n\r\na;b\r\n;\r\n \t;  \r\n1;2\r\n\r\n;;;;\r\n3;4\r\n\r\n", "a|b / 6:1|2 / 9:3|4"},
		{"short rows", "a;b;c\n1\n;2", "a|b|c / 2:1|| / 3:|2|"},
		{"quotes", "a;b\n\"x;\"\"y\"\"\";\"\"\n", "a|b / 2:x;\"y\"|"},
		{"lines within cells", "a;b\n\"1\r\n2\n3\";4\n5;6\n\"x\ny\";\"z\n\n\"\n7;8", "a|b / 2:1\n2\n3|4 / 3:5|6 / 4:x\ny|z\n\n / 5:7|8"},
		{"spaces", " a ; b\n 1 ;2", "a|b / 2: 1 |2"},
		{"apostrophes before signs", "a;b\n'+77011234567;'=1+1\n", "a|b / 2:+77011234567|=1+1"},
		{"other apostrophes", "a;b\n'x;O'Neil\n", "a|b / 2:'x|O'Neil"},
		{"trailing separators", "a;b;;;\n1;2;;;\n", "a|b / 2:1|2"},
		{"16,384 columns without names", "a" + strings.Repeat(",", 16383) + "\n1\n", "a / 2:1"},

		{"cell without a header", "a;b\n1;2;3\n", "Row 2, column C: There is no header above this cell."},
		{"cell under a blank header", "a; ;b\n1;;2\n1;x;2\n", "Row 3, column B: There is no header above this cell."},
		{"cell under the first header, blank", ";a;b\nx;1;2\n", "Row 2, column A: There is no header above this cell."},
		{"cells under two blank headers and past the last", "a;;;b\n1;;x;2;y\n", "Row 2, column C: There is no header above this cell."},
		{"cell after lines within cells", "a;b\n\"1\n2\";3\n4;5;6\n", "Row 3, column C: There is no header above this cell."},
		{"no closing quote", "a;b\n1;2\n\"3;4\n5;6\n", "Row 3: A cell in quotes has no closing quote, or something behind it."},
		{"text behind a quote", "a;b\n\"1\"x;2\n", "Row 2: A cell in quotes has no closing quote, or something behind it."},
		{"quote within", "a;b\nТОО \"Рога\";2\n", "Row 2: A quote stands within a cell that is not in quotes: put the cell in quotes, and double the quotes within."},
		{"quote after lines within cells", "a;b\n\"1\n\n2\";3\nx\"y;2\n", "Row 3: A quote stands within a cell that is not in quotes: put the cell in quotes, and double the quotes within."},
		{"NUL", "a;b\n1;2\n3;\x00\n", `Row 3, column B: The cell has a character that is no text: '\x00'.`},
		{"NUL in the header", "a\x00;b\n", `Row 1, column A: The cell has a character that is no text: '\x00'.`},
		{"control character", "a;b\n\x1b[31m;2\n", `Row 2, column A: The cell has a character that is no text: '\x1b'.`},
		{"replacement character", "a;b\n\uFFFD;2\n", `Row 2, column A: The cell has a character that is no text: '\ufffd'.`},
		{"longest cell", "a;b\n" + strings.Repeat("я", 32767) + ";2\n", "a|b / 2:" + strings.Repeat("я", 32767) + "|2"},
		{"too long a cell", "a;b\n1;" + strings.Repeat("я", 32768) + "\n", "Row 2, column B: The cell is longer than 32767 characters."},
		{"far too long a cell", "a;b\n1;" + strings.Repeat("я", 1<<20) + "\n", "Row 2, column B: The cell is longer than 32767 characters."},
		{"closing quote far away", "a;b\n1;\"" + strings.Repeat("x\n", 1<<20), "Row 2, column B: The cell is longer than 32767 characters, or lacks its closing quote."},
		{"too long a row", "a\n" + strings.Repeat(strings.Repeat("x", 90_000)+",", 50), "Row 2: The row is longer than 4 MB."},
		{"101 columns", strings.Repeat("a,", 100) + "a", "Row 1, column CW: There are more than 100 columns."},
		{"16,384 columns", wide, "Row 1, column XFD: There are more than 100 columns."},
		{"16,385 columns", wide + ",\n", "Row 1: There are more than 16384 columns."},
		{"a million columns, with lines between", strings.Repeat("\"\n\",", 1<<20), "Row 1: There are more than 16384 columns."},
		{"empty", "", "The file is empty."},
		{"only lines", "\n\n\r\n", "The file is empty."},
		{"only separators", ";;;\n;;;", "The file is empty."},
		{"a byte order mark alone", "\uFEFF", "The file is empty."},
		{"many empty rows", "a;b\n" + strings.Repeat(";\n", 100_000), "Row 100001: There are more than 100000 rows, most of them empty: delete the empty ones."},
		{"1,001 rows", "a\n" + strings.Repeat("1\n", 1001), "There are more than 1000 rows."},
		{"100 columns of long texts", "a" + strings.Repeat(",a", 99) + "\n" + strings.Repeat(strings.Repeat(strings.Repeat("x", 32767)+",", 99)+"x\n", 11), "Row 12: The texts up to here have more than 32 MB."},

		{"UTF-8", russian, wantText},
		{"UTF-8 with its mark", "\uFEFF" + russian, wantText},
		{"UTF-8 with its mark and a quote", "\uFEFF\"a\";b\n", "a|b"},
		{"UTF-16, little end first", "\xFF\xFE" + utf16le(russian), wantText},
		{"UTF-16, big end first", "\xFE\xFF" + utf16be(russian), wantText},
		{"UTF-16 with an emoji", "\xFF\xFE" + utf16le("😀;b"), "😀|b"},
		{"UTF-16 cut off", "\xFF\xFE" + utf16le("a;b") + "x", `Row 1, column B: The cell has a character that is no text: '\ufffd'.`},
		{"UTF-16 with half a character", "\xFF\xFEa\x00\x00\xD8", `Row 1, column A: The cell has a character that is no text: '\ufffd'.`},
		{"UTF-16 without its mark", utf16le("a;b"), `Row 1, column A: The cell has a character that is no text: '\x00'.`},
		{"windows-1251", encoded(t, charmap.Windows1251, russian), wantText},
		{"windows-1251 in capitals", encoded(t, charmap.Windows1251, "ИМЯ;АДРЕС\nИВАН;АЛМАТЫ"), "ИМЯ|АДРЕС / 2:ИВАН|АЛМАТЫ"},
		{"code page 866", encoded(t, charmap.CodePage866, "Имя;Адрес\nИван;Алматы"), noText},
		{"KOI8-R", encoded(t, charmap.KOI8R, "Имя;Адрес\nИван;Алматы"), noText},
		{"UTF-8 broken, with its mark", "\uFEFFa;\xff", noText},
		{"no character of windows-1251", "Имя\x98", noText},
		{"UTF-32", "\x00\x00\xFE\xFF\x00\x00\x00a", `Row 1, column A: The cell has a character that is no text: '\x00'.`},
		{"an image", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x80\x90\xa0\xb0\x81\x82", noText},
	} {
		check(t, c.name, read("a.csv", []byte(c.in)), c.want)
	}
}

func TestDetect(t *testing.T) {
	workbook := newBook(header).bytes()
	ole := "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + strings.Repeat("\x00", 504)
	text := []byte("h\n")
	const (
		other     = "Files of this type are not read: send an .xlsx or .csv file."
		isNoText  = "The file is not text, but a workbook or an archive: if it is a workbook, name it .xlsx."
		isNoBook  = "The file is no workbook, whatever its name says: if it is text, name it .csv."
		oldExcel  = "The file is a file of an old Excel: save it as .xlsx or .csv."
		protected = "The file is protected by a password: save it without one."
		excel     = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	)
	for _, c := range []struct {
		name, contentType string
		data              []byte
		want              string
	}{
		{"a.xlsx", "", workbook, "h"},
		{"A.XLSX", "text/csv", workbook, "h"},
		{"a.csv", "application/vnd.ms-excel", text, "h"},
		{"", "", workbook, "h"},
		{"", "", text, "h"},
		{"data", "application/octet-stream", workbook, "h"},
		{"data", "application/octet-stream", text, "h"},
		{"", excel, workbook, "h"},
		{"", "text/csv; charset=utf-8", text, "h"},
		{"a.csv", "", workbook, isNoText},
		{"a.xlsx", "", text, isNoBook},
		{"", excel, text, isNoBook},
		{"", "text/csv", workbook, isNoText},
		{"a.xls", "", workbook, other},
		{"a.xlsm", "", workbook, other},
		{"a.ods", "", workbook, other},
		{"a.csv.exe", "", text, other},
		{"", "image/png", text, other},
		{"a.xlsx", "", nil, "The file is empty."},
		{"a.xlsx", "", []byte(ole), oldExcel},
		{"a.csv", "", []byte(ole), oldExcel},
		{"a.xlsx", "", []byte(ole + utf16le("EncryptedPackage")), protected},
		{"a.csv", "", []byte("%PDF-1.7\n"), "The file is a PDF file: save it as .xlsx or .csv."},
		{"a.xlsx", "", []byte("\uFEFF\n <html><table>"), "The file is HTML or XML: save it as .xlsx or .csv."},
		{"a.xlsx", "", []byte("PK\x03\x04"), "The workbook is broken (its end is missing, or it is no .xlsx file): open it and save it again."},
		{"a.xlsx", "", []byte("PK\x05\x06" + strings.Repeat("\x00", 18)), isNoBook},
	} {
		check(t, c.name+" "+c.contentType, shown(sheet.Read(c.name, c.contentType, c.data, sheet.Limits{})), c.want)
	}
}

func TestColumnName(t *testing.T) {
	for column, want := range map[int]string{0: "", 1: "A", 26: "Z", 27: "AA", 52: "AZ", 702: "ZZ", 703: "AAA", 16384: "XFD"} {
		if got := sheet.ColumnName(column); got != want {
			t.Errorf("%d is %s, want %s", column, got, want)
		}
	}
}
