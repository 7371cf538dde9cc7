package orders_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/underrace"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// asker asks what random operations on random orders would come to, carries them out, and compares.
type asker struct {
	t      *testing.T
	r      *rand.Rand
	api    *webtest.API
	clerk  *webtest.Client
	order  object          // as it is
	etag   string          // of the order
	told   string          // what was asked last, for failures
	did    map[string]bool // the operations that were carried out on the order
	counts map[string]int
}

// TestWhatIfComesTrue: what an operation comes to is what was told before, to the cent, or it is refused in the same words; and to ask
// writes nothing.
func TestWhatIfComesTrue(t *testing.T) {
	const seed = 34
	orders := 300
	switch {
	case testing.Short():
		orders = 30
	case underrace.Enabled:
		orders = 60
	}
	a := newAsker(t, seed)
	m := a.api.As(webtest.Manager(1))
	for n := range orders {
		if n%15 == 0 {
			m.Put(rentalSettings, a.settings()).Status(200)
		}
		a.clerk = []*webtest.Client{a.api.As(webtest.Employee(1)), m}[n%2]
		a.create()
		a.live()
		if t.Failed() {
			t.Fatalf("order %d: %s", n, a.told)
		}
	}
	t.Log(a.counts)
	if a.counts["refunded"] < orders/60 {
		t.Errorf("%d returns have refunded something", a.counts["refunded"])
	}
	for _, operation := range []string{"action", "change", "inventories", "services"} {
		if done := a.counts[operation+" of an order"]; done < orders*9/10 { // of the others, all that was tried was refused
			t.Errorf("%s was carried out on %d of %d orders", operation, done, orders)
		}
		if refused := a.counts[operation+" 400"]; refused < orders/60 {
			t.Errorf("%d bodies of %s were wrong", refused, operation)
		}
		if refused := a.counts[operation+" 409"]; refused < orders/60 && operation != "services" { // whose lines want no items
			t.Errorf("%d bodies of %s were refused by what the order is", refused, operation)
		}
	}
	for operation, least := range map[string]int{"swap": orders / 2, "reopen": orders / 8} {
		if done := a.counts[operation+" of an order"]; done < least {
			t.Errorf("%s was carried out on %d of %d orders", operation, done, orders)
		}
	}
	whole(t, a.api)
	sound(t, a.api)
}

// newAsker has a company with 16 items of one group and 14 of the other, price rules and discounts.
func newAsker(t *testing.T, seed uint64) *asker {
	t.Helper()
	api, c := newInsurer(t)
	for n := range 23 {
		c.Post(inventories, fmt.Sprintf(`{"name":"Car %d","group":%d,"sell_price":"9000000"}`, n, 1+n%2)).Status(201)
	}
	for _, body := range []string{`{"name":"Friends","percent":"12.5"}`, `{"name":"Voucher","amount":"333.33"}`} {
		c.Post("/v1/crm/discounts/", body).Status(201)
	}
	for _, body := range []string{
		`{"name":"Weekend","weekdays":[6,7],"percent":15}`, `{"name":"Long","length_from":604800,"percent":-20}`,
		`{"name":"Half a day","minimum":43200,"groups":[2]}`,
	} {
		api.As(webtest.Manager(1)).Post(priceRules, body).Status(201)
	}
	return &asker{t: t, r: rand.New(rand.NewPCG(seed, seed)), api: api, clerk: c, counts: map[string]int{}}
}

// live takes the order through each of the operations, some before its items are out and some after, and to an end.
func (a *asker) live() {
	steps := []string{"change", "inventories", "services", "swap", "reopen"}
	a.r.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	out := a.r.IntN(len(steps) + 1)
	a.did = map[string]bool{}
	for n, operation := range append(steps, "end") {
		for n == out && a.order.int("status") < 2 && a.try("action", a.action(int(a.order.int("status"))+1), "action/", 0) {
			if a.odds(70) {
				a.ofLine("reopen")
			}
			a.passTime()
		}
		for try := range 8 {
			a.passTime()
			var done bool
			status := a.order.int("status")
			switch {
			case a.t.Failed() || status > 2 && try > 0 || operation == "end" && try > 2:
				return
			case operation != "end":
				done = a.random(operation)
			case status == 2 || a.odds(10):
				if a.try("action", a.action(a.next()), "action/", 0) && a.odds(90) && a.ofLine("reopen") {
					a.try("action", a.action(a.next()), "action/", 0)
				}
				done = a.order.int("status") > 2
			default:
				done = a.try("action", a.action(3), "action/", 0)
			}
			if done {
				break
			}
		}
	}
}

