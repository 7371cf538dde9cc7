package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// An order without a unique_id has its number as one, unless another order was given that.
func TestUniqueIDs(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"unique_id":"2"}`).Status(201).Field("unique_id", `"2"`)
	c.Post(requests, `{"unique_id":" 2 "}`).Status(400).JSON(`{"unique_id":["This field must be unique."]}`)
	c.Post(requests, `{"unique_id":"5"}`).Status(201)
	for _, want := range []string{`"3"`, `"4"`, `"6"`} { // 5 is taken
		c.Post(requests, `{}`).Status(201).Field("unique_id", want)
	}
	c.Post(requests, `{"unique_id":"R-7"}`).Status(201)
	c.Patch(requests+"1/", `{"unique_id":null}`).Status(200).Field("unique_id", `"1"`)
	c.Patch(requests+"1/", `{"unique_id":"R-7"}`).Status(400).JSON(`{"unique_id":["This field must be unique."]}`)
}

// An order whose unique_id is taken away has its number again, or the next one that is free.
func TestUniqueIDTakenAway(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"unique_id":"A"}`).Status(201)
	c.Post(requests, `{"unique_id":"1"}`).Status(201)
	c.Patch(requests+"1/", `{"unique_id":null}`).Status(200).Field("unique_id", `"1-1"`)
	c.Patch(requests+"1/", `{"unique_id":null}`).Status(200).Field("unique_id", `"1-1"`).Writes(0)
	c.Patch(requests+"1/", `{"unique_id":"B"}`).Status(200).Field("unique_id", `"B"`)
	c.Post(requests, `{"unique_id":"1-1"}`).Status(201)
	c.Patch(requests+"1/", `{"unique_id":null,"rent_start":"2026-03-10T10:00:00Z","rent_end":"2026-03-09T10:00:00Z"}`).Status(400).
		JSON(`{"rent_end":["Ensure this value is after rent_start."]}`)
	c.Put(requests+"1/", `{"unique_id":null}`).Status(200).Field("unique_id", `"1-2"`)
	c.Patch(requests+"1/", `{"unique_id":"1"}`).Status(400).JSON(`{"unique_id":["This field must be unique."]}`)
	c.Patch(requests+"2/", `{"unique_id":null}`).Status(200).Field("unique_id", `"2"`)
	c.Patch(requests+"1/", `{"unique_id":"1"}`).Status(200).Field("unique_id", `"1"`)
	c.Patch(requests+"1/", `{"unique_id":null}`).Status(200).Field("unique_id", `"1"`)
	c.Post(requests, `{"unique_id":"1"}`).Status(400)
	whole(t, api)
}

// Lines are found by the name of their client. A referral has no text, so its list has no search.
func TestFoundLines(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(clientsPath, `{"name":"Bolat Akhmetov"}`).Status(201)
	const parts = `"services":[{"service":1}],"inventories":[{"inventory":1,"start_at":"2026-03-1%dT10:00:00Z","end_at":"2026-03-1%dT11:00:00Z"}]`
	c.Post(requests, fmt.Sprintf(`{"client":1,`+parts+`}`, 1, 1)).Status(201)
	c.Post(requests, fmt.Sprintf(`{"client":2,`+parts+`}`, 2, 2)).Status(201)
	c.Post(requests, fmt.Sprintf(`{`+parts+`}`, 3, 3)).Status(201)
	for query, want := range map[string]string{
		"?search=akhmetov%20BOL": "2", "?search=assel": "1", "?search=nobody": "", "?search=%20": "3 2 1", "": "3 2 1",
		"?search=assel&client=2": "", "?search=a&ordering=id": "1 2",
	} {
		for _, path := range []string{lines, requests + "services/"} {
			var got []string
			for _, l := range list(c.Get(path + query).Status(200).Value("results")) {
				got = append(got, fmt.Sprint(l.(map[string]any)["id"]))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s%s: %v, want %s", path, query, got, want)
			}
		}
	}
	c.Post(referrals, `{"request":1,"amount":9}`).Status(201)
	c.Get(referrals+"?search=x").Status(200).Field("count", "1")
}

// Lists of orders are found by unique_id, by the name of the client, by status and by time.
func TestFoundOrders(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(clientsPath, `{"name":"Bolat"}`).Status(201)
	c.Post(requests, `{"client":1,"rent_start":"2026-03-10T10:00:00Z","rent_end":"2026-03-12T10:00:00Z"}`).Status(201)
	c.Post(requests, `{"client":2,"unique_id":"Assel's second","inventories":[`+
		`{"inventory":1,"start_at":"2026-03-11T10:00:00Z","end_at":"2026-03-14T10:00:00Z"}]}`).Status(201)
	c.Post(requests, `{"client":2,"status":1,"inventories":[{"inventory":2,"type":1,"start_at":"2026-03-20T10:00:00Z"}]}`).Status(201)
	for query, ids := range map[string]string{
		"":                                   "[3,2,1]",
		"?search=assel":                      "[2,1]",
		"?search=bolat":                      "[3,2]",
		"?search=second":                     "[2]",
		"?search=nobody":                     "[]",
		"?client=2&status=1":                 "[3]",
		"?status__in=0,1&client=1":           "[1]",
		"?start_at=2026-03-13":               "[3,2]",
		"?start_at=2026-03-21":               "[]",
		"?rent_end__isnull=true":             "[3]",
		"?rent_end__gte=2026-03-14":          "[2]",
		"?inventory=1":                       "[2]",
		"?inventory=3":                       "[]",
		"?inventory__in=1&inventory__in=2,9": "[3,2]",
		"?inventory__in=1,2&inventory=2":     "[3]",
		"?inventory=2&status=0":              "[]",
		"?inventory=2&search=assel":          "[]",
		"?search=second+bolat":               "[]",
		"?end_at=2026-03-10":                 "[1]",
		"?start_at=2026-03-13T00:00:00Z&end_at=2026-03-19T00:00:00Z": "[2]",
		"?ordering=rent_start": "[1,2,3]",
		"?ordering=-rent_end":  "[3,2,1]",
		"?ordering=rent_end":   "[1,2,3]",
	} {
		page := c.Get(requests + query).Status(200)
		got := []int64{}
		for i := range page.Int("count") {
			got = append(got, page.Int(fmt.Sprintf("results.%d.id", i)))
		}
		if fmt.Sprint(got) != strings.ReplaceAll(ids, ",", " ") {
			t.Errorf("%s: %v, want %s", query, got, ids)
		}
	}
	c.Get(requests+"?start_at=soon").Status(400).Field("start_at", `["Datetime has wrong format. Use one of these formats instead: `+
		`YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."]`)
}
