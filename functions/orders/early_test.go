package orders_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// newReturns is a desk whose company prices early returns so, and charges services for the time. Order 1 is a week of item 6 from 5 March
// 10:00 on, with a day's service of 1,500, and is out since its start.
func newReturns(t testing.TB, settings, line string) (*webtest.API, *webtest.Client) {
	t.Helper()
	api, c := newInsurer(t)
	api.As(webtest.Manager(1)).Put(rentalSettings, settings).Status(200)
	c.Post(requests, `{"client":1,"status":1,"inventories":[`+line+`],"services":[{"service":2}]}`).Status(201)
	api.Clock.Step(time.Date(2026, 3, 5, 10, 0, 0, 0, time.UTC).Sub(api.Clock.Now()))
	act(c, 1, 2).Status(200)
	return api, c
}

// after steps to some days and hours after 5 March 10:00.
func after(api *webtest.API, days, hours int) {
	api.Clock.Step(time.Date(2026, 3, 5+days, 10+hours, 0, 0, 0, time.UTC).Sub(api.Clock.Now()))
}

// What comes back early keeps its price, or costs what the time does that it was used, as the settings say, and the call before them.
func TestEarlyReturns(t *testing.T) {
	const percent = `,"discount":1,"additional_discount":"100.00"`
	for _, tt := range []struct {
		name, settings, line, sent, rule string
		days, hours                      int
		price, discount, service, total  string
		until                            string // which is priced
	}{
		{"never set", `{}`, from(6, 7, 0), "", "", 3, 2, "91000.00", "0.00", "10500.00", "101500.00", "2026-03-12T10:00:00Z"},
		{"kept", `{"early":"keep"}`, from(6, 7, 0), "", "", 3, 2, "91000.00", "0.00", "10500.00", "101500.00", "2026-03-12T10:00:00Z"},
		{"golden row 22", `{"early":"reprice"}`, from(6, 7, 0), "", "", 3, 2, "49000.00", "0.00", "6000.00", "55000.00", "2026-03-08T12:00:00Z"},
		{"the call says so", `{"early":"keep"}`, from(6, 7, 0), `,"early":"reprice"`, "", 3, 2, "49000.00", "0.00", "6000.00", "55000.00", "2026-03-08T12:00:00Z"},
		{"the call says no", `{"early":"reprice"}`, from(6, 7, 0), `,"early":"keep"`, "", 3, 2, "91000.00", "0.00", "10500.00", "101500.00", "2026-03-12T10:00:00Z"},
		{"null says nothing", `{"early":"reprice"}`, from(6, 7, 0), `,"early":null`, "", 3, 2, "49000.00", "0.00", "6000.00", "55000.00", "2026-03-08T12:00:00Z"},
		{"golden row 22, never dearer", `{"early":"reprice"}`, from(6, 7, 0), "", `{"name":"Long","length_from":604800,"percent":-20}`, 6, 0, "72800.00", "0.00", "10500.00", "83300.00", "2026-03-12T10:00:00Z"},
		{"discounts count anew, amounts stay", `{"early":"reprice"}`, from(6, 7, 0, percent), "", "", 3, 2, "49000.00", "5000.00", "6000.00", "50000.00", "2026-03-08T12:00:00Z"},
		{"an amount takes all of it", `{"early":"reprice"}`, from(6, 7, 0, `,"additional_discount":"50000.00"`), "", "", 3, 2, "49000.00", "49000.00", "6000.00", "6000.00", "2026-03-08T12:00:00Z"},
		{"one tariff", `{"early":"reprice"}`, from(6, 7, 0, `,"tarif":4`), "", "", 3, 2, "60000.00", "0.00", "6000.00", "66000.00", "2026-03-08T12:00:00Z"},
		{"an agreed price", `{"early":"reprice"}`, from(6, 7, 0, `,"tarif":4,"tarif_price":"10000.00"`), "", "", 3, 2, "70000.00", "0.00", "10500.00", "80500.00", "2026-03-12T10:00:00Z"},
		{"a minimum", `{"early":"reprice"}`, from(6, 7, 0), "", `{"name":"Five days","minimum":432000}`, 3, 2, "75000.00", "0.00", "6000.00", "81000.00", "2026-03-10T10:00:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newInsurer(t)
			m := api.As(webtest.Manager(1))
			m.Put(rentalSettings, tt.settings).Status(200)
			if tt.rule != "" {
				m.Post(priceRules, tt.rule).Status(201)
			}
			m.Post("/v1/crm/discounts/", `{"name":"Friends","percent":10}`).Status(201)
			c.Post(requests, `{"client":1,"status":1,"inventories":[`+tt.line+`],"services":[{"service":2}]}`).Status(201)
			after(api, 0, 0)
			act(c, 1, 2).Status(200)
			after(api, tt.days, tt.hours)
			act(c, 1, 4, tt.sent).Status(200).Field("price", `"`+tt.total+`"`).Field("inventories.0.price", `"`+tt.price+`"`).
				Field("inventories.0.price_discount", `"`+tt.discount+`"`).Field("services.0.price", `"`+tt.service+`"`).
				Field("inventories.0.end_at", `"2026-03-12T10:00:00Z"`).Field("penalty_amount", `"0.00"`).Field("debt", `"`+tt.total+`"`)
			c.Get(lines+"1/price/").Status(200).Field("price", `"`+tt.price+`"`).Field("priced_until", `"`+tt.until+`"`)
			whole(t, api)
		})
	}
}

