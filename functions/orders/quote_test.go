package orders_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

const quotes = requests + "quote/"

// TestQuote is a quote with every kind of line, word for word.
func TestQuote(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post("/v1/crm/discounts/", `{"name":"Friends","percent":10}`).Status(201)
	c.Post(requests, `{"inventories":[{"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}]}`).Status(201)
	const body = `{"client":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-03T11:00:00Z","tax_percent":12,` +
		`"additional_discount":1000,"inventories":[{"inventory":1,"tarif":1,"discount":1},{"inventory":2,"type":1}],` +
		`"services":[{"service":1,"count":2,"tarif_price":"0.05"}]}`
	a := c.Post(quotes, body).Status(200)
	a.JSON(`{"available":false,"rent_start":"2026-03-02T09:30:00Z","rent_end":"2026-03-03T11:00:00Z",
		"price":"10084928.11","price_inventory":"9006000.00","price_service":"0.10","price_discount":"1600.00","tax":"1080528.01",
		"tax_percent":"12.00","tax_included":false,
		"steps":[
			{"kind":"inventory","text":"items","units":null,"count":null,"percent":null,"tarif":null,"rule":null,"amount":"9006000.00"},
			{"kind":"services","text":"services","units":null,"count":null,"percent":null,"tarif":null,"rule":null,"amount":"0.10"},
			{"kind":"line_discounts","text":"discounts of single items and services","units":null,"count":null,"percent":null,"tarif":null,"rule":null,"amount":"-600.00"},
			{"kind":"additional","text":"additional discount of 1000.00","units":null,"count":null,"percent":null,"tarif":null,"rule":null,"amount":"-1000.00"},
			{"kind":"tax","text":"tax of 12% on 9004400.10","units":null,"count":null,"percent":"12.00","tarif":null,"rule":null,"amount":"1080528.01"}],
		"inventories":[
			{"inventory":1,"inventory_group":1,"type":0,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-03T11:00:00Z",
			"tarif":1,"tarif_name":"Day","tarif_price":"3000.00","one_time_payment":false,"tarif_duration":"1 00:00:00","combined":false,
			"discount":1,"additional_discount":"0.00","price":"6000.00","price_discount":"600.00","units":2,"net":"5400.00","share":"<string>",
			"steps":[
				{"kind":"tariff","text":"2 × 3000.00 for 1 day (25 h)","units":2,"count":1,"percent":null,"tarif":1,"rule":null,"amount":"6000.00"},
				{"kind":"percent","text":"discount of 10% of 6000.00","units":null,"count":null,"percent":"10.00","tarif":null,"rule":null,"amount":"-600.00"}],
			"available":false,"free":null,
			"conflicts":[{"line":1,"request":1,"block":null,"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z","overdue":false}],
			"alternatives":[
				{"id":3,"name":"Camry 3","unique_id":null,"number":"003AAA02"},{"id":4,"name":"Camry 4","unique_id":null,"number":"004AAA02"},
				{"id":5,"name":"Camry 5","unique_id":null,"number":"005AAA02"}]},
			{"inventory":2,"inventory_group":1,"type":1,"start_at":"2026-03-02T09:30:00Z","end_at":null,
			"tarif":null,"tarif_name":null,"tarif_price":"9000000.00","one_time_payment":false,"tarif_duration":null,"combined":false,
			"discount":null,"additional_discount":"0.00","price":"9000000.00","price_discount":"0.00","units":1,"net":"9000000.00",
			"share":"<string>",
			"steps":[{"kind":"tariff","text":"9000000.00, sold","units":1,"count":1,"percent":null,"tarif":null,"rule":null,"amount":"9000000.00"}],
			"available":true,"free":null,"conflicts":[],"alternatives":[]}],
		"services":[
			{"service":1,"service_name":"Delivery","service_type":0,"count":2,"by_time":false,"start_at":null,"end_at":null,"tarif":null,"tarif_name":null,"tarif_price":"0.05",
			"one_time_payment":false,"tarif_duration":null,"combined":false,"discount":null,"additional_discount":"0.00","price":"0.10","price_discount":"0.00",
			"units":1,"net":"0.10","share":"<string>",
			"steps":[{"kind":"tariff","text":"2 × 0.05","units":1,"count":2,"percent":null,"tarif":null,"rule":null,"amount":"0.10"}]}]}`)
	if got := cents(t, a, "inventories.0.share") + cents(t, a, "inventories.1.share") + cents(t, a, "services.0.share"); got != 1008492811 {
		t.Errorf("the shares add up to %d cents", got)
	}
	a.Writes(0)
	c.Post(requests, body).Status(409).Field("code", `"overlap"`).Field("conflicts.0.line", "1")
	// No number was used up.
	c.Post(requests, `{"inventories":[{"inventory":2,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}]}`).
		Status(201).Field("id", "2").Field("order_inventories", "[2]")
	c.Post(quotes, `{}`).Status(200).Field("available", "true").Field("price", `"0.00"`).Field("inventories", "[]").
		Field("services", "[]").Field("steps", "[]").Writes(0)
}

