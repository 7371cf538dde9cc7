package sales_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	clientsPath = "/v1/crm/clients/"
	sources     = "/v1/crm/attraction_methods/"
)

// TestLeads follows one lead through a funnel.
func TestLeads(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(clientsPath, `{"name":"Assel"}`).Status(201)
	c.Post(sources, `{"name":"Word of mouth"}`).Status(201)
	lead := func(at, rest string) string {
		return `{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"` + at + `","funnel":1,"tenant":1,"request":null,"sale":null,` + rest + `}`
	}
	// One batch of what is named, a number, and the transaction: the lead, its counter, its history, and what is beside its stage.
	c.Post(leads, `{"stage":1,"funnel":1,"price":"1500.5","ordering":"3","extra":{"from":"site"},"client":1,"manager":13,"source":1,"tenant":1,"request":null,"sale":null,"id":7}`).
		Status(201).Calls(3).Units(7, 12).Writes(5).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+leads+"1/").
		JSON(lead(begun, `"stage":1,"price":"1500.50","ordering":3,"cancel_reason":null,"extra":{"from":"site"},"client":1,"manager":13,"source":1`))
	c.Post(leads, `{"stage":1,"funnel":1}`).Status(201).Calls(3).Units(4, 12).
		JSON(`{"id":2,"created_at":"<datetime>","updated_at":"<datetime>","stage":1,"funnel":1,"price":"0.00","ordering":0,"cancel_reason":null,` +
			`"extra":{},"tenant":1,"client":null,"manager":null,"source":null,"request":null,"sale":null}`)
	c.Get(board).Status(200).Calls(2).Units(9, 0).JSON(`{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00.000003Z","name":"Rentals","stages":[` +
		`{"id":1,"name":"New","type":"DEFAULT","colour":null,"ordering":0,"count":2,"sum":"1500.50"},` +
		`{"id":2,"name":"Won","type":"SUCCESS","colour":"#27AE60","ordering":1,"count":0,"sum":"0.00"},` +
		`{"id":3,"name":"Lost","type":"CANCEL","colour":null,"ordering":2,"count":0,"sum":"0.00"}]}`).NoHeader("ETag")

	api.Clock.Step(time.Minute)
	const later = "2026-03-02T09:31:00Z"
	// The lead, one batch of its new stage, and the transaction: the lead, its history, and what is beside two stages.
	c.With("If-Match", `"1"`).Patch(leads+"1/", `{"stage":2}`).Status(200).Calls(3).Units(2, 12).Writes(4).Header("ETag", `"2"`).
		JSON(lead(later, `"stage":2,"price":"1500.50","ordering":3,"cancel_reason":null,"extra":{"from":"site"},"client":1,"manager":13,"source":1`))
	c.With("If-Match", `"1"`).Patch(leads+"1/", `{"stage":3}`).Status(412)
	c.Patch(leads+"1/", `{}`).Status(200).Writes(0)
	c.Patch(leads+"1/", `{"price":-20}`).Status(200).Field("price", `"-20.00"`).Writes(3)
	c.Get(board).Field("stages.0.count", "1").Field("stages.0.sum", `"0.00"`).Field("stages.1.count", "1").Field("stages.1.sum", `"-20.00"`)
	c.Put(leads+"1/", `{"stage":4,"funnel":2,"price":"7","client":null}`).Status(200).Field("funnel", "2").Field("client", "null").Field("manager", "13")
	c.Get(board).Field("stages.1.count", "0").Field("stages.1.sum", `"0.00"`)
	c.Get(funnels+"2/board/").Field("stages.0.count", "1").Field("stages.0.sum", `"7.00"`)

	c.Delete(funnels + "2/stages/4/").Status(409).JSON(`{"detail":"Other records depend on this one.","code":"held","held_by":{"lead":1}}`)
	c.Delete(funnels + "2/").Status(409).JSON(`{"detail":"Other records depend on this one.","code":"held","held_by":{"lead":1}}`)
	c.Delete(leads + "1/").Status(204).Empty()
	c.Get(leads + "1/").Status(404)
	c.Delete(leads + "1/").Status(404)
	c.Get(funnels+"2/board/").Field("stages.0.count", "0").Field("stages.0.sum", `"0.00"`)
	c.Delete(funnels + "2/stages/4/").Status(204)
	c.Delete(funnels + "2/").Status(204)
	c.Get("/v1/crm/history/?object=lead:1").Status(200).Field("count", "5").
		Field("results.3.changes", `[{"field":"stage","from":1,"to":2}]`)
	whole(t, api)
}

