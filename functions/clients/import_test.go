package clients_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	individuals = all + "import/individual/"
	legal       = all + "import/legal/"
)

// control is the last digit of an IIN or BIN; 10 where there is none.
func control(s string) int {
	for _, first := range []int{1, 3} {
		sum := 0
		for i := range 11 {
			sum += int(s[i]-'0') * ((first-1+i)%11 + 1)
		}
		if sum %= 11; sum < 10 {
			return sum
		}
	}
	return 10
}

// iins are n numbers of people.
func iins(n int) []string {
	list := make([]string, 0, n)
	for i := 0; len(list) < n; i++ {
		s := fmt.Sprintf("%02d%02d%02d3%04d", 50+i/28/12%40, 1+i/28%12, 1+i%28, i%10000)
		if d := control(s); d < 10 {
			list = append(list, fmt.Sprintf("%s%d", s, d))
		}
	}
	return list
}

// people is the body of an import of individuals, of these numbers.
func people(numbers []string) string {
	rows := make([]string, len(numbers))
	for i, iin := range numbers {
		rows[i] = fmt.Sprintf(`{"name":"Клиент %04d Фамилия","phone":"+7701%07d","email":"c%d@example.com","document_number":"%09d",`+
			`"issue_date":"2020-01-01","issue_date_end":"2030-01-01","birth_date":"1990-01-01","attraction_method":"Instagram","iin":"%s"}`, i, i, i, i, iin)
	}
	return `{"data":[` + strings.Join(rows, ",") + `]}`
}

// TestImport is the life of an import: its answer, its clients, and what the
// worker leaves of it.
func TestImport(t *testing.T) {
	api := webtest.New(t, clients.New, history.New)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Before"}`).Status(201).Field("id", "1")
	c.Post(methods, `{"name":"Word of mouth"}`).Status(201).Field("id", "1")
	made := c.Post(individuals, `{"data":[
		{"name":" Асель ","phone":"8 (701) 123-45-67","email":"a@example.com","document_number":45,"issue_date":"2020-05-15",
		 "issue_date_end":"2030-05-15","birth_date":"1985-05-15","attraction_method":"  word OF  mouth","iin":"850515300016"},
		{"name":"Ерлан","attraction_method":"Instagram","extra":{"size":"L"},"type":1,"id":7},
		{"name":"Дана","attraction_method":"INSTAGRAM","phone":null,"iin":null}]}`).Status(201)
	made.JSON(`{"data":[
		{"name":"Асель","phone":"+77011234567","email":"a@example.com","document_number":"45","issue_date":"2020-05-15",
		 "issue_date_end":"2030-05-15","birth_date":"1985-05-15","attraction_method":"word OF  mouth","iin":"850515300016"},
		{"name":"Ерлан","phone":null,"email":null,"document_number":null,"issue_date":null,"issue_date_end":null,"birth_date":null,
		 "attraction_method":"Instagram","iin":null,"extra":{"size":"L"}},
		{"name":"Дана","phone":null,"email":null,"document_number":null,"issue_date":null,"issue_date_end":null,"birth_date":null,
		 "attraction_method":"INSTAGRAM","iin":null}],"ignored":["id","type"],"similar":[],"warnings":[]}`)
	// The call for fields and methods, two that look for doubles, two for numbers, and two transactions.
	made.Calls(7).NoHeader("Location", "ETag")
	t.Log(made.Cost())

	for range 2 { // before and after the worker has been there
		page := c.Get(all).Status(200).Field("count", "4").Field("results.0.name", `"Дана"`).Field("results.3.name", `"Before"`)
		first := page.Int("results.2.id")
		one := fmt.Sprintf("%s%d/", all, first)
		c.Get(one).Status(200).Field("name", `"Асель"`).Field("type", "0").Field("attraction_method", "1").Field("phone", `"+77011234567"`).
			Field("individual", `{"iin":"850515300016","document_number":"45","issue_date":"2020-05-15","issue_date_end":"2030-05-15","birth_date":"1985-05-15"}`).
			Field("legal", "null").Field("extra", "{}").Header("ETag", `"1"`)
		c.Get(fmt.Sprintf("%s%d/", all, first+1)).Status(200).Field("attraction_method", "2").Field("extra", `{"size":"L"}`)
		c.Get(fmt.Sprintf("%s%d/", all, first+2)).Status(200).Field("attraction_method", "2")
		c.Get(all+"?search=асель").Status(200).Field("count", "1")
		c.Get(all+"?iin=850515300016").Status(200).Field("count", "1")
		// They were made at one moment, so a further term decides.
		c.Get(all+"?ordering=-created_at,-name").Status(200).Field("results.0.name", `"Ерлан"`).Field("results.1.name", `"Дана"`).
			Field("results.2.name", `"Асель"`).Field("results.3.name", `"Before"`)
		c.Get(methods).Status(200).Field("count", "2").Field("results.0.name", `"Instagram"`)
		c.Get(fmt.Sprintf("/v1/crm/history/?object=client:%d", first)).Status(200).Field("count", "1").
			Field("results.0.action", `"imported"`).Field("results.0.request_id", `"`+made.Get("X-Request-Id")+`"`).
			Field("results.0.user", "12")
		c.Get("/v1/crm/history/?object=attraction_method:2").Status(200).Field("count", "1").Field("results.0.action", `"created"`)
		api.Clock.Step(time.Minute)
		api.Deliver()
	}
	// They are clients like any other.
	first := c.Get(all).Int("results.2.id")
	one := fmt.Sprintf("%s%d/", all, first)
	c.Post(all, `{"name":"Twin","individual":{"iin":"850515300016"}}`).Status(400).
		JSON(`{"individual":{"iin":["This field must be unique."]}}`)
	c.Patch(one, `{"comment":"Calls back"}`).Status(200).Header("ETag", `"2"`)
	c.Get(fmt.Sprintf("/v1/crm/history/?object=client:%d", first)).Status(200).Field("count", "2").Field("results.1.action", `"imported"`)
	c.Delete(one).Status(204)
	c.Get(all).Field("count", "3")
	c.Post(all, `{"name":"Twin","individual":{"iin":"850515300016"}}`).Status(201)
}