func cents(t *testing.T, a *webtest.Answer, path string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.Replace(a.Text(path), ".", "", 1), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAlternativesKeepTheBuffer checks that an item is not offered which is kept free at the time.
func TestAlternativesKeepTheBuffer(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Put("/v1/crm/settings/rental/", `{"buffer":7200}`).Status(200)
	for item, start := range map[string]string{"1": "10", "2": "08", "3": "14", "4": "15"} {
		c.Post(requests, `{"inventories":[{"inventory":`+item+`,"start_at":"2026-03-03T`+start+`:00:00Z","end_at":"2026-03-03T`+start+`:59:00Z"}]}`).
			Status(201)
	}
	// From 10:30 to 12:30, and kept free until 14:30: 2 is kept free until 10:59, 3 begins too early.
	c.Post(quotes, `{"inventories":[{"inventory":1,"start_at":"2026-03-03T10:30:00Z","end_at":"2026-03-03T12:30:00Z"}]}`).Status(200).
		Field("inventories.0.alternatives.0.id", "4").Field("inventories.0.alternatives.1.id", "5").Calls(6)
	c.Post(quotes, `{"inventories":[{"inventory":5,"start_at":"2026-03-03T10:30:00Z","end_at":"2026-03-03T12:30:00Z"}]}`).Status(200).
		Field("available", "true").Field("inventories.0.alternatives", "[]").Calls(2).Units(7, 0)
}

// TestQuoteRefuses are the faults of a body: those of a create, in the same places.
func TestQuoteRefuses(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"unique_id":"A-1"}`).Status(201)
	for name, tt := range map[string]struct{ body, want string }{
		"unknown records": {
			`{"client":7,"discount":8,"rental_point":9,"inventories":[{"inventory":99,"start_at":"2026-03-03T10:00:00Z",` +
				`"end_at":"2026-03-05T10:00:00Z"}],"services":[{"service":99}]}`,
			`{"client":["Invalid pk \"7\" - object does not exist."],"discount":["Invalid pk \"8\" - object does not exist."],
			"rental_point":["Invalid pk \"9\" - object does not exist."],
			"inventories":[{"inventory":["Invalid pk \"99\" - object does not exist."]}],
			"services":[{"service":["Invalid pk \"99\" - object does not exist."]}]}`,
		},
		"a time without an end": {
			`{"inventories":[{"inventory":1,"start_at":"2026-03-03T10:00:00Z"}]}`,
			`{"inventories":[{"end_at":["This field is required."]}]}`,
		},
		"what the decoder refuses, too": {
			`{"tax_percent":101,"status":2,"inventories":[{"inventory":1,"tarif":9,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-04T10:00:00Z"}]}`,
			`{"status":["A new order is 0 or 1."],"tax_percent":["Ensure this value is less than or equal to 100."],
			"inventories":[{"tarif":["Invalid pk \"9\" - object does not exist."]}]}`,
		},
		"a unique_id that is taken": {`{"unique_id":"A-1"}`, `{"unique_id":["This field must be unique."]}`},
		"one item twice": {
			`{"rent_start":"2026-03-03T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","inventories":[{"inventory":1},{"inventory":1}]}`,
			`{"inventories":[{},{"inventory":["Another line of this call has the item at this time."]}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := c.In(t)
			c.Post(quotes, tt.body).Status(400).JSON(tt.want).Writes(0)
			if a := c.Post(requests, tt.body).JSON(tt.want); a.Code() != 400 {
				t.Errorf("the create is %d", a.Code())
			}
		})
	}
	const one = `{"inventories":[{"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}]}`
	api.As(webtest.Employee(2)).Post(quotes, one).Status(400).Field("inventories.0.inventory.0", `"<string>"`).NotContain("Camry")
	api.Join(webtest.ReadOnly(1)).As(webtest.ReadOnly(1)).Post(quotes, one).Status(403)
	api.As(webtest.Nobody()).Post(quotes, one).Status(401)
}

// TestAQuoteIsWhatACreateStores quotes random bodies and creates them: both refuse the same in the
// same words, or tell the same prices to the cent, also when the order is read again.
func TestAQuoteIsWhatACreateStores(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, seed))
	api, c := newAPI(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Put("/v1/crm/settings/rental/", `{"buffer":1800,"month":"calendar"}`).Status(200)
	c.Post("/v1/crm/discounts/", `{"name":"Friends","percent":"12.5"}`).Status(201)
	c.Post("/v1/crm/discounts/", `{"name":"Voucher","amount":"333.33"}`).Status(201)
	c.Post(groupsPath+"1/tarifs/", `{"inventory_group":1,"name":"Month","price":"70000.01","duriation":2592000}`).Status(201)
	c.Post(groupsPath+"1/tarifs/", `{"inventory_group":1,"name":"Once","price":"99999.99","one_time_payment":true}`).Status(201)
	c.Post("/v1/crm/services/", `{"name":"Wash","type":2,"price":"0.33"}`).Status(201)
	counts := map[int]int{}
	for n := range 80 {
		body := randomOrder(r)
		quoted, created := c.Post(quotes, body), c.Post(requests, body)
		counts[created.Code()]++
		told := fmt.Sprintf("%d: %s", n, body)
		switch created.Code() {
		case 201:
			quoted.Status(200).Field("available", "true")
			sameAmounts(t, told, quoted, created)
			sameAmounts(t, told, quoted, c.Get(requests+fmt.Sprint(created.Int("id"))+"/"))
		case 409:
			quoted.Status(200).Field("available", "false")
			var conflicts []any
			for _, l := range list(quoted.Value("inventories")) {
				conflicts = append(conflicts, list(l.(map[string]any)["conflicts"])...)
			}
			if got := list(created.Value("conflicts")); !reflect.DeepEqual(got, conflicts) {
				t.Errorf("%s\nconflicts of the quote: %v\nof the create: %v", told, conflicts, got)
			}
		default:
			if quoted.Status(created.Code()); !bytes.Equal(quoted.Body(), created.Body()) {
				t.Errorf("%s\nthe quote says  %s\nthe create says %s", told, quoted.Body(), created.Body())
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if counts[201] < 20 || counts[400] < 5 || counts[409] < 5 {
		t.Errorf("the bodies are all alike: %v", counts)
	}
	whole(t, api)
}

func list(v any) []any {
	all, _ := v.([]any)
	return all
}

// sameAmounts checks that an order has what its quote told, field by field.
func sameAmounts(t *testing.T, told string, quoted, made *webtest.Answer) {
	t.Helper()
	same := func(path string, fields ...string) {
		for _, f := range fields {
			if q, m := quoted.Value(path+f), made.Value(path+f); !reflect.DeepEqual(q, m) {
				t.Errorf("%s\n%s of the quote: %v, of the order: %v", told, path+f, q, m)
			}
		}
	}
	same("", "rent_start", "rent_end", "price", "price_inventory", "price_service", "price_discount", "tax", "tax_percent", "tax_included")
	terms := []string{
		"tarif", "tarif_name", "tarif_price", "one_time_payment", "tarif_duration", "discount", "additional_discount", "price", "price_discount",
	}
	shares := int64(0)
	for i := range list(made.Value("inventories")) {
		path := fmt.Sprintf("inventories.%d.", i)
		same(path, append(terms, "type", "start_at", "end_at", "inventory_group")...)
		shares += cents(t, quoted, path+"share")
	}
	for i := range list(made.Value("services")) {
		path := fmt.Sprintf("services.%d.", i)
		same(path, append(terms, "service", "service_name", "service_type", "count")...)
		shares += cents(t, quoted, path+"share")
	}
	if len(list(made.Value("inventories"))) != len(list(quoted.Value("inventories"))) ||
		len(list(made.Value("services"))) != len(list(quoted.Value("services"))) {
		t.Errorf("%s\nthe quote has other lines", told)
	}
	if len(list(made.Value("inventories")))+len(list(made.Value("services"))) > 0 && shares != cents(t, made, "price") {
		t.Errorf("%s\nthe shares add up to %d cents, the price is %v", told, shares, made.Value("price"))
	}
}

// randomOrder is a body of an order. Some are wrong, and some want what is not free.
func randomOrder(r *rand.Rand) string {
	maybe := func(in map[string]any, field string, odds int, value any) {
		if r.IntN(100) < odds {
			in[field] = value
		}
	}
	amount := func(most int) string { return fmt.Sprintf("%d.%02d", r.IntN(most), r.IntN(100)) }
	terms := func() map[string]any {
		in := map[string]any{}
		maybe(in, "discount", 30, 1+r.IntN(2))
		maybe(in, "additional_discount", 20, amount(3000))
		maybe(in, "tarif_price", 20, amount(100000))
		return in
	}
	at := webtest.Start.Add(time.Duration(r.IntN(200*24)) * time.Hour)
	moment := func() string { return at.Add(time.Duration(r.IntN(7200)) * time.Second).Format(time.RFC3339) }
	o := map[string]any{"rent_start": moment()}
	o["rent_end"] = at.Add(time.Duration(3+r.IntN(40*24)) * time.Hour).Format(time.RFC3339)
	maybe(o, "client", 50, 1)
	maybe(o, "status", 30, r.IntN(2))
	maybe(o, "discount", 30, 1+r.IntN(2))
	maybe(o, "additional_discount", 30, amount(9000))
	maybe(o, "tax_percent", 60, amount(30))
	maybe(o, "tax_included", 40, true)
	maybe(o, "rent_end", 4, nil)
	var lines, services []any
	for range r.IntN(4) {
		l := terms()
		l["inventory"] = 1 + r.IntN(5)
		maybe(l, "tarif", 50, 1+r.IntN(4))
		maybe(l, "tarif", 3, 77)
		maybe(l, "start_at", 20, moment())
		maybe(l, "tarif_duration", 10, 5400)
		maybe(l, "set_group", 20, "child seats")
		if r.IntN(40) == 0 {
			l["type"] = 1
		}
		lines = append(lines, l)
	}
	for range r.IntN(3) {
		l := terms()
		l["service"], l["count"] = 1+r.IntN(2), 1+r.IntN(7)
		services = append(services, l)
	}
	o["inventories"], o["services"] = lines, services
	if lines == nil {
		delete(o, "inventories")
	}
	if services == nil {
		delete(o, "services")
	}
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestServicesHaveDiscounts: a service line that names no discount has that of its service, as it is
// when the line is made; the quote explains it.
func TestServicesHaveDiscounts(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	const services, lines = "/v1/crm/services/", requests + "services/"
	c.Post("/v1/crm/discounts/", `{"name":"Ten","percent":10}`).Status(201)
	c.Post("/v1/crm/discounts/", `{"name":"Less 200","amount":200}`).Status(201)
	c.Patch(services+"1/", `{"discount":1}`).Status(200)
	c.Post(services, `{"name":"Washing","price":1000}`).Status(201)

	body := `{"client":1,"services":[{"service":1,"count":2},{"service":1,"discount":2},{"service":1,"discount":null},{"service":2}]}`
	quoted := c.Post(requests+"quote/", body).Status(200).Field("price", `"6500.00"`).Field("price_discount", `"500.00"`).
		Field("services.0.discount", "1").Field("services.0.net", `"2700.00"`).
		Field("services.1.discount", "2").Field("services.1.net", `"1300.00"`).
		Field("services.2.discount", "null").Field("services.2.net", `"1500.00"`).Field("services.3.discount", "null")
	if steps := fmt.Sprint(quoted.Value("services.0.steps")); !strings.Contains(steps, "percent") {
		t.Errorf("steps: %s", steps)
	}
	c.Post(requests, body).Status(201).Field("price", `"6500.00"`).Field("price_discount", `"500.00"`)
	c.Get(lines+"1/").Status(200).Field("discount", "1").Field("price", `"3000.00"`).Field("price_discount", `"300.00"`)

	// What the line has stays, whatever becomes of the service and of its discount.
	c.Patch("/v1/crm/discounts/1/", `{"percent":50}`).Status(200)
	c.Patch(lines+"1/", `{"count":4}`).Status(200).Field("discount", "1").Field("price_discount", `"600.00"`)
	c.Patch(lines+"3/", `{"count":2}`).Status(200).Field("discount", "null").Field("price_discount", `"0.00"`)
	c.Patch(lines+"1/", `{"discount":null}`).Status(200).Field("price_discount", `"0.00"`)

	// Another service brings its own discount, unless the caller names one; so do lines that are added.
	c.Patch(lines+"4/", `{"service":1}`).Status(200).Field("discount", "1").Field("price_discount", `"750.00"`)
	c.Patch(lines+"4/", `{"service":2}`).Status(200).Field("discount", "null").Field("price_discount", `"0.00"`)
	c.Patch(lines+"4/", `{"service":1,"discount":2}`).Status(200).Field("discount", "2").Field("price_discount", `"200.00"`)
	c.Post(lines, `{"request":1,"service":1}`).Status(201).Field("discount", "1").Field("price_discount", `"750.00"`)
	c.Post(requests+"1/services/bulk_create/", `{"services":[{"service":1},{"service":1,"discount":null}]}`).Status(201)
	c.Get(lines+"6/").Status(200).Field("price_discount", `"750.00"`)
	c.Get(lines+"7/").Status(200).Field("price_discount", `"0.00"`)

	// A service whose discount was deleted has none.
	c.Delete("/v1/crm/discounts/1/").Status(204)
	c.Post(lines, `{"request":1,"service":1}`).Status(201).Field("discount", "null").Field("price_discount", `"0.00"`)
	sound(t, api)
}
