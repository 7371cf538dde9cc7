package clients_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// exported is the sheet that an export answers, as rows of texts.
func exported(t *testing.T, c *webtest.Client, query string) (data string, rows [][]string) {
	t.Helper()
	a := c.Get(export+"?"+query).Status(200).Writes(1).Header("Cache-Control", "private, no-store")
	a.JSON(`{"url":"<url>","expires_at":"<datetime>","count":"<any>"}`)
	data, header := filestest.Fetch(t, a.Text("url"))
	if !strings.HasPrefix(header.Get("Content-Disposition"), "attachment; filename=\"clients-2026-03-02.") {
		t.Errorf("saved by %s", header.Get("Content-Disposition"))
	}
	content, err := sheet.Read("", header.Get("Content-Type"), []byte(data), sheet.Limits{Columns: 100})
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(content.Rows)) != a.Int("count") {
		t.Errorf("%d rows, count %d", len(content.Rows), a.Int("count"))
	}
	rows = append(rows, content.Header)
	for _, r := range content.Rows {
		rows = append(rows, r.Cells)
	}
	return data, rows
}

func lines(rows [][]string) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.Join(r, "|") + "\n")
	}
	return b.String()
}

func TestExport(t *testing.T) {
	api := withFiles(t)
	establish(t, api, nil) // by its clocks it is five hours later
	c := api.As(webtest.Manager(1))
	for _, field := range []string{
		`{"key":"client","name":"passport","label":"Паспорт","type":"string"}`, `{"key":"client","name":"visits","label":"Phone","type":"integer"}`,
		`{"key":"client","name":"met","label":"Met","type":"date"}`, `{"key":"client","name":"vip","label":"VIP","type":"boolean"}`,
	} {
		c.Post("/v1/crm/settings/custom_fields_list/", field).Status(201)
	}
	c.Post(methods, `{"name":"Instagram"}`).Status(201)
	c.Post(all, `{"name":"=1+1","phone":"87011234567","email":"a@example.com","comment":"+calls\nback","attraction_method":1,
		"extra":{"passport":"-N1","visits":7,"met":"2024-02-29","vip":true,"other":[1]},
		"individual":{"iin":"010228504562","document_number":"007","issue_date":"2020-05-15","issue_date_end":"2030-05-15","birth_date":"2001-02-28"}}`).Status(201)
	c.Post(all, `{"name":"ТОО, «Степь»; \"A\"","type":1,"legal":{"bin":"140340010302","director":"Ким","bik":"KCJBKZKX","bank":"B","iban":"KZ86125KZT5004100100","address":"Abay 1"}}`).Status(201)
	for _, format := range []string{"csv", "xlsx"} {
		data, rows := exported(t, c, "format="+format)
		want := "Type|Name|Phone|Email|IIN|Document number|Issue date|Expiry date|Birth date|Attraction method|BIN|Address|Director|BIK|Bank|IBAN|ID|Comment|Created|" +
			"Паспорт|extra.visits|Met|VIP\n" +
			"Legal|ТОО, «Степь»; \"A\"||||||||140340010302|Abay 1|Ким|KCJBKZKX|B|KZ86125KZT5004100100|2||2026-03-02 14:30:00||||\n" +
			"Individual|=1+1|+77011234567|a@example.com|010228504562|007|2020-05-15|2030-05-15|2001-02-28|Instagram|||||||1|+calls\nback|2026-03-02 14:30:00|-N1|7|2024-02-29|true\n"
		want = strings.Replace(want, "\"A\"||||||||1", "\"A\"|||||||||1", 1)
		if got := lines(rows); got != want {
			t.Errorf("%s:\n%s, want\n%s", format, got, want)
		}
		if format == "csv" &&
			(strings.Contains(data, ",=") || strings.Contains(data, ";=") || strings.Contains(data, ",+") || strings.Contains(data, ",-")) {
			t.Errorf("a cell begins a formula:\n%s", data)
		}
	}
	_, rows := exported(t, c.With("Accept-Language", "de, ru-RU;q=0.9, en;q=0.8"), "format=csv&type=1&search=%D1%81%D1%82%D0%B5%D0%BF%D1%8C")
	if got := lines(rows); !strings.HasPrefix(got, "Тип|Наименование|Телефон|Эл. почта|БИН|Адрес|Директор|БИК|Банк|ИИК|ID|Комментарий|Создан|Паспорт|") ||
		!strings.Contains(got, "\nЮридическое лицо|ТОО, «Степь»; \"A\"||") || len(rows) != 2 {
		t.Error(got)
	}
	if _, rows = exported(t, c, "format=csv&ordering=id&pageSize=1&page=9"); len(rows) != 3 || rows[1][1] != "=1+1" {
		t.Error(lines(rows))
	}
	_, rows = exported(t, api.As(webtest.ReadOnly(2)), "format=xlsx") // of another company
	if len(rows) != 1 {
		t.Error(lines(rows))
	}
	c.Get(export).Status(400).JSON(`{"format":["This field is required."]}`)
	c.Get(export + "?format=pdf").Status(400).JSON(`{"format":["\"pdf\" is not a valid choice."]}`)
	c.Get(export + "?format=csv&type=7").Status(400).JSON(`{"type":["\"7\" is not a valid choice."]}`)
	c.Get(export+"?format=csv&iin=1").Status(200).Field("count", "0")
	api.As(webtest.Nobody()).Get(export + "?format=csv").Status(401)
}

