package inventory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const all = "/v1/crm/inventories/"

// TestLife follows one inventory item from its making to its end.
func TestLife(t *testing.T) {
	api := webtest.New(t, inventory.New, history.New)
	c := api.As(webtest.Employee(1))
	camry := `{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"Camry","unique_id":"C-1","type":0,
		"group":null,"category":null,"rental_point":null,"state":null,"sublease_user":null,"disabled":null,"image":null,
		"buy_price":"9000000.50","buy_date":"2024-02-29","sell_price":null,"comment":null,
		"car":{"id":1,"type":"CAR","brand":"Toyota","model":"Camry 70","number":"123ABC02","tech_passport":null,"serial":null,"vin":null,"extra":{}},
		"extra":{"seats":5},"deleted":false,"tenant":1}`
	c.Post(all, `{"name":" Camry ","unique_id":"C-1","buy_price":9000000.5,"buy_date":"2024-02-29","extra":{"seats":5},"id":9,
		"car":{"id":7,"brand":"Toyota","model":"Camry 70","number":" 123 abc 02"}}`).Status(201).JSON(camry).
		Header("ETag", `"1"`).Header("Location", webtest.BaseURL+all+"1/")
	c.Get(all+"1/").Status(200).JSON(camry).Calls(1).Units(1, 0)
	c.Get(all).Status(200).JSON(`{"count":1,"next":null,"previous":null,"results":[` + camry + `]}`)
	c.Patch(all+"1/", `{"car":{"type":"SCOOTER","model":null}}`).Status(200).
		Field("car", `{"id":1,"type":"SCOOTER","brand":"Toyota","model":null,"number":"123ABC02","tech_passport":null,"serial":null,"vin":null,"extra":{}}`)
	c.Put(all+"1/", `{"name":"Camry"}`).Status(200).Header("ETag", `"2"`).Writes(0)
	c.Patch(all+"1/", `{"car":null,"sell_price":"5"}`).Status(200).Field("car", "null").Field("sell_price", `"5.00"`)
	const negative = `{"buy_price":["Ensure this value is greater than or equal to 0."],"sell_price":["Ensure this value is greater than or equal to 0."]}`
	const below = `"buy_price":"-0.01","sell_price":-5}`
	c.Patch(all+"1/", `{`+below).Status(400).JSON(negative).Writes(0)
	c.Put(all+"1/", `{"name":"Camry",`+below).Status(400).JSON(negative).Writes(0)
	c.Post(all, `{"name":"Camry",`+below).Status(400).JSON(negative).Writes(0)
	c.Post(all+"import/", `{"data":[{"name":"Free","buy_price":0},{"name":"Camry",`+below+`]}`).Status(400).JSON(`{"data":[{},` + negative + `]}`).Writes(0)
	c.Delete(all + "1/").Status(204)
	c.Get(all + "1/").Status(404)
	c.Get(all).Status(200).Field("count", "0")
	c.Get("/v1/crm/history/?object=inventory:1").Status(200).Field("count", "4").Field("results.0.action", `"deleted"`)
}

// TestCost: what it takes to make an item that is in a group and has all unique values.
func TestCost(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	c.Post(groups, `{"name":"Sedans"}`).Status(201)
	// One batch looks up the group, custom fields and unique values; one call gives the number, one writes. The item, its
	// counter, its audit record, its two values and who holds the group are two units each, its entry in the index of changes one and
	// its number one. The message that a car has a number is three.
	made := c.Post(all, `{"name":"Camry","unique_id":"C-1","group":1,"car":{"number":"123ABC02"}}`).Status(201).Calls(3).Units(5, 17)
	t.Log(made.Cost())
	c.Get(all+"1/").Calls(1).Units(1, 0)
	c.Patch(all+"1/", `{"comment":"a"}`).Status(200).Calls(2).Units(1, 6)
}