// A line that was priced for the time that it was used stays so, whatever is changed of it while other items of its order are out.
func TestRepricedLinesStay(t *testing.T) {
	api, c := newReturns(t, `{"early":"reprice"}`, from(6, 7, 0)+`,`+from(7, 7, 0))
	api.As(webtest.Manager(1)).Post("/v1/crm/discounts/", `{"name":"Friends","percent":10}`).Status(201)
	after(api, 3, 2)
	act(c, 1, 4, `,"order_inventories":[1]`).Status(200).Field("status", "2").Field("inventories.0.price", `"49000.00"`).
		Field("inventories.1.price", `"91000.00"`).Field("services.0.price", `"10500.00"`) // the other one goes on
	free := c.Post(requests, `{"inventories":[{"inventory":6,"start_at":"2026-03-08T13:00:00Z","end_at":"2026-03-12T10:00:00Z"}]}`).Status(201)
	free.Field("inventories.0.price", `"60000.00"`)
	explained := c.Get(lines + "1/price/").Status(200)
	explained.Field("priced_until", `"2026-03-08T12:00:00Z"`).Field("steps.0.amount", `"45000.00"`).Field("steps.1.amount", `"4000.00"`)
	for _, body := range []string{`{"extra":{"a":1}}`, `{"reprice":false}`, `{"set":null}`} {
		c.Patch(lines+"1/", body).Status(200).Field("price", `"49000.00"`).Field("price_discount", `"0.00"`)
	}
	c.Patch(lines+"1/", `{"discount":1}`).Status(200).Field("price", `"49000.00"`).Field("price_discount", `"4900.00"`)
	c.Post(requests+"1/inventories/bulk_update/", `{"inventories":[{"id":1,"additional_discount":"100.00"}]}`).Status(200).
		Field("inventories.0.price", `"49000.00"`).Field("inventories.0.price_discount", `"5000.00"`).Field("services.0.price", `"10500.00"`)
	c.Get(lines+"1/price/").Status(200).Field("net", `"44000.00"`).Field("priced_until", `"2026-03-08T12:00:00Z"`)
	c.Patch(lines+"1/", `{`+until(3, 2)+`}`).Status(409).Field("code", `"returned"`).Writes(0)
	after(api, 5, 0)
	act(c, 1, 4).Status(200).Field("status", "5").Field("inventories.0.price", `"49000.00"`).Field("inventories.1.price", `"75000.00"`).
		Field("services.0.price", `"7500.00"`).Field("price", `"126500.00"`).Field("rent_end", `"2026-03-12T10:00:00Z"`)
	whole(t, api)
	c.Get(requests+"1/timeline/").Status(200).Field("results.0.events.0.kind", `"taken_back"`).Field("results.0.events.1.kind", `"line_changed"`).
		Field("results.0.events.1.fields", `["price","tarif","tarif_duration","tarif_name","tarif_price"]`).
		Field("results.0.events.2.kind", `"service_changed"`)
}

