package clients_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	template = all + "import/template/"
	export   = all + "export/"
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// withFiles is an API with a bucket.
func withFiles(t *testing.T) *webtest.API {
	t.Helper()
	return webtest.Setup{Change: func(e *app.Env) { e.Files, e.Config.Languages = filestest.New(t), say.Languages() }}.New(t, clients.New, documents.New, settings.New).
		Join(webtest.Manager(1), webtest.Manager(2)) // who define custom fields
}

func upload(name, data string) webtest.Payload {
	contentType := "text/csv"
	if strings.HasSuffix(name, ".xlsx") {
		contentType = xlsxType
	}
	return webtest.Multipart(map[string]any{"file": webtest.File{Name: name, ContentType: contentType, Data: data}})
}

// book is an .xlsx file of texts.
func book(t *testing.T, rows ...[]string) string {
	t.Helper()
	var cells [][]sheet.Cell
	for _, row := range rows[1:] {
		var line []sheet.Cell
		for _, s := range row {
			line = append(line, sheet.Text(s))
		}
		cells = append(cells, line)
	}
	var b bytes.Buffer
	if err := sheet.Write(&b, sheet.XLSX, rows[0], cells); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestImportSheets(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(1))
	want := `{"data":[
		{"name":"Асель","phone":"+77011234567","email":null,"document_number":"012345678","issue_date":"2020-05-15","issue_date_end":null,
		 "birth_date":"2001-02-28","attraction_method":"Instagram","iin":"010228504562"},
		{"name":"Ерлан","phone":"+77017654321","email":null,"document_number":null,"issue_date":null,"issue_date_end":null,"birth_date":null,
		 "attraction_method":null,"iin":null}]}`
	// Zeros are lost where a number was typed; dates are as people write them; empty rows don't count.
	semicolons := "ФИО;ИИН;Телефон;Номер документа;Дата выдачи;Дата рождения;Источник;Заметки\r\n" +
		"Асель;10228504562;'+7 (701) 123-45-67;012345678;15.05.2020;28.02.2001;Instagram;x\r\n;;;;;;;\r\nЕрлан;;87017654321;;;;;\r\n"
	windows, err := charmap.Windows1251.NewEncoder().String(semicolons)
	if err != nil {
		t.Fatal(err)
	}
	const left = `,"ignored":["Заметки"],"similar":[],"warnings":[]}`
	for name, file := range map[string]webtest.Payload{
		"semicolons": upload("a.csv", semicolons),
		"commas":     upload("a.csv", "\ufeff"+strings.ReplaceAll(semicolons, ";", ",")),
		"windows":    upload("a.csv", windows),
		"workbook": upload("a.xlsx", book(t, strings.Split("ФИО;ИИН;Телефон;Номер документа;Дата выдачи;Дата рождения;Источник;Заметки", ";"),
			strings.Split("Асель;10228504562;77011234567;012345678;2020-05-15;36950;Instagram;x", ";"), make([]string, 8),
			strings.Split("Ерлан;;8 701 765 43 21;;;;;", ";"))),
	} {
		t.Run(name, func(t *testing.T) {
			c.In(t).Post(individuals+"?dry_run=true", file).Status(200).Writes(0).Calls(12).
				JSON(want[:len(want)-1] + `,"created":2,"attraction_methods":["Instagram"]` + left)
		})
	}
	c.Post(individuals, upload("a.csv", semicolons)).Status(201).JSON(want[:len(want)-1] + left).Calls(9)
	c.Get(all).Field("count", "2")

	// A larger file is uploaded first.
	const rows = "Name,Phone\nDana,+77010000001\n"
	u := filestest.Announce(c, "b.csv", "text/csv", len(rows))
	address := u.Text("file")
	c.Post(individuals, map[string]string{"file": address}).Status(400).JSON(`{"file":["No uploaded file has this address."]}`)
	filestest.Store(t, u, rows)
	c.Post(individuals, map[string]string{"file": address}).Status(201).Field("data.0.name", `"Dana"`)
	api.As(webtest.Owner(2)).Post(individuals, map[string]string{"file": address}).Status(400).
		JSON(`{"file":["No uploaded file has this address."]}`)
}

