package clients_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestIgnoredColumns: a dry run names the columns that mean nothing. It is one
// however little is said of it.
func TestIgnoredColumns(t *testing.T) {
	c := withFiles(t).As(webtest.Employee(1))
	for text, ignored := range map[string]string{
		"name,Phonee, \nIvan,87011234567,\n":               `["Phonee"]`,
		"Имя;Телефон\nИван;87011234567\n":                  `[]`,
		"Название;Телефон;Примечание бухгалтера\nИван;;\n": `["Примечание бухгалтера"]`,
		"Клиент;Телефон\nИван;\n":                          `[]`,
	} {
		for _, path := range []string{individuals + "?dry_run", legal + "?dry_run=", legal + "?dry_run=TRUE"} {
			c.Post(path, upload("a.csv", text)).Status(200).Writes(0).Field("created", "1").Field("ignored", ignored)
		}
	}
	c.Post(individuals+"?dry_run", `{"data":[{"name":"a"}]}`).Status(200).Writes(0).Field("ignored", "[]")
	c.Get(all).Field("count", "0")
	c.Post(individuals+"?dry_run=false", `{"data":[{"name":"a"}]}`).Status(201)
}

// TestColumnsOfOthers: a column of the other kind is refused, but for a sheet that
// says of which type each row is: there it is wrong where it is filled.
func TestColumnsOfOthers(t *testing.T) {
	c := withFiles(t).As(webtest.Employee(1))
	c.Post(individuals, upload("a.csv", "Name,Phone, БИН \nIvan,,\n")).Status(400).Writes(0).
		JSON(`{"file":["Column C, \"БИН\", is of clients of the type legal: leave it out, or import them as that."],"column":"C"}`)
	c.Post(legal, upload("a.csv", "iin,Name\n,Ivan\n")).Status(400).Writes(0).
		JSON(`{"file":["Column A, \"iin\", is of clients of the type individual: leave it out, or import them as that."],"column":"A"}`)
	c.Post(individuals, upload("a.csv", "Фамилия,Имя\nИванов,Пётр\n")).Status(400).Writes(0).Field("file", `["Columns A and B both are name."]`)
	// People have an address, too: it is left out.
	c.Post(individuals, upload("a.csv", "Name,Адрес\nIvan,Алматы\n")).Status(201).Field("ignored", `["Адрес"]`)
	c.Post(individuals, upload("a.csv", "Name,BIN,Type\nIvan,140340010302,Individual\nAnna,,\n")).Status(400).Writes(0).
		JSON(`{"data":[{"bin":["Clients of the type individual have no such field."]},{}],
			"errors":[{"row":2,"column":"B","title":"BIN","field":"bin","cell":"140340010302","code":"client_type_without_field","message":"Clients of the type individual have no such field."}]}`)
	// Neither are cars that have their own types.
	for _, of := range []string{individuals, legal} {
		c.Post(of, upload("a.csv", "Название,Тип\nToyota Camry,Автомобиль\n,\n")).Status(400).Writes(0).
			JSON(`{"data":[{"type":["` + say.ClientTypeUnknown.Error() + `"]}],"errors":[{"row":2,"column":"B","title":"Тип","field":"type",
				"cell":"Автомобиль","code":"client_type_unknown","message":"` + say.ClientTypeUnknown.Error() + `"}]}`)
	}
	c.Post(legal, upload("a.csv", "Name,ИИН,Тип\nIvan,,Legal\n")).Status(201)
}

// TestTooManyRows: the limit is told as the rows of JSON have it, however far a
// sheet is beyond it.
func TestTooManyRows(t *testing.T) {
	c := withFiles(t).As(webtest.Employee(1))
	for _, rows := range []int{1001, 1002, 1500} {
		lines := [][]string{{"name", "phone"}}
		for range rows {
			lines = append(lines, []string{"a", ""})
		}
		for _, file := range []webtest.Payload{
			upload("a.csv", "name,phone\n"+strings.Repeat("a,\n", rows)), upload("a.xlsx", book(t, lines...)),
		} {
			c.Post(individuals, file).Status(400).
				JSON(`{"data":{"non_field_errors":["Ensure this field has no more than 1000 elements."]}}`)
		}
	}
	c.Post(individuals+"?dry_run", upload("a.csv", "name,phone\n"+strings.Repeat("a,\n", 1000))).Status(200).Field("created", "1000")
}