// Whether the end is moved before an item comes back, after it, or never, is the same money.
func TestOrderOfClicks(t *testing.T) {
	for _, early := range []string{"keep", "reprice"} {
		for _, rule := range []string{"", `{"name":"Long","length_from":604800,"percent":-20}`} {
			for _, days := range []int{1, 3, 6} {
				for _, line := range []string{from(6, 7, 0), from(6, 7, 0, `,"tarif":4,"tarif_price":"10000.00"`)} {
					var want string
					for _, ends := range [][]string{nil, {until(days, 0)}, {until(days+1, 0), until(days, 0)}, {until(days, 0), until(7, 0)}} {
						if rule != "" && len(ends) > 1 {
							continue // a longer time may be cheaper there, so that it matters what was agreed on in between
						}
						api, c := newInsurer(t)
						m := api.As(webtest.Manager(1))
						m.Put(rentalSettings, `{"early":"`+early+`"}`).Status(200)
						if rule != "" {
							m.Post(priceRules, rule).Status(201)
						}
						c.Post(requests, `{"client":1,"status":1,"inventories":[`+line+`],"services":[{"service":2}]}`).Status(201)
						after(api, 0, 0)
						act(c, 1, 2).Status(200)
						for _, end := range ends {
							c.Patch(lines+"1/", `{`+end+`}`).Status(200)
						}
						after(api, days, 0)
						a := act(c, 1, 4).Status(200)
						got := fmt.Sprint(a.Text("inventories.0.price"), " ", a.Text("services.0.price"), " ", a.Text("debt"))
						if ends == nil {
							want = got
						}
						if got != want {
							t.Errorf("%s, %s, %d days of %s, ends %s: %s, want %s", early, rule, days, line, strings.Join(ends, ", "), got, want)
						}
						whole(t, api)
					}
				}
			}
		}
	}
}

// A shorter end frees the item, and keeps the price where that is meant; so do the services.
func TestShorterEndsKeepPrices(t *testing.T) {
	api, c := newReturns(t, `{"early":"keep","late":"tariffs"}`, from(6, 7, 0))
	change := func(end, price, service, priced string) {
		t.Helper()
		c.Patch(lines+"1/", `{`+end+`}`).Status(200).Field("price", `"`+price+`"`)
		c.Get(requests+"1/").Status(200).Field("price_inventory", `"`+price+`"`).Field("price_service", `"`+service+`"`)
		c.Get(lines+"1/price/").Status(200).Field("price", `"`+price+`"`).Field("priced_until", `"`+priced+`"`)
		whole(t, api)
	}
	change(until(3, 0), "91000.00", "10500.00", "2026-03-12T10:00:00Z")
	c.Post(requests, `{"inventories":[{"inventory":6,"start_at":"2026-03-10T10:00:00Z","end_at":"2026-03-11T10:00:00Z"}]}`).Status(201)
	inWay(t, c.Patch(lines+"1/", `{`+until(6, 0)+`}`), 2)
	c.Delete(requests + "2/").Status(204)
	change(until(4, 0), "91000.00", "10500.00", "2026-03-12T10:00:00Z")
	change(until(7, 0), "91000.00", "10500.00", "2026-03-12T10:00:00Z")
	change(until(8, 0), "106000.00", "12000.00", "2026-03-13T10:00:00Z")
	change(until(7, 0), "106000.00", "12000.00", "2026-03-13T10:00:00Z")
	c.Patch(lines+"1/", `{"additional_discount":"6000.00"}`).Status(200).Field("price", `"106000.00"`).Field("price_discount", `"6000.00"`)
	after(api, 8, 3) // a day and three hours after its end, three hours after what was paid
	act(c, 1, 4).Status(200).Field("inventories.0.penalty_amount", `"6000.00"`).Field("price", `"112000.00"`).Field("debt", `"118000.00"`)
	whole(t, api)
}