// passTime lets some hours pass, in which the client may pay.
func (a *asker) passTime() {
	a.api.Clock.Step(time.Duration(a.r.IntN(20*60)) * time.Minute)
	if a.odds(10) {
		paid := a.clerk.Post(a.path()+"pay/", fmt.Sprintf(`{"amount":"%s"}`, a.amount(pick(a, 60_000, 600_000))))
		if paid.Code() == 200 { // a request whose hold has ended takes no money
			a.is(paid)
		}
	}
}

// is takes an order as an answer shows it.
func (a *asker) is(answer *webtest.Answer) { a.order, a.etag = a.parsed(answer), answer.Get("ETag") }

func (a *asker) parsed(answer *webtest.Answer) (of object) {
	d := json.NewDecoder(bytes.NewReader(answer.Body()))
	d.UseNumber()
	if err := d.Decode(&of); err != nil {
		a.t.Fatalf("%v: %s", err, answer.Body())
	}
	return of
}

func (a *asker) odds(percent int) bool { return a.r.IntN(100) < percent }

func (a *asker) amount(most int) string { return fmt.Sprintf("%d.%02d", a.r.IntN(most), a.r.IntN(100)) }

func (a *asker) path() string { return fmt.Sprint(requests, a.order.int("id"), "/") }

// later is a moment some minutes from now.
func (a *asker) later(from, to int) string {
	return a.api.Clock.Now().Add(time.Duration(from+a.r.IntN(to-from)) * time.Minute).Format(time.RFC3339)
}

func pick[T any](a *asker, of ...T) T { return of[a.r.IntN(len(of))] }

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (a *asker) settings() string {
	return text(object{
		"early": pick(a, "keep", "reprice"), "early_start": pick(a, "free", "charged"), "late": pick(a, "pro_rata", "tariffs"),
		"late_percent": pick(a, 100, 150), "combine": a.odds(70), "services_by_time": a.odds(70), "no_show_percent": pick(a, 0, 80),
		"cancellation": []any{object{"before": 7200, "percent": 50}, object{"before": 259200, "percent": 20}},
		"buffer":       pick(a, 0, 1800), "month": pick(a, "days", "calendar"), "hold": pick(a, 0, 0, 0, 100000),
		"max_discount_percent": object{"employee": pick(a, 60, 100), "manager": 100},
	})
}

// maybe adds a field to a body, or not.
func (a *asker) maybe(in object, field string, percent int, value any) {
	if a.odds(percent) {
		in[field] = value
	}
}

// terms are what a line, a new one or not, may say of its price.
func (a *asker) terms(in object) object {
	a.maybe(in, "discount", 20, pick[any](a, 1, 2, nil))
	a.maybe(in, "discount", 3, 9)
	a.maybe(in, "additional_discount", 15, a.amount(900))
	a.maybe(in, "tarif_price", 8, a.amount(20000))
	a.maybe(in, "combined", 8, a.odds(50))
	return in
}

func (a *asker) newLine() object {
	in := a.terms(object{"inventory": 1 + a.r.IntN(30), "start_at": a.later(-600, 1800), "end_at": a.later(2000, pick(a, 3000, 15000, 30000))})
	a.maybe(in, "type", 4, 1)
	return in
}

func (a *asker) newService() object {
	in := a.terms(object{"service": 1 + a.r.IntN(4), "count": 1 + a.r.IntN(3)})
	if a.odds(15) {
		in["start_at"], in["end_at"] = a.later(-600, 1800), a.later(2000, 9000)
	}
	return in
}

func (a *asker) lineChange() object {
	in := a.terms(object{})
	a.maybe(in, "end_at", 60, a.later(500, 20000))
	a.maybe(in, "start_at", 10, a.later(-60, 600))
	a.maybe(in, "inventory", 10, 1+a.r.IntN(30))
	a.maybe(in, "reprice", 10, true)
	return in
}

func (a *asker) serviceChange() object {
	in := a.terms(object{})
	a.maybe(in, "count", 60, 1+a.r.IntN(4))
	a.maybe(in, "service", 20, 1+a.r.IntN(4))
	return in
}

// some makes up to so many of something, and at least one.
func some(a *asker, most int, one func() object) (list []object) {
	for range 1 + a.r.IntN(most) {
		list = append(list, one())
	}
	return list
}

// create makes an order. Bodies that want what is not free are passed over.
func (a *asker) create() {
	for range 50 {
		o := object{"status": a.r.IntN(2), "inventories": some(a, 3, a.newLine)}
		a.maybe(o, "client", 80, 1)
		a.maybe(o, "services", 60, some(a, 2, a.newService))
		a.maybe(o, "tax_percent", 50, pick(a, "12", "7.77"))
		a.maybe(o, "tax_included", 20, true)
		a.maybe(o, "discount", 30, 1+a.r.IntN(2))
		if made := a.clerk.Post(requests, text(o)); made.Code() == 201 {
			a.is(made)
			return
		}
	}
	a.t.Fatal("no order could be made")
}

