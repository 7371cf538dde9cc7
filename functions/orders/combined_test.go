package orders_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	rentalSettings = "/v1/crm/settings/rental/"
	priceRules     = "/v1/crm/price_rules/"
)

// newDesk is an API whose company 1 combines tariffs: group 2 has an hour for 2,000, a day for 15,000, a week for 91,000 and 30 days for
// 330,000, the tariffs 3 to 6, and the items 6 and 7.
func newDesk(t testing.TB, setup webtest.Setup) (*webtest.API, *webtest.Client) {
	t.Helper()
	api, c := newAPI(t, setup)
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"combine":true}`).Status(200)
	c.Post(groupsPath, `{"name":"Cruisers"}`).Status(201)
	for _, of := range []struct {
		name            string
		price, duration int
	}{{"Hour", 2000, 3600}, {"Day", 15000, 86400}, {"Week", 91000, 604800}, {"Month", 330000, 2592000}} {
		c.Post(groupsPath+"2/tarifs/", fmt.Sprintf(`{"inventory_group":2,"name":"%s","price":%d,"duriation":%d}`, of.name, of.price, of.duration)).
			Status(201)
	}
	for _, name := range []string{"Prado 1", "Prado 2"} {
		c.Post(inventories, `{"name":"`+name+`","group":2,"sell_price":"9000000"}`).Status(201)
	}
	return api, c
}

// from is a line of an item from 5 March 10:00 on, for some days and hours, with more fields.
func from(item, days, hours int, more ...string) string {
	start := time.Date(2026, 3, 5, 10, 0, 0, 0, time.UTC)
	end := start.AddDate(0, 0, days).Add(time.Duration(hours) * time.Hour)
	return fmt.Sprintf(`{"inventory":%d,"start_at":"%s","end_at":"%s"%s}`, item, start.Format(time.RFC3339), end.Format(time.RFC3339),
		strings.Join(more, ""))
}

func until(days, hours int) string {
	end := time.Date(2026, 3, 5, 10, 0, 0, 0, time.UTC).AddDate(0, 0, days).Add(time.Duration(hours) * time.Hour)
	return `"end_at":"` + end.Format(time.RFC3339) + `"`
}

// A line that names no tariff costs the cheapest sum of those that are offered, and shows the longest of it.
func TestCombinedPrices(t *testing.T) {
	api, c := newDesk(t, webtest.Setup{})
	for _, tt := range []struct {
		name, line string
		price      string
		tariff     string
		combined   string
	}{
		{"31 days", from(6, 31, 0), `"345000.00"`, "6", "true"},
		{"7 days and an hour", from(6, 7, 1), `"93000.00"`, "5", "true"},
		{"6 days and an hour", from(6, 6, 1), `"91000.00"`, "5", "true"},
		{"8 hours", from(6, 0, 8), `"15000.00"`, "4", "true"},
		{"a tariff that is named costs what it costs", from(6, 31, 0, `,"tarif":6`), `"660000.00"`, "6", "false"},
		{"unless it is sent with combined", from(6, 31, 0, `,"tarif":6,"combined":true`), `"345000.00"`, "6", "true"},
		{"and with what was read besides", from(6, 31, 0, `,"tarif":6,"tarif_price":"330000.00","tarif_duration":"30 00:00:00","combined":true`), `"345000.00"`, "6", "true"},
		{"one tariff alone, the cheapest", from(6, 31, 0, `,"combined":false`), `"455000.00"`, "5", "false"},
		{"a price that was agreed on", from(6, 31, 0, `,"tarif_price":300000`), `"300000.00"`, "null", "false"},
		{"a group of two", from(1, 1, 1), `"3200.00"`, "1", "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.In(t).Post(quotes, `{"inventories":[`+tt.line+`]}`).Status(200).Field("inventories.0.price", tt.price).
				Field("inventories.0.tarif", tt.tariff).Field("inventories.0.combined", tt.combined).Field("price", tt.price).Writes(0)
		})
	}
	c.Post(quotes, `{"inventories":[`+from(6, 31, 0, `,"combined":true,"tarif":6,"tarif_price":5`)+`]}`).Status(400).
		JSON(`{"inventories":[{"tarif_price":["A combined price is that of the tariffs: leave out tarif_price and tarif_duration, or combined."]}]}`)
	c.Post(quotes, `{"inventories":[`+from(6, 31, 0, `,"combined":true,"tarif":1`)+`]}`).Status(400).
		JSON(`{"inventories":[{"tarif":["Invalid pk \"1\" - object does not exist."]}]}`)
	// A group may say otherwise than the company.
	c.Patch(groupsPath+"2/", `{"combine":false}`).Status(200).Field("combine", "false")
	c.Post(quotes, `{"inventories":[`+from(6, 31, 0)+`,`+from(1, 1, 1)+`]}`).Status(200).Field("inventories.0.price", `"455000.00"`).
		Field("inventories.1.price", `"3200.00"`)
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"combine":false}`).Status(200)
	c.Patch(groupsPath+"2/", `{"combine":true}`).Status(200)
	c.Post(quotes, `{"inventories":[`+from(6, 31, 0)+`,`+from(1, 1, 1)+`]}`).Status(200).Field("inventories.0.price", `"345000.00"`).
		Field("inventories.1.price", `"5000.00"`)
}

