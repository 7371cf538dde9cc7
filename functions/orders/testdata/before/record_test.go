// Package orders_test has here what recorded items.json and answers.json. It was run once, by the release that knew neither combined prices,
// nor price rules, nor services by time (commit e3c61382), from a copy in functions/orders beside a copy of before_test.go:
//
//	go test ./functions/orders -run TestRecordBefore
package orders_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	day   = 24 * time.Hour
	oneIn = 23 // all 4,545 changes take more time than a test should; they were compared once
)

// recorder records one company.
type recorder struct {
	t       *testing.T
	d       *desk
	company tenant.ID
	c       *webtest.Client
	orders  []int64
	changes []change
}

func TestRecordBefore(t *testing.T) {
	d := newDeskOf(t)
	settings := map[tenant.ID]string{2: `{"month":"calendar"}`, 3: `{"late_grace":1800,"late_step":900,"buffer":1200}`}
	var all []*recorder
	for id, zone := range map[tenant.ID]string{1: "Asia/Almaty", 2: "Asia/Almaty", 3: "Europe/Berlin"} {
		d.Join(webtest.Owner(id))
		of := table.Of(d.Env.Table, id)
		put := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: int64(id), TimeZone: zone, Revision: 1})
		if err := put.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := &recorder{t: t, d: d, company: id, c: d.As(webtest.Owner(id))}
		if settings[id] != "" {
			r.c.Put("/v1/crm/settings/rental/", settings[id]).Status(200)
		}
		r.catalogue()
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *recorder) int { return int(a.company - b.company) })
	for _, r := range all {
		r.reserve()
	}
	d.Clock.Step(8*day + 150*time.Minute) // 10 March, 12:00
	for _, r := range all {
		r.live()
	}
	was := before{At: d.Clock.Now(), Read: map[string]values{}}
	for key, it := range scan(t, d) {
		pk, sk := it["pk"].(*types.AttributeValueMemberS).Value, it["sk"].(*types.AttributeValueMemberS).Value
		sent := strings.HasPrefix(sk, "outbox#") || strings.HasPrefix(sk, "replay#")
		if !sent && it["ttl"] == nil && !strings.Contains(pk, "#log#") { // neither what was sent nor histories price anything
			d.items[key] = it
		}
	}
	d.reset(t) // which removes what was left out
	for _, r := range all {
		for _, path := range r.paths() {
			was.Read[fmt.Sprintf("%d:%s", r.company, path)] = valuesOf(t, r.c.Get(path).Status(200))
		}
	}
	for _, r := range all {
		r.all(was.Read)
		was.Changes = append(was.Changes, r.changes...)
	}
	save(t, d, was)
}

// scan reads the whole table.
func scan(t *testing.T, d *desk) map[string]stored {
	items := map[string]stored{}
	pages := dynamodb.NewScanPaginator(d.client, &dynamodb.ScanInput{TableName: aws.String(d.written.table), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			items[keyOf(it)] = it
			d.written.add(it)
		}
	}
	return items
}

