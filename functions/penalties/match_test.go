package penalties_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/penalties"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	requests    = "/v1/crm/requests/"
	orderLines  = "/v1/crm/requests/inventories/"
	inventories = "/v1/crm/inventories/"
)

// newFleet has company 1, in Almaty, with the clients 1 and 2, a tariff of 3000 a day, and three cars: 001AAA02 and 002AAA02,
// which has the tech passport AA2, and one that has AA3 and no number. It is 9:30 UTC on the 2nd of March.
func newFleet(t *testing.T) (*webtest.API, *webtest.Client) {
	t.Helper()
	return fleetOn(t, webtest.Setup{})
}

func fleetOn(t *testing.T, setup webtest.Setup) (*webtest.API, *webtest.Client) {
	t.Helper()
	api := setup.New(t, penalties.New, orders.New, inventory.New, clients.New, finance.New, history.New).
		Join(webtest.Employee(1), webtest.Manager(1), webtest.Owner(1))
	for id := range tenant.ID(2) {
		of := table.Of(api.Env.Table, id+1)
		put := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: int64(id) + 1, TimeZone: "Asia/Almaty", Revision: 1})
		if err := put.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := api.As(webtest.Employee(1))
	for _, name := range []string{"Assel", "Berik"} {
		c.Post("/v1/crm/clients/", `{"name":"`+name+`"}`).Status(201)
	}
	c.Post("/v1/crm/groups/", `{"name":"Sedans"}`).Status(201)
	c.Post("/v1/crm/groups/1/tarifs/", `{"inventory_group":1,"name":"Day","price":3000,"duriation":86400}`).Status(201)
	for _, car := range []string{`{"number":"001 AAA 02"}`, `{"number":"002 AAA 02","tech_passport":"AA2"}`, `{"tech_passport":"AA3"}`} {
		c.Post(inventories, `{"name":"Camry","group":1,"car":`+car+`}`).Status(201)
	}
	settle(api)
	return api, c
}

// settle carries out the messages that changes have left.
func settle(api *webtest.API) {
	api.Clock.Step(4 * time.Second)
	api.Deliver()
}

// rent makes an order of a client for a car on some days of March, from 10:00 to 10:00 UTC.
func rent(c *webtest.Client, client, car, from, to int) *webtest.Answer {
	return c.Post(requests, fmt.Sprintf(`{"client":%d,"status":1,"inventories":[{"inventory":%d,"start_at":"2026-03-%02dT10:00:00Z",`+
		`"end_at":"2026-03-%02dT10:00:00Z"}]}`, client, car, from, to))
}

// sees sends a penalty of a car, at a local time (UTC+5) of March.
func sees(c *webtest.Client, outer int, car, day, at string) *webtest.Answer {
	return c.Post(list, fmt.Sprintf(`{"outer_id":%d,"protocol_number":"KZ%d","amount":"100","violation_date":"2026-03-%s","violation_time":"%s","car":%s}`,
		outer, outer, day, at, car))
}

// whose checks whom a penalty belongs to: "inventory request client reason".
func whose(t *testing.T, c *webtest.Client, id int, want string) {
	t.Helper()
	field := func(a *webtest.Answer, name string) string {
		if v := a.Value(name); v != nil {
			return fmt.Sprint(v)
		}
		return "null"
	}
	m := c.Get(fmt.Sprint(list, id, "/match/")).Status(200)
	got := strings.Join([]string{field(m, "inventory"), field(m, "request"), field(m, "client"), field(m, "reason")}, " ")
	p := c.Get(fmt.Sprint(list, id, "/")).Status(200)
	if stored := strings.Join([]string{field(p, "inventory"), field(p, "request"), field(p, "client")}, " "); got != want || !strings.HasPrefix(want, stored) {
		t.Errorf("penalty %d belongs to %q, and says %q; want %q", id, got, stored, want)
	}
}

const car1, car2, car3 = `{"number":"001AAA02"}`, `{"number":"002AAA02"}`, `{"number":"777XYZ01","tech_passport":"AA3"}`

