package orders_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Employees take no more off the price by tariffs than the company lets them: of a line, and of a whole order.
func TestMaxDiscount(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"max_discount_percent":{"employee":20,"manager":50}}`).Status(200)
	m.Post("/v1/crm/discounts/", `{"name":"Friends","percent":30}`).Status(201)
	m.Post("/v1/crm/discounts/", `{"name":"Regulars","percent":20}`).Status(201)
	const insured = `"rent_start":"2026-03-05T10:00:00Z","rent_end":"2026-03-08T10:00:00Z"`
	const refused = `"Ensure that all discounts take at most 20% off the price by tariffs: more needs a member with a higher role."`
	for _, tt := range []struct{ name, body, want string }{
		{"exactly as much", `{"inventories":[` + from(6, 31, 0, `,"discount":2`) + `]}`, ""},
		{"a discount that is more", `{"inventories":[` + from(6, 31, 0, `,"discount":1`) + `]}`, `{"inventories":[{"discount":[` + refused + `]}]}`},
		{"an amount that is more", `{"inventories":[` + from(6, 31, 0, `,"additional_discount":"69000.01"`) + `]}`, `{"inventories":[{"additional_discount":[` + refused + `]}]}`},
		{"both together", `{"inventories":[` + from(6, 31, 0, `,"discount":2,"additional_discount":"0.01"`) + `]}`, `{"inventories":[{"discount":[` + refused + `]}]}`},
		{"a price that was agreed on", `{"inventories":[` + from(6, 31, 0, `,"tarif_price":276000`) + `]}`, ""},
		{"one that is lower", `{"inventories":[` + from(6, 31, 0, `,"tarif_price":"275999.99"`) + `]}`, `{"inventories":[{"tarif_price":[` + refused + `]}]}`},
		{"one of a tariff that is named", `{"inventories":[` + from(6, 2, 0, `,"tarif":4,"tarif_price":12000`) + `]}`, ""},
		{"a lower one", `{"inventories":[` + from(6, 2, 0, `,"tarif":4,"tarif_price":11999`) + `]}`, `{"inventories":[{"tarif_price":[` + refused + `]}]}`},
		{"one above, less a discount", `{"inventories":[` + from(6, 31, 0, `,"tarif_price":690000,"additional_discount":414000`) + `]}`, ""},
		{"the order's", `{"additional_discount":"69000.01","inventories":[` + from(6, 31, 0) + `]}`, `{"additional_discount":[` + refused + `]}`},
		{"the order's, with its line's", `{"discount":2,"inventories":[` + from(6, 31, 0, `,"additional_discount":1`) + `]}`, `{"discount":[` + refused + `]}`},
		{"the order's, and an agreed price", `{"additional_discount":1,"inventories":[` + from(6, 31, 0, `,"tarif_price":276000`) + `]}`, `{"additional_discount":[` + refused + `]}`},
		{"a service", `{"services":[{"service":1,"additional_discount":301}]}`, `{"services":[{"additional_discount":[` + refused + `]}]}`},
		{"the insurance, for three days", `{` + insured + `,"services":[{"service":2,"tarif_price":3600}]}`, ""},
		{"an agreed price of the insurance", `{` + insured + `,"services":[{"service":2,"tarif_price":3599}]}`, `{"services":[{"tarif_price":[` + refused + `]}]}`},
		{"its tariff for any time", `{` + insured + `,"services":[{"service":2,"tarif":7,"tarif_price":3000,"tarif_duration":null}]}`, `{"services":[{"tarif_price":[` + refused + `]}]}`},
		{"an agreed price of a service", `{"services":[{"service":1,"tarif_price":1199}]}`, `{"services":[{"tarif_price":[` + refused + `]}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "" {
				c.In(t).Post(quotes, tt.body).Status(200)
				return
			}
			c.In(t).Post(quotes, tt.body).Status(400).JSON(tt.want)
			c.In(t).Post(requests, tt.body).Status(400).JSON(tt.want).Writes(0)
			m.In(t).Post(quotes, tt.body).Status(200)
		})
	}
	// What a manager gave stays through the changes of an employee; it can't become more.
	m.Post(requests, `{"additional_discount":"34500.00","inventories":[`+from(6, 31, 0, `,"discount":1`)+`]}`).Status(201).Field("price", `"207000.00"`)
	c.Patch(lines+"1/", `{"extra":{"a":1}}`).Status(200)
	c.Patch(lines+"1/", `{`+until(33, 0)+`}`).Status(200).Field("price", `"375000.00"`)
	c.Patch(lines+"1/", `{"additional_discount":1}`).Status(400)
	c.Patch(requests+"1/", `{"additional_discount":"34500.01"}`).Status(400).JSON(`{"additional_discount":[` + refused + `]}`)
	c.Patch(requests+"1/", `{"additional_discount":"34000.00"}`).Status(200)
	c.Post(requests+"1/services/", `{"service":1}`).Status(201)
	m.Patch(requests+"1/", `{"additional_discount":"200000.00"}`).Status(400)
	api.As(webtest.Owner(1)).Patch(requests+"1/", `{"additional_discount":"200000.00"}`).Status(200)
	// Nor does it become more because the other lines go.
	c.Post(requests, `{"additional_discount":"72000.00","inventories":[`+from(7, 31, 0)+`,`+from(1, 5, 0)+`]}`).Status(201)
	c.Delete(lines+"2/").Status(409).Field("code", `"discount"`).Writes(0)
	c.Post(requests+"2/inventories/bulk_delete/", `{"inventories":[2]}`).Status(409).Field("code", `"discount"`).Writes(0)
	c.Delete(lines+"3/").Status(409).Field("code", `"discount"`)
	c.Patch(requests+"2/", `{"additional_discount":"69000.00"}`).Status(200)
	c.Delete(lines + "3/").Status(204)
	whole(t, api)
}