// catalogue makes what is rented.
func (r *recorder) catalogue() {
	post := func(path, body string) { r.t.Helper(); r.c.Post(path, body).Status(201) }
	post(clientsPath, `{"name":"Assel"}`)
	post(clientsPath, `{"name":"Bolat"}`)
	post(accounts, `{"name":"Cash"}`)
	post("/v1/crm/rental_points/", `{"name":"Airport","address":"1"}`)
	post("/v1/crm/discounts/", `{"name":"Friends","percent":"12.5"}`)
	post("/v1/crm/discounts/", `{"name":"Voucher","amount":"333.33"}`)
	for group, list := range [][]string{
		{
			`"name":"Day","price":3000,"duriation":86400`, `"name":"Hour","price":200,"duriation":3600`, // 1, 2
			`"name":"Week","price":18000,"duriation":604800`, `"name":"Month","price":60000,"duriation":2592000`, // 3, 4
			`"name":"Season","price":70000,"duriation":172800,"one_time_payment":true`, // 5
			`"name":"Three hours","price":"333.33","duriation":10800`,                  // 6
			`"name":"Hidden","price":1,"duriation":86400,"published":false`,            // 7
		},
		{`"name":"Day","price":"500.10","duriation":86400`, `"name":"Month","price":9000,"duriation":2592000`, `"name":"Twin","price":"500.10","duriation":86400`}, // 8-10
		{`"name":"Any","price":15000`, `"name":"Once","price":"12000.01","one_time_payment":true,"duriation":86400`},                                               // 11, 12
	} {
		post(groupsPath, fmt.Sprintf(`{"name":"Group %d"}`, group+1))
		for _, one := range list {
			post(fmt.Sprintf("%s%d/tarifs/", groupsPath, group+1), fmt.Sprintf(`{"inventory_group":%d,%s}`, group+1, one))
		}
	}
	for i := range 10 { // 1-5 cars, 6-8 tools, 9 and 10 of the third group
		group := 1
		if i >= 5 {
			group = 2
		}
		if i >= 8 {
			group = 3
		}
		post(inventories, fmt.Sprintf(`{"name":"Item %d","group":%d,"sell_price":"90000.50"}`, i+1, group))
	}
	post("/v1/crm/services/", `{"name":"Delivery","type":0,"price":1500}`)
	post("/v1/crm/services/", `{"name":"Insurance","price":10}`)
	post("/v1/crm/services/", `{"name":"Wash","price":700,"discount":1}`)
	post("/v1/crm/services/2/tarifs/", `{"service":2,"name":"Day","price":900,"duriation":86400}`)                          // 13
	post("/v1/crm/services/2/tarifs/", `{"service":2,"name":"Hour","price":"50.55","duriation":3600}`)                      // 14
	post("/v1/crm/services/2/tarifs/", `{"service":2,"name":"All","price":4000,"one_time_payment":true,"duriation":86400}`) // 15
}

func span(start string, length time.Duration) string {
	from, err := time.Parse("2006-01-02T15:04", start)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`"start_at":"%s","end_at":"%s"`, from.Format(time.RFC3339), from.Add(length).Format(time.RFC3339))
}

func (r *recorder) order(body string) int64 {
	r.t.Helper()
	id := r.c.Post(requests, body).Status(201).Int("id")
	r.orders = append(r.orders, id)
	return id
}

