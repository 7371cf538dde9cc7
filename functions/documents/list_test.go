package documents_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/presstest"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// ids are the ids of a page.
func ids(a *webtest.Answer) string {
	var list []string
	results, _ := a.Value("results").([]any)
	for i := range results {
		list = append(list, strconv.FormatInt(a.Int("results."+strconv.Itoa(i)+".id"), 10))
	}
	return strings.Join(list, " ")
}

func TestPages(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(1))
	for i := range 23 {
		c.Post(all, fmt.Sprintf(`{"name":"d%02d"}`, i+1)).Status(201)
	}
	c.Delete(all + "7/").Status(204)
	const at = webtest.BaseURL + all
	quote := func(s string) string {
		if s == "" {
			return "null"
		}
		return `"` + s + `"`
	}
	for query, want := range map[string]struct{ ids, next, previous string }{
		"":                                {"23 22 21 20 19 18 17 16 15 14", at + "?page=2", ""},
		"?page=1":                         {"23 22 21 20 19 18 17 16 15 14", at + "?page=2", ""},
		"?page=":                          {"23 22 21 20 19 18 17 16 15 14", at + "?page=2", ""},
		"?page=2":                         {"13 12 11 10 9 8 6 5 4 3", at + "?page=3", at},
		"?page=3":                         {"2 1", "", at + "?page=2"},
		"?page=last":                      {"2 1", "", at + "?page=2"},
		"?page=last&pageSize=11":          {"12 11 10 9 8 6 5 4 3 2 1", "", at + "?pageSize=11"},
		"?pageSize=20&page=2":             {"2 1", "", at + "?pageSize=20"},
		"?pageSize=22":                    {"23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 6 5 4 3 2 1", "", ""},
		"?pageSize=1000":                  {"23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 6 5 4 3 2 1", "", ""},
		"?pageSize=100000000000000000000": {"23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 6 5 4 3 2 1", "", ""},
		"?pageSize=0":                     {"23 22 21 20 19 18 17 16 15 14", at + "?page=2&pageSize=0", ""},
		"?pageSize=-3":                    {"23 22 21 20 19 18 17 16 15 14", at + "?page=2&pageSize=-3", ""},
		"?pageSize=many":                  {"23 22 21 20 19 18 17 16 15 14", at + "?page=2&pageSize=many", ""},
		"?pageSize=3&ordering=id":         {"1 2 3", at + "?ordering=id&page=2&pageSize=3", ""},
		"?pageSize=3&ordering=-id":        {"23 22 21", at + "?ordering=-id&page=2&pageSize=3", ""},
		"?pageSize=3&ordering=created_at&page=last": {"23", "", at + "?ordering=created_at&page=7&pageSize=3"},
		"?pageSize=3&ordering=nothing,id":           {"1 2 3", at + "?ordering=nothing%2Cid&page=2&pageSize=3", ""},
		"?pageSize=3&ordering=nothing":              {"23 22 21", at + "?ordering=nothing&page=2&pageSize=3", ""},
		"?pageSize=3&ordering=-name&page=3":         {"17 16 15", at + "?ordering=-name&page=4&pageSize=3", at + "?ordering=-name&page=2&pageSize=3"},
		"?pageSize=3&ordering=name&page=last":       {"23", "", at + "?ordering=name&page=7&pageSize=3"},
		"?pageSize=4&ordering=name&page=last":       {"22 23", "", at + "?ordering=name&page=5&pageSize=4"},
		"?search=D1&pageSize=5&page=last":           {"14 13 12 11 10", "", at + "?pageSize=5&search=D1"},
		"?search=d0&a=%D2%B1&a=b":                   {"9 8 6 5 4 3 2 1", "", ""},
		"?search=d0&a=%D2%B1&a=b&pageSize=7":        {"9 8 6 5 4 3 2", at + "?a=%D2%B1&a=b&page=2&pageSize=7&search=d0", ""},
	} {
		a := c.Get(all+query).Status(200).Calls(3).Field("next", quote(want.next)).Field("previous", quote(want.previous))
		if got := ids(a); got != want.ids {
			t.Errorf("%s: ids %s, want %s", query, got, want.ids)
		}
		if !strings.Contains(query, "search") && !strings.Contains(query, "name") {
			a.Calls(2).Units(4, 0).Field("count", "22")
		}
	}
	for _, query := range []string{
		"?page=0", "?page=-1", "?page=4", "?page=abc", "?page=1.5", "?page=99999999999999999999", "?page=Last",
		"?pageSize=22&page=2", "?search=d0&page=2", "?search=nothing&page=2", "?page=9223372036854775807&pageSize=1000",
	} {
		c.Get(all + query).Status(404).JSON(`{"detail":"Invalid page."}`)
	}
	c.Get(all+"?search=nothing&page=last").Status(200).Field("count", "0")
	empty := api.As(webtest.Employee(2))
	for _, query := range []string{"", "?page=1", "?page=last", "?search=a", "?ordering=name&page=last"} {
		empty.Get(all + query).Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	}
	empty.Get(all + "?page=2").Status(404).JSON(`{"detail":"Invalid page."}`)
}

