package clients_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestLikelyDoubles: a client with the name and the phone of one who is there, and one with the name of another row where nothing
// tells them apart, are likely there twice. Both are imported, and told.
func TestLikelyDoubles(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(1))
	for _, body := range []string{
		`{"name":"Асель  Қасымова","phone":"+77011234567"}`, `{"name":"Асель Қасымова","phone":"+77010000000"}`, `{"name":"Ерлан"}`,
		`{"name":"Gone","phone":"+77012222222"}`,
	} {
		c.Post(all, body).Status(201)
	}
	c.Delete(all + "4/").Status(204)
	api.As(webtest.Employee(2)).Post(all, `{"name":"Theirs","phone":"+77013333333"}`).Status(201)
	rows := "ФИО;Телефон;ИИН\n" +
		"АСЕЛЬ ҚАСЫМОВА;8 701 123 45 67;\n" + // 2: of client 1
		"Асель;+77010000000;\n" + // another name
		"Ерлан;;\n" + // a name alone is no double of a client
		"Gone;+77012222222;\n" +
		"Theirs;+77013333333;\n" +
		"ерлан ;;\n" + // 7: of row 4
		"Ерлан;;850515300016\n" // an IIN tells them apart
	for _, language := range say.Languages() {
		want := func(row int, cell string, m say.Message, id, same string) string {
			return fmt.Sprintf(`{"row":%d,"column":"A","title":"ФИО","field":"name","cell":"%s","code":"likely_double","message":"%s","id":%s,"same_as_row":%s}`,
				row, cell, m.In(language), id, same)
		}
		warnings := "[" + want(2, "АСЕЛЬ ҚАСЫМОВА", say.SheetDoubleOfRecord(1), "1", "null") + "," +
			want(7, "ерлан", say.SheetDoubleOfRow(4), "null", "4") + "]"
		c.With("Accept-Language", string(language)).Post(individuals+"?dry_run", upload("a.csv", rows)).Status(200).Writes(0).
			Field("created", "7").Field("warnings", warnings)
		if language == say.Kazakh {
			c.With("Accept-Language", string(language)).Post(individuals, upload("a.csv", rows)).Status(201).Field("warnings", warnings)
		}
	}
	// A row of totals is likely no client.
	total := func(row int, cell string) string {
		return fmt.Sprintf(`{"row":%d,"column":"A","title":"ФИО","field":"name","cell":"%s","code":"unusual_total","message":"%s","id":null,"same_as_row":null}`,
			row, cell, say.UnusualTotal.Error())
	}
	c.Post(individuals+"?dry_run", upload("a.csv", "Список;\nФИО;Телефон\nИтого: 2;\nВсего;\nТоталь;\n")).Status(200).Field("created", "3").
		Field("warnings", "["+total(3, "Итого: 2")+","+total(4, "Всего")+"]")
	// Rows of JSON have no cells, and count from 1.
	c.Post(individuals+"?dry_run", `{"data":[{"name":"B"},{"name":"Асель Қасымова","phone":"87010000000"}]}`).Status(200).
		Field("warnings", `[{"row":2,"column":null,"title":"Name","field":"name","cell":null,"code":"likely_double","message":"`+
			say.SheetDoubleOfRecord(2).Error()+`","id":2,"same_as_row":null}]`)
	many := c.Post(individuals+"?dry_run", upload("a.csv", "Name,Phone\n"+strings.Repeat("A,\n", 500))).Status(200).Field("created", "500")
	if list, _ := many.Value("warnings").([]any); len(list) != 100 {
		t.Errorf("%d warnings", len(list))
	}
}
