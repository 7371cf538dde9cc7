package orders_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const pointsPath = "/v1/crm/rental_points/"

// newPoints is newAPI with three rental points; the first four items are at point 1, and item 5 is at none.
func newPoints(t *testing.T) (*webtest.API, *webtest.Client) {
	t.Helper()
	api, c := newAPI(t, webtest.Setup{})
	for _, name := range []string{"Airport", "Station", "Office"} {
		c.Post(pointsPath, `{"name":"`+name+`","address":"1"}`).Status(201)
	}
	for id := 1; id <= 4; id++ {
		c.Patch(fmt.Sprint(inventories, id, "/"), `{"rental_point":1}`).Status(200)
	}
	return api, c
}

// brought is a reserved order of an item, from one hour of 3 March to another one, that is returned at a point.
func brought(item, start, end int, point string) string {
	return fmt.Sprintf(`{"status":1,"rental_point_return":%s,"inventories":[{"inventory":%d,"start_at":"2026-03-03T%02d:00:00Z",`+
		`"end_at":"2026-03-03T%02d:00:00Z"}]}`, point, item, start, end)
}

// pointOf checks at which rental point an item is.
func pointOf(c *webtest.Client, item int, want string) {
	c.Get(fmt.Sprint(inventories, item, "/")).Status(200).Field("rental_point", want)
}

// redeliver carries out a message that some lines of order 1 came back at point 2.
func redeliver(t *testing.T, api *webtest.API, number int64, line, item int, at string) {
	t.Helper()
	back, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]any{
		"order": 1, "point": 2, "number": number, "actor": map[string]any{"User": 3, "Request": fmt.Sprint("return ", number)},
		"lines": []any{map[string]any{"line": line, "item": item, "at": moment.Of(back)}},
	}
	now := api.Clock.Now()
	m, err := outbox.New(table.Of(api.Env.Table, 1).Message, order.Arriving, body, now, now)
	if err != nil {
		t.Fatal(err)
	}
	if err := order.Work(api.Env.Table, api.Env.Now)[order.Arriving](t.Context(), m); err != nil {
		t.Error(err)
	}
}

const (
	first = 5         // the number of the first move after those of newPoints
	later = 1_000_000 // that of one after all of a test
	ended = "2026-03-03T12:00:00Z"
)

// An item that is returned at another rental point is there once the message is carried out, and its history says who brought it.
func TestItemComesBackElsewhere(t *testing.T) {
	api, c := newPoints(t)
	c.Post(requests, brought(1, 10, 12, "2")).Status(201).Field("rental_point_return", "2")
	api.Clock.Step(25 * time.Hour)
	act(c, 1, 2).Status(200)
	api.Clock.Step(90 * time.Minute)
	act(c, 1, 4).Status(200)
	pointOf(c, 1, "1")
	if api.Deliver() == 0 {
		t.Fatal("no message is due")
	}
	pointOf(c, 1, "2")
	c.Get("/v1/crm/history/?object=inventory:1").Field("results.0.user", fmt.Sprint(webtest.Employee(1).User)).
		Field("results.0.changes", `[{"field":"rental_point","from":1,"to":2}]`)
	log := api.Events(1, 0)
	arrived := log[slices.IndexFunc(log, func(e eventlog.Entry) bool { return e.Name == "inventory.arrived" })]
	if data := string(arrived.Data); arrived.ID != 1 || data != `{"from":1,"to":2,"request":1,"line":1}` ||
		fmt.Sprint(arrived.Concerns) != "[inventory_group:1]" || arrived.User != webtest.Employee(1).User {
		t.Errorf("%+v: %s", arrived, data)
	}
	history := c.Get("/v1/crm/history/?object=inventory:1").Value("count")
	redeliver(t, api, first, 1, 1, ended)
	redeliver(t, api, first-1, 1, 1, ended)
	pointOf(c, 1, "2")
	if again := c.Get("/v1/crm/history/?object=inventory:1").Value("count"); again != history {
		t.Errorf("%v entries of its history, and %v before", again, history)
	}
	whole(t, api)
}