func TestSearch(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(1))
	for _, name := range []string{
		"Договор АРЕНДЫ № 15",                                  // 1
		"Көлікті жалға беру шарты №15",                         // 2
		"Rental agreement Straße",                              // 3
		"Акт приёма-передачи",                                  // 4
		strings.Repeat("очень длинное название ", 20) + "Ұшақ", // 5
		`100% "a_b" \ c`, // 6
	} {
		c.Post(all, map[string]any{"name": name}).Status(201)
	}
	for search, want := range map[string]string{
		"договор": "1", "ДОГОВОР аренды": "1", "аренды договор": "1", "аренды акт": "",
		"КӨЛІК": "2", "ШАРТ": "2", "№15": "2", "№ 15": "2 1", "15": "2 1",
		"STRASSE": "3", "rent": "3", "ПРИЁМА": "4", "ПРИЕ\u0308МА": "4", "ұШАҚ": "5", "название ұшақ": "5",
		"%": "6", "_": "6", `\`: "6", `"A`: "6", "*": "", "": "6 5 4 3 2 1", "  ": "6 5 4 3 2 1",
	} {
		a := c.Get(all + "?search=" + url.QueryEscape(search)).Status(200)
		if got := ids(a); got != want || a.Int("count") != int64(len(strings.Fields(want))) {
			t.Errorf("%q: %s of %d, want %s", search, got, a.Int("count"), want)
		}
	}
	c.Get(all+"?search=%D0%B4%D0%BE%D0%B3").Status(200).Calls(4).Units(5, 0) // one more for the long name
}

func TestOrdering(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(1))
	uri := filestest.Upload(t, c, "a", "a/b", "a")
	for _, body := range []map[string]any{
		{"name": "б"}, {"name": "ә", "source": 1, "file": uri}, {"name": "а"}, {"name": "Б", "source": 1, "file": uri},
	} {
		c.Post(all, body).Status(201)
	}
	for _, id := range []int{2, 1} {
		api.Clock.Step(time.Minute)
		c.Patch(fmt.Sprintf("%s%d/", all, id), `{"name":"я"}`).Status(200)
		c.Patch(fmt.Sprintf("%s%d/", all, id), map[string]any{"name": []string{"", "б", "ә"}[id]}).Status(200)
	}
	for ordering, want := range map[string]string{
		"name": "3 2 4 1", "-name": "4 1 2 3", "name,id": "3 2 1 4", "source": "3 1 4 2", "-source,name": "2 4 3 1",
		"updated_at": "4 3 2 1", "-updated_at": "1 2 4 3", "created_at": "1 2 3 4", "-created_at": "4 3 2 1", "-id,name": "4 3 2 1",
	} {
		if got := ids(c.Get(all + "?ordering=" + ordering).Status(200)); got != want {
			t.Errorf("%s: %s, want %s", ordering, got, want)
		}
	}
}

