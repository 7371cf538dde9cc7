package clients_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	all     = "/v1/crm/clients/"
	methods = "/v1/crm/attraction_methods/"
)

// bare is the answer about a client of company 1 that has nothing but a name.
func bare(id, name string) string {
	return `{"id":` + id + `,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"` + name + `","type":0,
		"legal_type":null,"gender":null,"comment":null,"avatar":null,"email":null,"phone":null,"deposit":null,"agreement_id":null,
		"signed":false,"sign_date":null,"sign_expires":null,"attraction_method":null,"extra":{},"individual":null,"legal":null,
		"orders_count":0,"orders_amount":"0.00","orders_paid_amount":"0.00","orders_debt_amount":"0.00","tenant":1}`
}

func TestCreate(t *testing.T) {
	api := webtest.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Ann"}`).Status(201).JSON(bare("1", "Ann")).Calls(3).Units(1, 8).Writes(4)
	c.Get(all + "1/").Status(200).JSON(bare("1", "Ann")).Calls(1)

	c.Post(methods, `{"name":"Word of mouth"}`).Status(201)
	c.Post(all, `{"name":"Асель Қасымова","type":"0","gender":2,"comment":"","avatar":"https://example.com/a.png","email":"a@example.com",
		"phone":"8 (702) 765-43-21","deposit":5000,"signed":"true","sign_date":"2026-01-31","sign_expires":"2027-01-31","attraction_method":"1",
		"agreement_id":"x","orders_count":7,"extra":{"a":[1,2.50]},
		"individual":{"iin":"921130 401234","document_number":"N1","issue_date":"2020-02-29","issue_date_end":null,"birth_date":"1992-11-30"},
		"legal":null}`).Status(201).JSON(`{"id":2,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z",
		"name":"Асель Қасымова","type":0,"legal_type":null,"gender":2,"comment":"","avatar":"https://example.com/a.png",
		"email":"a@example.com","phone":"+77027654321","deposit":"5000.00","agreement_id":null,"signed":true,"sign_date":"2026-01-31",
		"sign_expires":"2027-01-31","attraction_method":1,"extra":{"a":[1,2.50]},
		"individual":{"iin":"921130401234","document_number":"N1","issue_date":"2020-02-29","issue_date_end":null,"birth_date":"1992-11-30"},
		"legal":null,"orders_count":0,"orders_amount":"0.00","orders_paid_amount":"0.00","orders_debt_amount":"0.00","tenant":1}`).
		Calls(3).Units(3, 10).Writes(5) // one call for the definitions, the method and the unique value, which is one more item

	c.Post(all, `{"name":"Степь","type":1,"legal_type":1,"legal":{"bin":"140340010302","director":"Ким В.","bik":"kcjbkzkx","bank":"Bank",
		"iban":"kz86 125k zt50 0410 0100","address":"Abay 1"}}`).Status(201).
		Field("legal", `{"bin":"140340010302","director":"Ким В.","bik":"KCJBKZKX","bank":"Bank","iban":"KZ86125KZT5004100100","address":"Abay 1"}`)
}

