package events_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/events"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	path  = "/v1/events/"
	point = `{"name":"Airport","address":"1 Runway Road"}`
)

// number gives all events of a company that wait their numbers, as the worker does.
func number(t *testing.T, api *webtest.API, company tenant.ID) (numbered int) {
	t.Helper()
	numbered, err := eventlog.Of(table.Of(api.Env.Table, company), api.Clock.Now).Sequence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return numbered
}

func TestWhatHappened(t *testing.T) {
	api := webtest.New(t, points.New, events.New)
	owner, employee, reader := api.As(webtest.Owner(1)), api.As(webtest.Employee(1)), api.As(webtest.ReadOnly(1))
	reader.Get(path).Status(200).JSON(`{"results":[],"next_cursor":"0"}`).Calls(3).Units(3, 0)
	reader.Get(path + "?after=0").Status(200).JSON(`{"results":[],"next_cursor":"0"}`).Calls(2)
	reader.Get(path + "?after=end").Status(200).JSON(`{"results":[],"next_cursor":"0"}`).Calls(1)

	made := owner.Post("/v1/crm/rental_points/", point).Status(201)
	reader.Get(path).Status(200).JSON(`{"results":[],"next_cursor":"0"}`) // nothing has a number yet
	number(t, api, 1)
	api.Clock.Step(time.Minute)
	changed := employee.Patch("/v1/crm/rental_points/1/", `{"name":"Station"}`).Status(200)
	owner.Delete("/v1/crm/rental_points/1/").Status(204)
	number(t, api, 1)

	first := `{"id":1,"type":"rental_point.created","created_at":"2026-03-02T09:30:00Z","object":"rental_point:1","revision":1,
		"concerns":[],"user":14,"feed":null,"key":null,"request_id":"` + made.Get("X-Request-Id") + `","data":{}}`
	second := `{"id":2,"type":"rental_point.updated","created_at":"2026-03-02T09:31:00Z","object":"rental_point:1","revision":2,
		"concerns":[],"user":12,"feed":null,"key":null,"request_id":"` + changed.Get("X-Request-Id") + `","data":{"fields":["name"]}}`
	a := reader.Get(path).Status(200).Calls(3).Units(3, 0).Field("next_cursor", `"3"`)
	a.Field("results.0", first).Field("results.1", second).Field("results.2.type", `"rental_point.deleted"`)
	reader.Get(path+"?after=1").Status(200).Calls(1).Units(1, 0).Field("next_cursor", `"3"`).Field("results.0", second)
	reader.Get(path+"?after=2").Status(200).Calls(3).Units(3, 0).Field("results.0.id", "3") // within a page
	reader.Get(path+"?after=3").Status(200).JSON(`{"results":[],"next_cursor":"3"}`).Calls(2).Units(2, 0)
	reader.Get(path+"?after=end").Status(200).JSON(`{"results":[],"next_cursor":"3"}`).Calls(1).Units(1, 0)

	types := path + "?types=rental_point.updated,client.created&types=rental_point.deleted"
	reader.Get(types).Status(200).Field("next_cursor", `"3"`).Field("results.0", second).Field("results.1.id", "3")
	reader.Get(path + "?types=client.created").Status(200).JSON(`{"results":[],"next_cursor":"3"}`) // an empty page goes on
	api.As(webtest.Owner(2)).Get(path).Status(200).JSON(`{"results":[],"next_cursor":"0"}`)
}

func TestWrongQueries(t *testing.T) {
	api := webtest.New(t, points.New, events.New)
	owner := api.As(webtest.Owner(1))
	owner.Post("/v1/crm/rental_points/", point).Status(201)
	number(t, api, 1)
	for _, cursor := range []string{"x", "-1", "1.0", "%2B1", "END", "01x", fmt.Sprint(table.MaxID), fmt.Sprint(table.MaxID + 1), "1000000000000000000", "99999999999999999999"} {
		text := map[string]string{"%2B1": "+1"}[cursor]
		if text == "" {
			text = cursor
		}
		owner.Get(path + "?after=" + cursor).Status(400).JSON(`{"after":["\"` + text + `\" is not a valid cursor."]}`).Calls(0)
	}
	owner.Get(path + "?after=" + fmt.Sprint(table.MaxID-1)).Status(400)
	owner.Get(path + "?after=2").Status(400).JSON(`{"after":["\"2\" is not a valid cursor."]}`).Calls(3)
	owner.Get(path + "?types=order.created,client.eaten,x").Status(400).
		JSON(`{"types":{"1":["\"client.eaten\" is not a valid choice."],"2":["\"x\" is not a valid choice."]}}`).Calls(0)
	owner.Get(path + "?after=x&types=x").Status(400).
		JSON(`{"after":["\"x\" is not a valid cursor."],"types":{"0":["\"x\" is not a valid choice."]}}`)
}