// Who took an item early for free, and brings it back before its time, pays for the same services whatever was clicked before.
func TestServicesOfAnEarlyHandOut(t *testing.T) {
	for _, tt := range []struct{ early, price, service string }{
		{"keep", "91000.00", "10500.00"}, {"reprice", "45000.00", "4500.00"},
	} {
		for _, end := range []string{"", until(0, 0), until(-1, 0)} {
			api, c := newInsurer(t)
			api.As(webtest.Manager(1)).Put(rentalSettings, `{"early":"`+tt.early+`"}`).Status(200)
			c.Post(requests, `{"client":1,"status":1,"inventories":[`+from(6, 7, 0)+`],"services":[{"service":2}]}`).Status(201)
			after(api, -3, 0) // 2 March 10:00
			act(c, 1, 2).Status(200)
			if end != "" {
				c.Patch(lines+"1/", `{`+end+`}`).Status(200)
				whole(t, api)
			}
			after(api, 0, 0)
			if end == until(-1, 0) {
				api.Clock.Step(-24 * time.Hour)
			}
			a := act(c, 1, 4).Status(200)
			if end == until(-1, 0) && tt.early == "reprice" {
				a.Field("inventories.0.price", `"30000.00"`).Field("services.0.price", `"3000.00"`)
			} else {
				a.Field("inventories.0.price", `"`+tt.price+`"`).Field("services.0.price", `"`+tt.service+`"`)
			}
			whole(t, api)
		}
	}
}

// Who takes an item early pays for the longer rental, where that is charged.
func TestEarlyStarts(t *testing.T) {
	for _, tt := range []struct {
		name, settings, start, price, service string
		early                                 time.Duration
	}{
		{"never set", `{}`, "2026-03-05T10:00:00Z", "91000.00", "10500.00", 24 * time.Hour},
		{"free", `{"early_start":"free"}`, "2026-03-05T10:00:00Z", "91000.00", "10500.00", 24 * time.Hour},
		{"charged", `{"early_start":"charged"}`, "2026-03-04T10:00:00Z", "106000.00", "12000.00", 24 * time.Hour},
		{"within the grace", `{"early_start":"charged"}`, "2026-03-05T10:00:00Z", "91000.00", "10500.00", time.Hour},
		{"just more", `{"early_start":"charged"}`, "2026-03-05T08:59:59Z", "95000.00", "12000.00", time.Hour + time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, c := newInsurer(t)
			api.As(webtest.Manager(1)).Put(rentalSettings, tt.settings).Status(200)
			c.Post(requests, `{"client":1,"status":1,"inventories":[`+from(6, 7, 0)+`],"services":[{"service":2}]}`).Status(201)
			after(api, 0, 0)
			api.Clock.Step(-tt.early)
			out := api.Clock.Now().UTC().Format(time.RFC3339)
			act(c, 1, 2).Status(200).Field("inventories.0.start_at", `"`+tt.start+`"`).Field("inventories.0.fact_start_at", `"`+out+`"`).
				Field("inventories.0.price", `"`+tt.price+`"`).Field("services.0.price", `"`+tt.service+`"`).
				Field("inventories.0.end_at", `"2026-03-12T10:00:00Z"`)
			whole(t, api)
			after(api, 7, 0)
			act(c, 1, 4).Status(200).Field("inventories.0.price", `"`+tt.price+`"`).Field("penalty_amount", `"0.00"`)
			whole(t, api)
		})
	}
}

