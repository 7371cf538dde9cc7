package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// classes are n lines of a quote that name group 1.
func classes(n int) string {
	one := `{"inventory_group":1,"start_at":"2026-03-04T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}`
	return `"inventories":[` + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + `]`
}

// A quote answers what an item of a group costs, which one is had, and how many are free.
func TestQuoteOfAClass(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{`+many(1, 1)+`}`).Status(201)
	a := c.Post(quotes, `{`+classes(1)+`}`).Status(200).Field("available", "true").Field("price", `"3000.00"`).Writes(0)
	a.Field("inventories.0.inventory", "2").Field("inventories.0.free", "4").Field("inventories.0.available", "true").
		Field("inventories.0.inventory_group", "1").Field("inventories.0.price", `"3000.00"`).Field("inventories.0.tarif", "1")
	// Item 2 is named, so the lines of the group share 3, 4 and 5.
	a = c.Post(quotes, `{`+strings.TrimSuffix(classes(4), "]")+`,`+strings.TrimPrefix(many(2, 1), `"inventories":[`)+`}`).Status(200)
	for i, want := range [][2]string{{"3", "3"}, {"4", "2"}, {"5", "1"}, {"null", "0"}} {
		at := fmt.Sprintf("inventories.%d.", i)
		a.Field(at+"inventory", want[0]).Field(at+"free", want[1]).Field(at+"price", `"3000.00"`).Field(at+"inventory_group", "1").
			Field(at+"available", fmt.Sprint(want[0] != "null")).Field(at+"conflicts", "[]").Field(at+"alternatives", "[]")
	}
	a.Field("available", "false").Field("price", `"15000.00"`).Field("inventories.4.inventory", "2").Field("inventories.4.free", "null").
		Field("inventories.4.available", "true").Writes(0)
	// A group without items has a price, too.
	c.Post(groupsPath, `{"name":"New"}`).Status(201)
	c.Post(groupsPath+"2/tarifs/", `{"inventory_group":2,"name":"Day","price":700,"duriation":86400}`).Status(201)
	c.Post(quotes, `{`+strings.Replace(classes(1), `p":1`, `p":2`, 1)+`}`).Status(200).Field("available", "false").
		Field("inventories.0.inventory", "null").Field("inventories.0.free", "0").Field("price", `"700.00"`)
}

func TestQuoteOfAClassKeepsTheBuffer(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Put("/v1/crm/settings/rental/", `{"buffer":7200}`).Status(200)
	c.Post(requests, `{"inventories":[{"inventory":1,"start_at":"2026-03-05T11:00:00Z","end_at":"2026-03-05T12:00:00Z"}]}`).Status(201)
	c.Post(quotes, `{`+classes(1)+`}`).Status(200).Field("inventories.0.inventory", "2").Field("inventories.0.free", "4")
}

// What another line of the call has is missing only while that line has it.
func TestQuoteOfAClassBesideOtherTimes(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	const day = `"start_at":"2026-03-%02dT10:00:00Z","end_at":"2026-03-%02dT10:00:00Z"}`
	const class = `{"inventory_group":1,` + day
	lines := fmt.Sprintf(class+`,{"inventory":1,`+day+`,`+class+`,`+class, 4, 5, 6, 7, 5, 6, 6, 7)
	c.Post(quotes, `{"inventories":[`+lines+`]}`).Status(200).Field("available", "true").
		Field("inventories.0.inventory", "1").Field("inventories.0.free", "5").
		Field("inventories.2.inventory", "1").Field("inventories.2.free", "5").
		Field("inventories.3.inventory", "2").Field("inventories.3.free", "4").Writes(0)
}

func TestQuoteOfAClassRefuses(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	const when = `"start_at":"2026-03-04T10:00:00Z","end_at":"2026-03-05T10:00:00Z"`
	for _, tt := range [][2]string{
		{`{"inventory_group":99,` + when + `}`, `{"inventory_group":["Invalid pk \"99\" - object does not exist."]}`},
		{`{"inventory_group":1,"inventory":1,` + when + `}`, `{"inventory_group":["A line names an item or a group, not both."]}`},
		{`{` + when + `}`, `{"inventory":["This field is required."]}`},
		{`{"inventory_group":1,"type":1}`, `{"inventory_group":["Only a rental takes a group: what a sale costs depends on the item."]}`},
		{`{"inventory_group":1,"start_at":"2026-03-04T10:00:00Z"}`, `{"end_at":["This field is required."]}`},
	} {
		c.Post(quotes, `{"inventories":[`+tt[0]+`]}`).Status(400).JSON(`{"inventories":[` + tt[1] + `]}`).Writes(0)
	}
	api.As(webtest.Employee(2)).Post(quotes, `{`+classes(1)+`}`).Status(400).Field("inventories.0.inventory_group.0", `"<string>"`)
	// Only a quote takes a group: to all else the field is unknown.
	c.Post(requests, `{`+classes(1)+`}`).Status(400).Field("inventories.0.inventory.0", `"This field is required."`).Writes(0)
	c.Post(requests, `{}`).Status(201)
	c.Post(requests+"1/inventories/bulk_create/", `{`+classes(1)+`}`).Status(400).Writes(0)
	c.Post(lines, `{"request":1,"inventory_group":1,`+when+`}`).Status(400).Writes(0)
}

// A quote of thirty lines of a group reads a bounded number of items.
func TestCostsOfAClass(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	fleet(c, 40)
	one := c.Post(quotes, `{`+classes(1)+`}`).Status(200).Field("inventories.0.free", "40")
	thirty := c.Post(quotes, `{`+classes(30)+`}`).Status(200).Field("inventories.29.inventory", "30").Field("inventories.29.free", "11")
	t.Logf("a line of a group: %v, thirty: %v", one.Cost(), thirty.Cost())
	one.Calls(6).Units(19, 0)
	thirty.Calls(6).Units(77, 0)
}
