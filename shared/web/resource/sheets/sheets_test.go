package sheets_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"
	"github.com/xuri/excelize/v2"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
	"github.com/tenantry/tenantry/shared/web/resource/sheets"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// made is the answer about a thing of company 1.
func made(id int, rest string) string {
	return fmt.Sprintf(`{"id":%d,"created_at":%q,"tenant":1,%s}`, id, "2026-03-02T09:30:00Z", rest)
}

// book is an .xlsx file of texts.
func book(t *testing.T, rows ...string) string {
	t.Helper()
	var cells [][]sheet.Cell
	for _, row := range rows[1:] {
		var line []sheet.Cell
		for s := range strings.SplitSeq(row, "|") {
			line = append(line, sheet.Text(s))
		}
		cells = append(cells, line)
	}
	var b bytes.Buffer
	if err := sheet.Write(&b, sheet.XLSX, strings.Split(rows[0], "|"), cells); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The columns and the resource alone make an import: of JSON, of a CSV file and of a
// workbook, shown first and then made.
func TestImport(t *testing.T) {
	ladder := `"name":"Ladder","sku":"000123","tag":"02/03/2020","count":3,"price":"1500.50","rented":true,"bought":"2024-02-29","state":"used","shelf":1,` +
		`"extra":{"colour":"01/01/1066","weight":"2.5","checked":"2024-02-29"}`
	rope := `"name":"Rope","sku":null,"tag":null,"count":0,"price":null,"rented":false,"bought":null,"state":"new","shelf":null,"extra":{}`
	rows := []string{
		"Название|артикул|TAG|Count|Цена|Сдаётся|Bought|State|shelf|Цвет|Weight|extra.checked|Notes",
		"Ladder|123|02/03/2020|3.0|1500,5|да|29.02.2024|Second Hand|1|01/01/1066|2,5|45351|x",
		"Rope|||0|||||||||",
	}
	for name, body := range map[string]any{
		"JSON": `{"data":[{"name":" Ladder ","sku":"000123","tag":"02/03/2020","count":"3","price":1500.5,"rented":true,"bought":"2024-02-29","state":"used","shelf":1,
			"extra":{"colour":"01/01/1066","weight":"2.5","checked":"2024-02-29"},"id":7},{"name":"Rope","count":0}]}`,
		"CSV":      upload("a.csv", strings.ReplaceAll(strings.Join(rows, "\n"), "|", ";")),
		"workbook": upload("a.xlsx", book(t, rows...)),
	} {
		t.Run(name, func(t *testing.T) {
			api := newStockAPI(t)
			c := api.As(webtest.Employee(1))
			left := `,"ignored":` + map[bool]string{true: `["id"]`, false: `["Notes"]`}[name == "JSON"] + `,"similar":[],"warnings":[]`
			// Definitions, the shelf, and the unique values that others may have.
			c.Post(imported+"?dry_run", body).Status(200).Writes(0).Calls(4).
				JSON(`{"data":[` + made(0, ladder) + `,` + made(0, rope) + `],"created":2` + left + `}`)
			c.Get(all).Field("count", "0")
			// Definitions, the shelf, numbers, and two transactions.
			c.Post(imported, body).Status(201).Calls(5).JSON(`{"data":[`+made(1, ladder)+`,`+made(2, rope)+`]`+left+`}`).
				NoHeader("Location", "ETag")
			for range 2 { // before and after the worker has been there
				c.Get(all).Status(200).Field("count", "2").Field("results.1", made(1, ladder)).Field("results.0", made(2, rope))
				c.Get(all+"1/").Status(200).JSON(made(1, ladder)).Header("ETag", `"1"`)
				api.Clock.Step(time.Minute)
				api.Deliver()
			}
			api.As(webtest.Employee(2)).Get(all).Field("count", "0")
			api.As(webtest.ReadOnly(1)).Post(imported, body).Status(403)
		})
	}
}

// What is wrong with each row is told at once, in step with the rows and by its cell,
// and nothing is made.
func TestRefused(t *testing.T) {
	api := newStockAPI(t)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Here","count":1,"sku":"000001","tag":"t"}`).Status(201)
	rows := []string{
		"Name|SKU|Tag|Count|Price|Rented|Bought|State|Shelf number|Цвет|Weight|Checked",
		"|1234|x|many|cheap|perhaps|02/03/2020|broken|99|red|heavy|1.2.1066",
		"A|000001||1||||||||",
		"B|1234|t|0||yes||||||",
		"C|1|x|1|||||1|||soon",
	}
	want := []string{
		`{"name":["This field is required."],"count":["A valid integer is required."],"price":["A valid number is required."],"rented":["Must be a valid boolean."],
			"bought":["Write the date as 2020-05-15 or 15.05.2020: here it is not clear which number is the day."],"state":["\"broken\" is not a valid choice. Write one of these: Rent, Used."],
			"shelf":["Invalid pk \"99\" - object does not exist."],
			"extra":{"weight":["A valid number is required."],"checked":["The year of a date is one of 1900 to 2100."]}}`,
		`{"sku":["This field must be unique."]}`,
		`{"sku":["This value is also in row %d."],"tag":["This field must be unique."],"rented":["There is none."]}`,
		`{"tag":["This value is also in row %d."],"extra":{"checked":["Write the date as 2020-05-15 or 15.05.2020."]}}`,
	}
	inStep := func(first int) string {
		return "[" + strings.ReplaceAll(strings.Join(want, ","), "%d", fmt.Sprint(first)) + "]"
	}
	cells := []string{
		"2 A name", "2 D count", "2 E price", "2 F rented", "2 G bought", "2 H state", "2 I shelf", "2 K extra.weight", "2 L extra.checked",
		"3 B sku", "4 B sku", "4 C tag", "4 F rented", "5 C tag", "5 L extra.checked",
	}
	for name, file := range map[string]webtest.Payload{
		"CSV": upload("a.csv", strings.ReplaceAll(strings.Join(rows, "\n"), "|", "\t")), "workbook": upload("a.xlsx", book(t, rows...)),
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{imported, imported + "?dry_run=true"} {
				a := c.In(t).Post(path, file).Status(400).Writes(0).Field("data", inStep(2))
				for i, cell := range cells {
					var row int
					var column, field string
					if _, err := fmt.Sscan(cell, &row, &column, &field); err != nil {
						t.Fatal(err)
					}
					at := fmt.Sprintf("errors.%d.", i)
					a.Field(at+"row", fmt.Sprint(row)).Field(at+"column", `"`+column+`"`).Field(at+"field", `"`+field+`"`)
				}
				if a.Value(fmt.Sprintf("errors.%d", len(cells)-1)) == nil {
					t.Error("fewer errors")
				}
			}
		})
	}
	c.Post(imported, `{"data":[{"name":"A","count":1,"sku":"000001"},{"name":"B","count":0,"sku":"000009","rented":true,"shelf":2},{"count":1,"sku":"000009"},
		{"name":"D","count":1,"sku":"000001"}]}`).
		Status(400).Writes(0).JSON(`{"data":[{"sku":["This field must be unique."]},
			{"rented":["There is none."],"shelf":["Invalid pk \"2\" - object does not exist."]},
			{"name":["This field is required."],"sku":["This value is also in row 2."]}, {"sku":["This value is also in row 1."]}],"taken_by":[{"row":1,"field":"sku","id":1,"same_as_row":null},{"row":3,"field":"sku","id":null,"same_as_row":2},{"row":4,"field":"sku","id":null,"same_as_row":1}]}`)
	for name, tt := range map[string]struct {
		body any
		want string
	}{
		"a column that rows need": {upload("a.csv", "Name,Tag\nA,\n"), `{"file":["Each row needs count, and no column is called that. Add it, or use the template. The headers are: \"Name\", \"Tag\"."],"headers":["Name","Tag"]}`},
		"no rows":                 {upload("a.csv", "Name,Count\n"), `{"data":{"non_field_errors":["This list may not be empty."]}}`},
		"too many rows": {
			upload("a.csv", "Name,Count\n"+strings.Repeat("A,1\n", 1001)),
			`{"data":{"non_field_errors":["Ensure this field has no more than 1000 elements."]}}`,
		},
		"no sheet": {upload("a.pdf", "Name,Count\nA,1\n"), `{"file":["<any>"]}`},
		"both":     {`{"data":[{"name":"A","count":1}],"file":"https://example.com/a.csv"}`, `{"non_field_errors":["Send either data or file."]}`},
		"neither":  {`{}`, `{"data":["This field is required."]}`},
		"more than answers": {
			`{"data":[` + strings.Repeat(`{"name":"A","count":1,"extra":{"note":"`+strings.Repeat("x", 16000)+`"}},`, 199) + `{"name":"A","count":1}]}`,
			`{"data":{"non_field_errors":["The rows hold more than 3 MB. Import them in parts."]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) { c.In(t).Post(imported, tt.body).Status(400).Writes(0).JSON(tt.want) })
	}
	c.Post(imported+"?dry_run=perhaps", `{"data":[{"name":"A","count":1}]}`).Status(400).JSON(`{"dry_run":["Must be a valid boolean."]}`)
	c.Get(all).Field("count", "1")
}

// What is no row at all is told that, and not what else it lacks.
func TestNoRow(t *testing.T) {
	api := newStockAPI(t)
	define(t, api, 3, "stock_thing", customfield.Definition{Name: "colour", Label: "Colour", Type: "string", Required: true})
	c := api.As(webtest.Employee(3))
	c.Post(imported, `{"data":[5,{"name":"A","count":1}]}`).Status(400).JSON(`{"data":[
		{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]},{"extra":{"colour":["This field is required."]}}]}`)
	c.Post(imported, upload("a.csv", "Name,Count,COLOUR\nA,1,\n")).Status(400).
		Field("errors", `[{"row":2,"column":"C","title":"COLOUR","field":"extra.colour","cell":"","code":"required","message":"This field is required."}]`)
}

// rowOnShelf is a row of a form of its own: it says where a thing is in two words.
type rowOnShelf struct {
	Title decode.Optional[string] `json:"title" required:"true"`
	Shelf decode.Optional[int64]  `json:"shelf" nullable:"true"`
	Tag   decode.Optional[string] `json:"tag" nullable:"true"`
}

// A group's rows may be of a form of their own, whose fields are those of a part of
// the record; and its sheets may be of several kinds.
func TestRowsOfAnotherForm(t *testing.T) {
	res := things()
	res.Kind.References = func(x *thing) []record.Reference {
		if x.Shelf == nil {
			return nil
		}
		return []record.Reference{{Field: "place.shelf", Kind: codeShelf, ID: *x.Shelf}}
	}
	res.Kind.Unique = func(x *thing) []record.Unique {
		return []record.Unique{{Name: "tag", Value: sheets.Optional(x.Tag), Field: "place.tag"}}
	}
	api := stock(webtest.Setup{Change: func(e *app.Env) { e.Files = filestest.New(t) }}).New(t, func(env app.Env) app.Group {
		g := newStock(env)
		placed := sheets.Import[*thing, rowOnShelf, string]{
			Name: "placed",
			Columns: []sheets.Column[*thing]{
				{Field: "title", Title: "Title", Also: []string{"Вещь"}, Example: "Rope"}, {Field: "shelf", Title: "Shelf", Also: []string{"Полка"}, Holds: sheets.Integer},
			},
			Apply: func(x *thing, in *rowOnShelf, errs fault.FieldErrors) {
				in.Title.Into(&x.Name)
				in.Tag.IntoNullable(&x.Tag)
				in.Shelf.IntoNullable(&x.Shelf)
				if x.Name == "Piano" {
					errs.AddAt("place.shelf", "It is too heavy.")
				}
				record.ExtraInto(x, decode.Optional[decode.JSON]{}, &x.Extra)
			},
			Part: "place", Show: func(x *thing, in *rowOnShelf, _ resource.Viewer) string {
				return fmt.Sprint(x.ID, " is ", in.Title.Value)
			},
			Distinct: func(x *thing) []record.Unique { return []record.Unique{{Name: "title", Value: x.Name, Field: "title"}} },
			DryRun:   func(d sheets.DryRun[string], _ []string) any { return map[string]any{"would": d.Data} },
		}
		other := placed
		other.Name = "other"
		of := sheets.Sheets[*thing, thingBody, Thing]{
			Resource: res, Message: "stock.import", Imports: []sheets.Importer[*thing]{placed, other},
		}
		g.Operations = append(things().Operations(env.Now), of.Operations(env)...)
		return g
	})
	c := api.As(webtest.Employee(1))
	const path = imported + "placed/"
	missing := `["Invalid pk \"9\" - object does not exist."]`
	c.Post(path, `{"data":[{"title":"Piano"},{"title":"Rope","shelf":9,"tag":"a"},{"title":"Rope","tag":"a","shelf":true}]}`).Status(400).
		Writes(0).
		JSON(`{"data":[{"shelf":["It is too heavy."]},{"shelf":` + missing + `},
			{"title":["This value is also in row 2."],"tag":["This value is also in row 2."],"shelf":["A valid integer is required."]}],"taken_by":[{"row":3,"field":"title","id":null,"same_as_row":2},{"row":3,"field":"tag","id":null,"same_as_row":2}]}`)
	c.Post(path, upload("a.csv", "Вещь,Shelf\nRope,9\n")).Status(400).
		JSON(`{"data":[{"shelf":` + missing + `}],"errors":[{"row":2,"column":"B","title":"Shelf","field":"shelf","cell":"9","code":"does_not_exist","message":"Invalid pk \"9\" - object does not exist."}]}`)
	c.Post(path+"?dry_run", upload("a.csv", "Вещь,Shelf\nRope,\n")).Status(200).Writes(0).JSON(`{"would":["0 is Rope"]}`)
	c.Post(path, upload("a.csv", "Вещь,Shelf\nRope,\n")).Status(201).JSON(`{"data":["1 is Rope"],"ignored":[],"similar":[],"warnings":[]}`)
	c.Get(template + "?format=csv").Status(400).JSON(`{"kind":["This field is required."]}`)
	c.Get(template + "?format=csv&kind=lost").Status(400).JSON(`{"kind":["\"lost\" is not a valid choice."]}`)
	if got := string(c.Get(template + "?format=csv&kind=other").Status(200).Body()); got != "\ufeffTitle,Shelf\r\nRope,\r\n" {
		t.Errorf("%q", got)
	}
}

// An amount is in the company's currency, whatever the sheet shows: in the cell, by its format, or in the header.
func TestForeignCurrency(t *testing.T) {
	c := newStockAPI(t).As(webtest.Employee(1))
	for _, path := range []string{imported + "?dry_run", imported} {
		c.Post(path, upload("a.csv", "Name;Count;Price\nA;1;9 000,50 ₸\nB;1;€ 5\nC;1;1,234\n")).Status(400).Writes(0).
			JSON(`{"data":[{},{"price":["The amount is in €, and the company's amounts are in KZT."]},{"price":["` + unclear + `"]}],"errors":[
				{"row":3,"column":"C","title":"Price","field":"price","cell":"€ 5","code":"other_currency","message":"The amount is in €, and the company's amounts are in KZT."},
				{"row":4,"column":"C","title":"Price","field":"price","cell":"1,234","code":"sheet_amount_unclear","message":"` + unclear + `"}]}`)
		c.Post(path, upload("a.csv", "Name,Count,\"Price, $\"\nA,1,5\n")).Status(400).Writes(0).
			JSON(`{"file":["Column C, \"Price, $\": The amount is in $, and the company's amounts are in KZT."],"column":"C"}`)
		c.Post(path, upload("a.xlsx", formatted(t, "[$€-407]#,##0.00"))).Status(400).Writes(0).
			Field("data.0.price.0", `"The amount is in €, and the company's amounts are in KZT."`)
	}
	c.Post(imported, upload("a.csv", "Name,Count,\"Weight, $\"\nA,1,5\n")).Status(400).Writes(0).
		JSON(`{"file":["Column C, \"Weight, $\": The amount is in $, and the company's amounts are in KZT."],"column":"C"}`)
	c.Post(imported, upload("a.csv", "Name,Count,Weight (KZT)\nA,1,5 ₸\n")).Status(201).Field("data.0.extra.weight", `"5"`).Field("ignored", "[]")
	c.Post(imported, upload("a.csv", "Name,Count,\"Цвет, $\"\nA,1,5\n")).Status(201).Field("data.0.extra.colour", `"5"`) // no amount
	c.Post(imported, upload("a.xlsx", formatted(t, `# ##0.00\ "₸"`))).Status(201).Field("data.0.price", `"1500.50"`)
	c.Post(imported, upload("a.csv", "Name,Count,\"Цена, тг.\"\nA,1,\"9'000,50\"\n")).Status(201).Field("data.0.price", `"9000.50"`)
}

