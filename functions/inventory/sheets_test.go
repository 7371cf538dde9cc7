package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	imported = all + "import/"
	template = all + "import/template/"
	export   = all + "export/"
)

func upload(name, data string) webtest.Payload {
	return webtest.Multipart(map[string]any{"file": webtest.File{Name: name, ContentType: "", Data: data}})
}

// TestImport is the life of an import: its answer, its items, the groups that they are in, and what the worker leaves of it.
func TestImport(t *testing.T) {
	api := webtest.New(t, inventory.New, history.New)
	c := api.As(webtest.Employee(1))
	c.Post(groups, `{"name":"Sedans"}`).Status(201)
	body := `{"data":[
		{"name":" Camry ","unique_id":7,"group":" SEDANS ","buy_price":9000000,"buy_date":"2024-02-29","car":{"brand":"Toyota","number":"123 abc 02","extra":{"a":1}}},
		{"name":"Drill","type":1,"group":"Tools","sell_price":"45000.5","comment":"Loud","extra":{"b":2},"id":9},
		{"name":"Hammer","group":"tools","unique_id":"","car":null}]}`
	answer := `"data":[
		{"name":"Camry","unique_id":"7","type":0,"group":"SEDANS","buy_price":"9000000.00","buy_date":"2024-02-29","sell_price":null,"comment":null,
		 "car":{"type":"CAR","brand":"Toyota","model":null,"number":"123ABC02","tech_passport":null,"serial":null,"vin":null,"extra":{"a":1}},"extra":{}},
		{"name":"Drill","unique_id":null,"type":1,"group":"Tools","buy_price":null,"buy_date":null,"sell_price":"45000.50","comment":"Loud","car":null,"extra":{"b":2}},
		{"name":"Hammer","unique_id":null,"type":0,"group":"tools","buy_price":null,"buy_date":null,"sell_price":null,"comment":null,"car":null,"extra":{}}]`
	c.Post(imported+"?dry_run", body).Status(200).Writes(0).JSON(`{` + answer + `,"created":3,"groups":["Tools"],"ignored":["id"],"similar":[],"warnings":[]}`)
	c.Get(all).Field("count", "0")
	// The call for fields and groups, one for the fields of a new group, two for numbers, and two transactions.
	c.Post(imported, body).Status(201).JSON(`{` + answer + `,"ignored":["id"],"similar":[],"warnings":[]}`).Calls(6)
	for range 2 { // before and after the worker has been there
		page := c.Get(all).Status(200).Field("count", "3").Field("results.0.name", `"Hammer"`).Field("results.0.group", "2").Field("results.2.group", "1")
		first := page.Int("results.2.id")
		c.Get(fmt.Sprintf("%s%d/", all, first)).Field("car.number", `"123ABC02"`).Field("car.id", fmt.Sprint(first)).Header("ETag", `"1"`)
		c.Get(all+"?number=123abc02").Field("count", "1")
		c.Get(all+"?search=toyota&car=true").Field("count", "1")
		c.Get(fmt.Sprintf("/v1/crm/history/?object=inventory:%d", first)).Field("count", "1").Field("results.0.action", `"imported"`)
		c.Get(groups+"?ordering=name").Field("count", "2").Field("results.1.name", `"Tools"`).Field("results.1.published", "true").Field("results.1.id", "2")
		c.Delete(groups+"2/").Status(409).Field("held_by", `{"inventory":2}`)
		c.Delete(groups+"1/").Status(409).Field("held_by", `{"inventory":1}`)
		api.Clock.Step(time.Minute)
		api.Deliver()
	}
	// Items that were imported let go of their group like any other.
	for i := range 2 {
		c.Delete(fmt.Sprintf("%s%d/", all, c.Get(all).Int(fmt.Sprintf("results.%d.id", 0)))).Status(204)
		if i == 0 {
			c.Delete(groups + "2/").Status(409)
		}
	}
	c.Delete(groups + "2/").Status(204)
	c.Post(imported, `{"data":[{"name":"a","group":"Tools"}]}`).Status(201)
	c.Get(groups+"?search=tools").Field("results.0.id", "3")
}