// Whoever moves an item by hand after its return has the last word, however late and often the message is carried out.
func TestMoveByHandHolds(t *testing.T) {
	api, c := newPoints(t)
	c.Post(requests, brought(1, 10, 12, "2")).Status(201)
	c.Post(requests, brought(2, 10, 12, "2")).Status(201)
	c.Post(requests, brought(5, 10, 12, "2")).Status(201)
	api.Clock.Step(25 * time.Hour)
	for id := int64(1); id <= 3; id++ {
		act(c, id, 2).Status(200)
	}
	c.Patch(inventories+"5/", `{"rental_point":3}`).Status(200) // before the return
	for id := int64(1); id <= 3; id++ {
		act(c, id, 4).Status(200)
	}
	c.Patch(inventories+"1/", `{"rental_point":3}`).Status(200)
	c.Patch(inventories+"2/", `{"rental_point":1,"comment":"It is there already"}`).Status(200) // no move
	api.Deliver()
	pointOf(c, 1, "3")
	pointOf(c, 2, "2")
	pointOf(c, 5, "2")
	c.Patch(inventories+"2/", `{"rental_point":null}`).Status(200)
	redeliver(t, api, first+2, 2, 2, "2026-03-03T10:30:00Z") // those of item 5 and of order 1 are before
	pointOf(c, 2, "null")
	whole(t, api)
}

// Of two returns the later one holds, also if its item is where it is returned because the message of the first one is still to come.
func TestLaterReturnHolds(t *testing.T) {
	api, c := newPoints(t)
	c.Post(requests, brought(1, 10, 12, "2")).Status(201)
	c.Post(requests, brought(1, 13, 15, "1")).Status(201)
	api.Clock.Step(25 * time.Hour)
	act(c, 1, 2).Status(200)
	act(c, 1, 4).Status(200)
	api.Clock.Step(3 * time.Hour)
	act(c, 2, 2).Status(200)
	act(c, 2, 4).Status(200)
	api.Deliver()
	pointOf(c, 1, "1")
	redeliver(t, api, first, 1, 1, "2026-03-03T10:30:00Z")
	pointOf(c, 1, "1")
	whole(t, api)
}

// What is not back from the return of which a message tells is not moved, and nothing moves to a point that is gone.
func TestWhatDoesNotMove(t *testing.T) {
	api, c := newPoints(t)
	c.Post(requests, brought(1, 10, 12, "2")).Status(201)
	c.Post(requests, brought(2, 10, 12, "3")).Status(201)
	c.Post(requests, brought(3, 10, 12, "null")).Status(201)
	api.Clock.Step(25 * time.Hour)
	redeliver(t, api, later, 1, 1, ended)
	act(c, 1, 2).Status(200)
	redeliver(t, api, later, 1, 1, ended)
	act(c, 1, 4).Status(200)
	redeliver(t, api, later, 1, 1, ended)
	redeliver(t, api, later, 1, 2, "2026-03-03T10:30:00Z")
	redeliver(t, api, later, 77, 1, "2026-03-03T10:30:00Z")
	pointOf(c, 1, "1")
	act(c, 2, 2).Status(200)
	act(c, 2, 4).Status(200)
	act(c, 3, 2).Status(200)
	act(c, 3, 4).Status(200)
	api.As(webtest.Manager(1)).Delete(pointsPath + "3/").Status(204)
	api.Deliver()
	pointOf(c, 1, "2")
	pointOf(c, 2, "1")
	pointOf(c, 3, "1")
	whole(t, api)
}

// Nobody can name a rental point of another company.
func TestPointOfAnotherCompany(t *testing.T) {
	api, c := newPoints(t)
	other := api.As(webtest.Employee(2))
	for id := 1; id <= 4; id++ {
		other.Post(pointsPath, `{"name":"Theirs","address":"1"}`).Status(201)
	}
	wrong := `{"rental_point_return":["Invalid pk \"4\" - object does not exist."]}`
	c.Post(requests, brought(1, 10, 12, "4")).Writes(0).Status(400).JSON(wrong)
	c.Post(requests, brought(1, 10, 12, "2")).Status(201)
	c.Patch(requests+"1/", `{"rental_point_return":4}`).Writes(0).Status(400).JSON(wrong)
	c.Get(inventories+"?rental_point=4").Status(200).Field("count", "0")
	whole(t, api)
}