func TestRefused(t *testing.T) {
	api := webtest.New(t, clients.New, settings.New).Join(webtest.Manager(1), webtest.Manager(2))
	c := api.As(webtest.Manager(1))
	c.Post("/v1/crm/settings/custom_fields_list/", `{"key":"client","name":"passport","label":"Passport","type":"string","required":true}`).
		Status(201)
	c.Post("/v1/crm/settings/custom_fields_list/", `{"key":"client","name":"brought_by","label":"Brought by","type":"client"}`).Status(201)
	for body, want := range map[string]string{
		`{}`: `{"name":["This field is required."],"extra":{"passport":["This field is required."]}}`,
		`{"name":"a","type":2,"legal_type":4,"gender":3,"deposit":"-1","email":"x","sign_date":"2026-02-30","extra":{"passport":"N1"}}`: `{
			"type":["\"2\" is not a valid choice."],"legal_type":["\"4\" is not a valid choice."],"gender":["\"3\" is not a valid choice."],
			"deposit":["Ensure this value is greater than or equal to 0."],"email":["Enter a valid email address."],
			"sign_date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`,
		`{"name":"a","individual":[],"legal":{"bin":{}},"extra":{"passport":"N1"}}`: `{"individual":{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]},
			"legal":{"bin":["Not a valid string."]}}`,
		`{"name":"a","extra":{"passport":"N1"},"attraction_method":1}`: `{"attraction_method":["Invalid pk \"1\" - object does not exist."]}`,
		`{"name":"a","extra":{"brought_by":99}}`:                       `{"extra":{"passport":["This field is required."],"brought_by":["Invalid pk \"99\" - object does not exist."]}}`,
		// The decoder's, a rule's, a reference's and a custom field's at once; and no rule that needs what was refused.
		`{"name":"","type":0,"legal_type":1,"deposit":"x","attraction_method":7,"sign_date":"2026-03-02","sign_expires":"2026-03-01","extra":{}}`: `{
			"name":["This field may not be blank."],"legal_type":["Only a client of type 1 has a legal_type."],"deposit":["A valid number is required."],
			"attraction_method":["Invalid pk \"7\" - object does not exist."],"sign_expires":["This date is before sign_date."],
			"extra":{"passport":["This field is required."]}}`,
		`{"name":"a","type":"x","legal_type":1,"legal":{},"sign_date":"x","sign_expires":"2026-03-01","extra":{}}`: `{
			"type":["\"x\" is not a valid choice."],"sign_date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."],
			"extra":{"passport":["This field is required."]}}`,
		`{"name":"a","extra":{"passport":5,"brought_by":"1","other":[null]}}`: `{"extra":{"passport":["Not a valid string."],"brought_by":["A valid integer is required."]}}`,
	} {
		c.Post(all, body).Status(400).JSON(want).Writes(0)
	}
	a := c.Post(all, `{"name":"a","phone":"123","extra":{"passport":"N1"},"individual":{"iin":"850515300017","issue_date":"2020-01-02","issue_date_end":"2020-01-01"},
		"type":1,"legal_type":0,"legal":{"bin":"140340010303","bik":"x","iban":"KZ00"}}`).Status(400).Writes(0).
		Field("individual.issue_date_end", `["This date is before issue_date."]`)
	for _, field := range []string{"phone", "individual.iin", "legal.bin", "legal.bik", "legal.iban"} {
		if list, _ := a.Value(field).([]any); len(list) != 1 {
			t.Errorf("%s: %s", field, a.Body())
		}
	}
	c.Post(all, `{"name":"a","extra":{"passport":"N1","other":[null]}}`).Status(201).Field("id", "1")
	c.Post(all, `{"name":"b","extra":{"passport":"N2","brought_by":1}}`).Status(201)
	api.As(webtest.Owner(2)).Post(all, `{"name":"theirs"}`).Status(201).Field("id", "1") // no definition of theirs
	// A record from before a definition stays as it is, and its extra is checked where
	// it is sent.
	other := api.As(webtest.Manager(2))
	other.Post("/v1/crm/settings/custom_fields_list/", `{"key":"client","name":"passport","label":"Passport","type":"string","required":true}`).Status(201)
	other.Get(all + "1/").Status(200)
	other.Patch(all+"1/", `{"name":"renamed"}`).Status(200)
	other.Patch(all+"1/", `{"extra":{}}`).Status(400).JSON(`{"extra":{"passport":["This field is required."]}}`).Writes(0)
	other.Patch(all+"1/", `{"name":"renamed","extra":{"passport":"N3"}}`).Status(200)
}

// The name of a custom field is a name, whatever it looks like.
func TestNamesOfCustomFields(t *testing.T) {
	for _, name := range []string{"size.x", "a.-1.b", "a.3000000.b", "a..b"} {
		t.Run(name, func(t *testing.T) {
			api := webtest.New(t, clients.New, settings.New).Join(webtest.Manager(1), webtest.Manager(2))
			c := api.As(webtest.Manager(1))
			c.Post(
				"/v1/crm/settings/custom_fields_list/",
				map[string]any{"key": "client", "name": name, "label": "P", "type": "string", "required": true},
			).Status(201)
			c.Post(all, `{"name":"a"}`).Status(400).JSON(`{"extra":{"` + name + `":["This field is required."]}}`)
		})
	}
}