// A line keeps what it was offered: a longer or shorter time costs what it would have cost then.
func TestAnOfferIsKept(t *testing.T) {
	api, c := newDesk(t, webtest.Setup{})
	c.Post(requests, `{"inventories":[`+from(6, 31, 0)+`]}`).Status(201).Field("price", `"345000.00"`)
	c.Patch(groupsPath+"2/tarifs/4/", `{"price":99000,"inventory_group":2}`).Status(200)
	c.Delete(groupsPath + "2/tarifs/5/").Status(204)
	c.Patch(lines+"1/", `{`+until(33, 0)+`}`).Status(200).Field("price", `"375000.00"`).Field("tarif", "6").Field("combined", "true")
	c.Patch(lines+"1/", `{`+until(7, 1)+`}`).Status(200).Field("price", `"93000.00"`).Field("tarif", "5").Field("tarif_name", `"Week"`)
	a := c.Get(lines + "1/price/").Status(200)
	a.Field("price", `"93000.00"`).Field("net", `"93000.00"`).Field("priced_until", `"2026-03-12T11:00:00Z"`).Field("price_book", "null").
		Field("steps.0.amount", `"91000.00"`).Field("steps.0.tarif", "5").Field("steps.0.units", "1").
		Field("steps.1.amount", `"2000.00"`).Field("steps.1.tarif", "3").
		Field("offer.1", `{"id":4,"name":"Day","price":"15000.00","duriation":86400,"one_time_payment":false}`)
	if offer, _ := a.Value("offer").([]any); len(offer) != 4 {
		t.Errorf("%d tariffs were offered", len(offer))
	}
	// What was read and is sent back changes nothing, nor does a month of the company that is another one now.
	read := c.Get(lines + "1/").Status(200)
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"month":"calendar"}`).Status(200)
	for _, body := range []string{
		`{"inventory":6,"start_at":"2026-03-05T10:00:00Z",` + until(7, 1) + `,"tarif":5,"tarif_price":"91000.00","tarif_duration":"7 00:00:00","combined":true}`,
		`{"tarif":5,"tarif_price":91000}`, `{"reprice":false}`, `{}`,
	} {
		c.Patch(lines+"1/", body).Status(200).Field("price", `"93000.00"`).Field("combined", "true").Writes(0)
	}
	c.Get(lines+"1/").Status(200).Header("ETag", read.Get("ETag"))
}

// How a line that is combined gets other terms, and one that isn't gets combined.
func TestOtherTermsOfALine(t *testing.T) {
	_, c := newDesk(t, webtest.Setup{})
	c.Post(requests, `{"status":1,"inventories":[`+from(6, 31, 0)+`]}`).Status(201)
	for _, tt := range []struct{ name, body, price, tariff, combined string }{
		{"that tariff alone", `{"tarif":6,"combined":false}`, `"660000.00"`, "6", "false"},
		{"all of them again", `{"combined":true}`, `"345000.00"`, "6", "true"},
		{"another one, with what was read", `{"tarif":5,"tarif_price":"330000.00","tarif_duration":"30 00:00:00","combined":true}`, `"455000.00"`, "5", "false"},
		{"no tariff", `{"tarif":null}`, `"345000.00"`, "6", "true"},
		{"a price that was agreed on", `{"tarif_price":"300000.00"}`, `"600000.00"`, "6", "false"},
		{"sent back", `{"tarif":6,"tarif_price":"300000.00"}`, `"600000.00"`, "6", "false"},
		{"today's", `{"reprice":true}`, `"660000.00"`, "6", "false"},
		{"today's, combined", `{"reprice":true,"combined":true}`, `"345000.00"`, "6", "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.In(t).Patch(lines+"1/", tt.body).Status(200).Field("price", tt.price).Field("tarif", tt.tariff).Field("combined", tt.combined)
			c.In(t).Get(requests+"1/").Status(200).Field("price", tt.price)
		})
	}
	c.Patch(groupsPath+"2/tarifs/6/", `{"price":300000,"inventory_group":2}`).Status(200)
	c.Patch(lines+"1/", `{`+until(32, 0)+`}`).Status(200).Field("price", `"360000.00"`)
	c.Patch(lines+"1/", `{"reprice":true}`).Status(200).Field("price", `"330000.00"`).Field("combined", "true")
	c.Post(requests+"1/inventories/", from(7, 31, 0)).Status(201) // keeps the order open
	act(c, 1, 2, `,"datetime":"2026-03-02T09:00:00Z","order_inventories":[1]`).Status(200)
	act(c, 1, 4, `,"datetime":"2026-03-02T09:10:00Z","order_inventories":[1]`).Status(200)
	c.Patch(lines+"1/", `{"reprice":true}`).Status(200).Field("price", `"330000.00"`)
	c.Patch(groupsPath+"2/tarifs/6/", `{"price":290000,"inventory_group":2}`).Status(200)
	c.Patch(lines+"1/", `{"reprice":true}`).Status(409).Field("code", `"returned"`)
}

// Price rules count for lines that are made under them, in the group and at the point that they are for, by the book of then.
func TestPriceRulesOfLines(t *testing.T) {
	api, c := newDesk(t, webtest.Setup{})
	m := api.As(webtest.Manager(1))
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"1"}`).Status(201)
	c.Post(requests, `{"inventories":[`+from(7, 5, 0)+`]}`).Status(201).Field("price", `"75000.00"`) // before there are rules
	m.Post(priceRules, `{"name":"Spring","groups":[2],"season_from":"2026-03-06","season_to":"2026-03-07","percent":"20"}`).Status(201)
	m.Post(priceRules, `{"name":"Airport","rental_points":[1],"ordering":1,"percent":"10"}`).Status(201)
	c.Patch(lines+"1/", `{`+until(6, 0)+`}`).Status(200).Field("price", `"90000.00"`)
	// 2 of 5 days in the spring: 75,000 and a fifth of 30,000; at the airport a tenth more.
	c.Post(requests, `{"inventories":[`+from(6, 5, 0)+`]}`).Status(201).Field("price", `"81000.00"`).
		Field("inventories.0.tarif_price", `"15000.00"`)
	c.Post(quotes, `{"rental_point":1,"inventories":[`+from(6, 5, 0)+`]}`).Status(200).Field("price", `"89100.00"`).
		Field("inventories.0.steps.1.rule", "1").Field("inventories.0.steps.1.amount", `"6000.00"`).
		Field("inventories.0.steps.2.rule", "2").Field("inventories.0.steps.2.amount", `"8100.00"`)
	c.Post(quotes, `{"inventories":[`+from(1, 5, 0)+`]}`).Status(200).Field("price", `"15000.00"`) // another group
	for _, plain := range []string{from(6, 5, 0, `,"tarif_price":100000`), from(6, 5, 0, `,"type":1`)} {
		if steps, _ := c.Post(quotes, `{"rental_point":1,"inventories":[`+plain+`]}`).Status(200).Value("inventories.0.steps").([]any); len(steps) != 1 {
			t.Errorf("%s has %d steps", plain, len(steps))
		}
	}
	c.Post(quotes, `{"inventories":[`+from(6, 5, 0, `,"tarif":4`)+`]}`).Status(200).Field("price", `"81000.00"`) // a tariff that is named
	// The rules change; the order's point, too. The line costs what was agreed.
	m.Patch(priceRules+"1/", `{"percent":"50"}`).Status(200)
	c.Patch(requests+"2/", `{"rental_point":1}`).Status(200).Field("price", `"81000.00"`)
	c.Patch(lines+"2/", `{`+until(6, 0)+`}`).Status(200).Field("price", `"96000.00"`)
	c.Get(lines+"2/price/").Status(200).Field("price_book", "2").Field("steps.1.rule", "1").Field("steps.1.amount", `"6000.00"`)
	c.Patch(lines+"2/", `{"reprice":true}`).Status(200).Field("price", `"115500.00"`)
	c.Get(lines+"2/price/").Status(200).Field("price_book", "3")
	m.Delete(priceRules + "1/").Status(204)
	m.Delete(priceRules + "2/").Status(204)
	c.Patch(lines+"2/", `{`+until(5, 0)+`}`).Status(200).Field("price", `"99000.00"`)
	whole(t, api)
}

