package finance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestStatement: opening and what was booked is closing, for any period and by page.
func TestStatement(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	cash := account(c, `{"name":"Cash","initial":"100"}`)
	c.Get(cash + "statement/").Status(200).JSON(`{"opening":"100.00","closing":"100.00","count":0,"next":null,"previous":null,"results":[]}`)
	for i, at := range []string{
		"2025-12-31T18:59:59Z", // the last second of the year in Almaty
		"2025-12-31T19:00:00Z", // the first of the next
		"2026-02-28T19:00:00Z",
		"2026-02-28T18:59:59.999999Z",
		"2026-03-01T10:00:00Z",
		"2026-03-01T10:00:00Z",
		"2026-04-01T00:00:00Z", // ahead
	} {
		c.Post(transactionsPath, fmt.Sprintf(`{"account":1,"amount":%d,"date":%q}`, 1<<i, at)).Status(201)
	}
	for query, want := range map[string]string{
		"": "100.00 227.00 7: 1 2 4 3 5 6 7",
		"date__gte=2025-12-31&date__lte=2025-12-31": "100.00 101.00 1: 1",
		"date__gte=2026-01-01&date__lte=2026-01-01": "101.00 103.00 1: 2",
		"date__gte=2026-02-28&date__lte=2026-03-01": "103.00 163.00 4: 4 3 5 6",
		"date__gte=2026-03-01":                      "111.00 227.00 4: 3 5 6 7",
		"date__lte=2026-02-28":                      "100.00 111.00 3: 1 2 4",
		"date__gte=2026-03-02&date__lte=2026-03-31": "163.00 163.00 0: ",
		"date__gte=1999-01-01&date__lte=1999-01-01": "100.00 100.00 0: ",
		"date__lte=0001-01-01":                      "100.00 100.00 0: ",
		"date__lte=1899-12-31":                      "100.00 100.00 0: ",
		"date__gte=3000-05-01":                      "227.00 227.00 0: ",
		"date__gte=2030-01-01":                      "227.00 227.00 0: ",
		"pageSize=3":                                "100.00 227.00 7: 1 2 4",
		"pageSize=3&page=2":                         "100.00 227.00 7: 3 5 6",
		"pageSize=3&page=last":                      "100.00 227.00 7: 7",
		"pageSize=1&page=6":                         "100.00 227.00 7: 6",
		"date__gte=2026-03-01&pageSize=2&page=2":    "111.00 227.00 4: 6 7",
	} {
		if got := statement(c, cash, query); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	c.Get(cash+"statement/?pageSize=3&page=2").Calls(4).Field("next", `"`+webtest.BaseURL+cash+`statement/?page=3&pageSize=3"`).
		Field("previous", `"`+webtest.BaseURL+cash+`statement/?pageSize=3"`)
	c.Get(cash + "statement/?pageSize=3&page=4").Status(404)
	c.Get(accountsPath + "9/statement/").Status(404)
	c.Get(accountsPath + "9999999999999/statement/").Status(404)
	c.Get(cash + "statement/?date__gte=yesterday&date__lte=2026-02-30").Status(400).JSON(
		`{"date__gte":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."],
		"date__lte":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`)
	c.Get(cash + "statement/?date__gte=2026-03-02&date__lte=2026-03-01").Status(400).JSON(`{"date__lte":["This date is before date__gte."]}`)

	// The company moves, and what was booked stays on its days; what is dated anew doesn't.
	inZone(t, api, "America/New_York")
	if got := statement(c, cash, "date__lte=2025-12-31"); got != "100.00 101.00 1: 1" {
		t.Errorf("after the move: %s", got)
	}
	c.Patch(transactionsPath+"2/", `{"amount":"2.50"}`).Status(200).Field("day", `"2026-01-01"`)
	c.Patch(transactionsPath+"2/", `{"date":"2025-12-31T19:00:01Z"}`).Status(200).Field("day", `"2025-12-31"`)
	if got := statement(c, cash, "date__lte=2026-01-01"); got != "100.00 103.50 2: 1 2" {
		t.Errorf("after an edit: %s", got)
	}
	c.Delete(transactionsPath + "1/").Status(204)
	if got := statement(c, cash, "date__lte=2026-02-28"); got != "100.00 110.50 2: 2 4" {
		t.Errorf("after an end: %s", got)
	}
}

// statement is what a statement says: opening, closing, count and the ids of the page.
func statement(c *webtest.Client, account, query string) string {
	page := c.Get(account + "statement/?" + query).Status(200)
	var ids []string
	for i := range len(page.Value("results").([]any)) {
		ids = append(ids, fmt.Sprint(page.Int(fmt.Sprintf("results.%d.id", i))))
	}
	return fmt.Sprintf("%s %s %d: %s", page.Text("opening"), page.Text("closing"), page.Int("count"), strings.Join(ids, " "))
}
