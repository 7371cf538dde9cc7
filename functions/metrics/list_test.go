package metrics_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	rows "github.com/tenantry/tenantry/functions/metrics/row"
	orders "github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// seed gives a company rows.
func seed(t testing.TB, api *webtest.API, of tenant.ID, list []rows.Row) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, of), Now: api.Env.Now}
	if err := rows.Seed(t.Context(), s, list); err != nil {
		t.Fatal(err)
	}
}

// TestListsOfRows asks for rows in many ways, and compares with what a plain loop finds.
func TestListsOfRows(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	random := rand.New(rand.NewPCG(1, 2))
	var all []rows.Row
	for n := range int64(400) {
		r := rows.New(rows.Types()[random.IntN(7)], 1000-n*2)
		r.Date = decode.Date(fmt.Sprintf("2026-0%d-%02d", 1+random.IntN(3), 1+random.IntN(6)*4))
		r.Prediction, r.Profit = money.Whole(random.Int64N(4)), money.Whole(random.Int64N(20))
		if point := random.Int64N(3); point > 0 {
			r.Point = &point
		}
		all = append(all, r)
	}
	seed(t, api, 1, all)
	compare := map[string]func(a, b rows.Row) int{
		"date":       func(a, b rows.Row) int { return cmp.Compare(a.Date, b.Date) },
		"prediction": func(a, b rows.Row) int { return a.Prediction.Cmp(b.Prediction) },
		"profit":     func(a, b rows.Row) int { return a.Profit.Cmp(b.Profit) },
		"id":         func(a, b rows.Row) int { return cmp.Compare(a.ID, b.ID) },
	}
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for range 150 {
		q := map[string]string{
			"type": pick("", "", "delivery", "inventory", "penalty", "request", "sale", "service", "workshop"), "date": pick("", "", "", "2026-02-05", "2026-02-06"),
			"date__gte": pick("", "2026-01-09", "2026-02-01"), "date__lte": pick("", "2026-02-13", "2026-03-05"),
			"rental_point": pick("", "", "", "1", "2", "7"), "pageSize": pick("3", "20", "1000"),
			"ordering": pick("", "", "-date", "date", "date", "prediction", "-profit,date", "date,profit", "-date,prediction,nothing", "id", "-id", "nothing"),
		}
		var query []string
		for name, value := range q {
			if value != "" {
				query = append(query, name+"="+value)
			}
		}
		want := slices.DeleteFunc(slices.Clone(all), func(r rows.Row) bool {
			return q["type"] != "" && string(r.Type()) != q["type"] || q["date"] != "" && string(r.Date) != q["date"] ||
				q["date__gte"] != "" && string(r.Date) < q["date__gte"] || q["date__lte"] != "" && string(r.Date) > q["date__lte"] ||
				q["rental_point"] != "" && (r.Point == nil || fmt.Sprint(*r.Point) != q["rental_point"])
		})
		order := q["ordering"]
		if order == "" || order == "nothing" {
			order = "-date"
		}
		slices.SortFunc(want, func(a, b rows.Row) int {
			for term := range strings.SplitSeq(order, ",") {
				field, descending := strings.CutPrefix(term, "-")
				if compare[field] == nil {
					continue
				}
				by := compare[field](a, b)
				if descending {
					by = -by
				}
				if by != 0 {
					return by
				}
			}
			return cmp.Compare(b.ID, a.ID)
		})
		size := map[string]int{"3": 3, "20": 20, "1000": 1000}[q["pageSize"]]
		page, from := "", 0
		if len(want) > size {
			n := random.IntN((len(want)-1)/size + 1)
			if page, from = fmt.Sprintf("&page=%d", n+1), n*size; n == (len(want)-1)/size && random.IntN(2) == 0 {
				page = "&page=last"
			}
		}
		at := details + "?" + strings.Join(query, "&") + page
		var wanted []int64
		for _, r := range want[from:min(from+size, len(want))] {
			wanted = append(wanted, r.ID)
		}
		a := c.Get(at).Status(200).Field("count", fmt.Sprint(len(want))).Calls(4 + len(wanted)/100)
		if got := a.Status(200).IDs(); !slices.Equal(got, wanted) {
			t.Errorf("%s: %v, want %v", at, got, wanted)
		}
	}
	c.Get(details + "?pageSize=100&page=5").Status(404).JSON(`{"detail":"Invalid page."}`)
	api.As(webtest.Owner(2)).Get(details).Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	api.As(webtest.Owner(2)).Get(days+"?date=2026-02-05").Status(200).Field("results.0.request.count", "0")
}