// reserve makes orders at the beginning of March.
func (r *recorder) reserve() {
	line := func(item int, start string, length time.Duration, more ...string) string {
		return fmt.Sprintf(`{"inventory":%d,%s%s}`, item, span(start, length), strings.Join(more, ""))
	}
	// 1: the cheapest tariffs, some over the change of clocks.
	r.order(`{"client":1,"inventories":[` + line(1, "2026-03-28T09:00", 25*time.Hour) + `,` + line(2, "2026-03-28T09:00", 23*time.Hour) + `,` +
		line(6, "2026-03-28T09:00", 3*day) + `,` + line(9, "2026-03-28T09:00", 3*day) + `],"services":[{"service":1,"count":2},{"service":2},{"service":3}]}`)
	// 2: tariffs that are named, and a month.
	r.order(`{"client":1,"status":1,"rental_point":1,"inventories":[` + line(1, "2026-10-20T10:00", 31*day, `,"tarif":4`) + `,` +
		line(2, "2026-10-20T10:00", 7*day, `,"tarif":1`) + `,` + line(3, "2026-10-24T12:00", 25*time.Hour, `,"tarif":1`) + `,` +
		line(6, "2026-10-20T10:00", 62*day, `,"tarif":9`) + `],"services":[{"service":2,"tarif":13},{"service":2,"tarif":15,"count":3}]}`)
	// 3: tariffs that are paid once, or for any time, or are not published.
	r.order(`{"client":2,"inventories":[` + line(4, "2026-05-01T08:00", 5*day, `,"tarif":5`) + `,` + line(9, "2026-05-01T08:00", 2*day, `,"tarif":11`) + `,` +
		line(10, "2026-05-01T08:00", 2*day, `,"tarif":12`) + `,` + line(5, "2026-05-01T08:00", 2*day, `,"tarif":7`) + `]}`)
	// 4: agreed prices and durations.
	r.order(`{"client":2,"tax_percent":12,"inventories":[` + line(1, "2026-06-01T08:00", 2*day, `,"tarif_price":"1234.56"`) + `,` +
		line(2, "2026-06-01T08:00", 3*day, `,"tarif":1,"tarif_price":2500`) + `,` + line(3, "2026-06-01T08:00", 50*time.Hour, `,"tarif_price":1000,"tarif_duration":"1 00:00:00"`) + `,` +
		line(4, "2026-06-01T08:00", 3*day, `,"tarif":1,"tarif_duration":"2 00:00:00"`) + `,` + line(5, "2026-06-01T08:00", 3*day, `,"tarif":1,"tarif_duration":null`) + `],` +
		`"services":[{"service":1,"tarif_price":999},{"service":2,"tarif":13,"tarif_price":800},{"service":2,"tarif_price":70,"tarif_duration":"1 00:00:00"}]}`)
	// 5: discounts of all kinds, a tax inside, a set.
	r.order(`{"client":1,"discount":1,"additional_discount":"50.05","tax_percent":"16","tax_included":true,"inventories":[` +
		line(1, "2026-07-01T08:00", 3*day, `,"discount":1,"set_group":"a"`) + `,` + line(2, "2026-07-01T08:00", 3*day, `,"discount":2,"set_group":"a"`) + `,` +
		line(6, "2026-07-01T08:00", 1*day, `,"additional_discount":700,"set":7`) + `],"services":[{"service":1,"discount":2},{"service":3,"discount":null},{"service":3,"additional_discount":10}]}`)
	// 6: an amount off the order, and a month that isn't whole.
	r.order(`{"client":1,"status":1,"discount":2,"tax_percent":"0.5","inventories":[` + line(1, "2027-01-31T10:00", 45*day) + `,` + line(2, "2027-01-31T10:00", 29*day, `,"tarif":4`) + `]}`)
	// 7: sales beside a rental.
	r.order(`{"client":2,"status":1,"inventories":[{"inventory":8,"type":1,"start_at":"2026-09-01T08:00:00Z"},` + line(7, "2026-09-01T08:00", 2*day) + `,` +
		`{"inventory":10,"type":1,"tarif_price":50000,"discount":1,"start_at":"2028-09-01T08:00:00Z"}]}`)
	// 8: in rent, and handed out before its start; 9: partly back; 10: late; 11: a debtor; 12: completed and paid; 13: cancelled; 14: services alone.
	r.order(`{"client":1,"status":1,"inventories":[` + line(1, "2026-03-03T10:00", 10*day) + `,` + line(2, "2026-03-11T10:00", 4*day) + `,` + line(3, "2026-03-05T10:00", 6*day, `,"tarif":2`) + `],"services":[{"service":2}]}`)
	r.order(`{"client":1,"status":1,"discount":1,"inventories":[` + line(4, "2026-03-03T10:00", 2*day) + `,` + line(5, "2026-03-03T10:00", 9*day, `,"discount":2`) + `,` +
		line(8, "2026-03-03T10:00", 2*day, `,"tarif":8`) + `]}`)
	r.order(`{"client":2,"status":1,"tax_percent":12,"inventories":[` + line(6, "2026-03-03T10:00", 3*day) + `]}`)
	r.order(`{"client":2,"status":1,"inventories":[` + line(7, "2026-03-03T10:00", 2*day, `,"tarif":9`) + `],"services":[{"service":1}]}`)
	r.order(`{"client":1,"status":1,"inventories":[` + line(9, "2026-03-03T10:00", 2*day) + `]}`)
	r.order(`{"client":1,"inventories":[` + line(10, "2026-03-03T10:00", 2*day) + `],"services":[{"service":1}]}`)
	r.order(`{"client":1,"rent_start":"2026-04-01T08:00:00Z","rent_end":"2026-04-03T08:00:00Z","services":[{"service":2},{"service":1,"count":3,"additional_discount":1}]}`)
	// 15: a month with the item on which the other one follows.
	r.order(`{"client":2,"inventories":[` + line(3, "2026-08-31T10:00", 30*day, `,"tarif":4`) + `,` + line(8, "2026-04-30T10:00", 31*day, `,"tarif":9`) + `]}`)
}