// action is a step of the order, or of some of its lines.
func (a *asker) action(status int) object {
	in := object{"status": status}
	lines := a.ids("order_inventories")
	switch {
	case status%2 == 0 && len(lines) > 1 && a.odds(30):
		in["order_inventories"] = lines[:1+a.r.IntN(len(lines)-1)]
	case status%2 == 0 && a.odds(20):
		in["datetime"] = a.later(-300, 20)
	case status == 4 && a.odds(30):
		in["early"] = pick(a, "keep", "reprice")
	case status == 3 && a.odds(30):
		in["fee"] = a.amount(30000)
	case status == 3 && a.odds(30):
		in["no_show"] = true
	}
	if status == 4 && a.odds(40) {
		in["refund"] = true // which an employee may not
	}
	return in
}

// next is the step of an order in rent: what is out comes back before the rest goes out.
func (a *asker) next() int {
	all := a.order.objects("inventories")
	for _, l := range all {
		if l["fact_start_at"] != nil && l["fact_end_at"] == nil && l["end_at"] != nil {
			return 4
		}
	}
	if len(all) == 0 {
		return 4
	}
	return 2
}

// ids are those of lines of the order, in any order.
func (a *asker) ids(field string) []any {
	ids := append([]any{}, list(a.order[field])...)
	a.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}

// random tries a random body of an operation, and tells whether it was carried out.
func (a *asker) random(operation string) bool {
	switch operation {
	case "swap", "reopen":
		return a.ofLine(operation)
	case "inventories":
		body, path := a.bulk("inventories", "order_inventories", a.newLine, a.lineChange)
		return a.try(operation, body, path, 0)
	case "services":
		body, path := a.bulk("services", "order_services", a.newService, a.serviceChange)
		return a.try(operation, body, path, 0)
	}
	in := object{}
	a.maybe(in, "discount", 30, pick[any](a, 1, 2, nil))
	a.maybe(in, "additional_discount", 30, a.amount(9000))
	a.maybe(in, "tax_percent", 30, pick(a, "5", "12.5", "101"))
	a.maybe(in, "tax_included", 15, a.odds(50))
	a.maybe(in, "client", 15, pick[any](a, 1, 1, nil, 99))
	a.maybe(in, "hold", 10, pick[any](a, 3600, nil))
	a.maybe(in, "rent_end", 30, a.later(1000, 20000))
	a.maybe(in, "rent_start", 10, a.later(-300, 900))
	return a.try(operation, in, "", 0)
}

// ofLine tries an operation on one line of the order, and tells whether it was carried out.
func (a *asker) ofLine(operation string) bool {
	there := a.ids("order_inventories")
	if len(there) == 0 {
		return false
	}
	id, _ := there[0].(json.Number).Int64()
	in := object{}
	if operation == "swap" {
		in = object{"inventory": 1 + a.r.IntN(31), "price": pick(a, "keep", "keep", "new"), "reason": "The gearbox broke"}
		a.maybe(in, "datetime", 20, a.later(-300, 20))
	}
	return a.try(operation, in, operation+"/", id)
}

// bulk is a body of a bulk call, and the path of that call.
func (a *asker) bulk(of, ids string, add, change func() object) (body object, path string) {
	there := a.ids(ids)
	switch kind := a.r.IntN(10); {
	case kind < 4 || len(there) == 0:
		return object{of: some(a, 2, add)}, of + "/bulk_create/"
	case kind < 8:
		var changes []object
		for _, id := range there[:1+a.r.IntN(min(len(there), 2))] {
			in := change()
			in["id"] = id
			changes = append(changes, in)
		}
		return object{of: changes}, of + "/bulk_update/"
	}
	return object{of: there[:1]}, of + "/bulk_delete/"
}