func TestImportRefuses(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c, two := api.As(webtest.Employee(1)), api.As(webtest.Employee(2))
	c.Post(all, `{"name":"Here","unique_id":"B-1","car":{"number":"1A"}}`).Status(201)
	c.Post(all, `{"name":"Gone","unique_id":"B-2","disabled":2}`).Status(201)
	two.Post(groups, `{"name":"Theirs"}`).Status(201)
	named := func(n int) string {
		var rows []string
		for i := range n {
			rows = append(rows, fmt.Sprintf(`{"name":"a","group":"Group %d"}`, i))
		}
		return `{"data":[` + strings.Join(rows, ",") + `]}`
	}
	for body, want := range map[string]string{
		`{"data":[{},{"name":"a","unique_id":"B-1","car":{"number":"1 a"}}]}`:                                             `{"data":[{"name":["This field is required."]},{"unique_id":["This field must be unique."],"car":{"number":["This field must be unique."]}}],"taken_by":[{"row":2,"field":"unique_id","id":1,"same_as_row":null},{"row":2,"field":"car.number","id":1,"same_as_row":null}]}`,
		`{"data":[{"name":"a","unique_id":"x","car":{"number":"2"}},{"name":"b","unique_id":"x","car":{"number":" 2"}}]}`: `{"data":[{},{"unique_id":["This value is also in row 1."],"car":{"number":["This value is also in row 1."]}}],"taken_by":[{"row":2,"field":"unique_id","id":null,"same_as_row":1},{"row":2,"field":"car.number","id":null,"same_as_row":1}]}`,
		`{"data":[{"name":"a","type":7,"buy_price":"x","car":{"type":"BOAT"}},{"name":"b","car":5}]}`:                     `{"data":[{"type":["\"7\" is not a valid choice."],"buy_price":["A valid number is required."],"car":{"type":["\"BOAT\" is not a valid choice."]}},{"car":{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]}}]}`,
		named(16): `{"data":{"non_field_errors":["The rows name 16 inventory groups that do not exist, and an import makes at most 15."]}}`,
		named(41): `{"data":{"non_field_errors":["The rows name 41 inventory groups, and those of an import name at most 40. Import them in parts."]}}`,
	} {
		c.Post(imported+"?dry_run", body).Status(400).JSON(want).Writes(0)
		c.Post(imported, body).Status(400).JSON(want)
	}
	c.Get(all).Field("count", "2")
	c.Get(groups).Field("count", "0")
	// A group of another company is not found by its name.
	c.Post(imported+"?dry_run", `{"data":[{"name":"a","unique_id":"B-2","group":"Theirs"}]}`).Status(200).Field("groups", `["Theirs"]`)
	api.As(webtest.ReadOnly(1)).Post(imported, `{"data":[{"name":"a"}]}`).Status(403)
}

// TestGroupsThatAnImportCantMake: a group that needs more than a name is refused as one that was sent would be.
func TestGroupsThatAnImportCantMake(t *testing.T) {
	api := webtest.New(t, inventory.New, settings.New).Join(webtest.Manager(1))
	c := api.As(webtest.Manager(1))
	c.Post("/v1/crm/settings/custom_fields_list/", `{"key":"inventory_group","name":"shelf","label":"Shelf","type":"integer","required":true}`).Status(201)
	c.Post(imported, `{"data":[{"name":"a","group":"New"}]}`).Status(400).JSON(`{"groups":{"extra":{"shelf":["This field is required."]}}}`).Writes(0)
	c.Get(all).Field("count", "0")
}