func TestRefused(t *testing.T) {
	api := webtest.New(t, inventory.New).Join(webtest.Employee(1), webtest.Employee(2))
	c := api.As(webtest.Employee(1))
	long := func(n int) string { return strings.Repeat("ж", n) }
	for name, tt := range map[string]struct{ body, want string }{
		"nothing":            {`{}`, `{"name":["This field is required."]}`},
		"lengths":            {`{"name":"` + long(513) + `","unique_id":"` + long(256) + `","comment":"` + long(10001) + `"}`, `{"name":["Ensure this field has no more than 512 characters."],"unique_id":["Ensure this field has no more than 255 characters."],"comment":["Ensure this field has no more than 10000 characters."]}`},
		"lengths of a car":   {`{"name":"a","car":{"number":"` + long(21) + `","tech_passport":"` + long(256) + `"}}`, `{"car":{"number":["Ensure this field has no more than 20 characters."],"tech_passport":["Ensure this field has no more than 255 characters."]}}`},
		"choices":            {`{"name":"a","type":2,"disabled":3,"car":{"type":"car"}}`, `{"type":["\"2\" is not a valid choice."],"disabled":["\"3\" is not a valid choice."],"car":{"type":["\"car\" is not a valid choice."]}}`},
		"amounts":            {`{"name":"a","buy_price":"100000000000000","sell_price":"1.005"}`, `{"buy_price":["Ensure that there are no more than 14 digits before the decimal point."],"sell_price":["Ensure that there are no more than 2 decimal places."]}`},
		"an exponent":        {`{"name":"a","buy_price":"1e3"}`, `{"buy_price":["A valid number is required."]}`},
		"a date":             {`{"name":"a","buy_date":"29.02.2024"}`, `{"buy_date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`},
		"unknown references": {`{"name":"a","group":9,"category":9,"rental_point":9,"state":9,"sublease_user":9}`, `{"group":["Invalid pk \"9\" - object does not exist."],"category":["Invalid pk \"9\" - object does not exist."],"rental_point":["Invalid pk \"9\" - object does not exist."],"state":["Invalid pk \"9\" - object does not exist."],"sublease_user":["Invalid pk \"9\" - object does not exist."]}`},
		"a car that is none": {`{"name":"a","car":5}`, `{"car":{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]}}`},
		"the extra of a car": {`{"name":"a","car":{"extra":"` + strings.Repeat("x", 16<<10) + `"}}`, `{"car":{"extra":["Ensure this field has no more than 16384 bytes."]}}`},
	} {
		t.Run(name, func(t *testing.T) { c.In(t).Post(all, tt.body).Status(400).JSON(tt.want).Writes(0) })
	}
	c.Post(all, `{"name":"a","buy_price":"99999999999999.99","sell_price":"-0.00"}`).Status(201).
		Field("buy_price", `"99999999999999.99"`).Field("sell_price", `"0.00"`)
	api.As(webtest.ReadOnly(1)).Post(all, `{"name":"a"}`).Status(403).Writes(0)
}

// TestWhatAnotherCompanyHas is refused wherever an item can name it, as what does not exist.
func TestWhatAnotherCompanyHas(t *testing.T) {
	api := webtest.New(t, inventory.New, points.New, clients.New).Join(webtest.Employee(1), webtest.Owner(2))
	one, two := api.As(webtest.Employee(1)), api.As(webtest.Owner(2))
	for path, body := range map[string]string{
		groups: `{"name":"Theirs"}`, states: `{"name":"Theirs"}`, "/v1/crm/categories/": `{"name":"Theirs"}`, "/v1/crm/rental_points/": `{"name":"Theirs","address":"a"}`,
	} {
		two.Post(path, body).Status(201).Field("id", "1")
	}
	one.Post(all, `{"name":"Mine","sublease_user":12}`).Status(201)
	for field, id := range map[string]string{"group": "1", "state": "1", "category": "1", "rental_point": "1", "sublease_user": fmt.Sprint(webtest.Owner(2).User)} {
		t.Run(field, func(t *testing.T) {
			want := `{"` + field + `":["Invalid pk \"` + id + `\" - object does not exist."]}`
			one.In(t).Post(all, `{"name":"a","`+field+`":`+id+`}`).Status(400).JSON(want).Writes(0)
			one.In(t).Patch(all+"1/", `{"`+field+`":`+id+`}`).Status(400).JSON(want).Writes(0)
			two.In(t).Post(all, `{"name":"a","`+field+`":`+id+`}`).Status(201)
		})
	}
	one.Post(groups, `{"name":"a","category":1}`).Status(400).JSON(`{"category":["Invalid pk \"1\" - object does not exist."]}`)
	two.Get(all + "99/").Status(404)
	one.Get(all+"?search=theirs").Field("count", "0")
	one.Delete(all + "5/").Status(404)
}

