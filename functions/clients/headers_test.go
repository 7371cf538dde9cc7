package clients_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestColumnsOfOthers: a column that means nothing is named by the dry run, and
// one of the other kind may be there as long as it is empty.
func TestColumnsOfOthers(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(1))
	sheet := func(text string) webtest.Payload { return upload("a.csv", text) }
	for text, ignored := range map[string]string{
		"name,Phonee, \nIvan,87011234567,\n":           `["Phonee"]`,
		"Имя;Телефон\nИван;87011234567\n":              `[]`,
		"Name,BIN,Director\nIvan,,\n":                  `[]`,
		"Название;Адрес;Примечание бухгалтера\nИван;;": `["Примечание бухгалтера"]`,
	} {
		c.Post(individuals+"?dry_run", sheet(text)).Status(200).Writes(0).Field("created", "1").Field("ignored", ignored)
	}
	c.Post(individuals+"?dry_run=", sheet("Name,BIN\nIvan,140340010302\n")).Status(400).
		JSON(`{"data":[{"bin":["Clients of the type individual have no such field."]}],
			"errors":[{"row":2,"column":"B","field":"bin","message":"Clients of the type individual have no such field."}]}`)
	c.Post(legal+"?dry_run=true", sheet("Name,ИИН\nIvan,850515300016\n")).Status(400).
		Field("data.0", `{"iin":["Clients of the type legal have no such field."]}`)
	c.Get(all).Field("count", "0")
	for _, rows := range []int{1001, 1002, 1500} {
		c.Post(individuals, sheet("name,phone\n"+strings.Repeat("a,\n", rows))).Status(400).
			JSON(`{"data":{"non_field_errors":["Ensure this field has no more than 1000 elements."]}}`)
	}
}

// TestDatesThatMayBeAnother: nobody knows which of 02/03 is the day, and no client
// was born in another millennium.
func TestDatesThatMayBeAnother(t *testing.T) {
	c := withFiles(t).As(webtest.Employee(1))
	for _, date := range []string{"02/01/2021", "01/13/2021", "99999", "01.02.0021", "1.2.2101"} {
		a := c.Post(individuals, upload("a.csv", "name,birth_date\nIvan,"+date+"\n")).Status(400).Writes(0)
		a.Field("errors.0.row", "2").Field("errors.0.column", `"B"`)
	}
}

// TestAnExportOfAllIsUnderstood: without a filter by type an export has the
// columns of both.
func TestAnExportOfAllIsUnderstood(t *testing.T) {
	api := withFiles(t)
	from, to := api.As(webtest.Employee(1)), api.As(webtest.Employee(2))
	from.Post(all, `{"name":"a\u0001b","phone":"87011234567","individual":{"iin":"850515300016"}}`).Status(201)
	for _, format := range []string{"csv", "xlsx"} {
		for _, language := range []string{"en", "ru"} {
			data, _ := exported(t, from.With("Accept-Language", language), "format="+format)
			to.Post(individuals+"?dry_run=true", upload("a."+format, data)).Status(200).
				Field("data.0.name", `"a b"`).Field("data.0.iin", `"850515300016"`)
		}
	}
}