// live hands out, takes back and pays.
func (r *recorder) live() {
	do := func(status int, path, body string) { r.t.Helper(); r.c.Post(requests+path, body).Status(status) }
	o := func(i int, rest string) string { return fmt.Sprintf("%d/%s", r.orders[i-1], rest) }
	ids := func(i int) (list []string) {
		var order struct {
			Lines []int64 `json:"order_inventories"`
		}
		if err := json.Unmarshal(r.c.Get(requests+o(i, "")).Status(200).Body(), &order); err != nil {
			r.t.Fatal(err)
		}
		for _, id := range order.Lines {
			list = append(list, fmt.Sprint(id))
		}
		return list
	}
	do(200, o(8, "action/"), `{"status":2,"datetime":"2026-03-03T09:00:00Z","order_inventories":[`+ids(8)[0]+`]}`)
	do(200, o(8, "action/"), `{"status":2,"datetime":"2026-03-10T09:00:00Z","order_inventories":[`+ids(8)[1]+`]}`)
	do(200, o(8, "pay/"), `{"amount":"2000.10"}`)
	do(201, o(8, "deposits/"), `{"amount":5000}`)
	do(200, o(9, "action/"), `{"status":2,"datetime":"2026-03-03T10:00:00Z"}`)
	do(200, o(9, "action/"), `{"status":4,"datetime":"2026-03-05T14:10:00Z","order_inventories":[`+ids(9)[0]+`,`+ids(9)[2]+`]}`)
	do(201, o(9, "penalties/"), `{"amount":"70.07"}`)
	do(200, o(10, "action/"), `{"status":2,"datetime":"2026-03-03T10:00:00Z"}`)
	do(200, o(11, "action/"), `{"status":2,"datetime":"2026-03-03T10:00:00Z"}`)
	do(200, o(11, "pay/"), `{"amount":100}`)
	do(200, o(11, "action/"), `{"status":4,"datetime":"2026-03-07T15:00:00Z"}`)
	do(200, o(12, "action/"), `{"status":2,"datetime":"2026-03-03T10:00:00Z"}`)
	do(201, o(12, "deposits/"), `{"amount":1000}`)
	do(200, o(12, "action/"), `{"status":4,"datetime":"2026-03-05T09:00:00Z"}`)
	do(200, o(12, "pay/"), `{"amount":20000}`)
	do(200, o(13, "action/"), `{"status":3}`)
}

// paths are what is read.
func (r *recorder) paths() (list []string) {
	for _, id := range r.orders {
		list = append(list, fmt.Sprintf("%s%d/", requests, id))
	}
	return append(list, clientsPath+"1/", clientsPath+"2/")
}

type lineOf struct {
	path   string
	id, of int64 // of is its item or service
	tariff any
	start  time.Time
	end    *time.Time
	isSale bool
}

func (r *recorder) lines(path string) (lines, services []lineOf) {
	var order struct {
		Inventories []struct {
			ID        int64 `json:"id"`
			Inventory struct {
				ID int64 `json:"id"`
			} `json:"inventory"`
			Start time.Time  `json:"start_at"`
			End   *time.Time `json:"end_at"`
			Type  int        `json:"type"`
		} `json:"inventories"`
		Services []struct{ ID, Service int64 } `json:"services"`
	}
	if err := json.Unmarshal(r.c.Get(path).Status(200).Body(), &order); err != nil {
		r.t.Fatal(err)
	}
	for _, l := range order.Inventories {
		lines = append(lines, lineOf{path: fmt.Sprintf("/v1/crm/requests/inventories/%d/", l.ID), id: l.ID, of: l.Inventory.ID, start: l.Start, end: l.End, isSale: l.Type == 1})
	}
	for _, l := range order.Services {
		services = append(services, lineOf{path: fmt.Sprintf("/v1/crm/requests/services/%d/", l.ID), id: l.ID, of: l.Service})
	}
	return lines, services
}

