package inventory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	groups = "/v1/crm/groups/"
	states = all + "states/"
)

// grouped is the answer about a group of company 1, with what differs from one that has only a name.
func grouped(id, name string, other ...string) string {
	fields := `"unit_price":null,"unit_count":null,"unit_sum":null,"image":null,"unique_id":null,"barcode":null,"price":null,"unit_type":null,"published":true,
		"category":null,"type":0,"lifetime":null,"combine":null,"extra":{},"filters":[],"points":[],"tarifs":[]`
	for i := 0; i < len(other); i += 2 {
		if !strings.Contains(fields, other[i]) {
			panic(other[i])
		}
		fields = strings.Replace(fields, other[i], other[i+1], 1)
	}
	return `{"id":` + id + `,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"` + name + `","deleted":false,"tenant":1,` + fields + `}`
}

// TestLifeOfAGroup follows one inventory group from its making to its end.
func TestLifeOfAGroup(t *testing.T) {
	api := webtest.New(t, inventory.New, points.New, history.New)
	c := api.As(webtest.Employee(1))
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"a"}`).Status(201)
	made := c.Post(groups, `{"name":"Sedans"}`).Status(201).JSON(grouped("1", "Sedans")).Header("Location", webtest.BaseURL+groups+"1/")
	// A call for definitions and its name, one for the number, one that writes; the item, its name, the counter, the number and the audit record.
	made.Calls(3).Units(2, 10)
	full := grouped("2", "Oil", `"unit_price":null,"unit_count":null,"unit_sum":null`, `"unit_price":"4990.50","unit_count":"2.50","unit_sum":"12476.25"`,
		`"unique_id":null,"barcode":null,"price":null,"unit_type":null,"published":true`,
		`"unique_id":"OIL","barcode":"46","price":"5500.00","unit_type":"litre","published":false`,
		`"type":0,"lifetime":null,"combine":null,"extra":{},"filters":[],"points":[]`, `"type":1,"lifetime":0,"combine":false,"extra":{"a":1},"filters":["5W-30","x"],"points":[1]`)
	c.Post(groups, `{"name":"Oil","unit_price":4990.5,"unit_count":"2.5","unit_sum":7,"unique_id":"OIL","barcode":46,"price":5500,"unit_type":"litre",
		"published":false,"type":1,"lifetime":0,"combine":"false","extra":{"a":1},"filters":["5W-30","x"],"points":[1],"tarifs":[1],"deleted":true}`).Status(201).JSON(full)
	c.Get(groups+"2/").Status(200).JSON(full).Calls(1).Units(1, 0)
	c.Get(groups + "?type=1&published=false&search=oil").Status(200).JSON(`{"count":1,"next":null,"previous":null,"results":[` + full + `]}`)
	c.Patch(groups+"2/", `{"unit_count":null,"points":[]}`).Status(200).Field("unit_sum", "null").Field("points", "[]").Field("unit_price", `"4990.50"`)
	c.Put(groups+"2/", `{"name":"Oil"}`).Status(200).Field("filters", `["5W-30","x"]`).Header("ETag", `"2"`).Writes(0)
	c.Delete(groups + "2/").Status(204)
	c.Get(groups + "2/").Status(404)
	c.Post(groups, `{"name":"OIL"}`).Status(201) // a name that is free again
}

func TestGroupsThatAreRefused(t *testing.T) {
	api := webtest.New(t, inventory.New, points.New)
	c, two := api.As(webtest.Employee(1)), api.As(webtest.Employee(2))
	two.Post("/v1/crm/rental_points/", `{"name":"Theirs","address":"a"}`).Status(201)
	c.Post(groups, `{"name":"Sedans"}`).Status(201)
	many := func(one string, n int) string { return "[" + strings.Repeat(one+",", n-1) + one + "]" }
	for name, tt := range map[string]struct{ body, want string }{
		"nothing":                    {`{}`, `{"name":["This field is required."]}`},
		"a name that another has":    {`{"name":" SEDANS "}`, `{"name":["This field must be unique."]}`},
		"a sum of 15 digits":         {`{"name":"a","unit_price":"99999999999999.99","unit_count":"1.01"}`, `{"unit_sum":["Ensure that there are no more than 14 digits before the decimal point."]}`},
		"three decimals":             {`{"name":"a","unit_price":"0.001","price":"1e3","unit_count":"99999999999999999"}`, `{"unit_price":["Ensure that there are no more than 2 decimal places."],"price":["A valid number is required."],"unit_count":["Ensure that there are no more than 14 digits before the decimal point."]}`},
		"another company's point":    {`{"name":"a","points":[1]}`, `{"points":{"0":["Invalid pk \"1\" - object does not exist."]}}`},
		"points, by index":           {`{"name":"a","points":[7,"x",8]}`, `{"points":{"1":["A valid integer is required."]}}`},
		"an unknown point, twice":    {`{"name":"a","points":[7,8,7]}`, `{"points":{"0":["Invalid pk \"7\" - object does not exist."],"1":["Invalid pk \"8\" - object does not exist."],"2":["This value is repeated."]}}`},
		"too many points":            {`{"name":"a","points":` + many("1", 51) + `}`, `{"points":["Ensure this field has no more than 50 elements."]}`},
		"too many filters":           {`{"name":"a","filters":` + many(`"x"`, 51) + `}`, `{"filters":["Ensure this field has no more than 50 elements."]}`},
		"a filter of 256 characters": {`{"name":"a","filters":["` + strings.Repeat("ж", 256) + `"]}`, `{"filters":{"0":["Ensure this field has no more than 255 characters."]}}`},
		"choices":                    {`{"name":"a","type":2,"unit_type":"pint","lifetime":-1}`, `{"type":["\"2\" is not a valid choice."],"unit_type":["\"pint\" is not a valid choice."],"lifetime":["Ensure this value is greater than or equal to 0."]}`},
		"another category":           {`{"name":"a","category":5}`, `{"category":["Invalid pk \"5\" - object does not exist."]}`},
		"a name of 513 characters":   {`{"name":"` + strings.Repeat("ж", 513) + `"}`, `{"name":["Ensure this field has no more than 512 characters."]}`},
	} {
		t.Run(name, func(t *testing.T) { c.In(t).Post(groups, tt.body).Status(400).JSON(tt.want).Writes(0) })
	}
	two.Post(groups, `{"name":"Sedans","points":[1]}`).Status(201) // of another company
	c.Post(groups, `{"name":"ok","unit_price":"99999999999999.99","unit_count":"-1"}`).Status(201).Field("unit_sum", `"-99999999999999.99"`)
	c.Post(groups, `{"name":"zero","unit_price":"-0","unit_count":"-0.00"}`).Status(201).Field("unit_sum", `"0.00"`)
	c.Patch(groups+"2/", `{"unit_count":"-1.01"}`).Status(400).JSON(`{"unit_sum":["Ensure that there are no more than 14 digits before the decimal point."]}`)
}

// TestGroupTariffs: tariffs lie inside their group, and are shown with it.
func TestGroupTariffs(t *testing.T) {
	api := webtest.New(t, inventory.New, history.New)
	c := api.As(webtest.Employee(1))
	c.Post(groups, `{"name":"Sedans"}`).Status(201)
	c.Post(groups, `{"name":"Tools"}`).Status(201)
	of := groups + "1/tarifs/"
	tariff := func(id, name, price, duration string) string {
		return `{"id":` + id + `,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":` + name + `,"price":"` + price +
			`","one_time_payment":false,"published":true,"duriation":` + duration + `,"inventory_group":1,"tenant":1}`
	}
	c.Get(of).Status(200).JSON(`[]`)
	c.Post(of, `{"inventory_group":1,"name":"Day","price":"15000","duriation":86400}`).Status(201).JSON(tariff("1", `"Day"`, "15000.00", "86400")).
		Header("Location", webtest.BaseURL+of+"1/").Header("ETag", `"1"`)
	c.Post(of, `{"inventory_group":"1","duriation":0,"price":-5}`).Status(201).JSON(tariff("2", "null", "-5.00", "null"))
	both := `[` + tariff("1", `"Day"`, "15000.00", "86400") + `,` + tariff("2", "null", "-5.00", "null") + `]`
	c.Get(of).Status(200).JSON(both)
	c.Get(groups+"1/").Status(200).Field("tarifs", both)
	c.Get(groups).Status(200).Field("results.1.tarifs", both).Field("results.0.tarifs", "[]")
	c.Get(groups + "2/tarifs/1/").Status(404)
	for body, want := range map[string]string{
		`{"price":1}`:                          `{"inventory_group":["This field is required."]}`,
		`{"inventory_group":2}`:                `{"inventory_group":["Invalid pk \"2\" - object does not exist."]}`,
		`{"inventory_group":null}`:             `{"inventory_group":["This field may not be null."]}`,
		`{"inventory_group":1,"duriation":-1}`: `{"duriation":["Ensure this value is greater than or equal to 0."]}`,
	} {
		c.Post(of, body).Status(400).JSON(want).Writes(0)
	}
	c.Post(groups+"9/tarifs/", `{"inventory_group":9}`).Status(404)
	c.Patch(of+"2/", `{"inventory_group":2}`).Status(400).Writes(0)
	c.Patch(of+"2/", `{"name":"Hour","duriation":3600}`).Status(200).Field("duriation", "3600").Header("ETag", `"2"`)
	c.Get("/v1/crm/history/?object=inventory_group:1").Status(200).Field("count", "4")
	c.Delete(of + "1/").Status(204)
	c.Get(of + "1/").Status(404)
	api.As(webtest.Owner(2)).Get(of).Status(404)
	api.As(webtest.ReadOnly(1)).Post(of, `{"inventory_group":1}`).Status(403)
}