// TestCustomFields: an item and its car have separate custom fields, and each type of car has its own.
func TestCustomFields(t *testing.T) {
	api := webtest.New(t, inventory.New, settings.New).Join(webtest.Manager(1))
	c := api.As(webtest.Manager(1))
	for key, name := range map[string]string{"inventory": "shelf", "inventory_car": "doors", "inventory_scooter": "helmets", "inventory_motorcycle": "boxes"} {
		c.Post("/v1/crm/settings/custom_fields_list/", `{"key":"`+key+`","name":"`+name+`","label":"`+name+`","type":"integer","required":true}`).Status(201)
	}
	c.Post(all, `{"name":"a","car":{}}`).Status(400).JSON(`{"extra":{"shelf":["This field is required."]},"car":{"extra":{"doors":["This field is required."]}}}`)
	c.Post(all, `{"name":"a","extra":{"shelf":"x"},"car":{"type":"SCOOTER","extra":{"doors":4,"helmets":"y"}}}`).Status(400).
		JSON(`{"extra":{"shelf":["A valid integer is required."]},"car":{"extra":{"helmets":["A valid integer is required."]}}}`)
	c.Post(all, `{"name":"a","extra":{"shelf":1},"car":{"type":"MOTORCYCLE","extra":{"boxes":2}}}`).Status(201).Field("car.extra", `{"boxes":2}`)
	// When a car becomes another type, the custom fields of the new type apply.
	c.Patch(all+"1/", `{"car":{"type":"CAR"}}`).Status(400).JSON(`{"car":{"extra":{"doors":["This field is required."]}}}`)
	c.Patch(all+"1/", `{"car":{"type":"CAR","extra":{"doors":4}}}`).Status(200)
	c.Patch(all+"1/", `{"car":null}`).Status(200)
}