// A custom field whose label has a sign is not in the company's currency, and what was exported of it is imported.
func TestForeignCurrencyOfACustomField(t *testing.T) {
	api := newStockAPI(t)
	define(t, api, 3, "stock_thing", customfield.Definition{Name: "cost", Label: "Cost, $", Type: "decimal"})
	api.As(webtest.Employee(3)).Post(imported, upload("a.csv", "Name,Count,\"Cost, $\"\nA,1,5\n")).Status(201).Field("data.0.extra.cost", `"5"`)
	api.As(webtest.Employee(3)).Post(imported, upload("b.csv", "Name,Count,\"Cost, ₸\"\nB,1,5\n")).Status(400).Writes(0).
		Field("file", `["Column C, \"Cost, ₸\": The amount is in ₸, and the field's amounts are in $."]`)
}

const unclear = "Write the amount as 1234 or 1.23: here it is not clear whether thousands or hundredths are separated."

// formatted is a workbook with one amount whose cell has a number format.
func formatted(t *testing.T, format string) string {
	t.Helper()
	f := excelize.NewFile()
	style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
	for _, err := range []error{
		err, f.SetSheetRow("Sheet1", "A1", &[]any{"Name", "Count", "Price"}), f.SetSheetRow("Sheet1", "A2", &[]any{"A", 1, 1500.5}),
		f.SetCellStyle("Sheet1", "C2", "C2", style),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return data.String()
}

// A unique value that another got while the rows were judged is told at its field.
func TestTakenMeanwhile(t *testing.T) {
	api := newStockAPI(t)
	c := api.As(webtest.Employee(1))
	for _, v := range []string{`"sku":"000001"`, `"tag":"t"`} {
		c.Post(all, `{"name":"Here","count":1,`+v+`}`).Status(201)
	}
	// Nothing else is wrong, so nothing is looked up before the values are claimed. What is written is a number.
	c.Post(imported, `{"data":[{"name":"A","count":1},{"name":"B","count":1,"sku":"000001","tag":"t"}]}`).Writes(1).Status(400).
		JSON(`{"data":[{},{"sku":["This field must be unique."],"tag":["This field must be unique."]}],"taken_by":[{"row":2,"field":"sku","id":1,"same_as_row":null},{"row":2,"field":"tag","id":2,"same_as_row":null}]}`)
	c.Get(all).Field("count", "2")
}

// An import that is sent again is answered as before, numbers and all.
func TestSentAgain(t *testing.T) {
	api := newStockAPI(t)
	c := api.As(webtest.Employee(1)).With("Idempotency-Key", "k")
	body := `{"data":[{"name":"A","count":1,"tag":"t"},{"name":"B","count":1}]}`
	first := c.Post(imported, body).Status(201).Field("data.1.id", "2")
	c.Post(imported, body).Status(201).Header("Idempotent-Replayed", "true").Writes(0).JSON(string(first.Body()))
	c.Post(imported, `{"data":[{"name":"A","count":1}]}`).Status(422)
	c.Get(all).Field("count", "2")
}

// Answers are lost and calls throttled, and still an import is there whole or not at
// all, and every number that it answered is that record's.
func TestImportAmidFaults(t *testing.T) {
	rows := make([]string, 120)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"name":"Thing %d","count":%d,"sku":"%06d"}`, i, i, i)
	}
	body := `{"data":[` + strings.Join(rows, ",") + `]}`
	for seed := range uint64(4) {
		api := stock(webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
			return tabletest.Wrap(engine, tabletest.Faults{Lost: 0.15, Throttled: 0.1}, seed)
		}}).New(t, newStock)
		c := api.As(webtest.Employee(1)).With("Idempotency-Key", "k")
		patiently := func(do func() *webtest.Answer) *webtest.Answer {
			for range 20 {
				a := do()
				if a.Code() < 400 {
					return a
				}
				if a.Code() != 503 && a.Code() != 409 {
					t.Fatalf("seed %d: status %d %s", seed, a.Code(), a.Body())
				}
				api.Clock.Step(31 * time.Second)
			}
			t.Fatalf("seed %d: never answered", seed)
			return nil
		}
		a := patiently(func() *webtest.Answer { return c.Post(imported, body) }).Status(201)
		page := patiently(func() *webtest.Answer { return c.Get(all + "?pageSize=1000&ordering=id") }).Field("count", "120")
		for i := range rows {
			at := fmt.Sprintf("%d.", i)
			if page.Int("results."+at+"id") != a.Int("data."+at+"id") || page.Int("results."+at+"count") != int64(i) ||
				a.Int("data."+at+"count") != int64(i) {
				t.Errorf(
					"seed %d: row %d is answered as %v and stored as %v", seed, i, a.Value("data."+at+"id"),
					page.Value("results."+at+"id"),
				)
			}
		}
	}
}

// A template is filled in with a row that can be imported.
func TestTemplate(t *testing.T) {
	api := newStockAPI(t)
	c := api.As(webtest.Employee(1))
	for name, tt := range map[string]struct{ format, language, header string }{
		"CSV": {"csv", "", "Name Yes Rent"}, "workbook": {"xlsx", "ru", "Название Да Аренда"}, "in Kazakh": {"csv", "kk-KZ, ru;q=0.5", "Атауы Иә Жалға беру"},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.In(t).With("Accept-Language", tt.language).Get(template+"?format="+tt.format).Status(200).Calls(0).
				Header("Content-Type", sheet.Format(tt.format).ContentType()).
				Header("Content-Disposition", `attachment; filename="stock-things.`+tt.format+`"; filename*=UTF-8''stock-things.`+tt.format)
			content, err := sheet.Read("a."+tt.format, "", a.Body(), sheet.Limits{})
			if err != nil || len(content.Header) != 9 || content.Header[0]+" "+content.Rows[0].Cells[5]+" "+content.Rows[0].Cells[7] != tt.header {
				t.Fatalf("%v %v", content, err)
			}
			c.In(t).Post(imported+"?dry_run", upload("a."+tt.format, string(a.Body()))).Status(200).Field("ignored", "[]").
				Field("data.0", made(0, `"name":"Ladder","sku":"000123","tag":null,"count":3,"price":"1500.50","rented":true,"bought":"2024-02-29","state":"new","shelf":null,"extra":{}`))
		})
	}
	c.Get(template).Status(400).JSON(`{"format":["This field is required."]}`)
	c.Get(template + "?format=pdf&language=de").Status(400).JSON(`{"format":["\"pdf\" is not a valid choice."],"language":["\"de\" is not a valid choice."]}`)
}

// What was exported can be imported, by another company, and is the same then.
func TestRoundTrip(t *testing.T) {
	api := newStockAPI(t)
	from := api.As(webtest.Employee(1))
	from.Post(imported, `{"data":[
		{"name":"=1+1","sku":"000123","tag":"+7","count":3,"price":"1500.50","rented":true,"bought":"2024-02-29","state":"used","shelf":1,
			"extra":{"colour":"-red","weight":"2.5","checked":"2024-02-29","other":[1]}},
		{"name":"Rope","count":0}]}`).Status(201)
	want := map[string]string{
		"en": "Name|SKU|Tag|Count|Price|Rented|Bought|State|Shelf number|On|ID|Created|Цвет|Weight|Checked\n" +
			"=1+1|000123|+7|3|1500.50|Yes|2024-02-29|Used|1|Top|1|2026-03-02 09:30:00|-red|2.5|2024-02-29\n" +
			"Rope|||0||No||Rent|||2|2026-03-02 09:30:00|||\n",
		"ru": "Название|SKU|Tag|Count|Price|Rented|Bought|State|Shelf number|On|ID|Создан|Цвет|Weight|Checked\n" +
			"=1+1|000123|+7|3|1500.50|Да|2024-02-29|Used|1|Top|1|2026-03-02 09:30:00|-red|2.5|2024-02-29\n" +
			"Rope|||0||Нет||Аренда|||2|2026-03-02 09:30:00|||\n",
		"kk": "Атауы|SKU|Tag|Count|Price|Rented|Bought|State|Shelf number|On|ID|Жасалған уақыты|Цвет|Weight|Checked\n" +
			"=1+1|000123|+7|3|1500.50|Иә|2024-02-29|Used|1|Top|1|2026-03-02 09:30:00|-red|2.5|2024-02-29\n" +
			"Rope|||0||Жоқ||Жалға беру|||2|2026-03-02 09:30:00|||\n",
	}
	for _, format := range []string{"csv", "xlsx"} {
		for language, lines := range want {
			t.Run(format+" in "+language, func(t *testing.T) {
				data := exported(t, from.In(t).With("Accept-Language", language), "ordering=id&format="+format)
				content, err := sheet.Read("", "", []byte(data), sheet.Limits{})
				got := strings.Join(content.Header, "|") + "\n"
				for _, r := range content.Rows {
					got += strings.Join(r.Cells, "|") + "\n"
				}
				if got = strings.ReplaceAll(got, "1500.5|", "1500.50|"); got != lines || err != nil {
					t.Errorf("%s\nwant\n%s%v", got, lines, err)
				}
				api.As(webtest.Employee(2)).In(t).Post(imported+"?dry_run", upload("a."+format, data)).Status(200).
					Field("created", "2").Field("data.0.name", `"=1+1"`).Field("data.0.tag", `"+7"`).Field("data.0.sku", `"000123"`).
					Field("data.0.price", `"1500.50"`).Field("data.0.rented", "true").Field("data.0.bought", `"2024-02-29"`).
					Field("data.0.state", `"used"`).
					Field("data.0.extra", `{"colour":"-red","weight":"2.5","checked":"2024-02-29"}`).Field("data.1.rented", "false").
					Field("data.1.extra", "{}")
			})
		}
	}
	newest, err := sheet.Read("", "", []byte(exported(t, from, "format=csv")), sheet.Limits{})
	if err != nil || newest.Rows[0].Cells[0] != "Rope" {
		t.Errorf("%v, %v", newest, err)
	}
	from.Get(export+"?format=csv&search=rope").Status(200).Field("count", "1")
	from.Get(export + "?format=pdf").Status(400)
	from.Head(export + "?format=csv").Status(200).Calls(0)
	api.As(webtest.ReadOnly(2)).Get(export+"?format=csv").Status(200).Field("count", "0")
}

// What a create makes beside a record can't be left out of an import: there is none.
func TestNoImportOfWhatIsMoreThanARecord(t *testing.T) {
	api := stock(webtest.Setup{}).New(t, func(env app.Env) app.Group {
		res := things()
		res.Made = func(context.Context, *record.Work, *thing, *thingBody) error { return nil }
		operations := sheets.Of(res, "stock.import", []sheets.Column[*thing]{sheets.ID[*thing]()}).Operations(env)
		return app.Group{Group: web.Group{Name: "stock", Zone: inUTC, Operations: operations}}
	})
	api.As(webtest.Employee(tenant.ID(1))).Post(imported, `{"data":[{"name":"A","count":1}]}`).Status(500).Writes(0)
	if !strings.Contains(api.Log(), "can't go with one that is imported") {
		t.Error(api.Log())
	}
}

// A link names the language of its sheet, in whatever languages the stage speaks. Without a name it is that of the browser, if the
// stage speaks it; caches are told.
func TestLanguageOfASheet(t *testing.T) {
	for _, tt := range []struct {
		speaks                             []say.Language
		accepted, named, want, title, vary string
	}{
		{nil, "", "", "en", "Name", "Origin"},
		{nil, "ru", "", "en", "Name", "Origin"},
		{nil, "ru", "kk", "kk", "Атауы", "Origin"},
		{say.Languages(), "ru", "", "ru", "Название", "Origin,Accept-Language"},
		{say.Languages(), "ru", "en", "en", "Name", "Origin,Accept-Language"},
		{[]say.Language{say.Russian, say.Kazakh}, "en", "", "ru", "Название", "Origin,Accept-Language"},
	} {
		t.Run(fmt.Sprint(tt.speaks, tt.accepted, tt.named), func(t *testing.T) {
			api := stock(webtest.Setup{Change: func(e *app.Env) { e.Files, e.Config.Languages = filestest.New(t), tt.speaks }}).New(t, newStock)
			c := api.As(webtest.Employee(1)).With("Accept-Language", tt.accepted)
			language := map[bool]string{true: "&language=" + tt.named}[tt.named != ""]
			a := c.Get(template+"?format=csv"+language).Status(200).Header("Content-Language", tt.want).Header("Vary", tt.vary)
			if !strings.HasPrefix(string(a.Body()), "\ufeff"+tt.title+",") {
				t.Errorf("%q", a.Body())
			}
			a = c.Get(export+"?format=csv"+language).Status(200).Header("Content-Language", tt.want).Header("Vary", tt.vary)
			if data, _ := filestest.Fetch(t, a.Text("url")); !strings.HasPrefix(data, "\ufeff"+tt.title+",") {
				t.Errorf("%q", data)
			}
		})
	}
}
