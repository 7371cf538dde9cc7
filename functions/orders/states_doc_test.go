package orders_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Each arrow of docs/orders.md leads where the page says, for whom it says and not for a lesser role; and the steps of an action that an order
// allows are among the arrows.
func TestStatesDoc(t *testing.T) {
	doc := page(t, "orders.md")
	var arrows []cells
	for _, rows := range tablesOf(doc) {
		if rows[0].has("From") {
			arrows = rows
		}
	}
	if len(arrows) < 18 {
		t.Fatalf("%d arrows were found", len(arrows))
	}
	for _, arrow := range arrows {
		t.Run(arrow["From"]+" to "+arrow["To"]+" "+arrow["Call"], func(t *testing.T) { takes(t, arrow) })
	}
	t.Run("no other step", func(t *testing.T) {
		for from := range 6 {
			api, c := newAPI(t, webtest.Setup{})
			lead(c, fmt.Sprint(from), false)
			refused := act(c, 1, 0).Status(409).Field("code", `"status"`)
			for _, step := range refused.Value("allowed").([]any) {
				if !hasArrow(arrows, fmt.Sprint(from), fmt.Sprintf(`{"status":%v`, step)) {
					t.Errorf("%d allows the step %v, which is no arrow", from, step)
				}
			}
			whole(t, api)
		}
	})
}

func hasArrow(arrows []cells, from, step string) bool {
	for _, a := range arrows {
		if a["From"] == from && strings.Contains(a["Call"], step) {
			return true
		}
	}
	return false
}

// lead makes order 1 one of a state, with two lines of which, in rent, the first is out. ready says that its next return settles it.
func lead(c *webtest.Client, state string, ready bool) {
	if state == "none" {
		return
	}
	c.Post(requests, `{"client":1,"inventories":[`+line(1)+`,`+line(2)+`]}`).Status(201)
	if ready {
		c.Post(requests+"1/pay/", `{"amount":6000}`).Status(200)
	}
	switch state {
	case "0":
		return
	case "3":
		act(c, 1, 3).Status(200)
		return
	}
	act(c, 1, 1).Status(200)
	if state == "1" {
		return
	}
	act(c, 1, 2, `,"order_inventories":[1]`).Status(200)
	if state == "2" {
		return
	}
	act(c, 1, 2).Status(200)
	if state == "4" && !ready {
		c.Post(requests+"1/pay/", `{"amount":6000}`).Status(200)
	}
	act(c, 1, 4).Status(200).Field("status", state)
}

func line(item int) string {
	return fmt.Sprintf(`{"inventory":%d,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-03T10:00:00Z"}`, item)
}

// takes takes an arrow: first as one whose role is too low, then as one who may.
func takes(t *testing.T, arrow cells) {
	api, c := newAPI(t, webtest.Setup{})
	parts := strings.Split(arrow["Call"], "`")
	method, path, _ := strings.Cut(parts[1], " ")
	var body any
	if len(parts) > 3 {
		body = parts[3]
	}
	who, lesser := c, api.As(webtest.ReadOnly(1))
	switch arrow["Who"] {
	case "employee":
	case "manager":
		who, lesser = api.As(webtest.Manager(1)), c
	default:
		t.Fatalf("nobody is called %s", arrow["Who"])
	}
	lead(c, arrow["From"], strings.Contains(arrow["Call"], "after it was paid"))
	if arrow["From"] == "2" && arrow["To"] > "2" || strings.Contains(arrow["Call"], "while another item is out") {
		act(c, 1, 2).Status(200) // so that no line waits for its hand-out
	}
	lesser.Do(method, path, body).Status(403).Writes(0)
	got := who.Do(method, path, body)
	switch code := got.Code(); {
	case code >= 300:
		t.Fatalf("%d: %s", code, got.Body())
	case arrow["To"] == "gone":
		c.Get(requests + "1/").Status(404)
	default:
		c.Get(requests+"1/").Status(200).Field("status", arrow["To"])
	}
	whole(t, api)
}

// What docs/orders.md asks about is told, and comes to that when it is carried out as the page says.
func TestWhatIfDoc(t *testing.T) {
	var rows []cells
	for _, table := range tablesOf(page(t, "orders.md")) {
		if table[0].has("Asked") {
			rows = table
		}
	}
	if len(rows) < 8 {
		t.Fatalf("%d operations are asked about", len(rows))
	}
	for _, row := range rows {
		t.Run(row["Operation"], func(t *testing.T) {
			api, c := newAPI(t, webtest.Setup{})
			state := "1"
			if strings.Contains(row["Asked"], `"line"`) { // its item has to be out
				state = "2"
			}
			lead(c, state, false)
			c = api.As(webtest.Manager(1))
			api.Clock.Step(time.Minute)
			c.Post(requests+"1/services/bulk_create/", `{"services":[{"service":1}]}`).Status(201)
			var sent struct{ Body json.RawMessage }
			if err := json.Unmarshal([]byte(row.all("Asked")[0]), &sent); err != nil {
				t.Fatal(err)
			}
			asked := c.Post(requests+"1/quote/", row.all("Asked")[0]).Status(200).Writes(0).Field("available", "true")
			method, path, _ := strings.Cut(row.all("Carried out by")[0], " ")
			c = c.With("If-Match", asked.Text("etag"))
			if done := c.Do(method, path, string(sent.Body)); done.Code() > 201 || done.Text("price") != asked.Text("after.price") {
				t.Errorf("asked %s\ncame to %s", asked.Body(), done.Body())
			}
			whole(t, api)
		})
	}
}