// TestWhoHadTheCar: a penalty belongs to the order that had the car at that moment, however the car is written.
func TestWhoHadTheCar(t *testing.T) {
	api, c := newFleet(t)
	rent(c, 1, 1, 3, 5).Status(201)
	rent(c, 2, 1, 5, 7).Status(201)
	rent(c, 2, 3, 3, 4).Status(201)
	for i, tt := range []struct{ name, car, day, at, want string }{
		{"in the middle", car1, "04", "12:00", "1 1 1 null"},
		{"at the start", car1, "03", "15:00", "1 1 1 null"},
		{"a second before it", car1, "03", "14:59:59", "1 null null nobody"},
		{"the end of one is the start of the next", car1, "05", "15:00", "1 2 2 null"},
		{"after the end", car1, "07", "15:00", "1 null null nobody"},
		{"Cyrillic letters, spaces, small ones", `{"number":" 001 ааА-02"}`, "04", "12:00", "null null null no_car"},
		{"Cyrillic letters, spaces", `{"number":" 001 ааА 02"}`, "04", "12:00", "1 1 1 null"},
		{"by its passport", car3, "03", "16:00", "3 3 2 null"},
		{"by its passport alone", `{"tech_passport":"аа 3"}`, "03", "16:00", "3 3 2 null"},
		{"the number before the passport", `{"number":"001AAA02","tech_passport":"AA3"}`, "04", "12:00", "1 1 1 null"},
		{"no such car", `{"number":"999ZZZ01"}`, "04", "12:00", "null null null no_car"},
		{"nothing of the car", `{}`, "04", "12:00", "null null null no_car"},
		{"a car that nobody had", car2, "04", "12:00", "2 null null nobody"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sees(c.In(t), i+1, tt.car, tt.day, tt.at).Status(201).Field("id", fmt.Sprint(i+1))
			whose(t, c.In(t), i+1, tt.want)
		})
	}
	c.Post(list, `{"protocol_number":"A","violation_date":"2026-03-04","car":`+car1+`}`).Status(201).Field("id", "14").Field("car.id", "1")
	whose(t, c, 14, "1 null null no_time")
	c.Patch(list+"14/", `{"violation_time":"12:00"}`).Status(200).Field("request", `"1"`).Field("client", `"1"`)
	c.Patch(list+"14/", `{"violation_date":"2026-03-06"}`).Status(200).Field("request", `"2"`)
	c.Patch(list+"14/", `{"violation_time":null}`).Status(200).Field("request", "null").Field("inventory", `"1"`)
	c.Get(list + "99/match/").Status(404)
	api.As(webtest.Employee(2)).Get(list + "1/match/").Status(404)
	a := c.Get(list+"3/match/").Status(200).Field("line", "null").Field("frozen", "false")
	if !strings.Contains(a.Text("detail"), "No order had the car") {
		t.Error(a.Text("detail"))
	}
	c.Get(list+"1/match/").Status(200).Field("line", "1").Field("detail", "null")
	whole(t, api)
}

// TestWhatChangesLater: what is entered, moved, cancelled or deleted later matches the penalties of that time again.
func TestWhatChangesLater(t *testing.T) {
	api, c := newFleet(t)
	c.Post(requests, `{"client":1,"status":1,"inventories":[{"inventory":1,"start_at":"2026-03-02T09:00:00Z","end_at":"2026-03-04T10:00:00Z"}]}`).Status(201)
	settle(api)
	for i, at := range []string{"14:20", "15:00", "19:00"} { // 9:20, 10:00, 14:00 UTC
		sees(c, i+1, car1, "02", at).Status(201).Field("request", `"1"`)
	}
	step := func(name string, do func(), want ...string) {
		t.Helper()
		do()
		settle(api)
		for i, w := range want {
			whose(t, c, i+1, w)
		}
		if t.Failed() {
			t.Fatal("after ", name)
		}
	}
	api.Clock.Step(30 * time.Minute) // 10:00
	step("handed out late", func() { c.Post(requests+"1/action/", `{"status":2}`).Status(200) },
		"1 null null nobody", "1 null null nobody", "1 1 1 null")
	api.Clock.Step(6 * time.Hour)
	step("returned early, entered late", func() { c.Post(requests+"1/action/", `{"status":4,"datetime":"2026-03-02T13:00:00Z"}`).Status(200) },
		"1 null null nobody", "1 null null nobody", "1 null null nobody")
	step("the client drove on: an order that is entered afterwards",
		func() {
			c.Post(requests, `{"client":2,"status":1,"inventories":[{"inventory":1,"start_at":"2026-03-02T13:30:00Z","end_at":"2026-03-09T10:00:00Z"}]}`).Status(201)
		},
		"1 null null nobody", "1 null null nobody", "1 2 2 null")
	step("another client", func() { c.Patch(requests+"2/", `{"client":1}`).Status(200) }, "1 null null nobody", "1 null null nobody", "1 2 1 null")
	step("moved to another car", func() { c.Patch(orderLines+"2/", `{"inventory":2}`).Status(200) },
		"1 null null nobody", "1 null null nobody", "1 null null nobody")
	step("moved back", func() { c.Patch(orderLines+"2/", `{"inventory":1}`).Status(200) }, "1 null null nobody", "1 null null nobody", "1 2 1 null")
	step("cancelled", func() { c.Post(requests+"2/action/", `{"status":3}`).Status(200) },
		"1 null null nobody", "1 null null nobody", "1 null null nobody")
	step("deleted", func() { c.Delete(requests + "2/").Status(204) }, "1 null null nobody", "1 null null nobody", "1 null null nobody")
	if n := api.Deliver(); n != 0 {
		t.Errorf("%d messages are left", n)
	}
	whole(t, api)
}