// An agreed price is measured by tariffs as long as it stands, whatever happens to its line.
func TestMaxDiscountOfAgreedPrices(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"max_discount_percent":{"employee":20,"manager":50}}`).Status(200)
	// At today's prices, and agreed on again.
	c.Post(requests, `{"inventories":[`+from(6, 31, 0, `,"tarif_price":276000`)+`]}`).Status(201)
	c.Patch(lines+"1/", `{"reprice":true,"tarif_price":"276000.00"}`).Status(200).Field("price", `"276000.00"`)
	c.Patch(lines+"1/", `{"additional_discount":"0.01"}`).Status(400)
	// A service that follows the time of its order: 31 days for 46,500, of which 37,200 are paid, and then one day for 1,500.
	c.Post(requests, `{"inventories":[`+from(7, 1, 0)+`],"services":[{"service":2,"tarif":7,"tarif_price":1200}]}`).Status(201)
	c.Patch(lines+"2/", `{`+until(31, 0)+`}`).Status(200)
	c.Patch(requests+"2/", `{"additional_discount":"69000.01"}`).Status(400)
	c.Patch(requests+"2/", `{"additional_discount":"69000.00"}`).Status(200)
	c.Patch(requests+"2/", `{"additional_discount":0}`).Status(200)
	c.Patch(lines+"2/", `{`+until(1, 0)+`}`).Status(200)
	c.Patch(requests+"2/", `{"additional_discount":"3000.00"}`).Status(200)
	whole(t, api)
}

// What lies below the tariffs stays measured by them, whatever is changed one after the other.
func TestNoWayRoundTheBound(t *testing.T) {
	const (
		refused = `["Ensure that all discounts take at most 20% off the price by tariffs: more needs a member with a higher role."]`
		left    = `"discount"`
	)
	for name, walk := range map[string]func(m, c *webtest.Client){
		"a service with an amount, and a shorter time": func(_, c *webtest.Client) {
			c.Post(requests, `{"inventories":[`+from(6, 31, 0)+`],"services":[{"service":2,"count":10,"additional_discount":"93000"}]}`).Status(201)
			c.Patch(lines+"1/", `{`+until(6, 0)+`}`).Status(409).Field("code", left).Writes(0)
		},
		"a service at an agreed price, and a longer time": func(_, c *webtest.Client) {
			c.Post(requests, `{"inventories":[`+from(6, 2, 0)+`],"services":[{"service":2,"tarif_price":"2400"}]}`).Status(201)
			c.Patch(lines+"1/", `{`+until(30, 0)+`}`).Status(409).Field("code", left).Writes(0)
			c.Patch(lines+"1/", `{"extra":{"a":1}}`).Status(200)
		},
		"an item without tariffs, and then another one": func(_, c *webtest.Client) {
			c.Post(inventories, `{"name":"Of no group"}`).Status(201)
			c.Post(requests, `{"inventories":[`+from(8, 31, 0, `,"tarif_price":"1"`)+`]}`).Status(201)
			c.Patch(lines+"1/", `{"inventory":6}`).Status(400).JSON(`{"tarif_price":` + refused + `}`).Writes(0)
		},
		"a cheap item, and then another one": func(m, c *webtest.Client) {
			c.Post(requests, `{"inventories":[`+from(1, 31, 0)+`]}`).Status(201).Field("price", `"93000.00"`)
			c.Patch(lines+"1/", `{"inventory":6}`).Status(400).JSON(`{"tarif_price":` + refused + `}`).Writes(0)
			c.Patch(lines+"1/", `{"inventory":2}`).Status(200).Field("price", `"93000.00"`)
			c.Patch(lines+"1/", `{"inventory":6,"reprice":true}`).Status(200).Field("price", `"345000.00"`)
		},
		"a cheap sale, and then another one": func(m, c *webtest.Client) {
			c.Post(inventories, `{"name":"Pen","sell_price":"10"}`).Status(201)
			c.Post(requests, `{"inventories":[{"inventory":8,"type":1}]}`).Status(201)
			c.Patch(lines+"1/", `{"inventory":6}`).Status(400).JSON(`{"tarif_price":` + refused + `}`).Writes(0)
			m.Patch(lines+"1/", `{"inventory":6}`).Status(200).Field("price", `"10.00"`)
		},
		"a tariff that is gone": func(_, c *webtest.Client) {
			c.Post(requests, `{"inventories":[`+from(6, 1, 0, `,"tarif":4`)+`]}`).Status(201)
			c.Delete(groupsPath + "2/tarifs/4/").Status(204)
			c.Patch(lines+"1/", `{"tarif_price":"1"}`).Status(400).JSON(`{"tarif_price":` + refused + `}`)
		},
		"no tariff that is left": func(_, c *webtest.Client) {
			c.Post(requests, `{"inventories":[`+from(6, 1, 0)+`]}`).Status(201)
			for id := 3; id <= 6; id++ {
				c.Delete(fmt.Sprintf("%s2/tarifs/%d/", groupsPath, id)).Status(204)
			}
			c.Patch(lines+"1/", `{"tarif_price":"1"}`).Status(400).JSON(`{"tarif_price":` + refused + `}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			api, c := newInsurer(t)
			m := api.As(webtest.Manager(1))
			m.Put(rentalSettings, `{"max_discount_percent":{"employee":20,"manager":100}}`).Status(200)
			walk(m, c)
			whole(t, api)
		})
	}
}