// What a lead names is a record of its company; anything else is as if it did not exist.
func TestBadLeads(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(leads, `{"stage":1,"funnel":1}`).Status(201)
	other := api.As(webtest.Employee(2))
	for range 3 {
		other.Post(clientsPath, `{"name":"Other"}`).Status(201)
		other.Post(funnels, `{"name":"Other"}`).Status(201)
	}
	other.Post(sources, `{"name":"Other"}`).Status(201)
	other.Post(funnels+"3/stages/", `{"name":"Other"}`).Status(201)
	for range 4 {
		other.Post(funnels+"3/stages/", `{"name":"Other"}`).Status(201) // the last is 5
	}
	invalid := func(field, id string) string {
		return `{"` + field + `":["Invalid pk \"` + id + `\" - object does not exist."]}`
	}
	for _, tt := range []struct{ name, body, want string }{
		{"nothing", `{}`, `{"stage":["This field is required."],"funnel":["This field is required."]}`},
		{"nulls", `{"stage":null,"funnel":null,"price":null,"ordering":null}`, `{"stage":["This field may not be null."],"funnel":["This field may not be null."],"price":["This field may not be null."],"ordering":["This field may not be null."]}`},
		{"unknown", `{"stage":9,"funnel":8,"client":7,"manager":6,"source":5}`, `{"stage":["Invalid pk \"9\" - object does not exist."],"funnel":["Invalid pk \"8\" - object does not exist."],"client":["Invalid pk \"7\" - object does not exist."],"manager":["Invalid pk \"6\" - object does not exist."],"source":["Invalid pk \"5\" - object does not exist."]}`},
		{"another company's funnel", `{"stage":1,"funnel":3}`, invalid("funnel", "3")},
		{"another company's stage", `{"stage":5,"funnel":1}`, invalid("stage", "5")},
		{"another company's client", `{"stage":1,"funnel":1,"client":3}`, invalid("client", "3")},
		{"another company's member", `{"stage":1,"funnel":1,"manager":22}`, invalid("manager", "22")},
		{"another company's source", `{"stage":1,"funnel":1,"source":1}`, invalid("source", "1")},
		{"another company", `{"stage":1,"funnel":1,"tenant":2}`, invalid("tenant", "2")},
		{"a stage of another funnel", `{"stage":4,"funnel":1}`, `{"stage":["The stage does not belong to the funnel."]}`},
		{"numbers that no record has", `{"stage":0,"funnel":-1,"client":9223372036854775807,"manager":-5,"source":0}`, `{"stage":["Invalid pk \"0\" - object does not exist."],"funnel":["Invalid pk \"-1\" - object does not exist."],"client":["Invalid pk \"9223372036854775807\" - object does not exist."],"manager":["Invalid pk \"-5\" - object does not exist."],"source":["Invalid pk \"0\" - object does not exist."]}`},
		{"orders and sales", `{"stage":1,"funnel":1,"request":1,"sale":0}`, `{"request":["Invalid pk \"1\" - object does not exist."],"sale":["Invalid pk \"0\" - object does not exist."]}`},
		{"prices", `{"stage":1,"funnel":1,"price":"1.234"}`, `{"price":["Ensure that there are no more than 2 decimal places."]}`},
		{"large prices", `{"stage":1,"funnel":1,"price":"100000000000000"}`, `{"price":["Ensure that there are no more than 14 digits before the decimal point."]}`},
		{"ordering", `{"stage":1,"funnel":1,"ordering":2147483648}`, `{"ordering":["Ensure this value is less than or equal to 2147483647."]}`},
		{"negative ordering", `{"stage":1,"funnel":1,"ordering":-1}`, `{"ordering":["Ensure this value is greater than or equal to 0."]}`},
		{"large extra", `{"stage":1,"funnel":1,"extra":"` + strings.Repeat("x", 16<<10) + `"}`, `{"extra":["Ensure this field has no more than 16384 bytes."]}`},
		{"everything at once", `{"stage":3,"funnel":1,"price":"x","manager":6}`, `{"cancel_reason":["This field is required in a stage of the type CANCEL."],"price":["A valid number is required."],"manager":["Invalid pk \"6\" - object does not exist."]}`},
		{"a number that is none", `{"stage":"x","funnel":1}`, `{"stage":["A valid integer is required."]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.In(t).Post(leads, tt.body).Status(400).JSON(tt.want)
			if tt.name != "nothing" {
				c.In(t).Patch(leads+"1/", tt.body).Status(400).JSON(tt.want)
			}
		})
	}
	for body, want := range map[string]string{
		`{"stage":4}`: `{"stage":["The stage does not belong to the funnel."]}`, `{"funnel":2}`: `{"stage":["The stage does not belong to the funnel."]}`,
		`{"funnel":9}`: invalid("funnel", "9"), `{"stage":9}`: invalid("stage", "9"),
	} {
		c.Patch(leads+"1/", body).Status(400).JSON(want)
	}
	other.Get(leads + "1/").Status(404)
	other.Patch(leads+"1/", `{"price":1}`).Status(404)
	other.Delete(leads + "1/").Status(404)
	other.Get(leads).Status(200).Field("count", "0")
	c.Get(leads).Status(200).Field("count", "1")

	// A sum that would not be an amount any more is refused, and nothing of the lead is written.
	c.Post(leads, `{"stage":1,"funnel":1,"price":"99999999999999.99"}`).Status(201)
	c.Post(leads, `{"stage":1,"funnel":1,"price":"0.01"}`).Writes(1).Status(409). // its number is spent
											JSON(`{"detail":"A sum would have more than 14 digits before the decimal point.","code":"sum_too_large"}`)
	c.Get(board).Field("stages.0.count", "2").Field("stages.0.sum", `"99999999999999.99"`)

	// What a lead has named before stays, though it has gone.
	c.Post(clientsPath, `{"name":"Soon gone"}`).Status(201)
	c.Patch(leads+"1/", `{"client":1}`).Status(200)
	c.Delete(clientsPath + "1/").Status(204)
	c.Patch(leads+"1/", `{"client":1,"ordering":5}`).Status(200).Field("client", "1")
	c.Post(leads, `{"stage":1,"funnel":1,"client":1}`).Status(400).JSON(invalid("client", "1"))
	whole(t, api)
}

// A lead that moves into a stage of the type CANCEL needs a reason.
func TestReasons(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(stages, `{"name":"Talks"}`).Status(201).Field("id", "5")
	required := `{"cancel_reason":["This field is required in a stage of the type CANCEL."]}`
	for _, body := range []string{`{"stage":3,"funnel":1}`, `{"stage":3,"funnel":1,"cancel_reason":null}`, `{"stage":3,"funnel":1,"cancel_reason":" "}`} {
		c.Post(leads, body).Status(400).JSON(required)
	}
	c.Post(leads, `{"stage":1,"funnel":1,"cancel_reason":""}`).Status(201).Field("cancel_reason", `""`)
	c.Get(leads+"1/").Field("cancel_reason", `""`)
	c.Patch(leads+"1/", `{"stage":3}`).Status(400).JSON(required)
	c.Patch(leads+"1/", `{"stage":3,"cancel_reason":"Too dear"}`).Status(200).Field("cancel_reason", `"Too dear"`)
	c.Patch(leads+"1/", `{"cancel_reason":null}`).Status(400).JSON(required)
	c.Put(leads+"1/", `{"stage":3,"funnel":1,"price":"5"}`).Status(200).Field("cancel_reason", `"Too dear"`)
	c.Patch(leads+"1/", `{"stage":1}`).Status(200).Field("cancel_reason", "null") // it is no longer the reason of anything
	c.Patch(leads+"1/", `{"stage":3}`).Status(400).JSON(required)
	c.Patch(leads+"1/", `{"cancel_reason":"Hesitates"}`).Status(200)
	c.Patch(leads+"1/", `{"stage":3}`).Status(200).Field("cancel_reason", `"Hesitates"`)
	c.Patch(leads+"1/", `{"stage":5,"cancel_reason":"Kept"}`).Status(200).Field("cancel_reason", `"Kept"`)
	c.Patch(leads+"1/", `{"stage":1}`).Status(200).Field("cancel_reason", "null")

	// A stage that becomes one of the type CANCEL asks nothing of the leads that are in it, until a reason is sent.
	c.Patch(stages+"1/", `{"type":"CANCEL"}`).Status(200)
	c.Patch(leads+"1/", `{"price":"6"}`).Status(200).Field("cancel_reason", "null")
	c.Put(leads+"1/", `{"stage":1,"funnel":1,"price":"6.00","cancel_reason":null}`).Status(200).Writes(0) // as it was read
	c.Patch(leads+"1/", `{"cancel_reason":""}`).Status(400).JSON(required)
	c.Post(leads, `{"stage":1,"funnel":1}`).Status(400).JSON(required)
}

func TestCustomFieldsOfLeads(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(leads, `{"stage":1,"funnel":1}`).Status(201)
	api.As(webtest.Owner(1)).Post("/v1/crm/settings/custom_fields_list/", `{"key":"funnel_lead","name":"guests","label":"Guests","type":"integer","required":true}`).Status(201)
	c.Post(leads, `{"stage":1,"funnel":1}`).Status(400).JSON(`{"extra":{"guests":["This field is required."]}}`)
	c.Post(leads, `{"stage":1,"funnel":1,"extra":{"guests":"x"}}`).Status(400).JSON(`{"extra":{"guests":["A valid integer is required."]}}`)
	c.Post(leads, `{"stage":1,"funnel":1,"extra":{"guests":4,"more":[1]}}`).Status(201).Calls(3).Field("extra", `{"guests":4,"more":[1]}`)
	c.Patch(leads+"1/", `{"stage":2}`).Status(200) // the definition came later
	c.Patch(leads+"1/", `{"extra":{}}`).Status(400)
}

func TestLists(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	home := table.Of(api.Env.Table, 1)
	if err := home.Put(company.Company{Item: table.At(home.Company(), company.Version), ID: 1, TimeZone: "Asia/Almaty"}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Assel Kassymova", "Ерлан Ахметов", "Assel Nurlan"} {
		c.Post(clientsPath, fmt.Sprintf(`{"name":%q,"phone":"+77011234567"}`, name)).Status(201)
	}
	c.Post(sources, `{"name":"Site"}`).Status(201)
	for _, body := range []string{ // one a minute, from 09:30 on
		`{"stage":1,"funnel":1,"client":1,"price":"10","ordering":2}`,
		`{"stage":2,"funnel":1,"client":2,"price":"30","ordering":1,"manager":13}`,
		`{"stage":1,"funnel":1,"client":3,"price":"20.50","source":1}`,
		`{"stage":4,"funnel":2,"client":1,"price":"-5","ordering":2}`,
		`{"stage":1,"funnel":1}`,
	} {
		c.Post(leads, body).Status(201)
		api.Clock.Step(time.Minute)
	}
	search := func(text string) string { return "search=" + strings.ReplaceAll(text, " ", "%20") }
	for query, want := range map[string]string{
		"":                                     "5 4 3 2 1",
		"stage=1":                              "5 3 1",
		"stage__in=2,4":                        "4 2",
		"funnel=2":                             "4",
		"funnel=1&stage=4":                     "",
		"client=1":                             "4 1",
		"manager=13":                           "2",
		"manager=12":                           "",
		"source=1":                             "3",
		"price__gte=10":                        "3 2 1",
		"price__gte=10&price__lte=20.5":        "3 1",
		"created_at__gte=2026-03-02T09:32:00Z": "5 4 3",
		"created_at__gte=2026-03-02T14:31&created_at__lte=2026-03-02T14:33": "4 3 2", // in the company's own time
		"created_at__lte=2026-03-01":                                        "",
		"id__in=2,4,99":                                                     "4 2",
		"ordering=price":                                                    "4 5 1 3 2",
		"ordering=ordering":                                                 "5 3 2 4 1", // of equal ones the newest first
		"ordering=ordering,id":                                              "3 5 2 1 4",
		"ordering=-updated_at":                                              "5 4 3 2 1",
		"ordering=created_at":                                               "1 2 3 4 5",
		search("ASSEL"):                                                     "4 3 1",
		search("nur assel"):                                                 "3",
		search("ерлан"):                                                     "2",
		search("nobody"):                                                    "",
		search("77011234567"):                                               "", // the client's name alone
		search("assel") + "&stage=1":                                        "3 1",
		search("assel") + "&ordering=price&pageSize=2":                      "4 1",
		search(" "):                                                         "5 4 3 2 1",
		search("assel") + "&id__in=1,2":                                     "1",
		search("nobody") + "&id__in=1":                                      "",
	} {
		t.Run(query, func(t *testing.T) {
			a := c.In(t).Get(leads + "?" + query).Status(200)
			var got []string
			for _, l := range a.Value("results").([]any) {
				got = append(got, fmt.Sprint(l.(map[string]any)["id"]))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("got %v, want %s", got, want)
			}
			if n := int64(len(got)); !strings.Contains(query, "pageSize") && a.Int("count") != n {
				t.Errorf("%d are counted of %d", a.Int("count"), n)
			}
		})
	}
	c.Get(leads+"?"+search("assel")+"&pageSize=2").Field("count", "3").Calls(5)
	c.Patch(clientsPath+"1/", `{"name":"Dana"}`).Status(200)
	c.Get(leads+"?"+search("dana")).Field("count", "2")
	c.Get(leads+"?"+search("assel")).Field("count", "1")
	c.Delete(clientsPath + "1/").Status(204)
	c.Get(leads+"?"+search("dana")).Field("count", "0")
	c.Get(leads + "?stage=x&price__gte=x&manager=1.5").Status(400).
		JSON(`{"stage":["A valid integer is required."],"price__gte":["A valid number is required."],"manager":["A valid integer is required."]}`)
	api.As(webtest.Employee(2)).Get(leads+"?"+search("assel")).Status(200).Field("count", "0")
}