func TestImportLegal(t *testing.T) {
	api := webtest.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	c.Post(legal, `{"data":[{"name":"ТОО «Степь»","phone":"7011234567","email":"a@example.com","bin":"140340010302","address":"Abay 1",
		"director":"Ким В.","bik":"kcjbkzkx","bank":"Bank","iban":"kz86 125k zt50 0410 0100","attraction_method":"ignored"}]}`).Status(201).
		JSON(`{"data":[{"name":"ТОО «Степь»","phone":"+77011234567","email":"a@example.com","bin":"140340010302","address":"Abay 1",
		"director":"Ким В.","bik":"KCJBKZKX","bank":"Bank","iban":"KZ86125KZT5004100100"}],"ignored":["attraction_method"],"similar":[],"warnings":[]}`)
	one := c.Get(all+"?type=1").Status(200).Field("count", "1").Field("results.0.individual", "null").Field("results.0.legal",
		`{"bin":"140340010302","director":"Ким В.","bik":"KCJBKZKX","bank":"Bank","iban":"KZ86125KZT5004100100","address":"Abay 1"}`)
	one.Field("results.0.attraction_method", "null")
	c.Post(legal, `{"data":[{"name":"Other","bin":"140340010302"}]}`).Writes(1).Status(400).
		JSON(`{"data":[{"bin":["This field must be unique."]}],"taken_by":[{"row":1,"field":"bin","id":1,"same_as_row":null}]}`)
	c.Get(methods).Field("count", "0")
}

// TestEmptyFields: what people leave empty in a row is null, but the name.
func TestEmptyFields(t *testing.T) {
	api := webtest.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	c.Post(individuals, `{"data":[{"name":"a","phone":"","email":" ","document_number":"","issue_date":"","issue_date_end":"","birth_date":"",
		"attraction_method":"","iin":""},{"name":"b","phone":"","iin":""}]}`).Status(201).
		Field("data.0", `{"name":"a","phone":null,"email":null,"document_number":null,"issue_date":null,"issue_date_end":null,"birth_date":null,
		"attraction_method":null,"iin":null}`)
	c.Post(legal, `{"data":[{"name":"a","phone":"","email":"","bin":"","address":"","director":"","bik":"","bank":"","iban":""}]}`).
		Status(201).
		Field("data.0", `{"name":"a","phone":null,"email":null,"bin":null,"address":null,"director":null,"bik":null,"bank":null,"iban":null}`)
	c.Post(individuals, `{"data":[{"name":" ","phone":""}]}`).Status(400).JSON(`{"data":[{"name":["This field may not be blank."]}]}`)
	c.Get(methods).Field("count", "0")
}

// TestImportOfOthers: companies don't meet in an import.
func TestImportOfOthers(t *testing.T) {
	api := webtest.New(t, clients.New)
	one, two := api.As(webtest.Owner(1)), api.As(webtest.Owner(2))
	body := `{"data":[{"name":"Secret","iin":"850515300016","attraction_method":"Instagram"}]}`
	one.With("Idempotency-Key", "k").Post(individuals, body).Status(201)
	two.Get(all).Status(200).Field("count", "0")
	two.Get(methods).Status(200).Field("count", "0")
	two.Post(individuals+"?dry_run=true", body).Status(200).Field("attraction_methods", `["Instagram"]`)
	two.With("Idempotency-Key", "k").Post(individuals, body).Status(201).NoHeader("Idempotent-Replayed")
	two.Get(all).Status(200).Field("count", "1")
	one.Get(all+"?iin=850515300016").Status(200).Field("count", "1")
	one.With("X-Tenant-Id", "2").Post(individuals, body).Status(403)
}