// A service line that is charged once stays measured so when the company charges others for the time.
func TestBoundsOfServicesOfBefore(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"services_by_time":false,"max_discount_percent":{"employee":20,"manager":100}}`).Status(200)
	c.Post(requests, `{"inventories":[`+from(6, 10, 0)+`],"services":[{"service":2,"tarif_price":1200}]}`).Status(201)
	m.Put(rentalSettings, `{"services_by_time":true}`).Status(200)
	c.Patch(serviceLines+"1/", `{"count":2}`).Status(200).Field("price", `"2400.00"`)
	c.Patch(serviceLines+"1/", `{"tarif_price":1199}`).Status(400)
	c.Patch(lines+"1/", `{`+until(20, 0)+`}`).Status(200)
	whole(t, api)
}

// A price that is agreed on instead of a sum counts against the sum, and not against the tariff that is shown of it; a line of an order
// without a discount of its own changes as it likes.
func TestWhatABoundIsMeasuredBy(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"max_discount_percent":{"employee":20,"manager":100}}`).Status(200)
	c.Post(requests, `{"inventories":[`+from(6, 31, 0)+`,`+from(7, 31, 0)+`]}`).Status(201)
	c.Patch(lines+"1/", `{"tarif_price":"172500.00"}`).Status(200).Field("price", `"345000.00"`)
	c.Patch(lines+"1/", `{"tarif_price":"138000.00"}`).Status(200).Field("price", `"276000.00"`)
	c.Patch(lines+"1/", `{"tarif_price":"137999.99"}`).Status(400)
	m.Patch(lines+"1/", `{"tarif_price":"1.00"}`).Status(200)
	c.Patch(lines+"2/", `{`+until(20, 0)+`}`).Status(200)
	c.Delete(lines + "2/").Status(204)
}