func TestList(t *testing.T) {
	api := webtest.New(t, inventory.New, points.New)
	c := api.As(webtest.Employee(1))
	c.Post(groups, `{"name":"Sedans"}`).Status(201)
	c.Post(states, `{"name":"In repair"}`).Status(201)
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"a"}`).Status(201)
	for i, body := range []string{
		`{"name":"Drill Bosch","type":1,"unique_id":"D 1"}`,
		`{"name":"Camry","unique_id":"C-2","group":1,"buy_date":"2024-02-29","car":{"brand":"Toyota","model":"70","number":"123 ABC 02"}}`,
		`{"name":"Vespa","disabled":1,"state":1,"buy_date":"2023-01-01","car":{"type":"SCOOTER","brand":"Piaggio","number":"77 КТО 01"}}`,
		`{"name":"` + strings.Repeat("Very long ", 40) + `","rental_point":1,"buy_date":"2025-01-01","car":{"vin":"V","number":"5"}}`,
	} {
		c.Post(all, body).Status(201).Field("id", fmt.Sprint(i+1))
	}
	for query, want := range map[string]string{
		"": "4321", "search=bosch": "1", "search=d": "1", "search=toyota+70": "2", "search=123+abc": "2", "search=%D0%BA%D1%82%D0%BE": "3", "search=d+1": "1",
		"search=long+5": "4", "search=c-2": "2", "group=1": "2", "group__in=1,2": "2", "group=2": "", "state=1": "3", "rental_point=1": "4", "category=1": "", "type=1": "1",
		"type=0": "432", "disabled=1": "3", "disabled=0": "", "active=true": "421", "active=0": "3", "car=true": "432", "car=false": "1",
		"unique_id=C-2": "2", "unique_id=c-2": "", "unique_id=D+1": "1", "number=123abc02": "2", "number=123+ABC+02": "2", "number=77%D0%9A%D0%A2%D0%9E01": "",
		"number=5&id__in=2,4": "4", "number=5&id__in=2": "", "number=5&unique_id=C-2": "", "number=5&group=1": "", "id__in=3,1": "31",
		"ordering=name": "2143", "ordering=buy_date": "3241", "ordering=-buy_date": "1423", "active=true&ordering=name&pageSize=1": "2",
	} {
		t.Run(query, func(t *testing.T) {
			a, got := c.In(t).Get(all+"?"+query).Status(200), ""
			for i := range min(a.Int("count"), 4) {
				if strings.Contains(query, "pageSize") && i > 0 {
					break
				}
				got += fmt.Sprint(a.Int(fmt.Sprintf("results.%d.id", i)))
			}
			if got != want {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
	c.Get(all + "?active=x&type=7&group=a").Status(400).
		JSON(`{"active":["Must be a valid boolean."],"type":["\"7\" is not a valid choice."],"group":["A valid integer is required."]}`)
	api.As(webtest.Employee(2)).Get(all+"?number=5").Field("count", "0")
	// The array has the cars of active items.
	c.Get("/v1/cars/").Status(200).JSON(`[{"id":4,"type":"CAR","brand":null,"model":null,"number":"5","tech_passport":null,"serial":null,"vin":"V","extra":{},
		"name":"` + strings.TrimSpace(strings.Repeat("Very long ", 40)) + `","unique_id":null,"image":null,"group":null,"category":null,"rental_point":1,"state":null,"sublease_user":null},
		{"id":2,"type":"CAR","brand":"Toyota","model":"70","number":"123ABC02","tech_passport":null,"serial":null,"vin":null,"extra":{},
		"name":"Camry","unique_id":"C-2","image":null,"group":1,"category":null,"rental_point":null,"state":null,"sublease_user":null}]`)
	api.As(webtest.Employee(2)).Get("/v1/cars/").Status(200).JSON(`[]`)
}

func TestImages(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(1))
	for path, body := range map[string]string{all: `{"name":"a","image":%q}`, groups: `{"name":"a","image":%q}`} {
		uri := filestest.Upload(t, c, "a.png", "image/png", "bytes")
		c.Post(path, fmt.Sprintf(body, uri)).Status(201).Field("image", `"`+webtest.BaseURL+path+`1/image/"`)
		bytes, _ := filestest.Fetch(t, c.Get(path+"1/image/").Status(302).Get("Location"))
		if bytes != "bytes" {
			t.Errorf("%s shows %q", path, bytes)
		}
		c.Patch(path+"1/", `{"image":"https://example.com/a.png"}`).Status(200).Field("image", `"https://example.com/a.png"`)
		c.Patch(path+"1/", map[string]any{"image": uri}).Status(400).JSON(`{"image":["No uploaded file has this address."]}`)
	}
}

// withFiles is the group with a bucket, and what uploads and custom fields need.
func withFiles(t *testing.T) *webtest.API {
	t.Helper()
	return webtest.Setup{Change: func(e *app.Env) { e.Files, e.Config.Languages = filestest.New(t), say.Languages() }}.New(t, inventory.New, documents.New, settings.New).
		Join(webtest.Manager(1), webtest.Manager(2))
}