func TestWrongQueries(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Get(details + "?type=car&date=2026-02-30&date__gte=x&date__lte=2026-1-1&rental_point=one").Status(400).JSON(
		`{"type":["\"car\" is not a valid choice."],"date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."],` +
			`"date__gte":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."],` +
			`"date__lte":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."],"rental_point":["A valid integer is required."]}`)
	c.Get(details+"?date__gte=2026-03-05&date__lte=2026-03-04").Status(200).Field("count", "0")
	c.Get(details + "?rental_point=9223372036854775808").Status(400)
	c.Get(days+"?date=2026-02-30").Status(400).Field("date.0", `"Date has wrong format. Use one of these formats instead: YYYY-MM-DD."`)
	c.Get(days + "?date__gte=2025-01-01&date__lte=2026-02-05").Status(400).JSON(`{"date__gte":["Ensure the period has no more than 400 days."]}`)
	c.Get(days + "?date__gte=0001-01-01&date__lte=9999-12-31").Status(400)
	for _, caller := range []webtest.Caller{webtest.Employee(1), webtest.ReadOnly(1)} {
		for _, path := range []string{details, days} {
			api.As(caller).Get(path).Status(403)
		}
	}
}

// TestPeriods: what general shows where a bound is left out. The clocks of the company say the second of March, 14:30.
func TestPeriods(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	for _, tt := range []struct{ query, count, first, last string }{
		{"", "30", "2026-03-02", "2026-02-01"},
		{"ordering=date", "30", "2026-02-01", "2026-03-02"},
		{"ordering=nothing", "30", "2026-03-02", "2026-02-01"},
		{"date=2030-01-01", "1", "2030-01-01", "2030-01-01"},
		{"date__gte=2026-02-27", "4", "2026-03-02", "2026-02-27"},
		{"date__gte=2026-03-02", "1", "2026-03-02", "2026-03-02"},
		{"date__gte=2026-03-03", "30", "2026-04-01", "2026-03-03"},
		{"date__gte=9999-12-30", "2", "9999-12-31", "9999-12-30"},
		{"date__lte=2026-01-31", "30", "2026-01-31", "2026-01-02"},
		{"date__lte=0001-01-02", "2", "0001-01-02", "0001-01-01"},
		{"date__gte=2025-01-01&date__lte=2026-02-04", "400", "2026-02-04", "2025-01-01"},
		{"date__gte=2024-02-28&date__lte=2024-03-01&ordering=date", "3", "2024-02-28", "2024-03-01"},
		{"date__gte=2026-03-02&date=2026-03-01", "0", "", ""},
		{"date__gte=2026-03-05&date__lte=2026-03-01", "0", "", ""},
	} {
		t.Run(tt.query, func(t *testing.T) {
			a := c.In(t).Get(days+"?pageSize=1000&"+tt.query).Status(200).Field("count", tt.count).Calls(3)
			var got struct{ Results []struct{ Date string } }
			if err := json.Unmarshal(a.Body(), &got); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(len(got.Results)) != tt.count {
				t.Errorf("%d days", len(got.Results))
			}
			if n := len(got.Results); n > 0 && (got.Results[0].Date != tt.first || got.Results[n-1].Date != tt.last) {
				t.Errorf("from %s to %s", got.Results[0].Date, got.Results[n-1].Date)
			}
		})
	}
	c.Get(days+"?page=3").Status(200).Field("results.9.date", `"2026-02-01"`).Field("next", "null").
		Field("results.0", `{"date":"2026-02-10","count":0,"prediction":"0.00","profit":"0.00",`+
			`"delivery":{"count":0,"prediction":"0.00","profit":"0.00"},"inventory":{"count":0,"prediction":"0.00","profit":"0.00"},`+
			`"penalty":{"count":0,"prediction":"0.00","profit":"0.00"},"sale":{"count":0,"prediction":"0.00","profit":"0.00"},`+
			`"service":{"count":0,"prediction":"0.00","profit":"0.00"},"workshop":{"count":0,"prediction":"0.00","profit":"0.00"},`+
			`"request":{"count":0,"prediction":"0.00","profit":"0.00"}}`)
	c.Get(days + "?page=4").Status(404)
	c.Get(days+"?page=last&pageSize=7").Status(200).Field("results.1.date", `"2026-02-01"`)
	api.Clock.Step(10 * time.Hour) // 0:30 in Almaty
	c.Get(days).Status(200).Field("results.0.date", `"2026-03-03"`)
}