// inAlmaty gives company 1 its item, with its time zone.
func inAlmaty(t *testing.T, api *webtest.API) {
	t.Helper()
	home := table.Of(api.Env.Table, 1)
	if err := home.Put(company.Company{
		Item: table.At(home.Company(), company.Version), ID: 1, TimeZone: "Asia/Almaty",
	}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestFilters(t *testing.T) {
	api := webtest.Setup{Change: presstest.Pressing(t)}.New(t, documents.New, points.New)
	c := api.As(webtest.Employee(1))
	inAlmaty(t, api)
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"1 Runway Road"}`).Status(201)
	c.Post(all, `{"name":"plain"}`).Status(201)
	c.Post(all, map[string]any{"name": "uploaded", "source": 1, "file": filestest.Upload(t, c, "a.txt", "text/plain", "a")}).Status(201)
	api.Clock.Step(9*time.Hour + 30*time.Minute) // 19:00 in UTC, midnight in Almaty
	c.Post(all, `{"name":"of a point","content_type":"RentalPoint","object_id":1}`).Status(201)
	c.Post(all, `{"name":"of a document","content_type":"Document","object_id":1}`).Status(201)
	for query, want := range map[string]string{
		"":                                      "4 3 2 1",
		"source=1":                              "2",
		"source=0":                              "4 3 1",
		"signed=false":                          "4 3 2 1",
		"signed=true":                           "",
		"content_type=rental_point":             "3",
		"content_type=DOCUMENT":                 "4",
		"content_type=Client":                   "",
		"object_id=1":                           "4 3",
		"object_id__in=2,1&ordering=id":         "3 4",
		"object_id=1&content_type=Document":     "4",
		"template=5":                            "",
		"id__in=4,2,99":                         "4 2",
		"id__in=4,2&search=up":                  "2",
		"created_at__gte=2026-03-03":            "4 3",
		"created_at=2026-03-02":                 "2 1",
		"created_at__lte=2026-03-02T09:30:00Z":  "2 1",
		"created_at__lte=2026-03-02T14:29":      "",
		"created_at__gte=2026-03-02T19:00:01Z":  "",
		"ordering=source":                       "4 3 1 2",
		"ordering=-source,id":                   "2 1 3 4",
		"source=1&signed=false&search=uploaded": "2",
	} {
		t.Run(query, func(t *testing.T) {
			a := c.Get(all+"?"+query).Status(200).Field("count", strconv.Itoa(len(strings.Fields(want))))
			if got := ids(a); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	c.Get(all + "?source=2&signed=maybe&content_type=User&object_id=x&template=y&created_at=z&id__in=1,a&created_at__gte=2026-13-01").Status(400).JSON(`{
		"source":["\"2\" is not a valid choice."],"signed":["Must be a valid boolean."],"content_type":["\"User\" is not a valid choice."],
		"object_id":["A valid integer is required."],"template":["A valid integer is required."],"id__in":["A valid integer is required."],
		"created_at":["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."],
		"created_at__gte":["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."]}`)
	c.Get(all + "?id__in=" + strings.Repeat("1,", 1000) + "1").Status(400).
		JSON(`{"id__in":["Ensure this field has no more than 1000 elements."]}`)
	// Another company's documents have the same ids, and are found by none of it.
	api.As(webtest.Employee(2)).Get(all+"?id__in=1,2,3,4").Status(200).Field("count", "0")
}

// TestSigners: documents are found by the clients who are their signers, as long as these are.
func TestSigners(t *testing.T) {
	api := webtest.Setup{Change: presstest.Pressing(t)}.New(t, documents.New, clients.New)
	inAlmaty(t, api)
	c := api.As(webtest.Employee(1))
	for _, name := range []string{"Assel", "Bolat"} {
		c.Post("/v1/crm/clients/", `{"name":"`+name+`","phone":"+77011234567"}`).Status(201)
	}
	for range 3 {
		c.Post(all, `{"name":"a","content":"<p>a</p>"}`).Status(201)
	}
	sign := func(document, client int) int64 {
		t.Helper()
		return c.Post(fmt.Sprintf("%s%d/signs/", all, document), fmt.Sprintf(`{"client":%d}`, client)).Status(201).Int("id")
	}
	finds := func(query, want string) {
		t.Helper()
		if got := ids(c.With("Prefer", "handling=strict").Get(all + "?" + query).Status(200)); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	sign(1, 1)
	second := sign(2, 1)
	sign(2, 2)
	finds("signer=1", "2 1")
	finds("signer=2", "2")
	finds("signer=3", "")
	finds("signer__in=1&signer__in=2,3&ordering=id", "1 2")
	finds("signer=1&signer__in=2", "2")
	finds("signer=1&signed=true", "")
	c.Delete(fmt.Sprintf("%s2/signs/%d/", all, second)).Status(204)
	finds("signer=1", "1")
	c.Get(all+"?signer=x&signer__in=1,y").Status(400).Units(0, 0).
		JSON(`{"signer":["A valid integer is required."],"signer__in":["A valid integer is required."]}`)
	if got := ids(api.As(webtest.Employee(2)).Get(all + "?signer=1").Status(200)); got != "" {
		t.Errorf("another company sees %s", got)
	}
}
