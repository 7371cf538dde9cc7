package orders_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// newInsurer is a desk whose company charges services for the time: service 2 costs 1,500 a day, service 3 10,000 once or 4,000 a day,
// service 4 100 an hour or 1,000 a day.
func newInsurer(t testing.TB) (*webtest.API, *webtest.Client) {
	t.Helper()
	api, c := newDesk(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"services_by_time":true}`).Status(200)
	for id, list := range [][]string{
		{`"name":"Day","price":1500,"duriation":86400`},
		{`"name":"Once","price":10000,"one_time_payment":true,"duriation":86400`, `"name":"Day","price":4000,"duriation":86400`},
		{`"name":"Hour","price":100,"duriation":3600`, `"name":"Day","price":1000,"duriation":86400`},
	} {
		c.Post("/v1/crm/services/", fmt.Sprintf(`{"name":"Service %d"}`, id+2)).Status(201)
		for _, one := range list {
			c.Post(fmt.Sprintf("/v1/crm/services/%d/tarifs/", id+2), fmt.Sprintf(`{"service":%d,%s}`, id+2, one)).Status(201)
		}
	}
	return api, c
}

const serviceLines = "/v1/crm/requests/services/"

// A service whose tariff has a duration costs for the time of its order, for each of its count.
func TestServicesByTime(t *testing.T) {
	_, c := newInsurer(t)
	for _, tt := range []struct {
		name          string
		service       string
		days, hours   int
		price, byTime string
	}{
		{"a day each", `{"service":2}`, 3, 0, `"4500.00"`, "true"},
		{"three pieces", `{"service":2,"count":3}`, 3, 0, `"13500.00"`, "true"},
		{"a part of a day", `{"service":2}`, 2, 1, `"4500.00"`, "true"},
		{"paid once, where that is less", `{"service":3}`, 3, 0, `"10000.00"`, "true"},
		{"by the day, where that is", `{"service":3}`, 2, 0, `"8000.00"`, "true"},
		{"paid once, because it is named", `{"service":3,"tarif":8}`, 1, 0, `"10000.00"`, "false"},
		{"combined", `{"service":4}`, 2, 3, `"2300.00"`, "true"},
		{"one tariff alone", `{"service":4,"combined":false}`, 2, 3, `"3000.00"`, "true"},
		{"an agreed price for a day", `{"service":2,"tarif":7,"tarif_price":1000}`, 3, 0, `"3000.00"`, "true"},
		{"an agreed price", `{"service":2,"tarif_price":1000}`, 3, 0, `"1000.00"`, "false"},
		{"a price of the service", `{"service":1,"count":2}`, 3, 0, `"3000.00"`, "false"},
		{"a time of its own", `{"service":2,"start_at":"2026-03-05T10:00:00Z","end_at":"2026-03-06T10:00:00Z"}`, 3, 0, `"1500.00"`, "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.In(t).Post(quotes, `{"inventories":[`+from(6, tt.days, tt.hours)+`],"services":[`+tt.service+`]}`).Status(200).
				Field("services.0.price", tt.price).Field("services.0.by_time", tt.byTime)
		})
	}
	for _, tt := range []struct{ name, body, want string }{
		{"half a time", `{"services":[{"service":2,"start_at":"2026-03-05T10:00:00Z"}]}`, `{"services":[{"end_at":["A service line has both start_at and end_at, or follows the order's time."]}]}`},
		{"a time that ends first", `{"services":[{"service":2,"start_at":"2026-03-05T10:00:00Z","end_at":"2026-03-05T09:00:00Z"}]}`, `{"services":[{"end_at":["Ensure this value is after the start."]}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) { c.In(t).Post(quotes, tt.body).Status(400).JSON(tt.want) })
	}
}