// TestLargestImport: as many rows, groups and new groups as there may be are one import.
func TestLargestImport(t *testing.T) {
	c := withFiles(t).As(webtest.Employee(1)) // the answer is kept in the bucket
	for i := range 25 {
		c.Post(groups, fmt.Sprintf(`{"name":"Group %d"}`, i)).Status(201)
	}
	rows := make([]string, 1000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"name":"Car %d","unique_id":"C-%d","group":"group %d","car":{"brand":"Toyota","model":"Camry","number":"%03dABC02"}}`, i, i, i%40, i)
	}
	made := c.With("Idempotency-Key", "k").Post(imported, `{"data":[`+strings.Join(rows, ",")+`]}`).Status(201).Calls(40)
	t.Log(made.Cost())
	c.Get(all).Field("count", "1000")
	c.Get(groups).Field("count", "40")
	c.Get(all+"?group=40").Field("count", "25")
	c.Delete(groups+"40/").Status(409).Field("held_by", `{"inventory":25}`)
}

// TestImportOfASheet: columns go by their titles, cells of cars and custom fields to where they belong, and what is wrong is
// told cell by cell.
func TestImportOfASheet(t *testing.T) {
	api := withFiles(t)
	m := api.As(webtest.Manager(1))
	for key, name := range map[string]string{"inventory": "shelf", "inventory_car": "doors", "inventory_scooter": "doors"} {
		m.Post("/v1/crm/settings/custom_fields_list/", `{"key":"`+key+`","name":"`+name+`","label":"`+name+`","type":"integer"}`).Status(201)
	}
	c := api.As(webtest.Employee(1))
	of := table.Of(api.Env.Table, 1)
	if err := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: 1, Currency: "KZT"}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	sheet := "Название;Инв. номер;Группа;Тип;Дата покупки;Цена покупки;Транспорт;Марка;Госномер;doors;shelf;Заметки\n" +
		"Camry;0070;Седаны;прокат;29.02.2024;9 000 000,50 ₸;авто;Toyota;777 abc 02;4;;x\n" +
		"Дрель;12E3;Инструмент;Продажа;;;;;;;7;\n"
	want := `"data":[
		{"name":"Camry","unique_id":"0070","type":0,"group":"Седаны","buy_price":"9000000.50","buy_date":"2024-02-29","sell_price":null,"comment":null,
		 "car":{"type":"CAR","brand":"Toyota","model":null,"number":"777ABC02","tech_passport":null,"serial":null,"vin":null,"extra":{"doors":4}},"extra":{}},
		{"name":"Дрель","unique_id":"12E3","type":1,"group":"Инструмент","buy_price":null,"buy_date":null,"sell_price":null,"comment":null,"car":null,"extra":{"shelf":7}}]`
	c.Post(imported+"?dry_run", upload("a.csv", sheet)).Status(200).Writes(0).
		JSON(`{` + want + `,"created":2,"groups":["Седаны","Инструмент"],"ignored":["Заметки"],"similar":[],"warnings":[]}`)
	c.Post(imported, upload("a.csv", sheet)).Status(201).JSON(`{` + want + `,"ignored":["Заметки"],"similar":[],"warnings":[]}`)
	c.Post(imported, upload("a.csv", "name,car.number,Vehicle,Buy date,doors\nCopy,777abc02,boat,02/03/2024,many\nTwin,5,,,\nTwin,5,,,\n")).Status(400).JSON(`{
		"data":[{"buy_date":["Write the date as 2020-05-15 or 15.05.2020: here it is not clear which number is the day."],
			"car":{"type":["\"boat\" is not a valid choice. Write one of these: Car, Scooter, Motorcycle."],"number":["This field must be unique."],"extra":{"doors":["A valid integer is required."]}}},
			{},{"car":{"number":["This value is also in row 3."]}}],
		"errors":[
			{"row":2,"column":"B","title":"car.number","field":"car.number","cell":"777abc02","code":"not_unique","message":"This field must be unique."},
			{"row":2,"column":"C","title":"Vehicle","field":"car.type","cell":"boat","code":"invalid_choice","message":"\"boat\" is not a valid choice. Write one of these: Car, Scooter, Motorcycle."},
			{"row":2,"column":"D","title":"Buy date","field":"buy_date","cell":"02/03/2024","code":"sheet_date_unclear","message":"Write the date as 2020-05-15 or 15.05.2020: here it is not clear which number is the day."},
			{"row":2,"column":"E","title":"doors","field":"car.extra.doors","cell":"many","code":"invalid_integer","message":"A valid integer is required."},
			{"row":4,"column":"B","title":"car.number","field":"car.number","cell":"5","code":"not_unique","message":"This value is also in row 3."}]
		,"taken_by":[{"row":2,"field":"car.number","id":1,"same_as_row":null},{"row":4,"field":"car.number","id":null,"same_as_row":3}]}`)
	c.Post(imported, upload("a.csv", "name,buy_price,sell_price\nA,$5,6 ₸\n")).Status(400).Writes(0).
		Field("data", `[{"buy_price":["The amount is in $, and the company's amounts are in KZT."]}]`)
	// Every column goes by its title in each language, and a template can be imported as it is.
	examples := map[string][2]string{"en": {"Sedans", "White"}, "ru": {"Седаны", "Белый"}, "kk": {"Седандар", "Ақ"}}
	for language, words := range examples {
		for _, format := range []string{"csv", "xlsx"} {
			file := c.With("Accept-Language", language).Get(template + "?format=" + format).Status(200)
			c.Post(imported+"?dry_run", upload("a."+format, string(file.Body()))).Status(200).Field("ignored", "[]").Field("data", `[{"name":"Toyota Camry 70",
				"unique_id":"C-070","type":0,"group":"`+words[0]+`","buy_price":"9000000.00","buy_date":"2024-02-29","sell_price":"8500000.00","comment":"`+words[1]+`","car":{"type":"CAR",
				"brand":"Toyota","model":"Camry 70","number":"123ABC02","tech_passport":"AB00123456","serial":"S-1","vin":"JTNB11HK903000001","extra":{}},"extra":{}}]`)
		}
	}
}

// TestRoundTrip: what was exported can be imported, and is the same.
func TestRoundTrip(t *testing.T) {
	api := withFiles(t)
	for company, m := range []*webtest.Client{api.As(webtest.Manager(1)), api.As(webtest.Manager(2))} {
		for key, name := range map[string]string{"inventory": "shelf", "inventory_car": "doors", "inventory_scooter": "helmets"} {
			m.Post("/v1/crm/settings/custom_fields_list/", `{"key":"`+key+`","name":"`+name+`","label":"Label of `+name+`","type":"integer"}`).Status(201)
		}
		_ = company
	}
	from, to := api.As(webtest.Employee(1)), api.As(webtest.Employee(2))
	for _, name := range []string{"Sedans", "=Tools"} {
		from.Post(groups, `{"name":"`+name+`"}`).Status(201)
	}
	for _, body := range []string{
		`{"name":"Camry","unique_id":"0070","group":1,"buy_price":"9000000.5","buy_date":"2024-02-29","car":{"brand":"Toyota","model":"70","number":"123ABC02","tech_passport":"1","serial":"2","vin":"3","extra":{"doors":4}},"extra":{"shelf":1}}`,
		`{"name":"Vespa","unique_id":"12E3","group":1,"car":{"type":"SCOOTER","extra":{"helmets":2}}}`,
		`{"name":"=1+1","type":1,"group":2,"sell_price":"0.5","comment":"-"}`,
		`{"name":"Bare"}`,
	} {
		from.Post(all, body).Status(201)
	}
	// What an item is, without its numbers and times.
	told := func(c *webtest.Client) (list []string) {
		for i := range 4 {
			it := c.Get(all + "?ordering=name").Status(200).Value(fmt.Sprintf("results.%d", i)).(map[string]any)
			group := "none"
			if it["group"] != nil {
				group = c.Get(fmt.Sprintf("%s%v/", groups, it["group"])).Status(200).Text("name")
			}
			for _, field := range []string{"id", "group", "created_at", "updated_at", "tenant"} {
				delete(it, field)
			}
			if car, ok := it["car"].(map[string]any); ok {
				delete(car, "id")
			}
			list = append(list, fmt.Sprint(group, it))
		}
		return list
	}
	want := told(from)
	for _, format := range []string{"csv", "xlsx"} {
		for _, language := range []string{"en", "ru", "kk"} {
			data, _ := filestest.Fetch(t, from.With("Accept-Language", language).Get(export+"?format="+format+"&ordering=id").Status(200).Text("url"))
			to.Post(imported, upload("a."+format, data)).Status(201)
			if got := told(to); !slices.Equal(got, want) {
				t.Errorf("%s, %s: imported\n%v\nwant\n%v", format, language, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for range 4 {
				to.Delete(fmt.Sprintf("%s%d/", all, to.Get(all).Int("results.0.id"))).Status(204)
			}
		}
	}
	csv, _ := filestest.Fetch(t, from.Get(export+"?format=csv&group=1&active=true").Status(200).Field("count", "2").Text("url"))
	if !strings.Contains(csv, "Vespa") || strings.Contains(csv, "Bare") {
		t.Error(csv)
	}
}

// TestOddCars: a VIN or a plate of an unusual form is likely a typing error. It is imported, and told.
func TestOddCars(t *testing.T) {
	c := withFiles(t).As(webtest.Employee(1))
	rows := "name,Vehicle,Plate number,VIN\n" +
		"A,Car,123 abc 02,JTNB11HK903000001\n" +
		"B,Car,12 ABC 2,JTNB11HK90300000O\n" +
		"C,Scooter,7,\n" +
		"D,,,\n"
	for _, language := range say.Languages() {
		odd := func(column, title, field, cell, code string, m say.Message) string {
			return `{"row":3,"column":"` + column + `","title":"` + title + `","field":"` + field + `","cell":"` + cell + `","code":"` + code + `","message":"` + m.In(language) +
				`","id":null,"same_as_row":null}`
		}
		c.With("Accept-Language", string(language)).Post(imported+"?dry_run", upload("a.csv", rows)).Status(200).Field("warnings", "["+
			odd("D", "VIN", "car.vin", "JTNB11HK90300000O", "unusual_vin", say.UnusualVIN)+","+
			odd("C", "Plate number", "car.number", "12 ABC 2", "unusual_plate", say.UnusualPlate)+"]")
	}
	c.Post(imported, upload("a.csv", rows)).Status(201).Field("warnings.0.code", `"unusual_vin"`).Field("warnings.1.code", `"unusual_plate"`)
	c.Get(all).Field("count", "4")
}
