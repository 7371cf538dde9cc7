package sheet_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/sheet"
)

const (
	tooMuch   = "The workbook unpacks to far more than it should: save the sheet alone as a new file."
	notWhole  = "The workbook is broken (xl/worksheets/sheet1.xml is not well-formed): open it and save it again."
	longToken = "The workbook is broken (a text in it is too long): open it and save it again."
	longCell  = "Row 2, column A: The cell is longer than 32767 characters."
	emptyRows = "Row 100001: There are more than 100000 rows, most of them empty: delete the empty ones."
	maxMemory = 256 << 20
)

// noise is text that hardly shrinks; it repeats itself, but too late for zip.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, min(n, 1<<20))
	for i := range out {
		out[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_#"[r.IntN(64)]
	}
	return strings.Repeat(string(out), n/len(out)+1)[:n]
}

// numbered repeats a text with a number in it that is different each time.
func numbered(n int, format string) string {
	before, after, _ := strings.Cut(format, "%d")
	var b []byte
	for i := range n {
		b = append(b, before...)
		b = strconv.AppendInt(b, int64(i+2), 10)
		b = append(b, after...)
	}
	return string(b)
}

// filled is a table with texts that hardly shrink.
func filled(t *testing.T, format sheet.Format, rows, columns, length int) []byte {
	t.Helper()
	text := noise(rows * columns * length)
	header := make([]string, columns)
	for i := range header {
		header[i] = fmt.Sprintf("column %d", i+1)
	}
	all := make([][]sheet.Cell, rows)
	for i := range all {
		for range columns {
			all[i] = append(all[i], sheet.Text(text[:length]))
			text = text[length:]
		}
	}
	return written(t, format, header, all...)
}

// sizeOf changes the unpacked size that a workbook says a part has.
func sizeOf(data []byte, part string, size uint32) []byte {
	at := bytes.LastIndex(data, []byte(part)) // in the directory
	binary.LittleEndian.PutUint32(data[at-46+24:], size)
	return data
}

func hostile(t *testing.T) map[string]struct {
	data []byte
	want string
} {
	t.Helper()
	const part = "xl/worksheets/sheet1.xml"
	cell := func(text string) book {
		return newBook(header + `<row r="2"><c r="A2" t="inlineStr"><is><t>` + text + `</t></is></c></row>`)
	}
	many := newBook(header)
	for i := range 2100 {
		many[fmt.Sprintf("xl/media/%d.png", i)] = ""
	}
	shared := newBook(header + `<row r="2"><c t="s"><v>1</v></c></row>`)
	long := strings.Repeat("0123456789", 3276)
	megabyte := strings.Repeat(" ", 1<<20)
	return map[string]struct {
		data []byte
		want string
	}{
		"a bomb":                            {newBook(header + strings.Repeat(megabyte, 50)).bytes(), tooMuch},
		"a bomb among what is not read":     {newBook(header).with("xl/media/1.png", strings.Repeat(megabyte, 50)).bytes(), tooMuch},
		"a bomb that says it is small":      {sizeOf(newBook(header+strings.Repeat(megabyte, 50)).bytes(), part, 100), notWhole},
		"a bomb that says it is 4 GB":       {sizeOf(newBook(header).bytes(), part, 1<<32-1), tooMuch},
		"many parts":                        {many.bytes(), tooMuch},
		"deep":                              {newBook(header + strings.Repeat("<a>", 1<<20)).bytes(), tooMuch},
		"deep in a cell":                    {newBook(header + "<row><c>" + strings.Repeat("<is>", 100)).bytes(), tooMuch},
		"entities that double":              {newBook(header).replace(part, "<worksheet", `<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><worksheet`).replace(part, ">h<", ">&b;<").bytes(), "The workbook is broken (xl/worksheets/sheet1.xml has a document type): open it and save it again."},
		"an entity that reads a file":       {newBook(header).replace(part, "<worksheet", `<!DOCTYPE x SYSTEM "file:///etc/passwd"><worksheet`).bytes(), "The workbook is broken (xl/worksheets/sheet1.xml has a document type): open it and save it again."},
		"an entity that is not there":       {newBook(header).replace(part, ">h<", ">&a;<").bytes(), notWhole},
		"a million empty rows":              {newBook(header + numbered(1_000_000, `<row r="%d" s="1"/>`)).bytes(), emptyRows},
		"many rows of empty cells":          {newBook(header + numbered(110_000, `<row r="%d"><c s="1"/><c s="1"/></row>`)).bytes(), emptyRows},
		"16,384 empty columns in each row":  {newBook(header + strings.Repeat(`<row>`+numbered(16_384, `<c s="%d"/>`)+`</row>`, 31)).bytes(), tooMuch},
		"a cell of 10 MB":                   {cell(noise(10 << 20)).bytes(), longCell},
		"a cell of 500 KB in pieces":        {cell(strings.ReplaceAll(noise(1<<19), "#", "<!-- -->")).bytes(), longCell},
		"a shared text of 500 KB":           {shared.replace("xl/sharedStrings.xml", "ri", noise(1<<19)).bytes(), longCell},
		"a shared text of 500 KB in pieces": {shared.replace("xl/sharedStrings.xml", "<r><t>ri</t></r>", "<r><t>"+strings.ReplaceAll(noise(1<<19), "#", "</t></r><r><t>")+"</t></r>").bytes(), longCell},
		"a shared text of nobody":           {shared.replace("xl/sharedStrings.xml", "shared", noise(1<<19)).bytes(), longToken},
		"a number of 500 KB":                {newBook(header + "<row><c><v>1" + noise(1<<19) + "</v></c></row>").bytes(), longCell},
		"an attribute of 500 KB":            {newBook(header + `<row x="` + noise(1<<19) + `"/>`).bytes(), longToken},
		"a comment of 500 KB":               {newBook(header + "<!--" + strings.ReplaceAll(noise(1<<19), "#", "<") + "-->").bytes(), longToken},
		"a name of 500 KB":                  {newBook("<a" + strings.ReplaceAll(noise(1<<19), "#", "_") + "/>").bytes(), longToken},
		"a long text in each of many":       {newBook(strings.Repeat(`<row>`+numbered(100, `<c t="s" s="%d"><v>0</v></c>`)+`</row>`, 20)).replace("xl/sharedStrings.xml", "shared", long).bytes(), "Row 11: The texts up to here have more than 32 MB."},
		"50,000 shared texts":               {shared.replace("xl/sharedStrings.xml", "</sst>", numbered(50_000, "<si><t>%d</t></si>")+"</sst>").bytes(), ""},
		"50,000 styles":                     {newBook(header).replace("xl/styles.xml", "</cellXfs>", numbered(50_000, `<xf numFmtId="%d"/>`)+"</cellXfs>").bytes(), ""},
		"a sheet that is another part":      {newBook(header).replace("xl/_rels/workbook.xml.rels", "worksheets/sheet1.xml", "_rels/workbook.xml.rels").bytes(), "The file is empty."},
		"another encoding":                  {newBook(header).replace(part, "<worksheet", `<?xml version="1.0" encoding="UTF-7"?><worksheet`).bytes(), notWhole},
		"no UTF-8":                          {newBook(header).replace(part, ">h<", ">\xff<").bytes(), notWhole},
		"tags that cross":                   {newBook(header).replace(part, "</is></c>", "</c></is>").bytes(), notWhole},
		"NUL":                               {newBook(header).replace(part, ">h<", ">\x00<").bytes(), notWhole},
		"NUL by number":                     {newBook(header).replace(part, ">h<", ">&#0;<").bytes(), notWhole},

		"CSV: a quote that never closes":  {[]byte("a,b\n1,\"" + noise(4<<20)), "Row 2, column B: The cell is longer than 32767 characters, or lacks its closing quote."},
		"CSV: one line":                   {[]byte(noise(4 << 20)), "Row 1, column A: The cell is longer than 32767 characters."},
		"CSV: commas alone":               {bytes.Repeat([]byte(","), 25<<20), "Row 1: There are more than 16384 columns."},
		"CSV: lines alone":                {bytes.Repeat([]byte("\n"), 4<<20), emptyRows},
		"CSV: quotes alone":               {bytes.Repeat([]byte(`"`), 4<<20), "Row 1, column A: The cell is longer than 32767 characters."},
		"CSV: two columns of empty rows":  {bytes.Repeat([]byte(",\n"), 2<<20), emptyRows},
		"CSV: 16,384 columns in each row": {bytes.Repeat(append(bytes.Repeat([]byte(","), 16383), '\n'), 250), "The file is empty."},

		"good table, 4 MB":            {filled(t, sheet.XLSX, 1000, 20, 240), ""},
		"good table, 4 MB, CSV":       {filled(t, sheet.CSV, 1000, 20, 205), ""},
		"good sheet, 2 MB of a photo": {newBook(header).with("xl/media/1.png", noise(2<<20)).bytes(), ""},
	}
}