// TestExportLeavesNothing: neither a file of its own, nor more than a user may
// ask for; and a HEAD makes none.
func TestExportLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	api := withFiles(t)
	c := api.As(webtest.ReadOnly(1))
	c.Head(export+"?format=csv").Status(200).Empty().Calls(0).Header("Cache-Control", "private, no-store").NoHeader("Location")
	c.Head(export + "?format=pdf").Status(400)
	for range 20 {
		c.Get(export + "?format=xlsx").Status(200)
	}
	c.Get(export+"?format=csv").Status(429).Writes(0).Header("Retry-After", "1800")
	c.Head(export + "?format=csv").Status(200)
	api.As(webtest.Owner(1)).Get(export + "?format=csv").Status(200)
	api.Clock.Step(30 * time.Minute)
	c.Get(export + "?format=csv").Status(200)
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestRoundTrip: what was exported can be imported, by another company, and is
// the same then.
func TestRoundTrip(t *testing.T) {
	api := withFiles(t)
	from, to := api.As(webtest.Manager(1)), api.As(webtest.Manager(2))
	for _, c := range []*webtest.Client{from, to} {
		for _, field := range []string{
			`{"key":"client","name":"passport","label":"Паспорт","type":"string"}`, `{"key":"client","name":"phone","label":"Second phone","type":"string"}`,
			`{"key":"client","name":"visits","label":"Visits","type":"integer"}`, `{"key":"client","name":"comment","label":"Comment","type":"string"}`,
			`{"key":"client","name":"paid","label":"Paid","type":"decimal"}`, `{"key":"client","name":"met","label":"Met","type":"date"}`,
			`{"key":"client","name":"vip","label":"VIP","type":"boolean"}`, `{"key":"client","name":"at","label":"at","type":"datetime"}`,
		} {
			c.Post("/v1/crm/settings/custom_fields_list/", field).Status(201)
		}
	}
	body := strings.Replace(people(iins(150)), `"attraction_method"`, `"extra":{"passport":"=N","phone":"+1","visits":12,"comment":"c","paid":"5.25",`+
		`"met":"2024-02-29","vip":false,"at":"2024-02-29T12:00:00Z"},"attraction_method"`, 100)
	from.Post(individuals, body).Status(201)
	from.Post(legal, `{"data":[{"name":"'Quoted'","phone":"+442071838750","bin":"140340010302","address":"a, b; c\n\"d\"","bik":"KCJBKZKX","bank":"@b","iban":"KZ86125KZT5004100100"}]}`).Status(201)
	for i, format := range []string{"csv", "xlsx"} {
		to = api.As(webtest.Manager(2))
		if i == 1 {
			to.Get(all).Field("count", "151")
			for _, c := range []string{"0", "1"} { // make room for the second
				for _, id := range to.Get(all + "?pageSize=1000&type=" + c).IDs() {
					to.Delete(fmt.Sprintf("%s%d/", all, id)).Status(204)
				}
			}
		}
		for kind, path := range map[string]string{"0": individuals, "1": legal} {
			for _, language := range []string{"en", "kk", "ru"} {
				data, _ := exported(t, from.With("Accept-Language", language), "format="+format+"&ordering=id&type="+kind)
				if language != "ru" {
					to.Post(path+"?dry_run=true", upload("a."+format, data)).Status(200)
					continue
				}
				to.Post(path, upload("a."+format, data)).Status(201)
			}
		}
		for _, kind := range []string{"0", "1"} {
			_, theirs := exported(t, to, "format=csv&ordering=name&type="+kind)
			_, ours := exported(t, from, "format=csv&ordering=name&type="+kind)
			for _, rows := range [][][]string{ours, theirs} {
				for _, r := range rows {
					for c, title := range rows[0] {
						if title == "ID" && r[c] != title {
							r[c] = ""
						}
					}
				}
			}
			if lines(ours) != lines(theirs) {
				t.Errorf("%s of type %s:\n%.2000s, want\n%.2000s", format, kind, lines(theirs), lines(ours))
			}
		}
	}
	// A sheet with both is not imported as one.
	data, _ := exported(t, from, "format=xlsx")
	to.Post(individuals, upload("a.xlsx", data)).Status(400)
}