// A hand-out that another rental is in the way of is refused as ever, and nothing is charged.
func TestEarlyStartInTheWay(t *testing.T) {
	api, c := newInsurer(t)
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"early_start":"charged"}`).Status(200)
	c.Post(requests, `{"status":1,"inventories":[{"inventory":6,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-04T10:00:00Z"}]}`).Status(201)
	c.Post(requests, `{"client":1,"status":1,"inventories":[`+from(6, 7, 0)+`,`+from(7, 7, 0)+`],"services":[{"service":2}]}`).Status(201)
	before := c.Get(requests + "2/").Status(200).Body()
	a := act(c, 2, 2)
	inWay(t, a, 1)
	a.Writes(0)
	c.Get(requests + "2/").Status(200).JSON(string(before))
	// Of two items, the one that goes early moves the start of the order.
	act(c, 2, 2, `,"order_inventories":[3]`).Status(200).Field("inventories.0.start_at", `"2026-03-05T10:00:00Z"`).
		Field("inventories.1.start_at", `"2026-03-02T09:30:00Z"`).Field("rent_start", `"2026-03-02T09:30:00Z"`).
		Field("inventories.0.price", `"91000.00"`).Field("inventories.1.price", `"138000.00"`).Field("services.0.price", `"16500.00"`)
	c.Get(requests+"2/timeline/").Status(200).Field("results.0.events.0.kind", `"handed_out"`)
	whole(t, api)
}

// What is said of early returns is checked.
func TestEarlyThatIsRefused(t *testing.T) {
	api, c := newReturns(t, `{"early":"reprice"}`, from(6, 7, 0))
	c.Post(requests, `{"inventories":[`+from(7, 7, 0)+`]}`).Status(201)
	for _, tt := range []struct {
		order  int64
		status int
		want   string
	}{
		{2, 1, `{"early":["This step takes nothing back."]}`},
		{2, 3, `{"early":["This step takes nothing back."]}`},
	} {
		act(c, tt.order, tt.status, `,"early":"keep"`).Writes(0).Status(400).JSON(tt.want)
	}
	act(c, 1, 2, `,"early":"keep"`).Writes(0).Status(409).Field("code", `"status"`)
	act(c, 2, 1).Status(200)
	act(c, 2, 2, `,"early":"reprice"`).Writes(0).Status(400).JSON(`{"early":["This step takes nothing back."]}`)
	act(c, 1, 4, `,"early":"refund"`).Writes(0).Status(400).Field("early", `["\"refund\" is not a valid choice."]`)
	c.Get(lines+"1/").Status(200).Field("price", `"91000.00"`).Field("fact_end_at", "null")
	whole(t, api)
}

// As many lines as one call takes back, with all services that follow their time, fit into one transaction.
func TestManyEarlyReturns(t *testing.T) {
	api, c := newInsurer(t)
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"early":"reprice","early_start":"charged"}`).Status(200)
	fleet(c, 40)
	ten := strings.TrimSuffix(strings.Repeat(`{"service":2},`, 10), ",")
	c.Post(requests, `{"status":1,`+many(8, 30)+`,"services":[`+ten+`]}`).Status(201)
	c.Post(requests+"1/services/bulk_create/", `{"services":[`+ten+`]}`).Status(201)
	before := c.Get(requests + "1/").Status(200).Text("price_service")
	out := act(c, 1, 2).Status(200)
	if more := out.Text("price_service"); more == before {
		t.Errorf("the services cost %s, and %s once it began earlier", before, more)
	}
	api.Clock.Step(time.Hour)
	act(c, 1, 4).Status(200).Field("price_service", `"30000.00"`).Field("status", "5")
	whole(t, api)
}