// outcome is what came of a file.
type outcome struct {
	Name   string
	Text   string
	Rows   int
	Memory uint64 // what the process had from the system by then, at most
	Took   time.Duration
}

// TestHostile reads the files in a process of its own, whose memory is then
// only what reading took.
func TestHostile(t *testing.T) {
	if folder := os.Getenv("SHEET_FOLDER"); folder != "" {
		readAll(t, folder)
		return
	}
	folder, files := t.TempDir(), hostile(t)
	for name, c := range files {
		ending := ".xlsx"
		if !bytes.HasPrefix(c.data, []byte("PK")) {
			ending = ".csv"
		}
		if err := os.WriteFile(filepath.Join(folder, name+ending), c.data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostile$")
	child.Env = append(os.Environ(), "SHEET_FOLDER="+folder, "GOGC=", "GOMEMLIMIT=")
	out, err := child.Output()
	if err != nil {
		t.Fatalf("%v: %.500s", err, out)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	for range files {
		var got outcome
		if err := dec.Decode(&got); err != nil {
			t.Fatalf("%v: %.500s", err, out)
		}
		c := files[got.Name]
		t.Logf("%s, %d KB: %d MB, %v", got.Name, len(c.data)>>10, got.Memory>>20, got.Took.Round(time.Millisecond))
		if got.Memory > maxMemory {
			t.Errorf("%s: it took %d MB", got.Name, got.Memory>>20)
		}
		if c.want == "" && got.Text != "" || !strings.Contains(got.Text, c.want) {
			t.Errorf("%s: got %.300q, want %q", got.Name, got.Text, c.want)
		}
		if strings.HasPrefix(got.Name, "good table") && got.Rows != 1000 {
			t.Errorf("%s: %d rows", got.Name, got.Rows)
		}
	}
}

// readAll tells what comes of each file, the small ones first.
func readAll(t *testing.T, folder string) {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	size := func(e os.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	slices.SortFunc(list, func(a, b os.DirEntry) int { return cmp.Compare(size(a), size(b)) })
	for _, file := range list {
		data, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		table, err := sheet.Read(file.Name(), "", data, sheet.Limits{})
		got := outcome{Name: strings.TrimSuffix(file.Name(), filepath.Ext(file.Name())), Took: time.Since(began), Rows: len(table.Rows)}
		if err != nil {
			got.Text = shown(table, err)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		got.Memory = m.Sys
		if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
			t.Fatal(err)
		}
	}
}