// What an order sells has no time, so services are not charged for it.
func TestServicesOfSales(t *testing.T) {
	_, c := newInsurer(t)
	for _, tt := range []struct{ name, body, price string }{
		{"beside a rental", `"inventories":[` + from(6, 3, 0) + `,{"inventory":7,"type":1}]`, `"4500.00"`},
		{"alone", `"inventories":[{"inventory":7,"type":1}]`, `"1500.00"`},
		{"alone, in an order with a time", `"rent_start":"2026-03-05T10:00:00Z","rent_end":"2026-03-07T10:00:00Z","inventories":[{"inventory":7,"type":1}]`, `"3000.00"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.In(t).Post(quotes, `{`+tt.body+`,"services":[{"service":2}]}`).Status(200).Field("services.0.price", tt.price)
		})
	}
}

// A service line without a time of its own follows its order's, whatever changes that; what was made before the setting stays.
func TestServicesFollowTheOrder(t *testing.T) {
	api, c := newInsurer(t)
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"services_by_time":false}`).Status(200)
	c.Post(requests, `{"status":1,"rent_start":"2026-03-05T10:00:00Z","rent_end":"2026-03-07T10:00:00Z","services":[{"service":2}]}`).Status(201).
		Field("price", `"1500.00"`).Field("services.0.by_time", "false")
	m.Put(rentalSettings, `{"services_by_time":true}`).Status(200)
	c.Post(requests+"1/services/", `{"service":2,"count":2}`).Status(201).Field("price", `"6000.00"`).Field("by_time", "true")
	c.Post(requests+"1/services/", `{"service":2,"start_at":"2026-03-05T10:00:00Z","end_at":"2026-03-06T10:00:00Z"}`).Status(201).
		Field("price", `"1500.00"`)
	total := func(want string) {
		t.Helper()
		c.Get(requests+"1/").Status(200).Field("price_service", want)
		whole(t, api)
	}
	total(`"9000.00"`)
	c.Patch(requests+"1/", `{"rent_end":"2026-03-08T10:00:00Z"}`).Status(200).Field("services.1.price", `"9000.00"`).
		Field("services.0.price", `"1500.00"`).Field("services.2.price", `"1500.00"`)
	total(`"12000.00"`)
	c.Post(requests+"1/inventories/", from(6, 5, 0)).Status(201)
	total(`"18000.00"`)
	c.Patch(lines+"1/", `{`+until(6, 0)+`}`).Status(200)
	total(`"21000.00"`)
	c.Post(requests+"1/inventories/bulk_create/", `{"inventories":[`+from(7, 7, 0)+`]}`).Status(201)
	total(`"24000.00"`)
	c.Delete(lines + "2/").Status(204)
	total(`"21000.00"`)
	c.Patch(serviceLines+"2/", `{"count":1}`).Status(200).Field("price", `"9000.00"`)
	total(`"12000.00"`)
	c.Patch("/v1/crm/services/2/tarifs/7/", `{"service":2,"price":5000}`).Status(200)
	c.Delete("/v1/crm/services/4/").Status(204)
	c.Patch(lines+"1/", `{`+until(7, 0)+`}`).Status(200) // by what was agreed
	total(`"13500.00"`)
	c.Get(requests+"1/timeline/").Status(200).Field("results.0.events.1.kind", `"service_changed"`)
	// Being handed out early and coming back late is no other time.
	api.Clock.Step(24 * time.Hour)
	act(c, 1, 2).Status(200)
	total(`"13500.00"`)
	c.Patch(lines+"1/", `{"extra":{"a":1}}`).Status(200)
	total(`"13500.00"`)
	api.Clock.Step(20 * 24 * time.Hour)
	act(c, 1, 4).Status(200)
	total(`"13500.00"`)
}

// At most 20 service lines of an order are charged for the time, and a call that moves as many lines as there can be moves them too.
func TestManyTimedServices(t *testing.T) {
	api, c := newInsurer(t)
	fleet(c, 40)
	ten := `{"service":2},{"service":2},{"service":2},{"service":2},{"service":2},{"service":2},{"service":2},{"service":2},{"service":2},{"service":2}`
	c.Post(requests, `{`+many(8, 30)+`,"services":[`+ten+`]}`).Status(201).Field("price_service", `"15000.00"`)
	c.Post(requests+"1/services/bulk_create/", `{"services":[`+ten+`]}`).Status(201)
	c.Post(requests+"1/services/", `{"service":2}`).Status(400).
		JSON(`{"non_field_errors":["An order has at most 20 service lines that are charged for the time."]}`)
	c.Post(requests+"1/services/", `{"service":1}`).Status(201)
	moved := ""
	for id := 1; id <= 30; id++ {
		moved += fmt.Sprintf(`,{"id":%d,"end_at":"2026-03-07T10:00:00Z"}`, id)
	}
	c.Post(requests+"1/inventories/bulk_update/", `{"inventories":[`+moved[1:]+`]}`).Status(200).Field("price_service", `"91500.00"`)
	c.Post(requests+"1/inventories/bulk_delete/", `{"inventories":`+ids(1, 30)+`}`).Status(409).Field("code", `"too_many_lines"`).Writes(0)
	c.Post(requests+"1/inventories/bulk_delete/", `{"inventories":`+ids(1, 20)+`}`).Status(200).Field("price_service", `"91500.00"`)
	c.Post(requests+"1/inventories/bulk_delete/", `{"inventories":`+ids(21, 30)+`}`).Status(200).Field("price_service", `"31500.00"`)
	whole(t, api)
}

// A service whose tariffs that take part have no time costs the cheapest of all its tariffs.
func TestServicesOfManyTariffs(t *testing.T) {
	_, c := newInsurer(t)
	c.Post("/v1/crm/services/", `{"name":"Many"}`).Status(201)
	for range 12 {
		c.Post("/v1/crm/services/5/tarifs/", `{"service":5,"name":"Once","price":9000}`).Status(201)
	}
	c.Post("/v1/crm/services/5/tarifs/", `{"service":5,"name":"Day","price":1000,"duriation":86400}`).Status(201)
	c.Post(quotes, `{"inventories":[`+from(6, 3, 0)+`],"services":[{"service":5}]}`).Status(200).Field("services.0.price", `"3000.00"`)
}

// A tariff that was chosen before the order had a time is chosen anew once it has one, and then stays.
func TestServicesBeforeTheTime(t *testing.T) {
	api, c := newInsurer(t)
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"combine":false}`).Status(200)
	c.Post(requests, `{"services":[{"service":4},{"service":4,"tarif":10}]}`).Status(201).Field("services.0.tarif", "10").
		Field("price_service", `"200.00"`)
	c.Post(requests+"1/inventories/", from(6, 10, 0)).Status(201)
	c.Get(requests+"1/").Status(200).Field("services.0.tarif", "11").Field("services.0.price", `"10000.00"`).
		Field("services.1.tarif", "10").Field("services.1.price", `"24000.00"`)
	c.Patch(lines+"1/", `{`+until(0, 3)+`}`).Status(200)
	c.Get(requests+"1/").Status(200).Field("services.0.tarif", "11").Field("services.0.price", `"1000.00"`)
	whole(t, api)
}

// A tariff that was chosen without a time is chosen anew once there is one, also a time of the line's own; a price that was agreed on stays.
func TestTariffsChosenWithoutTime(t *testing.T) {
	api, c := newInsurer(t)
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"combine":false,"services_by_time":true}`).Status(200)
	const dates = `"rent_start":"2026-03-05T10:00:00Z","rent_end":"2026-03-09T10:00:00Z"`
	const own = `"start_at":"2026-03-05T10:00:00Z","end_at":"2026-03-09T10:00:00Z"`
	c.Post(requests, `{"services":[{"service":3},{"service":3},{"service":3},{"service":3}]}`).Status(201).Field("price", `"16000.00"`)
	c.Patch(serviceLines+"2/", `{`+own+`}`).Status(200).Field("price", `"10000.00"`).Field("tarif", "8")
	c.Patch(serviceLines+"3/", `{"tarif_price":"3500"}`).Status(200).Field("price", `"3500.00"`)
	c.Put(serviceLines+"4/", `{"service":3,"count":1,"tarif":9,"tarif_price":"4000.00","tarif_duration":"1 00:00:00","combined":false,`+own+`}`).
		Status(200).Field("price", `"10000.00"`).Field("tarif", "8")
	c.Patch(requests+"1/", `{`+dates+`}`).Status(200).Field("services.0.price", `"10000.00"`).Field("services.2.price", `"14000.00"`)
	c.Get(serviceLines+"3/").Field("tarif_price", `"3500.00"`)
	whole(t, api)
}