// TestRefusedCells: nobody knows which of 02/03 is the day, and no client was born
// in another millennium.
func TestRefusedCells(t *testing.T) {
	api := withFiles(t)
	api.As(webtest.Manager(1)).Post("/v1/crm/settings/custom_fields_list/", `{"key":"client","name":"met","label":"Met","type":"date"}`).
		Status(201)
	c := api.As(webtest.Employee(1))
	const year = "The year of a date is one of 1900 to 2100."
	const day = "Write the date as 2020-05-15 or 15.05.2020: here it is not clear which number is the day."
	serial := func(days string) webtest.Payload {
		return upload("a.xlsx", workbook(t, strings.NewReader(`<row><c t="inlineStr"><is><t>name</t></is></c><c t="inlineStr"><is><t>birth_date</t></is></c>`+
			`<c t="inlineStr"><is><t>Met</t></is></c></row><row><c t="inlineStr"><is><t>Ivan</t></is></c><c><v>`+days+`</v></c><c><v>`+days+`</v></c></row>`)))
	}
	for date, want := range map[string]string{
		"02/01/2021": day, "1/2/2021": day, "99999": year, "01.02.0021": year, "1.2.2101": year, "1899-12-31": year, "2101-01-01": year,
	} {
		files := []webtest.Payload{
			upload("a.csv", "name,birth_date,Met\nIvan,"+date+","+date+"\n"),
			upload("a.xlsx", book(t, []string{"name", "birth_date", "Met"}, []string{"Ivan", date, date})),
		}
		if date == "99999" {
			files = append(files, serial(date))
		}
		code := map[string]string{day: "sheet_date_unclear", year: "sheet_date_year"}[want]
		for _, file := range files {
			c.Post(individuals, file).Status(400).Writes(0).
				JSON(`{"data":[{"birth_date":["` + want + `"],"extra":{"met":["` + want + `"]}}],"errors":[
					{"row":2,"column":"B","title":"birth_date","field":"birth_date","cell":"` + date + `","code":"` + code + `","message":"` + want + `"},
					{"row":2,"column":"C","title":"Met","field":"extra.met","cell":"` + date + `","code":"` + code + `","message":"` + want + `"}]}`)
		}
	}
	c.Post(individuals, serial("36950")).Status(201).Field("data.0.birth_date", `"2001-02-28"`).Field("data.0.extra.met", `"2001-02-28"`)
}

// TestAnExportOfAllIsUnderstood: without a filter by type an export has the
// columns of both types; the rows of the other one are errors.
func TestAnExportOfAllIsUnderstood(t *testing.T) {
	api := withFiles(t)
	from, to := api.As(webtest.Employee(1)), api.As(webtest.Employee(2))
	from.Post(all, `{"name":"a\u0001b","phone":"87011234567","individual":{"iin":"850515300016"}}`).Status(201)
	for _, format := range []string{"csv", "xlsx"} {
		for _, language := range []string{"en", "ru", "kk"} {
			data, _ := exported(t, from.With("Accept-Language", language), "format="+format)
			to.Post(individuals+"?dry_run=true", upload("a."+format, data)).Status(200).
				Field("data.0.name", `"a b"`).Field("data.0.iin", `"850515300016"`)
		}
	}
	from.Post(all, `{"name":"Firm","type":1,"legal":{"bin":"140340010302"}}`).Status(201)
	for _, language := range []string{"en", "ru", "kk"} {
		data, _ := exported(t, from.With("Accept-Language", language), "format=xlsx&ordering=id")
		left := map[string]string{"en": `["Address","ID","Comment","Created"]`, "ru": `["Адрес","ID","Комментарий","Создан"]`, "kk": `["Мекенжайы","ID","Түсініктеме","Жасалған уақыты"]`}[language]
		to.Post(individuals, upload("a.xlsx", data)).Status(400).JSON(`{"data":[{},{
			"type":["This row is of another type than the import, which is of the type individual."],"bin":["Clients of the type individual have no such field."]}],
			"errors":[{"row":3,"column":"A","title":"` + say.ColumnType.In(say.Language(language)) + `","field":"type","cell":"` + say.ChoiceLegal.In(say.Language(language)) + `","code":"client_row_of_other_type","message":"This row is of another type than the import, which is of the type individual."},
			{"row":3,"column":"K","title":"` + say.ColumnBIN.In(say.Language(language)) + `","field":"bin","cell":"140340010302","code":"client_type_without_field","message":"Clients of the type individual have no such field."}],
			"ignored":` + left + `,"similar":[]}`)
	}
}