// TestACarThatGetsItsNumber: penalties that came before their car find it, and those whose car turns out to be another one.
func TestACarThatGetsItsNumber(t *testing.T) {
	api, c := newFleet(t)
	const later = `{"number":"005 BBB 02"}`
	sees(c, 1, later, "04", "12:00").Status(201)
	sees(c, 2, `{"tech_passport":"NEW 1"}`, "04", "12:00").Status(201)
	sees(c, 3, `{"number":"unknown","tech_passport":"new1"}`, "04", "12:00").Status(201)
	sees(c, 4, `{"number":"other"}`, "04", "12:00").Status(201)
	for id := range 4 {
		whose(t, c, id+1, "null null null no_car")
	}
	c.Post(inventories, `{"name":"Camry","car":{"number":"005BBB02"}}`).Status(201).Field("id", "4")
	whose(t, c, 1, "null null null nobody") // within seconds, but there is no order that had it
	if n := api.Deliver(); n != 0 {
		t.Errorf("%d messages are carried out before the indexes show the change", n)
	}
	c.Get(list+"1/").Status(200).Field("inventory", "null")
	settle(api)
	whose(t, c, 1, "4 null null nobody")
	c.Patch(inventories+"3/", `{"car":{"tech_passport":"New1"}}`).Status(200)
	settle(api)
	whose(t, c, 2, "3 null null nobody")
	whose(t, c, 3, "3 null null nobody")
	// Another car has the same passport: who has it already keeps it, and who comes new can't know.
	c.Post(inventories, `{"name":"Camry","car":{"tech_passport":"NEW1"}}`).Status(201).Field("id", "5")
	settle(api)
	whose(t, c, 2, "3 null null nobody")
	sees(c, 5, `{"tech_passport":"NEW1"}`, "04", "12:00").Status(201)
	whose(t, c, 5, "null null null two_cars")
	c.Delete(inventories + "5/").Status(204)
	settle(api)
	whose(t, c, 5, "3 null null nobody")
	// A car that is archived or deleted keeps its penalties, until another one has the number.
	c.Patch(inventories+"4/", `{"disabled":1}`).Status(200)
	settle(api)
	whose(t, c, 1, "4 null null nobody")
	c.Patch(inventories+"4/", `{"car":{"number":"006BBB02"}}`).Status(200)
	settle(api)
	whose(t, c, 1, "null null null no_car")
	c.Patch(inventories+"1/", `{"car":{"number":"005BBB02"}}`).Status(200)
	settle(api)
	whose(t, c, 1, "1 null null nobody")
	whose(t, c, 4, "null null null no_car")
	whole(t, api)
}

// TestFrozen: what is noted stays as it is, and is matched again when it is not noted any more.
func TestFrozen(t *testing.T) {
	api, c := newFleet(t)
	rent(c, 1, 1, 3, 5).Status(201)
	sees(c, 1, car1, "04", "12:00").Status(201).Field("request", `"1"`)
	c.Post(list, `{"protocol_number":"N","noted":true,"violation_date":"2026-03-04","violation_time":"12:00","car":`+car1+`}`).Status(201).
		Field("inventory", "null")
	c.Patch(list+"1/", `{"noted":true}`).Status(200).Field("request", `"1"`)
	settle(api)
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	settle(api)
	c.Get(list+"1/").Status(200).Field("request", `"1"`).Field("client", `"1"`)
	c.Get(list+"1/match/").Status(200).Field("frozen", "true").Field("reason", "null")
	c.Get(list+"2/match/").Status(200).Field("frozen", "true").Field("reason", `"frozen"`)
	c.Patch(list+"1/", `{"noted":false}`).Status(200).Field("request", "null").Field("inventory", `"1"`)
	c.Patch(list+"2/", `{"noted":false}`).Status(200).Field("inventory", `"1"`)
}