func TestChange(t *testing.T) {
	api := webtest.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Ann","deposit":"10.50","individual":{"iin":"850515300016","document_number":"N1"}}`).Status(201)
	api.Clock.Step(time.Minute)
	c.Patch(all+"1/", `{"individual":{"document_number":"N2"}}`).Status(200).
		Field("individual.iin", `"850515300016"`).Field("individual.document_number", `"N2"`).Field("deposit", `"10.50"`).Writes(2)
	c.Put(all+"1/", `{"name":"Ann","individual":{"iin":"921130401234"}}`).Status(200).
		Field("individual.document_number", `"N2"`).Writes(4) // two values: one is given back, one is taken
	c.Post(all, `{"name":"Bea","individual":{"iin":"850515300016"}}`).Status(201)
	c.Patch(all+"1/", `{"individual":null,"deposit":null}`).Status(200).Field("individual", "null").Field("deposit", "null")
	c.Patch(all+"1/", `{"type":1,"legal":{"bin":"140340010302"}}`).Status(200).Field("type", "1")
	c.Delete(all + "1/").Status(204)
	c.Post(all, `{"name":"Cy","type":1,"legal_type":0,"individual":{"iin":"921130401234"},"legal":{"bin":"140340010302"}}`).Status(201)
}

// A change is refused for all that is wrong with it at once: with what was sent, with
// what it would make of the record, and with what others have.
func TestAllThatIsWrongWithAChange(t *testing.T) {
	api := webtest.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Ann","individual":{"iin":"850515300016"}}`).Status(201)
	c.Post(all, `{"name":"Bea"}`).Status(201)
	wrong := `{"email":"x","attraction_method":9,"legal_type":0,"individual":{"iin":"850515300016","document_number":[]}}`
	want := `{"email":["Enter a valid email address."],"attraction_method":["Invalid pk \"9\" - object does not exist."],
		"legal_type":["Only a client of type 1 has a legal_type."],
		"individual":{"iin":["This field must be unique."],"document_number":["Not a valid string."]}}`
	// the client, what it refers to with the number's place, and whose that is
	c.Patch(all+"2/", wrong).Status(400).JSON(want).Writes(0).Calls(3)
	c.Patch(all+"2/", `{"email":"x"}`).Status(400).JSON(`{"email":["Enter a valid email address."]}`).Writes(0).Calls(1)
	c.Patch(all+"9/", `{"email":"x"}`).Status(400).JSON(`{"email":["Enter a valid email address."]}`)
	c.With("If-Match", `"7"`).Patch(all+"2/", `{"email":"x"}`).Status(400)
	c.Get(all+"2/").Status(200).Header("ETag", `"1"`)
	c.Post(all, `{"email":"x"}`).Status(400).Calls(1)
	c.Post(all, `{"name":"Cy"}`).Status(201).Field("id", "3") // what was refused took no number
}

// TestFits: the parts of a client are those of its type, and a sole trader has
// both.
func TestFits(t *testing.T) {
	api := webtest.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	legal := `{"legal":["Only a client of type 1 has this part: send null."]}`
	individual := `{"individual":["Only a client of type 0, or of type 1 with the legal_type 0, has this part: send null."]}`
	for body, want := range map[string]string{
		`{"name":"a","legal":{}}`:                                                   legal,
		`{"name":"a","legal_type":0}`:                                               `{"legal_type":["Only a client of type 1 has a legal_type."]}`,
		`{"name":"a","type":1,"individual":{}}`:                                     individual,
		`{"name":"a","type":1,"legal_type":1,"individual":{}}`:                      individual,
		`{"name":"a","sign_date":"2026-03-02","sign_expires":"2026-03-01"}`:         `{"sign_expires":["This date is before sign_date."]}`,
		`{"name":"a","legal":{"bin":"1"}}`:                                          `{"legal":{"bin":["Enter a valid BIN: 12 digits with a matching control digit."]}}`,
		`{"name":"a","tenant":2}`:                                                   `{"tenant":["Invalid pk \"2\" - object does not exist."]}`,
		`{"name":"a","type":1,"legal_type":1,"individual":{},"legal":{"bin":null}}`: individual,
	} {
		c.Post(all, body).Status(400).JSON(want).Writes(0)
	}
	c.Post(all, `{"name":"Person","tenant":"1","legal":null,"legal_type":null,"sign_date":"2026-03-02","sign_expires":"2026-03-02","individual":{}}`).Status(201)
	c.Post(all, `{"name":"Trader","type":1,"legal_type":0,"individual":{"iin":"850515300016"},"legal":{"bin":"850515300016"}}`).Status(201)
	c.Post(all, `{"name":"Firm","type":1,"individual":null,"legal":{}}`).Status(201)
	// A change is judged by what it leads to.
	c.Patch(all+"1/", `{"type":1}`).Status(400).JSON(individual).Writes(0)
	c.Patch(all+"1/", `{"type":1,"individual":null}`).Status(200)
	c.Patch(all+"2/", `{"legal_type":1}`).Status(400).JSON(individual).Writes(0)
	c.Patch(all+"2/", `{"type":0,"legal_type":null}`).Status(400).JSON(legal).Writes(0)
	c.Patch(all+"2/", `{"type":0,"legal_type":null,"legal":null}`).Status(200).Field("individual.iin", `"850515300016"`)
	c.Patch(all+"1/", `{"sign_expires":"2026-03-01"}`).Status(400).JSON(`{"sign_expires":["This date is before sign_date."]}`)
	c.Patch(all+"1/", `{"tenant":3}`).Status(400).JSON(`{"tenant":["Invalid pk \"3\" - object does not exist."]}`)
	c.Put(all+"1/", `{"name":"Person","tenant":1}`).Status(200)
}