// TestTexts: a text stays as it was typed; only the numbers of a workbook are
// written in plain digits.
func TestTexts(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(1))
	rows := `<row><c t="inlineStr"><is><t>Name</t></is></c><c t="inlineStr"><is><t>Document number</t></is></c></row>` +
		`<row><c t="inlineStr"><is><t>A</t></is></c><c t="inlineStr"><is><t>12E4</t></is></c></row>` +
		`<row><c t="inlineStr"><is><t>B</t></is></c><c><v>1.2E4</v></c></row>`
	for name, file := range map[string]webtest.Payload{
		"csv":      upload("a.csv", "Name,Document number\nA,12E4\nB,12000\nC,007.0\nD,1.0\n"),
		"texts":    upload("a.xlsx", book(t, []string{"Name", "Document number"}, []string{"A", "12E4"}, []string{"B", "12000"}, []string{"C", "007.0"})),
		"workbook": upload("a.xlsx", workbook(t, strings.NewReader(rows))),
	} {
		a := c.Post(individuals+"?dry_run=true", file).Status(200).Field("data.0.document_number", `"12E4"`).
			Field("data.1.document_number", `"12000"`)
		if name != "workbook" {
			a.Field("data.2.document_number", `"007.0"`)
		}
	}
}

// TestLibreOffice imports a workbook that LibreOffice made, of testdata/libreoffice.fods:
//
//	soffice --headless --convert-to xlsx libreoffice.fods
//
// Its second person's name and date are formulas, and the IIN is a number that
// is shown with the zero at its front.
func TestLibreOffice(t *testing.T) {
	data, err := os.ReadFile("testdata/libreoffice.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	api := withFiles(t)
	api.As(webtest.Employee(1)).Post(individuals, upload("Клиенты.xlsx", string(data))).Status(201).JSON(`{"data":[
		{"name":"Асель Қасымова","phone":"+77011234567","email":"assel@example.com","document_number":"012345678","issue_date":null,
		 "issue_date_end":null,"birth_date":"2001-02-28","attraction_method":null,"iin":"010228504562"},
		{"name":"Ерлан Ахметов","phone":"+77017654321","email":null,"document_number":"45678901","issue_date":null,
		 "issue_date_end":null,"birth_date":"2002-04-03","attraction_method":null,"iin":"020403500106"}],"ignored":[],"similar":[],"warnings":[]}`)
}

// TestWrongCells: each error tells its cell.
func TestWrongCells(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Manager(1))
	c.Post("/v1/crm/settings/custom_fields_list/", `{"key":"client","name":"passport","label":"Паспорт","type":"integer","required":true}`).
		Status(201)
	c.Post(individuals, upload("a.csv", "Name,IIN,Паспорт,Type\nA,850515300016,7,\n\n,850515300016,x,legal\nB,1,,Individual\n")).Status(400).JSON(`{
		"data":[{},
			{"name":["This field is required."],"iin":["This value is also in row 2."],"extra":{"passport":["A valid integer is required."]},
			 "type":["This row is of another type than the import, which is of the type individual."]},
			{"iin":["Enter a valid IIN: 12 digits with a real date of birth and a matching control digit."],"extra":{"passport":["This field is required."]}}],
		"errors":[
			{"row":4,"column":"A","title":"Name","field":"name","cell":"","code":"required","message":"This field is required."},
			{"row":4,"column":"B","title":"IIN","field":"iin","cell":"850515300016","code":"not_unique","message":"This value is also in row 2."},
			{"row":4,"column":"C","title":"Паспорт","field":"extra.passport","cell":"x","code":"invalid_integer","message":"A valid integer is required."},
			{"row":4,"column":"D","title":"Type","field":"type","cell":"legal","code":"client_row_of_other_type","message":"This row is of another type than the import, which is of the type individual."},
			{"row":5,"column":"B","title":"IIN","field":"iin","cell":"1","code":"invalid_iin","message":"Enter a valid IIN: 12 digits with a real date of birth and a matching control digit."},
			{"row":5,"column":"C","title":"Паспорт","field":"extra.passport","cell":"","code":"required","message":"This field is required."}]
		,"taken_by":[{"row":4,"field":"iin","id":null,"same_as_row":2}]}`)
	c.Post(individuals, upload("a.csv", "Name,IIN\nA,\n")).Status(400).
		Field("errors", `[{"row":2,"column":null,"title":"Паспорт","field":"extra.passport","cell":null,"code":"required","message":"This field is required."}]`)
	c.Post(individuals, upload("a.csv", "Name,Паспорт\nA,007\n")).Status(201).Field("data.0.extra", `{"passport":7}`)
	many := "Name,IIN\n" + strings.Repeat("A,\n", 1001)
	for data, want := range map[string]string{
		"Phone,Email\n1,2\n":    `{"file":["Each row needs name, and no column is called that. Add it, or use the template. The headers are: \"Phone\", \"Email\"."],"headers":["Phone","Email"]}`,
		"Name,IIN,ИИН\nA,1,2\n": `{"file":["Columns B and C both are iin."]}`,
		"Name,IIN\n":            `{"data":{"non_field_errors":["This list may not be empty."]}}`,
		"Name,IIN\nA,1,2\n":     `{"file":["Row 2, column C: There is no header above this cell."],"row":2,"column":"C"}`,
		"Name,,Phone\nA,x,1\n":  `{"file":["Row 2, column B: There is no header above this cell."],"row":2,"column":"B"}`,
		"Name,IIN\nA\x00,1\n":   `{"file":["Row 2, column A: The cell has a character that is no text: '\\x00'."],"row":2,"column":"A"}`,
		"Name\nA\n":             `{"file":["<any>"],"row":1}`,
		"\n\n":                  `{"file":["The file is empty."]}`,
		many:                    `{"data":{"non_field_errors":["Ensure this field has no more than 1000 elements."]}}`,
	} {
		c.Post(individuals, upload("a.csv", data)).Status(400).JSON(want)
	}
}

