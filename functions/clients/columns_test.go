package clients

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// exampleOf is what a column's cells may hold.
func exampleOf(kind, field string) string {
	for _, c := range columnsOf(kind) {
		if c.Field == field {
			return c.Example.In(say.English)
		}
	}
	return map[string]string{fieldType: kind, "-": "x"}[field]
}

// understood sends a sheet with a header for each of the fields, and fails where its
// cells don't get there. "-" is a header that means nothing.
func understood(t *testing.T, c *webtest.Client, kind string, headers, fields []string) {
	t.Helper()
	cells, ignored := make([]string, len(fields)), []string{}
	for i, field := range fields {
		if cells[i] = exampleOf(kind, field); field == "-" && headers[i] != "" {
			ignored = append(ignored, fmt.Sprintf("%q", strings.TrimSpace(headers[i])))
		}
	}
	sheet := strings.Join(headers, "\t") + "\n" + strings.Join(cells, "\t") + "\n"
	a := c.In(t).Post("/v1/crm/clients/import/"+kind+"/?dry_run", webtest.Multipart(map[string]any{
		"file": webtest.File{Name: "a.csv", ContentType: "text/csv", Data: sheet},
	})).Status(200).Field("ignored", "["+strings.Join(ignored, ",")+"]")
	for i, field := range fields {
		if field != "-" && field != fieldType {
			a.Field("data.0."+field, fmt.Sprintf("%q", cells[i]))
		}
	}
}

func TestHeaders(t *testing.T) {
	c := webtest.New(t, New).As(webtest.Employee(1))
	for name, tt := range map[string]struct{ kind, headers, fields string }{
		"fields of people": {
			individual, "name|phone|email|document_number|issue_date|issue_date_end|birth_date|attraction_method|iin",
			"name phone email document_number issue_date issue_date_end birth_date attraction_method iin",
		},
		"fields of companies": {legal, "name|phone|email|bin|address|director|bik|bank|iban", "name phone email bin address director bik bank iban"},
		"people in Russian": {
			individual, "ФИО|Телефон|Эл. почта|Номер документа|Дата выдачи|Срок действия|Дата рождения|Источник|ИИН",
			"name phone email document_number issue_date issue_date_end birth_date attraction_method iin",
		},
		"companies in Russian": {
			legal, "Наименование|ТЕЛЕФОН|эл.почта|БИН|Адрес|Директор|БИК|Банк|Расчетный счёт", "name phone email bin address director bik bank iban",
		},
		"however it is spaced":  {legal, "  NAME |Phone  number|E-Mail|ИИК|Unknown|-|Name of the dog", "name phone email iban - - -"},
		"the type beside":       {individual, "Full name|Способ  Привлечения|Тип", "name attraction_method type"},
		"the type by a synonym": {legal, "Атауы|ТИП КЛИЕНТА|БСН", "name type bin"},
	} {
		t.Run(name, func(t *testing.T) {
			understood(t, c, tt.kind, strings.Split(tt.headers, "|"), strings.Fields(tt.fields))
		})
	}
}

// Whatever people call a column, an import takes it for that one, and for no other.
func TestEveryTitleIsUnderstood(t *testing.T) {
	c := webtest.New(t, New).As(webtest.Employee(1))
	for _, kind := range []string{individual, legal} {
		columns, _ := ofImport(kind)
		for _, column := range columns {
			for _, title := range slices.Concat([]string{column.Field, column.Title.In(say.English), column.Title.In(say.Russian), column.Title.In(say.Kazakh)}, column.Also) {
				t.Run(kind+" "+title, func(t *testing.T) {
					if column.Field == "name" {
						understood(t, c, kind, []string{title, "phone"}, []string{"name", "phone"})
						return
					}
					understood(t, c, kind, []string{"name", title}, []string{"name", column.Field})
				})
			}
		}
	}
}