// What is older than 30 days is told to nobody, and nobody misses it without being told so.
func TestExpiry(t *testing.T) {
	api := webtest.New(t, points.New, events.New)
	owner := api.As(webtest.Owner(1))
	change := func(n int) {
		for range n {
			owner.Post("/v1/crm/rental_points/", point).Status(201)
			number(t, api, 1)
		}
	}
	change(5)
	api.Clock.Step(20 * 24 * time.Hour)
	change(4)
	api.Clock.Step(10 * 24 * time.Hour)
	owner.Get(path).Status(200).Field("results.0.id", "1").Field("next_cursor", `"9"`)
	api.Clock.Step(time.Second)
	gone := `{"detail":"Events after this cursor are not kept any more.","code":"cursor_expired"}`
	for _, cursor := range []string{"0", "1", "4"} {
		owner.Get(path + "?after=" + cursor).Status(410).JSON(gone)
	}
	owner.Get(path+"?after=5").Status(200).Field("results.0.id", "6").Field("next_cursor", `"9"`)
	owner.Get(path).Status(200).Field("results.0.id", "6").Field("next_cursor", `"9"`)
	api.Clock.Step(30 * 24 * time.Hour)
	owner.Get(path + "?after=8").Status(410).JSON(gone)
	owner.Get(path + "?after=9").Status(200).JSON(`{"results":[],"next_cursor":"9"}`)
	owner.Get(path).Status(200).JSON(`{"results":[],"next_cursor":"9"}`)
}

// Who may not read the history of a record is not told what happens to it.
func TestWhoReadsWhat(t *testing.T) {
	api := webtest.New(t, finance.New, points.New, events.New)
	api.Join(webtest.Accountant(1))
	owner := api.As(webtest.Owner(1))
	owner.Post("/v1/finances/accounts/", `{"name":"Till"}`).Status(201)
	owner.Post("/v1/crm/rental_points/", point).Status(201)
	number(t, api, 1)
	all, some := []string{"account.created", "rental_point.created"}, []string{"rental_point.created"}
	for who, want := range map[webtest.Caller][]string{
		webtest.Owner(1): all, webtest.Manager(1): all, webtest.Accountant(1): all, webtest.Employee(1): some, webtest.ReadOnly(1): some,
		webtest.Key(5, 1, "events:read", "rental_points:read", "finance:write"): some,
		webtest.Key(6, 1, "events:read", "rental_points:read", "finance:read"):  all,
	} {
		c := api.As(who)
		if got := told(t, c.Get(path).Status(200).Field("next_cursor", `"2"`)); !slices.Equal(got, want) {
			t.Errorf("%+v is told %v, want %v", who.Principal, got, want)
		}
		one := told(t, c.Get(path+"?types=account.created").Status(200).Field("next_cursor", `"2"`))
		if len(one) != len(want)-1 {
			t.Errorf("%+v asks for one type, and is told %v", who.Principal, one)
		}
	}
}

// TestWhatAProgramDid: an event names the key, and no user; without the scope of events a key is told nothing.
func TestWhatAProgramDid(t *testing.T) {
	api := webtest.New(t, points.New, events.New)
	api.As(webtest.Key(5, 1, "rental_points:write")).Post("/v1/crm/rental_points/", point).Status(201)
	number(t, api, 1)
	api.As(webtest.Key(6, 1, "events:read", "rental_points:read")).Get(path).Status(200).
		Field("results.0.user", "null").Field("results.0.feed", "null").Field("results.0.key", "5")
	api.As(webtest.Key(6, 1, "rental_points:read", "history:read")).Get(path).Status(403).Calls(0)
	api.As(webtest.Key(6, 2, "events:read", "rental_points:read")).Get(path).Status(200).Field("results", "[]")
}

// told are the types of the events in an answer.
func told(t *testing.T, a *webtest.Answer) (names []string) {
	t.Helper()
	var page events.LogPage
	if err := json.Unmarshal(a.Body(), &page); err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Results {
		names = append(names, string(e.Type))
	}
	return names
}