// all records all changes of a company.
func (r *recorder) all(read map[string]values) {
	n := 0
	// try records one change in oneIn, which are others for each company.
	try := func(shows string, do ...request) {
		r.t.Helper()
		n++
		if (n+2*int(r.company))%oneIn != 0 {
			return
		}
		r.record(read, shows, do...)
	}
	for i, id := range r.orders {
		path := fmt.Sprintf("%s%d/", requests, id)
		lines, services := r.lines(path)
		r.ofLines(path, lines, try)
		for _, l := range services {
			try(path, request{Method: "PUT", Path: l.path})
			for _, body := range []string{
				`{"extra":{"n":1}}`, `{"count":4}`, `{"discount":1}`, `{"discount":null}`, `{"additional_discount":5}`, `{"tarif_price":123}`, `{"tarif":null}`,
				`{"service":3}`, `{"tarif_duration":"2 00:00:00"}`,
			} {
				try(path, request{Method: "PATCH", Path: l.path, Body: json.RawMessage(body)})
			}
			if l.of == 2 {
				for _, tariff := range []string{"13", "14", "15"} {
					try(path, request{Method: "PATCH", Path: l.path, Body: json.RawMessage(`{"tarif":` + tariff + `}`)})
				}
			}
			try(path, request{Method: "DELETE", Path: l.path})
		}
		try(path, request{Method: "PUT", Path: path})
		for _, body := range []string{
			`{"extra":{"n":1}}`, `{"discount":1}`, `{"discount":2}`, `{"discount":null}`, `{"additional_discount":"100.01"}`, `{"tax_percent":12}`,
			`{"tax_percent":16,"tax_included":true}`, `{"tax_percent":0}`, `{"rental_point":1}`, `{"client":2}`,
		} {
			try(path, request{Method: "PATCH", Path: path, Body: json.RawMessage(body)})
		}
		post := func(after time.Duration, rest, body string) request {
			return request{Method: "POST", Path: path + rest, Body: json.RawMessage(body), After: int64(after / time.Second)}
		}
		try(path, post(0, "pay/", `{"amount":"500.50"}`))
		try(path, post(0, "pay/", `{"amount":500000}`))
		try(path, post(0, "penalties/", `{"amount":"12.34"}`))
		try(path, post(0, "services/", `{"service":2,"count":2}`))
		try(path, post(0, "services/", `{"service":3}`))
		try(path, post(0, "inventories/", `{"inventory":8,`+span("2029-02-01T10:00", 33*day)+`}`))
		try(path, post(0, "inventories/", `{"inventory":3,`+span("2029-03-24T10:00", 49*time.Hour)+`,"discount":1}`))
		try(path, post(0, "action/", `{"status":3}`))
		if i >= 7 && i <= 9 {
			for _, after := range []time.Duration{0, day + 30*time.Minute, 5*day + 1777*time.Second, 40 * day} {
				r.record(read, path, post(after, "action/", `{"status":4}`))
				for k, settings := range []string{`{"late_grace":0,"late_step":60}`, `{"late_grace":90000,"late_step":7200,"buffer":600}`} {
					if oneIn > 1 && k != i%2 {
						continue
					}
					r.record(read, path, request{Method: "PUT", Path: "/v1/crm/settings/rental/", Body: json.RawMessage(settings)}, post(after, "action/", `{"status":4}`),
						post(0, "pay/", `{"amount":100000}`))
				}
			}
			r.record(read, path, post(0, "action/", `{"status":2}`), post(20*day, "action/", `{"status":4}`))
		} else if i != 6 {
			try(path, post(0, "action/", `{"status":2}`), post(70*day, "action/", `{"status":4}`))
		}
		// What the company sells costs something else now; the lines keep their prices.
		if len(lines) > 0 && lines[0].end != nil && (oneIn == 1 || int64(i)%3 == int64(r.company)%3) {
			r.record(read, path, request{Method: "PATCH", Path: groupsPath + "1/tarifs/1/", Body: json.RawMessage(`{"inventory_group":1,"price":9999}`)},
				request{Method: "DELETE", Path: groupsPath + "2/tarifs/8/"},
				request{Method: "PATCH", Path: lines[0].path, Body: json.RawMessage(`{"end_at":"` + lines[0].end.Add(2*day).Format(time.RFC3339) + `"}`)})
		}
	}
	for _, months := range []string{"days", "calendar"} { // what is priced anew is priced by the months of today
		path := fmt.Sprintf("%s%d/", requests, r.orders[1])
		lines, _ := r.lines(path)
		put := request{Method: "PUT", Path: "/v1/crm/settings/rental/", Body: json.RawMessage(`{"month":"` + months + `"}`)}
		for _, l := range []lineOf{lines[0], lines[3]} {
			for _, body := range []string{`{"end_at":"` + l.end.Add(day).Format(time.RFC3339) + `"}`, `{"tarif":1}`, `{"tarif":null}`, `{"tarif_price":100}`} {
				r.record(read, path, put, request{Method: "PATCH", Path: l.path, Body: json.RawMessage(body)})
			}
		}
	}
	for _, hours := range []int{1, 3, 5, 24, 25, 47, 120, 167, 30 * 24, 31*24 + 1, 92 * 24} {
		for _, item := range []int{1, 6, 9} {
			body := fmt.Sprintf(`{"inventories":[{"inventory":%d,%s}],"services":[{"service":2}]}`, item, span("2029-03-20T10:00", time.Duration(hours)*time.Hour))
			try("", request{Method: "POST", Path: quotes, Body: json.RawMessage(body)})
		}
	}
}