// A new order that names no tax takes that of the settings; a 0 that is sent is 0, and orders that are there stay.
func TestTaxOfTheSettings(t *testing.T) {
	api, c := newDesk(t, webtest.Setup{})
	c.Post(requests, `{"inventories":[`+from(6, 1, 0)+`]}`).Status(201).Field("tax_percent", `"0.00"`).Field("price", `"15000.00"`)
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"tax_percent":"12.00","tax_included":true}`).Status(200)
	for _, tt := range []struct{ name, tax, percent, included, price, is string }{
		{"nothing", ``, `"12.00"`, "true", `"15000.00"`, `"1607.14"`},
		{"a percentage", `,"tax_percent":10`, `"10.00"`, "true", `"15000.00"`, `"1363.64"`},
		{"that it is added", `,"tax_included":false`, `"12.00"`, "false", `"16800.00"`, `"1800.00"`},
		{"none", `,"tax_percent":0`, `"0.00"`, "true", `"15000.00"`, `"0.00"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{quotes, requests} {
				a := c.In(t).Post(path, `{"inventories":[`+from(7, 1, 0)+`]`+tt.tax+`}`)
				a.Field("tax_percent", tt.percent).Field("tax_included", tt.included).Field("price", tt.price).Field("tax", tt.is)
				if path == requests {
					act(c.In(t), a.Int("id"), 3).Status(200)
				}
			}
		})
	}
	c.Get(requests+"1/").Status(200).Field("tax_percent", `"0.00"`)
	c.Patch(requests+"1/", `{"extra":{}}`).Status(200).Field("tax_percent", `"0.00"`).Field("price", `"15000.00"`)
}