// TestAGroupIsHeld: a group can't go while items are in it, whatever they do at that moment.
func TestAGroupIsHeld(t *testing.T) {
	c := webtest.New(t, inventory.New).As(webtest.Employee(1))
	c.Post(groups, `{"name":"Sedans"}`).Status(201)
	c.Post(groups, `{"name":"Vans"}`).Status(201)
	for range 3 {
		c.Post(all, `{"name":"Camry","group":1}`).Status(201)
	}
	held := func(n int) string {
		return fmt.Sprintf(`{"detail":"Other records depend on this one.","code":"held","held_by":{"inventory":%d}}`, n)
	}
	c.Delete(groups + "1/").Status(409).JSON(held(3)).Writes(0)
	c.Patch(all+"1/", `{"group":2}`).Status(200).Field("group", "2")
	c.Patch(all+"2/", `{"group":null}`).Status(200).Field("group", "null")
	c.Delete(groups + "1/").Status(409).JSON(held(1))
	c.Patch(all+"3/", `{"disabled":1}`).Status(200) // which keeps its group
	c.Delete(groups + "1/").Status(409).JSON(held(1))
	c.Delete(all + "3/").Status(204)
	c.Delete(groups + "1/").Status(204)
	c.Delete(groups + "2/").Status(409).JSON(held(1))
	c.Post(all, `{"name":"Camry","group":1}`).Status(400).JSON(`{"group":["Invalid pk \"1\" - object does not exist."]}`)
}

func TestStates(t *testing.T) {
	c := webtest.New(t, inventory.New).As(webtest.Employee(1))
	c.Post(states, `{"name":"In repair","colour":"#E53935"}`).Status(201).
		JSON(`{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"In repair","colour":"#E53935"}`)
	for _, colour := range []string{"red", "#12345", "#1234567", "123456", "#12345g"} {
		c.Post(states, `{"name":"a","colour":"`+colour+`"}`).Status(400).JSON(`{"colour":["Enter a colour such as #1a2b3c."]}`).Writes(0)
	}
	c.Post(states, `{"colour":null}`).Status(400).JSON(`{"name":["This field is required."]}`)
	c.Post(all, `{"name":"Camry","state":1}`).Status(201).Field("state", "1")
	c.Delete(states + "1/").Status(204)
	// An item whose state was deleted keeps the state's id, but no item can get that state any more.
	c.Get(all+"1/").Field("state", "1")
	c.Patch(all+"1/", `{"name":"Corolla"}`).Status(200).Field("state", "1")
	c.Post(all, `{"name":"Camry","state":1}`).Status(400).JSON(`{"state":["Invalid pk \"1\" - object does not exist."]}`)
}