func (r *recorder) ofLines(path string, lines []lineOf, try func(shows string, do ...request)) {
	for _, l := range lines {
		try(path, request{Method: "PUT", Path: l.path})
		bodies := []string{
			`{"extra":{"n":1}}`, `{"discount":1}`, `{"discount":2}`, `{"discount":null}`, `{"additional_discount":"99.99"}`, `{"tarif_price":777}`,
			`{"tarif_duration":"2 00:00:00"}`, `{"tarif_duration":null}`, `{"tarif":null}`, `{"type":1}`, `{"inventory":7}`, `{"inventory":4}`,
		}
		if l.end != nil {
			for _, by := range []time.Duration{day, 40 * day, time.Hour, -day, -time.Hour} {
				bodies = append(bodies, `{"end_at":"`+l.end.Add(by).Format(time.RFC3339)+`"}`)
			}
			bodies = append(bodies, `{"start_at":"`+l.start.Add(3*time.Hour).Format(time.RFC3339)+`"}`)
		}
		tariffs := []int{1, 2, 3, 4, 5, 6, 7}
		if l.of >= 6 {
			tariffs = []int{8, 9, 10}
		}
		if l.of >= 9 {
			tariffs = []int{11, 12}
		}
		for _, tariff := range tariffs {
			bodies = append(bodies, fmt.Sprintf(`{"tarif":%d}`, tariff))
		}
		for _, body := range bodies {
			try(path, request{Method: "PATCH", Path: l.path, Body: json.RawMessage(body)})
		}
		try(path, request{Method: "DELETE", Path: l.path})
	}
}

func (r *recorder) record(read map[string]values, shows string, do ...request) {
	r.t.Helper()
	c := change{Company: r.company, Shows: shows, Do: do}
	got, codes := r.d.tell(r.t, c, r.d.caller(r.t, r.company))
	for i := range c.Do {
		c.Do[i].Status = codes[i]
	}
	r.d.reset(r.t)
	c.Values = changed(got, read[fmt.Sprintf("%d:%s", r.company, shows)])
	if last := codes[len(codes)-1]; last >= 500 || last == 404 {
		r.t.Fatalf("%s: status %d", show(c.Do), last)
	}
	r.changes = append(r.changes, c)
}

// changed are the values that are others than before.
func changed(of, before values) values {
	by := values{}
	for path, v := range of {
		if was, is := before[path]; !is || was != v {
			by[path] = v
		}
	}
	for path := range before {
		if _, is := of[path]; !is {
			by[path] = nil
		}
	}
	return by
}

func save(t *testing.T, d *desk, was before) {
	var items []string
	for _, it := range d.items {
		line, err := json.Marshal(plain(t, &types.AttributeValueMemberM{Value: it}))
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, string(line)+"\n")
	}
	slices.Sort(items)
	var b strings.Builder
	line := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	fmt.Fprintf(&b, "{\"at\":%s,\n\"read\":{\n", line(was.At))
	var read, changes []string
	for key, v := range was.Read {
		read = append(read, line(key)+":"+line(v))
	}
	slices.Sort(read)
	for _, c := range was.Changes {
		changes = append(changes, line(c))
	}
	fmt.Fprintf(&b, "%s\n},\n\"changes\":[\n%s\n]}\n", strings.Join(read, ",\n"), strings.Join(changes, ",\n"))
	if err := os.MkdirAll("testdata/before", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"items.json": strings.Join(items, ""), "answers.json": b.String()} {
		if err := os.WriteFile("testdata/before/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	statuses := map[int]int{}
	for _, c := range was.Changes {
		statuses[c.Do[len(c.Do)-1].Status]++
	}
	t.Logf("%d items, %d read, %d changes: %v", len(items), len(was.Read), len(was.Changes), statuses)
}

// plain is the opposite of attribute.
func plain(t *testing.T, v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return json.Number(v.Value)
	case *types.AttributeValueMemberB:
		return bytesMark + base64.StdEncoding.EncodeToString(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberNULL:
		return nil
	case *types.AttributeValueMemberL:
		list := []any{}
		for _, one := range v.Value {
			list = append(list, plain(t, one))
		}
		return list
	case *types.AttributeValueMemberM:
		m := map[string]any{}
		for name, one := range v.Value {
			m[name] = plain(t, one)
		}
		return m
	}
	t.Fatalf("%T", v)
	return nil
}