// deflated is a zip of parts, as large as they say.
func deflated(t *testing.T, parts map[string]io.Reader) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	for name, from := range parts {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.Copy(w, from)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// workbook is an .xlsx file around the rows of a sheet.
func workbook(t *testing.T, rows io.Reader) string {
	t.Helper()
	const ns = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	const rel = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	const types = `http://schemas.openxmlformats.org/package/2006/`
	text := func(s string) io.Reader { return strings.NewReader(`<?xml version="1.0" encoding="UTF-8"?>` + s) }
	return deflated(t, map[string]io.Reader{
		"[Content_Types].xml": text(`<Types xmlns="` + types + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`),
		"_rels/.rels":                text(`<Relationships xmlns="` + types + `relationships"><Relationship Id="rId1" Type="` + rel + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`),
		"xl/workbook.xml":            text(`<workbook ` + ns + ` xmlns:r="` + rel + `"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>`),
		"xl/_rels/workbook.xml.rels": text(`<Relationships xmlns="` + types + `relationships"><Relationship Id="rId1" Type="` + rel + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`),
		"xl/worksheets/sheet1.xml":   io.MultiReader(text(`<worksheet `+ns+`><sheetData>`), rows, strings.NewReader(`</sheetData></worksheet>`)),
	})
}

// repeated is a text n times.
func repeated(s string, n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		for range n {
			if _, err := io.WriteString(w, s); err != nil {
				return
			}
		}
		_ = w.Close()
	}()
	return r
}

// TestHostileSheets: what is no sheet of ours is a clear 400, and costs little
// memory, whatever it unpacks to.
func TestHostileSheets(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(1))
	header := `<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="inlineStr"><is><t>IIN</t></is></c></row>`
	cell := func(s string) io.Reader {
		return strings.NewReader(header + `<row r="2"><c r="A2" t="inlineStr"><is><t>` + s + `</t></is></c></row>`)
	}
	good := workbook(t, cell("A"))
	c.Post(individuals+"?dry_run=1", upload("a.xlsx", good)).Status(200).Field("data.0.name", `"A"`)
	for name, file := range map[string]webtest.Payload{
		"bomb of one cell":     upload("a.xlsx", workbook(t, io.MultiReader(strings.NewReader(header+`<row r="2"><c r="A2" t="inlineStr"><is><t>`), repeated(strings.Repeat("x", 1<<20), 1<<10), strings.NewReader(`</t></is></c></row>`)))),
		"a million empty rows": upload("a.xlsx", workbook(t, io.MultiReader(strings.NewReader(header), repeated(`<row><c/></row>`, 1_000_000)))),
		"a million full rows":  upload("a.xlsx", workbook(t, io.MultiReader(strings.NewReader(header), repeated(`<row><c t="inlineStr"><is><t>A</t></is></c></row>`, 1_000_000)))),
		"a long cell":          upload("a.xlsx", workbook(t, cell(strings.Repeat("x", 10<<20)))),
		"broken XML":           upload("a.xlsx", workbook(t, strings.NewReader(header+`<row r="2"><c r="A2" t="inl`))),
		"a formula":            upload("a.xlsx", workbook(t, strings.NewReader(header+`<row r="2"><c r="A2"><f>1+1</f></c></row>`))),
		"a cut zip":            upload("a.xlsx", good[:len(good)/2]),
		"no zip":               upload("a.xlsx", "Name,IIN\nA,\n"),
		"a workbook as text":   upload("a.csv", good),
		"a picture":            upload("a.csv", "\x89PNG\r\n\x1a\n\x00\x00"),
		"another extension":    upload("a.pdf", "Name,IIN\nA,\n"),
		"a long text":          upload("a.csv", "Name,IIN\n"+strings.Repeat("x", 3<<20)+",\n"),
		"an open quote":        upload("a.csv", "Name,IIN\n\"A,\n"),
		"nothing":              upload("a.csv", ""),
		"a text for a file":    webtest.Multipart(map[string]any{"file": "a.csv"}),
		"no file":              webtest.Multipart(map[string]any{"name": "a.csv"}),
		"many columns":         upload("a.csv", "Name"+strings.Repeat(",x", 300)+"\nA\n"),
	} {
		t.Run(name, func(t *testing.T) {
			peak := watched(func() { c.In(t).Post(individuals, file).Status(400).Writes(0).NotContain("goroutine", "EOF") })
			if peak > 128<<20 {
				t.Errorf("took %d MB", peak>>20)
			}
		})
	}
	c.Get(all).Field("count", "0")
}

// watched is how much more memory than before was in use at the most while
// something was done.
func watched(do func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // as a function has it
	runtime.GC()
	use := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most, done := use(), atomic.Uint64{}, make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
				most.Store(max(most.Load(), use()))
			}
		}
	}()
	do()
	close(done)
	return max(most.Load(), before) - before
}

// noise is a text that does not compress well.
func noise(random *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."[random.IntN(64)]
	}
	return string(b)
}

// TestLargeSheet: a workbook of 4 MB, which is as much as a request may bring,
// is imported in bounded memory.
func TestLargeSheet(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(1))
	random := rand.New(rand.NewPCG(1, 2))
	rows := [][]string{{"Name", "IIN", "Notes"}}
	for i, iin := range iins(1000) {
		rows = append(rows, []string{fmt.Sprintf("Client %d", i), iin, noise(random, 5000)})
	}
	file := upload("a.xlsx", book(t, rows...))
	if len(file.Data) < 7<<19 || len(file.Data) > 4<<20 {
		t.Fatalf("the workbook has %d bytes", len(file.Data))
	}
	peak := watched(func() { c.Post(individuals, file).Status(201).Calls(30) })
	t.Logf("a workbook of %d KB took %d MB", len(file.Data)>>10, peak>>20)
	if peak > 256<<20 {
		t.Error("which is too much")
	}
	c.Get(all).Field("count", "1000")
}