// TestManyLinesBefore: cancelled and planned lines of later starts don't hide who had the car.
func TestManyLinesBefore(t *testing.T) {
	api, c := newFleet(t)
	c.Post(requests, `{"client":2,"status":1,"inventories":[{"inventory":1,"start_at":"2026-03-03T00:00:00Z","end_at":"2026-03-30T00:00:00Z"}]}`).Status(201)
	c.Post(requests+"1/action/", `{"status":2,"datetime":"2026-03-02T09:30:01Z"}`).Status(200)
	settle(api)
	for n := range 12 {
		api.Clock.Step(time.Minute)
		made := c.Post(requests, fmt.Sprintf(`{"client":1,"inventories":[{"inventory":2,"start_at":"2026-03-03T%02d:00:00Z","end_at":"2026-03-03T%02d:30:00Z"}]}`, n, n)).
			Status(201)
		c.Post(fmt.Sprint(requests, made.Int("id"), "/action/"), `{"status":3}`).Status(200)
	}
	rent(c, 2, 2, 2, 3).Status(201)
	sees(c, 1, car2, "03", "14:00").Status(201).Field("request", `"14"`)
	sees(c, 2, car1, "20", "14:00").Status(201).Field("request", `"1"`)
}

// TestWhatMatchingCosts: the bounds of a PUT with its match, and of the match.
func TestWhatMatchingCosts(t *testing.T) {
	_, c := newFleet(t)
	rent(c, 1, 1, 3, 5).Status(201)
	rent(c, 2, 1, 5, 7).Status(201)
	sees(c, 1, car1, "06", "12:00").Status(201).Field("request", `"2"`)
	put := c.Put(list+"1/", `{"protocol_number":"KZ1","violation_date":"2026-03-04"}`).Status(200).Field("request", `"1"`).Calls(4)
	t.Log("PUT with a match:", put.Cost())
	if used := put.Cost(); used.Write > 14+3 { // and its events
		t.Errorf("%+v", used)
	}
	// The match of a penalty without one: what the penalty itself costs, one call and a unit, is left out.
	sees(c, 2, car1, "10", "12:00").Status(201).Field("request", "null")
	known := c.Get(list + "2/match/").Status(200).Calls(3)
	t.Log("match of a known car:", known.Cost())
	if used := known.Cost(); used.Read-1 > 6 {
		t.Errorf("%+v", used)
	}
}