// Coming back late costs what the longer rental would have cost more.
func TestLateByTariffs(t *testing.T) {
	for _, tt := range []struct{ name, settings, fee string }{
		{"a part of the tariff", `{"late":"pro_rata"}`, `"32541.67"`},
		{"by tariffs", `{"late":"tariffs"}`, `"45000.00"`},
		{"half as much again, capped", `{"late":"tariffs","late_percent":150,"late_day_cap":"20000.00"}`, `"60000.00"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newDesk(t, webtest.Setup{})
			c.Post(requests, `{"status":1,"tax_percent":12,"inventories":[`+from(6, 30, 0)+`]}`).Status(201).Field("price", `"369600.00"`)
			api.As(webtest.Manager(1)).Put(rentalSettings, tt.settings).Status(200)
			api.Clock.Step(4 * 24 * time.Hour)
			act(c, 1, 2).Status(200)
			api.Clock.Step(40 * 24 * time.Hour)
			act(c, 1, 4, `,"datetime":"2026-04-07T10:00:00Z"`).Status(200).Field("penalty_amount", tt.fee).Field("price", `"369600.00"`)
		})
	}
	// A rental that is priced for longer than it lasts is late once that is over.
	api, c := newDesk(t, webtest.Setup{})
	m := api.As(webtest.Manager(1))
	m.Put(rentalSettings, `{"late":"tariffs"}`).Status(200)
	m.Post(priceRules, `{"name":"Three days","minimum":259200}`).Status(201)
	c.Post(requests, `{"status":1,"inventories":[`+from(6, 1, 0)+`,`+from(7, 1, 0)+`]}`).Status(201).Field("price", `"90000.00"`)
	api.Clock.Step(4 * 24 * time.Hour)
	act(c, 1, 2).Status(200)
	api.Clock.Step(10 * 24 * time.Hour)
	act(c, 1, 4, `,"order_inventories":[1],"datetime":"2026-03-08T10:30:00Z"`).Status(200).Field("penalty_amount", `"0.00"`)
	act(c, 1, 4, `,"order_inventories":[2],"datetime":"2026-03-08T12:00:00Z"`).Status(200).Field("penalty_amount", `"4000.00"`)
}