// TestListsCost: five days have 1,000 rows each, in the shares that orders have, and 75 others a few.
func TestListsCost(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var all []rows.Row
	one, order, reserved := int64(1), int64(1), orders.Reserved
	for day := range 80 {
		perDay := 20
		if day >= 10 && day < 15 {
			perDay = 1000
		}
		for n := range perDay {
			of := rows.Inventory
			switch {
			case n == 10:
				of = rows.Workshop
			case n%20 < 7:
				of = rows.Request
			case n%20 < 10:
				of = rows.Delivery
			}
			r := rows.New(of, int64(len(all)+1))
			r.Date = decode.Date(first.AddDate(0, 0, day).Format(time.DateOnly))
			r.Order, r.Client, r.Item, r.Group, r.Point = &order, &one, &one, &one, &one
			r.Status = &reserved
			r.Prediction, r.Profit = money.Whole(int64(15_000+n)), money.Whole(int64(n))
			all = append(all, r)
		}
	}
	seed(t, api, 1, all)
	const month = "date__gte=2026-01-01&date__lte=2026-01-31"
	for _, tt := range []struct {
		name, query, count string
		calls              int
		units              float64
	}{
		{"a day", "date=2026-01-12", "1000", 4, 30},
		{"a day's last page", "date=2026-01-12&page=last", "1000", 4, 30},
		{"a day, the oldest first", "date=2026-01-12&ordering=date&page=25", "1000", 4, 30},
		{"a month", month, "5520", 4, 15},
		{"a month, in the middle", month + "&page=125", "5520", 4, 30},
		{"a page of two days", month + "&pageSize=19&page=70", "5520", 4, 45},
		{"all days", "page=100", "6500", 4, 45},
		{"a type of a day", "date=2026-01-12&type=delivery", "150", 4, 20},
		{"a type of a month", month + "&type=inventory&page=60", "2729", 4, 30},
		{"a rare type of a month", month + "&type=workshop", "31", 23, 30},
		{"another order of a day", "date=2026-01-12&ordering=-profit", "1000", 4, 30},
		{"another order of a month", month + "&ordering=-profit", "5520", 4, 90},
		{"a rental point of a month", month + "&rental_point=1", "5520", 4, 90},
	} {
		t.Run(tt.name, func(t *testing.T) {
			query := tt.query
			if !strings.Contains(query, "pageSize") {
				query += "&pageSize=20"
			}
			a := c.In(t).Get(details+"?"+query).Status(200).Field("count", tt.count).Calls(tt.calls).Units(tt.units, 0)
			t.Logf("%d calls, %.1f units", a.Cost().Calls, a.Cost().Read)
		})
	}
	c.Get(days+"?date__gte=2025-01-01&date__lte=2026-02-04&pageSize=400").Status(200).Field("count", "400").Calls(1).Units(60, 0)
}

// TestWhatWasDeletedIsShown: a row shows what it is about as it was when it was deleted. The archive is
// asked only then.
func TestWhatWasDeletedIsShown(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1,"status":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z",`+
		`"inventories":[{"inventory":1}],"services":[{"service":2}]}`).Status(201)
	api.Clock.Step(time.Hour)
	c.Post(requests+"1/action/", `{"status":2}`).Status(200)
	c.Post(requests+"1/pay/", `{"amount":7500}`).Status(200)
	c.Post(requests+"1/action/", `{"status":4}`).Status(200).Field("status", "4")
	api.Deliver()
	items, of := details+"?type=inventory", details+"?type=service"
	calls := c.Get(items).Status(200).Cost().Calls
	for n := range 5 {
		c.Patch(fmt.Sprintf("%s%d/", inventories, n+1), `{"group":null}`).Status(200)
	}
	for _, path := range []string{inventories + "1/", "/v1/crm/clients/1/", "/v1/crm/services/2/", groupsPath + "1/"} {
		c.Delete(path).Status(204)
	}
	c.Get(items).Status(200).Calls(calls+1).Field("count", "1").Field("results.0.inventory.name", `"Camry 1"`).
		Field("results.0.inventory_group.name", `"Sedans"`).Field("results.0.inventory_group.deleted", "true").
		Field("results.0.client_name", `"Assel"`).Field("results.0.client_avatar", `"https://example.com/a.png"`)
	c.Get(of).Status(200).Field("results.0.service.name", `"Cleaning"`).Field("results.0.service.deleted", "true").
		Field("results.0.service.deleted_at", `"2026-03-02T10:30:00Z"`).Field("results.0.client_phone", `"+77027654321"`)
}