// TestUnique: an IIN and a BIN are one live client's, also in a race.
func TestUnique(t *testing.T) {
	api := webtest.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	taken := `{"individual":{"iin":["This field must be unique."]}}`
	c.Post(all, `{"name":"a","individual":{"iin":"850515300016"}}`).Status(201)
	c.Post(all, `{"name":"b","individual":{"iin":"850515300016"}}`).Status(400).JSON(taken)
	c.Post(all, `{"name":"b","type":1,"legal_type":0,"legal":{"bin":"850515300016"}}`).Status(201) // a BIN is no IIN
	c.Patch(all+"2/", `{"individual":{"iin":"850515300016"}}`).Status(400).JSON(taken).Writes(0)
	api.As(webtest.Owner(2)).Post(all, `{"name":"b","individual":{"iin":"850515300016"}}`).Status(201)
	c.Put(all+"1/", `{"name":"a","individual":{"iin":"850515300016"}}`).Status(200)

	var wg sync.WaitGroup
	codes := make(chan int, 8)
	for i := range 8 {
		wg.Go(func() {
			codes <- c.Post(all, fmt.Sprintf(`{"name":"r%d","individual":{"iin":"921130401234"}}`, i)).Code()
		})
	}
	wg.Wait()
	close(codes)
	made := 0
	for code := range codes {
		switch code {
		case 201:
			made++
		case 400:
		default:
			t.Errorf("status %d", code)
		}
	}
	if made != 1 {
		t.Errorf("%d clients have one IIN", made)
	}
}

func TestTooManyWords(t *testing.T) {
	c := webtest.New(t, clients.New).As(webtest.Employee(1))
	var words []string
	for n := range 33 {
		words = append(words, strconv.Itoa(n))
	}
	c.Get(all + "?search=" + strings.Join(words[1:], "+")).Status(200)
	c.Get(all + "?search=" + strings.Join(words, "+")).Status(400).JSON(`{"search":["Ensure this field has no more than 32 words."]}`)
}