// free lists what will be at a rental point when the rental begins, and says where each item will be; pages show each item once.
func TestFreeAtAPoint(t *testing.T) {
	api, c := newPoints(t)
	c.Post(requests, brought(1, 10, 12, "2")).Status(201)
	c.Post(requests, brought(2, 10, 16, "2")).Status(201)
	c.Post(requests, brought(3, 10, 12, "2")).Status(201)
	c.Post(requests, brought(3, 13, 14, "3")).Status(201)
	list := func(query string, start, end int) *webtest.Answer {
		t.Helper()
		return c.Get(fmt.Sprintf("%s?free=true&start_at=2026-03-03T%02d:00:00Z&end_at=2026-03-03T%02d:00:00Z&ordering=id&%s",
			inventories, start, end, query)).Status(200)
	}
	check := func(when string, start, end int, want map[string]string) {
		t.Helper()
		for query, ids := range want {
			if got := fmt.Sprint(list(query, start, end).IDs()); got != ids {
				t.Errorf("%s, %s: %s, want %s", when, query, got, ids)
			}
		}
	}
	check("before all", 8, 10, map[string]string{
		"": "[1 2 3 4 5]", "rental_point=1": "[1 2 3 4]", "rental_point=2": "[]", "rental_point__isnull=true": "[5]",
	})
	check("after the first", 12, 13, map[string]string{
		"": "[1 3 4 5]", "rental_point=1": "[4]", "rental_point=2": "[1 3]", "rental_point__in=1,2": "[1 3 4]",
		"rental_point__isnull=true": "[5]", "rental_point__isnull=false": "[1 3 4]", "rental_point=9": "[]", "rental_point=2&id__in=3,4": "[3]",
	})
	check("after all", 17, 18, map[string]string{"rental_point=1": "[4]", "rental_point=2": "[1 2]", "rental_point=3": "[3]"})
	list("", 17, 18).Field("results.0.rental_point", "1").Field("results.0.rental_point_then", "2").
		Field("results.2.rental_point_then", "3").Field("results.3.rental_point_then", "1").Field("results.4.rental_point_then", "null")
	taken := c.Get(inventories + "?free=false&start_at=2026-03-03T12:00:00Z&end_at=2026-03-03T13:00:00Z&rental_point=1").Status(200)
	if got := taken.Field("results.0.rental_point_then", "1").IDs(); !slices.Equal(got, []int64{2}) {
		t.Errorf("what is not free is %v", got)
	}
	for query, want := range map[string]string{"rental_point=1": "[4 3 2 1]", "rental_point=2": "[]"} {
		a := c.Get(inventories + "?" + query).Status(200).NotContain("rental_point_then")
		if got := fmt.Sprint(a.IDs()); got != want {
			t.Errorf("now, %s: %s, want %s", query, got, want)
		}
	}
	var seen []int64
	for page := 1; page <= 2; page++ {
		a := list(fmt.Sprint("rental_point__in=2,3&pageSize=2&page=", page), 17, 18).Field("count", "3")
		seen = append(seen, a.IDs()...)
	}
	if !slices.Equal(seen, []int64{1, 2, 3}) {
		t.Errorf("the pages show %v", seen)
	}

	// It follows the order, by hand and after the returns.
	c.Patch(requests+"1/", `{"rental_point_return":3}`).Status(200)
	c.Patch(requests+"4/", `{"rental_point_return":null}`).Status(200)
	check("changed", 17, 18, map[string]string{"rental_point=2": "[2 3]", "rental_point=3": "[1]"})
	act(c, 1, 3).Status(200)
	check("cancelled", 17, 18, map[string]string{"rental_point=1": "[1 4]", "rental_point=2": "[2 3]"})
	c.Patch(lines+"2/", `{"inventory":4}`).Status(200)
	check("another item", 17, 18, map[string]string{"rental_point=1": "[1 2]", "rental_point=2": "[3 4]"})
	api.Clock.Step(25 * time.Hour)
	act(c, 2, 2).Status(200)
	c.Patch(requests+"2/", `{"rental_point_return":3}`).Status(200)
	check("out", 17, 18, map[string]string{"rental_point=3": "[4]"})
	act(c, 2, 4).Status(200)
	api.Deliver()
	c.Patch(inventories+"4/", `{"rental_point":2}`).Status(200)
	check("moved on", 17, 18, map[string]string{"rental_point=2": "[3 4]", "rental_point=3": "[]"})
	whole(t, api)
}

// The rental_point_return of an order changes with the times of its lines and its client at once, and not if more than 30 items are to come
// back. That 30 items came back elsewhere is one message.
func TestManyComeBackElsewhere(t *testing.T) {
	api, c := newPoints(t)
	fleet(c, 31)
	c.Post(clientsPath, `{"name":"Dana","phone":"+77027654322"}`).Status(201)
	c.Post(requests, `{"client":1,"status":1,`+many(1, 30)+`}`).Status(201)
	c.Post(requests+"1/inventories/bulk_create/", `{`+many(31, 1)+`}`).Status(201)
	c.Patch(requests+"1/", `{"rental_point_return":2}`).Writes(0).Status(409).Field("code", `"too_many_lines"`)
	c.Delete(lines + "31/").Status(204)
	c.Patch(requests+"1/", `{"rental_point_return":2,"client":2,"rent_start":"2026-03-03T08:00:00Z"}`).Status(200)
	whole(t, api)
	api.Clock.Step(24 * time.Hour)
	act(c, 1, 2).Status(200)
	c.Patch(requests+"1/", `{"rental_point_return":3}`).Status(200)
	act(c, 1, 4).Status(200)
	api.Deliver()
	c.Get(inventories+"?rental_point=3").Status(200).Field("count", "30")
	whole(t, api)
}