// try asks what an operation would come to, carries it out, compares, and tells whether it was carried out. line is the one that it is
// about; 0 if it is about the order.
func (a *asker) try(operation string, body object, path string, line int64) (done bool) {
	a.t.Helper()
	method, of := "POST", a.path()
	question := object{"operation": operation, "body": body}
	if line != 0 {
		question["line"], of = line, fmt.Sprint(lines, line, "/")
	}
	if path == "" {
		method = "PATCH"
	}
	a.told = fmt.Sprintf("%s %s of\n%s", operation, text(body), text(a.order))
	asked := a.clerk.Post(a.path()+"quote/", text(question)).Writes(0)
	made := a.clerk.With("If-Match", a.etag).Do(method, of+path, text(body))
	a.told += fmt.Sprintf("\nasked: %d %s\ncame to: %d %s", asked.Code(), asked.Body(), made.Code(), made.Body())
	told, kind := a.parsed(asked), fmt.Sprint(operation, " ", made.Code())
	switch {
	case made.Code() < 300:
		if done, kind = true, operation+" of an order"; a.did[operation] {
			kind = operation + " again"
		}
		a.did[operation] = true
		asked.Status(200)
		if told["available"] != true || len(list(told["conflicts"])) > 0 || told["etag"] != a.etag {
			a.t.Errorf("the ETag is %s; told: %v, %v, %v", a.etag, told["etag"], told["available"], told["conflicts"])
		}
		before := a.order
		a.is(made)
		a.compare(told, before)
	case told["available"] == false:
		made.Status(409).Field("code", map[bool]string{true: `"item_booked"`, false: `"overlap"`}[operation == "reopen"])
		if of := a.parsed(made); !reflect.DeepEqual(told["conflicts"], of["conflicts"]) {
			a.t.Errorf("conflicts: told %v, there are %v", told["conflicts"], of["conflicts"])
		}
		a.same(told.object("before"), a.order)
	case made.Code() == 400:
		asked.Status(400).JSON(`{"body":` + string(made.Body()) + `}`)
	default:
		asked.Status(made.Code()).JSON(string(made.Body()))
	}
	a.counts[kind]++
	return done
}

// same checks that what was told of an order is so.
func (a *asker) same(told, is object) {
	a.t.Helper()
	fields := func(told, is object, names ...string) {
		a.t.Helper()
		for _, name := range names {
			if !reflect.DeepEqual(told[name], is[name]) {
				a.t.Errorf("%s was told as %v, and is %v", name, told[name], is[name])
			}
		}
	}
	fields(told, is, "status", "rent_start", "rent_end", "price", "price_inventory", "price_service", "price_discount", "tax",
		"penalty_amount", "paid_amount", "debt", "overpaid", "payment_status")
	shares, count := int64(0), 0
	for of, names := range map[string][]string{
		"inventories": {"inventory_group", "type", "fact_start_at", "fact_end_at", "penalty_amount"},
		"services":    {"service", "service_name", "count", "by_time"},
	} {
		lines, wanted := told.objects(of), is.objects(of)
		if len(lines) != len(wanted) {
			a.t.Errorf("%d %s were told, and there are %d", len(lines), of, len(wanted))
			return
		}
		count += len(lines)
		for i, l := range lines {
			fields(l, wanted[i], append(names, "start_at", "end_at", "tarif", "tarif_name", "tarif_price", "one_time_payment",
				"tarif_duration", "combined", "discount", "additional_discount", "price", "price_discount")...)
			if l["id"] != nil {
				fields(l, wanted[i], "id")
			}
			steps, net := int64(0), wanted[i].cents("price")-wanted[i].cents("price_discount")
			for _, step := range l.objects("steps") {
				steps += step.cents("amount")
			}
			if steps != net || l.cents("net") != net {
				a.t.Errorf("the steps add up to %d, the net is told as %d, and is %d", steps, l.cents("net"), net)
			}
			shares += l.cents("share")
		}
	}
	if count > 0 && shares != is.cents("price") {
		a.t.Errorf("the shares add up to %d, the price is %d", shares, is.cents("price"))
	}
}

// compare checks that what the order has become is what was told.
func (a *asker) compare(told, before object) {
	a.t.Helper()
	a.same(told.object("before"), before)
	a.same(told.object("after"), a.order)
	rise := func(field string) int64 { return a.order.cents(field) - before.cents(field) }
	if told.cents("difference") != rise("price") {
		a.t.Errorf("the difference was told as %v", told["difference"])
	}
	fees := int64(0)
	for _, fee := range told.objects("fees") {
		fees += fee.cents("after") - fee.cents("before")
	}
	if fees != rise("penalty_amount") {
		a.t.Errorf("fees of %d were told, and they have risen by %d", fees, rise("penalty_amount"))
	}
	refund := a.order.cents("overpaid") + max(0, -rise("paid_amount"))
	if rise("paid_amount") < 0 {
		a.counts["refunded"]++
	}
	if told["debt"] != a.order["debt"] || told.cents("refund") != refund {
		a.t.Errorf("debt and refund were told as %v and %v", told["debt"], told["refund"])
	}
	for i, l := range told.object("after").objects("inventories") {
		if !a.odds(10) {
			continue
		}
		id := list(a.order["order_inventories"])[i]
		for name, value := range a.parsed(a.clerk.Get(fmt.Sprint(lines, id, "/price/")).Status(200)) {
			if !reflect.DeepEqual(l[name], value) {
				a.t.Errorf("%s of line %v was told as %v, and is %v", name, id, l[name], value)
			}
		}
	}
}