func TestFind(t *testing.T) {
	api := webtest.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	for _, body := range []string{
		`{"name":"Ерлан Ахметов","phone":"+77011234567","individual":{"iin":"850515300016"}}`,
		`{"name":"Степь Логистик","type":1,"phone":"87272919101","legal":{"bin":"140340010302"}}`,
		`{"name":"Айгүл 7701","signed":true,"individual":{"iin":"010228504562"}}`,
		`{"name":"Дом 12 корпус 45"}`,
	} {
		c.Post(all, body).Status(201)
	}
	for query, want := range map[string]string{
		"search=ахметов":                   "1",
		"search=8 (701) 123-45-67":         "1",
		"search=+7 701 123 45 67":          "1",
		"search=1234567":                   "1",
		"search=7701":                      "3 1",
		"search=010228504562":              "3",
		"search=0102":                      "3",
		"search=140340":                    "2",
		"search=ерлан 701":                 "1",
		"search=АЙГҮЛ":                     "3",
		"search=nobody":                    "",
		"search=8701123":                   "1",
		"search=8 701 123":                 "1",
		"search=8-701-123":                 "1",
		"search=(701) 123":                 "1",
		"search=ерлан 87011234567":         "1",
		"search=ерлан 8 (701) 123-45-67":   "1",
		"search=степь 8 701":               "",
		"search=+7 (727) 291":              "2",
		"search=12 45":                     "4 1", // in the name, and in a phone
		"search=дом 12":                    "4",
		"search=8 701 123 45 60":           "",
		"search=00 7 701 123 45 67":        "1",
		"search=850515 300016":             "1",
		"search=7011234567 850515300016":   "1",
		"type=1":                           "2",
		"type=0&signed=true":               "3",
		"type=0&signed=false":              "4 1",
		"phone=8 701 123 45 67":            "1",
		"phone=+77011234568":               "",
		"iin=850515300016":                 "1",
		"iin=010228504562":                 "3",
		"iin=8505":                         "",
		"iin=850515 300016":                "1",
		"iin=10228504562":                  "", // eleven digits
		"iin=0850515300016":                "",
		"iin=140340010302":                 "", // which is a BIN
		"iin=000000000000":                 "",
		"iin=x":                            "",
		"bin=0":                            "",
		"phone=12":                         "",
		"phone=7011234567":                 "1",
		"bin=140340010302&type=1":          "2",
		"bin=140340010302&type=0":          "",
		"name=логистик степь":              "2",
		"name=7701":                        "3",
		"ordering=name":                    "3 4 1 2",
		"ordering=-type,name&page=1":       "2 3 4 1",
		"type=&signed=":                    "4 3 2 1",
		"search=7701&ordering=id&signed=0": "1",

		"type__in=0,1":                                      "4 3 2 1",
		"type__gte=1":                                       "2",
		"signed__in=true":                                   "3",
		"phone__in=8 701 123 45 67,87272919101":             "2 1",
		"phone__isnull=true":                                "4 3",
		"iin__isnull=false":                                 "3 1",
		"iin__gte=010228504562&iin__lte=010228504562":       "3",
		"bin__isnull=false&type__lte=1":                     "2",
		"bin__gte=x":                                        "",
		"id__gte=2&id__lte=3":                               "3 2",
		"id__in=1,4,9&phone__isnull=true":                   "4",
		"created_at=2026-03-02T09:30:00Z&type=1":            "2",
		"created_at__gte=2026-03-02T09:30:00.000001Z":       "",
		"created_at__isnull=true":                           "",
		"updated_at__lte=2026-03-02T09:30:00Z&search=айгул": "",
		"updated_at__lte=2026-03-02T09:30:00Z&search=айгүл": "3",
		"ordering=phone":                                    "1 2 4 3",
		"ordering=-iin,id":                                  "2 4 1 3",
	} {
		escaped := url.Values{}
		for pair := range strings.SplitSeq(query, "&") {
			name, value, _ := strings.Cut(pair, "=")
			escaped.Add(name, value)
		}
		got := ""
		a := c.Get(all + "?" + escaped.Encode()).Status(200).Calls(5)
		results, _ := a.Value("results").([]any)
		for i := range results {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprint(a.Int(fmt.Sprintf("results.%d.id", i)))
		}
		if got != want || a.Int("count") != int64(len(results)) {
			t.Errorf("%s: %q of %d, want %q", query, got, a.Int("count"), want)
		}
	}
	for query, want := range map[string]string{
		"type=2":                   `{"type":["\"2\" is not a valid choice."]}`,
		"type__in=0,2":             `{"type__in":["\"2\" is not a valid choice."]}`,
		"type__gte=x":              `{"type__gte":["\"x\" is not a valid choice."]}`,
		"signed=perhaps":           `{"signed":["Must be a valid boolean."]}`,
		"phone__isnull=perhaps":    `{"phone__isnull":["Must be a valid boolean."]}`,
		"id__gte=one&id__in=1,two": `{"id__gte":["A valid integer is required."],"id__in":["A valid integer is required."]}`,
		"phone__in=" + strings.Repeat("7,", 100) + "7": `{"phone__in":["Ensure this field has no more than 100 elements."]}`,
		"id__in=" + strings.Repeat("7,", 1000) + "7":   `{"id__in":["Ensure this field has no more than 1000 elements."]}`,
	} {
		c.Get(all + "?" + query).Status(400).JSON(want)
	}
}

