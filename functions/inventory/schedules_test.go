package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	theSchedules = all + "schedules/"
	march        = "start_at=2026-03-01T00:00:00Z&end_at=2026-04-01T00:00:00Z"
)

// onMarch is a moment of March 2026, in days and hours; it is the 2nd, half past nine.
func onMarch(day, hour int) moment.Micros {
	return moment.Of(time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC))
}

// occupy makes entries in the calendars of items of company 1, as orders do, beside a record of its own.
func occupy(t *testing.T, api *webtest.API, entries map[int64][]calendar.Entry) {
	t.Helper()
	var items []int64
	for id := range entries {
		items = append(items, id)
	}
	slices.Sort(items)
	for part := range slices.Chunk(items, 80) {
		s := record.Scope{
			Table: table.Of(api.Env.Table, 1), Actor: audit.Actor{User: 1, Request: fmt.Sprint("seed ", part[0]), At: api.Clock.Now()},
			Now: api.Clock.Now,
		}
		err := s.Do(t.Context(), nil, func(w *record.Work) error {
			item.Kind().Create(w, "", &item.Item{Name: "Proof", Disabled: new(item.DisabledArchive), Extra: decode.JSON(`{}`)})
			for _, id := range part {
				for _, e := range entries[id] {
					if err := calendar.Change(t.Context(), w, id, func(c *calendar.Calendar) error { return c.Occupy(e, s.Now()) }); err != nil {
						return fmt.Errorf("item %d: %w", id, err)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func line(id int64, from, to moment.Micros) calendar.Entry {
	return calendar.Entry{Line: id, Order: id + 100, Start: from, End: to}
}

// inZone puts companies into a time zone.
func inZone(t *testing.T, api *webtest.API, zone string, ids ...tenant.ID) {
	t.Helper()
	for _, id := range append(ids, 1) {
		rent(t, api, company.Company{ID: int64(id), TimeZone: zone})
	}
}

// rent stores how a company rents out.
func rent(t *testing.T, api *webtest.API, c company.Company) {
	t.Helper()
	home := table.Of(api.Env.Table, tenant.ID(c.ID))
	c.Item, c.Revision = table.At(home.Company(), company.Version), 1
	if err := home.Put(c).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// fleet makes five items: 1 is rented out and late, 2 booked on the 10th, 3 blocked then, 4 withdrawn, and 5 is free. 2 and 3
// are of the group 1, and 4.
func fleet(t *testing.T) *webtest.API {
	t.Helper()
	api := webtest.New(t, inventory.New, settings.New)
	inZone(t, api, "Asia/Almaty", 2)
	c := api.As(webtest.Employee(1))
	c.Post(groups, `{"name":"Sedans"}`).Status(201)
	for _, body := range []string{
		`{"name":"Camry","unique_id":"C-1","car":{"number":"123ABC02"}}`, `{"name":"Corolla","group":1}`,
		`{"name":"Cruze","group":1}`, `{"name":"Old","group":1,"disabled":2}`, `{"name":"Drill"}`,
	} {
		c.Post(all, body).Status(201)
	}
	c.Post(all+"3/blocks/", `{"start_at":"2026-03-10T08:00:00Z","end_at":"2026-03-10T18:00:00Z","reason":"Repair"}`).Status(201)
	late := line(11, onMarch(1, 8), onMarch(2, 8))
	late.Out = true
	occupy(t, api, map[int64][]calendar.Entry{
		1: {late}, 2: {line(12, onMarch(10, 8), onMarch(11, 8)), {Line: 13, Order: 113, Start: onMarch(30, 0), End: calendar.Forever}},
	})
	return api
}

func ids(a *webtest.Answer) string {
	var list []string
	for i := range int(a.Int("count")) {
		list = append(list, fmt.Sprint(a.Int(fmt.Sprintf("results.%d.id", i))))
	}
	return strings.Join(list, " ")
}

func TestFree(t *testing.T) {
	api := fleet(t)
	c := api.As(webtest.ReadOnly(1))
	for query, want := range map[string]string{
		"free=true&start_at=2026-03-10T09:00:00Z&end_at=2026-03-10T10:00:00Z":              "5 1",
		"free=false&start_at=2026-03-10T09:00:00Z&end_at=2026-03-10T10:00:00Z":             "6 4 3 2", // 6 proves that calendars were written
		"free=false&active=true&start_at=2026-03-10T09:00:00Z&end_at=2026-03-10T10:00:00Z": "3 2",
		"free=true&start_at=2026-03-10T18:00:00Z&end_at=2026-03-10T20:00:00Z":              "5 3 1",
		"free=true&start_at=2026-03-11T08:00:00Z&end_at=2026-03-12T08:00:00Z":              "5 3 2 1",
		"free=true&start_at=2026-03-02T09:00:00Z&end_at=2026-03-02T10:00:00Z":              "5 3 2", // 1 is out until now at least
		"free=true&start_at=2026-03-02T09:30:00Z&end_at=2026-03-02T10:00:00Z":              "5 3 2 1",
		"free=true&start_at=2026-03-25T00:00:00Z&end_at=2036-03-25T00:00:00Z":              "5 3 1",
		"free=true&start_at=2026-03-10T14:00:00&end_at=2026-03-10T23:00:00":                "5 1", // local: 9 to 18
		"free=true&start_at=2026-03-10T23:00:00&end_at=2026-03-11":                         "5 3 1",
		"free=true&start_at=2026-03-10&end_at=2026-03-10":                                  "5 1",
		"free=true&group=1&start_at=2026-03-11T08:00:00Z&end_at=2026-03-12T08:00:00Z":      "3 2",
		"free=true&search=c&ordering=name&start_at=2026-03-11T08:00:00Z&end_at=2026-03-12": "1 2 3",
		"free=true&id__in=1,2,4&start_at=2026-03-10T09:00:00Z&end_at=2026-03-10T10:00:00Z": "1",
		"start_at=2026-03-10T09:00:00Z":                                                    "6 5 4 3 2 1", // nothing is asked of it
	} {
		if got := ids(c.Get(all + "?" + query).Status(200)); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	c.Get(all+"?free=true&pageSize=1&page=2&start_at=2026-03-10T09:00:00Z&end_at=2026-03-10T10:00:00Z").Status(200).
		Field("count", "2").Field("results.0.id", "1")
	for query, want := range map[string]string{
		"free=true": `{"start_at":["This field is required."],"end_at":["This field is required."]}`,
		"free=false&start_at=2026-03-10T09:00:00Z":                               `{"end_at":["This field is required."]}`,
		"free=x&start_at=x&end_at=2026-03-10T09:00":                              `{"free":["Must be a valid boolean."],"start_at":["` + badMoment + `"]}`,
		"free=1&start_at=2026-03-10&end_at=2026-03-9":                            `{"end_at":["` + badMoment + `"]}`,
		"free=1&start_at=2026-03-10&end_at=2026-03-09":                           `{"end_at":["Ensure this value is after start_at."]}`,
		"free=1&start_at=2026-03-10T00:00:00Z&end_at=2026-03-10T00:00:00Z":       `{"end_at":["Ensure this value is after start_at."]}`,
		"free=1&start_at=2026-03-10T00:00:00Z&end_at=2037-03-10T00:00:00Z":       `{"end_at":["Ensure this is at most 3653 days after start_at."]}`,
		"free=1&start_at=2026-03-10T00:00:00Z&end_at=2026-03-10T00:00:00Z&car=x": `{"car":["Must be a valid boolean."],"end_at":["Ensure this value is after start_at."]}`,
	} {
		c.Get(all + "?" + query).Status(400).JSON(want)
	}
	if got := ids(api.As(webtest.Employee(2)).Get(all + "?free=true&start_at=2026-03-10&end_at=2026-03-10").Status(200)); got != "" {
		t.Errorf("another company sees %s", got)
	}
	// The booking of 2 begins at 8 o'clock, the block of 3, too. A time that is kept free counts before a booking alone.
	const before = all + "?free=true&start_at=2026-03-10T04:00:00Z&end_at=2026-03-10T07:00:00Z"
	if got := ids(c.Get(before).Status(200)); got != "5 3 2 1" {
		t.Errorf("nothing is kept free: %s", got)
	}
	api.Join(webtest.Manager(1)).As(webtest.Manager(1)).Put("/v1/crm/settings/rental/", `{"buffer":3601}`).Status(200)
	if got := ids(c.Get(before).Status(200)); got != "5 3 1" {
		t.Errorf("an hour and a second are kept free: %s", got)
	}
}

const badMoment = "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."

func TestSchedules(t *testing.T) {
	api := fleet(t)
	c := api.As(webtest.ReadOnly(1))
	c.Get(theSchedules + "?active=true&ordering=id&pageSize=2&" + march).Status(200).JSON(`{"count":4,
		"next":"` + webtest.BaseURL + theSchedules + `?active=true&end_at=2026-04-01T00%3A00%3A00Z&ordering=id&page=2&pageSize=2&start_at=2026-03-01T00%3A00%3A00Z",
		"previous":null,"results":[
		{"id":1,"name":"Camry","unique_id":"C-1","number":"123ABC02","group":null,"image":null,"disabled":null,"intervals":[
			{"line":11,"request":111,"block":null,"start_at":"2026-03-01T08:00:00Z","end_at":"2026-03-02T08:00:00Z","out":true,"overdue":true,"reason":null}]},
		{"id":2,"name":"Corolla","unique_id":null,"number":null,"group":1,"image":null,"disabled":null,"intervals":[
			{"line":12,"request":112,"block":null,"start_at":"2026-03-10T08:00:00Z","end_at":"2026-03-11T08:00:00Z","out":false,"overdue":false,"reason":null},
			{"line":13,"request":113,"block":null,"start_at":"2026-03-30T00:00:00Z","end_at":null,"out":false,"overdue":false,"reason":null}]}]}`)
	c.Get(theSchedules+"?search=cruze&start_at=2026-03-10&end_at=2026-03-10").Status(200).Field("results.0.intervals", `[
		{"line":null,"request":null,"block":1,"start_at":"2026-03-10T08:00:00Z","end_at":"2026-03-10T18:00:00Z","out":false,"overdue":false,"reason":"Repair"}]`)
	c.Get(theSchedules+"?id__in=1,4&start_at=2026-03-12&end_at=2026-03-13").Status(200).
		Field("count", "2").Field("results.0.disabled", "2").Field("results.1.intervals", "[]")
	for query, want := range map[string]string{
		"":                                       `{"start_at":["This field is required."],"end_at":["This field is required."]}`,
		"?start_at=2026-03-01&group=x":           `{"end_at":["This field is required."],"group":["A valid integer is required."]}`,
		"?start_at=2026-03-03&end_at=2026-03-02": `{"end_at":["Ensure this value is after start_at."]}`,
		"?start_at=2026-03-01T00:00:00Z&end_at=2026-06-02T00:00:00Z": `{"end_at":["Ensure this is at most 92 days after start_at."]}`,
		"?start_at=2026-01-30T09:29:59Z&end_at=2026-03-01T00:00:00Z": `{"start_at":["Ensure this is at most 31 days ago."]}`,
	} {
		c.Get(theSchedules + query).Status(400).JSON(want)
	}
	c.Get(theSchedules + "?start_at=2026-01-30T09:30:00Z&end_at=2026-05-02T09:30:00Z").Status(200)
	c.Get(theSchedules + "?page=2&" + march).Status(404)
	api.As(webtest.Employee(2)).Get(theSchedules + "?" + march).Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
}

func TestAvailability(t *testing.T) {
	api := fleet(t)
	c := api.As(webtest.ReadOnly(1))
	const path = groups + "1/availability/"
	// Both days of the booking, which ends at 13 o'clock of the 11th in Almaty; the block is on the 10th.
	c.Get(path + "?start_at=2026-03-09&end_at=2026-03-12").Status(200).JSON(`[{"date":"2026-03-09","total":2,"free":2},
		{"date":"2026-03-10","total":2,"free":0},{"date":"2026-03-11","total":2,"free":1},{"date":"2026-03-12","total":2,"free":2}]`)
	c.Get(path + "?start_at=2026-03-10T18:59:59Z&end_at=2026-03-10T19:00:00Z").Status(200).JSON(`[{"date":"2026-03-10","total":2,"free":0}]`)
	c.Get(path + "?start_at=2026-03-10T19:00:00Z&end_at=2026-03-10T19:00:01Z").Status(200).JSON(`[{"date":"2026-03-11","total":2,"free":1}]`)
	c.Get(path + "?start_at=2026-03-30&end_at=2026-03-30").Status(200).JSON(`[{"date":"2026-03-30","total":2,"free":1}]`)
	api.As(webtest.Employee(1)).Post(groups, `{"name":"Empty"}`).Status(201)
	c.Get(groups + "2/availability/?start_at=2026-03-30&end_at=2026-03-30").Status(200).JSON(`[{"date":"2026-03-30","total":0,"free":0}]`)
	c.Get(path).Status(400).JSON(`{"start_at":["This field is required."],"end_at":["This field is required."]}`)
	c.Get(path + "?start_at=2026-03-01&end_at=2026-06-30").Status(400).JSON(`{"end_at":["Ensure this is at most 92 days after start_at."]}`)
	if days := strings.Count(string(c.Get(path+"?start_at=2026-03-01&end_at=2026-05-31").Status(200).Body()), "date"); days != 92 {
		t.Errorf("%d days", days)
	}
	c.Get(groups + "9/availability/?" + march).Status(404)
	api.As(webtest.Employee(2)).Get(path + "?" + march).Status(404)
}

// A day begins in the company's time zone, also where the clocks skip midnight.
func TestADayWithoutMidnight(t *testing.T) {
	api := fleet(t)
	inZone(t, api, "Asia/Beirut") // where the 29th begins at one o'clock, which is 22 o'clock of the 28th in UTC
	occupy(t, api, map[int64][]calendar.Entry{3: {line(20, onMarch(28, 12), onMarch(28, 22))}})
	c := api.As(webtest.ReadOnly(1))
	c.Get(groups + "1/availability/?start_at=2026-03-28&end_at=2026-03-29").Status(200).
		JSON(`[{"date":"2026-03-28","total":2,"free":1},{"date":"2026-03-29","total":2,"free":2}]`)
	c.Get(theSchedules+"?id__in=3&start_at=2026-03-29&end_at=2026-03-29").Status(200).Field("results.0.intervals", "[]")
	c.Get(theSchedules + "?start_at=2026-03-29T00:30:00&end_at=2026-03-30").Status(400).
		JSON(`{"start_at":["Invalid datetime for the timezone \"Asia/Beirut\"."]}`)
}

// What it takes to look at 1,000 items.
func TestWhatLookingCosts(t *testing.T) {
	for _, tt := range []struct {
		entries      int
		free, listed float64 // the most read units
	}{{5, 60, 150}, {20, 150, 250}} {
		api := webtest.New(t, inventory.New)
		inZone(t, api, "Asia/Almaty")
		c := api.As(webtest.Employee(1))
		c.Post(groups, `{"name":"Sedans"}`).Status(201)
		seedItems(t, api, 1000)
		entries := map[int64][]calendar.Entry{}
		for id := range int64(1000) {
			for n := range tt.entries {
				from := onMarch(1, 9).Add(time.Duration(int64(n)*36+id%24) * time.Hour)
				e := line(900_000+id*20+int64(n), from, from.Add(9*time.Hour))
				e.Order, e.Gap = 800_000+id, 3600
				entries[id+1] = append(entries[id+1], e)
			}
		}
		occupy(t, api, entries)
		a := c.Get(all + "?free=true&start_at=2026-03-04T20:00:00Z&end_at=2026-03-05T10:00:00Z").Status(200)
		t.Logf("%d entries: free: %+v, %d found", tt.entries, a.Cost(), a.Int("count"))
		a.Calls(4).Units(tt.free, 0)
		if n := a.Int("count"); n == 0 || n == 1000 {
			t.Errorf("%d are free", n)
		}
		begun := time.Now()
		a = c.Get(theSchedules + "?pageSize=1000&" + march).Status(200)
		took := time.Since(begun)
		t.Logf("schedules: %+v, %d bytes, %d sent, %s", a.Cost(), len(a.Body()), a.Sent(), took)
		a.Calls(5).Units(tt.listed, 0)
		if len(a.Body()) > 5<<20 {
			t.Errorf("%d bytes", len(a.Body()))
		}
		a = c.Get(groups + "1/availability/?" + march).Status(200)
		t.Logf("availability: %+v", a.Cost())
		a.Calls(5)
		begin := time.Now()
		a = c.Get(theSchedules + "?active=true&group=1&ordering=name&pageSize=1000&" + march).Status(200)
		t.Logf("schedules, filtered: %+v, %s", a.Cost(), time.Since(begin))
		a.Calls(5)
	}
}

// seedItems makes items of the group 1.
func seedItems(t *testing.T, api *webtest.API, n int) {
	t.Helper()
	for part := range n / 10 {
		s := record.Scope{
			Table: table.Of(api.Env.Table, 1), Actor: audit.Actor{User: 1, Request: fmt.Sprint("items ", part), At: api.Clock.Now()},
			Now: api.Clock.Now,
		}
		err := s.Do(t.Context(), nil, func(w *record.Work) error {
			for i := range 10 {
				plate, tag, group := fmt.Sprintf("%03dABC%02d", i, part), fmt.Sprintf("C-%d-%d", part, i), int64(1)
				brand, model := "Toyota", "Camry 70"
				it := &item.Item{
					Name: fmt.Sprintf("Toyota Camry %d", part*10+i), UniqueID: &tag, Group: &group, Extra: decode.JSON(`{}`),
					Car: &item.Car{Type: item.TypeCar, Brand: &brand, Model: &model, Number: &plate, Extra: decode.JSON(`{}`)},
				}
				item.Kind().Create(w, "", it)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