// An employee may remove a line although the other lines have larger discounts, because the bound then asks for the order's own discount alone.
func TestMaxDiscountOfOtherLines(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"max_discount_percent":{"employee":20,"manager":50}}`).Status(200)
	for _, service := range []string{"1", "2"} { // 2 follows the time of the order
		a := m.Post(requests, `{"inventories":[`+from(6, 5, 0, `,"additional_discount":30000`)+`,`+from(1, 5, 0)+`],"services":[{"service":`+service+`}]}`)
		id := a.Status(201).Int("id")
		c.Delete(fmt.Sprintf("%s%d/", lines, 2*id)).Status(204)
		act(c, id, 3).Status(200)
	}
}

// A discount of as many percent as the bound stays within it where it is rounded, and one that a manager gave stays the same one of another
// time, and beside other lines.
func TestMaxDiscountOfCents(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"max_discount_percent":{"employee":20,"manager":50}}`).Status(200)
	m.Post("/v1/crm/discounts/", `{"name":"Regulars","percent":20}`).Status(201)
	m.Post("/v1/crm/discounts/", `{"name":"Friends","percent":30}`).Status(201)
	c.Post(groupsPath, `{"name":"Bikes"}`).Status(201)
	c.Post(groupsPath+"3/tarifs/", `{"inventory_group":3,"name":"Day","price":"12.99","duriation":86400}`).Status(201)
	for range 3 {
		c.Post(inventories, `{"name":"Bike","group":3}`).Status(201)
	}
	c.Post(quotes, `{"inventories":[`+from(8, 1, 0, `,"discount":1`)+`]}`).Status(200).Field("price", `"10.39"`)
	c.Post(quotes, `{"discount":1,"inventories":[`+from(8, 1, 0)+`]}`).Status(200).Field("price", `"10.39"`)
	c.Post(quotes, `{"inventories":[`+from(8, 1, 0, `,"additional_discount":"2.61"`)+`]}`).Status(400)
	m.Post(requests, `{"inventories":[`+from(8, 1, 0, `,"discount":2`)+`]}`).Status(201)
	m.Post(requests, `{"discount":2,"inventories":[`+from(9, 1, 0)+`]}`).Status(201)
	for _, days := range []int{2, 3, 4, 8, 5, 1} {
		for _, line := range []string{"1/", "2/"} {
			c.Patch(lines+line, `{`+until(days, 0)+`}`).Status(200)
		}
	}
	c.Patch(lines+"1/", `{"additional_discount":"0.01"}`).Status(400)
	c.Patch(requests+"2/", `{"additional_discount":"0.01"}`).Status(400)
	c.Post(requests+"2/inventories/", from(10, 2, 0)).Status(201)
	c.Delete(lines + "3/").Status(204)
	whole(t, api)
}

// A price of what has no tariffs is measured by none, and changes as it likes.
func TestMaxDiscountWithoutTariffs(t *testing.T) {
	api, c := newInsurer(t)
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"max_discount_percent":{"employee":20,"manager":50}}`).Status(200)
	c.Post(inventories, `{"name":"Of no group"}`).Status(201)
	c.Post(requests, `{"inventories":[`+from(8, 5, 0, `,"tarif_price":"10000","tarif_duration":"1 00:00:00"`)+`]}`).Status(201).
		Field("price", `"50000.00"`)
	c.Patch(lines+"1/", `{`+until(2, 0)+`}`).Status(200).Field("price", `"20000.00"`)
	c.Patch(lines+"1/", `{"tarif_price":"5000"}`).Status(200).Field("price", `"10000.00"`)
	c.Patch(lines+"1/", `{"additional_discount":"2000.01"}`).Status(400)
	c.Patch(lines+"1/", `{"additional_discount":"2000.00"}`).Status(200)
	c.Patch(lines+"1/", `{"inventory":6}`).Status(400)
	whole(t, api)
}

// What was taken off a service was given for that one.
func TestMaxDiscountOfAnotherService(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"max_discount_percent":{"employee":20,"manager":50}}`).Status(200)
	m.Post("/v1/crm/discounts/", `{"name":"Friends","percent":30}`).Status(201)
	m.Post(requests, `{"services":[{"service":1,"discount":1}]}`).Status(201)
	c.Patch(serviceLines+"1/", `{"count":2}`).Status(200)
	c.Patch(serviceLines+"1/", `{"service":2,"discount":1}`).Status(400).
		JSON(`{"discount":["Ensure that all discounts take at most 20% off the price by tariffs: more needs a member with a higher role."]}`)
	c.Patch(serviceLines+"1/", `{"service":2}`).Status(200)
	whole(t, api)
}