func TestImportRefuses(t *testing.T) {
	api := webtest.New(t, clients.New, settings.New).Join(webtest.Manager(1))
	c := api.As(webtest.Manager(1))
	c.Post(all, `{"name":"Here","individual":{"iin":"850515300016"}}`).Status(201)
	rows := func(n int) string { return `[` + strings.Repeat(`{"name":"a"},`, n-1) + `{"name":"a"}]` }
	for body, want := range map[string]string{
		`{}`:                            `{"data":["This field is required."]}`,
		`{"data":null}`:                 `{"data":["This field may not be null."]}`,
		`{"data":{}}`:                   `{"data":{"non_field_errors":["Expected a list of items but got type \"dict\"."]}}`,
		`{"data":` + rows(1001) + `}`:   `{"data":{"non_field_errors":["Ensure this field has no more than 1000 elements."]}}`,
		`{"data":[5,{},{"name":null}]}`: `{"data":[{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]},{"name":["This field is required."]},{"name":["This field may not be null."]}]}`,
		`{"data":[{"name":"a"}],"file":"https://example.com/a.csv"}`: `{"non_field_errors":["Send either data or file."]}`,
		// The rules, duplicates and what other clients have, all at once.
		`{"data":[{"name":"a","iin":"850515300016","phone":"12"},{"name":"","iin":"921130401234"},{"name":"c","iin":"921130401234","birth_date":"x"}]}`: `{"data":[
			{"iin":["This field must be unique."],"phone":["Enter a valid phone number, such as +77011234567."]},
			{"name":["This field may not be blank."]},
			{"iin":["This value is also in row 2."],"birth_date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}],"taken_by":[{"row":1,"field":"iin","id":1,"same_as_row":null},{"row":3,"field":"iin","id":null,"same_as_row":2}]}`,
	} {
		c.Post(individuals, body).Status(400).JSON(want).Writes(0)
	}
	c.Post(individuals, `{"data":[]}`).Status(201).JSON(`{"data":[],"ignored":[],"similar":[],"warnings":[]}`).Writes(0) // of nothing, nothing is made
	c.With("Idempotency-Key", "none").Post(individuals, `{"data":[]}`).Status(201).JSON(`{"data":[],"ignored":[],"similar":[],"warnings":[]}`).Writes(0)
	c.Post(individuals+"?dry_run=true", `{"data":[]}`).Status(200).Field("data", `[]`).Field("created", "0")
	c.Post(individuals+"?dry_run=perhaps", `{"data":[{"name":"a"}]}`).Status(400).JSON(`{"dry_run":["Must be a valid boolean."]}`)
	api.As(webtest.ReadOnly(1)).Post(individuals, `{"data":[{"name":"a"}]}`).Status(403).Calls(0)
	api.As(webtest.ReadOnly(1)).Post(individuals+"?dry_run=true", `{"data":[{"name":"a"}]}`).Status(403).Calls(0)

	many := make([]string, 26)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"a","attraction_method":"m%d"}`, i)
	}
	c.Post(individuals, `{"data":[`+strings.Join(many, ",")+`]}`).Status(400).
		JSON(`{"data":{"non_field_errors":["The rows name 26 attraction methods that do not exist, and an import makes at most 25."]}}`)
	c.Post(individuals, `{"data":[`+strings.Join(many[1:], ",")+`]}`).Status(201)
	c.Get(methods).Field("count", "25")
	c.Post(individuals, `{"data":[`+strings.Join(many, ",")+`]}`).Status(201)
	c.Get(methods).Field("count", "26")

	// The custom fields of clients, each error at its place.
	for _, field := range []string{
		`{"key":"client","name":"passport","label":"Passport","type":"string","required":true}`,
		`{"key":"client","name":"brought_by","label":"Brought by","type":"client"}`,
	} {
		c.Post("/v1/crm/settings/custom_fields_list/", field).Status(201)
	}
	c.Post(individuals, `{"data":[{"name":"a"},{"name":"b","extra":{"passport":5,"brought_by":99}},{"name":"c","extra":{"passport":"N","brought_by":1}},
		{"name":"d","extra":[]},{"name":"e","extra":"`+strings.Repeat("x", 16<<10)+`"}]}`).Status(400).JSON(`{"data":[
		{"extra":{"passport":["This field is required."]}},
		{"extra":{"passport":["Not a valid string."],"brought_by":["Invalid pk \"99\" - object does not exist."]}},{},
		{"extra":{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}},
		{"extra":["Ensure this field has no more than 16384 bytes."]}]}`)
	c.Post(individuals, `{"data":[{"name":"c","extra":{"passport":"N","brought_by":1}}]}`).Status(201)
}