// TestTemplate: a template is a sheet that can be imported as it is.
func TestTemplate(t *testing.T) {
	api := withFiles(t)
	for i, kind := range []string{"individual", "legal"} {
		for j, format := range []string{"xlsx", "csv"} {
			for k, language := range []string{"", "ru", "de, ru;q=0, en", "kk"} {
				c := api.As(webtest.Employee(1)).With("Accept-Language", language)
				a := c.Get(template+"?kind="+kind+"&format="+format).Status(200).Calls(0).
					Header("Content-Type", sheet.Format(format).ContentType()).Header("Cache-Control", "private, no-store")
				if got := a.Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="clients-`+kind+"."+format+`"`) {
					t.Errorf("saved by %s", got)
				}
				content, err := sheet.Read("a."+format, "", a.Body(), sheet.Limits{})
				if want := []string{"Phone", "Телефон", "Phone", "Телефон"}[k]; err != nil || content.Header[1] != want || len(content.Rows) != 1 {
					t.Errorf("%+v %v, want %s", content, err, want)
				}
				other := api.As(webtest.Employee(tenant.ID(2 + i*8 + j*4 + k)))
				made := other.Post(all+"import/"+kind+"/", upload("a."+format, string(a.Body()))).Status(201)
				for _, field := range map[string][]string{
					"individual": {"phone", "email", "iin", "document_number", "issue_date", "issue_date_end", "birth_date", "attraction_method"},
					"legal":      {"phone", "email", "bin", "address", "director", "bik", "bank", "iban"},
				}[kind] {
					if made.Text("data.0."+field) == "" {
						t.Errorf("%s has no example", field)
					}
				}
				api.As(webtest.ReadOnly(1)).Head(template + "?kind=" + kind + "&format=" + format).Status(200).Empty()
			}
		}
	}
	c := api.As(webtest.Employee(1))
	c.Get(template).Status(400).JSON(`{"kind":["This field is required."],"format":["This field is required."]}`)
	c.Get(template + "?kind=both&format=pdf").Status(400).
		JSON(`{"kind":["\"both\" is not a valid choice."],"format":["\"pdf\" is not a valid choice."]}`)
	c.With("Accept", "text/html").Get(template + "?kind=legal&format=csv").Status(200)
}