// TestCharge: a penalty becomes a fee of its order, once, and can be taken back.
func TestCharge(t *testing.T) {
	api, c := newFleet(t)
	rent(c, 1, 1, 3, 5).Status(201)
	sees(c, 1, car1, "04", "12:00").Status(201).Field("request", `"1"`)
	sees(c, 2, car2, "04", "12:00").Status(201)
	const charge = list + "1/charge/"
	c.Delete(charge).Status(404)
	c.Post(list+"2/charge/", `{}`).Status(409).Field("code", `"unmatched"`).Writes(0)
	for body, want := range map[string]string{
		`{"amount":0}`:     `{"amount":["Ensure this value is greater than 0."]}`,
		`{"amount":"-5"}`:  `{"amount":["Ensure this value is greater than 0."]}`,
		`{"amount":"x"}`:   `{"amount":["A valid number is required."]}`,
		`{"amount":0.001}`: `{"amount":["Ensure that there are no more than 2 decimal places."]}`,
	} {
		c.Post(charge, body).Status(400).JSON(want).Writes(0)
	}
	var wait sync.WaitGroup
	codes := make([]int, 16)
	for i := range codes {
		wait.Go(func() { codes[i] = c.Post(charge, `{}`).Code() })
	}
	wait.Wait()
	won := 0
	for _, code := range codes {
		if code == 200 {
			won++
		} else if code != 409 {
			t.Errorf("status %d", code)
		}
	}
	if won != 1 {
		t.Fatalf("%d charged it", won)
	}
	c.Post(charge, `{}`).Status(409).Field("code", `"charged"`).Writes(0)
	c.Get(requests+"1/").Status(200).Field("penalty_amount", `"100.00"`).Field("debt", `"6100.00"`)
	fee := c.Get(requests+"1/penalties/").Status(200).Field("0.amount", `"100.00"`).Field("0.comment", `"KZ1"`).Field("0.penalty", "1").Int("0.id")
	p := c.Get(list+"1/").Status(200).Field("paid", "false").Field("request", `"1"`)
	c.Get(list+"1/match/").Status(200).Field("frozen", "true").Field("request", "1")

	// The fee is the penalty's alone.
	of := fmt.Sprint(requests, "1/penalties/", fee, "/")
	c.Patch(of, `{"amount":5}`).Status(409).Field("code", `"owned"`).Writes(0)
	c.Put(of, `{"amount":5}`).Status(409).Field("code", `"owned"`).Writes(0)
	c.Delete(of).Status(409).Field("code", `"owned"`).Writes(0)
	c.Delete(list+"1/").Status(409).Field("code", `"charged"`).Writes(0)
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	settle(api)
	c.Delete(requests+"1/").Status(409).Field("code", `"owned"`).Writes(0)
	c.Get(list+"1/").Status(200).Header("ETag", p.Get("ETag")).Field("request", `"1"`) // it stays

	c.With("If-Match", `"99"`).Delete(charge).Status(412).Writes(0)
	c.Delete(charge).Status(204)
	c.Get(requests + "1/penalties/").Status(200).JSON(`[]`)
	c.Get(list+"1/").Status(200).Field("request", "null") // the order is cancelled
	c.Post(charge, `{}`).Status(409).Field("code", `"unmatched"`)
	c.Delete(requests + "1/").Status(204)
	c.Delete(list + "1/").Status(204)

	// Another amount; and a penalty that has none needs one.
	rent(c, 1, 1, 3, 5).Status(201)
	c.Post(list, `{"protocol_number":"Z","violation_date":"2026-03-04","violation_time":"12:00","car":`+car1+`}`).Status(201).Field("id", "3")
	c.Post(list+"3/charge/", `{}`).Status(400).JSON(`{"amount":["This field is required."]}`).Writes(0)
	c.With("Idempotency-Key", "k").Post(list+"3/charge/", `{"amount":"55.5"}`).Status(200)
	c.With("Idempotency-Key", "k").Post(list+"3/charge/", `{"amount":"55.5"}`).Status(200).Header("Idempotent-Replayed", "true")
	c.Get(requests+"2/").Status(200).Field("penalty_amount", `"55.50"`)
	whole(t, api)
}

// An order that was cancelled before its penalty could be matched again is not charged.
func TestACancelledOrderIsNotCharged(t *testing.T) {
	_, c := newFleet(t)
	rent(c, 1, 1, 3, 5).Status(201)
	sees(c, 1, car1, "04", "12:00").Status(201).Field("request", `"1"`)
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	c.Post(list+"1/charge/", `{}`).Status(409).Field("code", `"status"`).Writes(0)
	c.Delete(requests + "1/").Status(204)
	c.Post(list+"1/charge/", `{}`).Status(409).Field("code", `"unmatched"`).Writes(0)
}

// overtaker is a table on which something happens before the next transaction.
type overtaker struct {
	dynamodbiface.DynamoDBAPI
	before func()
}

func (o *overtaker) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if do := o.before; do != nil {
		o.before = nil
		do()
	}
	return o.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
}

// TestAnOrderOvertakesItsMatch: an order that changes between the read of its line and the write of the penalty is read again.
func TestAnOrderOvertakesItsMatch(t *testing.T) {
	o := &overtaker{}
	_, c := fleetOn(t, webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		o.DynamoDBAPI = engine
		return o
	}})
	rent(c, 1, 1, 3, 5).Status(201)
	sees(c, 1, car1, "08", "12:00").Status(201).Field("request", "null")
	o.before = func() { c.Patch(requests+"1/", `{"client":2}`).Status(200) }
	c.Patch(list+"1/", `{"violation_date":"2026-03-04"}`).Status(200).Field("request", `"1"`).Field("client", `"2"`)
	o.before = func() { c.Post(requests+"1/action/", `{"status":3}`).Status(200) }
	c.Patch(list+"1/", `{"violation_time":"13:00"}`).Status(200).Field("request", "null")
}