func TestLists(t *testing.T) {
	api := webtest.New(t, clients.New)
	establish(t, api, nil)
	c := api.As(webtest.Employee(1))
	at := `"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z"`
	c.Post(methods, `{"name":"Instagram"}`).Status(201).JSON(`{"id":1,` + at + `,"name":"Instagram"}`)
	c.Post(methods, `{"name":" INSTAGRAM "}`).Writes(1).Status(400).JSON(`{"name":["This field must be unique."]}`)
	c.Patch(methods+"1/", `{"name":"instagram"}`).Status(200)
	c.Delete(methods + "1/").Status(204)
	c.Post(methods, `{"name":"Instagram"}`).Status(201).Field("id", "3") // 2 was taken before the name was found to be

	c.Post("/v1/crm/agents/", `{"name":"Hotel","phone":"8 727 291 91 01"}`).Status(201).
		JSON(`{"id":1,` + at + `,"name":"Hotel","phone":"+77272919101","extra":{}}`)
	c.Post("/v1/crm/agents/", `{"name":"Taxi","extra":[1]}`).Status(201)
	c.Get("/v1/crm/agents/").Status(200).JSON(`[{"id":1,` + at + `,"name":"Hotel","phone":"+77272919101","extra":{}},
		{"id":2,` + at + `,"name":"Taxi","phone":null,"extra":[1]}]`)
	c.Delete("/v1/crm/agents/1/").Status(204)
	c.Get("/v1/crm/agents/").Status(200).JSON(`[{"id":2,` + at + `,"name":"Taxi","phone":null,"extra":[1]}]`)

	c.Post("/v1/crm/discounts/", `{"name":"Winter","percent":12.5}`).Status(201).
		JSON(`{"id":1,` + at + `,"name":"Winter","percent":"12.50","amount":null}`)
	c.Patch("/v1/crm/discounts/1/", `{"amount":"500"}`).Status(200).Field("percent", "null").Field("amount", `"500.00"`)
	either := `{"non_field_errors":["A discount has either percent or amount."]}`
	c.Post("/v1/crm/discounts/", `{"name":"None"}`).Status(400).JSON(either)
	c.Post("/v1/crm/discounts/", `{"name":"Both","percent":1,"amount":1}`).Status(400).JSON(either)
	c.Patch("/v1/crm/discounts/1/", `{"amount":null}`).Status(400).JSON(either).Writes(0)
	c.Post("/v1/crm/discounts/", `{"name":"Free","percent":"100.01"}`).Status(400).
		JSON(`{"percent":["Ensure this value is less than or equal to 100."]}`)

	c.Post("/v1/crm/categories/", `{"name":"Bikes","kind":"inventory"}`).Status(201).
		JSON(`{"id":1,` + at + `,"name":"Bikes","kind":"inventory","extra":{}}`)
	c.Put("/v1/crm/categories/1/", `{"name":"Bikes","kind":""}`).Status(200).Field("kind", `""`)
}

// establish gives company 1 its record, with rental settings; nil: those of a company that never set any.
func establish(t *testing.T, api *webtest.API, rental *company.Rental) {
	t.Helper()
	of := table.Of(api.Env.Table, 1)
	is := company.Company{Item: table.At(of.Company(), company.Version), ID: 1, TimeZone: "Asia/Almaty", Rental: rental, Revision: 1}
	if err := of.Put(is).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A discount above what the rental settings say of an employee is a manager's to make.
func TestWhoGivesWhichDiscounts(t *testing.T) {
	const discounts = "/v1/crm/discounts/"
	api := webtest.New(t, clients.New)
	rental := company.NewRental()
	rental.MaxDiscount.Manager = 50
	establish(t, api, rental)
	employee, manager, owner := api.As(webtest.Employee(1)), api.As(webtest.Manager(1)), api.As(webtest.Owner(1))
	refused := func(most int) string {
		return fmt.Sprintf(`{"percent":["A discount above %d %% needs a member with a higher role: a manager or an owner."]}`, most)
	}
	employee.Post(discounts, `{"name":"a","percent":"20.01"}`).Status(400).JSON(refused(20)).Writes(0)
	employee.Post(discounts, `{"name":" ","percent":"20.01"}`).Status(400).Field("name", `["This field may not be blank."]`).
		Field("percent", `["A discount above 20 % needs a member with a higher role: a manager or an owner."]`)
	employee.Post(discounts, `{"name":"a","percent":"20"}`).Status(201)
	employee.Post(discounts, `{"name":"b","amount":"90000"}`).Status(201)
	employee.Patch(discounts+"1/", `{"percent":21}`).Status(400).JSON(refused(20)).Writes(0)
	manager.Patch(discounts+"1/", `{"percent":50}`).Status(200)
	manager.Patch(discounts+"1/", `{"percent":51}`).Status(400).JSON(refused(50)).Writes(0)
	employee.Patch(discounts+"1/", `{"name":"mine"}`).Status(400).JSON(refused(20)).Writes(0)
	employee.Patch(discounts+"1/", `{"percent":5}`).Status(200)
	owner.Patch(discounts+"1/", `{"percent":100}`).Status(200)
	employee.Delete(discounts + "1/").Status(204)
}
