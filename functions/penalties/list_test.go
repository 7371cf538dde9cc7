package penalties_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestListFarAhead: the index holds no moments after 2286, and finds those by what it holds instead.
func TestListFarAhead(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(list, `{"protocol_number":"KZ-1","violation_date":"2026-03-01","violation_time":"12:00","discount_expires_at":"2026-03-02T14:30:00Z"}`).Status(201)
	c.Post(list, `{"protocol_number":"KZ-2","violation_date":"9999-12-30","violation_time":"12:00","discount_expires_at":"9999-12-31T00:00:00Z"}`).Status(201)
	for query, want := range map[string]string{
		"violated_at__gte=2300-01-01": "2", "violated_at=9999-12-30": "2", "violated_at__lte=2300-01-01": "2 1", "violated_at__lte=2286-01-01": "1",
		"discount_expires_at__gte=2300-01-01T00:00:00Z": "2",
	} {
		if got := found(c.Get(list + "?" + query).Status(200)); got != want {
			t.Errorf("%s finds %s, want %s", query, got, want)
		}
	}
}

// TestList: each filter, search and order finds exactly the penalties that it means.
func TestList(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	for _, body := range []string{
		`{"protocol_number":"KZ-А1","amount":"100","violation_date":"2026-03-01","violation_time":"23:59:59","car":{"number":"123 abc 02"},` +
			`"driver":{"last_name":"Ахметов","first_name":"Ерлан"},"discount_expires_at":"2026-03-02T14:30:00"}`,
		`{"protocol_number":"KZ-A2","amount":"50.25","violation_date":"2026-03-02","violation_time":"00:00","car":{"number":"1123ABC02"},"paid":true,"state":1,` +
			`"discount_expires_at":"2026-03-20T00:00:00Z"}`,
		`{"protocol_number":"KZ-A3","amount":"7","noted":true,"state":1,"discount_expires_at":"2026-03-02T09:30:01Z","driver":{"last_name":"Kim"}}`,
		`{"protocol_number":"KZ-A4","discount_expires_at":"2026-03-09T00:00:00Z","car":{"number":"123ABC02"},"violation_date":"2026-03-02","violation_time":"00:00:01"}`,
	} {
		c.Post(list, body).Status(201)
	}
	belong(t, api, 1, 7, 21, 3)
	belong(t, api, 2, 77, 2, 33)
	for _, tt := range []struct{ query, want string }{
		{"", "4 3 2 1"},
		{"paid=true", "2"},
		{"paid=0", "4 3 1"},
		{"noted=true", "3"},
		{"state=1", "3 2"},
		{"state__in=1,2", "3 2"},
		{"state=2", ""},
		{"number=123abc02", "4 1"},
		{"number=" + url.QueryEscape(" 123 ABC 02 "), "4 1"},
		{"number=23ABC02", ""},
		{"inventory=7", "1"},
		{"inventory=77", "2"},
		{"request=2", "2"},
		{"request=21", "1"},
		{"request=1", ""},
		{"client=3", "1"},
		{"client=33", "2"},
		{"client=-3", ""},
		{"number__in=" + url.QueryEscape("123 abc 02,1123abc02"), "4 2 1"},
		{"number__gte=2", ""},
		{"number__lte=1123abc02", "2"},
		{"number__isnull=true", "3"},
		{"inventory__in=7,77,8", "2 1"},
		{"inventory__lte=7", "1"},
		{"request__gte=3&client__lte=3", "1"},
		{"client__isnull=true", "4 3"},
		{"client__isnull=false&paid__in=false", "1"},
		{"amount__isnull=true", "4"},
		{"state__isnull=0", "3 2"},
		{"ordering=client", "1 2 4 3"},
		{"ordering=-number", "3 4 1 2"},
		{"violated_at__gte=2026-03-02", "4 2"},
		{"violated_at__lte=2026-03-01", "1"},
		{"violated_at__gte=2026-03-01T19:00:00Z&violated_at__lte=2026-03-01T19:00:00Z", "2"},
		{"amount__gte=50.25", "2 1"},
		{"discount_expires_at__gte=2026-03-09", "4 2"},
		{"search=kz-a", "4 3 2"},
		{"search=" + url.QueryEscape("кz-а1"), ""},
		{"search=" + url.QueryEscape("ерлан ахметов"), "1"},
		{"search=123abc", "4 2 1"},
		{"search=7", ""},
		{"search=33", ""},
		{"ordering=amount", "3 2 1 4"},
		{"ordering=-violated_at", "3 4 2 1"},
		{"ordering=name", "2 3 4 1"},
		{"id__in=1,3", "3 1"},
		{"id__in=1,3&paid=false&noted=false", "1"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			if got := found(c.In(t).Get(list + "?" + tt.query).Status(200)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	c.Get(list + "?state=x&inventory=y&violated_at__gte=z&paid=perhaps").Status(400).
		JSON(`{"state":["A valid integer is required."],"inventory":["A valid integer is required."],"paid":["Must be a valid boolean."],` +
			`"violated_at__gte":["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."]}`)
	c.Get(list+"1/").Field("inventory", `"7"`).Field("request", `"21"`).Field("client", `"3"`).Field("car.id", "7")

	// What is not paid: the discount of penalty 1 ends now, that of 3 in a second.
	c.Get(list + "count/").Status(200).Calls(3).JSON(`{"count":3,"amount":"107.00","discount_count":2,"discount_amount":"7.00","discount_expires_at":"2026-03-02T09:30:01Z"}`)
	c.Get(list + "count/?search=kz-a4").JSON(`{"count":1,"amount":"0.00","discount_count":1,"discount_amount":"0.00","discount_expires_at":"2026-03-09T00:00:00Z"}`)
	c.Get(list+"count/?inventory=7").Field("count", "1").Field("discount_expires_at", "null")
	c.Get(list + "count/?state=x").Status(400)
	const none = `{"count":0,"amount":"0.00","discount_count":0,"discount_amount":"0.00","discount_expires_at":null}`
	c.Get(list + "count/?paid=true").JSON(none)
	api.As(webtest.Employee(2)).Get(list + "count/").Status(200).JSON(none)
	api.As(webtest.Employee(2)).Get(list).Status(200).Field("count", "0")
	c.Post(list, `{"protocol_number":"KZ-B","amount":"99999999999999.99","driver":{"last_name":"`+strings.Repeat("Длинная ", 30)+`"}}`).Status(201)
	c.Get(list+"count/").Field("amount", `"100000000000106.99"`)
	// A penalty is found by what it belongs to, and by a word of a very long name.
	belong(t, api, 5, 8, 2100, 5)
	for _, query := range []string{"inventory=8", "request=2100", "client=5", "search=" + url.QueryEscape("длинная")} {
		if got := found(c.Get(list + "?" + query).Status(200)); got != "5" {
			t.Errorf("%s finds %q", query, got)
		}
	}
}

// belong writes whom a penalty belongs to, as matching does.
func belong(t *testing.T, api *webtest.API, id, item, order, client int64) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	err := s.Do(t.Context(), nil, func(w *record.Work) error {
		p, err := penalty.Kind().Edit(t.Context(), w, id)
		if err == nil {
			p.Item, p.Order, p.Client = &item, &order, &client
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// found are the ids of a page.
func found(a *webtest.Answer) string {
	var ids []string
	for i := range a.Int("count") {
		ids = append(ids, fmt.Sprint(a.Int(fmt.Sprintf("results.%d.id", i))))
	}
	return strings.Join(ids, " ")
}
